/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's types, as far as oracle.bpf.c reads them. Offsets come from the
 * running kernel's BTF when the program is loaded (CO-RE).
 */
#ifndef ORACLE_KERN_H
#define ORACLE_KERN_H

#include <stdbool.h>
#include <stdint.h>

/* What bpf_helper_defs.h wants to be there. */
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int16_t __s16;
typedef int32_t __s32;
typedef int64_t __s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint32_t __wsum;

#define BPF_MAP_TYPE_ARRAY   2
#define BPF_MAP_TYPE_RINGBUF 27

#pragma clang attribute push(__attribute__((preserve_access_index)),           \
			     apply_to = record)

struct sock_common {
	__be16 skc_dport;
	uint16_t skc_num;
};

struct sock {
	struct sock_common __sk_common;
	unsigned long sk_pacing_rate, sk_max_pacing_rate;
	uint32_t sk_pacing_status, sk_gso_max_size;
	uint8_t sk_pacing_shift;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	uint8_t icsk_ca_state : 5;
	uint64_t icsk_ca_priv[13];
};

struct minmax_sample {
	uint32_t t, v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	uint32_t snd_cwnd, snd_cwnd_cnt, snd_ssthresh, snd_cwnd_clamp;
	uint32_t prior_cwnd, app_limited;
	uint32_t snd_una, snd_nxt, packets_out, sacked_out, lost_out,
	    retrans_out, max_packets_out;
	uint32_t delivered, delivered_ce, lost;
	uint32_t mss_cache, srtt_us, lsndtime;
	struct minmax rtt_min;
	uint64_t tcp_clock_cache, tcp_mstamp, tcp_wstamp_ns, delivered_mstamp;
	uint8_t is_cwnd_limited : 1;
};

struct ack_sample {
	uint32_t pkts_acked;
	int32_t rtt_us;
};

struct rate_sample {
	uint64_t prior_mstamp;
	uint32_t prior_delivered;
	int32_t delivered;
	long interval_us, rtt_us;
	int losses;
	uint32_t acked_sacked, prior_in_flight;
	bool is_app_limited, is_retrans, is_ack_delayed;
};

enum tcp_ca_event { CA_EVENT_TX_START };

#pragma clang attribute pop

/* libbpf finds its members by their names. */
struct tcp_congestion_ops {
	uint32_t (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, uint32_t ack, uint32_t acked);
	void (*set_state)(struct sock *sk, uint8_t next);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	uint32_t (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, uint32_t ack, int flag,
			     const struct rate_sample *rs);
	uint32_t (*undo_cwnd)(struct sock *sk);
	uint32_t (*sndbuf_expand)(struct sock *sk);
	void (*init)(struct sock *sk);
	uint32_t flags;
	char name[16];
};

#endif
