/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bursts and the pacer, the peer's window, the handshake, and what the
 * algorithm sees of all that. Times as in sim_sender_loss_test.c: ticks of 1
 * ms, the timer wheel's step on top.
 */
#include "sim_sender_driver.h"
#include "sim/sender_state.h"

/* What the kernel's timer wheel adds to a delay, at most (ticks of 1 ms). */
static uint64_t wheel_step_ns(uint64_t delay_ns)
{
	uint64_t step_ns = 1 * MS;

	for (uint64_t start_ns = 63 * MS; delay_ns >= start_ns; start_ns *= 8)
		step_ns *= 8;
	return 2 * step_ns;
}

/*
 * tcp_tso_autosize(), MSS 1448: (rate >> 10) + (65215 >> (min_rtt_us >> 9)), at
 * most 65215, in packets rounded down, at least 2:
 *
 *	125,000 B/s, 100 ms:	122			-> 0 -> 2
 *	12,500,000, 100 ms:	12207			-> 8
 *	125,000,000, 100 ms:	122070 -> 65215		-> 45
 *	12,500,000, 1 ms:	12207 + (65215 >> 1)	= 44814 -> 30
 *	12,500,000, 3 ms:	12207 + (65215 >> 5)	= 14244 -> 9
 *	12,500,000, 0.1 ms:	12207 + 65215 -> 65215	-> 45
 */
static void test_burst_sizes(void **state)
{
	static const struct {
		uint64_t bytes_per_s;
		uint32_t min_rtt_us, pkts;
	} rows[] = {
		{ 125000, 100000, 2 },      { 12500000, 100000, 8 },
		{ 125000000, 100000, 45 },  { 12500000, 1000, 30 },
		{ 12500000, 3000, 9 },      { 12500000, 100, 45 },
		{ UINT64_MAX, 100000, 45 },
	};
	struct driver *driver = driver_new("reno");

	driver->config.mss_bytes = 1448;
	driver->config.tcp.without = 0;
	driver_start(driver);
	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		driver->sender->control.pacing_rate_bytes_per_s =
		    rows[i].bytes_per_s;
		driver->sender->min_rtt.rtt_us[0] = rows[i].min_rtt_us;
		assert_int_equal(sender__burst_pkts(driver->sender),
				 rows[i].pkts);
	}
	driver_free(driver);
}

/* usecs_to_jiffies() rounds up, to 120 s (TCP_RTO_MAX) and a little more: held
 * to a division over a stride that meets every remainder of each tick. */
static void test_ticks(void **state)
{
	static const uint16_t clocks[] = { 100, 250, 300, 1000 };

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t tick_us = 1000000 / clocks[i];
		struct driver *driver = driver_new("reno");

		driver->config.tcp.clock_hz = clocks[i];
		driver_start(driver);
		for (uint32_t us = 0; us < 130000000; us += 997)
			assert_true(sender__to_jiffies(driver->sender, us) ==
				    (us + tick_us - 1) / tick_us);
		driver_free(driver);
	}
}

/* Packets of one burst share a unit and are numbered in it; the next burst has
 * another. 10 at once on a short path: half a window each (tcp_cwnd_test()).
 * Each burst ends with PSH (__tcp_transmit_skb()). */
static void test_units(void **state)
{
	struct driver *driver = driver_new("reno");

	driver->config.tcp.without = 0;
	driver->config.open_rtt_us =
	    100; /* a burst may be as long as it gets */
	driver_start(driver);
	driver_write(driver, 100);
	assert_int_equal(driver_sent(driver), 10);
	for (uint32_t i = 1; i < 5; i++) {
		const struct sim_segment *segment = &driver->log[i].segment;

		assert_int_equal(segment->unit, driver->log[0].segment.unit);
		assert_int_equal(segment->index, i);
	}
	assert_int_not_equal(driver->log[5].segment.unit,
			     driver->log[4].segment.unit);
	assert_int_equal(driver->log[5].segment.index, 0);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(driver->log[i].segment.is_push, i % 5 == 4);
	driver_free(driver);
}

/*
 * tcp_tso_should_defer(): a burst is 2 packets, and each ACK opens the window
 * (in congestion avoidance) by 1. The first goes at once, as nothing left in
 * the last millisecond. Where the ACK of the first packet in flight is due now,
 * RTT 100 ms after it left, each second ACK sends 2; where it is 40 ms away,
 * each sends 1.
 */
