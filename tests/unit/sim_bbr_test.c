/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both BBRs over simulated paths: the curve of the BBR paper, mistakes of
 * others that only a whole connection can make, and sequences that they imply:
 * idle time in each state, links that come and go, tiny and short paths, a
 * policer.
 */
#include <stdio.h>

#include "sim_bbr_driver.h"

static const char *const versions[] = { "bbr", "bbr3", "bbr3:draft" };
#define VERSIONS 3

/* --- Random loss -----------------------------------------------------------
 */

/* The share of a link of 100 Mbit/s, 100 ms and a BDP of queue that a flow gets
 * over 30 s, once it has started, at a loss of so many ppm. */
static double share_of_seed(const char *algorithm, uint32_t loss_ppm,
			    uint64_t seed)
{
	struct trial trial;
	double share;

	trial_init(&trial, algorithm, 100 * MBIT, 100 * MS, 1000);
	trial.seed = seed;
	trial.is_unseen = true;
	trial.warmup_ns = 5 * S;
	trial.duration_ns = 30 * S;
	trial.before_count = 1;
	trial.before[0].kind = FP_STAGE_LOSS;
	trial.before[0].loss.model = FP_LOSS_RANDOM;
	trial.before[0].loss.random.probability_ppm = loss_ppm;
	trial_run(&trial);
	share = (double)trial.result.flows[0].goodput_bps /
		payload_bps(trial.rate_bps);
	trial_fini(&trial);
	return share;
}

static double share_at_loss(const char *algorithm, uint32_t loss_ppm)
{
	return share_of_seed(algorithm, loss_ppm, 1);
}

/* The median of five seeds: from 10 % on a run of losses may take the probe's
 * gain away, and the flow is slow in one run and fast in the next. */
static double median_at_loss(const char *algorithm, uint32_t loss_ppm)
{
	double shares[5];

	for (uint64_t i = 0; i < 5; i++) {
		double share = share_of_seed(algorithm, loss_ppm, i + 1);
		uint64_t at = i;

		for (; at > 0 && shares[at - 1] > share; at--)
			shares[at] = shares[at - 1];
		shares[at] = share;
	}
	return shares[2];
}

/*
 * "BBR: Congestion-Based Congestion Control", figure 8: link x (1 - loss) up to
 * 5 %. Of the link a flow without loss gets less, too: 1 % is the pacing
 * margin, 2 % PROBE_RTT (0.2 of 10 s), and what a probe queues is not lost; 8 %
 * is the slack that all of it has.
 */
static void bbr_follows_the_link_up_to_5_percent(void **state)
{
	static const uint32_t losses[] = { 10, 1000, 10000, 50000 };

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		double share = share_at_loss("bbr", losses[i]);
		double expected = 1 - losses[i] / 1e6;

		if (share < 0.92 * expected || share > expected)
			fail_msg("%.3f of the link at %u ppm of loss", share,
				 losses[i]);
	}
}

/* Likewise: a probe sends 1.25 of bw, so that from 1 - 1 / 1.25 = 20 % of loss
 * on none brings more than bw, and bw shrinks with each. The curve is steep on
 * both sides of it. */
static void bbr_falls_near_20_percent(void **state)
{
	assert_true(median_at_loss("bbr", 100000) > 0.7);
	assert_true(median_at_loss("bbr", 250000) < 0.1);
}

/* Version 3 takes more than 2 % of loss in a probe for too much in flight: its
 * curve has its knee there (5/256, 2 %), not at 20 %. */
static void bbr3_falls_beyond_2_percent(void **state)
{
	for (size_t i = 1; i < VERSIONS; i++) {
		assert_true(share_at_loss(versions[i], 5000) > 0.75);
		assert_true(share_at_loss(versions[i], 50000) < 0.2);
	}
}

/* --- Mistakes of others ----------------------------------------------------
 */

/* ngtcp2 b1b944ba: a flow that waits for its pacer is not limited by its
 * application. A bulk flow has no sample that says so, but those of its first
 * round (as in Linux) and of PROBE_RTT, where BBR itself does. */
static void pacing_is_no_limit_of_the_application(void **state)
{
	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;
		uint64_t since_ns = 0;

		trial_init(&trial, versions[k], 20 * MBIT, 40 * MS, 1000);
		trial_run(&trial);
		for (size_t i = 0; i < trial.count; i++) {
			const struct look *look = &trial.looks[i];

			if (strcmp(look->state, "probe_rtt") == 0)
				since_ns = look->time_ns;
			/* a round later its last packets have arrived */
			if (look->kind == FP_SIM_EVENT_ACK &&
			    look->sample.is_app_limited &&
			    look->time_ns > 100 * MS)
				assert_true(since_ns > 0 &&
					    look->time_ns <
						since_ns + 150 * MS);
		}
		trial_fini(&trial);
	}
}

