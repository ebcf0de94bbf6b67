/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BBRv1: numbers that Linux's integers give, and the state machine. */
#include "cc_bbr_bench.h"

#include "fullpipe/cc/bbr.h"

#define MS UINT64_C(1000) /* in us */

static void step(struct fp_bbr *bbr, struct bench *bench)
{
	fp_bbr_on_ack(bbr, &bench->conn, &bench->ack, &bench->control);
}

/* One round: interval_us pass, then one ACK of pkts. */
static void round_of(struct fp_bbr *bbr, struct bench *bench, uint32_t pkts,
		     uint32_t interval_us)
{
	bench_pass(bench, interval_us);
	bench_ack(bench, pkts, interval_us);
	step(bbr, bench);
}

static void open_with_rtt(struct fp_bbr *bbr, struct bench *bench,
			  uint32_t rtt_us)
{
	bench_open(bench);
	bench->conn.srtt_us = rtt_us;
	bench->conn.min_rtt_us = rtt_us;
	fp_bbr_init(bbr, &bench->conn, &bench->control);
}

/* 100 packets a 100 ms round until the pipe is full: the first round sets the
 * baseline, three more bring nothing, and with nothing in flight DRAIN is over
 * at once. */
static void to_probe_bw(struct fp_bbr *bbr, struct bench *bench)
{
	open_with_rtt(bbr, bench, 100000);
	for (int i = 0; i < 4; i++)
		round_of(bbr, bench, 100, 100000);
	assert_int_equal(bbr->mode, FP_BBR_PROBE_BW);
}

/* delivered x 2^24 / interval, rounded down. */
static void samples_bandwidth(void **state)
{
	static const struct {
		uint32_t pkts, interval_us, bw;
	} rows[] = {
		{ 863, 100000, 144787 },
		{ 34, 40000, 14260 },
		{ 1, 10000, 1677 },
		{ 86325, 100000, 14482931 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		struct fp_bbr bbr;

		open_with_rtt(&bbr, &bench, rows[i].interval_us);
		round_of(&bbr, &bench, rows[i].pkts, rows[i].interval_us);
		assert_int_equal(fp_minmax_get(&bbr.bw), rows[i].bw);
	}
}

/* 10 x 2^24 / rtt x 1448 x 739 / 256 x 0.99e6 / 2^24, each step rounded down.
 */
static void paces_a_fresh_flow(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	bench_open(&bench);
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 41381651);
	assert_int_equal(bbr.has_seen_rtt, 0);
	open_with_rtt(&bbr, &bench, 100000);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 413638);
	assert_int_equal(bbr.has_seen_rtt, 1);
	/* bw 144787 at STARTUP's gain */
	round_of(&bbr, &bench, 863, 100000);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 35712306);
	/* below 1.2 Mbit/s single packets, else two */
	assert_int_equal(bench.control.min_tso_pkts, 2);
	open_with_rtt(&bbr, &bench, 100000);
	bench.control.cwnd_pkts = 3; /* 413638 x 3 / 10 < 150000 */
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bench.control.min_tso_pkts, 1);
}

/* bw 144787 (863 packets in 100 ms), min_rtt 100 ms: a BDP of 863 (exactly
 * 862.999), 1726 at gain 2 (1725.997). Bursts: 12.4 MB/s >> 10 is 12081 bytes,
 * 8 packets; so 24 more, rounded up to even. */
static void sizes_the_window(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	for (int i = 0; i < 4; i++)
		round_of(&bbr, &bench, 863, 100000);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
	bench.conn.random = UINT32_MAX; /* phase 2 */
	bbr.cycle_idx = 2;
	bbr.cycle_us = bench.conn.now_ns / 1000; /* it just began */
	bench.control.cwnd_pkts = 5000;
	bbr.extra_acked_pkts[0] = 0;
	bbr.extra_acked_pkts[1] = 0;
	bbr.ack_epoch_acked = 0;
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 863, 100000);
	step(&bbr, &bench);
	/* gain 1: 144787 x 1448 x 0.99 */
	assert_int_equal(bbr.pacing_gain_x256, 256);
	assert_in_range(bench.control.pacing_rate_bytes_per_s, 12371245,
			12371331);
	/* one ACK for all of a round is aggregated by all of it: 863 extra, of
	 * which 144787 x 100000 >> 24 = 862 are added */
	assert_int_equal(bbr.extra_acked_pkts[bbr.extra_acked_win_idx], 863);
	assert_int_equal(bench.control.cwnd_pkts, 1726 + 862 + 24);
}

