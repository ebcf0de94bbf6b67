/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The window: slow start (RFC 5681), proportional rate reduction (RFC 6937),
 * its validation (RFC 2861) and restart after idle time. Reno, MSS 1000, one
 * packet a burst.
 */
#include "sim_sender_driver.h"
#include "sim/sender_state.h"

/* RFC 5681, 3.1: each packet acknowledged opens the window by one, so an ACK of
 * two lets four go. 10 + 10 after a round. */
static void test_slow_start(void **state)
{
	struct driver *driver = driver_new("reno");

	driver_start(driver);
	driver_write(driver, 1000);
	assert_int_equal(driver_sent(driver), 10);
	driver_wait_until(driver, 100 * MS);
	for (uint32_t acked = 2; acked <= 10; acked += 2) {
		driver_ack(driver, acked);
		assert_int_equal(driver_sent(driver), 4);
	}
	assert_int_equal(driver_sample(driver).cwnd_pkts, 20);
	assert_int_equal(driver_sample(driver).inflight_pkts, 20);
	driver_free(driver);
}

/* Opens the window to 20 with packets 10 … 29 in flight at 100 ms. */
static struct driver *twenty_in_flight(uint32_t without)
{
	struct driver *driver = driver_new("reno");

	driver->config.tcp.without |= without;
	driver_start(driver);
	driver_write(driver, 1000);
	driver_wait_until(driver, 100 * MS);
	for (uint32_t acked = 2; acked <= 10; acked += 2)
		driver_ack(driver, acked);
	driver_wait_until(driver, 200 * MS);
	(void)driver_sent(driver);
	return driver;
}

/*
 * RFC 6937, 4, first example's kind: 20 in flight, one lost (packet 10), Reno
 * halves to 10. ACKs carry SACKs of 11, 12, …; the third makes it lost
 * (reordering window 0 from 3 SACKs on).
 *
 *	ACK 1, 2: limited transmit, one new packet each (RFC 3042), 22 sent
 *	ACK 3: recovery, ssthresh = 10; pipe = 22 - 3 - 1 = 18 > 10:
 *	    sndcnt = ceil(10 x 1 / 20) - 0 = 1: the retransmission
 *	ACK k (k-th since entry): ceil(10 k / 20) in all: one each second ACK
 *
 * Pipe is 19 after the retransmission and falls by one each second ACK: it is
 * 10 before anything is sent for ACK 17. From there on PRR holds it at
 * ssthresh: nothing for ACK 17 (delta 0), one packet for the ACK of the
 * retransmission a round trip later. Recovery lasts until the 32 packets that
 * had been sent as it began are acknowledged.
 */
static void test_prr_one_loss(void **state)
{
	struct driver *driver = twenty_in_flight(0);

	driver_sack(driver, 10, 11, 12, 0, 0);
	assert_int_equal(driver_sent(driver), 1);
	driver_sack(driver, 10, 11, 13, 0, 0);
	assert_int_equal(driver_sent(driver), 1);
	driver_sack(driver, 10, 11, 14, 0, 0);
	assert_int_equal(driver_sent(driver), 1);
	assert_true(driver_last(driver)->is_retrans);
	assert_int_equal(driver_last(driver)->seq, 10);
	assert_int_equal(driver_sample(driver).ssthresh_pkts, 10);
	for (int acks = 2; acks <= 17; acks++) {
		driver_sack(driver, 10, 11, 13 + acks, 0, 0);
		assert_int_equal(driver_sent(driver), acks < 17 && acks % 2);
	}
	driver_wait_until(driver, 300 * MS);
	driver_ack(driver, 30);
	assert_int_equal(driver_sent(driver), 1);
	assert_string_equal(driver_ca_state(driver), "recovery");
	driver_ack(driver, 32);
	assert_string_equal(driver_ca_state(driver), "open");
	assert_int_equal(driver_sample(driver).cwnd_pkts, 10);
	assert_int_equal(driver_result(driver).recoveries, 1);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_free(driver);
}

