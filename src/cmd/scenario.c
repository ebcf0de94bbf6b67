/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sample.h"
#include "sys/error.h"

#define MS_NS  1000000u
/* Past the planned end, so that no rounding of seconds makes a whole round look
 * like one that was interrupted. */
#define END_NS 1e3

/* Which way of the round the data takes; it is the simulator's first. */
static uint32_t data_way(const struct lab_round *round)
{
	return round->is_reverse ? 1 : 0;
}

static uint32_t count_flows(const struct lab_round *round)
{
	uint32_t count = 0, i;

	for (i = 0; i < round->group_count; i++)
		count += round->groups[i].flows;
	return count;
}

static bool marks(const struct fp_path_config *way)
{
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		const struct fp_stage_config *stage = &way->stages[i];

		if (stage->kind == FP_STAGE_LOSS && stage->loss.marks_ecn)
			return true;
		if (stage->kind == FP_STAGE_LINK && stage->link.queue.marks_ecn)
			return true;
	}
	return false;
}

static void fill_ways(const struct lab_path *path, uint32_t first,
		      struct fp_sim_config *config)
{
	uint32_t i;

	for (i = 0; i < 2; i++) {
		const struct fp_path_config *way = &path->way[i ^ first];

		config->way[i] = *way;
		config->way[i].capacity_pkts = 0;
		config->way[i].merge_ns =
		    path->is_offload_off || path->is_precise
			? 0
			: fp_path_merge_ns(way, &path->way[!(i ^ first)]);
	}
}

static void fill_hosts(const struct cmd_scenario *scenario,
		       struct fp_sim_tcp *tcp)
{
	const struct lab_path *path = &scenario->round->path;

	*tcp = scenario->hosts.tcp;
	if (path->is_offload_off)
		tcp->without |= FP_SIM_TSO | FP_SIM_GRO;
	tcp->rmem_max_bytes = path->rmem_max_bytes;
	tcp->wmem_max_bytes = path->wmem_max_bytes;
	/* as the lab's hosts, which ask for it where it can be answered */
	tcp->has_ecn = marks(&path->way[0]) || marks(&path->way[1]);
}

static bool has_own_source(const struct cmd_hosts *hosts)
{
	return hosts->source.kind != FP_SIM_BULK;
}

/* The lab's flows wait for each other, and a transfer's clock starts with its
 * SYN. */
static void fill_flow(const struct cmd_scenario *scenario, uint64_t number,
		      struct fp_sim_flow *flow)
{
	const struct lab_round *round = scenario->round;
	const struct cmd_hosts *hosts = &scenario->hosts;

	flow->source = hosts->source;
	if (!has_own_source(hosts) && round->bytes) {
		flow->source.kind = FP_SIM_TRANSFER;
		flow->source.bytes = round->bytes;
	}
	flow->starts_open = round->bytes == 0;
	flow->start_ns = number * hosts->stagger_ns;
	if (hosts->lifetime_ns)
		flow->stop_ns = flow->start_ns + hosts->lifetime_ns;
}

static void fill_flows(const struct cmd_scenario *scenario,
		       struct fp_sim_flow *flows)
{
	const struct lab_round *round = scenario->round;
	uint32_t group, i, number = 0;

	for (group = 0; group < round->group_count; group++) {
		for (i = 0; i < round->groups[group].flows; i++, number++) {
			flows[number].cc = scenario->algorithms[group];
			fill_flow(scenario, number, &flows[number]);
		}
	}
}

/* As the lab has them: a finite transfer is timed from its beginning. */
static void fill_times(const struct lab_round *round,
		       struct fp_sim_config *config)
{
	config->warmup_ns = round->bytes ? 0 : round->warmup_ns;
	config->duration_ns = round->duration_ns;
	if (round->sample_ns)
		config->sample_ns = lab_sample_interval_ns(
		    round->sample_ns, config->warmup_ns + config->duration_ns,
		    config->flow_count);
}

