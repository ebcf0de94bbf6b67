/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A link: when packets leave it and how many fit. */
#include "link_driver.h"

static struct fp_path_config link_config(uint64_t rate_bps)
{
	struct fp_path_config config = { .capacity_pkts = 20000,
					 .stage_count = 1 };

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = rate_bps;
	return config;
}

/* Packet n of a backlog of L bytes each leaves at n L 8 / R, rounded down to
 * ns: 1514 x 8 / 7 Mbit/s = 1730285.71… ns, which 10,000 roundings would
 * have shown. */
static void backlog_leaves_without_drift(void **state)
{
	struct fp_path_config config = link_config(7000000);
	struct driver driver;

	config.l2_bytes = 14;
	driver_open(&driver, &config);
	for (int i = 0; i < 10000; i++)
		driver_push(&driver, 0, 1500);
	driver_drain(&driver);
	assert_int_equal(driver.out_count, 10000);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(driver.out[i].time_ns,
				 (i + 1) * 1514 * 8 * 1000 / 7);
	driver_close(&driver);
}

/* 100-byte packets at 8 Mbit/s take 100 us; one each 250 us never waits. */
static void idle_link_sends_at_once(void **state)
{
	struct fp_path_config config = link_config(8000000);
	struct driver driver;

	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 50; i++)
		driver_push(&driver, i * 250 * US, 100);
	driver_drain(&driver);
	for (uint64_t i = 0; i < 50; i++)
		assert_int_equal(driver.out[i].time_ns, (250 * i + 100) * US);
	assert_int_equal(driver_counters(&driver, 0).busy_ns, 5 * MS);
	assert_int_equal(driver_counters(&driver, 0).wait_sum_ns, 0);
	driver_close(&driver);
}

/* Limits count what waits: one packet is being sent besides. */
static void droptail_limits_what_waits(void **state)
{
	struct fp_path_config config = link_config(8000000);
	struct driver driver;

	config.stages[0].link.queue.limit_pkts = 10;
	driver_open(&driver, &config);
	for (int i = 0; i < 20; i++)
		driver_push(&driver, 0, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 11);
	assert_int_equal(driver_count(&driver, FP_FATE_LOST_QUEUE), 9);
	assert_int_equal(driver_counters(&driver, 0).queue_max_pkts, 10);
	/* waits of 100, 200, … 1000 us */
	assert_int_equal(driver_counters(&driver, 0).wait_sum_ns, 5500 * US);
	assert_int_equal(driver_counters(&driver, 0).wait_max_ns, 1000 * US);
	driver_close(&driver);
}

/* Packets of 100 + 14 bytes: a limit of 1025 holds 8 of them, 1026 just 9. */
static void droptail_limit_in_bytes(void **state)
{
	for (uint64_t fit = 8; fit <= 9; fit++) {
		struct fp_path_config config = link_config(8000000);
		struct driver driver;

		config.l2_bytes = 14;
		config.stages[0].link.queue.limit_bytes = 1017 + fit;
		driver_open(&driver, &config);
		for (int i = 0; i < 20; i++)
			driver_push(&driver, 0, 100);
		driver_drain(&driver);
		assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED),
				 1 + fit);
		assert_int_equal(driver_counters(&driver, 0).queue_max_bytes,
				 114 * fit);
		driver_close(&driver);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backlog_leaves_without_drift),
		cmocka_unit_test(idle_link_sends_at_once),
		cmocka_unit_test(droptail_limits_what_waits),
		cmocka_unit_test(droptail_limit_in_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
