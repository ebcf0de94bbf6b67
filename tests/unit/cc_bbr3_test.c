/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BBRv3: numbers that Google's integers and the draft's shares give, and the
 * state machine that both have. */
#include "cc_bbr3_bench.h"

/* --- Numbers ---------------------------------------------------------------
 */

/* delivered x 2^24 / interval, rounded up. */
static void samples_bandwidth(void **state)
{
	static const struct {
		uint32_t pkts, interval_us, bw;
	} rows[] = {
		{ 863, 100000, 144788 },
		{ 34, 40000, 14261 },
		{ 1, 10000, 1678 },
		{ 86325, 100000, 14482932 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;

		open3(&b, FP_BBR3_GOOGLE);
		round3(&b, rows[i].pkts, rows[i].interval_us);
		assert_int_equal(bbr3_max_bw(&b.bbr), rows[i].bw);
	}
}

/* bw x 1448 x gain / 256 x 0.99e6 / 2^24, each step rounded down. */
static void paces_below_the_bandwidth(void **state)
{
	static const struct {
		uint32_t bw, gain_x256;
		uint64_t rate;
	} rows[] = {
		{ 144788, 256, 12371331 }, { 144788, 710, 34311113 },
		{ 144788, 320, 15464163 }, { 144788, 232, 11211518 },
		{ 1678, 256, 143375 },     { 1678, 710, 397643 },
		{ 1678, 320, 179219 },     { 1678, 232, 129934 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;

		open3(&b, FP_BBR3_GOOGLE);
		b.bbr.full_bw_reached = 1;
		b.bbr.max_bw_filter[0] = rows[i].bw;
		bbr3__set_pacing_rate_with_gain(call3(&b, &call),
						rows[i].gain_x256 * 125);
		assert_int_equal(b.bench.control.pacing_rate_bytes_per_s,
				 rows[i].rate);
	}
}

static void paces_a_fresh_flow(void **state)
{
	const struct fp_bbr3_config config = { .switches = FP_BBR3_GOOGLE };
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE); /* srtt 100 ms */
	assert_int_equal(b.bench.control.pacing_rate_bytes_per_s, 397406);
	b.bench.conn.srtt_us = 0;
	fp_bbr3_init(&b.bbr, &config, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bench.control.pacing_rate_bytes_per_s, 39757743);
}

/* bw x RTT x gain, rounded up; in bytes to the byte. */
static void multiplies_the_bdp(void **state)
{
	static const struct {
		uint32_t bw, rtt_us, once, twice;
	} rows[] = {
		{ 144788, 100000, 864, 1727 },
		{ 14261, 40000, 35, 69 },
		{ 1678, 10000, 2, 3 },
	};
	struct bench3 b;
	struct bbr3_call call;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open3(&b, FP_BBR3_GOOGLE);
		b.bbr.min_rtt_us = rows[i].rtt_us;
		call3(&b, &call);
		assert_int_equal(
		    bbr3__bdp_multiple(&call, rows[i].bw, BBR3_ONE),
		    rows[i].once);
		assert_int_equal(
		    bbr3__bdp_multiple(&call, rows[i].bw, 2 * BBR3_ONE),
		    rows[i].twice);
	}
	/* 1678 x 10000 / 2^24 x 1448 = 1448.25 */
	open3(&b, FP_BBR3_DRAFT);
	b.bbr.min_rtt_us = 10000;
	assert_int_equal(bbr3__bdp_multiple(call3(&b, &call), 1678, BBR3_ONE),
			 1449);
	/* no RTT yet: the initial window */
	b.bbr.min_rtt_us = UINT32_MAX;
	assert_int_equal(bbr3__bdp_multiple(&call, 1678, BBR3_ONE), 14480);
}

