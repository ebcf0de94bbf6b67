/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a packet takes on a link. Work is counted in bits x ns per second,
 * so that a rate serves rate_bps of it each ns, and what a whole ns leaves over
 * is carried to the packet that follows at once: times never drift.
 */
#include "link/link_internal.h"

void rate__init(struct link_rate *rate, const struct fp_rate_config *config)
{
	rate->kind = config->kind;
	rate->rate_bps = config->rate_bps;
	rate->carry_work = 0;
	rate->carry_ns = 0;
	rate->overhead_bytes = config->overhead_bytes;
	rate->cell_overhead_bytes = config->cell_overhead_bytes;
	rate->cell_bytes = config->cell_bytes;
}

/* Adds an overhead that may be negative; the sum is never below zero. */
static uint64_t rate_add(uint64_t bytes, int64_t overhead_bytes)
{
	int64_t sum = (int64_t)bytes + overhead_bytes;

	return sum > 0 ? (uint64_t)sum : 0;
}

uint64_t rate__charged_bytes(const struct link_rate *rate, uint64_t bytes)
{
	uint64_t cells;

	bytes = rate_add(bytes, rate->overhead_bytes);
	if (rate->cell_bytes == 0)
		return bytes;
	cells = (bytes + rate->cell_bytes - 1) / rate->cell_bytes;
	return cells * rate_add(rate->cell_bytes, rate->cell_overhead_bytes);
}

static uint64_t rate_constant(struct link_rate *rate, uint64_t start_ns,
			      uint64_t work)
{
	if (rate->rate_bps == 0)
		return FP_TIME_NEVER;
	rate->carry_work = work % rate->rate_bps;
	return start_ns + work / rate->rate_bps;
}

uint64_t rate__finish_ns(struct link_rate *rate, uint64_t start_ns,
			 uint64_t bytes)
{
	uint64_t work = rate__charged_bytes(rate, bytes) * LINK_WORK_PER_BYTE;

	if (rate->kind == FP_RATE_UNLIMITED)
		return start_ns;
	if (start_ns == rate->carry_ns)
		work += rate->carry_work;
	rate->carry_ns = rate_constant(rate, start_ns, work);
	return rate->carry_ns;
}
