/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The 27 differences between Google's BBRv3 and the draft: each switch alone
 * changes the one thing that it names. */
#include "cc_bbr3_bench.h"

/* What is looked at, with these switches. */

/* One packet per 10 ms: 1.0001 packets of 1448 bytes. */
static uint32_t bdp_of_one_packet(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bbr.min_rtt_us = 10000;
	return bbr3__bdp_multiple(call3(&b, &call), 1678, BBR3_ONE);
}

static uint32_t gain_of_state(uint32_t switches, enum fp_bbr3_state state)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bbr.state = (uint32_t)state & 7;
	bbr3__update_gains(call3(&b, &call));
	return b.bbr.pacing_gain;
}

static uint32_t drain_gain(uint32_t switches)
{
	return gain_of_state(switches, FP_BBR3_DRAIN);
}

static uint32_t down_gain(uint32_t switches)
{
	return gain_of_state(switches, FP_BBR3_DOWN);
}

/* Rounds in DRAIN with more than a BDP in flight; at most 20 are tried. */
static uint32_t rounds_of_drain(uint32_t switches)
{
	struct bench3 b;
	uint32_t rounds = 0;

	open3(&b, switches);
	b.bench.conn.inflight_pkts = 300;
	for (int i = 0; i < 4; i++)
		round3(&b, 100, 100000);
	assert_state3(&b, "drain");
	for (; b.bbr.state == FP_BBR3_DRAIN && rounds < 20; rounds++)
		round3(&b, 100, 100000);
	return rounds;
}

/* 110 in flight in DRAIN, of which 16 (16778 x 10000 >> 24 = 9.99: 9) will have
 * arrived before the next departure 10 ms on. The BDP is 101. */
static uint32_t is_drained_at_the_next_departure(uint32_t switches)
{
	struct bench3 b;

	open3(&b, switches);
	b.bench.conn.inflight_pkts = 300;
	for (int i = 0; i < 5; i++)
		round3(&b, 100, 100000);
	assert_state3(&b, "drain");
	b.bench.conn.inflight_pkts = 110;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.conn.edt_ns = b.bench.conn.now_ns + 10000000;
	step3(&b);
	return b.bbr.state != FP_BBR3_DRAIN;
}

static uint32_t level_of_1000(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bbr.inflight_longterm = 1000;
	return bbr3__inflight_with_headroom(call3(&b, &call));
}