/* STARTUP doubles until three rounds bring less than a quarter more; the
 * application-limited ones do not count. */
static void leaves_startup_on_a_plateau(void **state)
{
	static const uint32_t pkts[] = { 10, 20, 40, 80, 100, 100, 100 };
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	bench.conn.inflight_pkts = 200; /* more than the BDP stays in flight */
	for (size_t i = 0; i < sizeof(pkts) / sizeof(pkts[0]); i++) {
		assert_string_equal(fp_bbr_state_name(&bbr), "startup");
		round_of(&bbr, &bench, pkts[i], 100000);
		assert_int_equal(bbr.pacing_gain_x256, 739);
		assert_int_equal(bbr.cwnd_gain_x256, 739);
	}
	/* 80 -> 100 was a quarter more to the packet: 80 is 13421 bw, 100 is
	 * 16777, and 13421 x 320 >> 8 is 16776. So two rounds without growth.
	 */
	assert_int_equal(bbr.full_bw_cnt, 2);
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 100, 100000);
	bench.ack.is_app_limited = true;
	step(&bbr, &bench);
	assert_int_equal(bbr.full_bw_cnt, 2);
	round_of(&bbr, &bench, 100, 100000);
	assert_string_equal(fp_bbr_state_name(&bbr), "drain");
	assert_int_equal(bbr.pacing_gain_x256, 88);
	assert_int_equal(bbr.cwnd_gain_x256, 739);
	/* for those who look: 100 + 3 x 2, even */
	assert_true(bench.control.ssthresh_pkts != FP_CC_SSTHRESH_NONE);
}

/* The queue is gone when what will be in the network at the next departure is
 * not above the BDP of 100, plus 3 bursts of 2, even: 106. */
static void leaves_drain_when_drained(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	bbr.mode = FP_BBR_DRAIN;
	bbr.pacing_gain_x256 = 88;
	bench.control.pacing_rate_bytes_per_s = 500000;
	bench.conn.inflight_pkts = 107;
	round_of(&bbr, &bench, 100, 100000);
	assert_int_equal(bbr.mode, FP_BBR_DRAIN);
	/* 10 ms until the next departure: 16777 x 10000 >> 24 = 9 packets will
	 * have arrived by then, and 116 - 9 = 107 is too much by one */
	bbr.pacing_gain_x256 = 88;
	bench.control.pacing_rate_bytes_per_s = 500000;
	bench.conn.inflight_pkts = 116;
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 100, 100000);
	bench.conn.edt_ns = bench.conn.now_ns + 10000000;
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_DRAIN);
	bench.control.pacing_rate_bytes_per_s = 500000;
	bench.conn.inflight_pkts = 115;
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 100, 100000);
	bench.conn.edt_ns = bench.conn.now_ns + 10000000;
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
}

/* random x 7 >> 32 stands for 0 … 6; 7 less that and one further is 0 or 2 … 7,
 * so never the phase that drains. */
static void starts_the_cycle_in_a_random_phase(void **state)
{
	static const uint32_t phases[7] = { 0, 7, 6, 5, 4, 3, 2 };

	for (uint32_t i = 0; i < 7; i++) {
		uint32_t first = (uint32_t)(((uint64_t)i << 32) / 7) + (i > 0);
		uint32_t last =
		    (uint32_t)((((uint64_t)i + 1) << 32) / 7 - (i == 6));
		const uint32_t randoms[2] = { first, last };

		for (int k = 0; k < 2; k++) {
			struct bench bench;
			struct fp_bbr bbr;

			open_with_rtt(&bbr, &bench, 100000);
			bench.conn.random = randoms[k];
			for (int n = 0; n < 4; n++)
				round_of(&bbr, &bench, 100, 100000);
			assert_int_equal(bbr.cycle_idx, phases[i]);
		}
	}
}

