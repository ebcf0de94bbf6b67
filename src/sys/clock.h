/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SYS_CLOCK_H
#define SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in nanoseconds: the only clock of the project. */
static inline uint64_t fp_clock_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC,
			    &now); /* cannot fail: the clock exists */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns what is to be added to fp_clock_ns() to get nanoseconds since
 * 1970-01-01 00:00 UTC, as the system's clock has it now: only to put a date
 * on what other programs read, never to measure. */
static inline uint64_t fp_clock_epoch_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail either */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
	       fp_clock_ns();
}

#endif
