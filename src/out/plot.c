/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/plot.h"

#include <math.h>

#define BLOCK_PARTS 8 /* heights that Unicode's lower blocks tell apart */
#define ASCII_PARTS 2

uint32_t out_plot_level(double value, double max, uint32_t line, uint32_t parts)
{
	double filled;

	if (!(value > 0) || !(max > 0))
		return 0;
	filled = ceil(value / max * OUT_PLOT_LINES * parts) - line * parts;
	if (filled <= 0)
		return 0;
	return filled >= parts ? parts : (uint32_t)filled;
}

static double greatest(const struct out_plot *plot)
{
	double max = 0;
	int i;

	for (i = 0; i < OUT_PLOT_COLUMNS; i++) {
		if (plot->values[i] > max)
			max = plot->values[i];
	}
	return max;
}

static void print_bars(FILE *file, const struct out_plot *plot, uint32_t line,
		       bool is_utf8)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	static const char *const ascii[] = { " ", ".", "#" };
	const char *const *glyphs = is_utf8 ? blocks : ascii;
	uint32_t parts = is_utf8 ? BLOCK_PARTS : ASCII_PARTS, level;
	double max = greatest(plot);
	int i;

	for (i = 0; i < OUT_PLOT_COLUMNS; i++) {
		level = out_plot_level(plot->values[i], max, line, parts);
		(void)fputs(glyphs[level], file);
	}
}

void out_plot_print(FILE *file, const struct out_plot *plot, bool is_utf8)
{
	char top[FP_FORMAT_BYTES];
	uint32_t line = OUT_PLOT_LINES;

	fp_format(top, sizeof(top), plot->unit, greatest(plot));
	while (line-- > 0) {
		if (line == OUT_PLOT_LINES - 1)
			(void)fprintf(file, "%-5s %11s |", plot->title, top);
		else
			(void)fprintf(file, "%17s |", line == 0 ? "0" : "");
		print_bars(file, plot, line, is_utf8);
		(void)fputc('\n', file);
	}
}
