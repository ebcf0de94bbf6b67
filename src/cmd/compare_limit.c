/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the verdict needs to know of the flows of a round, all or one. */
#include "cmd/compare_round.h"

#include <math.h>

#include "cmd/bottleneck.h"
#include "diag/predict.h"
#include "sys/kernel.h"

#define L2_BYTES 14 /* Ethernet's header, as netem counts */

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static double total_goodput(const struct lab_result *result)
{
	double total = 0;
	uint32_t i;

	for (i = 0; i < result->flow_count; i++)
		total += (double)result->flows[i].goodput_bps;
	return total;
}

/* How long flow number (of all in the round) is planned to run; 0: not known,
 * or of no use. */
static double planned_us(const struct compare_plan *plan, uint32_t number)
{
	uint64_t total_ns = plan->warmup_ns + plan->duration_ns;
	uint64_t start_ns = number * plan->hosts.stagger_ns;

	/* one that always has data is never late in virtual time */
	if (plan->is_sim && plan->hosts.source.kind == FP_SIM_BULK)
		return 0;
	if (start_ns >= total_ns)
		return 0;
	total_ns -= start_ns;
	if (plan->hosts.lifetime_ns && plan->hosts.lifetime_ns < total_ns)
		total_ns = plan->hosts.lifetime_ns;
	return (double)total_ns / 1e3;
}

/* All that an application had to send, where that is known: a stream's rate; of
 * replies that fit into the window, what they took. */
static double offered_bps(const struct compare_plan *plan,
			  const struct lab_flow_result *flow)
{
	const struct fp_sim_source *source = &plan->hosts.source;
	uint64_t window_bytes =
	    (uint64_t)flow->cwnd_mean_pkts * flow->mss_bytes;

	if (source->kind == FP_SIM_REQUESTS && source->bytes <= window_bytes)
		return (double)flow->goodput_bps;
	return (double)source->rate_bps;
}

static void add_flow(const struct compare_part *part, uint32_t number,
		     struct diag_flow *facts)
{
	const struct lab_flow_result *flow = &part->result->flows[number];
	const struct compare_plan *plan = part->plan;
	double round_us = (double)(plan->warmup_ns + plan->duration_ns) / 1e3;
	/* an interrupted round: its flows' own time is not known */
	double ran_us = part->result->wall_s * 1e6 < round_us
			    ? 0
			    : planned_us(plan, number);

	facts->offered_bps += offered_bps(plan, flow);
	facts->busy_us += (double)flow->busy_us;
	facts->rwnd_limited_us += (double)flow->rwnd_limited_us;
	facts->sndbuf_limited_us += (double)flow->sndbuf_limited_us;
	facts->elapsed_us +=
	    flow->completion_ns ? (double)flow->completion_ns / 1e3 : ran_us;
	facts->is_stalled = flow->is_stalled;
	facts->has_failed = facts->has_failed || flow->has_failed;
}

/* How full the machine was. A spinning emulator says nothing. */
static void add_cores(const struct compare_part *part, struct diag_flow *facts)
{
	const struct lab_result *result = part->result;
	double emulator_s =
	    part->plan->options->precise ? 0 : result->emulator_cpu_s;
	double busiest_s = fmax(
	    fmax(result->sender_cpu_s, result->receiver_cpu_s), emulator_s);

	if (!(result->wall_s > 0))
		return;
	facts->core_share = busiest_s / result->wall_s;
	facts->machine_share =
	    (result->sender_cpu_s + result->receiver_cpu_s + emulator_s) /
	    (result->wall_s * fp_kernel_cores());
}

/* A damaged packet is one that its receiver throws away. */
static double damaged_of(const struct lab_way_result *way)
{
	uint64_t damaged = 0;
	uint32_t i;

	for (i = 0; i < way->stage_count; i++)
		damaged += way->stages[i].corrupted;
	return (double)damaged;
}

/* The bytes that a full packet takes on a link, with its overhead and whole
 * cells. */
static double wire_bytes(const struct fp_rate_config *rate, uint32_t mtu_bytes)
{
	double bytes = mtu_bytes + L2_BYTES;

	if (!rate)
		return bytes;
	bytes += rate->overhead_bytes;
	if (rate->cell_bytes)
		bytes = ceil(bytes / rate->cell_bytes) *
			((double)rate->cell_bytes + rate->cell_overhead_bytes);
	return fmax(bytes, 1);
}

