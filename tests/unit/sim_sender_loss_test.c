/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is held for lost, and what is taken back: RACK-TLP (RFC 8985), timeouts
 * (RFC 6298), F-RTO (RFC 5682), Eifel (RFC 3522), D-SACK undo (RFC 3708),
 * reneging (RFC 2018, 8), NewReno (RFC 6582).
 *
 * Reno, MSS 1000, RTT 100 ms, one packet a burst, ticks of 1 ms. Timers fire in
 * the tick after the one they are due in, from 63 ms on in steps of 8 ms, from
 * 504 ms on of 64 ms (the kernel's timer wheel): a time T is tested as "not
 * before T, and by T + 2 steps".
 */
#include "sim_sender_driver.h"
#include "sim/sender_state.h"

#define STEP_504MS (64 * MS)
#define STEP_63MS  (8 * MS)

/* A sender with packets 0 … 9 in flight at time 0 and data up to end. */
static struct driver *ten_in_flight(uint64_t end, uint32_t without)
{
	struct driver *driver = driver_new("reno");

	driver->config.tcp.without |= without;
	driver_start(driver);
	driver_write(driver, end);
	assert_int_equal(driver_sent(driver), end < 10 ? end : 10);
	return driver;
}

/* RFC 8985, 6.2: one packet that left later has arrived, and the reordering
 * window min_rtt / 4 = 25 ms passes. Neither an ACK nor three SACKs are needed:
 * RACK's own timer fires 25 + 2 ms after the ACK (Linux: TCP_TIMEOUT_MIN_US).
 */
static void test_rack_timer(void **state)
{
	struct driver *driver = ten_in_flight(10, 0);

	driver_wait_until(driver, 100 * MS);
	driver_sack(driver, 0, 1, 2, 0, 0);
	assert_int_equal(driver_sent(driver), 0);
	driver_wait_until(driver, 126 * MS);
	assert_int_equal(driver_sent(driver), 0);
	driver_wait_until(driver, 129 * MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->seq, 0);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_LOST)->reason,
			    "rack");
	assert_string_equal(driver_ca_state(driver), "recovery");
	driver_free(driver);
}

/* RFC 8985, 6.2, step 2: RACK.rtt is that of whatever was delivered, of the
 * packet that left last or not (Linux: tcp_rack_advance()). 0 and 1 leave at 0,
 * 2 and 3 at 20 ms. The SACK of 2 at 120 ms leaves 0 another 100 + 25 - 120
 * = 5 ms; that of 1 at 124 ms shows that 124 ms are no loss: 124 + 25 - 124
 * = 25 ms, and 2 ms of the timer: 151 ms. */
static void test_rack_late_original(void **state)
{
	struct driver *driver = ten_in_flight(2, 0);

	driver_wait_until(driver, 20 * MS);
	driver_write(driver, 4);
	assert_int_equal(driver_sent(driver), 2);
	driver_wait_until(driver, 120 * MS);
	driver_sack(driver, 0, 2, 3, 0, 0);
	driver_wait_until(driver, 124 * MS);
	driver_sack(driver, 0, 1, 3, 0, 0);
	driver_wait_until(driver, 150 * MS);
	assert_int_equal(driver_sent(driver), 0);
	driver_wait_until(driver, 154 * MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->seq, 0);
	driver_free(driver);
}

/* The third SACK makes the window 0 while reordering was never seen (RFC 8985,
 * 6.2, step 4). Without RACK the third duplicate ACK does the same, and time
 * does nothing. */
static void test_three_dupacks(void **state)
{
	for (uint32_t without = 0; without <= FP_SIM_RACK;
	     without += FP_SIM_RACK) {
		struct driver *driver = ten_in_flight(10, without);

		driver_wait_until(driver, 100 * MS);
		driver_sack(driver, 0, 1, 2, 0, 0);
		driver_sack(driver, 0, 1, 3, 0, 0);
		assert_int_equal(driver_sent(driver), 0);
		driver_sack(driver, 0, 1, 4, 0, 0);
		assert_int_equal(driver_sent(driver), 1);
		assert_string_equal(
		    driver_find(driver, FP_SIM_EVENT_LOST)->reason,
		    without ? "dupack" : "rack");
		driver_free(driver);
	}
}