/* How many of a flight may be lost: 5/256, and 2 % exactly. */
static void allows_few_losses(void **state)
{
	static const struct {
		uint32_t switches, inflight, allowed;
	} rows[] = {
		{ FP_BBR3_GOOGLE, 51, 0 },      { FP_BBR3_GOOGLE, 52, 1 },
		{ FP_BBR3_GOOGLE, 100, 1 },     { FP_BBR3_GOOGLE, 103, 2 },
		{ FP_BBR3_GOOGLE, 155, 3 },     { FP_BBR3_GOOGLE, 1000, 19 },
		{ FP_BBR3_GOOGLE, 10000, 195 }, { FP_BBR3_DRAFT, 49, 0 },
		{ FP_BBR3_DRAFT, 50, 1 },       { FP_BBR3_DRAFT, 100, 2 },
		{ FP_BBR3_DRAFT, 1000, 20 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;
		struct bbr3_flight flight = { 0 };

		open3(&b, rows[i].switches);
		call3(&b, &call);
		flight.tx_in_flight = bbr3_volume(&call, rows[i].inflight);
		flight.lost = bbr3_volume(&call, rows[i].allowed);
		assert_false(bbr3__is_inflight_too_high(&call, &flight));
		flight.lost = bbr3_volume(&call, rows[i].allowed + 1);
		assert_true(bbr3__is_inflight_too_high(&call, &flight));
		flight.tx_in_flight = 0; /* unknown */
		assert_false(bbr3__is_inflight_too_high(&call, &flight));
	}
}

/*
 * Google: budget = ceil(5 x (tx - n) / 256), prefix = (budget - (lost - n)) x
 * 256 / 251. (500, 11, 2): before it 498, of which 9 were lost; 9.7 are
 * allowed, so 10; one packet more and 1 x 256 / 251 is 1: 499. The draft's in
 * bytes: (1000, 20, 1): 999 before, 19 lost, 19.98 allowed, 0.98 / 0.98 = 1
 * packet: 1000.
 */
static void finds_where_losses_were_too_many(void **state)
{
	static const struct {
		uint32_t switches, inflight, lost, pkts, at;
	} rows[] = {
		{ FP_BBR3_GOOGLE, 100, 3, 1, 99 },
		{ FP_BBR3_GOOGLE, 1000, 20, 1, 1000 },
		{ FP_BBR3_GOOGLE, 1000, 25, 44, UINT32_MAX },
		{ FP_BBR3_GOOGLE, 1000, 44, 44, 975 },
		{ FP_BBR3_GOOGLE, 500, 11, 2, 499 },
		{ FP_BBR3_GOOGLE, 10, 20, 11, UINT32_MAX },
		{ FP_BBR3_BYTES | FP_BBR3_EXACT_SHARES, 1000, 20, 1, 1000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;
		struct bbr3_flight flight = { 0 };
		uint32_t at;

		open3(&b, rows[i].switches);
		call3(&b, &call);
		flight.tx_in_flight = bbr3_volume(&call, rows[i].inflight);
		flight.lost = bbr3_volume(&call, rows[i].lost);
		at = bbr3__inflight_at_loss(&call, &flight,
					    bbr3_volume(&call, rows[i].pkts));
		if (rows[i].at == UINT32_MAX)
			assert_int_equal(at, UINT32_MAX);
		else
			assert_in_range(at, rows[i].at * call.unit,
					rows[i].at * call.unit + 1);
	}
}

/* 38/256 of the bound, a packet at least, 4 packets stay; 15 % exactly. */
static void leaves_headroom(void **state)
{
	static const struct {
		uint32_t switches, bound, level;
	} rows[] = {
		{ FP_BBR3_GOOGLE, 5, 4 },     { FP_BBR3_GOOGLE, 7, 6 },
		{ FP_BBR3_GOOGLE, 10, 9 },    { FP_BBR3_GOOGLE, 20, 18 },
		{ FP_BBR3_GOOGLE, 100, 86 },  { FP_BBR3_GOOGLE, 1000, 852 },
		{ FP_BBR3_GOOGLE, 2, 4 },     { FP_BBR3_DRAFT, 100, 85 },
		{ FP_BBR3_DRAFT, 1000, 850 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;

		open3(&b, rows[i].switches);
		call3(&b, &call);
		b.bbr.inflight_longterm = bbr3_volume(&call, rows[i].bound);
		assert_int_equal(bbr3__inflight_with_headroom(&call),
				 bbr3_volume(&call, rows[i].level));
	}
}

/* Rounds of loss that deliver nothing, from 1000: 180/256 stay of it, or 0.7. A
 * round that does deliver holds the bound there. */
static void gives_way_to_loss(void **state)
{
	static const uint32_t google[] = { 703, 494, 347, 243, 170, 119, 83 };
	static const uint32_t exact[] = { 700, 490, 343, 240, 168 };
	struct bench3 b;
	struct bbr3_call call;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.inflight_shortterm = 1000;
	for (size_t i = 0; i < sizeof(google) / sizeof(google[0]); i++) {
		bench_ack(&b.bench, 1, 100000);
		b.bbr.is_loss_in_round = 1;
		b.bbr.loss_round_start = 1;
		b.bbr.inflight_latest = 0;
		b.bbr.bw_latest = 0;
		bbr3__update_congestion_signals(call3(&b, &call));
		assert_int_equal(b.bbr.inflight_shortterm, google[i]);
	}
	to_cruise3(&b, FP_BBR3_EXACT_SHARES);
	b.bbr.inflight_shortterm = 1000;
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
		bench_ack(&b.bench, 1, 100000);
		b.bbr.is_loss_in_round = 1;
		b.bbr.loss_round_start = 1;
		b.bbr.inflight_latest = 0;
		bbr3__update_congestion_signals(call3(&b, &call));
		assert_int_equal(b.bbr.inflight_shortterm, exact[i]);
	}
	b.bbr.is_loss_in_round = 1;
	b.bbr.inflight_latest = 150;
	bbr3__update_congestion_signals(&call);
	assert_int_equal(b.bbr.inflight_shortterm, 150); /* not 117 */
	assert_int_equal(b.bbr.is_loss_in_round, 0);
}

/* alpha = (240 alpha >> 8) + (16 x share >> 8). */
static void smooths_the_share_of_marks(void **state)
{
	static const uint32_t none[] = { 240, 225, 210, 196, 183, 171 };
	static const uint32_t all[] = { 16, 31, 45, 58, 70 };
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, FP_BBR3_GOOGLE | FP_BBR3_ECN_LOW);
	b.bbr.min_rtt_us = 5000;
	assert_int_equal(b.bbr.ecn_alpha_x256, 256);
	call3(&b, &call);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		b.bench.conn.delivered_pkts += 10;
		bbr3__update_ecn_alpha(&call);
		assert_int_equal(b.bbr.ecn_alpha_x256, none[i]);
	}
	b.bbr.ecn_alpha_x256 = 0;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		b.bench.conn.delivered_pkts += 10;
		b.bench.conn.delivered_ce_pkts += 10;
		bbr3__update_ecn_alpha(&call);
		assert_int_equal(b.bbr.ecn_alpha_x256, all[i]);
	}
	/* a longer RTT: marks are not answered */
	open3(&b, FP_BBR3_GOOGLE | FP_BBR3_ECN_LOW);
	b.bbr.min_rtt_us = 5001;
	b.bench.conn.delivered_pkts += 10;
	bbr3__update_ecn_alpha(call3(&b, &call));
	assert_int_equal(b.bbr.is_ecn_eligible, 0);
	assert_int_equal(b.bbr.ecn_alpha_x256, 256);
}

/* A round with marks leaves 256 - (85 alpha >> 8) 256ths, and the bandwidth as
 * it was. */
static void gives_way_to_marks(void **state)
{
	static const uint32_t rows[][2] = {
		{ 256, 171 }, { 128, 214 }, { 64, 235 }, { 16, 251 }, { 0, 256 }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;

		to_cruise3(&b, FP_BBR3_GOOGLE);
		b.bbr.ecn_alpha_x256 = rows[i][0] & 0x1ff;
		b.bbr.ecn_in_round = 1;
		b.bbr.loss_round_start = 1;
		b.bench.control.cwnd_pkts = 256;
		bench_ack(&b.bench, 1, 100000);
		bbr3__update_congestion_signals(call3(&b, &call));
		assert_int_equal(b.bbr.inflight_shortterm, rows[i][1]);
		assert_int_equal(b.bbr.bw_shortterm, FP_BBR3_NONE);
	}
}

/* Two rounds in a row with more than half marked end STARTUP. */
static void leaves_startup_on_marks(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE | FP_BBR3_ECN_LOW);
	b.bbr.min_rtt_us = 1000;
	b.bbr.probe_rtt_min_us = 1000;
	b.bench.conn.inflight_pkts = 500;
	for (uint32_t i = 0; i < 2; i++) {
		assert_state3(&b, "startup");
		bench_pass(&b.bench, 1000);
		bench_ack(&b.bench, 10u << i, 1000);
		b.bench.conn.delivered_ce_pkts += 6u << i; /* of 10, 20 */
		step3(&b);
	}
	assert_state3(&b, "drain");
	assert_int_equal(b.bbr.full_bw_reached, 1);
}

/* UP's growth at the bound: a packet for each 1000, 500, 250, … acknowledged,
 * round after round. */
