/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_PRNG_H
#define BASE_PRNG_H

#include <stdint.h>

/*
 * A counter-based generator: draw number n of a stream is a hash of the
 * stream's key and n, so any draw can be made again, in any order, and streams
 * do not disturb each other. The hash is SplitMix64 (Steele, Lea, Flood 2014).
 */
struct fp_prng {
	uint64_t key;     /* of the stream */
	uint64_t counter; /* number of the next draw */
};

/* Makes the stream "purpose" of a seed. Equal arguments give equal streams. */
void fp_prng_init(struct fp_prng *prng, uint64_t seed, uint64_t purpose);

/* Returns draw number counter of the stream with this key: 64 uniform bits. */
uint64_t fp_prng_at(uint64_t key, uint64_t counter);

/* Returns the stream's next draw: 64 uniform bits. */
uint64_t fp_prng_next(struct fp_prng *prng);

#endif
