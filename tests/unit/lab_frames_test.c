/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lab/frames.h"

#define POOL_BYTES (UINT64_C(64) << 20)

static struct frame_pool pool;

static int make(void **state)
{
	memset(&pool, 0, sizeof(pool));
	return frames__init(&pool, POOL_BYTES, NULL);
}

static int drop(void **state)
{
	frames__fini(&pool);
	return 0;
}

static void the_largest_frame_fits(void **state)
{
	struct frame *first = frames__take(&pool);
	struct frame *second = frames__take(&pool);

	memset(first->data, 1, FRAME_BYTES_MAX);
	memset(second->data, 2, FRAME_BYTES_MAX);
	assert_int_equal(first->data[FRAME_BYTES_MAX - 1], 1);
	first->bytes = FRAME_BYTES_MAX;
	assert_ptr_equal(frames__shrink(&pool, first), first);
}

static void a_small_frame_moves_and_frees_its_slot(void **state)
{
	struct frame *large = frames__take(&pool);
	struct frame *small;

	memset(large->data, 7, 100);
	large->bytes = 100;
	large->unit = 42;
	small = frames__shrink(&pool, large);
	assert_ptr_not_equal(small, large);
	assert_int_equal(small->unit, 42);
	assert_int_equal(small->data[99], 7);
	assert_ptr_equal(frames__take(&pool), large);
}

static void the_last_one_freed_comes_first(void **state)
{
	struct frame *first = frames__take(&pool);
	struct frame *second = frames__take(&pool);

	frames__give(&pool, first);
	frames__give(&pool, second);
	assert_ptr_equal(frames__take(&pool), second);
	assert_ptr_equal(frames__take(&pool), first);
}

/* Three quarters of 64 MiB in slots of 17 pages: 48 * 2^20 / 69632 = 722. */
static void a_full_pool_says_so_and_recovers(void **state)
{
	struct frame *frame, *last = NULL;
	int count = 0;

	while ((frame = frames__take(&pool))) {
		last = frame;
		count++;
	}
	assert_int_equal(count, 722);
	frames__give(&pool, last);
	assert_ptr_equal(frames__take(&pool), last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_largest_frame_fits, make,
						drop),
		cmocka_unit_test_setup_teardown(
		    a_small_frame_moves_and_frees_its_slot, make, drop),
		cmocka_unit_test_setup_teardown(the_last_one_freed_comes_first,
						make, drop),
		cmocka_unit_test_setup_teardown(
		    a_full_pool_says_so_and_recovers, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
