/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/lateness.h"

#define PER_OCTAVE (1u << LATENESS_SHIFT)
#define MAX_NS     ((UINT64_C(1) << LATENESS_BITS) - 1)

static uint32_t bucket_of(uint64_t ns)
{
	uint32_t octave;

	if (ns < PER_OCTAVE)
		return (uint32_t)ns;
	octave = 63u - (uint32_t)__builtin_clzll(ns) - LATENESS_SHIFT;
	return (octave << LATENESS_SHIFT) + (uint32_t)(ns >> octave);
}

/* Largest duration that falls into a bucket. */
static uint64_t bucket_end_ns(uint32_t bucket)
{
	uint32_t octave;

	if (bucket < PER_OCTAVE)
		return bucket;
	octave = (bucket >> LATENESS_SHIFT) - 1;
	return ((uint64_t)(bucket - (octave << LATENESS_SHIFT) + 1) << octave) -
	       1;
}

void lateness__add(struct lateness *lateness, uint64_t ns)
{
	lateness->count++;
	lateness->sum_ns += ns;
	if (ns > lateness->max_ns)
		lateness->max_ns = ns;
	lateness->buckets[bucket_of(ns > MAX_NS ? MAX_NS : ns)]++;
}

uint64_t lateness__mean_ns(const struct lateness *lateness)
{
	return lateness->count ? lateness->sum_ns / lateness->count : 0;
}

uint64_t lateness__quantile_ns(const struct lateness *lateness,
			       uint32_t permille)
{
	uint64_t wanted = (lateness->count * permille + 999) / 1000;
	uint64_t seen = 0, end_ns;

	for (uint32_t i = 0; i < LATENESS_BUCKETS; i++) {
		seen += lateness->buckets[i];
		if (!seen || seen < wanted)
			continue;
		end_ns = bucket_end_ns(i);
		return end_ns < lateness->max_ns ? end_ns : lateness->max_ns;
	}
	return 0;
}
