/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timers against the plainest thing that does the same: a list of times. */
#include "fullpipe/link.h"
#include "base/prng.h"
#include "sim/timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define OWNERS 37
#define STEPS  200000

static uint32_t earliest(const uint64_t *times)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < OWNERS; i++)
		if (times[i] < times[first])
			first = i;
	return first;
}

static void any_sequence_is_as_a_list_would_have_it(void **state)
{
	struct sim_timers timers;
	uint64_t times[OWNERS], now_ns = 0;
	struct fp_prng prng;

	fp_prng_init(&prng, 1, 0);
	assert_int_equal(sim_timers_init(&timers, OWNERS), 0);
	for (uint32_t i = 0; i < OWNERS; i++)
		times[i] = FP_TIME_NEVER;
	for (int i = 0; i < STEPS; i++) {
		uint64_t draw = fp_prng_next(&prng);
		uint32_t owner = (uint32_t)(draw >> 32) % OWNERS, taken;

		/* few different times, so that ties are common; some cancel */
		times[owner] =
		    draw % 8 == 0 ? FP_TIME_NEVER : now_ns + draw / 8 % 50;
		sim_timers_set(&timers, owner, times[owner]);
		assert_true(timers.count <= OWNERS);
		if (draw / 1024 % 3 != 0)
			continue;
		now_ns += draw / 4096 % 20;
		while (sim_timers_take(&timers, now_ns, &taken)) {
			assert_int_equal(taken, earliest(times));
			assert_true(times[taken] <= now_ns);
			times[taken] = FP_TIME_NEVER;
		}
		assert_int_equal(sim_timers_next_ns(&timers),
				 times[earliest(times)]);
	}
	sim_timers_fini(&timers);
}

/* What an RTO does: each ACK moves it on. The one entry stays where it is. */
static void moving_on_adds_nothing(void **state)
{
	struct sim_timers timers;
	uint32_t taken;

	assert_int_equal(sim_timers_init(&timers, 4), 0);
	for (uint64_t i = 1; i <= 1000; i++)
		sim_timers_set(&timers, 2, 100 + i);
	assert_int_equal(timers.count, 1);
	assert_false(sim_timers_take(&timers, 1099, &taken));
	assert_true(sim_timers_take(&timers, 1100, &taken));
	assert_int_equal(taken, 2);
	assert_false(sim_timers_take(&timers, FP_TIME_NEVER - 1, &taken));
	assert_int_equal(sim_timers_next_ns(&timers), FP_TIME_NEVER);
	sim_timers_fini(&timers);
}

static void equal_times_go_by_owner(void **state)
{
	const uint32_t order[] = { 3, 0, 2, 1 };
	struct sim_timers timers;
	uint32_t taken;

	assert_int_equal(sim_timers_init(&timers, 4), 0);
	for (uint32_t i = 0; i < 4; i++)
		sim_timers_set(&timers, order[i], 7);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(sim_timers_take(&timers, 7, &taken));
		assert_int_equal(taken, i);
	}
	sim_timers_fini(&timers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_sequence_is_as_a_list_would_have_it),
		cmocka_unit_test(moving_on_adds_nothing),
		cmocka_unit_test(equal_times_go_by_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
