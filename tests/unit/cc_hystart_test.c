/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * HyStart as Linux has it, and HyStart++ (RFC 9406), round trip by round trip.
 * "Flaw n": number n in the list of what others got wrong, with its source.
 */
#include "cc_driver.h"

#define HYSTART (driver.cc.cubic.hystart)

/* A window of 20 in slow start; round trips begin at 10 s. */
static void begin(struct cc_driver *driver, const char *name)
{
	cc_begin(driver, name, 20, FP_CC_SSTHRESH_NONE);
	driver->conn.snd_una_pkts = 1;
	driver->conn.snd_nxt_pkts = 1;
	fp_cc_init(&driver->cc, &driver->cc.config, &driver->conn,
		   &driver->control);
}

/* All that is out is acknowledged, a window follows: a round begins. */
static void next_round(struct cc_driver *driver)
{
	driver->conn.snd_una_pkts = driver->conn.snd_nxt_pkts + 1;
	driver->conn.snd_nxt_pkts =
	    driver->conn.snd_una_pkts + driver->control.cwnd_pkts;
}

/* So many round trips, 10 ms apart: no train. */
static void round_trips(struct cc_driver *driver, uint32_t count,
			uint32_t rtt_us)
{
	for (uint32_t i = 0; i < count; i++) {
		cc_at(driver, driver->conn.now_ns + 10 * MS);
		cc_rtt(driver, rtt_us);
	}
}

static bool has_left(const struct cc_driver *driver)
{
	return driver->control.ssthresh_pkts == driver->control.cwnd_pkts;
}

/* --- HyStart: delay ------------------------------------------------------- */

/* After 8 samples the least of the round counts: it must be more than an eighth
 * of the least of all above that, at least 4 ms and at most 16 ms: 10 + 4, 80 +
 * 10, 200 + 16. */
static void a_clear_delay_ends_slow_start(void **state)
{
	const uint32_t least_us[] = { 10000, 80000, 200000 };
	const uint32_t limit_us[] = { 14000, 90000, 216000 };

	for (size_t i = 0; i < 3; i++) {
		struct cc_driver driver;

		begin(&driver, "cubic");
		cc_rtt(&driver, least_us[i]);
		next_round(&driver);
		round_trips(&driver, 8, limit_us[i] + 1);
		assert_false(has_left(&driver));
		round_trips(&driver, 1, limit_us[i]);
		assert_false(has_left(&driver));
		next_round(&driver);
		round_trips(&driver, 8, limit_us[i] + 1);
		assert_false(has_left(&driver));
		round_trips(&driver, 1, limit_us[i] + 1);
		assert_true(has_left(&driver));
		assert_true(HYSTART.is_found);
	}
}

/* Flaw 11 (Linux b344579ca847): 8 samples of 150 ms, then one of 100 ms, which
 * is the least of all. The round's least is then 100 ms as well, so it is no
 * increase. */
static void a_falling_delay_does_not(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	next_round(&driver);
	round_trips(&driver, 8, 150000);
	round_trips(&driver, 5, 100000);
	assert_false(has_left(&driver));
	assert_int_equal(driver.cc.cubic.delay_min_us, 100000);
}

/* --- HyStart: ACK train --------------------------------------------------- */

/* ACKs 1 ms apart from the start of a round; returns after how many ms slow
 * start ended, 0: it did not within 300. */
static uint32_t train_ms(struct cc_driver *driver, uint32_t least_us)
{
	uint64_t start_ns = driver->conn.now_ns;

	cc_rtt(driver, least_us);
	next_round(driver);
	for (uint32_t ms = 0; ms < 300; ms++) {
		cc_at(driver, start_ns + ms * MS);
		cc_rtt(driver, least_us);
		if (has_left(driver))
			return ms;
	}
	return 0;
}

/* Flaw 12 (Linux ede656e84658): a train that lasts for more than half of a
 * round trip, 100 ms; with pacing, which spreads packets over as much, more
 * than all of it. */
static void a_long_train_of_acks_ends_slow_start(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	assert_int_equal(train_ms(&driver, 100000), 51);
	begin(&driver, "cubic");
	driver.conn.is_paced = true;
	assert_int_equal(train_ms(&driver, 100000), 101);
}