/* Sets phase and gain as the ACK before left them; the phase just began. */
static void set_phase(struct fp_bbr *bbr, struct bench *bench, uint32_t phase)
{
	bbr->cycle_idx = phase & 7;
	bbr->pacing_gain_x256 = phase == 0 ? 320 : phase == 1 ? 192 : 256;
	bbr->cycle_us = bench->conn.now_ns / 1000;
	bench->control.pacing_rate_bytes_per_s = 500000;
}

/* Cruising: longer than min_rtt, not as long. */
static void cruises_for_a_min_rtt(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	set_phase(&bbr, &bench, 3);
	round_of(&bbr, &bench, 100, 100000);
	assert_int_equal(bbr.cycle_idx, 3);
	assert_string_equal(fp_bbr_state_name(&bbr), "probe_bw_cruise");
	bench_pass(&bench, 1);
	bench_ack(&bench, 1, 100000);
	step(&bbr, &bench);
	assert_int_equal(bbr.cycle_idx, 4);
}

/* Probing: until the flight has risen to 1.25 x 100 + 3 x 2, even, + 2 = 134
 * with the next burst of 2, or a loss; not before a min_rtt has passed. */
static void probes_until_the_flight_has_risen(void **state)
{
	static const struct {
		uint32_t prior_inflight, lost, us, next;
	} rows[] = {
		{ 131, 0, 150000, 0 },
		{ 132, 0, 150000, 1 },
		{ 50, 1, 150000, 1 },
		{ 200, 1, 100000, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		struct fp_bbr bbr;

		to_probe_bw(&bbr, &bench);
		set_phase(&bbr, &bench, 0);
		assert_string_equal(fp_bbr_state_name(&bbr), "probe_bw_up");
		bench_pass(&bench, rows[i].us);
		bench_ack(&bench, 10, 100000);
		bench_same_round(&bench);
		bench.ack.is_app_limited = true; /* no news of bw */
		bench.ack.prior_inflight_pkts = rows[i].prior_inflight;
		bench.ack.newly_lost_pkts = rows[i].lost;
		step(&bbr, &bench);
		assert_int_equal(bbr.cycle_idx, rows[i].next);
	}
}

/* Draining: until the flight is at the BDP, 106 with what the hosts hold, or a
 * min_rtt has passed. */
static void drains_until_the_flight_has_sunk(void **state)
{
	static const struct {
		uint32_t prior_inflight, us, next;
	} rows[] = {
		{ 107, 100000, 1 },
		{ 107, 100001, 2 },
		{ 106, 1, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		struct fp_bbr bbr;

		to_probe_bw(&bbr, &bench);
		set_phase(&bbr, &bench, 1);
		assert_string_equal(fp_bbr_state_name(&bbr), "probe_bw_down");
		bench_pass(&bench, rows[i].us);
		bench_ack(&bench, 10, 100000);
		bench_same_round(&bench);
		bench.ack.is_app_limited = true;
		bench.ack.prior_inflight_pkts = rows[i].prior_inflight;
		step(&bbr, &bench);
		assert_int_equal(bbr.cycle_idx, rows[i].next);
	}
}

/* A minimum of 10 s: then PROBE_RTT, 4 packets for 200 ms and a round, and back
 * to the window from before. */
static void probes_the_rtt(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint32_t cwnd;

	to_probe_bw(&bbr, &bench);
	bench.conn.inflight_pkts = 100;
	for (int i = 0; i < 96; i++) { /* 10 s from the first RTT: not yet */
		round_of(&bbr, &bench, 100, 100001);
		assert_true(bbr.mode != FP_BBR_PROBE_RTT);
	}
	cwnd = bench.control.cwnd_pkts;
	for (int i = 0; bbr.mode != FP_BBR_PROBE_RTT; i++) {
		assert_true(i < 6);
		cwnd = bench.control.cwnd_pkts;
		round_of(&bbr, &bench, 100, 100001);
	}
	assert_int_equal(bench.control.cwnd_pkts, 4);
	assert_true(bench.control.marks_app_limited);
	assert_int_equal(bbr.min_rtt_us, 100001);
	assert_int_equal(bbr.probe_rtt_done_ticks, 0);
	bench.conn.inflight_pkts = 4; /* sunk: the time begins */
	round_of(&bbr, &bench, 4, 100001);
	assert_int_equal(bbr.probe_rtt_done_ticks, bench.conn.now_ticks + 50);
	/* 100 ms: a round is over, the time is not */
	round_of(&bbr, &bench, 4, 100001);
	assert_int_equal(bbr.probe_rtt_round_done, 1);
	assert_string_equal(fp_bbr_state_name(&bbr), "probe_rtt");
	/* 200 ms are not more than 200 ms */
	bench_pass(&bench, 99999);
	bench_ack(&bench, 4, 100001);
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_RTT);
	bench_pass(&bench, 4000);
	bench_ack(&bench, 4, 100001);
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
	assert_true(bench.control.cwnd_pkts >= cwnd);
	assert_int_equal(bbr.min_rtt_ticks, bench.conn.now_ticks);
}

/* A pipe that was never full: back to STARTUP. */
static void returns_to_startup_from_an_early_probe_rtt(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	bench_pass(&bench, 10100 * MS);
	bench_ack(&bench, 4, 200000);
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_RTT);
	round_of(&bbr, &bench, 4, 150000);
	round_of(&bbr, &bench, 4, 150000);
	assert_string_equal(fp_bbr_state_name(&bbr), "startup");
}

