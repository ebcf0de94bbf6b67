/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_CC_BBR3_BENCH_H
#define TESTS_UNIT_CC_BBR3_BENCH_H

/* A connection with BBRv3, and ways into its states. */
#include "cc_bbr_bench.h"

#include "cc/bbr3_internal.h"

#define MS UINT64_C(1000) /* in us */

struct bench3 {
	struct bench bench;
	struct fp_bbr3 bbr;
};

static inline void open3(struct bench3 *b, uint32_t switches)
{
	const struct fp_bbr3_config config = { .switches = switches };

	bench_open(&b->bench);
	b->bench.conn.srtt_us = 100000;
	b->bench.conn.min_rtt_us = 100000;
	fp_bbr3_init(&b->bbr, &config, &b->bench.conn, &b->bench.control);
}

/* The context that the parts of BBRv3 share, for calls into one of them. */
static inline struct bbr3_call *call3(struct bench3 *b, struct bbr3_call *call)
{
	call->bbr = &b->bbr;
	call->conn = &b->bench.conn;
	call->ack = &b->bench.ack;
	call->control = &b->bench.control;
	call->now_us = b->bench.conn.now_ns / 1000;
	call->unit =
	    b->bbr.switches & FP_BBR3_BYTES ? b->bench.conn.mss_bytes : 1;
	call->sample_bw = 0;
	return call;
}

static inline void step3(struct bench3 *b)
{
	fp_bbr3_on_ack(&b->bbr, &b->bench.conn, &b->bench.ack,
		       &b->bench.control);
}

/* One round: interval_us pass, then one ACK of pkts. */
static inline void round3(struct bench3 *b, uint32_t pkts, uint32_t interval_us)
{
	bench_pass(&b->bench, interval_us);
	bench_ack(&b->bench, pkts, interval_us);
	step3(b);
}

static inline void assert_state3(const struct bench3 *b, const char *name)
{
	assert_string_equal(fp_bbr3_state_name(&b->bbr), name);
}

/* 100 packets a 100 ms round: the first sets the baseline, three bring nothing.
 * With nothing in flight DRAIN is over at once, and DOWN with the next ACK (as
 * long as the gain is STARTUP's, Google counts a burst more). bw is 100 x 2^24
 * / 100000, rounded up, 16778; the BDP 101 packets. */
static inline void to_cruise3(struct bench3 *b, uint32_t switches)
{
	open3(b, switches);
	for (int i = 0; i < 4; i++)
		round3(b, 100, 100000);
	bench_ack(&b->bench, 1, 100000);
	bench_same_round(&b->bench);
	b->bench.ack.is_app_limited = true;
	step3(b);
	assert_state3(b, "probe_bw_cruise");
}

/* 3 s later a probe is due, whatever was drawn; a round later it begins. */
static inline void to_refill3(struct bench3 *b, uint32_t switches)
{
	to_cruise3(b, switches);
	bench_pass(&b->bench, 3001 * MS);
	bench_ack(&b->bench, 1, 100000);
	b->bench.ack.is_app_limited = true;
	step3(b);
	assert_state3(b, "probe_bw_refill");
}

static inline void to_up3(struct bench3 *b, uint32_t switches)
{
	to_refill3(b, switches);
	round3(b, 100, 100000);
	assert_state3(b, "probe_bw_up");
}

/* A packet of the probe that is given up, one of "lost" of a flight of
 * "inflight" packets. */
static inline void lose3(struct bench3 *b, uint32_t inflight, uint32_t lost)
{
	const struct fp_cc_lost packet = {
		.pkts = 1,
		.tx_in_flight_pkts = inflight,
		.lost_since_pkts = lost,
	};

	b->bench.conn.lost_pkts++;
	fp_bbr3_on_lost(&b->bbr, &b->bench.conn, &packet, &b->bench.control);
}

#endif
