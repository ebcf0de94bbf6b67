/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/integer.h"

/* Adds to a remainder; returns the carry. Both are below divisor. */
static uint64_t mul_div_add(uint64_t *rest, uint64_t more, uint64_t divisor)
{
	if (*rest < divisor - more) {
		*rest += more;
		return 0;
	}
	*rest -= divisor - more;
	return 1;
}

/* Returns a * share / divisor for share < divisor, bit by bit of a. */
static uint64_t mul_div_share(uint64_t a, uint64_t share, uint64_t divisor)
{
	uint64_t result = 0, rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		result *= 2;
		result += mul_div_add(&rest, rest, divisor);
		if (a >> bit & 1)
			result += mul_div_add(&rest, share, divisor);
	}
	return result;
}

uint64_t sim_mul_div(uint64_t a, uint64_t b, uint64_t divisor)
{
	uint64_t share = mul_div_share(a, b % divisor, divisor);
	uint64_t whole = b / divisor;

	if (whole != 0 && a > (UINT64_MAX - share) / whole)
		return UINT64_MAX;
	return a * whole + share;
}
