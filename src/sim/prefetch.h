/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_PREFETCH_H
#define SIM_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define SIM_LINE_BYTES 64u

/* Asks for memory that will be read soon. Lines that are asked for together
 * come together; with a thousand flows, whose ends are cold each time, that is
 * half of the time of a packet. */
static inline void sim_prefetch(const void *start, size_t bytes)
{
	const uint8_t *at = start;

	for (size_t i = 0; i < bytes; i += SIM_LINE_BYTES)
		__builtin_prefetch(at + i);
}

#endif
