/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_ISQRT_H
#define BASE_ISQRT_H

#include <stdint.h>

/* Returns the square root, rounded down. Cost: 32 steps. */
uint32_t fp_isqrt(uint64_t square);

#endif
