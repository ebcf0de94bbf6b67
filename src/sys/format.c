/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/format.h"

#include <math.h>
#include <stdio.h>

/* Below this a value shows as 1000 or more after rounding to three digits. */
#define NEXT_SCALE 999.5

static struct fp_scale pick(const struct fp_scale *scales, double value)
{
	value = fabs(value);
	while (scales[1].word && value / scales->divisor >= NEXT_SCALE)
		scales++;
	return *scales;
}

/* Times are shown in the words for value_ns, whatever unit_ns they are kept
 * in. */
static struct fp_scale scale_time(double value, double unit_ns)
{
	static const struct fp_scale scales[] = {
		{ 1, " ns" },  { 1e3, " us" }, { 1e6, " ms" },
		{ 1e9, " s" }, { 0, NULL },
	};
	struct fp_scale scale = pick(scales, value * unit_ns);

	scale.divisor /= unit_ns;
	return scale;
}

struct fp_scale fp_scale_for(enum fp_unit unit, double value)
{
	static const struct fp_scale rates[] = {
		{ 1, " bit/s" },    { 1e3, " kbit/s" }, { 1e6, " Mbit/s" },
		{ 1e9, " Gbit/s" }, { 0, NULL },
	};
	static const struct fp_scale sizes[] = {
		{ 1, " B" },    { 1e3, " kB" },  { 1e6, " MB" },
		{ 1e9, " GB" }, { 1e12, " TB" }, { 0, NULL },
	};

	switch (unit) {
	case FP_UNIT_RATE_BPS:
		return pick(rates, value);
	case FP_UNIT_BYTES:
		return pick(sizes, value);
	case FP_UNIT_TIME_US:
		return scale_time(value, 1e3);
	case FP_UNIT_TIME_S:
		return scale_time(value, 1e9);
	case FP_UNIT_TIME_NS:
		return scale_time(value, 1);
	case FP_UNIT_SHARE:
		return (struct fp_scale){ 0.01, " %" };
	case FP_UNIT_PPM:
		return (struct fp_scale){ 1e4, " %" };
	case FP_UNIT_RATIO:
		return (struct fp_scale){ 1, "x" };
	case FP_UNIT_COUNT:
	case FP_UNIT_FLAG:
	case FP_UNIT_TEXT:
		break;
	}
	return (struct fp_scale){ 1, "" };
}

void fp_format_number(char *ret_text, size_t bytes, double value)
{
	double size = fabs(value);

	if (isnan(value))
		(void)snprintf(ret_text, bytes, "-");
	else if (size >= 99.95 || size == 0)
		(void)snprintf(ret_text, bytes, "%.0f", value);
	else if (size >= 9.995)
		(void)snprintf(ret_text, bytes, "%.1f", value);
	else if (size >= 0.0995)
		(void)snprintf(ret_text, bytes, "%.2f", value);
	else if (size >= 0.001)
		(void)snprintf(ret_text, bytes, "%.2g", value);
	else
		(void)snprintf(ret_text, bytes, "<0.001");
}

char *fp_format(char *ret_text, size_t bytes, enum fp_unit unit, double value)
{
	struct fp_scale scale = fp_scale_for(unit, value);
	char number[FP_FORMAT_BYTES];

	if (unit == FP_UNIT_FLAG && !isnan(value))
		(void)snprintf(number, sizeof(number), "%s",
			       value > 0 ? "yes" : "no");
	else if (unit == FP_UNIT_COUNT && !isnan(value))
		(void)snprintf(number, sizeof(number), "%.0f", value);
	else
		fp_format_number(number, sizeof(number), value / scale.divisor);
	(void)snprintf(ret_text, bytes, "%s%s", number,
		       isnan(value) ? "" : scale.word);
	return ret_text;
}
