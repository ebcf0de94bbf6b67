/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a packet takes on a link. Work is counted in bits x ns per second,
 * so that a rate serves rate_bps of it each ns, and what a whole ns leaves over
 * is carried to the packet that follows at once: times never drift. A packet
 * that is under way when the rate steps is served at both rates.
 */
#include "link/link_internal.h"

/* mahimahi counts packets as its TUN device gives them: with a 4-byte header,
 * so that a slot of 1504 bytes is one IP packet of 1500. */
#define RATE_TRACE_HEADER_BYTES 4

void rate__init(struct link_rate *rate, const struct fp_rate_config *config)
{
	rate->kind = config->kind;
	rate->rate_bps = config->rate_bps;
	rate->start_bps = config->rate_bps;
	rate->base_ns = 0;
	rate->carry_work = 0;
	rate->carry_ns = 0;
	rate->overhead_bytes = config->overhead_bytes;
	rate->cell_overhead_bytes = config->cell_overhead_bytes;
	rate->cell_bytes = config->cell_bytes;
	if (rate->kind == FP_RATE_STEPS) {
		rate->steps.steps = config->steps;
		rate->steps.count = config->step_count;
		rate->steps.next = 0;
	}
	if (rate->kind == FP_RATE_TRACE)
		trace__init(&rate->trace, config);
}

/* Adds an overhead that may be negative; the sum is never below zero. */
static uint64_t rate_add(uint64_t bytes, int64_t overhead_bytes)
{
	int64_t sum = (int64_t)bytes + overhead_bytes;

	return sum > 0 ? (uint64_t)sum : 0;
}

uint64_t rate__charged_bytes(const struct link_rate *rate,
			     const struct fp_pkt *pkt, uint32_t l2_bytes)
{
	uint64_t bytes = pkt->len_bytes;

	bytes +=
	    rate->kind == FP_RATE_TRACE ? RATE_TRACE_HEADER_BYTES : l2_bytes;
	bytes = rate_add(bytes, rate->overhead_bytes);
	if (rate->cell_bytes == 0)
		return bytes;
	bytes = (bytes + rate->cell_bytes - 1) / rate->cell_bytes;
	return bytes * rate_add(rate->cell_bytes, rate->cell_overhead_bytes);
}

static uint64_t rate_constant_ns(struct link_rate *rate, uint64_t start_ns,
				 uint64_t work)
{
	rate->carry_work = work % rate->rate_bps;
	return start_ns + work / rate->rate_bps;
}

/* Puts the steps in force that have come by at_ns. Returns when the next one
 * comes. */
static uint64_t rate_step(struct link_rate *rate, uint64_t at_ns)
{
	struct link_steps *steps = &rate->steps;

	for (; steps->next < steps->count; steps->next++) {
		const struct fp_rate_step *step = &steps->steps[steps->next];

		if (step->at_ns > at_ns - rate->base_ns)
			return rate->base_ns + step->at_ns;
		rate->rate_bps = step->rate_bps;
	}
	return FP_TIME_NEVER;
}

static uint64_t rate_steps_ns(struct link_rate *rate, uint64_t at_ns,
			      uint64_t work)
{
	rate->carry_work = 0;
	while (work != 0) {
		uint64_t step_ns = rate_step(rate, at_ns);

		if (rate->rate_bps != 0 &&
		    (step_ns == FP_TIME_NEVER ||
		     work / rate->rate_bps < step_ns - at_ns))
			return rate_constant_ns(rate, at_ns, work);
		if (step_ns == FP_TIME_NEVER)
			return FP_TIME_NEVER;
		work -= (step_ns - at_ns) * rate->rate_bps;
		at_ns = step_ns;
	}
	return at_ns;
}

void rate__resume(struct link_rate *rate, uint64_t now_ns)
{
	if (rate->kind == FP_RATE_STEPS)
		(void)rate_step(rate, now_ns);
	if (rate->kind == FP_RATE_TRACE)
		trace__resume(&rate->trace, now_ns - rate->base_ns);
}

uint64_t rate__finish_ns(struct link_rate *rate, uint64_t start_ns,
			 uint64_t charged_bytes)
{
	uint64_t work = charged_bytes * LINK_WORK_PER_BYTE;

	if (start_ns == rate->carry_ns)
		work += rate->carry_work;
	switch (rate->kind) {
	case FP_RATE_UNLIMITED:
		return start_ns;
	case FP_RATE_CONSTANT:
		rate->carry_ns = rate_constant_ns(rate, start_ns, work);
		break;
	case FP_RATE_STEPS:
		rate->carry_ns = rate_steps_ns(rate, start_ns, work);
		break;
	case FP_RATE_TRACE:
		return rate->base_ns +
		       trace__finish_ns(&rate->trace, charged_bytes);
	}
	return rate->carry_ns;
}

/* The rate that a link has at now_ns, or had last where it stands still. Looks
 * from the step that the packet under way will end with. */
static uint64_t rate_steps_now_bps(const struct link_rate *rate,
				   uint64_t now_ns)
{
	const struct fp_rate_step *steps = rate->steps.steps;

	for (uint32_t i = rate->steps.next; i-- > 0;)
		if (steps[i].at_ns <= now_ns - rate->base_ns &&
		    steps[i].rate_bps != 0)
			return steps[i].rate_bps;
	return rate->start_bps;
}

uint64_t rate__now_bps(const struct link_rate *rate, uint64_t now_ns)
{
	switch (rate->kind) {
	case FP_RATE_UNLIMITED:
		return 0;
	case FP_RATE_CONSTANT:
		return rate->rate_bps;
	case FP_RATE_STEPS:
		return rate_steps_now_bps(rate, now_ns);
	case FP_RATE_TRACE:
		return trace__mean_bps(&rate->trace);
	}
	return 0;
}
