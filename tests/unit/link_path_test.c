/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The chain: what holds whatever the stages are. */
#include "link_driver.h"

/* A chain whose answer is known by arithmetic: 1 + 2 + … + 13 = 91 ms. */
static void thirteen_delays_add_up_exactly(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 13 };
	struct driver driver;

	for (uint32_t i = 0; i < 13; i++) {
		config.stages[i].kind = FP_STAGE_DELAY;
		config.stages[i].delay.delay_ns = (i + 1) * MS;
	}
	driver_open(&driver, &config);
	driver_push(&driver, 7, 1500);
	driver_push(&driver, 8, 40);
	/* All 13 lie behind the first event, 1 ms from now: 12 + … + 2 more. */
	assert_int_equal(fp_path_wake_ns(driver.path), 91 * MS + 7);
	driver_pop(&driver, 91 * MS + 6);
	assert_int_equal(driver.out_count, 0);
	driver_pop(&driver, 200 * MS);
	assert_int_equal(driver.out_count, 2);
	assert_int_equal(driver.out[0].time_ns, 91 * MS + 7);
	assert_int_equal(driver.out[1].time_ns, 91 * MS + 8);
	assert_int_equal(driver.out[1].ref, 1);
	assert_int_equal(fp_path_inflight_pkts(driver.path), 0);
	assert_int_equal(fp_path_wake_ns(driver.path), FP_TIME_NEVER);
	driver_close(&driver);
}

static void empty_chain_passes_at_once(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 4 };
	struct driver driver;

	driver_open(&driver, &config);
	driver_push(&driver, 5, 100);
	assert_int_equal(fp_path_wake_ns(driver.path), 5);
	driver_pop(&driver, 4);
	assert_int_equal(driver.out_count, 0);
	driver_pop(&driver, 5);
	assert_int_equal(driver.out_count, 1);
	assert_int_equal(driver.out[0].fate, FP_FATE_DELIVERED);
	assert_int_equal(driver.out[0].time_ns, 5);
	driver_close(&driver);
}

/* Of 10 packets at once into room for 6, 4 are told as overrun, and the room
 * is free again when those that were inside have left. */
static void overrun_is_told(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 6, .stage_count = 1 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = MS;
	driver_open(&driver, &config);
	for (int i = 0; i < 10; i++)
		driver_push(&driver, 0, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_LOST_OVERRUN), 4);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 6);
	driver_push(&driver, 2 * MS, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 7);
	driver_close(&driver);
}

static void time_does_not_run_backwards(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 6, .stage_count = 1 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = MS;
	driver_open(&driver, &config);
	driver_push(&driver, 10, 100);
	driver_push(&driver, 4, 100);
	driver_drain(&driver);
	assert_int_equal(driver.out[1].time_ns, MS + 10);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirteen_delays_add_up_exactly),
		cmocka_unit_test(empty_chain_passes_at_once),
		cmocka_unit_test(overrun_is_told),
		cmocka_unit_test(time_does_not_run_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
