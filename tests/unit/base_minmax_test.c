/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The windowed maximum and minimum: traced by hand, and as properties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"
#include "fullpipe/base/minmax.h"

#define WINDOW 10u

struct step {
	uint32_t time, value, answer;
};

/*
 * The rules of lib/win_minmax.c, by hand, window 10 (quarter 2, half 5):
 * the three ranks after each step are in the comment.
 */
static const struct step falling[] = {
	{ 0, 100, 100 }, /* 100@0 100@0 100@0 */
	{ 1, 50, 100 },  /* age 1 <= 2: nothing moves */
	{ 3, 50, 100 },  /* age 3 > 2: 100@0 50@3 50@3 */
	{ 6, 40, 100 },  /* age 6 > 5: 100@0 50@3 40@6 */
	{ 10, 10, 100 }, /* age 10 is inside */
	{ 11, 10, 50 },  /* age 11: 50@3 40@6 10@11 */
	{ 13, 10, 50 },  /* 10 >= third 10: 50@3 40@6 10@13 */
	{ 14, 9, 40 },   /* 40@6 10@13 9@14 */
	{ 16, 40, 40 },  /* as good and newer: 40@16 in all three */
	{ 26, 8, 40 },   /* age 10 is inside, > 2: 40@16 8@26 8@26 */
	{ 27, 7, 8 },    /* 8@26 8@26 7@27 */
	{ 60, 1, 1 },    /* nothing left in the window */
};

/* Twice in one step: 100@0 50@3 40@6 at 15 drops the first two. */
static const struct step leap[] = {
	{ 0, 100, 100 },
	{ 3, 50, 100 },
	{ 6, 40, 100 },
	{ 15, 1, 40 },
};

/* Runs the steps as a maximum and, mirrored, as a minimum. */
static void trace(const struct step *steps, size_t count, uint32_t origin)
{
	struct fp_minmax high = { 0 }, low = { 0 };

	fp_minmax_reset(&high, steps[0].time + origin, steps[0].value);
	fp_minmax_reset(&low, steps[0].time + origin, ~steps[0].value);
	for (size_t i = 1; i < count; i++) {
		uint32_t time = steps[i].time + origin;

		assert_int_equal(
		    fp_minmax_max(&high, WINDOW, time, steps[i].value),
		    steps[i].answer);
		assert_int_equal(fp_minmax_get(&high), steps[i].answer);
		assert_int_equal(
		    fp_minmax_min(&low, WINDOW, time, ~steps[i].value),
		    ~steps[i].answer);
	}
}

static void moves_as_traced_by_hand(void **state)
{
	/* the second origin makes time wrap after 8 units */
	for (uint32_t origin = 0; origin == 0 || origin == UINT32_MAX - 8;
	     origin += UINT32_MAX - 8) {
		trace(falling, sizeof(falling) / sizeof(falling[0]), origin);
		trace(leap, sizeof(leap) / sizeof(leap[0]), origin);
	}
}

static void assert_times(const struct fp_minmax *filter, uint32_t first,
			 uint32_t second, uint32_t third)
{
	assert_int_equal(filter->best[0].time, first);
	assert_int_equal(filter->best[1].time, second);
	assert_int_equal(filter->best[2].time, third);
}

/* An equal value is the better one, as it stays longer; a rank is filled anew
 * past a quarter and past half of the window, not at them. */
static void the_newer_of_two_equals_counts(void **state)
{
	struct fp_minmax high = { 0 }, low = { 0 };
	const struct {
		uint32_t time, value, times[3];
	} steps[] = {
		{ 2, 50, { 0, 0, 0 } },  { 3, 50, { 0, 3, 3 } },
		{ 4, 50, { 0, 4, 4 } },  { 5, 40, { 0, 4, 4 } },
		{ 6, 40, { 0, 4, 6 } },  { 7, 40, { 0, 4, 7 } },
		{ 8, 50, { 0, 8, 8 } },  { 9, 100, { 9, 9, 9 } },
		{ 10, 99, { 9, 9, 9 } }, { 12, 99, { 9, 12, 12 } },
	};

	fp_minmax_reset(&high, 0, 100);
	fp_minmax_reset(&low, 0, ~100u);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const uint32_t *times = steps[i].times;

		fp_minmax_max(&high, WINDOW, steps[i].time, steps[i].value);
		fp_minmax_min(&low, WINDOW, steps[i].time, ~steps[i].value);
		assert_times(&high, times[0], times[1], times[2]);
		assert_times(&low, times[0], times[1], times[2]);
	}
}

static void zeroed_memory_is_ready_for_a_maximum(void **state)
{
	struct fp_minmax filter = { 0 };

	assert_int_equal(fp_minmax_get(&filter), 0);
	assert_int_equal(fp_minmax_max(&filter, WINDOW, 5, 7), 7);
}

/* The answer was seen in the window, is not above its true maximum, and not
 * below the newest value. */
static void answers_with_a_value_of_the_window(void **state)
{
	uint32_t values[2000];
	struct fp_minmax filter = { 0 };
	struct fp_prng prng;

	fp_prng_init(&prng, 1, 0);
	for (uint32_t now = 0; now < 2000; now++) {
		uint32_t answer, seen = 0, most = 0;

		values[now] = (uint32_t)fp_prng_next(&prng) % 1000;
		answer = fp_minmax_max(&filter, WINDOW, now, values[now]);
		for (uint32_t age = 0; age <= WINDOW && age <= now; age++) {
			seen |= values[now - age] == answer;
			if (values[now - age] > most)
				most = values[now - age];
		}
		assert_true(seen);
		assert_in_range(answer, values[now], most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_as_traced_by_hand),
		cmocka_unit_test(the_newer_of_two_equals_counts),
		cmocka_unit_test(zeroed_memory_is_ready_for_a_maximum),
		cmocka_unit_test(answers_with_a_value_of_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
