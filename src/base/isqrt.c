/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/isqrt.h"

/* Digit by digit, from the highest bit of the root: a bit belongs to it when
 * the square does not become too large. */
uint32_t fp_isqrt(uint64_t square)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit != 0; bit >>= 1)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	return (uint32_t)root;
}
