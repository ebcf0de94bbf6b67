/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* a x b / c against the compiler's 128 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/muldiv.h"
#include "base/prng.h"

__extension__ typedef unsigned __int128 wide;

static void check(uint64_t a, uint64_t b, uint64_t divisor)
{
	wide quotient = divisor ? (wide)a * b / divisor : (wide)UINT64_MAX;
	uint64_t expected =
	    quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;

	if (fp_muldiv(a, b, divisor) != expected)
		fail_msg("%llu x %llu / %llu", (unsigned long long)a,
			 (unsigned long long)b, (unsigned long long)divisor);
}

static void agrees_at_the_edges(void **state)
{
	const uint64_t edges[] = { 0,
				   1,
				   2,
				   3,
				   UINT32_MAX,
				   UINT64_C(1) << 32,
				   (UINT64_C(1) << 63) - 1,
				   UINT64_C(1) << 63,
				   UINT64_MAX - 1,
				   UINT64_MAX };
	const size_t count = sizeof(edges) / sizeof(edges[0]);

	for (size_t i = 0; i < count * count * count; i++)
		check(edges[i % count], edges[i / count % count],
		      edges[i / count / count]);
}

/* Random lengths, so that products of all sizes come up. */
static void agrees_at_random(void **state)
{
	struct fp_prng prng;

	fp_prng_init(&prng, 1, 0);
	for (int i = 0; i < 200000; i++) {
		uint64_t shifts = fp_prng_next(&prng);
		uint64_t a = fp_prng_next(&prng) >> (shifts & 63);
		uint64_t b = fp_prng_next(&prng) >> (shifts >> 8 & 63);
		uint64_t divisor = fp_prng_next(&prng) >> (shifts >> 16 & 63);

		check(a, b, divisor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_at_the_edges),
		cmocka_unit_test(agrees_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
