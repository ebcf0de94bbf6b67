/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Corruption: one bit of the packet is to be flipped. A path has no packet
 * data, so it says which; of two corrupting stages the later one says.
 */
#include "base/prng.h"
#include "link/link_internal.h"

void corrupt__init(struct link_stage *stage,
		   const struct fp_path_config *config)
{
	const struct fp_chance_config *from =
	    &config->stages[stage->number].chance;

	chance__init(&stage->corrupt.chance,
		     path__draw_key(config, stage->number, 0),
		     from->probability_ppm, from->correlation_ppm);
	stage->corrupt.bit_key = path__draw_key(config, stage->number, 1);
}

void corrupt__accept(struct link_stage *stage, struct fp_pkt *pkt)
{
	uint64_t counter = stage->counters.packets_in;
	uint64_t bits = (uint64_t)pkt->len_bytes * 8;

	if (!chance__at(&stage->corrupt.chance, counter) || bits == 0)
		return;
	pkt->corrupt_bit =
	    (uint32_t)(fp_prng_at(stage->corrupt.bit_key, counter) % bits);
	pkt->flags |= FP_PKT_CORRUPTED;
	stage->counters.corrupted++;
}
