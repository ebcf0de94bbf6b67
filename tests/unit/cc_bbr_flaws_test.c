/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mistakes that other implementations of BBR have made, each as a test of ours.
 * Where a sampler or a transport made it, cc_rate_test.c and sim_bbr_test.c
 * have the test: the packet that a burst is sampled by (b253a0680cea in Linux),
 * intervals shorter than the RTT (cloudflare 3cce183a, a56ec1ec), packets both
 * lost and delivered (quiche c0963a87f), pacing taken for a limit of the
 * application (ngtcp2 b1b944ba).
 */
#include "cc_bbr3_bench.h"

#include "fullpipe/cc/bbr.h"

static void step1(struct fp_bbr *bbr, struct bench *bench)
{
	fp_bbr_on_ack(bbr, &bench->conn, &bench->ack, &bench->control);
}

/* BBRv1 in PROBE_BW: 100 packets a 100 ms round, nothing in flight. */
static void to_probe_bw1(struct fp_bbr *bbr, struct bench *bench)
{
	bench_open(bench);
	bench->conn.srtt_us = 100000;
	bench->conn.min_rtt_us = 100000;
	fp_bbr_init(bbr, &bench->conn, &bench->control);
	for (int i = 0; i < 4; i++) {
		bench_pass(bench, 100 * MS);
		bench_ack(bench, 100, 100000);
		step1(bbr, bench);
	}
	assert_int_equal(bbr->mode, FP_BBR_PROBE_BW);
}

/* Linux 5490b32dce69: a flow that went idle in PROBE_RTT stayed in it, with its
 * window of 4, since only ACKs looked for its end. */
static void probe_rtt_ends_when_an_idle_flow_sends(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	bbr.mode = FP_BBR_PROBE_RTT;
	bbr.prior_cwnd_pkts = 200;
	bbr.probe_rtt_done_ticks = bench.conn.now_ticks + 50;
	bench.control.cwnd_pkts = 4;
	bench.conn.app_limited_pkts = 1;
	bench_pass(&bench, 200 * MS); /* not more than 200 ms */
	fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START, &bench.control);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_RTT);
	bench_pass(&bench, 4000);
	fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START, &bench.control);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_BW);
	assert_int_equal(bench.control.cwnd_pkts, 200);

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.state = FP_BBR3_PROBE_RTT;
	b.bbr.prior_cwnd_pkts = 200;
	b.bbr.probe_rtt_done_ticks = b.bench.conn.now_ticks + 50;
	b.bench.control.cwnd_pkts = 4;
	b.bench.conn.app_limited_pkts = 1;
	bench_pass(&b.bench, 204000);
	fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TX_START,
			 &b.bench.control);
	assert_state3(&b, "probe_bw_cruise");
	assert_int_equal(b.bench.control.cwnd_pkts, 200);
}

/* Linux fb9988622429, 12a7f8696b85: an ACK that delivers nothing left the
 * window of PROBE_RTT uncapped. */
static void probe_rtt_caps_at_an_ack_of_nothing(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	bench.conn.inflight_pkts = 100;
	bench_pass(&bench, 10100 * MS);
	bench_ack(&bench, 0, 100000);
	bench.ack.delivered_pkts = -1;
	bench.ack.interval_us = -1;
	bench.ack.rtt_us = -1;
	step1(&bbr, &bench);
	assert_int_equal(bbr.mode, FP_BBR_PROBE_RTT);
	assert_int_equal(bench.control.cwnd_pkts, 4);

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.conn.inflight_pkts = 100;
	b.bench.control.cwnd_pkts = 200;
	bench_pass(&b.bench, 5100 * MS);
	b.bbr.cycle_us = b.bench.conn.now_ns / 1000;
	bench_ack(&b.bench, 0, 100000);
	b.bench.ack.delivered_pkts = -1;
	b.bench.ack.interval_us = -1;
	b.bench.ack.rtt_us = -1;
	step3(&b);
	assert_state3(&b, "probe_rtt");
	assert_int_equal(b.bench.control.cwnd_pkts, 51); /* half of 101 */
}

/* Linux 32984565574d: the rate of the nominal 1 ms stayed for all of the first
 * flight, since STARTUP never slows down. 10 packets / 100 ms at 2.887 and
 * 2.773 are 413638 and 397406 bytes a second. */
