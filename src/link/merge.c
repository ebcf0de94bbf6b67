/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both ways of a path say together. */
#include "fullpipe/link.h"

/* 1 ms of a link is what a burst of BBR's pacing is. A longer wait would make
 * the ACK clock coarse. */
#define MERGE_MAX_NS    UINT64_C(1000000)
/* The last of a run leaves when it is due, and it is its acknowledgement that
 * TCP takes the RTT from, so a wait of a tenth of the RTT does not show there.
 */
#define MERGE_RTT_SHARE 10

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t fp_path_delay_ns(const struct fp_path_config *config)
{
	uint64_t sum_ns = 0;
	uint32_t i;

	for (i = 0; i < config->stage_count && i < FP_PATH_STAGES_MAX; i++)
		if (config->stages[i].kind == FP_STAGE_DELAY)
			sum_ns += config->stages[i].delay.delay_ns;
	return sum_ns;
}

uint64_t fp_path_merge_ns(const struct fp_path_config *way,
			  const struct fp_path_config *other)
{
	uint64_t rtt_ns = fp_path_delay_ns(way) + fp_path_delay_ns(other);
	const struct fp_stage_config *last;

	if (way->stage_count == 0 || way->stage_count > FP_PATH_STAGES_MAX)
		return 0;
	last = &way->stages[way->stage_count - 1];
	if (last->kind != FP_STAGE_DELAY)
		return 0;
	return min_u64(min_u64(rtt_ns / MERGE_RTT_SHARE, MERGE_MAX_NS),
		       last->delay.delay_ns);
}