/* An ACK that its receiver may have held back does not replace an old RTT, nor
 * does an equal one renew it (Linux 6.18). */
static void keeps_the_least_rtt(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint32_t since;

	to_probe_bw(&bbr, &bench);
	since = bbr.min_rtt_ticks;
	round_of(&bbr, &bench, 10, 100000);
	assert_int_equal(bbr.min_rtt_ticks, since);
	bench_pass(&bench, 10000 * MS);
	bench_ack(&bench, 10, 140000);
	bench.ack.is_ack_delayed = true;
	bench.ack.rtt_us = 140000;
	step(&bbr, &bench);
	assert_int_equal(bbr.min_rtt_us, 100000);
	bench_ack(&bench, 10, 140000);
	step(&bbr, &bench);
	assert_int_equal(bbr.min_rtt_us, 140000);
}

/* Recovery: P for P in its first round, then up to 2 P, and at its end the
 * window from before. */
static void conserves_packets_in_recovery(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint32_t before;

	to_probe_bw(&bbr, &bench);
	set_phase(&bbr, &bench, 4); /* all of the test */
	round_of(&bbr, &bench, 100, 100000);
	before = bench.control.cwnd_pkts;
	fp_bbr_on_congestion(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bbr.prior_cwnd_pkts, before);
	bench.conn.ca_state = FP_CA_RECOVERY;
	bench.conn.inflight_pkts = 50;
	bench_pass(&bench, 10 * MS);
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	bench.ack.newly_lost_pkts = 10;
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 50 + 2);
	/* 48 + 2 is not more; losses come off: 52 - 5 = 47 < 50 */
	bench.conn.inflight_pkts = 48;
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	bench.ack.newly_lost_pkts = 5;
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 48 + 2);
	/* the next round: 50 - 1 + 2 */
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 2, 100000);
	bench.ack.newly_lost_pkts = 1;
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 51);
	bench.conn.ca_state = FP_CA_OPEN;
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, before);
}

/* Losses never take the window below a packet. */
static void survives_losing_more_than_the_window(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	bbr.prev_ca_state = FP_CA_RECOVERY;
	bench.conn.ca_state = FP_CA_RECOVERY;
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	bench.ack.newly_lost_pkts = 1u << 31;
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 4); /* max(1 + 2, 4) */
}

/* One interval of the policer's test: 4 rounds of 100 packets with 30 lost in
 * each. 30 of 100 is more than 50 of 256. */
static void lossy_rounds(struct fp_bbr *bbr, struct bench *bench,
			 uint32_t rounds, uint32_t pkts)
{
	for (uint32_t i = 0; i < rounds; i++) {
		bench_pass(bench, 100 * MS);
		bench_ack(bench, pkts, 100000);
		bench->conn.lost_pkts += 30;
		bench->ack.newly_lost_pkts = 30;
		step(bbr, bench);
	}
}

/* Two intervals with rates within an eighth: policed, at their mean, with a
 * gain of 1, for 48 rounds. */
