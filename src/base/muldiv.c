/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/muldiv.h"

#define LOW_HALF UINT64_C(0xffffffff)

/* The upper 64 bits of a x b, by halves. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
	uint64_t low = (a & LOW_HALF) * (b & LOW_HALF);
	uint64_t cross = (a >> 32) * (b & LOW_HALF) + (low >> 32);
	uint64_t other = (a & LOW_HALF) * (b >> 32) + (cross & LOW_HALF);

	return (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

uint64_t fp_muldiv(uint64_t a, uint64_t b, uint64_t divisor)
{
	uint64_t rest = multiply_high(a, b);
	uint64_t low = a * b;

	if (rest >= divisor)
		return UINT64_MAX;
	if (rest == 0)
		return low / divisor;
	/* Long division: a bit of low enters the rest from below, a bit of the
	 * quotient takes its place. The bit that leaves the rest at the top
	 * says that it is at least 2^64, so above any divisor. */
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t carry = rest >> 63;

		rest = rest << 1 | low >> 63;
		low <<= 1;
		if (carry != 0 || rest >= divisor) {
			rest -= divisor;
			low |= 1;
		}
	}
	return low;
}
