/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/icbrt.h"

/* Digit by digit, from the highest bit of the root: with the root r so far
 * doubled, one more adds (r + 1)^3 - r^3 = 3 r (r + 1) + 1 to the cube. */
uint32_t fp_icbrt(uint64_t cube)
{
	uint64_t root = 0;

	for (int shift = 63; shift >= 0; shift -= 3) {
		uint64_t more;

		root *= 2;
		more = 3 * root * (root + 1) + 1;
		if (cube >> shift < more)
			continue;
		cube -= more << shift;
		root++;
	}
	return (uint32_t)root;
}
