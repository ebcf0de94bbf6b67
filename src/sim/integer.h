/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_INTEGER_H
#define SIM_INTEGER_H

#include <stdint.h>

static inline uint64_t sim_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t sim_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns a * b / divisor, rounded down, with no overflow on the way; the
 * result's own is cut off at UINT64_MAX. divisor > 0. Cost: 64 steps. */
uint64_t sim_mul_div(uint64_t a, uint64_t b, uint64_t divisor);

#endif