/* Four of the largest bursts at the pacing rate may be late: 4 x 65536 bytes
 * are 0.262 ms at 10^9 bytes/s, and at 10^8 2.62 ms, of which 1 ms counts.
 * Round trips of 9.8 ms: more than 10.06, 10.8, and without a rate 9.8 ms. */
static void bursts_may_be_late(void **state)
{
	const uint64_t rates[] = { 1000000000, 100000000, 0 };
	const uint32_t ends_ms[] = { 11, 11, 10 };

	for (size_t i = 0; i < 3; i++) {
		struct cc_driver driver;

		begin(&driver, "cubic");
		driver.conn.is_paced = true;
		driver.conn.pacing_rate_bytes_per_s = rates[i];
		assert_int_equal(train_ms(&driver, 9800), ends_ms[i]);
	}
}

/* The cap of 1 ms: of 9.2 ms and 2.62 late it ends past 10.2, not past 11.8. */
static void but_by_no_more_than_a_millisecond(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	driver.conn.is_paced = true;
	driver.conn.pacing_rate_bytes_per_s = 100000000;
	assert_int_equal(train_ms(&driver, 9200), 11);
}

/* A gap of 2 ms is part of a train, more ends it for the round. */
static void a_gap_ends_the_train(void **state)
{
	const uint32_t gaps_us[] = { 2000, 2001 };

	for (size_t i = 0; i < 2; i++) {
		struct cc_driver driver;
		uint64_t now_ns;

		begin(&driver, "cubic");
		cc_rtt(&driver, 100000);
		next_round(&driver);
		cc_rtt(&driver, 100000);
		now_ns = driver.conn.now_ns + gaps_us[i] * UINT64_C(1000);
		for (uint32_t ms = 0; ms < 60; ms++) {
			cc_at(&driver, now_ns + ms * MS);
			cc_rtt(&driver, 100000);
		}
		assert_int_equal(has_left(&driver), gaps_us[i] == 2000);
	}
}

/* Flaw 14 (Linux 473900a504e5, cff04e2da308): with a clock of milliseconds a
 * path of 200 us has no trains. ACKs 20 us apart: past 100 us is 120. */
static void short_paths_have_trains(void **state)
{
	struct cc_driver driver;
	uint64_t start_ns;

	begin(&driver, "cubic");
	cc_rtt(&driver, 200);
	next_round(&driver);
	start_ns = driver.conn.now_ns;
	for (uint32_t us = 0; us <= 100; us += 20) {
		cc_at(&driver, start_ns + us * 1000);
		cc_rtt(&driver, 200);
		assert_false(has_left(&driver));
	}
	cc_at(&driver, start_ns + 120000);
	cc_rtt(&driver, 200);
	assert_true(has_left(&driver));
}

/* --- HyStart: rounds ------------------------------------------------------ */

/* Below a window of 16 nothing ends, but rounds are counted (Linux "tcp_cubic:
 * fix incorrect HyStart round start detection"): the window gets there 40 ms
 * into a round, so the train is past 50 ms soon after. */
static void small_windows_count_rounds_only(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	driver.control.cwnd_pkts = 15;
	cc_rtt(&driver, 100000);
	cc_at(&driver, driver.conn.now_ns + S);
	next_round(&driver);
	for (uint32_t ms = 0; ms < 60; ms++) {
		cc_rtt(&driver, 100000);
		cc_at(&driver, driver.conn.now_ns + MS);
	}
	assert_false(has_left(&driver));
	assert_int_equal(HYSTART.round_start_us, 11000000);
	assert_int_equal(HYSTART.sample_cnt, 0);
	driver.control.cwnd_pkts = 16;
	cc_at(&driver, driver.conn.now_ns + S);
	next_round(&driver);
	for (uint32_t ms = 0; ms <= 51; ms++) {
		assert_false(has_left(&driver));
		cc_rtt(&driver, 100000);
		cc_at(&driver, driver.conn.now_ns + MS);
	}
	assert_true(has_left(&driver));
}

/* Linux 4e1fddc98d25: rounds go on though the window is not used, or the train
 * would seem to have begun long ago. */
static void unused_windows_count_rounds_too(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	driver.conn.is_cwnd_limited = false;
	for (uint32_t i = 0; i < 10; i++) {
		cc_at(&driver, driver.conn.now_ns + 100 * MS);
		next_round(&driver);
		cc_rtt(&driver, 100000);
		(void)cc_ack(&driver, 1);
	}
	assert_int_equal(HYSTART.round_start_us, 11000000);
	assert_false(has_left(&driver));
}