static void doubles_the_growth_of_a_probe(void **state)
{
	static const uint32_t slopes[] = { 1000, 500, 250, 125, 62, 31,
					   15,   7,   3,   1,   1 };
	struct bench3 b;

	to_up3(&b, FP_BBR3_GOOGLE);
	b.bbr.bw_probe_up_rounds = 0;
	b.bench.conn.is_cwnd_limited = true;
	for (size_t i = 0; i < sizeof(slopes) / sizeof(slopes[0]); i++) {
		uint32_t slope = b.bbr.probe_up_acked_per_inc;

		b.bbr.inflight_longterm = 1000;
		b.bbr.bw_probe_up_acked = 0;
		b.bench.control.cwnd_pkts = 1000;
		bench_pass(&b.bench, 100 * MS);
		b.bbr.probe_rtt_min_ticks = b.bench.conn.now_ticks;
		b.bbr.full_bw_count = 0; /* it grows: no plateau */
		bench_ack(&b.bench, slope * 3 + slope / 2, 100000);
		b.bench.ack.tx_in_flight_pkts = 100;
		step3(&b);
		assert_int_equal(b.bbr.inflight_longterm, 1003);
		assert_int_equal(b.bbr.bw_probe_up_acked, slope / 2);
		assert_int_equal(b.bbr.probe_up_acked_per_inc, slopes[i]);
	}
	assert_state3(&b, "probe_bw_up");
}

/* --- STARTUP and DRAIN -----------------------------------------------------
 */

static void leaves_startup_on_a_plateau(void **state)
{
	static const uint32_t pkts[] = { 10, 20, 40, 80, 100, 100, 100 };
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	for (int k = 0; k < 2; k++) {
		struct bench3 b;

		open3(&b, profiles[k]);
		b.bench.conn.inflight_pkts = 300;
		for (size_t i = 0; i < sizeof(pkts) / sizeof(pkts[0]); i++) {
			assert_state3(&b, "startup");
			round3(&b, pkts[i], 100000);
			assert_int_equal(b.bbr.pacing_gain, 710 * 125);
			assert_int_equal(b.bbr.cwnd_gain, 2 * BBR3_ONE);
		}
		/* 80 -> 100 is a quarter more, rounding apart: 13422 x 1.25 =
		 * 16777.5, and 100 is 16778. Two rounds since. */
		assert_int_equal(b.bbr.full_bw_count, 2);
		round3(&b, 100, 100000);
		assert_state3(&b, "drain");
		assert_int_equal(b.bbr.full_bw_now, 1);
		assert_int_equal(b.bbr.pacing_gain,
				 k ? BBR3_ONE / 2 : 88 * 125);
		assert_true(b.bench.control.ssthresh_pkts <
			    FP_CC_SSTHRESH_NONE);
	}
}

/* A round of recovery with 6 losses apart and more than 2 % of them; the bound
 * is what the round delivered. */
static void leaves_startup_on_loss(void **state)
{
	static const struct {
		uint32_t events, lost, ends;
		enum fp_ca_state ca_state;
	} rows[] = {
		{ 6, 10, 1, FP_CA_RECOVERY },
		{ 5, 10, 0, FP_CA_RECOVERY },
		{ 6, 3, 0, FP_CA_RECOVERY }, /* 3 of 200: 1.5 % */
		{ 6, 10, 0, FP_CA_OPEN },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;

		open3(&b, FP_BBR3_GOOGLE);
		b.bench.conn.inflight_pkts = 1000;
		round3(&b, 100, 100000);
		b.bench.conn.ca_state = rows[i].ca_state;
		for (uint32_t n = 1; n < rows[i].events; n++) {
			bench_pass(&b.bench, 1000);
			bench_ack(&b.bench, 10, 100000);
			bench_same_round(&b.bench);
			b.bench.ack.newly_lost_pkts = 1;
			step3(&b);
		}
		bench_pass(&b.bench, 100 * MS);
		bench_ack(&b.bench, 200, 100000);
		b.bench.ack.newly_lost_pkts = 1;
		b.bench.ack.tx_in_flight_pkts = 200;
		b.bench.ack.lost_pkts = rows[i].lost;
		step3(&b);
		assert_int_equal(b.bbr.full_bw_reached, rows[i].ends);
		assert_state3(&b, rows[i].ends ? "drain" : "startup");
		if (rows[i].ends) {
			/* 200 in 100 ms: a BDP of 201 > 200 delivered */
			assert_int_equal(b.bbr.inflight_longterm, 201);
			assert_int_equal(b.bbr.full_bw_now, 0);
		}
		assert_int_equal(b.bbr.loss_events_in_round,
				 rows[i].ends ? 6 : 0);
	}
}

/* Until the BDP of 101 is in flight, then DOWN. */
static void leaves_drain_when_drained(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE);
	b.bench.conn.inflight_pkts = 102;
	for (int i = 0; i < 10; i++)
		round3(&b, 100, 100000);
	assert_state3(&b, "drain");
	b.bench.conn.inflight_pkts = 101;
	bench_pass(&b.bench, 100 * MS);
	bench_ack(&b.bench, 100, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_down");
	assert_int_equal(b.bbr.pacing_gain, 232 * 125);
}

/* --- PROBE_BW --------------------------------------------------------------
 */

/* DOWN: until a BDP (101), and what the long-term bound leaves, is in flight.
 */