static void test_dupack_waits(void **state)
{
	struct driver *driver = ten_in_flight(10, FP_SIM_RACK | FP_SIM_TLP);

	driver_wait_until(driver, 100 * MS);
	driver_sack(driver, 0, 1, 3, 0, 0);
	driver_wait_until(driver, 299 * MS); /* RTO at 300 ms */
	assert_int_equal(driver_sent(driver), 0);
	driver_free(driver);
}

/*
 * A retransmission that is lost, too (RFC 8985, 4, "lost retransmission"). ACKs
 * 1 ms apart from 100 ms on: 10 leaves at 100, 11 at 101 (limited transmit), 0
 * again at 102, 12 at 104 (PRR: one for two). They arrive 100 ms later: 10 and
 * 11 say nothing about 0, 12 left after it.
 */
static void test_lost_retransmission(void **state)
{
	struct driver *driver = ten_in_flight(1000, 0);

	for (int end = 2; end <= 10; end++) {
		driver_wait_until(driver, (98 + (uint64_t)end) * MS);
		driver_sack(driver, 0, 1, end, 0, 0);
	}
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_wait_until(driver, 201 * MS);
	driver_sack(driver, 0, 1, 12, 0, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_wait_until(driver, 204 * MS);
	driver_sack(driver, 0, 1, 13, 0, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 2);
	assert_int_equal(driver_result(driver).lost_pkts, 2);
	assert_int_equal(driver_result(driver).timeouts, 0);
	driver_free(driver);
}

/* RFC 8985, 7.2: a probe after 2 x srtt (+ 2 ms, Linux): the last packet again,
 * as there is no new data. Its SACK shows that 0 … 8 are lost, without RTO. */
static void test_tail_loss_probe(void **state)
{
	struct driver *driver = ten_in_flight(10, 0);

	driver_wait_until(driver, 202 * MS - 1);
	assert_int_equal(driver_sent(driver), 0);
	driver_wait_until(driver, 202 * MS + 2 * STEP_63MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->seq, 9);
	assert_true(driver_last(driver)->is_retrans);
	assert_int_equal(driver_result(driver).tail_probes, 1);
	driver_wait_until(driver, driver->now_ns + 100 * MS);
	driver_sack(driver, 0, 9, 10, 0, 0);
	driver_wait_until(driver, driver->now_ns + 40 * MS);
	assert_true(driver_sent(driver) > 0);
	assert_string_equal(driver_ca_state(driver), "recovery");
	assert_int_equal(driver_result(driver).timeouts, 0);
	driver_free(driver);
}

/* RFC 8985, 7.4: the probe itself repaired the loss (9 alone was lost). Once
 * something above it is acknowledged without a D-SACK the window is halved. */
static void test_probe_repairs(void **state)
{
	struct driver *driver = ten_in_flight(10, 0);

	driver_wait_until(driver, 100 * MS);
	driver_ack(driver, 9); /* cwnd 10 -> 19 */
	driver_wait_until(driver, 100 * MS + 400 * MS + 2 * STEP_63MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->seq, 9);
	driver_write(driver, 1000);
	(void)driver_sent(driver);
	driver_wait_until(driver, driver->now_ns + 100 * MS);
	driver_ack(driver, 11);
	assert_int_equal(driver_sample(driver).ssthresh_pkts, 19 / 2);
	assert_int_equal(driver_sample(driver).cwnd_pkts, 19 / 2);
	assert_int_equal(driver_result(driver).timeouts, 0);
	driver_free(driver);
}

/* With new data at hand the probe is new data, whatever the window says. */
static void test_probe_of_new_data(void **state)
{
	struct driver *driver = ten_in_flight(1000, 0);

	driver_wait_until(driver, 202 * MS + 2 * STEP_63MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->seq, 10);
	assert_false(driver_last(driver)->is_retrans);
	driver_free(driver);
}

/*
 * RFC 6298: srtt = 100 ms from the handshake, rttvar = max(50 x 4, 200 min) =
 * 200: RTO = 300 ms, then 600, 1200, 2400, each counted from the last. All is
 * lost, cwnd = 1 each time, ssthresh = 5 once (RFC 5681, 3.1).
 */
static void test_timeouts(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_TLP);
	uint64_t due_ns = 0;
	uint64_t rto_ns = 300 * MS;

	for (int timeout = 1; timeout <= 4; timeout++, rto_ns *= 2) {
		due_ns += rto_ns;
		driver_wait_until(driver, due_ns - 1);
		assert_int_equal(driver_sent(driver), 0);
		driver_wait_until(
		    driver,
		    due_ns + 2 * (timeout > 1 ? STEP_504MS : STEP_63MS));
		assert_int_equal(driver_sent(driver), 1);
		assert_int_equal(driver_last(driver)->seq, 0);
		due_ns = driver->log[driver->count - 1].time_ns;
		assert_int_equal(driver_sample(driver).cwnd_pkts, 1);
		assert_int_equal(driver_sample(driver).ssthresh_pkts, 5);
	}
	assert_int_equal(driver_result(driver).timeouts, 4);
	assert_int_equal(driver_result(driver).lost_pkts, 10 + 3);
	driver_free(driver);
}

