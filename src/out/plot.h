/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef OUT_PLOT_H
#define OUT_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sys/format.h"

#define OUT_PLOT_COLUMNS 60 /* of the curve itself; 80 with its scale */
#define OUT_PLOT_LINES   4

/* A curve: one value a column, NaN where nothing was seen. */
struct out_plot {
	const char *title; /* at most 10 columns */
	enum fp_unit unit;
	double values[OUT_PLOT_COLUMNS];
};

/* Prints a curve as OUT_PLOT_LINES lines of bars from 0 to its greatest value,
 * in Unicode's eighth blocks or, unless is_utf8, in ASCII. */
void out_plot_print(FILE *file, const struct out_plot *plot, bool is_utf8);

/* Tells how high a bar of value is on line 0 (lowest) …, in parts (8: full)
 * when the greatest value is max. */
uint32_t out_plot_level(double value, double max, uint32_t line,
			uint32_t parts);

#endif
