/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One call of a congestion control operation of the running kernel: what it
 * could see, and what it made of it. Shared by the BPF program, which fills it
 * in, and by what reads it.
 *
 * Only whole 32-bit words, without padding: a log keeps the difference of the
 * words of two records (log.h).
 */
#ifndef ORACLE_RECORD_H
#define ORACLE_RECORD_H

#include <stdint.h>

#define ORACLE_PRIVATE_WORDS 26 /* icsk_ca_priv: 104 bytes */

/* Sockets to a port from here on are logged: the test gives each path its own.
 */
#define ORACLE_PORT_FIRST 5200
#define ORACLE_PORTS      100

enum oracle_algorithm {
	ORACLE_RENO,
	ORACLE_CUBIC,
	ORACLE_BBR,
	ORACLE_ALGORITHMS
};

/* The operations (struct tcp_congestion_ops). */
enum oracle_op {
	ORACLE_INIT,
	ORACLE_SSTHRESH,     /* result: the threshold */
	ORACLE_CONG_AVOID,   /* not BBR: acked */
	ORACLE_SET_STATE,    /* value: enum tcp_ca_state */
	ORACLE_CWND_EVENT,   /* value: enum tcp_ca_event */
	ORACLE_PKTS_ACKED,   /* CUBIC: rtt_us */
	ORACLE_CONG_CONTROL, /* BBR: the sample */
	ORACLE_UNDO_CWND,    /* result: the window */
	ORACLE_OPS,
};

/* The kernel's names for value. */
#define ORACLE_EVENT_TX_START     0
#define ORACLE_EVENT_CWND_RESTART 1
#define ORACLE_EVENT_COMPLETE_CWR 2
#define ORACLE_EVENT_LOSS         3

/* What an operation may change. 64-bit values are split: low word first. */
struct oracle_state {
	uint32_t jiffies; /* now */
	uint32_t cwnd_pkts, cwnd_cnt_pkts, ssthresh_pkts;
	uint32_t app_limited_pkts;
	uint32_t pacing_rate_bytes_per_s[2];
	uint32_t private[ORACLE_PRIVATE_WORDS];
};

struct oracle_record {
	uint32_t algorithm, op;
	uint32_t port, local_port; /* of the peer; of the socket, by which it
				      is known */
	uint32_t is_disturbed;     /* on a state that is not the transfer's */
	uint32_t acked_pkts, value, result;
	uint32_t min_tso_pkts; /* BBR, after cong_control: what it asks for */
	/* the connection (struct tcp_sock), before */
	uint32_t now_ns[2], now_us[2]; /* tcp_clock_cache, tcp_mstamp */
	uint32_t edt_ns[2];            /* tcp_wstamp_ns */
	uint32_t delivered_us[2];      /* delivered_mstamp */
	uint32_t last_sent_jiffies;    /* lsndtime */
	uint32_t snd_una, snd_nxt;     /* sequence numbers of bytes */
	uint32_t packets_out_pkts, sacked_out_pkts, lost_out_pkts,
	    retrans_out_pkts, max_packets_out_pkts;
	uint32_t delivered_pkts, delivered_ce_pkts, lost_pkts;
	uint32_t prior_cwnd_pkts, cwnd_clamp_pkts;
	uint32_t mss_bytes, gso_max_bytes;
	uint32_t srtt_us_x8, min_rtt_us;
	uint32_t ca_state, is_cwnd_limited;
	uint32_t pacing_status, pacing_shift;
	uint32_t max_pacing_rate_bytes_per_s[2];
	/* the sample (struct rate_sample; PKTS_ACKED: rtt_us alone) */
	uint32_t prior_us[2];
	uint32_t prior_delivered_pkts;
	uint32_t sample_delivered_pkts, interval_us, rtt_us; /* signed */
	uint32_t losses_pkts, acked_sacked_pkts, prior_inflight_pkts;
	uint32_t is_app_limited, is_retrans, is_ack_delayed;
	struct oracle_state before, after;
};

#define ORACLE_RECORD_WORDS (sizeof(struct oracle_record) / sizeof(uint32_t))

#endif
