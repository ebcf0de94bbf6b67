/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/bottleneck.h"

#include <math.h>

#include "lab/plan.h"

/* The work of all stretches between steps, over the time. */
static double steps_mean_bps(const struct fp_rate_config *rate,
			     uint64_t from_ns, uint64_t to_ns)
{
	double bits_ns = 0, now_bps = (double)rate->rate_bps;
	uint64_t at_ns = from_ns;
	uint32_t i;

	for (i = 0; i < rate->step_count && at_ns < to_ns; i++) {
		uint64_t step_ns = rate->steps[i].at_ns;

		if (step_ns > to_ns)
			step_ns = to_ns;
		if (step_ns > at_ns) {
			bits_ns += now_bps * (double)(step_ns - at_ns);
			at_ns = step_ns;
		}
		now_bps = (double)rate->steps[i].rate_bps;
	}
	/* past to_ns nothing is left, whatever the rate is then */
	bits_ns += now_bps * (double)(to_ns - at_ns);
	return bits_ns / (double)(to_ns - from_ns);
}

struct cmd_bottleneck cmd_bottleneck_of(const struct fp_path_config *way,
					uint64_t from_ns, uint64_t to_ns)
{
	struct cmd_bottleneck slowest = { NULL, 0 };
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		const struct fp_rate_config *rate = &way->stages[i].link.rate;
		double mean_bps;

		if (way->stages[i].kind != FP_STAGE_LINK ||
		    rate->kind == FP_RATE_UNLIMITED)
			continue;
		if (rate->kind == FP_RATE_STEPS)
			mean_bps = steps_mean_bps(rate, from_ns, to_ns);
		else
			mean_bps = (double)lab_plan_rate_bps(rate);
		if (!slowest.rate || mean_bps < slowest.mean_bps)
			slowest = (struct cmd_bottleneck){ rate, mean_bps };
	}
	return slowest;
}

struct cmd_bottleneck compare_bottleneck(const struct compare_plan *plan,
					 double completion_us)
{
	const struct spec_path *path = &plan->path;
	uint64_t from_ns = 0, to_ns = plan->duration_ns;

	if (plan->options->bytes == 0) {
		/* the clock starts when the flows are connected; simulated ones
		 * are from the beginning */
		from_ns = (plan->is_sim ? 0 : path->rtt_ns) + plan->warmup_ns;
		to_ns = from_ns + plan->duration_ns;
	} else if (completion_us >= 1) {
		to_ns = (uint64_t)(completion_us * 1e3);
	}
	return cmd_bottleneck_of(&path->way[compare_data_way(plan)].config,
				 from_ns, to_ns);
}
