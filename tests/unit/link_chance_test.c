/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* netem's correlated draws; duplication, corruption, reordering, policer. */
#include <math.h>

#include "link/link_internal.h"
#include "link_driver.h"

static struct fp_path_config one_stage(enum fp_stage_kind kind)
{
	struct fp_path_config config = { .seed = 11,
					 .capacity_pkts = 100000,
					 .stage_count = 1 };

	config.stages[0].kind = kind;
	return config;
}

/*
 * x' = (1 - rho) u + rho x, u uniform on 0 … 1: mean 1/2, variance
 * (1 - rho) / (1 + rho) / 12, correlation of neighbours rho. Of N = 400,000
 * the errors are about 1 / sqrt(N) = 0.16 %, times (1 + rho) / (1 - rho) where
 * neighbours are alike; bounds are 4.5 times that.
 */
static void correlated_draws_have_netems_moments(void **state)
{
	enum { N = 400000 };
	const double rhos[] = { 0, 0.25, 0.5, 0.75 };

	for (int i = 0; i < 4; i++) {
		double rho = rhos[i], sum = 0, squares = 0, products = 0;
		double before = 0, mean, variance, expected;
		double slack = 4.5 * (1 + rho) / (1 - rho) / sqrt(N);
		struct link_draw draw;

		draw__init(&draw, 77, (uint32_t)(rho * FP_PPM_ONE));
		for (uint64_t n = 0; n < N; n++) {
			double x = draw__at(&draw, n) / 4294967296.0 - 0.5;

			sum += x;
			squares += x * x;
			products += x * before;
			before = x;
		}
		mean = sum / N;
		variance = squares / N - mean * mean;
		expected = (1 - rho) / (1 + rho) / 12;
		assert_true(fabs(mean) < slack);
		assert_true(fabs(variance / expected - 1) < slack);
		assert_true(fabs(products / squares - rho) < slack);
	}
}

/* Of 20,000 at 10 %: mean 2000, sd 42.4. Each copy is announced first, has the
 * packet's ref, and follows it. */
static void duplicates_are_announced_and_follow(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_DUPLICATE);
	struct driver driver;
	size_t copies;

	config.stages[0].chance.probability_ppm = 100000;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 20000; i++) {
		driver_push(&driver, i, 100);
		driver_pop(&driver, i);
	}
	copies = driver_count(&driver, FP_FATE_DUPLICATED);
	assert_in_range(copies, 2000 - 190, 2000 + 190);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED),
			 20000 + copies);
	assert_int_equal(driver_counters(&driver, 0).duplicated, copies);
	for (size_t i = 0; i < driver.out_count; i++) {
		const struct fp_pkt *pkt = &driver.out[i];

		if (pkt->fate != FP_FATE_DUPLICATED)
			continue;
		assert_int_equal(pkt[1].ref, pkt->ref);
		assert_int_equal(pkt[1].flags, 0);
		assert_int_equal(pkt[2].ref, pkt->ref);
		assert_int_equal(pkt[2].flags, FP_PKT_DUPLICATE);
	}
	driver_close(&driver);
}

/* Four stages that always duplicate make 2^4 of one; room for 9 only makes the
 * other 7 overruns, and every ref is accounted for. */
static void duplicates_need_room_too(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_DUPLICATE);
	struct driver driver;

	config.capacity_pkts = 9;
	config.stage_count = 5;
	for (uint32_t i = 0; i < 4; i++) {
		config.stages[i].kind = FP_STAGE_DUPLICATE;
		config.stages[i].chance.probability_ppm = FP_PPM_ONE;
	}
	config.stages[4].kind = FP_STAGE_DELAY;
	config.stages[4].delay.delay_ns = 1;
	driver_open(&driver, &config);
	driver_push(&driver, 0, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 9);
	assert_int_equal(1 + driver_count(&driver, FP_FATE_DUPLICATED),
			 driver_count(&driver, FP_FATE_DELIVERED) +
			     driver_count(&driver, FP_FATE_LOST_OVERRUN));
	driver_close(&driver);
}

/* Each eighth of the bits of a packet of 64 bytes is hit as often: 40,000 draws
 * of which half corrupt, 2500 each, sd about 49. */
static void corruption_names_any_bit(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_CORRUPT);
	uint32_t counts[8] = { 0 };
	struct driver driver;

	config.stages[0].chance.probability_ppm = 500000;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 40000; i++)
		driver_push(&driver, 0, 64);
	driver_pop(&driver, 0);
	for (size_t i = 0; i < driver.out_count; i++) {
		if (!(driver.out[i].flags & FP_PKT_CORRUPTED))
			continue;
		assert_in_range(driver.out[i].corrupt_bit, 0, 64 * 8 - 1);
		counts[driver.out[i].corrupt_bit / 64]++;
	}
	for (int i = 0; i < 8; i++)
		assert_in_range(counts[i], 2500 - 225, 2500 + 225);
	driver_close(&driver);
}

