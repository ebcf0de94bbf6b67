/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_MULDIV_H
#define BASE_MULDIV_H

#include <stdint.h>

/* Returns a x b / divisor, rounded down, with a product of 128 bits.
 * UINT64_MAX: it is larger than that, or divisor is 0. Cost: one division, or
 * 64 steps where the product does not fit in 64 bits. */
uint64_t fp_muldiv(uint64_t a, uint64_t b, uint64_t divisor);

#endif
