/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Linux's cube root: its known values, and how far it is from the true one over
 * the whole of its domain. */
#include "near.h"

#include "cc/cubic_root.h"

/* Worked out from the rules of net/ipv4/tcp_cubic.c: table of 64, one Newton
 * step, x 341 >> 10. */
static void has_linuxs_values(void **state)
{
	const struct {
		uint64_t cube;
		uint32_t root;
	} known[] = {
		{ 0, 0 },
		{ 1, 1 },
		{ 2, 1 },
		{ 7, 2 },
		{ 8, 2 },
		{ 26, 3 },
		{ 27, 3 },
		{ 63, 4 },
		{ 64, 4 },
		{ 1000, 10 },
		{ 1000000, 100 },
		{ 1000000000, 1000 },
		{ UINT64_C(1000000000000), 9999 },
		{ UINT64_C(1) << 40, 10323 },
		{ UINT64_C(1) << 63, 2098142 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(cc__cubic_root(known[i].cube), known[i].root);
}

/*
 * The table of 64 is rounded, in places by a bit more than a half. Above that:
 * 341/1024 for 1/3 is 1/1024 too little, and the whole numbers are rounded down
 * by less than 1. A first guess that is e off leaves e^2 too much; e is at most
 * 0.051 (the table's step at 8, where a root grows by 4 % and the entry is 1 %
 * above the middle), so 0.0026 - 0.00098 = 0.0016. Small roots may be half too
 * large, as x^2 is taken for x (x - 1).
 */
static void check(uint64_t cube)
{
	long double root = cbrtl((long double)cube);
	long double error = cc__cubic_root(cube) - root;
	long double least = cube < 64 ? -0.55L : -root / 1024 - 1;
	long double most = cube < 64 ? 0.55L : root * 0.0016L + 0.5L;

	if (error < least || error > most)
		fail_msg("root of %llu is off by %Lg", (unsigned long long)cube,
			 error);
}

/* Each number of up to 22 bits, and around each power of two. */
static void is_close_to_the_true_root(void **state)
{
	for (uint64_t cube = 0; cube < UINT64_C(1) << 22; cube++)
		check(cube);
	for (int bit = 22; bit < 64; bit++) {
		uint64_t power = UINT64_C(1) << bit;

		for (uint64_t i = 0; i < 1000; i++) {
			check(power - 1 - i);
			check(power + i * (power / 1000));
		}
	}
	check(UINT64_MAX);
}

/* Every window that CUBIC may have lost, up to 4 million packets: the argument
 * is 2^40 / 410 for each of them. */
static void is_close_wherever_cubic_asks(void **state)
{
	for (uint64_t pkts = 1; pkts < UINT64_C(1) << 22; pkts++)
		check((UINT64_C(1) << 40) / 410 * pkts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_linuxs_values),
		cmocka_unit_test(is_close_to_the_true_root),
		cmocka_unit_test(is_close_wherever_cubic_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
