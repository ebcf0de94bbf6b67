/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jitter: what is added to a delay, or taken from it.
 *
 * Differs from netem in what correlation does. netem draws a correlated number
 * and takes it modulo the range or the table (tabledist() in sch_netem.c),
 * which keeps the distribution and loses the correlation: only the number's
 * low bits remain. Here a packet has the jitter of the one before with the
 * probability "correlation", else a fresh one: the distribution stays exact and
 * the correlation of neighbours is what was asked for.
 */
#include "base/prng.h"
#include "link/jitter_tables.h"
#include "link/link_internal.h"

void jitter__init(struct link_jitter *jitter,
		  const struct fp_delay_config *config, uint64_t key,
		  uint64_t repeat_key)
{
	jitter->scale_ns = config->jitter_ns;
	jitter->dist = config->dist;
	jitter->key = key;
	jitter->counter = 0;
	jitter->last_bits = fp_prng_at(key, 0);
	chance__init(&jitter->repeat, repeat_key, config->correlation_ppm, 0);
}

uint64_t jitter__least_ns(const struct fp_delay_config *config)
{
	uint64_t below_ns = config->jitter_ns;

	if (config->dist != FP_DIST_UNIFORM)
		below_ns *= LINK_JITTER_LEAST;
	return config->delay_ns > below_ns ? config->delay_ns - below_ns : 0;
}

static int16_t jitter_point(enum fp_dist dist, uint64_t bits)
{
	uint64_t point = bits >> (64 - LINK_JITTER_POINTS_LOG2);

	if (dist == FP_DIST_NORMAL)
		return link__jitter_normal[point];
	if (dist == FP_DIST_PARETO)
		return link__jitter_pareto[point];
	return link__jitter_paretonormal[point];
}

/* delay - below, + above; one of both is 0. Never less than 0. */
static uint64_t jitter_add(uint64_t delay_ns, uint64_t above_ns,
			   uint64_t below_ns)
{
	delay_ns += above_ns;
	return delay_ns > below_ns ? delay_ns - below_ns : 0;
}

static uint64_t jitter_part(uint64_t scale_ns, uint32_t points)
{
	return (scale_ns * points + LINK_JITTER_SCALE / 2) / LINK_JITTER_SCALE;
}

uint64_t jitter__delay_ns(struct link_jitter *jitter, uint64_t delay_ns)
{
	int32_t point;

	jitter->counter++;
	if (!chance__at(&jitter->repeat, jitter->counter))
		jitter->last_bits = fp_prng_at(jitter->key, jitter->counter);
	if (jitter->dist == FP_DIST_UNIFORM)
		return jitter_add(delay_ns,
				  jitter->last_bits % (2 * jitter->scale_ns),
				  jitter->scale_ns);
	point = jitter_point(jitter->dist, jitter->last_bits);
	if (point >= 0)
		return delay_ns +
		       jitter_part(jitter->scale_ns, (uint32_t)point);
	return jitter_add(delay_ns, 0,
			  jitter_part(jitter->scale_ns, (uint32_t)-point));
}