static void finds_a_policer(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	lossy_rounds(&bbr, &bench, 1, 100); /* the first loss starts it */
	assert_int_equal(bbr.lt_is_sampling, 1);
	/* that loss counts a round, so 3 more end an interval: 300 / 300 ms */
	lossy_rounds(&bbr, &bench, 3, 100);
	assert_int_equal(bbr.lt_bw, 16777);
	assert_int_equal(bbr.lt_use_bw, 0);
	/* 4 rounds of 110: 10 % more, within an eighth; 18454 + 16777 / 2 */
	lossy_rounds(&bbr, &bench, 4, 110);
	assert_int_equal(bbr.lt_use_bw, 1);
	assert_int_equal(bbr.lt_bw, (18454 + 16777) / 2);
	for (int i = 0; i < 47; i++) {
		round_of(&bbr, &bench, 100, 100000);
		assert_string_equal(fp_bbr_state_name(&bbr),
				    "probe_bw_policed");
		assert_int_equal(bbr.pacing_gain_x256, 256);
	}
	round_of(&bbr, &bench, 100, 100000);
	assert_int_equal(bbr.lt_use_bw, 0);
	assert_int_equal(bbr.lt_bw, 0);
	assert_int_equal(bbr.lt_is_sampling, 0);
}

/* Rates that differ by more are two different ones; the application's rate is
 * none. */
static void finds_no_policer_where_none_is(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	lossy_rounds(&bbr, &bench, 4, 100);
	assert_int_equal(bbr.lt_bw, 16777);
	lossy_rounds(&bbr, &bench, 4, 120);
	assert_int_equal(bbr.lt_use_bw, 0);
	assert_int_equal(bbr.lt_bw, 20132); /* 480 / 400 ms */
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 100, 100000);
	bench.ack.is_app_limited = true;
	step(&bbr, &bench);
	assert_int_equal(bbr.lt_is_sampling, 0);
	assert_int_equal(bbr.lt_bw, 0);
}

/* An interval without enough loss goes on, up to 16 rounds. */
static void gives_up_a_policer_after_16_rounds(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	lossy_rounds(&bbr, &bench, 1, 1000);
	for (int i = 0; i < 15; i++) {
		round_of(&bbr, &bench, 1000, 100000);
		assert_int_equal(bbr.lt_is_sampling, 1);
	}
	round_of(&bbr, &bench, 1000, 100000);
	assert_int_equal(bbr.lt_is_sampling, 0);
}

/* What is added for aggregation is at most 100 ms of bw, and nothing before the
 * pipe was full. */
static void caps_what_aggregation_adds(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	bbr.extra_acked_pkts[0] = 5000;
	bbr.extra_acked_pkts[1] = 0;
	set_phase(&bbr, &bench, 4);
	bench.control.cwnd_pkts = 10000;
	bench_ack(&bench, 1, 100000);
	bench_same_round(&bench);
	bench.ack.is_app_limited = true;
	step(&bbr, &bench);
	/* 2 x 100 + 16777 x 100000 >> 24 = 99, + 3 x 2, even: 306 */
	assert_int_equal(bench.control.cwnd_pkts, 306);
}

/* What a transport would see with counters and clocks that begin anywhere. */
static void run_from(struct bench *bench, uint32_t delivered, uint32_t ticks,
		     struct fp_bbr *bbr)
{
	bench_open(bench);
	bench->conn.srtt_us = 100000;
	bench->conn.min_rtt_us = 100000;
	bench->conn.delivered_pkts = delivered;
	bench->conn.lost_pkts = delivered;
	bench->conn.now_ticks += ticks;
	fp_bbr_init(bbr, &bench->conn, &bench->control);
	for (int i = 0; i < 300; i++) {
		uint32_t pkts = i < 5 ? 10u << i : 160;

		bench_pass(bench, 100 * MS);
		bench->conn.now_ticks += ticks;
		bench_ack(bench, pkts, 100000 + (i > 4 ? 1 : 0));
		if (i % 7 == 0) {
			bench->conn.lost_pkts += 2;
			bench->ack.newly_lost_pkts = 2;
		}
		step(bbr, bench);
		/* keep out of the first windows, where few are delivered */
	}
}

/* Counters and ticks wrap without a trace. delivered_pkts below 10 means "just
 * begun" to Linux, so none of these begins there. */
