/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arithmetic of how many rounds go side by side; machine sizes are given,
 * so the results do not depend on the one that runs the test. */
#include "lab/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MBIT 1000000ull

static struct lab_round round_at(uint64_t rate_bps)
{
	struct lab_round round = { .group_count = 1 };
	struct fp_stage_config *stage = &round.path.way[0].stages[0];

	round.groups[0].flows = 1;
	round.path.way[0].stage_count = 1;
	stage->kind = FP_STAGE_LINK;
	stage->link.rate.kind = rate_bps ? FP_RATE_CONSTANT : FP_RATE_UNLIMITED;
	stage->link.rate.rate_bps = rate_bps;
	return round;
}

static uint32_t plan(const struct lab_round *round, uint32_t count,
		     uint32_t cores, char reason[256])
{
	struct lab_round rounds[100];
	uint32_t i;

	for (i = 0; i < count; i++)
		rounds[i] = *round;
	return lab_plan_for(rounds, count, cores, reason, 256);
}

/* The default run: 2 algorithms x 3 rounds at 100 Mbit/s on 2 cores. */
static void test_default_run_goes_side_by_side(void **state)
{
	struct lab_round round = round_at(100 * MBIT);
	char reason[256];

	assert_int_equal(plan(&round, 6, 2, reason), 6);
	assert_non_null(strstr(reason, "side by side"));
}

static void test_unlimited_rate_takes_the_machine(void **state)
{
	struct lab_round round = round_at(0);
	char reason[256];

	assert_int_equal(plan(&round, 6, 64, reason), 1);
	assert_non_null(strstr(reason, "no rate limit"));
}

/* Cost grows with the rate: n rounds fit as long as n times the cost of one is
 * within the share of the machine that is given away. */
static void test_as_many_as_fit(void **state)
{
	static const uint64_t rates_mbit[] = { 1, 10, 300, 1000, 5000 };
	char reason[256];
	size_t i;

	for (i = 0; i < sizeof(rates_mbit) / sizeof(rates_mbit[0]); i++) {
		struct lab_round round = round_at(rates_mbit[i] * MBIT);
		double each = lab_plan_round_cores(&round);
		uint32_t fits = plan(&round, 100, 4, reason);

		assert_true(fits >= 1 && fits <= 64);
		if (fits > 1)
			assert_true(fits * each <= 4 * LAB_PLAN_SHARE);
		if (fits < 64)
			assert_true((fits + 1) * each > 4 * LAB_PLAN_SHARE);
	}
}

static void test_a_single_round_is_alone(void **state)
{
	struct lab_round round = round_at(100 * MBIT);
	char reason[256];

	assert_int_equal(plan(&round, 1, 2, reason), 1);
}

/* A direct path has no emulator and no limit, whatever its stages say. */
static void test_direct_is_unlimited(void **state)
{
	struct lab_round round = round_at(100 * MBIT);

	round.path.backend = LAB_BACKEND_DIRECT;
	assert_true(lab_plan_round_cores(&round) == 0);
}

static void test_precise_rounds_take_turns(void **state)
{
	struct lab_round round = round_at(100 * MBIT);
	char reason[256];

	round.path.is_precise = true;
	assert_int_equal(plan(&round, 6, 64, reason), 1);
	assert_non_null(strstr(reason, "precise"));
}

/* Data takes the other way when reversed: here it has no limit. */
static void test_reverse_looks_at_the_way_back(void **state)
{
	struct lab_round round = round_at(100 * MBIT);

	round.is_reverse = true;
	assert_true(lab_plan_round_cores(&round) == 0);
}

static void test_rates_of_each_kind(void **state)
{
	static const struct fp_rate_step steps[] = { { 0, 5 * MBIT },
						     { 1000, 20 * MBIT } };
	static const uint32_t slots_ms[] = { 1, 1, 2, 4 };
	struct fp_rate_config rate = { .kind = FP_RATE_STEPS,
				       .rate_bps = 10 * MBIT,
				       .steps = steps,
				       .step_count = 2 };

	assert_true(lab_plan_rate_bps(&rate) == 20 * MBIT);
	rate = (struct fp_rate_config){ .kind = FP_RATE_TRACE,
					.trace_ms = slots_ms,
					.trace_count = 4 };
	/* 4 slots of 1504 bytes in 4 ms: 12.032 Mbit/s */
	assert_true(lab_plan_rate_bps(&rate) == 12032000);
	rate = (struct fp_rate_config){ .kind = FP_RATE_UNLIMITED };
	assert_true(lab_plan_rate_bps(&rate) == 0);
}

/* 100 Mbit/s take 0.06 + 0.025 cores, so one processor does; 10 Gbit/s
 * take 2.56. Of processors 1, 4 and 6, neighbours get different ones. */
static void test_small_rounds_stay_on_a_processor(void **state)
{
	struct lab_round small = round_at(100 * MBIT);
	struct lab_round large = round_at(10000 * MBIT);
	cpu_set_t set;
	int cpu[4], i;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	assert_int_equal(lab_plan_cpu(&small, 0, &set), -1); /* has but one */
	CPU_SET(4, &set);
	CPU_SET(6, &set);
	for (i = 0; i < 4; i++) {
		cpu[i] = lab_plan_cpu(&small, (uint32_t)i, &set);
		assert_true(cpu[i] == 1 || cpu[i] == 4 || cpu[i] == 6);
	}
	assert_true(cpu[0] != cpu[1] && cpu[1] != cpu[2] && cpu[0] != cpu[2]);
	assert_int_equal(cpu[3], cpu[0]);
	assert_int_equal(lab_plan_cpu(&large, 0, &set), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_run_goes_side_by_side),
		cmocka_unit_test(test_unlimited_rate_takes_the_machine),
		cmocka_unit_test(test_as_many_as_fit),
		cmocka_unit_test(test_a_single_round_is_alone),
		cmocka_unit_test(test_direct_is_unlimited),
		cmocka_unit_test(test_precise_rounds_take_turns),
		cmocka_unit_test(test_reverse_looks_at_the_way_back),
		cmocka_unit_test(test_rates_of_each_kind),
		cmocka_unit_test(test_small_rounds_stay_on_a_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