static void test_defer(void **state)
{
	static const struct {
		uint64_t ack_ms;
		uint32_t sent[5];
	} rows[] = { { 100, { 1, 0, 2, 0, 2 } }, { 50, { 1, 1, 1, 1, 1 } } };

	for (uint32_t i = 0; i < 2; i++) {
		struct driver *driver = driver_new("reno");

		driver->config.tcp.without = 0;
		driver_start(driver);
		driver->sender->control.ssthresh_pkts = 5;
		driver_write(driver, 1000);
		assert_int_equal(driver_sent(driver), 10);
		for (uint32_t ack = 0; ack < 5; ack++) {
			driver_wait_until(driver,
					  rows[i].ack_ms * MS + ack * 100000);
			driver_ack(driver, ack + 1);
			assert_int_equal(driver_sent(driver),
					 rows[i].sent[ack]);
		}
		driver_free(driver);
	}
}

/*
 * tcp_update_skb_after_send(): the first 10 packets go at once. Then each moves
 * the next departure on by len = 1000 B / rate, less what it was late itself,
 * at most half: after 100 ms of nothing the gaps are len / 2, len, len.
 */
static void test_pacing(void **state)
{
	struct driver *driver = driver_new("bbr");
	uint64_t len_ns;

	driver_start(driver);
	driver_write(driver, 1000);
	assert_int_equal(driver_sent(driver), 10);
	driver_wait_until(driver, 100 * MS);
	driver_ack(driver, 2);
	len_ns =
	    UINT64_C(8000000000000) / driver_sample(driver).pacing_rate_bps;
	assert_true(len_ns > 1 * MS);
	driver_wait_until(driver, 120 * MS);
	assert_int_equal(driver_sent(driver), 4);
	assert_int_equal(driver->log[10].time_ns, 100 * MS);
	assert_in_range(driver->log[11].time_ns - 100 * MS, len_ns / 2 - 2,
			len_ns / 2 + 2);
	assert_in_range(driver->log[12].time_ns - driver->log[11].time_ns,
			len_ns - 2, len_ns + 2);
	assert_in_range(driver->log[13].time_ns - driver->log[12].time_ns,
			len_ns - 2, len_ns + 2);
	driver_free(driver);
}

static void test_without_pacing(void **state)
{
	struct driver *driver = driver_new("bbr");

	driver->config.tcp.without |= FP_SIM_PACING;
	driver_start(driver);
	driver_write(driver, 1000);
	driver_wait_until(driver, 100 * MS);
	(void)driver_sent(driver);
	driver_ack(driver, 2);
	assert_int_equal(driver_sent(driver), 4);
	driver_free(driver);
}

/* The peer's window holds 5 packets: no more are in flight, and the time counts
 * as limited by it (TCP_INFO: rwnd_limited). */
static void test_receive_window(void **state)
{
	struct driver *driver = driver_new("reno");

	driver->window_bytes = 5 * SENDER_MSS;
	driver_start(driver);
	driver_write(driver, 1000);
	assert_int_equal(driver_sent(driver), 5);
	driver_wait_until(driver, 100 * MS);
	driver_ack(driver, 5);
	assert_int_equal(driver_sent(driver), 5);
	assert_int_equal(driver_sample(driver).cwnd_pkts, 10);
	assert_int_equal(driver_result(driver).rwnd_limited_us, 100000);
	assert_int_equal(driver_result(driver).busy_us, 100000);
	driver_free(driver);
}

/* RFC 9293, 3.8.6.1: the window is shut. It is asked after one RTO, then each
 * time after twice as long, with a packet without data; nothing else goes until
 * it opens. RTO after a steady RTT of 100 ms: 100 + 200 ms. */
static void test_zero_window(void **state)
{
	struct driver *driver = driver_new("reno");
	uint64_t from_ns = 100 * MS;
	uint64_t wait_ns = 300 * MS;

	driver_start(driver);
	driver_write(driver, 1000);
	driver_wait_until(driver, from_ns);
	driver->window_bytes = 0;
	driver_ack(driver, 10);
	(void)driver_sent(driver);
	for (int probe = 0; probe < 4; probe++, wait_ns *= 2) {
		driver_wait_until(driver, from_ns + wait_ns - 1);
		assert_int_equal(driver_sent(driver), 0);
		driver_wait_until(driver,
				  from_ns + wait_ns + wheel_step_ns(wait_ns));
		assert_int_equal(driver_sent(driver), 1);
		assert_int_equal(driver_last(driver)->payload_bytes, 0);
		from_ns = driver->log[driver->count - 1].time_ns;
	}
	driver->window_bytes = 100000000;
	driver_ack(driver, 10);
	assert_true(driver_sent(driver) >= 10);
	assert_int_equal(driver_last(driver)->payload_bytes, SENDER_MSS);
	driver_free(driver);
}