/* A better sample in the middle of a round. */
static uint32_t baseline_after_a_good_ack(uint32_t switches)
{
	struct bench3 b;

	open3(&b, switches);
	round3(&b, 100, 100000);
	bench_ack(&b.bench, 200, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	return b.bbr.full_bw;
}

static void end_startup_by_loss(struct bench3 *b, uint32_t switches)
{
	open3(b, switches);
	b->bench.conn.inflight_pkts = 1000;
	round3(b, 100, 100000);
	b->bench.conn.ca_state = FP_CA_RECOVERY;
	b->bbr.loss_events_in_round = 6;
	bench_pass(&b->bench, 100 * MS);
	bench_ack(&b->bench, 200, 100000);
	b->bench.ack.newly_lost_pkts = 10;
	b->bench.ack.lost_pkts = 10;
	b->bench.ack.tx_in_flight_pkts = 200;
	step3(b);
	assert_state3(b, "drain");
}

static uint32_t full_now_after_startup_loss(uint32_t switches)
{
	struct bench3 b;

	end_startup_by_loss(&b, switches);
	return b.bbr.full_bw_now;
}

/* One of 1000 lost, to a peer without SACK. */
static uint32_t one_loss_without_sack(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;
	const struct bbr3_flight flight = { .tx_in_flight = 1000, .lost = 1 };

	open3(&b, switches);
	b.bench.conn.has_sack = false;
	return bbr3__is_inflight_too_high(call3(&b, &call), &flight);
}

/* An ACK in UP whose flight lost a tenth, while no packet was given up. */
static uint32_t is_up_after_a_lossy_ack(uint32_t switches)
{
	struct bench3 b;

	to_up3(&b, switches);
	bench_ack(&b.bench, 10, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.tx_in_flight_pkts = 100;
	b.bench.ack.lost_pkts = 10;
	step3(&b);
	return b.bbr.state == FP_BBR3_UP;
}

/* A round with an echo of congestion. 16778 x 180 >> 8 would be 11797, but the
 * round delivered 50 per 100 ms: 8389. */
static uint32_t bandwidth_after_an_echo(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	round3(&b, 50, 100000);
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.delivered_pkts = 50;
	b.bench.ack.is_ece = true;
	step3(&b);
	round3(&b, 50, 100000);
	return bbr3_bw(&b.bbr);
}

/* A burst of 60 in the last round of one of Google's windows of 5, and 8 rounds
 * after it: both windows have begun anew since, a window of 10 has not. */
static uint32_t aggregation_after_8_rounds(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	to_cruise3(&b, switches);
	b.bbr.extra_acked_win_rtts = 3;
	b.bbr.extra_acked[0] = 0;
	b.bbr.extra_acked[1] = 0;
	(void)fp_minmax_reset(&b.bbr.extra_acked_filter, b.bbr.round_count, 0);
	call3(&b, &call);
	for (int i = 0; i < 9; i++) {
		bench_pass(&b.bench, 1000000);
		bench_ack(&b.bench, i == 0 ? 60 : 1, 1000000);
		b.bbr.round_start = 1;
		b.bbr.round_count++;
		b.bbr.ack_epoch_acked = 0;
		bbr3__update_ack_aggregation(&call);
	}
	if (switches & FP_BBR3_LONG_AGGREGATION)
		return fp_minmax_get(&b.bbr.extra_acked_filter);
	return bbr_max(b.bbr.extra_acked[0], b.bbr.extra_acked[1]);
}

/* 14480000 bytes a second, RTT 100 ms: >> 10 is 14140, 9 packets; 1 ms is
 * 14480, 10. */
static uint32_t burst_of_100_mbit(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bench.control.pacing_rate_bytes_per_s = 14480000;
	bbr3__set_send_quantum(call3(&b, &call));
	return b.bench.control.burst_pkts;
}

/* A window of 14 above its target of 6 (bursts of 2), with an initial window of
 * 10 delivered: Google lets it grow below 20. */
static uint32_t early_window(uint32_t switches)
{
	struct bench3 b;

	open3(&b, switches);
	b.bench.control.cwnd_pkts = 14;
	b.bench.conn.delivered_pkts = 10;
	bench_ack(&b.bench, 1, 1000000);
	b.bench.ack.rtt_us = -1;
	step3(&b);
	return b.bench.control.cwnd_pkts;
}

/* STARTUP ended by a loss that was none. */
static uint32_t state_after_undo(uint32_t switches)
{
	struct bench3 b;

	end_startup_by_loss(&b, switches);
	fp_bbr3_on_undo(&b.bbr, &b.bench.conn, &b.bench.control);
	return b.bbr.state;
}

/* The long-term bound that a probe's loss lowered before recovery began. */
static uint32_t bound_after_undo(uint32_t switches)
{
	struct bench3 b;

	to_up3(&b, switches);
	b.bbr.inflight_longterm = 250;
	b.bench.control.cwnd_pkts = 300;
	lose3(&b, 200, 10);
	assert_true(b.bbr.inflight_longterm < 250);
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	fp_bbr3_on_undo(&b.bbr, &b.bench.conn, &b.bench.control);
	return b.bbr.inflight_longterm == 250;
}

/* A short-term bound above the long-term one, when DOWN turns to CRUISE. */
static uint32_t short_bound_in_cruise(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	b.bbr.state = FP_BBR3_DOWN;
	b.bbr.inflight_longterm = 120;
	b.bbr.inflight_shortterm = 150;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.tx_in_flight_pkts = 1;
	step3(&b);
	assert_state3(&b, "probe_bw_cruise");
	return b.bbr.inflight_shortterm;
}

/* Marks in this cycle, no loss, and an ACK without any. */
static uint32_t state_after_marks(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	b.bbr.is_ecn_eligible = 1;
	b.bbr.ecn_in_cycle = 1;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	return b.bbr.state;
}

/* 10 s without a lower RTT, then the ACK of a lone small packet. */
static uint32_t rtt_of_a_delayed_ack(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	bench_pass(&b.bench, 10100 * MS);
	bench_ack(&b.bench, 1, 140000);
	b.bench.ack.is_ack_delayed = true;
	step3(&b);
	return b.bbr.min_rtt_us;
}

/* A tail of 1 of 21 that a loss probe repaired, while a probe of bw runs. */
static uint32_t is_up_after_a_repaired_tail(uint32_t switches)
{
	struct bench3 b;

	to_up3(&b, switches);
	b.bbr.inflight_latest = 20;
	fp_bbr3_on_event(&b.bbr, &b.bench.conn, FP_CC_TLP_RECOVERY,
			 &b.bench.control);
	return b.bbr.state == FP_BBR3_UP;
}

static uint32_t window_gain_of_probe_rtt(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bbr.state = FP_BBR3_PROBE_RTT;
	bbr3__update_gains(call3(&b, &call));
	return b.bbr.cwnd_gain;
}

static uint32_t first_rtt(uint32_t switches)
{
	const struct fp_bbr3_config config = { .switches = switches };
	struct bench3 b;

	bench_open(&b.bench);
	b.bench.conn.srtt_us = 50000;
	b.bench.conn.min_rtt_us = 40000;
	fp_bbr3_init(&b.bbr, &config, &b.bench.conn, &b.bench.control);
	return b.bbr.min_rtt_us;
}

/* Chosen when 500 packets had arrived; then an ACK of one sent before. */
static uint32_t rounds_after_an_old_packet(uint32_t switches)
{
	const struct fp_bbr3_config config = { .switches = switches };
	struct bench3 b;

	bench_open(&b.bench);
	b.bench.conn.delivered_pkts = 500;
	fp_bbr3_init(&b.bbr, &config, &b.bench.conn, &b.bench.control);
	bench_ack(&b.bench, 1, 100000);
	b.bench.ack.prior_delivered_pkts = 450;
	step3(&b);
	return b.bbr.round_count;
}

/* A flow that the application limits, at its target: is aggregation looked at?
 */
static uint32_t is_aggregation_seen_at_the_target(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	b.bbr.try_fast_path = 1;
	b.bbr.ack_epoch_acked = 0;
	bench_ack(&b.bench, 50, 100000);
	bench_same_round(&b.bench);
	b.bench.ack.is_app_limited = true;
	b.bench.ack.rtt_us = -1;
	step3(&b);
	return b.bbr.ack_epoch_acked > 0;
}

static uint32_t window_in_drain(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;

	open3(&b, switches);
	b.bbr.state = FP_BBR3_DRAIN;
	b.bbr.inflight_longterm = 100;
	b.bench.control.cwnd_pkts = 500;
	bbr3__bound_cwnd_for_model(call3(&b, &call));
	return b.bench.control.cwnd_pkts;
}

static uint32_t window_after_fast_recovery(uint32_t switches)
{
	struct bench3 b;

	to_cruise3(&b, switches);
	b.bench.control.cwnd_pkts = 150;
	fp_bbr3_on_congestion(&b.bbr, &b.bench.conn, &b.bench.control);
	b.bench.conn.ca_state = FP_CA_RECOVERY;
	bench_ack(&b.bench, 1, 100000);
	bench_same_round(&b.bench);
	step3(&b);
	b.bench.control.cwnd_pkts = 90;
	fp_bbr3_on_state(&b.bbr, &b.bench.conn, FP_CA_OPEN, &b.bench.control);
	return b.bench.control.cwnd_pkts;
}

/* 50 of 1000 were lost before this packet; 5 x 999 / 256 = 19.5, so 20 are
 * allowed; (50 - 20) x 256 / 251 = 30 less. */
static uint32_t level_of_too_many_losses(uint32_t switches)
{
	struct bench3 b;
	struct bbr3_call call;
	const struct bbr3_flight flight = { .tx_in_flight = 1000, .lost = 51 };

	open3(&b, switches);
	return bbr3__inflight_at_loss(call3(&b, &call), &flight, 1);
}

static const struct {
	uint32_t bit;
	uint32_t (*look)(uint32_t switches);
	uint32_t google, draft;
} rows[] = {
	{ FP_BBR3_BYTES, bdp_of_one_packet, 2, 1449 },
	{ FP_BBR3_DRAIN_GAIN, drain_gain, 11000, 16000 },
	{ FP_BBR3_DRAIN_TIMEOUT, rounds_of_drain, 20, 4 },
	{ FP_BBR3_PLAIN_INFLIGHT, is_drained_at_the_next_departure, 1, 0 },
	{ FP_BBR3_DOWN_GAIN, down_gain, 29000, 28800 },
	{ FP_BBR3_EXACT_SHARES, level_of_1000, 852, 850 },
	{ FP_BBR3_ROUND_GROWTH, baseline_after_a_good_ack, 33555, 16778 },
	{ FP_BBR3_LOSS_EXIT_NOW, full_now_after_startup_loss, 0, 1 },
	{ FP_BBR3_NO_SACK, one_loss_without_sack, 0, 1 },
	{ FP_BBR3_PER_PACKET, is_up_after_a_lossy_ack, 0, 1 },
	{ FP_BBR3_CE_AS_LOSS, bandwidth_after_an_echo, 16778, 11797 },
	{ FP_BBR3_LONG_AGGREGATION, aggregation_after_8_rounds, 1, 60 },
	{ FP_BBR3_QUANTUM, burst_of_100_mbit, 9, 10 },
	{ FP_BBR3_DELIVERED_GROWTH, early_window, 15, 14 },
	{ FP_BBR3_UNDO_STATE, state_after_undo, FP_BBR3_DRAIN,
	  FP_BBR3_STARTUP },
	{ FP_BBR3_SAVE_AT_LOSS, bound_after_undo, 0, 1 },
	{ FP_BBR3_CRUISE_BOUND, short_bound_in_cruise, 120, 150 },
	{ FP_BBR3_NO_ECN_REPROBE, state_after_marks, FP_BBR3_REFILL,
	  FP_BBR3_CRUISE },
	{ FP_BBR3_ANY_ACK_RTT, rtt_of_a_delayed_ack, 100000, 140000 },
	{ FP_BBR3_NO_TLP, is_up_after_a_repaired_tail, 0, 1 },
	{ FP_BBR3_PROBE_RTT_GAIN, window_gain_of_probe_rtt, 32000, 16000 },
	{ FP_BBR3_SRTT_START, first_rtt, 40000, 50000 },
	{ FP_BBR3_ROUND_ZERO, rounds_after_an_old_packet, 0, 1 },
	{ FP_BBR3_NO_FAST_PATH, is_aggregation_seen_at_the_target, 0, 1 },
	{ FP_BBR3_DRAIN_BOUND, window_in_drain, 500, 100 },
	{ FP_BBR3_RESTORE_CWND, window_after_fast_recovery, 90, 150 },
	{ FP_BBR3_NEGATIVE_PREFIX, level_of_too_many_losses, 999, 969 },
};

static void each_switch_changes_what_it_names(void **state)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t google = rows[i].look(FP_BBR3_GOOGLE);
		uint32_t draft = rows[i].look(FP_BBR3_GOOGLE | rows[i].bit);

		if (google != rows[i].google || draft != rows[i].draft)
			fail_msg("switch %zu: %u and %u, not %u and %u", i,
				 google, draft, rows[i].google, rows[i].draft);
		seen |= rows[i].bit;
	}
	assert_int_equal(seen, (1u << 27) - 1);
}

/* What one switch changes, no other does. Volumes in bytes change the unit of
 * what is looked at, so that one is left out. */
static void no_switch_does_another_ones_work(void **state)
{
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	for (size_t i = 1; i < count; i++)
		for (size_t k = 1; k < count; k++)
			if (k != i &&
			    rows[i].look(rows[k].bit) != rows[i].google)
				fail_msg("switch %zu also changes %zu", k, i);
}

/* The draft's profile is all of them but the one that is in no pseudocode. */
static void the_draft_is_a_set_of_switches(void **state)
{
	assert_int_equal(FP_BBR3_GOOGLE, 0);
	assert_int_equal(FP_BBR3_DRAFT | (uint32_t)FP_BBR3_DRAIN_BOUND,
			 (1u << 27) - 1);
	assert_int_equal(FP_BBR3_DRAFT & (uint32_t)FP_BBR3_DRAIN_BOUND, 0);
	assert_int_equal(FP_BBR3_DRAFT & (uint32_t)FP_BBR3_ECN_LOW, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_switch_changes_what_it_names),
		cmocka_unit_test(no_switch_does_another_ones_work),
		cmocka_unit_test(the_draft_is_a_set_of_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
