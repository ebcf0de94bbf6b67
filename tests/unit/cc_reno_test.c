/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reno: the rules of RFC 5681 as Linux's net/ipv4/tcp_cong.c counts them.
 * "Flaw n": number n in the list of what others got wrong, with its source. */
#include "cc_driver.h"

static uint32_t cnt(const struct cc_driver *driver)
{
	return driver->cc.reno.cnt_pkts;
}

/* min(cwnd + acked, ssthresh), then what is left counts towards one more:
 * 14 + 2 = 16, and 8 of 10 are left: with 8 more they are a window of 16. */
static void slow_start_falls_through_at_the_threshold(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 12, 16);
	assert_int_equal(cc_ack(&driver, 2), 14);
	assert_int_equal(cc_ack(&driver, 10), 16);
	assert_int_equal(cnt(&driver), 8);
	assert_int_equal(cc_ack(&driver, 7), 16);
	assert_int_equal(cc_ack(&driver, 1), 17);
	assert_int_equal(cnt(&driver), 0);
}

/* Flaw 15 (ngtcp2 42d626f8): what an ACK covers counts, not the ACK. In a
 * window of 10, 1 packet: counter 1; 2: 2; 45: 4 packets and 5 left; 10,000:
 * 1000 packets. Flaw 19 (cloudflare/quiche cf2a0875): what is left stays. */
static void counts_packets_not_acks(void **state)
{
	const uint32_t acked[] = { 1, 2, 45, 10000 };
	const uint32_t cwnds[] = { 10, 10, 14, 1010 };
	const uint32_t rests[] = { 1, 2, 5, 0 };

	for (size_t i = 0; i < 4; i++) {
		struct cc_driver driver;

		cc_begin(&driver, "reno", 10, 5);
		assert_int_equal(cc_ack(&driver, acked[i]), cwnds[i]);
		assert_int_equal(cnt(&driver), rests[i]);
	}
}

static void an_ack_of_nothing_moves_nothing(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 20);
	assert_int_equal(cc_ack(&driver, 0), 10);
	cc_begin(&driver, "reno", 10, 5);
	assert_int_equal(cc_ack(&driver, 0), 10);
	assert_int_equal(cnt(&driver), 0);
}

/* tcp_cong_avoid_ai(): credit that is worth several packets in the window of
 * now is worth one: 9 of 10 were counted, the window falls to 5. */
static void old_credit_is_paid_gently(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 5);
	assert_int_equal(cc_ack(&driver, 9), 10);
	driver.control.cwnd_pkts = 5;
	assert_int_equal(cc_ack(&driver, 1), 6);
	assert_int_equal(cnt(&driver), 1);
}

/* Flaw 16 (ngtcp2 840436d2): an unused window does not grow, whichever phase it
 * is in; in slow start using half of it is use enough (tcp_is_cwnd_limited()).
 */
static void an_unused_window_does_not_grow(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 5);
	driver.conn.is_cwnd_limited = false;
	driver.conn.max_packets_out_pkts = 9;
	assert_int_equal(cc_ack(&driver, 30), 10);
	driver.control.ssthresh_pkts = 100;
	driver.conn.max_packets_out_pkts = 5; /* 10 < 2 x 5 is not so */
	assert_int_equal(cc_ack(&driver, 1), 10);
	driver.conn.max_packets_out_pkts = 6;
	assert_int_equal(cc_ack(&driver, 1), 11);
	driver.conn.max_packets_out_pkts = 0;
	assert_int_equal(cc_ack(&driver, 1), 11);
	driver.conn.is_cwnd_limited = true;
	assert_int_equal(cc_ack(&driver, 1), 12);
}

/* max(cwnd / 2, 2) (RFC 5681, eq. 4); flaw 22 (ns-3 407): of the window, as
 * Linux, not of what is in flight. */
static void a_loss_halves_the_window(void **state)
{
	const uint32_t cwnds[] = { 1, 2, 3, 4, 9, 1000 };
	const uint32_t halves[] = { 2, 2, 2, 2, 4, 500 };

	for (size_t i = 0; i < 6; i++) {
		struct cc_driver driver;

		cc_begin(&driver, "reno", cwnds[i], FP_CC_SSTHRESH_NONE);
		driver.conn.inflight_pkts = 1;
		driver.conn.packets_out_pkts = 1;
		assert_int_equal(cc_lose(&driver), halves[i]);
	}
}