/* After a real timeout: slow start through what is lost, to ssthresh. An ACK of
 * the head only: F-RTO sends two new packets (RFC 5682, 3.1, step 2.b); then
 * duplicates say that the loss was real (3.a), and the rest goes again. */
static void test_frto_real(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_TLP);
	uint64_t rto_ns;

	driver_wait_until(driver, 300 * MS + 2 * STEP_63MS + STEP_504MS);
	rto_ns = driver->log[10].time_ns;
	(void)driver_sent(driver);
	driver_wait_until(driver, rto_ns + 100 * MS);
	driver_ack(driver, 1);
	assert_int_equal(driver_sent(driver), 2);
	assert_int_equal(driver_last(driver)->seq, 11);
	driver_wait_until(driver, rto_ns + 200 * MS);
	driver_sack(driver, 1, 10, 11, 0, 0);
	assert_true(driver_sent(driver) > 0);
	assert_int_equal(driver_last(driver)->is_retrans, true);
	assert_int_equal(driver_result(driver).undos, 0);
	driver_free(driver);
}

/* A spurious timeout: the ACKs were 300 ms late. The retransmission of 0 is
 * followed by an ACK that echoes the original's time (Eifel): all is undone,
 * the window is what it was, nothing else is sent twice. */
static void test_eifel(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_TLP);

	driver_wait_until(driver, 400 * MS);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_sample(driver).cwnd_pkts, 1);
	driver->tsecr_us = 1000000; /* time 0 of the sender's clock */
	driver_ack(driver, 1);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_UNDO)->reason,
			    "eifel");
	assert_int_equal(driver_sample(driver).cwnd_pkts, 11);
	assert_int_equal(driver_sample(driver).lost_pkts, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_free(driver);
}

/* The same, told by F-RTO alone (RFC 5682, 3.1, step 3.b): the ACK has the
 * retransmission's time, but covers packets that were never sent again. */
static void test_frto_spurious(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_TLP);

	driver_wait_until(driver, 400 * MS);
	driver->echo_us = 0;
	driver_ack(driver, 2);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_UNDO)->reason,
			    "frto");
	assert_true(driver_sample(driver).cwnd_pkts >= 10);
	assert_int_equal(driver_sample(driver).ssthresh_pkts,
			 FP_CC_SSTHRESH_NONE);
	driver_free(driver);
}

/* So does a SACK of such a packet. */
static void test_frto_spurious_sack(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_TLP);

	driver_wait_until(driver, 400 * MS);
	driver->echo_us = 0;
	driver_sack(driver, 0, 5, 6, 0, 0);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_UNDO)->reason,
			    "frto");
	driver_free(driver);
}

/* tcp_timeout_mark_lost(): what left less than a round trip before the timeout
 * may yet arrive. 0 is acknowledged at 100 ms (RTT 100 ms), so 1 … 4 time out
 * at 400 ms; 5 … 8 left at 390 ms. */
