/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef DIAG_STATS_H
#define DIAG_STATS_H

#include <stdint.h>

/* Median, least and greatest of what was measured; NaN where nothing was. */
struct diag_spread {
	double median; /* mean of the middle two of an even count */
	double min, max;
};

/* Tells the spread of count values; NaN values are left out. values is sorted
 * in place. */
struct diag_spread diag_spread_of(double *values, uint32_t count);

/* Tells Jain's fairness index of count shares (Jain, Chiu, Hawe 1984): 1 when
 * all are equal, 1/count when one has all. NaN where the sum is 0. */
double diag_jain(const double *shares, uint32_t count);

#endif
