/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel's algorithms keep in icsk_ca_priv, in the kernel's names:
 * struct bictcp of net/ipv4/tcp_cubic.c and struct bbr of net/ipv4/tcp_bbr.c,
 * Linux 6.10 to 6.18.
 */
#ifndef ORACLE_KERNEL_STATE_H
#define ORACLE_KERNEL_STATE_H

#include <stdint.h>

struct kernel_cubic {
	uint32_t cnt;
	uint32_t last_max_cwnd;
	uint32_t last_cwnd;
	uint32_t last_time;
	uint32_t bic_origin_point;
	uint32_t bic_K;
	uint32_t delay_min;
	uint32_t epoch_start;
	uint32_t ack_cnt;
	uint32_t tcp_cwnd;
	uint16_t unused;
	uint8_t sample_cnt;
	uint8_t found;
	uint32_t round_start;
	uint32_t end_seq;
	uint32_t last_ack;
	uint32_t curr_rtt;
};

struct kernel_bbr {
	uint32_t min_rtt_us;
	uint32_t min_rtt_stamp;
	uint32_t probe_rtt_done_stamp;
	struct {
		uint32_t t, v;
	} bw[3];
	uint32_t rtt_cnt;
	uint32_t next_rtt_delivered;
	uint64_t cycle_mstamp;
	uint32_t mode : 3;
	uint32_t prev_ca_state : 3;
	uint32_t packet_conservation : 1;
	uint32_t round_start : 1;
	uint32_t idle_restart : 1;
	uint32_t probe_rtt_round_done : 1;
	uint32_t unused : 13;
	uint32_t lt_is_sampling : 1;
	uint32_t lt_rtt_cnt : 7;
	uint32_t lt_use_bw : 1;
	uint32_t lt_bw;
	uint32_t lt_last_delivered;
	uint32_t lt_last_stamp;
	uint32_t lt_last_lost;
	uint32_t pacing_gain : 10;
	uint32_t cwnd_gain : 10;
	uint32_t full_bw_reached : 1;
	uint32_t full_bw_cnt : 2;
	uint32_t cycle_idx : 3;
	uint32_t has_seen_rtt : 1;
	uint32_t unused_b : 5;
	uint32_t prior_cwnd;
	uint32_t full_bw;
	uint64_t ack_epoch_mstamp;
	uint16_t extra_acked[2];
	uint32_t ack_epoch_acked : 20;
	uint32_t extra_acked_win_rtts : 5;
	uint32_t extra_acked_win_idx : 1;
	uint32_t unused_c : 6;
};

_Static_assert(sizeof(struct kernel_cubic) == 60, "as the kernel's");
_Static_assert(sizeof(struct kernel_bbr) == 104, "as the kernel's");

#endif
