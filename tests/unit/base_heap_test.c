/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The heap against a search through all entries; the square root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/heap.h"
#include "base/isqrt.h"
#include "base/prng.h"

#define ROOM 512

/* Finds what has to come out next: smallest key, of equals the oldest. Values
 * count up, so the oldest is the smallest value. */
static uint32_t first_by_search(const uint64_t *keys, const uint8_t *is_inside,
				uint32_t count)
{
	uint32_t first = count;

	for (uint32_t i = 0; i < count; i++)
		if (is_inside[i] && (first == count || keys[i] < keys[first]))
			first = i;
	return first;
}

/* Puts and takes at random; few keys, so that most are equal to others. */
static void takes_smallest_and_oldest_first(void **state)
{
	static struct fp_heap_entry entries[ROOM];
	static uint64_t keys[ROOM];
	static uint8_t is_inside[ROOM];
	struct fp_heap heap;
	uint32_t count = 0;

	fp_heap_init(&heap, entries);
	heap.sequence = UINT32_MAX - 100; /* wraps around on the way */
	for (uint64_t draw = 0; count < ROOM || heap.count != 0; draw++) {
		uint64_t bits = fp_prng_at(42, draw);

		if (count < ROOM && bits % 3 != 0) {
			keys[count] = (bits >> 8) % 50;
			is_inside[count] = 1;
			fp_heap_put(&heap, keys[count], count);
			count++;
		} else if (heap.count != 0) {
			uint32_t first =
			    first_by_search(keys, is_inside, count);

			assert_int_equal(heap.entries[0].key, keys[first]);
			assert_int_equal(fp_heap_take(&heap), first);
			is_inside[first] = 0;
		}
	}
}

/* r = isqrt(n) means r² <= n < (r + 1)²: around each square, and at the end. */
static void square_root_is_rounded_down(void **state)
{
	for (uint64_t root = 1; root < 70000; root++) {
		assert_int_equal(fp_isqrt(root * root - 1), root - 1);
		assert_int_equal(fp_isqrt(root * root), root);
	}
	assert_int_equal(fp_isqrt(UINT64_MAX), UINT32_MAX);
	assert_int_equal(fp_isqrt(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_smallest_and_oldest_first),
		cmocka_unit_test(square_root_is_rounded_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
