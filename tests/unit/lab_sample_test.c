/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define MS 1000000ull
#define S  1000000000ull

/* An interval is kept where it fits and widened where it does not. */
static void test_interval_is_widened_to_the_cap(void **state)
{
	static const struct {
		uint64_t sample_ns, total_ns;
		uint32_t flows;
		bool is_kept;
	} rows[] = {
		/* 10 s / 50 ms + 2 = 202 samples */
		{ 50 * MS, 10 * S, 1, true },
		/* 1000 flows x 202 = 202,000 */
		{ 50 * MS, 10 * S, 1000, true },
		/* 1000 flows x 1202 = 1,202,000 > 1,000,000 */
		{ 50 * MS, 60 * S, 1000, false },
		/* a day: 1,728,002 */
		{ 50 * MS, 86400 * S, 1, false },
		/* finer than 1 ms is not offered */
		{ MS / 10, 10 * S, 1, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t interval_ns = lab_sample_interval_ns(
		    rows[i].sample_ns, rows[i].total_ns, rows[i].flows);
		uint64_t looks = rows[i].total_ns / interval_ns + 2;

		assert_int_equal(interval_ns == rows[i].sample_ns,
				 rows[i].is_kept);
		assert_true(interval_ns >= rows[i].sample_ns);
		assert_true(looks * rows[i].flows <= LAB_SAMPLES_MAX);
		assert_int_equal(lab_sample_capacity(interval_ns,
						     rows[i].total_ns,
						     rows[i].flows),
				 looks * rows[i].flows);
	}
}

/* Nearest rank: the ceil(count * percent / 100)-th value. */
static void test_percentiles(void **state)
{
	uint32_t values[100];
	uint32_t i;

	for (i = 0; i < 100; i++)
		values[i] = (i + 1) * 10;
	assert_int_equal(lab_percentile(values, 100, 50), 500);
	assert_int_equal(lab_percentile(values, 100, 99), 990);
	assert_int_equal(lab_percentile(values, 100, 100), 1000);
	assert_int_equal(lab_percentile(values, 100, 0), 10);
	/* of 3: ceil(1.5) = 2nd, ceil(2.97) = 3rd */
	assert_int_equal(lab_percentile(values, 3, 50), 20);
	assert_int_equal(lab_percentile(values, 3, 99), 30);
	assert_int_equal(lab_percentile(values, 1, 50), 10);
	assert_int_equal(lab_percentile(values, 0, 50), 0);
}

static struct lab_sample sample_at(uint32_t flow, uint32_t time_ms,
				   uint32_t rtt_us, uint32_t cwnd_pkts)
{
	struct lab_sample sample = { .flow = flow,
				     .time_ms = time_ms,
				     .rtt_us = rtt_us,
				     .cwnd_pkts = cwnd_pkts };

	return sample;
}

/* Flow 0 has warm-up samples that must not count; flow 1 has nothing else. */
static void test_sums_leave_the_warm_up_out(void **state)
{
	const struct lab_sample samples[] = {
		sample_at(0, 0, 900000, 1),    sample_at(1, 0, 7000, 4),
		sample_at(0, 1000, 30000, 10), sample_at(0, 1050, 10000, 20),
		sample_at(0, 1100, 20000, 60), sample_at(9, 1100, 1, 1),
	};
	struct lab_flow_result flows[2] = { { 0 } };

	assert_int_equal(lab_sample_sum_up(samples, 6, 1000, flows, 2), 0);
	/* 10, 20, 30 ms: the 2nd and the 3rd; (10 + 20 + 60) / 3 = 30 */
	assert_int_equal(flows[0].rtt_p50_us, 20000);
	assert_int_equal(flows[0].rtt_p99_us, 30000);
	assert_int_equal(flows[0].cwnd_mean_pkts, 30);
	assert_int_equal(flows[1].rtt_p50_us, 7000);
	assert_int_equal(flows[1].cwnd_mean_pkts, 4);
}

static void test_no_samples_is_no_error(void **state)
{
	struct lab_flow_result flow = { 0 };

	assert_int_equal(lab_sample_sum_up(NULL, 0, 0, &flow, 1), 0);
	assert_int_equal(flow.rtt_p50_us, 0);
}

/* tcp_packets_in_flight(): sent - (sacked + lost) + retransmitted */
static void test_packets_in_flight(void **state)
{
	struct sock_tcp_info info = { .unacked_pkts = 100,
				      .sacked_pkts = 30,
				      .lost_pkts = 20,
				      .retrans_pkts = 5 };
	struct lab_sample sample = { 0 };

	lab_sample_from_info(&info, &sample);
	assert_int_equal(sample.inflight_pkts, 55);
	info.unacked_pkts = 10;
	lab_sample_from_info(&info, &sample);
	assert_int_equal(sample.inflight_pkts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval_is_widened_to_the_cap),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_sums_leave_the_warm_up_out),
		cmocka_unit_test(test_no_samples_is_no_error),
		cmocka_unit_test(test_packets_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