/* A round ends past its last sequence, not with it; sequences may wrap. */
static void a_round_ends_past_its_end(void **state)
{
	const uint32_t ends[] = { 1000, 0, UINT32_MAX, INT32_MAX };

	for (size_t i = 0; i < 4; i++) {
		struct cc_driver driver;

		cc_begin(&driver, "cubic", 20, FP_CC_SSTHRESH_NONE);
		driver.conn.snd_una_pkts = ends[i] - 20;
		driver.conn.snd_nxt_pkts = ends[i];
		fp_cc_init(&driver.cc, &driver.cc.config, &driver.conn,
			   &driver.control);
		driver.conn.snd_nxt_pkts = ends[i] + 20;
		driver.conn.snd_una_pkts = ends[i];
		round_trips(&driver, 3, 50000);
		assert_int_equal(HYSTART.sample_cnt, 3);
		driver.conn.snd_una_pkts = ends[i] + 1;
		round_trips(&driver, 1, 50000);
		assert_int_equal(HYSTART.sample_cnt, 1);
		assert_int_equal(HYSTART.end_seq_pkts, ends[i] + 20);
	}
}

/* The clock of microseconds wraps within a train. */
static void the_clock_may_wrap(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	cc_at(&driver, (UINT64_C(1) << 32) * 1000 - 30 * MS);
	fp_cc_init(&driver.cc, &driver.cc.config, &driver.conn,
		   &driver.control);
	assert_int_equal(train_ms(&driver, 100000), 51);
}

/* It is over once and for all, until a timeout; above the threshold it is not
 * asked; and it can be turned off. */
static void it_is_for_slow_start_only(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic");
	assert_int_equal(train_ms(&driver, 100000), 51);
	driver.control.ssthresh_pkts = 1000;
	assert_int_equal(train_ms(&driver, 100000), 0);
	cc_time_out(&driver);
	driver.control.cwnd_pkts = 20;
	driver.control.ssthresh_pkts = 1000;
	assert_int_equal(train_ms(&driver, 100000), 51);

	begin(&driver, "cubic");
	driver.control.ssthresh_pkts = 19;
	assert_int_equal(train_ms(&driver, 100000), 0);
	begin(&driver, "cubic:-hystart");
	assert_int_equal(train_ms(&driver, 100000), 0);
}

/* --- HyStart++ ------------------------------------------------------------ */

/* A round of so many samples, all the same. */
static void round_of(struct cc_driver *driver, uint32_t count, uint32_t rtt_us)
{
	next_round(driver);
	round_trips(driver, count, rtt_us);
}

static uint32_t css_rounds(const struct cc_driver *driver)
{
	return driver->cc.cubic.hystart.css_rounds;
}

/* 4.2: RttThresh = max(4 ms, min(last / 8, 16 ms)); at least that much more is
 * enough: 20 + 4, 80 + 10, 200 + 16. A microsecond less is not. */
static void a_slower_round_makes_it_conservative(void **state)
{
	const uint32_t last_us[] = { 20000, 80000, 200000 };
	const uint32_t next_us[] = { 24000, 90000, 216000 };

	for (size_t i = 0; i < 3; i++) {
		struct cc_driver driver;

		begin(&driver, "cubic:hystart++");
		round_of(&driver, 8, last_us[i]);
		round_of(&driver, 8, next_us[i] - 1);
		assert_int_equal(css_rounds(&driver), 0);
		round_of(&driver, 8, last_us[i]);
		round_of(&driver, 7, next_us[i]);
		assert_int_equal(css_rounds(&driver), 0);
		round_trips(&driver, 1, next_us[i]);
		assert_int_equal(css_rounds(&driver), 1);
		assert_false(has_left(&driver));
		assert_string_equal(
		    fp_cc_state_name(&driver.cc, &driver.control),
		    "conservative_slow_start");
	}
}

/* A round of 7 samples has no say, but its least is the last round's. */
static void a_round_needs_eight_samples(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	round_of(&driver, 8, 50000);
	round_of(&driver, 7, 90000);
	round_of(&driver, 8, 90000);
	assert_int_equal(css_rounds(&driver), 0);
}

