/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The least or the largest value of a window of time, in constant space and
 * time: Kathleen Nichols' algorithm, value for value as Linux's
 * lib/win_minmax.c.
 *
 * It keeps the best value and the best two of what came after it. A better
 * value makes all older ones worthless; where none comes, the second and third
 * are taken from later parts of the window, so that one of them can follow when
 * the best grows too old. It may forget a value that is neither of the three.
 */
#ifndef FULLPIPE_BASE_MINMAX_H
#define FULLPIPE_BASE_MINMAX_H

#include <stdint.h>

struct fp_minmax_sample {
	uint32_t time; /* the caller's unit; may wrap */
	uint32_t value;
};

/* Caller-owned. Zeroed memory is a filter that saw the value 0 at time 0: ready
 * for a maximum. best[0] is the answer. */
struct fp_minmax {
	struct fp_minmax_sample best[3];
};

/* Forgets everything but this value, and returns it. */
uint32_t fp_minmax_reset(struct fp_minmax *filter, uint32_t time,
			 uint32_t value);

/* Takes a value and returns the largest of the last window units of time.
 * Times must not go back. */
uint32_t fp_minmax_max(struct fp_minmax *filter, uint32_t window, uint32_t time,
		       uint32_t value);

/* Likewise the least. Begin with fp_minmax_reset(). */
uint32_t fp_minmax_min(struct fp_minmax *filter, uint32_t window, uint32_t time,
		       uint32_t value);

/* Returns what the last call returned. */
uint32_t fp_minmax_get(const struct fp_minmax *filter);

#endif