/* RFC 6298, 5.7, as Linux: SYNs 1 s apart, five of them, then 2 s, 4 s
 * (tcp_syn_linear_timeouts). The timestamp tells the RTT even so; the window
 * begins at 1, as more than one SYN was lost. */
static void test_handshake(void **state)
{
	static const uint64_t seconds[] = { 1, 1, 1, 1, 1, 2, 4 };
	struct driver *driver = driver_new("reno");
	struct sim_segment syn_ack = { .is_back = true, .is_syn = true };
	uint64_t from_ns = 0;

	driver->config.starts_open = false;
	driver_start(driver);
	driver_write(driver, 1000);
	assert_int_equal(driver_sent(driver), 1);
	assert_true(driver_last(driver)->is_syn);
	for (uint32_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		uint64_t wait_ns = seconds[i] * 1000 * MS;

		driver_wait_until(driver, from_ns + wait_ns - 1);
		assert_int_equal(driver_sent(driver), 0);
		driver_wait_until(driver,
				  from_ns + wait_ns + wheel_step_ns(wait_ns));
		assert_int_equal(driver_sent(driver), 1);
		from_ns = driver->log[driver->count - 1].time_ns;
	}
	syn_ack.tsecr_us = driver->now_ns / 1000 + SIM_EPOCH_US - 50000;
	syn_ack.window_bytes = driver->window_bytes;
	(void)sim_sender_receive(driver->sender, &syn_ack, driver->now_ns);
	assert_int_equal(driver_sent(driver), 1);
	assert_int_equal(driver_last(driver)->payload_bytes, SENDER_MSS);
	assert_int_equal(driver_sample(driver).rtt_us, 50000);
	driver_free(driver);
}

/* RFC 3168, 6.1.2: an echo halves the window once a round, however many ACKs
 * carry it, and the next new packet says so (CWR). */
static void test_ecn(void **state)
{
	struct driver *driver = driver_new("reno");
	struct sim_segment ack = {
		.is_back = true,
		.is_ece = true,
		.window_bytes = 100000000,
		.tsecr_us = SIM_EPOCH_US,
	};
	uint32_t cwr = 0;

	driver->config.tcp.has_ecn = true;
	driver_start(driver);
	driver_write(driver, 1000);
	driver_wait_until(driver, 100 * MS);
	for (ack.ack = 1; ack.ack <= 10; ack.ack++) {
		ack.ack_bytes = ack.ack * SENDER_MSS;
		(void)sim_sender_receive(driver->sender, &ack, driver->now_ns);
	}
	assert_int_equal(driver_sample(driver).ssthresh_pkts, 5);
	assert_int_equal(driver_sample(driver).inflight_pkts, 5);
	assert_string_equal(driver_ca_state(driver), "cwr");
	for (uint32_t i = 0; i < driver->count; i++)
		cwr += driver->log[i].segment.is_cwr;
	assert_int_equal(cwr, 1);
	assert_true(driver->log[10].segment.is_cwr);
	assert_int_equal(driver_result(driver).retransmitted_pkts, 0);
	driver_free(driver);
}

/* The same script with counters that begin at 0 and 100 before 2^32: the
 * algorithm sees them wrap, and nothing changes. */
static void test_wrap(void **state)
{
	static const char *const algorithms[] = { "reno", "cubic", "bbr" };

	for (uint32_t i = 0; i < 3; i++) {
		struct driver *drivers[2];

		for (uint32_t k = 0; k < 2; k++) {
			struct driver *driver = driver_new(algorithms[i]);

			driver->config.start_pkts = k ? UINT32_MAX - 99 : 0;
			driver_start(driver);
			driver_write(driver, 1500);
			for (uint32_t round = 1; round < 9; round++) {
				uint64_t next = sim_sender_next(driver->sender);

				driver_wait_until(driver, round * 100 * MS);
				if (round % 4)
					driver_ack(driver, next);
				else
					driver_sack(driver, next - 3,
						    (int)next - 2, (int)next, 0,
						    0);
			}
			drivers[k] = driver;
		}
		assert_true(drivers[0]->count > 200);
		assert_int_equal(drivers[0]->count, drivers[1]->count);
		for (uint32_t n = 0; n < drivers[0]->count; n++) {
			assert_int_equal(drivers[0]->log[n].time_ns,
					 drivers[1]->log[n].time_ns);
			assert_int_equal(drivers[0]->log[n].segment.seq,
					 drivers[1]->log[n].segment.seq);
		}
		driver_free(drivers[0]);
		driver_free(drivers[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst_sizes),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_defer),
		cmocka_unit_test(test_pacing),
		cmocka_unit_test(test_without_pacing),
		cmocka_unit_test(test_receive_window),
		cmocka_unit_test(test_zero_window),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_ecn),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