static void wraps_without_a_trace(void **state)
{
	static const uint32_t origins[] = { 0x7fffff80, 0xffffff80, 0x7fffffff,
					    0xfffffff5 };
	struct bench first, other;
	struct fp_bbr expected, bbr;

	run_from(&first, 1000, 0, &expected);
	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
		run_from(&other, origins[i], origins[i], &bbr);
		assert_int_equal(other.control.cwnd_pkts,
				 first.control.cwnd_pkts);
		assert_int_equal(other.control.pacing_rate_bytes_per_s,
				 first.control.pacing_rate_bytes_per_s);
		assert_int_equal(bbr.mode, expected.mode);
		assert_int_equal(bbr.rtt_cnt, expected.rtt_cnt);
		assert_int_equal(bbr.cycle_idx, expected.cycle_idx);
	}
}

/* ACKs of any size, RTTs that are none: the window stays within its bounds, the
 * rate is never 0. */
static void survives_odd_acks(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 45, 10000 };
	static const int32_t rtts[] = { 1, 0, -1, INT32_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t k = 0; k < sizeof(rtts) / sizeof(rtts[0]); k++) {
			struct bench bench;
			struct fp_bbr bbr;

			to_probe_bw(&bbr, &bench);
			bench.conn.cwnd_clamp_pkts = 5000;
			for (int n = 0; n < 20; n++) {
				bench_pass(&bench, 1000);
				bench_ack(&bench, sizes[i], 1000);
				bench.ack.rtt_us = rtts[k];
				step(&bbr, &bench);
				assert_in_range(bench.control.cwnd_pkts, 4,
						5000);
				assert_true(
				    bench.control.pacing_rate_bytes_per_s > 0);
			}
			if (rtts[k] < 0) /* no RTT is no RTT */
				assert_int_equal(bbr.min_rtt_us, 100000);
		}
}

/* The rate is in bytes: another MSS changes it at once. */
static void follows_the_mss(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint64_t rate;

	to_probe_bw(&bbr, &bench);
	set_phase(&bbr, &bench, 5);
	bench_ack(&bench, 10, 100000);
	bench_same_round(&bench);
	step(&bbr, &bench);
	rate = bench.control.pacing_rate_bytes_per_s;
	bench.conn.mss_bytes = BENCH_MSS_BYTES / 2;
	bench_ack(&bench, 10, 100000);
	bench_same_round(&bench);
	step(&bbr, &bench);
	assert_in_range(bench.control.pacing_rate_bytes_per_s, rate / 2 - 1,
			rate / 2 + 1);
}

/* Chosen on a connection that runs: it starts from what the connection knows
 * and leaves the window alone. */
static void starts_on_an_established_connection(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	bench_open(&bench);
	bench.conn.srtt_us = 50000;
	bench.conn.min_rtt_us = 40000;
	bench.conn.delivered_pkts = 123456;
	bench.conn.delivered_ns = bench.conn.now_ns - 1000000;
	bench.control.cwnd_pkts = 321;
	bench.control.ssthresh_pkts = 200;
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bench.control.cwnd_pkts, 321);
	assert_int_equal(bench.control.ssthresh_pkts, FP_CC_SSTHRESH_NONE);
	assert_int_equal(bbr.min_rtt_us, 40000);
	assert_int_equal(bbr.next_rtt_delivered, 123456);
	/* 321 / 50 ms x 1448 x 2.887 x 0.99 = 26.6 MB/s */
	assert_in_range(bench.control.pacing_rate_bytes_per_s, 26500000,
			26600000);
	/* a packet that was sent before is no round */
	bench_ack(&bench, 10, 40000);
	bench.ack.prior_delivered_pkts = 123455;
	step(&bbr, &bench);
	assert_int_equal(bbr.rtt_cnt, 0);
}

/* The best of 10 rounds: the eleventh round after it brings what came after. */
static void remembers_bandwidth_for_10_rounds(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	for (int i = 0; i < 10; i++) {
		round_of(&bbr, &bench, 50, 100000);
		assert_int_equal(fp_minmax_get(&bbr.bw), 16777);
	}
	round_of(&bbr, &bench, 50, 100000);
	assert_int_equal(fp_minmax_get(&bbr.bw), 8388);
}