static void a_real_rtt_replaces_the_nominal_one(void **state)
{
	const struct fp_bbr3_config config = { .switches = FP_BBR3_GOOGLE };
	struct bench bench;
	struct fp_bbr bbr;
	struct fp_bbr3 bbr3;

	bench_open(&bench);
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	bench.conn.srtt_us = 100000;
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 1, 100000);
	step1(&bbr, &bench);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 413638);

	bench_open(&bench);
	fp_bbr3_init(&bbr3, &config, &bench.conn, &bench.control);
	bench.conn.srtt_us = 100000;
	bench_pass(&bench, 100 * MS);
	bench_ack(&bench, 1, 100000);
	fp_bbr3_on_ack(&bbr3, &bench.conn, &bench.ack, &bench.control);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 397406);
}

/* Linux 1d3648eb5d1f: a rate that was 0 for a moment. One packet of one byte an
 * hour is slower than a byte a second. */
static void the_pacing_rate_is_never_zero(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;
	struct bbr3_call call;

	to_probe_bw1(&bbr, &bench);
	bench.conn.mss_bytes = 1;
	(void)fp_minmax_reset(&bbr.bw, bbr.rtt_cnt, 1);
	bench_ack(&bench, 0, 100000);
	bench.ack.interval_us = -1;
	step1(&bbr, &bench);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 1);
	bench.conn.max_pacing_rate_bytes_per_s = 0;
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bench.control.pacing_rate_bytes_per_s, 1);

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.conn.mss_bytes = 1;
	b.bbr.max_bw_filter[0] = 0;
	b.bbr.max_bw_filter[1] = 0;
	bbr3__set_pacing_rate_with_gain(call3(&b, &call), BBR3_ONE);
	assert_int_equal(b.bench.control.pacing_rate_bytes_per_s, 1);
}

/* Linux 3aff3b4b986e: the gain went on cycling while the flow was policed, and
 * what was above the policer's rate was dropped. */
static void a_policed_flow_does_not_probe(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;

	to_probe_bw1(&bbr, &bench);
	bbr.lt_use_bw = 1;
	bbr.lt_bw = 8000;
	for (uint32_t phase = 0; phase < 8; phase++) {
		bbr.cycle_idx = phase & 7;
		bench_ack(&bench, 1, 100000);
		bench_same_round(&bench);
		step1(&bbr, &bench);
		assert_int_equal(bbr.pacing_gain_x256, 256);
	}
}

/* Linux 600647d467c6, b25b3e2fd9ca: a loss that was none left its traces in the
 * search for a full pipe and for a policer. */
static void a_spurious_loss_leaves_no_trace(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	bbr.full_bw_reached = 0;
	bbr.full_bw_cnt = 2;
	bbr.lt_is_sampling = 1;
	bbr.lt_use_bw = 1;
	bbr.lt_bw = 1000;
	fp_bbr_on_undo(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bbr.full_bw, 0);
	assert_int_equal(bbr.full_bw_cnt, 0);
	assert_int_equal(bbr.lt_is_sampling, 0);
	assert_int_equal(bbr.lt_use_bw, 0);
	assert_int_equal(bbr.lt_bw, 0);

	open3(&b, FP_BBR3_GOOGLE);
	b.bbr.full_bw = 1000;
	b.bbr.full_bw_count = 2;
	fp_bbr3_on_undo(&b.bbr, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bbr.full_bw, 0);
	assert_int_equal(b.bbr.full_bw_count, 0);
}

/* ngtcp2 98993595, draft 7495597: growth was tested at every ACK, and counted
 * once a round, so the first round after a new baseline was only a part of one.
 * Google still does so. 110 in the middle of a round that begins at 80 (1.375):
 * in the draft the next full round at 105 is the new baseline (80 -> 105
 * is 1.31), in Google's it is the first without growth. */
static void growth_is_counted_in_whole_rounds(void **state)
{
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	for (uint32_t i = 0; i < 2; i++) {
		struct bench3 b;

		open3(&b, profiles[i]);
		b.bench.conn.inflight_pkts = 1000;
		round3(&b, 80, 100000);
		bench_ack(&b.bench, 110, 100000);
		bench_same_round(&b.bench);
		step3(&b);
		round3(&b, 105, 100000);
		assert_int_equal(b.bbr.full_bw_count, i ? 0 : 1);
	}
}