static void cruises_when_there_is_room(void **state)
{
	static const struct {
		uint32_t bound, inflight;
		bool cruises;
	} rows[] = {
		{ FP_BBR3_NONE, 101, true }, { FP_BBR3_NONE, 102, false },
		{ 100, 86, true },           { 100, 87, false },
		{ 1000, 101, true },         { 1000, 102, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;

		to_cruise3(&b, FP_BBR3_GOOGLE);
		b.bbr.state = FP_BBR3_DOWN;
		b.bbr.pacing_gain = 232 * 125;
		b.bbr.inflight_longterm = rows[i].bound;
		bench_pass(&b.bench, 1000);
		bench_ack(&b.bench, 1, 100000);
		bench_same_round(&b.bench);
		b.bench.ack.prior_inflight_pkts = rows[i].inflight;
		b.bench.ack.tx_in_flight_pkts = 1;
		step3(&b);
		assert_state3(&b, rows[i].cruises ? "probe_bw_cruise"
						  : "probe_bw_down");
	}
}

/* The wait is 2 s and up to a second more, and a round more or less. */
static void waits_two_to_three_seconds(void **state)
{
	static const struct {
		uint32_t random, wait_us, rounds;
	} rows[] = {
		{ 0, 2000000, 0 },
		{ 0x7fffffff, 2999999, 0 },
		{ 0x80000000, 2000000, 1 },
		{ 0xc0000000, 2500000, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;

		open3(&b, FP_BBR3_GOOGLE);
		b.bench.conn.random = rows[i].random;
		for (int n = 0; n < 4; n++)
			round3(&b, 100, 100000);
		assert_state3(&b, "probe_bw_down");
		assert_int_equal(b.bbr.bw_probe_wait_us, rows[i].wait_us);
		assert_int_equal(b.bbr.rounds_since_probe_up, rows[i].rounds);
		bench_pass(&b.bench, rows[i].wait_us);
		bench_ack(&b.bench, 1, 100000);
		bench_same_round(&b.bench);
		step3(&b);
		assert_state3(&b, "probe_bw_cruise"); /* not longer yet */
		bench_pass(&b.bench, 1);
		bench_ack(&b.bench, 1, 100000);
		bench_same_round(&b.bench);
		step3(&b);
		assert_state3(&b, "probe_bw_refill");
	}
}

/* As many rounds as the BDP has packets, 63 at most. Rounds of 20 ms: the BDP
 * of 20 packets a round is 21, rounded up; the one of 100 is more than 63. */
static void probes_as_often_as_reno(void **state)
{
	static const uint32_t rows[][2] = { { 20, 21 }, { 100, 63 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		uint32_t rounds = 0;

		open3(&b, FP_BBR3_GOOGLE);
		for (int n = 0; n < 4; n++)
			round3(&b, rows[i][0], 20000);
		while (b.bbr.state != FP_BBR3_REFILL && rounds < 100) {
			b.bench.control.cwnd_pkts = 1000;
			round3(&b, rows[i][0], 20000);
			rounds++;
		}
		assert_int_equal(rounds, rows[i][1]);
	}
}

/* REFILL forgets the short-term bounds, and lasts for a round. */
static void refills_for_a_round(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.bw_shortterm = 1000;
	b.bbr.inflight_shortterm = 50;
	bench_pass(&b.bench, 3001 * MS);
	bench_ack(&b.bench, 1, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_refill");
	assert_int_equal(b.bbr.bw_shortterm, FP_BBR3_NONE);
	assert_int_equal(b.bbr.inflight_shortterm, FP_BBR3_NONE);
	assert_int_equal(b.bbr.pacing_gain, BBR3_ONE);
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_state3(&b, "probe_bw_refill");
	assert_int_equal(b.bbr.is_bw_probe_sample, 0);
	round3(&b, 100, 100000);
	assert_state3(&b, "probe_bw_up");
	assert_int_equal(b.bbr.is_bw_probe_sample, 1);
	assert_int_equal(b.bbr.pacing_gain, BBR3_ONE * 5 / 4);
	assert_int_equal(b.bbr.cwnd_gain, BBR3_ONE * 9 / 4);
}

/* UP goes on while the rate grows, and stops three rounds later. */
static void stops_a_probe_on_a_plateau(void **state)
{
	static const uint32_t pkts[] = { 130, 170, 220, 220, 220 };
	struct bench3 b;

	to_up3(&b, FP_BBR3_GOOGLE);
	for (size_t i = 0; i < sizeof(pkts) / sizeof(pkts[0]); i++) {
		round3(&b, pkts[i], 100000);
		assert_state3(&b, "probe_bw_up");
	}
	round3(&b, 220, 100000);
	/* nothing is in flight, so that DOWN may cruise at once */
	assert_state3(&b, "probe_bw_down");
	assert_int_equal(b.bbr.prev_probe_too_high, 0);
	assert_int_equal(b.bbr.ack_phase, FP_BBR3_ACKS_PROBE_STOPPING);
	/* a round later the filter has moved on by a cycle */
	assert_int_equal(b.bbr.max_bw_filter[1], 36910); /* 220 / 100 ms */
	round3(&b, 200, 100000);
	assert_int_equal(b.bbr.max_bw_filter[0], 36910);
	assert_int_equal(b.bbr.max_bw_filter[1], 0);
}

/* Too much loss ends a probe; the bound is where it became too much, but not
 * below 0.7 of the flight that is wanted. */
static void stops_a_probe_on_loss(void **state)
{
	struct bench3 b;

	to_up3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 300;
	lose3(&b, 200, 2); /* 3.9 are allowed */
	assert_state3(&b, "probe_bw_up");
	assert_int_equal(b.bbr.inflight_longterm, FP_BBR3_NONE);
	/* 199 before it, 3 of them lost, 3.9 -> 4 allowed: 199 + 1 */
	lose3(&b, 200, 4);
	assert_state3(&b, "probe_bw_down");
	assert_int_equal(b.bbr.inflight_longterm, 200);
	assert_int_equal(b.bbr.prev_probe_too_high, 1);
	/* once per probe */
	lose3(&b, 100, 50);
	assert_int_equal(b.bbr.inflight_longterm, 200);

	to_up3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 300;
	lose3(&b, 20, 1); /* wants 101 + 2 in UP: 103 x 180 >> 8 = 72 */
	assert_int_equal(b.bbr.inflight_longterm, 72);
}

/* After a probe that went too high the next one is careful: it stops at the
 * bound. If its ACKs are good the one after it follows at once. */
static void probes_with_care(void **state)
{
	struct bench3 b;

	to_up3(&b, FP_BBR3_GOOGLE);
	b.bbr.inflight_longterm = 150;
	b.bbr.prev_probe_too_high = 1;
	bench_pass(&b.bench, 1000);
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	/* a burst of the gain above 1 counts with it */
	b.bench.ack.prior_inflight_pkts = 100;
	step3(&b);
	assert_state3(&b, "probe_bw_up");
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.prior_inflight_pkts = 150;
	step3(&b);
	assert_state3(&b, "probe_bw_down");
	assert_int_equal(b.bbr.prev_probe_precautionary, 1);
	assert_int_equal(b.bbr.prev_probe_too_high, 0);
	bench_pass(&b.bench, 100 * MS);
	bench_ack(&b.bench, 100, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_refill");
	assert_int_equal(b.bbr.prev_probe_precautionary, 0);
}

/* In CRUISE the bound leaves room; elsewhere in PROBE_BW it is as it is; in
 * STARTUP and DRAIN there is none. */
static void bounds_the_window(void **state)
{
	static const struct {
		enum fp_bbr3_state state;
		uint32_t window;
	} rows[] = {
		{ FP_BBR3_STARTUP, 500 },  { FP_BBR3_DRAIN, 500 },
		{ FP_BBR3_DOWN, 100 },     { FP_BBR3_CRUISE, 86 },
		{ FP_BBR3_REFILL, 100 },   { FP_BBR3_UP, 100 },
		{ FP_BBR3_PROBE_RTT, 86 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench3 b;
		struct bbr3_call call;

		to_cruise3(&b, FP_BBR3_GOOGLE);
		b.bbr.state = (uint32_t)rows[i].state & 7;
		b.bbr.inflight_longterm = 100;
		b.bench.control.cwnd_pkts = 500;
		bbr3__bound_cwnd_for_model(call3(&b, &call));
		assert_int_equal(b.bench.control.cwnd_pkts, rows[i].window);
		b.bbr.inflight_shortterm = 2; /* 4 stay */
		bbr3__bound_cwnd_for_model(&call);
		assert_int_equal(b.bench.control.cwnd_pkts, 4);
	}
}

/* --- PROBE_RTT -------------------------------------------------------------
 */

/* 5 s without a lower RTT: half the BDP for 200 ms and a round, then CRUISE. */
static void probes_the_rtt(void **state)
{
	struct bench3 b;
	uint32_t cwnd;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	bench_pass(&b.bench, 4600 * MS); /* 5 s from the start: not more */
	b.bbr.cycle_us = b.bench.conn.now_ns / 1000; /* no probe of bw */
	b.bench.conn.inflight_pkts = 90;
	bench_ack(&b.bench, 10, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_state3(&b, "probe_bw_cruise");
	cwnd = b.bench.control.cwnd_pkts;
	bench_pass(&b.bench, 4000);
	bench_ack(&b.bench, 1, 110000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_state3(&b, "probe_rtt");
	/* the BDP of 16778 bw and 100 ms, half: 50.0003, rounded up */
	assert_int_equal(b.bench.control.cwnd_pkts, 51);
	assert_true(b.bench.control.marks_app_limited);
	/* the RTT of 5 s was replaced, the one of 10 s was not */
	assert_int_equal(b.bbr.probe_rtt_min_us, 110000);
	assert_int_equal(b.bbr.min_rtt_us, 100000);
	b.bench.conn.inflight_pkts = 52;
	round3(&b, 10, 100000);
	assert_int_equal(b.bbr.probe_rtt_done_ticks, 0);
	b.bench.conn.inflight_pkts = 51;
	round3(&b, 10, 100000);
	assert_int_equal(b.bbr.probe_rtt_done_ticks,
			 b.bench.conn.now_ticks + 50);
	round3(&b, 10, 100000);
	round3(&b, 10, 100000);
	assert_state3(&b, "probe_rtt");
	bench_pass(&b.bench, 4000);
	bench_ack(&b.bench, 10, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_cruise");
	assert_true(b.bench.control.cwnd_pkts >= cwnd);
}

static void returns_to_startup_from_an_early_probe_rtt(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE);
	bench_pass(&b.bench, 5100 * MS);
	bench_ack(&b.bench, 4, 200000);
	step3(&b);
	assert_state3(&b, "probe_rtt");
	round3(&b, 4, 250000);
	round3(&b, 4, 250000);
	assert_state3(&b, "startup");
}

/* An idle flow that sends again needs no PROBE_RTT, and paces at bw. */
static void skips_probe_rtt_after_idle_time(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.control.pacing_rate_bytes_per_s = 1;
	b.bench.conn.app_limited_pkts = 1;
	bench_pass(&b.bench, 6000 * MS);
	fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TX_START,
			 &b.bench.control);
	assert_int_equal(b.bbr.idle_restart, 1);
	/* 16778 x 1448 x 0.99e6 / 2^24 = 1433586.7 */
	assert_int_equal(b.bench.control.pacing_rate_bytes_per_s, 1433586);
	bench_pass(&b.bench, 100 * MS);
	bench_ack(&b.bench, 10, 100000);
	b.bench.ack.is_app_limited = true;
	step3(&b);
	assert_true(b.bbr.state != FP_BBR3_PROBE_RTT);
	assert_int_equal(b.bbr.idle_restart, 0);
}

/* --- Recovery --------------------------------------------------------------
 */

/* A timeout: the short-term bound begins at the window before it; afterwards
 * the window comes back. */
static void survives_a_timeout(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 150;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bench.control.cwnd_pkts = 1; /* the transport */
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_LOSS, &b.bench.control);
	b.bench.conn.ca_state = FP_CA_LOSS;
	assert_int_equal(b.bbr.inflight_shortterm, 150);
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_int_equal(b.bench.control.cwnd_pkts, 4);
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_OPEN, &b.bench.control);
	assert_int_equal(b.bench.control.cwnd_pkts, 150);
}

/* A loss that was none: the bounds come back, as far as they were lower. */
static void undoes_what_a_loss_did(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 180;
	b.bbr.bw_shortterm = 15000;
	b.bbr.inflight_shortterm = 170;
	b.bbr.inflight_longterm = 160;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bbr.bw_shortterm = 10000;
	b.bbr.inflight_shortterm = 100;
	b.bbr.inflight_longterm = 165;
	b.bbr.is_loss_in_round = 1;
	b.bench.control.cwnd_pkts = 90;
	fp_bbr3_on_undo(&b.bbr, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bbr.bw_shortterm, 15000);
	assert_int_equal(b.bbr.inflight_shortterm, 170);
	assert_int_equal(b.bbr.inflight_longterm, 165);
	assert_int_equal(b.bbr.is_loss_in_round, 0);
	assert_int_equal(b.bench.control.cwnd_pkts, 180);
}

/* The bounds of loss do not outlive PROBE_RTT, whose small flight may have set
 * them. */
static void forgets_loss_after_probe_rtt(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.state = FP_BBR3_PROBE_RTT;
	b.bbr.bw_shortterm = 1000;
	b.bbr.inflight_shortterm = 10;
	b.bbr.probe_rtt_round_done = 1;
	b.bbr.probe_rtt_done_ticks = b.bench.conn.now_ticks;
	bench_pass(&b.bench, 4000);
	bench_ack(&b.bench, 1, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_cruise");
	assert_int_equal(b.bbr.bw_shortterm, FP_BBR3_NONE);
	assert_int_equal(b.bbr.inflight_shortterm, FP_BBR3_NONE);
}

/* A cycle without a sample does not make the one before forgotten. */
static void a_cycle_without_samples_does_not_count(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE);
	b.bbr.max_bw_filter[0] = 100;
	b.bbr.max_bw_filter[1] = 50;
	bbr3__advance_max_bw_filter(&b.bbr);
	assert_int_equal(bbr3_max_bw(&b.bbr), 50);
	bbr3__advance_max_bw_filter(&b.bbr);
	assert_int_equal(bbr3_max_bw(&b.bbr), 50);
}

/* The latest rate and volume are the best of a round of losses; a new one
 * begins with its own. A tail loss probe's ACK keeps what was delivered before
 * it. */
static void keeps_the_best_of_a_round(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	round3(&b, 100, 100000); /* begins one */
	assert_int_equal(b.bbr.bw_latest, 16778);
	bench_ack(&b.bench, 10, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_int_equal(b.bbr.bw_latest, 16778);
	assert_int_equal(b.bbr.inflight_latest, 100);
	bench_pass(&b.bench, 100 * MS);
	bench_ack(&b.bench, 20, 100000);
	b.bench.ack.is_acking_tlp = true;
	step3(&b);
	assert_int_equal(b.bbr.loss_round_start, 1);
	assert_int_equal(b.bbr.inflight_latest, 100);
	round3(&b, 30, 100000);
	assert_int_equal(b.bbr.inflight_latest, 30);
	assert_int_equal(b.bbr.bw_latest, 5034); /* 30 / 100 ms */
}

/* A round of losses begins with the first, not with each. */
static void a_round_of_losses_begins_with_the_first(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.conn.delivered_pkts = 1000;
	lose3(&b, 100, 1);
	assert_int_equal(b.bbr.loss_round_delivered, 1000);
	assert_int_equal(b.bbr.loss_in_cycle, 1);
	b.bench.conn.delivered_pkts = 1050;
	lose3(&b, 100, 2);
	assert_int_equal(b.bbr.loss_round_delivered, 1000);
	/* a lost packet that an ACK only implies marks the cycle as well */
	b.bbr.loss_in_cycle = 0;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.lost_pkts = 1;
	step3(&b);
	assert_int_equal(b.bbr.loss_in_cycle, 1);
}

/* The draft saves once a round of losses. */
static void saves_once_a_round(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_DRAFT);
	b.bbr.inflight_longterm = 300 * BENCH_MSS_BYTES;
	lose3(&b, 100, 1);
	assert_int_equal(b.bbr.undo_inflight_longterm, 300 * BENCH_MSS_BYTES);
	b.bbr.inflight_longterm = 200 * BENCH_MSS_BYTES;
	lose3(&b, 100, 2);
	assert_int_equal(b.bbr.undo_inflight_longterm, 300 * BENCH_MSS_BYTES);
	round3(&b, 10, 100000);
	lose3(&b, 100, 1);
	assert_int_equal(b.bbr.undo_inflight_longterm, 200 * BENCH_MSS_BYTES);
}

/* 12371331 bytes a second >> 10 are 12081; a least RTT of 1024 us allows 65536
 * >> 2 = 16384 more: 19 packets of 1448. The device takes 8. */
static void sizes_bursts_by_rate_and_rtt(void **state)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, FP_BBR3_GOOGLE);
	call3(&b, &call);
	b.bench.control.pacing_rate_bytes_per_s = 12371331;
	bbr3__set_send_quantum(&call);
	assert_int_equal(b.bench.control.burst_pkts, 8);
	b.bbr.min_rtt_us = 1024;
	bbr3__set_send_quantum(&call);
	assert_int_equal(b.bench.control.burst_pkts, 19);
	b.bench.conn.gso_max_bytes = 12000;
	bbr3__set_send_quantum(&call);
	assert_int_equal(b.bench.control.burst_pkts, 8);
	b.bench.conn.gso_max_bytes = 1448;
	bbr3__set_send_quantum(&call);
	assert_int_equal(b.bench.control.burst_pkts, 2);
}

/* In recovery the window is not one to come back to, unless it is larger. */
static void does_not_save_a_window_of_recovery(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 180;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bench.conn.ca_state = FP_CA_RECOVERY;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	b.bench.control.cwnd_pkts = 20;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bbr.prior_cwnd_pkts, 180);
}

/* A STARTUP that a loss ended which was none goes on, and is not over with the
 * next ACK. */
static void goes_on_with_startup_after_an_undo(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_DRAFT);
	b.bench.conn.inflight_pkts = 1000;
	round3(&b, 100, 100000);
	b.bench.conn.ca_state = FP_CA_RECOVERY;
	b.bbr.loss_events_in_round = 6;
	bench_pass(&b.bench, 100 * MS);
	bench_ack(&b.bench, 200, 100000);
	b.bench.ack.newly_lost_pkts = 10;
	b.bench.ack.lost_pkts = 10;
	b.bench.ack.tx_in_flight_pkts = 200;
	step3(&b);
	assert_state3(&b, "drain");
	b.bbr.try_fast_path = 1;
	fp_bbr3_on_undo(&b.bbr, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bbr.try_fast_path, 0);
	b.bench.conn.ca_state = FP_CA_OPEN;
	round3(&b, 300, 100000);
	assert_state3(&b, "startup");
}

/* The first flight ends no round of losses: it is sent before anything is
 * known.
 */
static void the_first_flight_is_no_round_of_losses(void **state)
{
	struct bench3 b;

	open3(&b, FP_BBR3_GOOGLE);
	bench_ack(&b.bench, 1, 100000);
	step3(&b);
	assert_int_equal(b.bbr.loss_round_start, 0);
	round3(&b, 10, 100000);
	assert_int_equal(b.bbr.loss_round_start, 1);
}

/* Marks are remembered for the cycle, and forgotten with what else was seen of
 * it when the next one begins. */
static void a_cycle_begins_without_memories(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	bench_ack(&b.bench, 10, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.delivered_ce_pkts = 1;
	b.bench.ack.lost_pkts = 1;
	step3(&b);
	assert_int_equal(b.bbr.ecn_in_cycle, 1);
	assert_int_equal(b.bbr.loss_in_cycle, 1);
	to_up3(&b, FP_BBR3_GOOGLE);
	b.bbr.ecn_in_cycle = b.bbr.loss_in_cycle = 1;
	b.bbr.ecn_in_round = 1;
	b.bbr.bw_latest = 1000;
	b.bbr.inflight_latest = 100;
	b.bench.control.cwnd_pkts = 300;
	lose3(&b, 200, 20);
	assert_state3(&b, "probe_bw_down");
	assert_int_equal(b.bbr.ecn_in_cycle, 0);
	assert_int_equal(b.bbr.loss_in_cycle, 0);
	assert_int_equal(b.bbr.ecn_in_round, 0);
	assert_int_equal(b.bbr.is_loss_in_round, 0);
	assert_int_equal(b.bbr.bw_latest, 0);
	assert_int_equal(b.bbr.inflight_latest, 0);
}

/* Google's short way is not for rounds with loss or marks. */
static void loss_takes_the_long_way(void **state)
{
	for (uint32_t i = 0; i < 3; i++) {
		struct bench3 b;

		to_cruise3(&b, FP_BBR3_GOOGLE);
		b.bbr.try_fast_path = 1;
		b.bbr.is_loss_in_round = i == 1;
		b.bbr.ecn_in_round = i == 2;
		b.bbr.ack_epoch_acked = 0;
		bench_ack(&b.bench, 50, 100000);
		bench_same_round(&b.bench);
		b.bench.ack.is_app_limited = true;
		b.bench.ack.rtt_us = -1;
		step3(&b);
		assert_int_equal(b.bbr.ack_epoch_acked, i ? 50 : 0);
	}
}

/* A timeout that is over before any ACK came gives the window back as well. */
static void a_timeout_may_end_without_an_ack(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bench.control.cwnd_pkts = 150;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bench.control.cwnd_pkts = 1;
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_LOSS, &b.bench.control);
	b.bench.conn.ca_state = FP_CA_LOSS;
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_OPEN, &b.bench.control);
	assert_int_equal(b.bench.control.cwnd_pkts, 150);
}