/*
 * RFC 6937, 3.1, below ssthresh: 10 … 26 are lost, one SACK tells of 27 … 29.
 * Pipe is 0, ssthresh 10: as many go as were delivered, 3. Their ACKs come one
 * by one and move snd_una with nothing more lost, so each lets one more go than
 * it acknowledges (slow start back to ssthresh): 2. When all is acknowledged
 * the window is ssthresh, not what PRR had come to, and may grow from there.
 */
static void test_prr_many_losses(void **state)
{
	struct driver *driver = twenty_in_flight(0);

	driver_sack(driver, 10, 27, 30, 0, 0);
	assert_int_equal(driver_sent(driver), 3);
	driver_wait_until(driver, 300 * MS);
	driver_sack(driver, 11, 27, 30, 0, 0);
	assert_int_equal(driver_sent(driver), 2);
	driver_sack(driver, 12, 27, 30, 0, 0);
	assert_int_equal(driver_sent(driver), 2);
	driver_ack(driver, 30);
	assert_string_equal(driver_ca_state(driver), "open");
	assert_in_range(driver_sample(driver).cwnd_pkts, 10, 11);
	driver_free(driver);
}

/* tcp_may_raise_cwnd(): a window grows on ACKs that move snd_una; where packets
 * overtake each other by more than 3, on any delivery. */
static void test_growth_under_reordering(void **state)
{
	for (uint32_t on = 0; on < 2; on++) {
		struct driver *driver = driver_new("reno");

		driver_start(driver);
		driver_write(driver, 1000);
		if (on)
			driver->sender->reordering = 20;
		driver_wait_until(driver, 100 * MS);
		driver_sack(driver, 0, 1, 3, 0, 0);
		assert_int_equal(driver_sample(driver).cwnd_pkts, on ? 12 : 10);
		driver_free(driver);
	}
}

/* Without PRR the window is ssthresh at once: nothing leaves after the
 * retransmission until pipe, 18, is below 10. */
static void test_without_prr(void **state)
{
	struct driver *driver = twenty_in_flight(FP_SIM_PRR);

	for (int end = 12; end <= 14; end++)
		driver_sack(driver, 10, 11, end, 0, 0);
	assert_int_equal(driver_sample(driver).cwnd_pkts, 10);
	(void)driver_sent(driver);
	for (int end = 15; end <= 22; end++)
		driver_sack(driver, 10, 11, end, 0, 0);
	assert_int_equal(driver_sent(driver), 0);
	driver_free(driver);
}

/* RFC 3042: the first two duplicate ACKs let a new packet go each; without it
 * none. */
static void test_limited_transmit(void **state)
{
	for (uint32_t on = 0; on < 2; on++) {
		struct driver *driver =
		    twenty_in_flight(on ? 0 : FP_SIM_LIMITED_TRANSMIT);

		driver_sack(driver, 10, 11, 12, 0, 0);
		driver_sack(driver, 10, 11, 13, 0, 0);
		assert_int_equal(driver_sent(driver), 2 * on);
		driver_free(driver);
	}
}

/*
 * RFC 5681, 4.1, as tcp_cwnd_restart(): the window halves for each RTO of
 * silence that is over, not below the initial 10. RTO is 100 + 200 ms, so 80 is
 * 80 after 250 ms, 40 after 400 ms, 20 after 700 ms, 10 after 2 s.
 */
