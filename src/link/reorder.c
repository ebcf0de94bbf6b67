/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reordering as netem does it: after gap - 1 packets that were delayed, each
 * packet is a candidate until one is chosen; the chosen one passes the next
 * delay stage at once and so overtakes what is in there.
 */
#include "link/link_internal.h"

void reorder__init(struct link_stage *stage,
		   const struct fp_path_config *config)
{
	const struct fp_reorder_config *from =
	    &config->stages[stage->number].reorder;
	struct link_reorder *reorder = &stage->reorder;

	chance__init(&reorder->chance, path__draw_key(config, stage->number, 0),
		     from->probability_ppm, from->correlation_ppm);
	reorder->gap_pkts = from->gap_pkts == 0 ? 1 : from->gap_pkts;
	reorder->delayed_pkts = 0;
	reorder->draws = 0;
}

void reorder__accept(struct link_stage *stage, struct link_node *entry)
{
	struct link_reorder *reorder = &stage->reorder;

	if (reorder->delayed_pkts < reorder->gap_pkts - 1 ||
	    !chance__at(&reorder->chance, reorder->draws++)) {
		/* Stops at the gap: more than that need not be known. */
		if (reorder->delayed_pkts < reorder->gap_pkts - 1)
			reorder->delayed_pkts++;
		return;
	}
	reorder->delayed_pkts = 0;
	entry->bits |= LINK_NODE_SKIP_DELAY;
	entry->pkt.flags |= FP_PKT_REORDERED;
	stage->counters.reordered++;
}
