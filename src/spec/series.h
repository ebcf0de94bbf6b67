/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many values of one option, as a person writes them:
 *
 *	A,B,C		these
 *	A:B:xF		from A on, each F times the one before, and B
 *	A:B:+S		from A on, each S more than the one before, and B
 *	A..B		A, all of 1, 2, 5, 10, 20, 50, … between, and B; sizes
 *			double instead
 *	0,0.01%..20%	items of a list can be ranges
 *
 * Where a value holds commas itself (an AQM with parameters), semicolons
 * separate: one anywhere in the text makes it so.
 */
#ifndef SPEC_SERIES_H
#define SPEC_SERIES_H

#include <stdint.h>

#include "base/error.h"

/* Values that one series can have. */
#define SPEC_SERIES_MAX 10000

/* What the values of an option are. Only quantities can be ranges. */
enum spec_quantity {
	SPEC_WORDS, /* anything else, separated by commas */
	SPEC_WHOLE, /* the same, but commas are part of it: only semicolons
		       separate (file names, netem lines) */
	SPEC_TIME,
	SPEC_RATE,
	SPEC_SHARE,
	SPEC_SIZE,
	SPEC_COUNT,
	SPEC_QUEUE, /* packets, bytes, time or BDPs */
};

/* Release with spec_series_fini(). */
struct spec_series {
	const char **values; /* each as the option takes it alone */
	uint32_t count;      /* 1 … SPEC_SERIES_MAX */
	void *owned;
};

/* Reads a series. An item that is no range is not looked into: whoever takes
 * the option says what is wrong with it. Returns 0, or a negative errno with
 * error: status 2, which item and why (a value that stands twice among them).
 */
int spec_series_read(enum spec_quantity kind, const char *text,
		     struct spec_series *ret_series, struct fp_error *error);
void spec_series_fini(struct spec_series *series);

#endif
