/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many rounds the machine can carry side by side. Rounds disturb each other
 * when they wait for a processor: packets leave late, and TCP sees queues that
 * the path does not have. So only a part of the processors is given away.
 */
#include "lab/lab.h"

#include "lab/plan.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#define ROUNDS_MAX 64 /* what a progress line can hold */

uint64_t lab_plan_rate_bps(const struct fp_rate_config *rate)
{
	uint64_t most_bps = rate->rate_bps;
	uint32_t i;

	switch (rate->kind) {
	case FP_RATE_CONSTANT:
		return rate->rate_bps;
	case FP_RATE_STEPS:
		for (i = 0; i < rate->step_count; i++)
			if (rate->steps[i].rate_bps > most_bps)
				most_bps = rate->steps[i].rate_bps;
		return most_bps;
	case FP_RATE_TRACE:
		if (!rate->trace_count)
			return 0;
		/* slots of 1504 bytes in a period of milliseconds */
		return (uint64_t)rate->trace_count * 1504 * 8 * 1000 /
		       rate->trace_ms[rate->trace_count - 1];
	case FP_RATE_UNLIMITED:
		break;
	}
	return 0;
}

uint64_t lab_plan_way_bps(const struct fp_path_config *way)
{
	uint64_t least_bps = 0;
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		const struct fp_stage_config *stage = &way->stages[i];
		uint64_t rate_bps = 0;

		if (stage->kind == FP_STAGE_LINK)
			rate_bps = lab_plan_rate_bps(&stage->link.rate);
		else if (stage->kind == FP_STAGE_POLICER)
			rate_bps = stage->policer.rate_bps;
		if (rate_bps && (!least_bps || rate_bps < least_bps))
			least_bps = rate_bps;
	}
	return least_bps;
}

double lab_plan_round_cores(const struct lab_round *round)
{
	const struct fp_path_config *way =
	    &round->path.way[round->is_reverse ? 1 : 0];
	uint64_t rate_bps = 0;
	uint32_t flows = 0;
	uint32_t i;

	if (round->path.backend != LAB_BACKEND_DIRECT)
		rate_bps = lab_plan_way_bps(way);
	if (!rate_bps || round->path.is_precise)
		return 0;
	for (i = 0; i < round->group_count; i++)
		flows += round->groups[i].flows;
	return LAB_PLAN_CORES_BASE + flows * LAB_PLAN_CORES_PER_FLOW +
	       (double)rate_bps / 1e9 * LAB_PLAN_CORES_PER_GBPS;
}

int lab_plan_cpu(const struct lab_round *round, uint32_t slot,
		 const cpu_set_t *allowed)
{
	double cores = lab_plan_round_cores(round);
	int count = CPU_COUNT(allowed);
	int nth, cpu;

	if (!(cores > 0) || cores > LAB_PLAN_ONE_CPU_CORES || count < 2)
		return -1;
	nth = (int)(slot % (uint32_t)count);
	for (cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, allowed) && nth-- == 0)
			return cpu;
	return -1;
}

static uint32_t fitting(double cores_each, double cores)
{
	double fits = cores * LAB_PLAN_SHARE / cores_each;

	if (fits >= ROUNDS_MAX)
		return ROUNDS_MAX;
	return fits < 1 ? 1 : (uint32_t)fits;
}

uint32_t lab_plan_for(const struct lab_round *rounds, uint32_t count,
		      uint32_t cores, char *ret_reason, size_t reason_bytes)
{
	double most = 0;
	uint32_t fits, i;

	for (i = 0; i < count; i++) {
		double each = lab_plan_round_cores(&rounds[i]);

		if (each == 0) {
			(void)snprintf(
			    ret_reason, reason_bytes,
			    "one after the other: %s, each takes the "
			    "whole machine",
			    rounds[i].path.is_precise ? "precise releases spin"
						      : "no rate limit");
			return 1;
		}
		if (each > most)
			most = each;
	}
	if (count <= 1) {
		(void)snprintf(ret_reason, reason_bytes, "one round");
		return 1;
	}
	fits = fitting(most, cores);
	if (fits > count)
		fits = count;
	if (fits == 1)
		(void)snprintf(ret_reason, reason_bytes,
			       "one after the other: each takes up to about "
			       "%.1f of %u cores",
			       most, cores);
	else
		(void)snprintf(ret_reason, reason_bytes,
			       "%u of %u rounds side by side: together up to "
			       "about %.1f of %u cores",
			       fits, count, fits * most, cores);
	return fits;
}

uint32_t lab_plan(const struct lab_round *rounds, uint32_t count,
		  char *ret_reason, size_t reason_bytes)
{
	cpu_set_t set;
	int cores = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		cores = CPU_COUNT(&set);
	return lab_plan_for(rounds, count, (uint32_t)cores, ret_reason,
			    reason_bytes);
}