/* ngtcp2 9522857a: an ACK cut the bound that its lost packets had cut already.
 * Whatever the profile, one probe cuts once. */
static void a_probe_cuts_its_bound_once(void **state)
{
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	for (uint32_t i = 0; i < 2; i++) {
		struct bench3 b;
		uint32_t bound;

		to_up3(&b, profiles[i]);
		b.bench.control.cwnd_pkts = 300;
		lose3(&b, 200, 20);
		bound = b.bbr.inflight_longterm;
		assert_true(bound < FP_BBR3_NONE);
		for (uint32_t lost = 21; lost < 60; lost++)
			lose3(&b, 100, lost);
		bench_ack(&b.bench, 10, 100000);
		bench_same_round(&b.bench);
		b.bench.ack.newly_lost_pkts = 40;
		b.bench.ack.lost_pkts = 60;
		b.bench.ack.tx_in_flight_pkts = 100;
		step3(&b);
		assert_int_equal(b.bbr.inflight_longterm, bound);
	}
}

/* ngtcp2 a24234f0: the hook for idle time looked at the flight after the packet
 * had been counted, and never saw an idle one. Ours does not look at it. */
static void a_restart_does_not_depend_on_the_flight(void **state)
{
	for (uint32_t inflight = 0; inflight < 2; inflight++) {
		struct bench bench;
		struct fp_bbr bbr;
		struct bench3 b;

		to_probe_bw1(&bbr, &bench);
		bench.conn.app_limited_pkts = 1;
		bench.conn.inflight_pkts = inflight;
		fp_bbr_on_event(&bbr, &bench.conn, FP_CC_TX_START,
				&bench.control);
		assert_int_equal(bbr.idle_restart, 1);

		to_cruise3(&b, FP_BBR3_DRAFT);
		b.bench.conn.app_limited_pkts = 1;
		b.bench.conn.inflight_pkts = inflight;
		fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TX_START,
				 &b.bench.control);
		assert_int_equal(b.bbr.idle_restart, 1);
	}
}

/* ngtcp2 137f02df, ns-3 #735: samples that are none (a sampler that began anew,
 * no snapshot) were told from others by a rate of 0. Those change nothing; one
 * that delivered nothing in some time is a sample. */
static void a_sample_that_is_none_changes_nothing(void **state)
{
	static const int32_t rows[][2] = {
		{ -1, -1 }, { -50, 100000 }, { 50, 0 }, { 50, -1 }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		struct fp_bbr bbr;
		struct bench3 b;
		uint32_t rounds, bw;

		to_probe_bw1(&bbr, &bench);
		rounds = bbr.rtt_cnt;
		bw = fp_minmax_get(&bbr.bw);
		bench_ack(&bench, 50, 100000);
		bench.ack.delivered_pkts = rows[i][0];
		bench.ack.interval_us = rows[i][1];
		step1(&bbr, &bench);
		assert_int_equal(bbr.rtt_cnt, rounds);
		assert_int_equal(fp_minmax_get(&bbr.bw), bw);

		to_cruise3(&b, FP_BBR3_GOOGLE);
		bw = bbr3_max_bw(&b.bbr);
		bench_ack(&b.bench, 50, 100000);
		b.bench.ack.delivered_pkts = rows[i][0];
		b.bench.ack.interval_us = rows[i][1];
		step3(&b);
		assert_int_equal(bbr3_max_bw(&b.bbr), bw);
	}
	{
		struct bench bench;
		struct fp_bbr bbr;
		uint32_t rounds;

		to_probe_bw1(&bbr, &bench);
		rounds = bbr.rtt_cnt;
		bench_ack(&bench, 0, 100000);
		step1(&bbr, &bench);
		assert_int_equal(bbr.rtt_cnt, rounds + 1);
	}
}

/* ngtcp2 ba2e5f01: a BDP that overflowed. The widest link with the longest path
 * gives the largest window that there is. */
