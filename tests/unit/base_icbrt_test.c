/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cube root: its definition, r^3 <= x < (r + 1)^3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/icbrt.h"
#include "base/prng.h"

__extension__ typedef unsigned __int128 wide;

static void check(uint64_t cube)
{
	uint32_t root = fp_icbrt(cube);
	wide next = (wide)root + 1;

	if ((wide)root * root * root > cube || next * next * next <= cube)
		fail_msg("%llu: %u", (unsigned long long)cube, root);
}

static void is_right_around_every_cube(void **state)
{
	for (uint64_t root = 1; root <= 2642245; root += 1 + root / 1000) {
		check(root * root * root - 1);
		check(root * root * root);
		check(root * root * root + 1);
	}
	for (uint64_t cube = 0; cube < 100000; cube++)
		check(cube);
	check(UINT64_MAX);
}

static void is_right_at_random(void **state)
{
	struct fp_prng prng;

	fp_prng_init(&prng, 1, 0);
	for (int i = 0; i < 200000; i++)
		check(fp_prng_next(&prng) >> (i & 63));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_right_around_every_cube),
		cmocka_unit_test(is_right_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
