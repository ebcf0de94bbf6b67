/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/prng.h"

/* 2^64 / golden ratio, odd: SplitMix64's step between draws. */
#define PRNG_STEP 0x9e3779b97f4a7c15u

/* SplitMix64's output function: every bit of the input changes each bit of the
 * output with a probability near one half. */
static uint64_t prng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void fp_prng_init(struct fp_prng *prng, uint64_t seed, uint64_t purpose)
{
	/* Both words are mixed before they meet, so that close seeds and close
	 * purposes do not give keys that are close. */
	prng->key = prng_mix(prng_mix(seed + PRNG_STEP) ^ prng_mix(~purpose));
	prng->counter = 0;
}

uint64_t fp_prng_at(uint64_t key, uint64_t counter)
{
	return prng_mix(key + (counter + 1) * PRNG_STEP);
}

uint64_t fp_prng_next(struct fp_prng *prng)
{
	return fp_prng_at(prng->key, prng->counter++);
}
