/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A histogram of durations: linear below 32 ns, then 32 buckets to each power
 * of two, so a quantile is at most 1/32 (3.2 %) above the true one. Up to 2^40
 * ns (18 minutes); longer ones count as that.
 */
#ifndef LAB_LATENESS_H
#define LAB_LATENESS_H

#include <stdint.h>

#define LATENESS_SHIFT 5 /* 2^5 buckets to a power of two */
#define LATENESS_BITS  40
#define LATENESS_BUCKETS                                                       \
	((LATENESS_BITS - LATENESS_SHIFT + 1) << LATENESS_SHIFT)

struct lateness {
	uint64_t count, sum_ns, max_ns;
	uint64_t buckets[LATENESS_BUCKETS];
};

/* A zeroed struct is an empty histogram. */
void lateness__add(struct lateness *lateness, uint64_t ns);

/* Returns the mean in ns; 0 when empty. */
uint64_t lateness__mean_ns(const struct lateness *lateness);

/* Returns the upper end of the bucket that holds the quantile (permille 0 …
 * 1000), never above the maximum; 0 when empty. */
uint64_t lateness__quantile_ns(const struct lateness *lateness,
			       uint32_t permille);

#endif
