/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_ICBRT_H
#define BASE_ICBRT_H

#include <stdint.h>

/* Returns the cube root, rounded down. Cost: 22 steps. */
uint32_t fp_icbrt(uint64_t cube);

#endif
