/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The histogram's promise: mean and maximum are exact, a quantile is the true
 * one or at most 1/32 above it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lab/lateness.h"

static struct lateness lateness;

static int clear(void **state)
{
	memset(&lateness, 0, sizeof(lateness));
	return 0;
}

static void an_empty_one_says_zero(void **state)
{
	assert_int_equal(lateness__mean_ns(&lateness), 0);
	assert_int_equal(lateness__quantile_ns(&lateness, 990), 0);
}

/* 1 + 2 + … + 31 = 496, over 31: 16. Below 32 every value has its bucket. */
static void small_values_are_exact(void **state)
{
	for (uint64_t i = 1; i <= 31; i++)
		lateness__add(&lateness, i);
	assert_int_equal(lateness__mean_ns(&lateness), 16);
	assert_int_equal(lateness__quantile_ns(&lateness, 500), 16);
	assert_int_equal(lateness__quantile_ns(&lateness, 1000), 31);
	assert_int_equal(lateness.max_ns, 31);
}

/* One value alone: any quantile is it, whatever its size. */
static void one_value_is_every_quantile(void **state)
{
	for (uint64_t ns = 1; ns < UINT64_C(1) << 39; ns = ns * 3 + 1) {
		(void)clear(state);
		lateness__add(&lateness, ns);
		assert_int_equal(lateness__quantile_ns(&lateness, 0), ns);
		assert_int_equal(lateness__quantile_ns(&lateness, 990), ns);
	}
}

/* Of 1000, 2000 … 1000000 the 990th of 1000 is 990000. */
static void a_quantile_is_at_most_a_32nd_too_high(void **state)
{
	for (uint64_t i = 1; i <= 1000; i++)
		lateness__add(&lateness, i * 1000);
	for (uint32_t permille = 1; permille <= 1000; permille++) {
		uint64_t exact = permille * UINT64_C(1000);
		uint64_t is = lateness__quantile_ns(&lateness, permille);

		assert_true(is >= exact);
		assert_true(is <= exact + exact / 32);
	}
}

static void what_is_too_long_counts_as_the_longest(void **state)
{
	lateness__add(&lateness, UINT64_MAX);
	assert_int_equal(lateness.max_ns, UINT64_MAX);
	assert_int_equal(lateness__quantile_ns(&lateness, 1000),
			 (UINT64_C(1) << LATENESS_BITS) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_one_says_zero, clear),
		cmocka_unit_test_setup(small_values_are_exact, clear),
		cmocka_unit_test_setup(one_value_is_every_quantile, clear),
		cmocka_unit_test_setup(a_quantile_is_at_most_a_32nd_too_high,
				       clear),
		cmocka_unit_test_setup(what_is_too_long_counts_as_the_longest,
				       clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