/* cloudflare a56ec1ec; picoquic #2118: no samples, or none that were valid, on
 * paths of some microseconds; the flow froze. 1 Gbit/s and 100 us are 8
 * packets: it leaves STARTUP and keeps more than half of the link, though each
 * burst is a part of the BDP. */
static void short_paths_are_used(void **state)
{
	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;
		size_t left;

		trial_init(&trial, versions[k], 1000 * MBIT, 100000, 500);
		trial.duration_ns = 1 * S;
		trial_run(&trial);
		left = find_state(&trial, 0, NULL);
		assert_true(left != NOT_FOUND);
		assert_true(trial.looks[left].time_ns < 100 * MS);
		assert_true((double)trial.result.flows[0].goodput_bps >
			    0.5 * payload_bps(1000 * MBIT));
		trial_fini(&trial);
	}
}

/* Longest time without an ACK. */
static double longest_gap_ms(const struct trial *trial, size_t from)
{
	double longest = 0;

	for (size_t i = from, last = from; i < trial->count; i++) {
		if (trial->looks[i].kind != FP_SIM_EVENT_ACK)
			continue;
		if (ms_between(trial, last, i) > longest)
			longest = ms_between(trial, last, i);
		last = i;
	}
	return longest;
}

/* picoquic #839: stalls of 10 s. 40 s of a bulk flow over a queue of a quarter
 * of a BDP: no silence is longer than the RTT with a full queue, 50 ms, and a
 * timeout of 200 ms more. */
static void a_bulk_flow_does_not_stall(void **state)
{
	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;

		trial_init(&trial, versions[k], 20 * MBIT, 40 * MS, 16);
		trial.duration_ns = 40 * S;
		trial_run(&trial);
		assert_true(longest_gap_ms(&trial, 0) < 250);
		trial_fini(&trial);
	}
}

/* picoquic #1697: slow regrowth after an outage. The link stands still for 2 s:
 * 3 s after it is back (a probe is due in that time) the flow has 80 % of it.
 */
static void a_flow_comes_back_after_an_outage(void **state)
{
	static const struct fp_rate_step steps[] = { { 6 * S, 0 },
						     { 8 * S, 20 * MBIT } };

	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;

		trial_init(&trial, versions[k], 20 * MBIT, 40 * MS, 200);
		trial.steps = steps;
		trial.step_count = 2;
		trial_run(&trial);
		assert_true(delivered_bps(&trial, look_at(&trial, 11 * S),
					  look_at(&trial, 14 * S)) >
			    0.8 * payload_bps(20 * MBIT));
		trial_fini(&trial);
	}
}

/* --- Sequences -------------------------------------------------------------
 */

/* The application pauses for 1 s, once in each state that a bulk flow came to.
 * Whatever the state, what it sends afterwards arrives, without a silence
 * longer than the pause, a timeout and an RTT, at 70 % of the link in the next
 * second and a half (PROBE_RTT may take 0.2 s of it). */
static void idle_time_in_any_state(void **state)
{
	static const char *const states[] = {
		"startup",         "drain",           "probe_bw_down",
		"probe_bw_cruise", "probe_bw_refill", "probe_bw_up",
		"probe_rtt",
	};

	for (size_t k = 0; k < VERSIONS; k++)
		for (size_t n = 0; n < sizeof(states) / sizeof(states[0]);
		     n++) {
			struct trial trial;
			uint64_t at_ns;
			size_t at, restart;

			trial_init(&trial, versions[k], 20 * MBIT, 40 * MS,
				   200);
			trial.duration_ns = 12 * S;
			trial_run(&trial);
			at = n == 0 ? look_at(&trial, 200 * MS)
				    : find_state(&trial, 0, states[n]);
			if (at == NOT_FOUND) { /* v1 has no REFILL */
				assert_string_equal(versions[k], "bbr");
				trial_fini(&trial);
				continue;
			}
			at_ns = trial.looks[at].time_ns + 5 * MS;
			trial_fini(&trial);

			trial_init(&trial, versions[k], 20 * MBIT, 40 * MS,
				   200);
			trial.flow.source.kind = FP_SIM_ON_OFF;
			trial.flow.source.on_ns = at_ns;
			trial.flow.source.off_ns = 1 * S;
			trial.duration_ns = at_ns + 4 * S;
			trial_run(&trial);
			restart = look_at(&trial, at_ns + 1 * S);
			assert_true(longest_gap_ms(&trial, 0) < 1300);
			if (at_ns > 1600 * MS)
				assert_true(
				    delivered_bps(
					&trial, restart,
					look_at(&trial, at_ns + 2500 * MS)) >
				    0.7 * payload_bps(20 * MBIT));
			trial_fini(&trial);
		}
}

