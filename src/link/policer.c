/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A token bucket that drops what finds too few tokens. Tokens are kept in bits
 * x ns per second, of which each ns brings rate_bps, so none is lost to
 * rounding however close packets come.
 */
#include "link/link_internal.h"

void policer__init(struct link_stage *stage,
		   const struct fp_path_config *config)
{
	const struct fp_policer_config *from =
	    &config->stages[stage->number].policer;
	struct link_policer *policer = &stage->policer;

	policer->rate_bps = from->rate_bps;
	policer->depth_work = from->burst_bytes * LINK_WORK_PER_BYTE;
	policer->tokens_work = policer->depth_work;
	policer->filled_ns = 0;
}

static void policer_fill(struct link_policer *policer, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - policer->filled_ns;
	uint64_t missing_work = policer->depth_work - policer->tokens_work;

	policer->filled_ns = now_ns;
	/* Compared by division: the product may be above 2^64. */
	if (elapsed_ns > missing_work / policer->rate_bps)
		policer->tokens_work = policer->depth_work;
	else
		policer->tokens_work += elapsed_ns * policer->rate_bps;
}

enum link_verdict policer__accept(struct link_stage *stage, uint64_t bytes,
				  uint64_t now_ns)
{
	struct link_policer *policer = &stage->policer;

	policer_fill(policer, now_ns);
	if (bytes > policer->tokens_work / LINK_WORK_PER_BYTE)
		return LINK_LOST;
	policer->tokens_work -= bytes * LINK_WORK_PER_BYTE;
	return LINK_PASS;
}