static void the_bdp_does_not_overflow(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;
	struct bbr3_call call;

	to_probe_bw1(&bbr, &bench);
	(void)fp_minmax_reset(&bbr.bw, bbr.rtt_cnt, UINT32_MAX);
	bbr.min_rtt_us = UINT32_MAX - 1;
	bench.control.cwnd_pkts = FP_CC_CWND_MAX_PKTS;
	bench_ack(&bench, 1, 100000);
	bench.ack.rtt_us = -1;
	step1(&bbr, &bench);
	assert_int_equal(bench.control.cwnd_pkts, FP_CC_CWND_MAX_PKTS);
	/* 2^32 bw are 256 packets a us: 370 GB/s */
	assert_true(bench.control.pacing_rate_bytes_per_s >= 360000000000u);

	for (uint32_t i = 0; i < 2; i++) {
		to_cruise3(&b, i ? FP_BBR3_DRAFT : FP_BBR3_GOOGLE);
		b.bbr.min_rtt_us = UINT32_MAX - 1;
		call3(&b, &call);
		assert_int_equal(
		    bbr3__bdp_multiple(&call, UINT32_MAX, BBR3_ONE * 9 / 4),
		    FP_BBR3_NONE - 1);
		b.bbr.max_bw_filter[0] = UINT32_MAX;
		b.bench.control.cwnd_pkts = FP_CC_CWND_MAX_PKTS;
		bench_ack(&b.bench, 1, 100000);
		b.bench.ack.rtt_us = -1;
		step3(&b);
		/* 4 GB of 1448 bytes; or all */
		assert_in_range(b.bench.control.cwnd_pkts, 2966000,
				FP_CC_CWND_MAX_PKTS);
	}
}

/* cloudflare 3cce183a, 884fa0b9: rounds that the application limited, and ACKs
 * without a sample, were counted as rounds without growth. */
static void only_limited_rounds_are_no_plateau(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	bench_open(&bench);
	bench.conn.srtt_us = bench.conn.min_rtt_us = 100000;
	fp_bbr_init(&bbr, &bench.conn, &bench.control);
	for (int i = 0; i < 20; i++) {
		bench_pass(&bench, 100 * MS);
		bench_ack(&bench, 100, 100000);
		bench.ack.is_app_limited = i > 0;
		step1(&bbr, &bench);
	}
	assert_int_equal(bbr.mode, FP_BBR_STARTUP);
	for (uint32_t k = 0; k < 2; k++) {
		struct bench3 b;

		open3(&b, profiles[k]);
		for (int i = 0; i < 20; i++) {
			bench_pass(&b.bench, 100 * MS);
			bench_ack(&b.bench, 100, 100000);
			if (i % 2 == 1)
				b.bench.ack.interval_us = -1;
			else
				b.bench.ack.is_app_limited = i > 0;
			step3(&b);
		}
		assert_state3(&b, "startup");
		assert_int_equal(b.bbr.full_bw_count, 0);
	}
}

/* google/quiche a8fc39f2d, c2b0c85ec: an RTT that is negative is none; 0 is a
 * value like others for what has a least (as in Linux). */
static void an_rtt_below_zero_is_none(void **state)
{
	static const int32_t rtts[] = { -1, INT32_MIN };

	for (size_t i = 0; i < 2; i++) {
		struct bench bench;
		struct fp_bbr bbr;
		struct bench3 b;

		to_probe_bw1(&bbr, &bench);
		bench_pass(&bench, 10100 * MS); /* the least is too old */
		bench_ack(&bench, 10, 100000);
		bench.ack.rtt_us = rtts[i];
		step1(&bbr, &bench);
		assert_int_equal(bbr.min_rtt_us, 100000);

		to_cruise3(&b, FP_BBR3_DRAFT);
		bench_pass(&b.bench, 10100 * MS);
		bench_ack(&b.bench, 10, 100000);
		b.bench.ack.rtt_us = rtts[i];
		step3(&b);
		assert_int_equal(b.bbr.min_rtt_us, 100000);
	}
}

/* mvfst a76144e18: the epoch of aggregation was not begun anew, and what had
 * once been ahead of the link added to the window for ever. ACKs of 10 packets
 * each 11 ms, on a link that would deliver 10.99: each begins an epoch of its
 * own, of 10 packets (11 when bw is 10 per 11 ms, rounded down), once a second
 * without any has ended the epoch before; 10 rounds on nothing else is
 * remembered. */
