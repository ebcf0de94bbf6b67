/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Duplication: the packet goes on, and a copy of it right behind.
 */
#include "link/link_internal.h"

void duplicate__init(struct link_stage *stage,
		     const struct fp_path_config *config)
{
	const struct fp_chance_config *from =
	    &config->stages[stage->number].chance;

	chance__init(&stage->chance, path__draw_key(config, stage->number, 0),
		     from->probability_ppm, from->correlation_ppm);
}

enum link_verdict duplicate__accept(struct link_stage *stage)
{
	return chance__at(&stage->chance, stage->counters.packets_in)
		   ? LINK_TWICE
		   : LINK_PASS;
}
