/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_CC_BBR_BENCH_H
#define TESTS_UNIT_CC_BBR_BENCH_H

/*
 * A connection for tests of both BBRs: what a transport would tell, with
 * defaults, and ACKs that are filled in by one call. A test changes any field
 * before it hands the event to the algorithm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fullpipe/cc/event.h"

#define BENCH_MSS_BYTES 1448u
#define BENCH_HZ        250u

struct bench {
	struct fp_cc_conn conn;
	struct fp_cc_ack ack;
	struct fp_cc_control control;
};

/* Lets time pass; both clocks move. */
static inline void bench_pass(struct bench *bench, uint64_t us)
{
	bench->conn.now_ns += us * 1000;
	bench->conn.now_ticks =
	    (uint32_t)(bench->conn.now_ns / (1000000000 / BENCH_HZ));
	bench->conn.edt_ns = bench->conn.now_ns;
}

/* A fresh connection of 10 packets without any RTT, at 1 s. */
static inline void bench_open(struct bench *bench)
{
	memset(bench, 0, sizeof(*bench));
	bench->conn.cwnd_clamp_pkts = UINT32_MAX;
	bench->conn.mss_bytes = BENCH_MSS_BYTES;
	bench->conn.min_rtt_us = UINT32_MAX;
	bench->conn.gso_max_bytes = 65160;
	bench->conn.clock_hz = BENCH_HZ;
	bench->conn.pacing_shift = 10;
	bench->conn.min_tso_pkts = 2;
	bench->conn.is_paced = true;
	bench->conn.has_sack = true;
	bench->conn.max_pacing_rate_bytes_per_s = UINT64_MAX;
	bench->control.cwnd_pkts = 10;
	bench->control.ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	bench_pass(bench, 1000000);
}

/* Fills in an ACK that arrives now: it delivers pkts, all that was sent within
 * interval_us, which is its RTT too. Its packet was sent after the last ACK, so
 * that it ends a round; nothing stays in flight. */
static inline void bench_ack(struct bench *bench, uint32_t pkts,
			     uint32_t interval_us)
{
	struct fp_cc_ack ack = {
		.now_ns = bench->conn.now_ns,
		.delivered_pkts = (int32_t)pkts,
		.interval_us = (int32_t)interval_us,
		.prior_delivered_pkts = bench->conn.delivered_pkts,
		.prior_ns = bench->conn.delivered_ns,
		.acked_sacked_pkts = pkts,
		.acked_pkts = pkts,
		.prior_inflight_pkts = bench->conn.inflight_pkts + pkts,
		.tx_in_flight_pkts = bench->conn.inflight_pkts + pkts,
		.rtt_us = (int32_t)interval_us,
	};

	bench->ack = ack;
	bench->conn.delivered_pkts += pkts;
	bench->conn.delivered_ns = bench->conn.now_ns;
	bench->control.marks_app_limited = false;
}

/* Makes the ACK one within a round: its packet was sent before it began. */
static inline void bench_same_round(struct bench *bench)
{
	bench->ack.prior_delivered_pkts -= 1u << 20;
}

#endif
