/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The generator: known answers, independence of streams, uniformity. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/prng.h"

/* The first outputs of SplitMix64 for the seed 1234567, as the reference
 * implementation by Vigna (splitmix64.c) gives them and others quote them. */
static void agrees_with_splitmix64(void **state)
{
	const uint64_t expected[] = { 6457827717110365317u,
				      3203168211198807973u,
				      9817491932198370423u,
				      4593380528125082431u,
				      16408922859458223821u };

	for (uint64_t i = 0; i < 5; i++)
		assert_true(fp_prng_at(1234567, i) == expected[i]);
}

static void next_counts_and_at_looks_up(void **state)
{
	struct fp_prng prng;

	fp_prng_init(&prng, 7, 9);
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t at = fp_prng_at(prng.key, i);

		assert_true(fp_prng_next(&prng) == at);
	}
}

/* Two streams of 64,000 bits agree in half of them, sd = sqrt(n)/2 = 126.5;
 * 4.5 sd = 569. Neighbouring seeds and purposes, which are what is used. */
static void streams_do_not_resemble_each_other(void **state)
{
	struct fp_prng first, other;

	for (uint64_t k = 1; k < 40; k++) {
		int64_t equal_bits = 0;

		fp_prng_init(&first, 1, 0);
		fp_prng_init(&other, 1 + k / 20, k % 20);
		for (int i = 0; i < 1000; i++)
			equal_bits +=
			    64 - __builtin_popcountll(fp_prng_next(&first) ^
						      fp_prng_next(&other));
		assert_in_range(equal_bits, 32000 - 569, 32000 + 569);
	}
}

/* Chi-square over 256 values of each byte: 255 degrees of freedom, mean 255, sd
 * sqrt(510) = 22.6; 5 sd = 113. */
static void every_byte_is_uniform(void **state)
{
	for (int byte = 0; byte < 8; byte++) {
		uint32_t counts[256] = { 0 };
		double chi_square = 0;

		for (uint64_t i = 0; i < 256 * 400; i++)
			counts[(fp_prng_at(99, i) >> (8 * byte)) & 255]++;
		for (int i = 0; i < 256; i++)
			chi_square += pow(counts[i] - 400.0, 2) / 400;
		assert_true(fabs(chi_square - 255) < 113);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_splitmix64),
		cmocka_unit_test(next_counts_and_at_looks_up),
		cmocka_unit_test(streams_do_not_resemble_each_other),
		cmocka_unit_test(every_byte_is_uniform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