/* An idle flow begins its count of aggregated ACKs anew. */
static void idle_time_ends_an_epoch(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.ack_epoch_acked = 100;
	fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TX_START,
			 &b.bench.control);
	assert_int_equal(b.bbr.ack_epoch_acked, 100); /* it was not idle */
	b.bench.conn.app_limited_pkts = 1;
	fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TX_START,
			 &b.bench.control);
	assert_int_equal(b.bbr.ack_epoch_acked, 0);
	assert_int_equal(b.bbr.ack_epoch_us, b.bench.conn.now_ns / 1000);
}

/* A round after a probe the filter moves on, but not where the application
 * limited that round. */
static void a_limited_round_keeps_the_filter(void **state)
{
	for (uint32_t is_limited = 0; is_limited < 2; is_limited++) {
		struct bench3 b;

		to_cruise3(&b, FP_BBR3_GOOGLE);
		b.bbr.ack_phase = FP_BBR3_ACKS_PROBE_STOPPING;
		b.bbr.max_bw_filter[0] = 20000;
		b.bbr.max_bw_filter[1] = 18000;
		bench_pass(&b.bench, 100 * MS);
		bench_ack(&b.bench, 10, 100000);
		b.bench.ack.is_app_limited = is_limited;
		step3(&b);
		assert_int_equal(b.bbr.ack_phase, FP_BBR3_ACKS_INIT);
		assert_int_equal(bbr3_max_bw(&b.bbr),
				 is_limited ? 20000 : 18000);
	}
}