/* The link has 20 and 2 Mbit/s in turn, ten times, for 4 s each. In the second
 * half of each 20 the flow has found it again (a probe is due each 3 s): half
 * of it or more on the mean, and its model follows it down. */
static void a_link_that_changes_ten_times(void **state)
{
	struct fp_rate_step steps[10];

	for (size_t i = 0; i < 10; i++) {
		steps[i].at_ns = (i + 1) * 4 * S;
		steps[i].rate_bps = i % 2 ? 20 * MBIT : 2 * MBIT;
	}
	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;
		double fast = 0, slow = 0;

		trial_init(&trial, versions[k], 20 * MBIT, 40 * MS, 200);
		trial.steps = steps;
		trial.step_count = 10;
		trial.duration_ns = 44 * S;
		trial_run(&trial);
		for (size_t i = 0; i < 10; i++) {
			size_t from = look_at(&trial, steps[i].at_ns + 2 * S);
			size_t to = look_at(&trial, steps[i].at_ns + 3900 * MS);
			double bps = delivered_bps(&trial, from, to);

			if (i % 2)
				fast += bps / 5;
			else
				slow += bps / 5;
		}
		assert_true(fast > 0.5 * payload_bps(20 * MBIT));
		assert_true(slow > 0.8 * payload_bps(2 * MBIT));
		trial_fini(&trial);
	}
}

/* A BDP of 4 packets: 4.85 Mbit/s, 10 ms. The window is never below 4, and the
 * link is used to 85 % or more (1 % margin, PROBE_RTT, bursts of two). */
static void a_bdp_of_four_packets(void **state)
{
	for (size_t k = 0; k < VERSIONS; k++) {
		struct trial trial;

		trial_init(&trial, versions[k], 4850000, 10 * MS, 20);
		trial_run(&trial);
		for (size_t i = 1; i < trial.count; i++)
			if (trial.looks[i].kind == FP_SIM_EVENT_ACK)
				assert_true(trial.looks[i].cwnd_pkts >= 4);
		assert_true((double)trial.result.flows[0].goodput_bps >
			    0.85 * payload_bps(trial.rate_bps));
		trial_fini(&trial);
	}
}

/* Version 1 finds a policer: it paces at the policed rate, and loses little
 * while it does. 10 Mbit/s with a bucket of 100 kB, ahead of a link of 100. */
static void bbr_finds_a_policer(void **state)
{
	struct trial trial;
	size_t policed, end;
	uint64_t lost = 0, sent = 0;
	double bw;

	trial_init(&trial, "bbr", 100 * MBIT, 40 * MS, 1000);
	trial.before_count = 1;
	trial.before[0].kind = FP_STAGE_POLICER;
	trial.before[0].policer.rate_bps = 10 * MBIT;
	trial.before[0].policer.burst_bytes = 100000;
	trial_run(&trial);
	policed = must_find(&trial, 0, "probe_bw_policed");
	bw = (double)trial.looks[policed].model.bw_bytes_per_s * 8;
	assert_true(bw > 0.9 * payload_bps(10 * MBIT));
	assert_true(bw < 1.1 * payload_bps(10 * MBIT));
	assert_int_equal(trial.looks[policed].model.pacing_gain_x256, 256);
	end = find_state(&trial, policed, NULL);
	if (end == NOT_FOUND)
		end = trial.count - 1;
	/* 48 rounds of 40 ms */
	assert_true(ms_between(&trial, policed, end) > 1800);
	for (size_t i = policed; i < end; i++) {
		if (trial.looks[i].kind == FP_SIM_EVENT_LOST)
			lost += trial.looks[i].pkts;
		if (trial.looks[i].kind == FP_SIM_EVENT_SENT)
			sent += trial.looks[i].pkts;
	}
	/* 10 % above it, at most, would be a tenth */
	assert_true((double)lost < 0.1 * (double)sent);
	trial_fini(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bbr_follows_the_link_up_to_5_percent),
		cmocka_unit_test(bbr_falls_near_20_percent),
		cmocka_unit_test(bbr3_falls_beyond_2_percent),
		cmocka_unit_test(pacing_is_no_limit_of_the_application),
		cmocka_unit_test(short_paths_are_used),
		cmocka_unit_test(a_bulk_flow_does_not_stall),
		cmocka_unit_test(a_flow_comes_back_after_an_outage),
		cmocka_unit_test(idle_time_in_any_state),
		cmocka_unit_test(a_link_that_changes_ten_times),
		cmocka_unit_test(a_bdp_of_four_packets),
		cmocka_unit_test(bbr_finds_a_policer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