/* Aggregation is remembered for 5 to 10 rounds, in two windows of 5. */
static void remembers_aggregation_for_two_windows(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	int rounds = 0;

	to_probe_bw(&bbr, &bench);
	bbr.extra_acked_win_rtts = 0;
	bbr.extra_acked_win_idx = 0;
	bbr.extra_acked_pkts[0] = 500;
	bbr.extra_acked_pkts[1] = 0;
	bench_pass(&bench, 60000 * MS);
	bbr.min_rtt_ticks = bench.conn.now_ticks;
	while (bbr.extra_acked_pkts[0] == 500) {
		bench_pass(&bench, 200 * MS); /* less than bw */
		bench_ack(&bench, 10, 100000);
		bench.ack.rtt_us = -1;
		step(&bbr, &bench);
		rounds++;
	}
	assert_int_equal(rounds, 10);
}

/* Idle for longer than a least RTT holds: the path was empty, PROBE_RTT would
 * show no more. It counts until something arrives. */
static void skips_probe_rtt_after_idle_time(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	bench.conn.app_limited_pkts = 1;
	bench_pass(&bench, 11000 * MS);
	fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START, &bench.control);
	assert_int_equal(bbr.idle_restart, 1);
	assert_int_equal(bbr.ack_epoch_us, bench.conn.now_ns / 1000);
	bench_ack(&bench, 0, 100000);
	bench.ack.rtt_us = -1;
	step(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
	assert_int_equal(bbr.idle_restart, 1);
	round_of(&bbr, &bench, 10, 120000);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
	assert_int_equal(bbr.idle_restart, 0);
	assert_int_equal(bbr.min_rtt_us, 120000);
}

/* Without a mark of the application nothing was idle. */
static void a_busy_flow_does_not_restart(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START, &bench.control);
	assert_int_equal(bbr.idle_restart, 0);
}

/* A timeout ends a round, counts as one loss for the policer's test, and lets
 * the search for a full pipe begin anew. */
static void a_timeout_begins_anew(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	round_of(&bbr, &bench, 100, 100000);
	assert_int_equal(bbr.full_bw, 16777);
	bbr.round_start = 0;
	fp_bbr_on_state(&bbr, &bench.conn, FP_CA_RECOVERY, &bench.control);
	assert_int_equal(bbr.full_bw, 16777);
	fp_bbr_on_state(&bbr, &bench.conn, FP_CA_LOSS, &bench.control);
	assert_int_equal(bbr.full_bw, 0);
	assert_int_equal(bbr.round_start, 1);
	assert_int_equal(bbr.prev_ca_state, FP_CA_LOSS);
	assert_int_equal(bbr.lt_is_sampling, 1);
	assert_int_equal(bbr.lt_rtt_cnt, 1);
}

/* Until an initial window has arrived the target says too little: 10 + 5, then
 * 14 stay above a target of 10 (no bandwidth yet: 6, and 3 bursts of 2, even).
 */
static void grows_freely_at_first(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	bench.control.cwnd_pkts = 500;
	bench_ack(&bench, 5, 100000);
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 505);
	bench_ack(&bench, 5, 100000); /* the tenth */
	step(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, 505);
}

/* Aggregation adds nothing before the pipe was full. */
static void adds_nothing_in_startup(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	open_with_rtt(&bbr, &bench, 100000);
	round_of(&bbr, &bench, 50, 100000);
	bbr.extra_acked_pkts[0] = 40;
	bench.control.cwnd_pkts = 160;
	bench_ack(&bench, 1, 100000);
	bench_same_round(&bench);
	bench.ack.is_app_limited = true;
	step(&bbr, &bench);
	/* the target is 2.887 x 50 = 145, and 6, even: 152; with 40 more it
	 * would be above the window, which would grow */
	assert_int_equal(bench.control.cwnd_pkts, 160);
}

/* Fast recovery begins a round: what was sent before it ends none. */
static void recovery_begins_a_round(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint32_t sent;

	to_probe_bw(&bbr, &bench);
	sent = bench.conn.delivered_pkts;
	bench.conn.ca_state = FP_CA_RECOVERY;
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	step(&bbr, &bench);
	assert_int_equal(bbr.packet_conservation, 1);
	bench_ack(&bench, 2, 100000);
	bench.ack.prior_delivered_pkts = sent + 1;
	step(&bbr, &bench);
	assert_int_equal(bbr.packet_conservation, 1);
	bench_ack(&bench, 2, 100000);
	step(&bbr, &bench);
	assert_int_equal(bbr.packet_conservation, 0);
}

