/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fullpipe/base/minmax.h"

uint32_t fp_minmax_reset(struct fp_minmax *filter, uint32_t time,
			 uint32_t value)
{
	const struct fp_minmax_sample sample = { time, value };

	filter->best[0] = sample;
	filter->best[1] = sample;
	filter->best[2] = sample;
	return value;
}

uint32_t fp_minmax_get(const struct fp_minmax *filter)
{
	return filter->best[0].value;
}

/* The best is too old: the others move up. */
static void minmax_drop_best(struct fp_minmax *filter,
			     const struct fp_minmax_sample *sample)
{
	filter->best[0] = filter->best[1];
	filter->best[1] = filter->best[2];
	filter->best[2] = *sample;
}

/* Lets time act on the three: what is past the window goes, and a rank that
 * merely repeats the one before it is taken from a later part of the window
 * (after a quarter of it, after half of it). */
static uint32_t minmax_age(struct fp_minmax *filter, uint32_t window,
			   const struct fp_minmax_sample *sample)
{
	struct fp_minmax_sample *best = filter->best;
	uint32_t age = sample->time - best[0].time;

	if (age > window) {
		minmax_drop_best(filter, sample);
		/* the third was inside, so twice is enough */
		if (sample->time - best[0].time > window)
			minmax_drop_best(filter, sample);
	} else if (best[1].time == best[0].time && age > window / 4) {
		best[1] = *sample;
		best[2] = *sample;
	} else if (best[2].time == best[1].time && age > window / 2) {
		best[2] = *sample;
	}
	return best[0].value;
}

uint32_t fp_minmax_max(struct fp_minmax *filter, uint32_t window, uint32_t time,
		       uint32_t value)
{
	const struct fp_minmax_sample sample = { time, value };
	struct fp_minmax_sample *best = filter->best;

	if (value >= best[0].value || time - best[2].time > window)
		return fp_minmax_reset(filter, time, value);
	if (value >= best[1].value)
		best[1] = best[2] = sample;
	else if (value >= best[2].value)
		best[2] = sample;
	return minmax_age(filter, window, &sample);
}

uint32_t fp_minmax_min(struct fp_minmax *filter, uint32_t window, uint32_t time,
		       uint32_t value)
{
	const struct fp_minmax_sample sample = { time, value };
	struct fp_minmax_sample *best = filter->best;

	if (value <= best[0].value || time - best[2].time > window)
		return fp_minmax_reset(filter, time, value);
	if (value <= best[1].value)
		best[1] = best[2] = sample;
	else if (value <= best[2].value)
		best[2] = sample;
	return minmax_age(filter, window, &sample);
}