/* PROBE_RTT ends what ACKs tell of a probe, a round later. */
static void probe_rtt_ends_a_probe(void **state)
{
	struct bench3 b;

	to_up3(&b, FP_BBR3_GOOGLE);
	b.bench.conn.inflight_pkts = 100;
	b.bbr.probe_rtt_min_ticks = b.bench.conn.now_ticks - 6 * BENCH_HZ;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.rtt_us = -1;
	step3(&b);
	assert_state3(&b, "probe_rtt");
	assert_int_equal(b.bbr.ack_phase, FP_BBR3_ACKS_PROBE_STOPPING);
	assert_int_equal(b.bbr.is_bw_probe_sample, 1);
	round3(&b, 1, 100000);
	assert_int_equal(b.bbr.ack_phase, FP_BBR3_ACKS_INIT);
	assert_int_equal(b.bbr.is_bw_probe_sample, 0);
}

/* A probe counts its own ACKs. */
static void a_probe_counts_from_zero(void **state)
{
	struct bench3 b;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.bw_probe_up_acked = 77;
	b.bbr.bw_probe_up_rounds = 5;
	bench_pass(&b.bench, 3001 * MS);
	bench_ack(&b.bench, 1, 100000);
	step3(&b);
	assert_state3(&b, "probe_bw_refill");
	assert_int_equal(b.bbr.bw_probe_up_acked, 0);
	assert_int_equal(b.bbr.bw_probe_up_rounds, 0);
}