/* Every gap-th packet passes the delay at once: of packets 1 us apart with a
 * gap of 5, the numbers 5, 10, … leave when they come. */
static void reorder_sends_every_gapth_ahead(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_REORDER);
	struct driver driver;

	config.stages[0].reorder.probability_ppm = FP_PPM_ONE;
	config.stages[0].reorder.gap_pkts = 5;
	config.stage_count = 3;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = MS;
	config.stages[2] = config.stages[1]; /* only the next one is skipped */
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 100; i++)
		driver_push(&driver, i * US, 100);
	driver_drain(&driver);
	assert_int_equal(driver.out_count, 100);
	for (size_t i = 0; i < 100; i++) {
		const struct fp_pkt *pkt = &driver.out[i];
		bool is_ahead = (pkt->ref + 1) % 5 == 0;

		assert_int_equal(pkt->flags, is_ahead ? FP_PKT_REORDERED : 0);
		assert_int_equal(pkt->time_ns,
				 pkt->ref * US + (is_ahead ? MS : 2 * MS));
	}
	assert_int_equal(driver_counters(&driver, 0).reordered, 20);
	driver_close(&driver);
}

/* With probability q a candidate comes after gap - 1 packets, and 1 / q
 * candidates are drawn on average until one goes: a share of
 * 1 / (gap - 1 + 1/q) = 1 / (4 + 4) of 80,000 = 10,000. The distance has sd
 * sqrt(1 - q) / q = 3.46, so the count sd = 3.46 / 8 * sqrt(10000) = 43. */
static void reorder_draws_until_one_goes(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_REORDER);
	struct driver driver;

	config.stages[0].reorder.probability_ppm = 250000;
	config.stages[0].reorder.gap_pkts = 5;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 80000; i++)
		driver_push(&driver, 0, 100);
	assert_in_range(driver_counters(&driver, 0).reordered, 10000 - 194,
			10000 + 194);
	driver_close(&driver);
}

/*
 * 1000-byte packets, 8 Mbit/s = 1 packet each ms, burst 10,000 bytes. At once:
 * 10 pass, the 11th does not. After 2.5 ms there is room for 2, then for one
 * more at 3 ms: the half token was kept.
 */
static void policer_lets_its_burst_pass(void **state)
{
	struct fp_path_config config = one_stage(FP_STAGE_POLICER);
	struct driver driver;

	config.stages[0].policer.rate_bps = 8000000;
	config.stages[0].policer.burst_bytes = 10000;
	driver_open(&driver, &config);
	for (int i = 0; i < 12; i++)
		driver_push(&driver, 0, 1000);
	driver_pop(&driver, 0);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 10);
	assert_int_equal(driver.out[9].fate, FP_FATE_DELIVERED);
	assert_int_equal(driver.out[10].fate, FP_FATE_LOST_POLICER);
	for (int i = 0; i < 3; i++)
		driver_push(&driver, 5 * MS / 2, 1000);
	driver_push(&driver, 3 * MS - 1, 1000);
	driver_push(&driver, 3 * MS, 1000);
	driver_pop(&driver, 3 * MS);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 13);
	assert_int_equal(driver.out[driver.out_count - 1].fate,
			 FP_FATE_DELIVERED);
	driver_close(&driver);
}

/* 3 Mbit/s offered 3.7 Mbit/s for 10 s: burst + rate x time pass, less than one
 * packet missing; intervals of 2702702.7 ns / 1000 never are whole. */
static void policer_keeps_its_rate(void **state)
{
	const uint64_t count = 46250; /* of 100 bytes: 37 Mbit */
	struct fp_path_config config = one_stage(FP_STAGE_POLICER);
	struct driver driver;
	uint64_t passed_bytes;

	config.stages[0].policer.rate_bps = 3000000;
	config.stages[0].policer.burst_bytes = 1500;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < count; i++) {
		driver_push(&driver, i * 10 * S / count, 100);
		driver_pop(&driver, i * 10 * S / count);
	}
	passed_bytes = 100 * driver_count(&driver, FP_FATE_DELIVERED);
	/* 1500 + 3,750,000 bytes in 10 s; the last packet came a bit before. */
	assert_in_range(passed_bytes, 3751500 - 200, 3751500);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(correlated_draws_have_netems_moments),
		cmocka_unit_test(duplicates_are_announced_and_follow),
		cmocka_unit_test(duplicates_need_room_too),
		cmocka_unit_test(corruption_names_any_bit),
		cmocka_unit_test(reorder_sends_every_gapth_ahead),
		cmocka_unit_test(reorder_draws_until_one_goes),
		cmocka_unit_test(policer_lets_its_burst_pass),
		cmocka_unit_test(policer_keeps_its_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