/* An idle flow begins its count of aggregated ACKs anew, and its round in
 * PROBE_RTT with the flight that has sunk. */
static void begins_counts_anew(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw(&bbr, &bench);
	bbr.ack_epoch_acked = 100;
	bench.conn.app_limited_pkts = 1;
	fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START, &bench.control);
	assert_int_equal(bbr.ack_epoch_acked, 0);
	bbr.mode = FP_BBR_PROBE_RTT;
	bbr.probe_rtt_done_ticks = 0;
	bbr.probe_rtt_round_done = 1; /* of the last one */
	bench_ack(&bench, 1, 100000);
	step(&bbr, &bench);
	assert_true(bbr.probe_rtt_done_ticks != 0);
	assert_int_equal(bbr.probe_rtt_round_done, 0);
	assert_int_equal(bbr.next_rtt_delivered, bench.conn.delivered_pkts);
}

/* The RTT of the path doubles: the old least holds for 10 s, PROBE_RTT follows,
 * then the new one. It halves: at once. */
static void follows_an_rtt_that_changes(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	uint32_t rounds = 0;

	to_probe_bw(&bbr, &bench);
	while (bbr.min_rtt_us == 100000) {
		round_of(&bbr, &bench, 200, 200000);
		rounds++;
	}
	/* 10.0 s less the 0.4 s of the start, in rounds of 0.2 s */
	assert_in_range(rounds, 48, 50);
	assert_int_equal(bbr.min_rtt_us, 200000);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_RTT);
	round_of(&bbr, &bench, 4, 50000);
	assert_int_equal(bbr.min_rtt_us, 50000);
}

static void tells_its_model(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct fp_bbr_model model;

	to_probe_bw(&bbr, &bench);
	fp_bbr_get_model(&bbr, &bench.conn, &model);
	/* 16777 x 1448 x 10^6 / 2^24 = 1447983.0 */
	assert_int_equal(model.bw_bytes_per_s, 1447981);
	assert_int_equal(model.min_rtt_us, 100000);
	assert_int_equal(model.cwnd_gain_x256, 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_bandwidth),
		cmocka_unit_test(paces_a_fresh_flow),
		cmocka_unit_test(sizes_the_window),
		cmocka_unit_test(leaves_startup_on_a_plateau),
		cmocka_unit_test(leaves_drain_when_drained),
		cmocka_unit_test(starts_the_cycle_in_a_random_phase),
		cmocka_unit_test(cruises_for_a_min_rtt),
		cmocka_unit_test(probes_until_the_flight_has_risen),
		cmocka_unit_test(drains_until_the_flight_has_sunk),
		cmocka_unit_test(probes_the_rtt),
		cmocka_unit_test(returns_to_startup_from_an_early_probe_rtt),
		cmocka_unit_test(keeps_the_least_rtt),
		cmocka_unit_test(conserves_packets_in_recovery),
		cmocka_unit_test(survives_losing_more_than_the_window),
		cmocka_unit_test(finds_a_policer),
		cmocka_unit_test(finds_no_policer_where_none_is),
		cmocka_unit_test(gives_up_a_policer_after_16_rounds),
		cmocka_unit_test(caps_what_aggregation_adds),
		cmocka_unit_test(wraps_without_a_trace),
		cmocka_unit_test(survives_odd_acks),
		cmocka_unit_test(follows_the_mss),
		cmocka_unit_test(starts_on_an_established_connection),
		cmocka_unit_test(remembers_bandwidth_for_10_rounds),
		cmocka_unit_test(remembers_aggregation_for_two_windows),
		cmocka_unit_test(skips_probe_rtt_after_idle_time),
		cmocka_unit_test(a_busy_flow_does_not_restart),
		cmocka_unit_test(a_timeout_begins_anew),
		cmocka_unit_test(grows_freely_at_first),
		cmocka_unit_test(adds_nothing_in_startup),
		cmocka_unit_test(recovery_begins_a_round),
		cmocka_unit_test(begins_counts_anew),
		cmocka_unit_test(follows_an_rtt_that_changes),
		cmocka_unit_test(tells_its_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
