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

#endif