static void test_idle_restart(void **state)
{
	static const struct {
		uint64_t idle_ms;
		uint32_t without, cwnd;
	} rows[] = {
		{ 250, 0, 80 },
		{ 400, 0, 40 },
		{ 700, 0, 20 },
		{ 2000, 0, 10 },
		{ 2000, FP_SIM_IDLE_RESTART, 80 },
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct driver *driver = driver_new("reno");

		driver->config.tcp.without |= rows[i].without;
		driver_start(driver);
		driver_write(driver, 10);
		driver_wait_until(driver, 100 * MS);
		driver_ack(driver, 10);
		driver->sender->control.cwnd_pkts = 80;
		(void)driver_sent(driver);
		/* counted from the last packet that left, at 0 */
		driver_wait_until(driver, rows[i].idle_ms * MS);
		driver_write(driver, 1000);
		assert_int_equal(driver_sent(driver), rows[i].cwnd);
		driver_free(driver);
	}
}

/*
 * RFC 7661, tcp_is_cwnd_limited(): 2 packets a round trip do not fill a window
 * of 20, so it does not grow by the 8 that are acknowledged in four rounds;
 * without the rule it does.
 */
static void test_unused_window(void **state)
{
	for (uint32_t on = 0; on < 2; on++) {
		struct driver *driver = driver_new("reno");
		uint64_t written = 10;

		driver->config.tcp.without |= on ? 0 : FP_SIM_CWV;
		driver_start(driver);
		driver_write(driver, written);
		driver_wait_until(driver, 100 * MS);
		driver_ack(driver, 10);
		assert_int_equal(driver_sample(driver).cwnd_pkts, 20);
		for (uint32_t round = 2; round <= 5; round++) {
			written += 2;
			driver_write(driver, written);
			driver_wait_until(driver, round * 100 * MS);
			driver_ack(driver, written);
		}
		assert_int_equal(driver_sample(driver).cwnd_pkts, on ? 20 : 28);
		driver_free(driver);
	}
}

/* tcp_rate_check_app_limited(): written with nothing unsent and room in the
 * window marks the samples of what is in flight. A sender with a backlog is not
 * marked. */
static void test_app_limited(void **state)
{
	struct driver *driver = driver_new("reno");

	driver_start(driver);
	driver_write(driver, 2);
	driver_write(driver, 4);
	driver_wait_until(driver, 100 * MS);
	driver_ack(driver, 4);
	assert_true(
	    driver_find(driver, FP_SIM_EVENT_ACK)->sample.is_app_limited);
	driver_free(driver);

	driver = twenty_in_flight(0);
	driver_ack(driver, 30);
	assert_int_equal(
	    driver_find(driver, FP_SIM_EVENT_ACK)->sample.delivered_pkts, 20);
	assert_false(
	    driver_find(driver, FP_SIM_EVENT_ACK)->sample.is_app_limited);
	driver_free(driver);
}

/* One packet, acknowledged after a round trip that ends at a time. */
static void measure(struct driver *driver, uint64_t seq, uint64_t at_ms,
		    uint64_t rtt_ms)
{
	driver_wait_until(driver, (at_ms - rtt_ms) * MS);
	driver_write(driver, seq + 1);
	driver_wait_until(driver, at_ms * MS);
	driver_ack(driver, seq + 1);
}

/* Linux, minmax_running_min() over 300 s: 100 ms at 0; 110 after a quarter and
 * 120 after half of it stand by. At 385 s the first two are too old at once. */
static void test_min_rtt_window(void **state)
{
	struct driver *driver = driver_new("reno");

	driver_start(driver);
	measure(driver, 0, 80000, 110);
	measure(driver, 1, 160000, 120);
	assert_int_equal(driver_sample(driver).min_rtt_us, 100000);
	measure(driver, 2, 385000, 130);
	assert_int_equal(driver_sample(driver).min_rtt_us, 120000);
	driver_free(driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_min_rtt_window),
		cmocka_unit_test(test_slow_start),
		cmocka_unit_test(test_prr_one_loss),
		cmocka_unit_test(test_prr_many_losses),
		cmocka_unit_test(test_growth_under_reordering),
		cmocka_unit_test(test_without_prr),
		cmocka_unit_test(test_limited_transmit),
		cmocka_unit_test(test_idle_restart),
		cmocka_unit_test(test_unused_window),
		cmocka_unit_test(test_app_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