static void a_loss_forgets_what_was_counted(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 5);
	(void)cc_ack(&driver, 9);
	(void)cc_lose(&driver);
	assert_int_equal(cnt(&driver), 0);
	(void)cc_ack(&driver, 3);
	fp_cc_on_state(&driver.cc, &driver.conn, FP_CA_RECOVERY,
		       &driver.control);
	assert_int_equal(cnt(&driver), 3);
	fp_cc_on_state(&driver.cc, &driver.conn, FP_CA_LOSS, &driver.control);
	assert_int_equal(cnt(&driver), 0);
}

/* max(cwnd, prior_cwnd). Flaw 21 (cloudflare/quiche f86de8f1): without a window
 * before (0) the one of now stays. */
static void undo_goes_back_to_the_larger_window(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 20, FP_CC_SSTHRESH_NONE);
	(void)cc_lose(&driver);
	cc_undo(&driver);
	assert_int_equal(driver.control.cwnd_pkts, 20);
	driver.control.cwnd_pkts = 30;
	cc_undo(&driver);
	assert_int_equal(driver.control.cwnd_pkts, 30);
	driver.conn.prior_cwnd_pkts = 0;
	cc_undo(&driver);
	assert_int_equal(driver.control.cwnd_pkts, 30);
}

static void the_clamp_holds(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, FP_CC_SSTHRESH_NONE);
	driver.conn.cwnd_clamp_pkts = 15;
	assert_int_equal(cc_ack(&driver, 10), 15);
	driver.control.ssthresh_pkts = 2;
	assert_int_equal(cc_ack(&driver, 100), 15);
	driver.conn.prior_cwnd_pkts = 99;
	cc_undo(&driver);
	assert_int_equal(driver.control.cwnd_pkts, 15);
	/* the largest window that there is */
	driver.conn.cwnd_clamp_pkts = UINT32_MAX;
	driver.control.ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	assert_int_equal(cc_ack(&driver, UINT32_MAX), FP_CC_CWND_MAX_PKTS);
	assert_int_equal(cc_ack(&driver, UINT32_MAX), FP_CC_CWND_MAX_PKTS);
	/* and the least: a window of none would never send again */
	driver.control.cwnd_pkts = 0;
	driver.conn.is_cwnd_limited = false;
	assert_int_equal(cc_ack(&driver, 0), 1);
}

/* What it does not care about: round trips, departures, losses one by one. */
static void other_events_change_nothing(void **state)
{
	const struct fp_cc_lost lost = { .pkts = 1, .lost_since_pkts = 1 };
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 5);
	(void)cc_ack(&driver, 3);
	cc_rtt(&driver, 1000);
	fp_cc_on_event(&driver.cc, &driver.conn, FP_CC_TX_START,
		       &driver.control);
	fp_cc_on_lost(&driver.cc, &driver.conn, &lost, &driver.control);
	assert_int_equal(driver.control.cwnd_pkts, 10);
	assert_int_equal(driver.control.ssthresh_pkts, 5);
	assert_int_equal(cnt(&driver), 3);
}

static void names_its_phases(void **state)
{
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 11);
	assert_string_equal(fp_cc_state_name(&driver.cc, &driver.control),
			    "slow_start");
	(void)cc_ack(&driver, 1);
	assert_string_equal(fp_cc_state_name(&driver.cc, &driver.control),
			    "congestion_avoidance");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_start_falls_through_at_the_threshold),
		cmocka_unit_test(counts_packets_not_acks),
		cmocka_unit_test(an_ack_of_nothing_moves_nothing),
		cmocka_unit_test(old_credit_is_paid_gently),
		cmocka_unit_test(an_unused_window_does_not_grow),
		cmocka_unit_test(a_loss_halves_the_window),
		cmocka_unit_test(a_loss_forgets_what_was_counted),
		cmocka_unit_test(undo_goes_back_to_the_larger_window),
		cmocka_unit_test(the_clamp_holds),
		cmocka_unit_test(other_events_change_nothing),
		cmocka_unit_test(names_its_phases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