static void steady_acks_are_not_aggregated(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	to_cruise3(&b, FP_BBR3_GOOGLE);
	assert_true(bbr.extra_acked_pkts[0] >= 100); /* of their start */
	bench_pass(&bench, 1000 * MS);
	bench_pass(&b.bench, 1000 * MS);
	for (int i = 0; i < 20; i++) {
		bench_pass(&bench, 11 * MS);
		bench_ack(&bench, 10, 11000);
		step1(&bbr, &bench);
		bench_pass(&b.bench, 11 * MS);
		bench_ack(&b.bench, 10, 11000);
		step3(&b);
	}
	assert_in_range(bbr.extra_acked_pkts[0], 10, 11);
	assert_in_range(bbr.extra_acked_pkts[1], 10, 11);
	assert_in_range(b.bbr.extra_acked[0], 10, 11);
	assert_in_range(b.bbr.extra_acked[1], 10, 11);
}

/* picoquic at d199d45b: the share was taken of what was in flight less what was
 * lost, so that the bound came out above the flight that had lost too much. Of
 * 1000, 25 lost: 24 before this one, more than 19.5, so nothing of it was safe:
 * 999, not 1018. */
static void the_bound_is_not_above_what_lost_too_much(void **state)
{
	const struct bbr3_flight flight = { .tx_in_flight = 1000, .lost = 25 };
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, FP_BBR3_GOOGLE);
	assert_int_equal(bbr3__inflight_at_loss(call3(&b, &call), &flight, 1),
			 999);
}

/* picoquic 5743ece8: a threshold of 20 %, no bound of 63 rounds, no restart
 * from idle time, headroom of an old draft. */
static void the_constants_are_those_of_version_3(void **state)
{
	static const struct {
		uint32_t profile;
		uint32_t loss_thresh, beta, headroom;
	} rows[] = {
		{ FP_BBR3_GOOGLE, 32000 * 5 / 256, 32000 / 256 * 180,
		  32000 / 256 * 38 },
		{ FP_BBR3_DRAFT, 32000 * 2 / 100, 32000 * 7 / 10,
		  32000 * 15 / 100 },
	};

	for (size_t i = 0; i < 2; i++) {
		struct bench3 b;
		uint32_t rounds = 0;

		open3(&b, rows[i].profile);
		assert_int_equal(b.bbr.constants.loss_thresh,
				 rows[i].loss_thresh);
		assert_int_equal(b.bbr.constants.beta, rows[i].beta);
		assert_int_equal(b.bbr.constants.headroom, rows[i].headroom);
		/* a BDP of 1000 packets, rounds of 10 ms: 63 of them */
		for (int n = 0; n < 4; n++)
			round3(&b, 1000, 10000);
		while (b.bbr.state != FP_BBR3_REFILL && rounds < 300) {
			b.bench.control.cwnd_pkts = 5000;
			round3(&b, 1000, 10000);
			rounds++;
		}
		assert_int_equal(rounds, 63);
	}
}

/* ns-3 #1043: the least RTT came from the smoothed one, which a queue raises;
 * #580, mvfst 979f26a93: no margin of 1 %. */
static void the_least_rtt_is_a_sample(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	bench.conn.srtt_us = 30000;
	bench_ack(&bench, 10, 100000);
	bench.ack.rtt_us = 90000;
	step1(&bbr, &bench);
	assert_int_equal(bbr.min_rtt_us, 90000);

	to_cruise3(&b, FP_BBR3_DRAFT);
	b.bench.conn.srtt_us = 30000;
	bench_ack(&b.bench, 10, 100000);
	b.bench.ack.rtt_us = 90000;
	step3(&b);
	assert_int_equal(b.bbr.min_rtt_us, 90000);
	/* 16778 bw = 1448067.3 bytes a second, 99 % of it are paced */
	assert_int_equal(b.bench.control.pacing_rate_bytes_per_s,
			 1448067 * 99 / 100);
}

/* draft dcce4a8, before it: a probe ended as soon as the flight reached the
 * bound, so that after one loss the flow stayed at its low level for ever. A
 * probe whose flight the bound holds raises it and goes on. */
