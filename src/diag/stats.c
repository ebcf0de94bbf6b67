/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "diag/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static uint32_t drop_unknown(double *values, uint32_t count)
{
	uint32_t kept = 0, i;

	for (i = 0; i < count; i++) {
		if (!isnan(values[i]))
			values[kept++] = values[i];
	}
	return kept;
}

struct diag_spread diag_spread_of(double *values, uint32_t count)
{
	struct diag_spread spread = { NAN, NAN, NAN };

	count = drop_unknown(values, count);
	if (count == 0)
		return spread;
	qsort(values, count, sizeof(*values), compare_doubles);
	spread.min = values[0];
	spread.max = values[count - 1];
	spread.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	return spread;
}

double diag_jain(const double *shares, uint32_t count)
{
	double sum = 0, squares = 0;
	uint32_t i;

	for (i = 0; i < count; i++) {
		sum += shares[i];
		squares += shares[i] * shares[i];
	}
	return squares > 0 ? sum * sum / (count * squares) : NAN;
}