static void test_timeout_spares_the_young(void **state)
{
	struct driver *driver = ten_in_flight(5, FP_SIM_TLP);

	driver_wait_until(driver, 100 * MS);
	driver_ack(driver, 1);
	driver_wait_until(driver, 390 * MS);
	driver_write(driver, 9);
	assert_int_equal(driver_sent(driver), 4);
	driver_wait_until(driver, 400 * MS + 2 * STEP_63MS);
	assert_int_equal(driver_result(driver).timeouts, 1);
	assert_int_equal(driver_result(driver).lost_pkts, 4);
	driver_free(driver);
}

/*
 * tcp_rtt_estimator() after 100 ms from the handshake (4 x mdev = 200 ms) and
 * one sample of 20 ms: srtt = 100 - 80 / 8 = 90; a fall counts by an eighth: 4
 * x mdev = 200 + (80 - 50) / 8 = 203.75; RTO = 293.75 ms. One of 180 ms instead
 * is a rise: srtt = 110, 4 x mdev = 200 + 80 - 50 = 230; RTO = 340 ms.
 */
static void test_rtt_deviation(void **state)
{
	for (uint32_t rises = 0; rises < 2; rises++) {
		struct driver *driver = ten_in_flight(10, 0);

		driver_wait_until(driver, rises ? 180 * MS : 20 * MS);
		driver_ack(driver, 1);
		assert_int_equal(driver_sample(driver).rtt_us,
				 rises ? 110000 : 90000);
		assert_int_equal(driver->sender->rto_jiffies,
				 rises ? 340 : 294);
		driver_free(driver);
	}
}

/* Neither: the reduction stands. */
static void test_without_undo(void **state)
{
	struct driver *driver =
	    ten_in_flight(1000, FP_SIM_TLP | FP_SIM_UNDO | FP_SIM_FRTO);

	driver_wait_until(driver, 400 * MS);
	driver->tsecr_us = 1000000;
	driver_ack(driver, 2);
	assert_int_equal(driver_result(driver).undos, 0);
	assert_int_equal(driver_sample(driver).ssthresh_pkts, 5);
	driver_free(driver);
}

/* A fast retransmission that was not needed: 0 came late. Timestamps would
 * tell; here they do not (echo of the present), the D-SACK of 0 does: the only
 * retransmission is accounted for (undo_retrans 1 -> 0). */
static void test_dsack_undo(void **state)
{
	struct driver *driver = ten_in_flight(1000, 0);

	driver_wait_until(driver, 100 * MS);
	for (int end = 2; end <= 4; end++)
		driver_sack(driver, 0, 1, end, 0, 0);
	assert_int_equal(driver_sample(driver).ssthresh_pkts, 5);
	driver_wait_until(driver, 200 * MS);
	driver->echo_us = 0;
	driver_ack(driver, 10);
	assert_string_equal(driver_ca_state(driver), "recovery");
	driver_sack(driver, 10, 0, 1, 0, 0);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_UNDO)->reason,
			    "dsack");
	assert_int_equal(driver_sample(driver).cwnd_pkts, 10);
	assert_int_equal(driver_sample(driver).ssthresh_pkts,
			 FP_CC_SSTHRESH_NONE);
	assert_int_equal(driver_result(driver).spurious_pkts, 1);
	driver_free(driver);
}

/* The D-SACK comes with the ACK that ends recovery. */
static void test_dsack_at_the_end(void **state)
{
	struct driver *driver = ten_in_flight(1000, 0);

	driver_wait_until(driver, 100 * MS);
	for (int end = 2; end <= 4; end++)
		driver_sack(driver, 0, 1, end, 0, 0);
	driver_wait_until(driver, 200 * MS);
	driver->echo_us = 0;
	driver_sack(driver, sim_sender_next(driver->sender), 0, 1, 0, 0);
	assert_string_equal(driver_find(driver, FP_SIM_EVENT_UNDO)->reason,
			    "dsack");
	assert_int_equal(driver_sample(driver).ssthresh_pkts,
			 FP_CC_SSTHRESH_NONE);
	driver_free(driver);
}

/* Both of 0 and 1 were sent again. The duplicate of 1 is told while 0 is still
 * missing (a block within the next one, RFC 2883, 4.2): one of two. That of 0
 * is the second: undone, not before. Without RACK, which would give
 * 0 up once more. */