/* The first version of BBR looks at no mark. */
static bool heeds_marks(const struct compare_part *part)
{
	uint32_t i;

	for (i = 0; i < part->result->flow_count; i++) {
		if (part->result->flows[i].group == part->group)
			return part->result->flows[i].bbr_version != 1;
	}
	return true;
}

/* What all flows of a round have in common. sharers: how many equal parts the
 * link has. */
static struct diag_flow world_facts(const struct compare_part *part,
				    const struct out_round *round,
				    double mss_bytes, double sharers)
{
	const struct compare_plan *plan = part->plan;
	uint32_t data_way = compare_data_way(plan);
	const struct lab_way_result *way = &part->result->way[data_way];
	struct cmd_bottleneck link =
	    compare_bottleneck(plan, round->completion_us);
	struct diag_flow facts = {
		.total_bps = total_goodput(part->result),
		.has_always_data = plan->options->bytes == 0 &&
				   plan->hosts.source.kind == FP_SIM_BULK,
	};

	if (round->packets > 0) {
		facts.loss =
		    (round->lost_by_model + damaged_of(way)) / round->packets;
		facts.queue_loss = round->lost_by_queue / round->packets;
		facts.policer_loss =
		    (double)way->lost_by_policer / round->packets;
		if (heeds_marks(part))
			facts.marked = (double)way->marked / round->packets;
	}
	if (!isnan(mss_bytes))
		facts.link_bps = link.mean_bps * mss_bytes /
				 wire_bytes(link.rate, plan->path.mtu_bytes);
	if (sharers > 1)
		facts.fair_bps = facts.link_bps / sharers;
	add_cores(part, &facts);
	return facts;
}

enum diag_limit compare_flow_limit(const struct compare_part *part,
				   const struct out_round *round,
				   uint32_t number)
{
	const struct out_flow *flow = &round->flows[number];
	struct diag_flow facts =
	    world_facts(part, round, flow->mss_bytes, part->result->flow_count);

	facts.goodput_bps = or_zero(flow->goodput_bps);
	facts.rtt_us = or_zero(flow->rtt_p50_us);
	facts.rwnd_ceiling_bps =
	    or_zero(diag_window_bps(flow->snd_wnd_max_bytes, flow->rtt_p50_us));
	facts.is_finite = !isnan(flow->completion_us);
	add_flow(part, (uint32_t)flow->number, &facts);
	return diag_limit_of(&facts);
}

/* Nothing moves any more: what is not complete has stalled or failed. */
static bool has_stalled(const struct compare_part *part,
			const struct out_round *round)
{
	const struct lab_flow_result *flow;
	bool has_one = false;
	uint32_t i;

	for (i = 0; i < round->flow_count; i++) {
		flow = &part->result->flows[(uint32_t)round->flows[i].number];
		if (!flow->is_stalled && !flow->has_failed &&
		    !flow->completion_ns)
			return false;
		has_one = has_one || flow->is_stalled;
	}
	return has_one;
}

enum diag_limit compare_round_limit(const struct compare_part *part,
				    const struct out_round *round)
{
	const struct compare_plan *plan = part->plan;
	double mss_bytes = round->flow_count ? round->flows[0].mss_bytes : NAN;
	struct diag_flow facts =
	    world_facts(part, round, mss_bytes,
			plan->options->together ? plan->algorithm_count : 1);
	uint32_t i;

	facts.goodput_bps = or_zero(round->goodput_bps);
	facts.rtt_us = or_zero(round->rtt_p50_us);
	facts.rwnd_ceiling_bps = or_zero(round->rwnd_ceiling_bps);
	facts.is_finite = !isnan(round->completion_us);
	facts.has_failed = round->flow_count == 0;
	for (i = 0; i < round->flow_count; i++)
		add_flow(part, (uint32_t)round->flows[i].number, &facts);
	facts.is_stalled = has_stalled(part, round);
	if (facts.has_failed && round->goodput_bps > 0)
		facts.has_failed = false; /* some of the flows got through */
	return diag_limit_of(&facts);
}
