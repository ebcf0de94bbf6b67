/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random decisions, drawn by counter. Correlation is netem's (get_crandom() in
 * Linux net/sched/sch_netem.c): an exponentially weighted mean of uniform
 * numbers. Its results lean towards the middle, so that with correlation a
 * small probability is met less often than it says; netem does the same.
 */
#include "base/prng.h"
#include "link/link_internal.h"

/* Counter of the draw that stands for "the one before the first". */
#define DRAW_BEFORE_FIRST UINT64_MAX

uint64_t chance__threshold_x32(uint32_t probability_ppm)
{
	return ((uint64_t)probability_ppm << 32) / FP_PPM_ONE;
}

void draw__init(struct link_draw *draw, uint64_t key, uint32_t correlation_ppm)
{
	draw->key = key;
	draw->rho_x32 = chance__threshold_x32(correlation_ppm);
	draw->last = (uint32_t)(fp_prng_at(key, DRAW_BEFORE_FIRST) >> 32);
}

uint32_t draw__at(struct link_draw *draw, uint64_t counter)
{
	uint64_t value = fp_prng_at(draw->key, counter) >> 32;

	if (draw->rho_x32 == 0)
		return (uint32_t)value;
	/* Both products together stay below 2^64: the weights add up to 2^32
	 * and each number is below 2^32. */
	value = (value * ((UINT64_C(1) << 32) - draw->rho_x32) +
		 draw->last * draw->rho_x32) >>
		32;
	draw->last = (uint32_t)value;
	return draw->last;
}

void chance__init(struct link_chance *chance, uint64_t key,
		  uint32_t probability_ppm, uint32_t correlation_ppm)
{
	draw__init(&chance->draw, key, correlation_ppm);
	chance->threshold_x32 = chance__threshold_x32(probability_ppm);
}

bool chance__at(struct link_chance *chance, uint64_t counter)
{
	return draw__at(&chance->draw, counter) < chance->threshold_x32;
}
