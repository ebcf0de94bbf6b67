/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diag/stats.h"
#include "near.h"

#define EXACT 1e-12

static void median_is_the_middle_or_the_mean_of_both(void **state)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };
	struct diag_spread spread = diag_spread_of(odd, 3);

	assert_near(spread.median, 2, EXACT);
	assert_near(spread.min, 1, EXACT);
	assert_near(spread.max, 3, EXACT);
	/* (2 + 3) / 2 */
	assert_near(diag_spread_of(even, 4).median, 2.5, EXACT);
}

static void what_was_not_measured_is_left_out(void **state)
{
	double values[] = { NAN, 5, NAN, 7 };
	struct diag_spread spread = diag_spread_of(values, 4);

	assert_near(spread.median, 6, EXACT);
	assert_near(spread.min, 5, EXACT);
	assert_true(isnan(diag_spread_of(values, 0).median));
}

static void jain_tells_equal_from_unequal(void **state)
{
	const double equal[] = { 5, 5, 5, 5 }, one[] = { 8, 0, 0, 0 };
	const double two_to_one[] = { 2, 1 }, none[] = { 0, 0 };

	assert_near(diag_jain(equal, 4), 1, EXACT);
	assert_near(diag_jain(one, 4), 0.25, EXACT);
	/* (2 + 1)^2 / (2 (4 + 1)) = 9 / 10 */
	assert_near(diag_jain(two_to_one, 2), 0.9, EXACT);
	assert_true(isnan(diag_jain(none, 2)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_is_the_middle_or_the_mean_of_both),
		cmocka_unit_test(what_was_not_measured_is_left_out),
		cmocka_unit_test(jain_tells_equal_from_unequal),
	};

	return cmocka_run_group_tests_name("diag/stats", tests, NULL, NULL);
}
