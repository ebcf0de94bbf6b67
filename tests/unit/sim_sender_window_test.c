/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The window: slow start (RFC 5681), proportional rate reduction (RFC 6937),
 * its validation (RFC 2861) and restart after idle time. Reno, MSS 1000, one
 * packet a burst.
 */
#include "sim_sender_driver.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_start),
		cmocka_unit_test(test_prr_one_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