static void a_probe_goes_beyond_its_bound(void **state)
{
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	for (uint32_t k = 0; k < 2; k++) {
		struct bench3 b;
		uint32_t unit = k ? BENCH_MSS_BYTES : 1;

		to_up3(&b, profiles[k]);
		b.bbr.inflight_longterm = 110 * unit;
		b.bbr.bw_probe_up_rounds = 0;
		b.bench.conn.is_cwnd_limited = true;
		b.bench.conn.inflight_pkts = 110;
		for (int i = 0; i < 5; i++) {
			bench_pass(&b.bench, 100 * MS);
			bench_ack(&b.bench, 110, 100000);
			b.bench.ack.tx_in_flight_pkts = 100;
			b.bench.control.cwnd_pkts =
			    b.bbr.inflight_longterm / unit;
			step3(&b);
			/* an ACK that does not raise it: the bound holds */
			bench_ack(&b.bench, 1, 100000);
			bench_same_round(&b.bench);
			b.bench.ack.tx_in_flight_pkts = 100;
			b.bbr.bw_probe_up_acked = 0;
			b.bench.control.cwnd_pkts =
			    b.bbr.inflight_longterm / unit;
			step3(&b);
			assert_state3(&b, "probe_bw_up");
		}
		/* 110 / 202 of a packet in the first round, whose slope is
		 * UP's first; then 1, 2, 4 and 8 more, less what a round does
		 * not fill */
		assert_in_range(b.bbr.inflight_longterm, 122 * unit,
				125 * unit);
	}
}

/* ns3-tcp-bbr #8: leaving recovery set the window to the threshold, which is
 * infinite in BBR. */
static void recovery_does_not_end_at_the_threshold(void **state)
{
	struct bench bench;
	struct fp_bbr bbr;
	struct bench3 b;

	to_probe_bw1(&bbr, &bench);
	bench.control.ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	bench.control.cwnd_pkts = 200;
	fp_bbr_on_congestion(&bbr, &bench.conn, &bench.control);
	assert_int_equal(bench.control.ssthresh_pkts, FP_CC_SSTHRESH_NONE);
	bbr.prev_ca_state = FP_CA_RECOVERY;
	bench.conn.ca_state = FP_CA_OPEN;
	bench_ack(&bench, 2, 100000);
	bench_same_round(&bench);
	step1(&bbr, &bench);
	assert_in_range(bench.control.cwnd_pkts, 200, 310);

	to_cruise3(&b, FP_BBR3_DRAFT);
	b.bench.control.cwnd_pkts = 200;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bench.conn.ca_state = FP_CA_RECOVERY;
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_OPEN, &b.bench.control);
	assert_int_equal(b.bench.control.cwnd_pkts, 200);
}

/* The bound of a probe is about the packet that was given up, not about the one
 * whose ACK showed it (draft eac7cce: tx_in_flight was never set). */
static void a_lost_packet_tells_of_its_own_flight(void **state)
{
	struct bench3 b;

	to_up3(&b, FP_BBR3_DRAFT);
	b.bench.control.cwnd_pkts = 300;
	lose3(&b, 0, 100); /* nothing is known of it */
	assert_state3(&b, "probe_bw_up");
	assert_int_equal(b.bbr.inflight_longterm, FP_BBR3_NONE);
	lose3(&b, 250, 6); /* 249 before, 5 of them lost; 4.98 are allowed */
	/* a little less than 249: (4.98 - 5) / 0.98 */
	assert_in_range(b.bbr.inflight_longterm, 248 * BENCH_MSS_BYTES,
			249 * BENCH_MSS_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_rtt_ends_when_an_idle_flow_sends),
		cmocka_unit_test(probe_rtt_caps_at_an_ack_of_nothing),
		cmocka_unit_test(a_real_rtt_replaces_the_nominal_one),
		cmocka_unit_test(the_pacing_rate_is_never_zero),
		cmocka_unit_test(a_policed_flow_does_not_probe),
		cmocka_unit_test(a_spurious_loss_leaves_no_trace),
		cmocka_unit_test(growth_is_counted_in_whole_rounds),
		cmocka_unit_test(a_probe_cuts_its_bound_once),
		cmocka_unit_test(a_restart_does_not_depend_on_the_flight),
		cmocka_unit_test(a_sample_that_is_none_changes_nothing),
		cmocka_unit_test(the_bdp_does_not_overflow),
		cmocka_unit_test(only_limited_rounds_are_no_plateau),
		cmocka_unit_test(an_rtt_below_zero_is_none),
		cmocka_unit_test(steady_acks_are_not_aggregated),
		cmocka_unit_test(the_bound_is_not_above_what_lost_too_much),
		cmocka_unit_test(the_constants_are_those_of_version_3),
		cmocka_unit_test(the_least_rtt_is_a_sample),
		cmocka_unit_test(a_probe_goes_beyond_its_bound),
		cmocka_unit_test(recovery_does_not_end_at_the_threshold),
		cmocka_unit_test(a_lost_packet_tells_of_its_own_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