/* Google's count of an epoch has 20 bits: one that would fill them begins anew.
 * In STARTUP aggregation is remembered for a round, later for 5 to 10. */
static void remembers_aggregation_for_a_while(void **state)
{
	struct bench3 b;
	struct bbr3_call call;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	b.bbr.ack_epoch_acked = (1u << 20) - 10;
	bench_ack(&b.bench, 9, 100000);
	bbr3__update_ack_aggregation(call3(&b, &call));
	assert_int_equal(b.bbr.ack_epoch_acked, (1u << 20) - 1);
	b.bbr.ack_epoch_acked = (1u << 20) - 10;
	bench_ack(&b.bench, 10, 100000);
	bbr3__update_ack_aggregation(&call);
	assert_int_equal(b.bbr.ack_epoch_acked, 10);
	for (uint32_t is_full = 0; is_full < 2; is_full++) {
		uint32_t rounds = 0;

		b.bbr.full_bw_reached = is_full & 1;
		b.bbr.extra_acked_win_rtts = 0;
		b.bbr.extra_acked_win_idx = 0;
		b.bbr.extra_acked[0] = 500;
		while (b.bbr.extra_acked[0] >= 500 && rounds < 20) {
			bench_pass(&b.bench, 1000 * MS);
			bench_ack(&b.bench, 1, 1000000);
			b.bbr.round_start = 1;
			bbr3__update_ack_aggregation(call3(&b, &call));
			rounds++;
		}
		assert_int_equal(rounds, is_full ? 10 : 2);
	}
}

/* The RTT of the path doubles: PROBE_RTT after 5 s, the new least after 10. It
 * halves: at once. */
static void follows_an_rtt_that_changes(void **state)
{
	struct bench3 b;
	uint32_t rounds = 0, probe = 0;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	while (b.bbr.min_rtt_us == 100000 && rounds < 100) {
		rounds++;
		round3(&b, 100, 200000);
		if (b.bbr.state == FP_BBR3_PROBE_RTT && !probe)
			probe = rounds;
	}
	/* 5.0 and 10.0 s less the 0.4 s of the start, in rounds of 0.2 s */
	assert_in_range(probe, 23, 25);
	assert_in_range(rounds, 48, 50);
	assert_int_equal(b.bbr.min_rtt_us, 200000);
	round3(&b, 10, 50000);
	assert_int_equal(b.bbr.min_rtt_us, 50000);
}

/* --- Sequences -------------------------------------------------------------
 */

static void run_from(struct bench3 *b, uint32_t switches, uint32_t origin)
{
	const struct fp_bbr3_config config = { .switches = switches };

	bench_open(&b->bench);
	b->bench.conn.srtt_us = 100000;
	b->bench.conn.min_rtt_us = 100000;
	b->bench.conn.delivered_pkts = origin;
	b->bench.conn.lost_pkts = origin;
	b->bench.conn.now_ticks += origin;
	fp_bbr3_init(&b->bbr, &config, &b->bench.conn, &b->bench.control);
	for (int i = 0; i < 300; i++) {
		uint32_t pkts = i < 5 ? 10u << i : 160;

		bench_pass(&b->bench, 100 * MS);
		b->bench.conn.now_ticks += origin;
		bench_ack(&b->bench, pkts, 100000 + (i > 4 ? 1 : 0));
		if (i % 7 == 0) {
			lose3(b, pkts, 4);
			b->bench.ack.newly_lost_pkts = 1;
			b->bench.ack.lost_pkts = 1;
		}
		step3(b);
	}
}

/* Counters and ticks wrap without a trace. FP_BBR3_ROUND_ZERO apart: it says
 * that counts begin at 0. */
static void wraps_without_a_trace(void **state)
{
	static const uint32_t origins[] = { 0x7fffff80, 0xffffff80, 0x7fffffff,
					    0xfffffff5 };
	static const uint32_t profiles[] = {
		FP_BBR3_GOOGLE, FP_BBR3_DRAFT & ~(uint32_t)FP_BBR3_ROUND_ZERO
	};

	for (int k = 0; k < 2; k++) {
		struct bench3 first, other;

		run_from(&first, profiles[k], 1000);
		for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]);
		     i++) {
			run_from(&other, profiles[k], origins[i]);
			assert_int_equal(other.bench.control.cwnd_pkts,
					 first.bench.control.cwnd_pkts);
			assert_int_equal(
			    other.bench.control.pacing_rate_bytes_per_s,
			    first.bench.control.pacing_rate_bytes_per_s);
			assert_string_equal(fp_bbr3_state_name(&other.bbr),
					    fp_bbr3_state_name(&first.bbr));
			assert_int_equal(other.bbr.round_count,
					 first.bbr.round_count);
		}
	}
}

