/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/prng.h"
#include "sim/reassembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void hold(struct sim_reassembly *set, uint64_t start, uint64_t end)
{
	struct sim_block packets = { start, end };

	assert_int_equal(sim_reassembly_hold(set, &packets), 0);
}

/* Checks what an ACK says: blocks as pairs of numbers. */
static void expect(struct sim_reassembly *set, bool has_dsack, uint32_t count,
		   const uint64_t blocks[][2])
{
	struct sim_segment ack = { .flow = 0 };

	sim_reassembly_report(set, &ack);
	assert_int_equal(ack.has_dsack, has_dsack);
	assert_int_equal(ack.sack_count, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(ack.sacks[i].start, blocks[i][0]);
		assert_int_equal(ack.sacks[i].end, blocks[i][1]);
	}
}

/* RFC 2018, 4, case 2 and its like: of 0 … 7 the first is lost, then every
 * second one. The newest block is first, the rest as they were. */
static void the_newest_block_is_first(void **state)
{
	struct sim_reassembly set;

	assert_int_equal(sim_reassembly_init(&set), 0);
	assert_int_equal(sim_reassembly_advance(&set, 1), 1);
	hold(&set, 2, 3);
	expect(&set, false, 1, (const uint64_t[][2]){ { 2, 3 } });
	hold(&set, 4, 5);
	expect(&set, false, 2, (const uint64_t[][2]){ { 4, 5 }, { 2, 3 } });
	hold(&set, 6, 7);
	hold(&set, 8, 9);
	/* four are kept, three fit */
	expect(&set, false, 3,
	       (const uint64_t[][2]){ { 8, 9 }, { 6, 7 }, { 4, 5 } });
	/* 5 joins its neighbours on both sides, and is the newest */
	hold(&set, 5, 6);
	expect(&set, false, 3,
	       (const uint64_t[][2]){ { 4, 7 }, { 8, 9 }, { 2, 3 } });
	/* 1 fills the first hole: up to 2, whose block is history */
	assert_int_equal(sim_reassembly_advance(&set, 2), 2);
	assert_int_equal(set.next, 3);
	expect(&set, false, 2, (const uint64_t[][2]){ { 4, 7 }, { 8, 9 } });
	assert_int_equal(set.held, 4);
	sim_reassembly_fini(&set);
}

/* Linux keeps four: the oldest is forgotten, its packets are not. */
static void a_fifth_block_pushes_the_oldest_out(void **state)
{
	struct sim_reassembly set;

	assert_int_equal(sim_reassembly_init(&set), 0);
	for (uint64_t seq = 2; seq <= 10; seq += 2)
		hold(&set, seq, seq + 1);
	assert_int_equal(set.sack_count, 4);
	assert_int_equal(set.sacks[3].start, 4);
	/* all but 3, 5, 7, 9: next passes 2, which no block tells of */
	assert_int_equal(sim_reassembly_advance(&set, 2), 3);
	assert_int_equal(set.next, 3);
	sim_reassembly_fini(&set);
}

/* RFC 2883, 4.1.1 and 4.2.1: the duplicate is the first block; above the ACK
 * the block that holds it follows. It is told once. */
static void duplicates_are_told_first_and_once(void **state)
{
	struct sim_reassembly set;

	assert_int_equal(sim_reassembly_init(&set), 0);
	assert_int_equal(sim_reassembly_advance(&set, 4), 4);
	sim_reassembly_duplicate(&set, 1, 3);
	expect(&set, true, 1, (const uint64_t[][2]){ { 1, 3 } });
	expect(&set, false, 0, NULL);
	hold(&set, 6, 9);
	hold(&set, 7, 8);
	expect(&set, true, 2, (const uint64_t[][2]){ { 7, 8 }, { 6, 9 } });
	/* 4 … 7 sent again as one: 6 and 7 were there */
	assert_int_equal(sim_reassembly_advance(&set, 8), 5);
	expect(&set, true, 1, (const uint64_t[][2]){ { 6, 8 } });
	sim_reassembly_fini(&set);
}

/* Against an array of flags, over a window that makes the ring grow and wrap
 * around many times. */
static void any_order_is_put_together(void **state)
{
	static bool has[20000];
	struct sim_reassembly set;
	struct fp_prng prng;
	uint64_t next = 0;

	fp_prng_init(&prng, 7, 0);
	memset(has, 0, sizeof(has));
	assert_int_equal(sim_reassembly_init(&set), 0);
	while (next < 18000) {
		uint64_t draw = fp_prng_next(&prng);
		uint64_t start = next + draw % 900, count = 1 + draw / 900 % 40;
		uint32_t held = 0;

		if (draw / 36000 % 3 == 0)
			start = next;
		for (uint64_t i = start; i < start + count; i++)
			has[i] = true;
		if (start == next)
			(void)sim_reassembly_advance(&set, start + count);
		else
			hold(&set, start, start + count);
		while (has[next])
			next++;
		assert_int_equal(set.next, next);
		for (uint64_t i = next; i < next + 1000; i++)
			held += has[i];
		assert_int_equal(set.held, held);
	}
	sim_reassembly_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_block_is_first),
		cmocka_unit_test(a_fifth_block_pushes_the_oldest_out),
		cmocka_unit_test(duplicates_are_told_first_and_once),
		cmocka_unit_test(any_order_is_put_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