/* Five rounds, of which the one it begins in is the first; then the threshold
 * is the window. The delays stay at the 60 ms that it began with. */
static void five_conservative_rounds_end_slow_start(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	round_of(&driver, 8, 50000);
	for (uint32_t round = 1; round <= 5; round++) {
		round_of(&driver, 8, 60000);
		assert_int_equal(css_rounds(&driver), round);
		assert_false(has_left(&driver));
	}
	round_of(&driver, 1, 60000);
	assert_true(has_left(&driver));
	assert_true(HYSTART.is_found);
}

/* A round trip below the one that it began with: that was jitter. */
static void a_faster_round_makes_it_quick_again(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	round_of(&driver, 8, 50000);
	round_of(&driver, 8, 60000);
	round_of(&driver, 8, 60000);
	assert_int_equal(css_rounds(&driver), 2);
	round_of(&driver, 7, 59999);
	assert_int_equal(css_rounds(&driver), 3);
	round_trips(&driver, 1, 60000);
	assert_int_equal(css_rounds(&driver), 0);
	/* and again, with five rounds of its own */
	round_of(&driver, 8, 70000);
	assert_int_equal(css_rounds(&driver), 1);
}

/* A quarter of the growth, with what is left kept (flaw 19, cloudflare/quiche
 * cf2a0875): 3 packets are none yet, 2 more are one and one is left, 7 more
 * two. */
static void conservative_growth_is_a_quarter(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	assert_int_equal(cc_ack(&driver, 3), 23);
	HYSTART.css_rounds = 1;
	assert_int_equal(cc_ack(&driver, 3), 23);
	assert_int_equal(cc_ack(&driver, 2), 24);
	assert_int_equal(cc_ack(&driver, 7), 26);
}

/* L = 8 without pacing: an ACK of many packets lets no burst of many out. Flaw
 * 20 (cloudflare/quiche 17c5a6ff): slow start and HyStart++ do not both add. */
static void one_ack_grows_by_eight_at_most(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	assert_int_equal(cc_ack(&driver, 5), 25);
	assert_int_equal(cc_ack(&driver, 45), 33);
	driver.conn.is_paced = true;
	assert_int_equal(cc_ack(&driver, 45), 78);
	HYSTART.css_rounds = 1;
	assert_int_equal(cc_ack(&driver, 10000), 2578);
}

/* 4.3: for the first slow start. Later ones have a threshold that was found,
 * and grow by all that is acknowledged. */
static void it_is_for_the_first_slow_start(void **state)
{
	struct cc_driver driver;

	begin(&driver, "cubic:hystart++");
	round_of(&driver, 8, 50000);
	round_of(&driver, 8, 60000);
	driver.control.cwnd_pkts = 100;
	cc_time_out(&driver);
	driver.control.cwnd_pkts = 20;
	assert_int_equal(driver.control.ssthresh_pkts, 70);
	assert_int_equal(cc_ack(&driver, 20), 40);
	for (uint32_t round = 0; round < 8; round++)
		round_of(&driver, 8, 90000);
	assert_int_equal(driver.control.ssthresh_pkts, 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clear_delay_ends_slow_start),
		cmocka_unit_test(a_falling_delay_does_not),
		cmocka_unit_test(a_long_train_of_acks_ends_slow_start),
		cmocka_unit_test(bursts_may_be_late),
		cmocka_unit_test(but_by_no_more_than_a_millisecond),
		cmocka_unit_test(a_gap_ends_the_train),
		cmocka_unit_test(short_paths_have_trains),
		cmocka_unit_test(small_windows_count_rounds_only),
		cmocka_unit_test(unused_windows_count_rounds_too),
		cmocka_unit_test(a_round_ends_past_its_end),
		cmocka_unit_test(the_clock_may_wrap),
		cmocka_unit_test(it_is_for_slow_start_only),
		cmocka_unit_test(a_slower_round_makes_it_conservative),
		cmocka_unit_test(a_round_needs_eight_samples),
		cmocka_unit_test(five_conservative_rounds_end_slow_start),
		cmocka_unit_test(a_faster_round_makes_it_quick_again),
		cmocka_unit_test(conservative_growth_is_a_quarter),
		cmocka_unit_test(one_ack_grows_by_eight_at_most),
		cmocka_unit_test(it_is_for_the_first_slow_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