/* ACKs of any size, RTTs that are none: the window stays within its bounds, the
 * rate is never 0. */
static void survives_odd_acks(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 45, 10000 };
	static const int32_t rtts[] = { 1, 0, -1, INT32_MAX };
	static const uint32_t profiles[] = { FP_BBR3_GOOGLE, FP_BBR3_DRAFT };

	for (int n = 0; n < 5 * 4 * 2; n++) {
		struct bench3 b;

		to_cruise3(&b, profiles[n & 1]);
		b.bench.conn.cwnd_clamp_pkts = 5000;
		for (int i = 0; i < 20; i++) {
			bench_pass(&b.bench, 1000);
			bench_ack(&b.bench, sizes[n % 5], 1000);
			b.bench.ack.rtt_us = rtts[n / 10];
			step3(&b);
			assert_in_range(b.bench.control.cwnd_pkts, 4, 5000);
			assert_true(b.bench.control.pacing_rate_bytes_per_s >
				    0);
		}
		if (rtts[n / 10] < 0)
			assert_int_equal(b.bbr.min_rtt_us, 100000);
	}
}

/* Half the MSS: half the rate; volumes in bytes are twice as many packets. */
static void follows_the_mss(void **state)
{
	struct bench3 b;
	uint64_t rate;

	to_cruise3(&b, FP_BBR3_DRAFT);
	b.bbr.inflight_longterm = 100 * BENCH_MSS_BYTES;
	b.bench.control.cwnd_pkts = 1000;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	rate = b.bench.control.pacing_rate_bytes_per_s;
	assert_int_equal(b.bench.control.cwnd_pkts, 85);
	b.bench.conn.mss_bytes = BENCH_MSS_BYTES / 2;
	b.bench.control.cwnd_pkts = 1000;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	assert_int_equal(b.bench.control.cwnd_pkts, 170);
	assert_in_range(b.bench.control.pacing_rate_bytes_per_s, rate / 2 - 1,
			rate / 2 + 1);
}

static void starts_on_an_established_connection(void **state)
{
	const struct fp_bbr3_config config = { .switches = FP_BBR3_GOOGLE };
	struct bench3 b;

	bench_open(&b.bench);
	b.bench.conn.srtt_us = 50000;
	b.bench.conn.min_rtt_us = 40000;
	b.bench.conn.delivered_pkts = 123456;
	b.bench.control.cwnd_pkts = 321;
	fp_bbr3_init(&b.bbr, &config, &b.bench.conn, &b.bench.control);
	assert_int_equal(b.bench.control.cwnd_pkts, 321);
	assert_int_equal(b.bbr.min_rtt_us, 40000);
	assert_int_equal(b.bbr.init_cwnd_pkts, 127); /* 7 bits */
	bench_ack(&b.bench, 10, 40000);
	b.bench.ack.prior_delivered_pkts = 123455;
	step3(&b);
	assert_int_equal(b.bbr.round_count, 0);
}

static void tells_its_model(void **state)
{
	struct bench3 b;
	struct fp_bbr3_model model;

	to_cruise3(&b, FP_BBR3_GOOGLE);
	fp_bbr3_get_model(&b.bbr, &b.bench.conn, &model);
	/* 16778 x 1448 x 10^6 / 2^24 = 1448067.9 */
	assert_int_equal(model.bw_bytes_per_s, 1448067);
	assert_int_equal(model.min_rtt_us, 100000);
	assert_int_equal(model.pacing_gain_x256, 256);
	assert_int_equal(model.cwnd_gain_x256, 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_bandwidth),
		cmocka_unit_test(paces_below_the_bandwidth),
		cmocka_unit_test(paces_a_fresh_flow),
		cmocka_unit_test(multiplies_the_bdp),
		cmocka_unit_test(allows_few_losses),
		cmocka_unit_test(finds_where_losses_were_too_many),
		cmocka_unit_test(leaves_headroom),
		cmocka_unit_test(gives_way_to_loss),
		cmocka_unit_test(smooths_the_share_of_marks),
		cmocka_unit_test(gives_way_to_marks),
		cmocka_unit_test(leaves_startup_on_marks),
		cmocka_unit_test(doubles_the_growth_of_a_probe),
		cmocka_unit_test(leaves_startup_on_a_plateau),
		cmocka_unit_test(leaves_startup_on_loss),
		cmocka_unit_test(leaves_drain_when_drained),
		cmocka_unit_test(cruises_when_there_is_room),
		cmocka_unit_test(waits_two_to_three_seconds),
		cmocka_unit_test(probes_as_often_as_reno),
		cmocka_unit_test(refills_for_a_round),
		cmocka_unit_test(stops_a_probe_on_a_plateau),
		cmocka_unit_test(stops_a_probe_on_loss),
		cmocka_unit_test(probes_with_care),
		cmocka_unit_test(bounds_the_window),
		cmocka_unit_test(probes_the_rtt),
		cmocka_unit_test(returns_to_startup_from_an_early_probe_rtt),
		cmocka_unit_test(skips_probe_rtt_after_idle_time),
		cmocka_unit_test(survives_a_timeout),
		cmocka_unit_test(undoes_what_a_loss_did),
		cmocka_unit_test(forgets_loss_after_probe_rtt),
		cmocka_unit_test(a_cycle_without_samples_does_not_count),
		cmocka_unit_test(keeps_the_best_of_a_round),
		cmocka_unit_test(a_round_of_losses_begins_with_the_first),
		cmocka_unit_test(saves_once_a_round),
		cmocka_unit_test(sizes_bursts_by_rate_and_rtt),
		cmocka_unit_test(does_not_save_a_window_of_recovery),
		cmocka_unit_test(goes_on_with_startup_after_an_undo),
		cmocka_unit_test(the_first_flight_is_no_round_of_losses),
		cmocka_unit_test(a_cycle_begins_without_memories),
		cmocka_unit_test(loss_takes_the_long_way),
		cmocka_unit_test(a_timeout_may_end_without_an_ack),
		cmocka_unit_test(idle_time_ends_an_epoch),
		cmocka_unit_test(a_limited_round_keeps_the_filter),
		cmocka_unit_test(probe_rtt_ends_a_probe),
		cmocka_unit_test(a_probe_counts_from_zero),
		cmocka_unit_test(remembers_aggregation_for_a_while),
		cmocka_unit_test(follows_an_rtt_that_changes),
		cmocka_unit_test(wraps_without_a_trace),
		cmocka_unit_test(survives_odd_acks),
		cmocka_unit_test(follows_the_mss),
		cmocka_unit_test(starts_on_an_established_connection),
		cmocka_unit_test(tells_its_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
