/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers as people read them: three significant digits and a unit. Every text
 * that the project prints takes its numbers from here (docs/units.md).
 */
#ifndef SYS_FORMAT_H
#define SYS_FORMAT_H

#include <stddef.h>

#define FP_FORMAT_BYTES 32 /* room for any number that fp_format() writes */

enum fp_unit {
	FP_UNIT_RATE_BPS, /* bits per second: "1.14 Mbit/s" */
	FP_UNIT_TIME_NS,  /* nanoseconds: "900 ns", "31.0 us" */
	FP_UNIT_TIME_US,  /* microseconds: "104 ms", "1.20 s" */
	FP_UNIT_TIME_S,   /* seconds: the same words */
	FP_UNIT_BYTES,    /* decimal: "1.25 MB" */
	FP_UNIT_SHARE,    /* 0 … 1: "2.03 %" */
	FP_UNIT_PPM,      /* 0 … 1000000: "2.03 %" */
	FP_UNIT_RATIO,    /* "66.8x" */
	FP_UNIT_COUNT,    /* whole number: "12345" */
	FP_UNIT_FLAG,     /* 0 or 1: "no", "yes" */
	FP_UNIT_TEXT,     /* not a number */
};

/* How to show values of one size: value / divisor, then the unit's word. */
struct fp_scale {
	double divisor;
	const char *word; /* with its leading space: " Mbit/s"; constant */
};

/* Chooses the scale that shows value (in unit) between 1 and 999. */
struct fp_scale fp_scale_for(enum fp_unit unit, double value);

/* Writes value with three significant digits and no unit; "-" for NaN. */
void fp_format_number(char *ret_text, size_t bytes, double value);

/* Writes value in unit; "-" for NaN (not known). Returns ret_text. */
char *fp_format(char *ret_text, size_t bytes, enum fp_unit unit, double value);

#endif