/* What to change, by what a complaint speaks of. */
static const char *hint_of(const char *complaint)
{
	static const char *const hints[][2] = {
		{ "queue", "--queue takes packets, bytes, a time or 1bdp" },
		{ "every packet", "a part of the packets must arrive, both "
				  "ways" },
		{ "receive window", "--buffers takes more" },
		{ "send buffer", "--buffers takes more" },
		{ "policer", "--policer takes RATE:BURST, like 10mbit:64k" },
		{ "stand still", "--rtt or --rate sets one" },
		{ "all is over", "a shorter --stagger or a longer --duration" },
		{ "samples", "--sample takes a longer time" },
	};
	size_t i;

	for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (strstr(complaint, hints[i][0]))
			return hints[i][1];
	}
	return "the lab may take it: leave --sim out";
}

static int check(const struct fp_sim_config *config, struct fp_error *error)
{
	const char *complaint = fp_sim_check(config);

	if (!complaint)
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE, "cannot simulate this: %s",
			   complaint);
	fp_error_hint(error, "%s", hint_of(complaint));
	return -EINVAL;
}

int cmd_scenario_init(const struct cmd_scenario *scenario,
		      struct fp_sim_config *ret_config, struct fp_error *error)
{
	const struct lab_round *round = scenario->round;
	uint32_t count = count_flows(round);
	struct fp_sim_config config = {
		.mtu_bytes = round->path.mtu_bytes,
		.is_ipv6 = round->path.is_ipv6,
		.flow_count = count,
	};
	struct fp_sim_flow *flows;
	int result;

	if (round->path.backend == LAB_BACKEND_DIRECT) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "cannot simulate '--path direct': what "
				   "limits it is this machine, not a path");
		fp_error_hint(error, "--rate and --rtt say a path");
		return -EOPNOTSUPP;
	}
	flows = calloc(count + 1ul, sizeof(*flows));
	if (!flows)
		return fp_error_errno(error, ENOMEM, "cannot hold %u flows",
				      count);
	fill_ways(&round->path, data_way(round), &config);
	fill_hosts(scenario, &config.tcp);
	fill_flows(scenario, flows);
	fill_times(round, &config);
	config.flows = flows;
	result = check(&config, error);
	if (result < 0)
		free(flows);
	else
		*ret_config = config;
	return result;
}

void cmd_scenario_fini(struct fp_sim_config *config)
{
	free((struct fp_sim_flow *)(uintptr_t)config->flows);
	config->flows = NULL;
	config->flow_count = 0;
}

/* --- What was seen -------------------------------------------------------- */

static void take_way(const struct fp_sim_way_result *seen,
		     const struct fp_path_config *config,
		     struct lab_way_result *way)
{
	uint32_t i;

	way->stage_count = config->stage_count;
	for (i = 0; i < config->stage_count; i++) {
		way->kinds[i] = config->stages[i].kind;
		way->stages[i] = seen->stages[i];
	}
	way->packets = seen->packets;
	way->bytes = seen->bytes;
	way->lost_by_model = seen->lost_by_model;
	way->lost_by_queue = seen->lost_by_queue;
	way->lost_by_policer = seen->lost_by_policer;
	way->lost_outside = seen->lost_by_overrun;
	way->marked = seen->marked;
}

static uint32_t bbr_version(enum fp_cc_kind kind)
{
	if (kind == FP_CC_BBR)
		return 1;
	return kind == FP_CC_BBR3 ? 3 : 0;
}

static uint32_t clamp_u32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void take_flow(const struct fp_sim_flow_result *seen,
		      const struct fp_cc_config *algorithm,
		      struct lab_flow_result *flow)
{
	flow->bbr_version = bbr_version(algorithm->kind);
	flow->goodput_bps = seen->goodput_bps;
	flow->received_bytes = seen->received_bytes;
	flow->sent_bytes = seen->sent_bytes;
	flow->retransmitted_bytes = seen->retransmitted_bytes;
	flow->completion_ns = seen->completion_ns;
	flow->rtt_p50_us = seen->rtt_p50_us;
	flow->rtt_p99_us = seen->rtt_p99_us;
	flow->min_rtt_us = seen->min_rtt_us;
	flow->busy_us = seen->busy_us;
	flow->rwnd_limited_us = seen->rwnd_limited_us;
	flow->sndbuf_limited_us = seen->sndbuf_limited_us;
	flow->snd_wnd_max_bytes = seen->snd_wnd_max_bytes;
	flow->mss_bytes = seen->mss_bytes;
	flow->cwnd_mean_pkts = seen->cwnd_mean_pkts;
	flow->is_stalled = seen->is_stalled;
	flow->requests = seen->requests;
}

