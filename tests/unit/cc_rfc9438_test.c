/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The profile rfc9438 against RFC 9438 written down in floating point: both are
 * told the same, and have the same window at each ACK.
 */
#include <math.h>

#include "base/prng.h"
#include "cc_driver.h"

/* RFC 9438's variables, windows in segments, time in seconds. */
struct reference {
	long double cwnd, w_max, k, epoch_start, w_est, cwnd_prior;
	bool has_epoch;
};

#define C    0.4L
#define BETA 0.7L

/* Equation 1. */
static long double w_cubic(const struct reference *ref, long double t)
{
	return C * powl(t - ref->k, 3) + ref->w_max;
}

/* 4.2: K of equation 2; after slow start without a loss W_max is cwnd (4.10).
 */
static void begin_epoch(struct reference *ref, long double now)
{
	ref->has_epoch = true;
	ref->epoch_start = now;
	ref->w_est = ref->cwnd;
	if (ref->w_max < ref->cwnd)
		ref->w_max = ref->cwnd;
	ref->k = cbrtl((ref->w_max - ref->cwnd) / C);
}

static long double cwnd_of(const struct cc_driver *driver)
{
	return driver->control.cwnd_pkts +
	       ldexpl(driver->cc.cubic.fraction_shl32, -32);
}

/* What the core's units come to: three of time (now, K, and the RTT, 1/1024 s
 * each) on the curve, and four of window (1/128). And an ACK's share of half a
 * packet, where one of them takes Reno's window for back a moment earlier. */
static long double slack_at(const struct reference *ref, long double t,
			    long double acked)
{
	return 3 * C * powl(t - ref->k, 2) * 3 / 1024 + 4.0L / 128 +
	       acked / ref->cwnd / 2;
}

/* 4.2 to 4.5, for "acked" segments. Where the curve and Reno's window are so
 * close that the core may take the other one for the larger, either is right:
 * the one that the core has. */
static void reference_ack(struct reference *ref, const struct cc_driver *core,
			  long double acked)
{
	long double srtt = core->conn.srtt_us / 1e6L;
	long double t, above_reno, target, reno, cubic;

	t = core->conn.now_ns / 1e9L - ref->epoch_start;
	above_reno = w_cubic(ref, t) - ref->w_est;
	reno = fmaxl(ref->cwnd, ref->w_est);
	target = w_cubic(ref, t + srtt);
	target = fminl(fmaxl(target, ref->cwnd), 1.5L * ref->cwnd);
	cubic = ref->cwnd +
		(target - ref->cwnd) * fminl(acked, ref->cwnd) / ref->cwnd;
	if (fabsl(above_reno) < slack_at(ref, t, acked))
		above_reno =
		    fabsl(reno - cwnd_of(core)) - fabsl(cubic - cwnd_of(core));
	ref->cwnd = above_reno < 0 ? reno : cubic;
}

/* 4.3. */
static void reference_count(struct reference *ref, long double now,
			    long double acked)
{
	long double alpha = 3 * (1 - BETA) / (1 + BETA);

	if (!ref->has_epoch) {
		begin_epoch(ref, now);
		return;
	}
	if (ref->w_est >= ref->cwnd_prior)
		alpha = 1;
	ref->w_est += alpha * acked / ref->cwnd;
}

/* 4.6 and 4.7, with a window of data in flight. */
static void reference_lose(struct reference *ref)
{
	ref->w_max =
	    ref->cwnd < ref->w_max ? ref->cwnd * (1 + BETA) / 2 : ref->cwnd;
	ref->cwnd_prior = ref->cwnd;
	ref->cwnd = fmaxl(ref->cwnd * BETA, 2);
	ref->has_epoch = false;
}

struct course {
	uint32_t rtt_us, cwnd_pkts, acked_pkts;
	uint64_t loss_every_pkts; /* on average */
};

static void check(const char *what, long double core, long double reference,
		  long double slack)
{
	if (fabsl(core - reference) > slack)
		fail_msg("%s %.6Lf is not %.6Lf", what, core, reference);
}

/* A loss to both. They must agree in what it leaves; then the reference starts
 * from there, so that differences do not add up over epochs. Fast convergence
 * of a window that is the maximum, but for the units, is up to the core. A
 * window of data is in flight, or more. */
static void lose_both(struct reference *ref, struct cc_driver *core,
		      long double slack)
{
	const struct fp_cubic_curve *curve = &core->cc.cubic.curve;
	bool is_tie = fabsl(ref->cwnd - ref->w_max) < slack;
	long double cwnd = ref->cwnd;

	core->conn.packets_out_pkts = UINT32_MAX;
	(void)cc_lose(core);
	reference_lose(ref);
	if (is_tie && curve->last_max_pkts_x128 / 128.0L < 0.9L * cwnd)
		ref->w_max = cwnd * (1 + BETA) / 2;
	else if (is_tie)
		ref->w_max = cwnd;
	check("after a loss the maximum", curve->last_max_pkts_x128 / 128.0L,
	      ref->w_max, slack);
	check("after a loss the window", cwnd_of(core), ref->cwnd, slack);
	ref->w_max = curve->last_max_pkts_x128 / 128.0L;
	ref->cwnd = cwnd_of(core);
}

static void follow(const struct course *course, uint32_t seed)
{
	struct cc_driver driver;
	struct reference ref = { .cwnd = course->cwnd_pkts };
	uint64_t now_ns = 10 * S;
	uint64_t left = course->loss_every_pkts;
	struct fp_prng prng;

	fp_prng_init(&prng, seed, 0);
	cc_begin(&driver, "cubic:rfc9438", course->cwnd_pkts, 2);
	driver.conn.srtt_us = course->rtt_us;
	for (uint32_t i = 0; i < 100000; i++) {
		long double slack;

		cc_at(&driver, now_ns);
		(void)cc_ack(&driver, course->acked_pkts);
		reference_count(&ref, now_ns / 1e9L, course->acked_pkts);
		reference_ack(&ref, &driver, course->acked_pkts);
		slack = slack_at(&ref, now_ns / 1e9L - ref.epoch_start,
				 course->acked_pkts);
		check("the window", cwnd_of(&driver), ref.cwnd, slack);
		now_ns += course->rtt_us * UINT64_C(1000) * course->acked_pkts /
			  driver.control.cwnd_pkts;
		if (left > course->acked_pkts) {
			left -= course->acked_pkts;
			continue;
		}
		lose_both(&ref, &driver, slack);
		left = 1 + fp_prng_next(&prng) % (2 * course->loss_every_pkts);
	}
}

/* Small windows and large, concave, convex and Reno's region; ACKs of 1, 2, 45
 * packets (flaw 15 in the list of what others got wrong: ngtcp2 42d626f8, an
 * ACK of many grew as one of one; flaw 19, cloudflare/quiche cf2a0875: what is
 * left of a packet is kept), and of far more than a window. */
static void has_the_rfcs_window_at_each_ack(void **state)
{
	const struct course courses[] = {
		{ 100000, 10, 1, 100 },    { 10000, 10, 1, 1000 },
		{ 100000, 100, 1, 3000 },  { 100000, 100, 2, 10000 },
		{ 300000, 500, 1, 20000 }, { 100000, 1000, 45, 100000 },
		{ 20000, 1000, 2, 50000 }, { 100000, 20, 10000, 100000 },
		{ 5000000, 10, 1, 300 }, /* 1.5 windows a round */
	};

	for (uint32_t i = 0; i < sizeof(courses) / sizeof(courses[0]); i++)
		follow(&courses[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_rfcs_window_at_each_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