static void test_dsack_in_the_window(void **state)
{
	struct driver *driver = ten_in_flight(1000, FP_SIM_RACK);

	driver_wait_until(driver, 100 * MS);
	driver_sack(driver, 0, 2, 8, 0, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 2);
	driver_wait_until(driver, 200 * MS);
	driver->echo_us = 0;
	driver_sack(driver, 0, 1, 2, 1, 8, 0, 0);
	assert_int_equal(driver_result(driver).undos, 0);
	driver_sack(driver, 10, 0, 1, 0, 0);
	assert_int_equal(driver_result(driver).undos, 1);
	assert_int_equal(driver_result(driver).spurious_pkts, 2);
	driver_free(driver);
}

/* RFC 8985, 6.2, step 4: a D-SACK widens the window once reordering was seen.
 * Here: 1 … 3 arrive before 0, 0 is not retransmitted (window 25 ms), so it is
 * reordering; from then on 3 SACKs do not suffice. */
static void test_reordering_seen(void **state)
{
	struct driver *driver = ten_in_flight(1000, 0);

	driver_wait_until(driver, 100 * MS);
	driver_sack(driver, 0, 1, 3, 0, 0);
	driver_ack(driver, 3); /* 0 fills the hole: reordering */
	driver_sack(driver, 3, 4, 9, 0, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 0);
	driver_wait_until(driver, 130 * MS);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_free(driver);
}

/* The receiver takes SACKs back: the ACK stops short of what it had SACKed. Not
 * before a timeout (max(RTT/2, 10 ms) from then, Linux) are they forgotten;
 * then all goes again. */
static void test_reneging(void **state)
{
	struct driver *driver = ten_in_flight(10, 0);

	driver_wait_until(driver, 100 * MS);
	driver_sack(driver, 0, 3, 6, 0, 0);
	driver_ack(driver, 3); /* 3 … 5 were SACKed */
	driver_wait_until(driver, 149 * MS);
	assert_int_equal(driver_result(driver).timeouts, 0);
	driver_wait_until(driver, 153 * MS);
	assert_int_equal(driver_result(driver).timeouts, 1);
	assert_int_equal(driver_last(driver)->seq, 3);
	assert_int_equal(driver_sample(driver).lost_pkts, 7);
	driver_free(driver);
}

/* RFC 6582 without SACK: 0 and 4 are lost. Three duplicate ACKs: 0 goes again;
 * a partial ACK (to 4): so does 4. */
static void test_newreno(void **state)
{
	struct driver *driver = ten_in_flight(10, FP_SIM_SACK);

	driver_wait_until(driver, 100 * MS);
	for (int ack = 0; ack < 8; ack++)
		driver_ack(driver, 0);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 1);
	driver_wait_until(driver, 200 * MS);
	driver_ack(driver, 4);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 2);
	assert_int_equal(driver_last(driver)->seq, 4);
	driver_wait_until(driver, 300 * MS);
	driver_ack(driver, 10);
	assert_int_equal(driver_result(driver).recoveries, 1);
	assert_int_equal(driver_sample(driver).inflight_pkts, 0);
	driver_free(driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rack_timer),
		cmocka_unit_test(test_rack_late_original),
		cmocka_unit_test(test_three_dupacks),
		cmocka_unit_test(test_dupack_waits),
		cmocka_unit_test(test_lost_retransmission),
		cmocka_unit_test(test_tail_loss_probe),
		cmocka_unit_test(test_probe_repairs),
		cmocka_unit_test(test_probe_of_new_data),
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_frto_real),
		cmocka_unit_test(test_eifel),
		cmocka_unit_test(test_frto_spurious),
		cmocka_unit_test(test_frto_spurious_sack),
		cmocka_unit_test(test_timeout_spares_the_young),
		cmocka_unit_test(test_rtt_deviation),
		cmocka_unit_test(test_without_undo),
		cmocka_unit_test(test_dsack_undo),
		cmocka_unit_test(test_dsack_at_the_end),
		cmocka_unit_test(test_dsack_in_the_window),
		cmocka_unit_test(test_reordering_seen),
		cmocka_unit_test(test_reneging),
		cmocka_unit_test(test_newreno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