static void take_flows(const struct cmd_scenario *scenario,
		       const struct fp_sim_result *seen,
		       struct lab_result *result)
{
	const struct lab_round *round = scenario->round;
	uint32_t group, i, number = 0;

	for (group = 0; group < round->group_count; group++) {
		for (i = 0; i < round->groups[group].flows &&
			    number < seen->flow_count;
		     i++, number++) {
			result->flows[number].group = group;
			take_flow(&seen->flows[number],
				  &scenario->algorithms[group],
				  &result->flows[number]);
		}
	}
	result->flow_count = number;
}

static void take_sample(const struct fp_sim_sample *seen,
			struct lab_sample *sample)
{
	const struct fp_cc_model *model = &seen->model;

	*sample = (struct lab_sample){
		.flow = seen->flow,
		.time_ms = clamp_u32(seen->time_ns / MS_NS),
		.cwnd_pkts = seen->cwnd_pkts,
		.ssthresh_pkts = seen->ssthresh_pkts,
		.rtt_us = seen->rtt_us,
		.rttvar_us = seen->rttvar_us,
		.min_rtt_us = seen->min_rtt_us,
		.inflight_pkts = seen->inflight_pkts,
		.lost_pkts = seen->lost_pkts,
		.retrans_pkts = clamp_u32(seen->retrans_pkts),
		.delivery_rate_bps = seen->delivery_rate_bps,
		.pacing_rate_bps = seen->pacing_rate_bps,
		.bytes_acked = seen->bytes_acked,
		.bytes_sent = seen->bytes_sent,
		.bytes_retransmitted = seen->bytes_retransmitted,
		.received_bytes = seen->received_bytes,
		.has_bbr = model->bbr_version > 0,
		.bbr_bw_bps = model->bw_bytes_per_s * 8,
		.bbr_min_rtt_us = model->min_rtt_us,
		.bbr_pacing_gain_x256 = model->pacing_gain_x256,
		.bbr_cwnd_gain_x256 = model->cwnd_gain_x256,
	};
}

/* RTTs and windows as the lab reads them: smoothed, at its looks at senders,
 * which is not what each single ACK says. A mean that no ACK has touched is
 * none. */
static int sum_up(const struct lab_round *round,
		  const struct fp_sim_result *seen, struct lab_result *result)
{
	uint64_t warmup_ns = round->bytes ? 0 : round->warmup_ns;
	uint32_t i;

	if (lab_sample_sum_up(result->samples, result->sample_count,
			      clamp_u32(warmup_ns / MS_NS), result->flows,
			      result->flow_count) < 0)
		return -ENOMEM;
	for (i = 0; i < result->flow_count; i++) {
		if (seen->flows[i].rtt_p50_us == 0)
			result->flows[i].rtt_p50_us =
			    result->flows[i].rtt_p99_us = 0;
	}
	return 0;
}

int cmd_scenario_result(const struct cmd_scenario *scenario,
			const struct fp_sim_result *seen,
			struct lab_result *ret_result)
{
	const struct lab_round *round = scenario->round;
	struct lab_result result = { .is_valid = true };
	uint32_t i;

	result.flows = calloc(seen->flow_count + 1ul, sizeof(*result.flows));
	result.samples =
	    calloc(seen->sample_count + 1ul, sizeof(*result.samples));
	if (!result.flows || !result.samples) {
		lab_result_fini(&result);
		return -ENOMEM;
	}
	for (i = 0; i < 2; i++) {
		uint32_t number = i ^ data_way(round);

		take_way(&seen->way[i], &round->path.way[number],
			 &result.way[number]);
	}
	if (seen->way[0].lost_by_overrun || seen->way[1].lost_by_overrun) {
		result.is_valid = false;
		(void)snprintf(result.note, sizeof(result.note),
			       "packets were lost for want of room in the "
			       "simulated path");
	}
	take_flows(scenario, seen, &result);
	for (i = 0; i < seen->sample_count; i++)
		take_sample(&seen->samples[i], &result.samples[i]);
	result.sample_count = seen->sample_count;
	if (sum_up(round, seen, &result) < 0) {
		lab_result_fini(&result);
		return -ENOMEM;
	}
	result.wall_s = ((double)seen->end_ns + END_NS) / 1e9;
	*ret_result = result;
	return 0;
}
