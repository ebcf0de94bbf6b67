/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the lab's counters of one round to the row that is reported. */
#include "cmd/compare_round.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/bottleneck.h"
#include "diag/predict.h"
#include "diag/stats.h"

#define SSTHRESH_NONE 0x7fffffff /* TCP_INFINITE_SSTHRESH */

/* 0 means "not known" in the lab's results. */
static double known(double value)
{
	return value > 0 ? value : NAN;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static bool is_part(const struct compare_part *part,
		    const struct lab_flow_result *flow)
{
	return flow->group == part->group;
}

static uint32_t count_flows(const struct compare_part *part)
{
	uint32_t count = 0, i;

	for (i = 0; i < part->result->flow_count; i++)
		count += is_part(part, &part->result->flows[i]);
	return count;
}

static void fill_flow(const struct lab_flow_result *seen, uint32_t number,
		      struct out_flow *flow)
{
	flow->number = number;
	flow->goodput_bps = seen->has_failed ? NAN : (double)seen->goodput_bps;
	flow->received_bytes = (double)seen->received_bytes;
	flow->sent_bytes = (double)seen->sent_bytes;
	flow->retransmitted_bytes = (double)seen->retransmitted_bytes;
	flow->completion_us = known((double)seen->completion_ns / 1e3);
	flow->rtt_p50_us = known(seen->rtt_p50_us);
	flow->rtt_p99_us = known(seen->rtt_p99_us);
	flow->min_rtt_us = known(seen->min_rtt_us);
	flow->mss_bytes = known(seen->mss_bytes);
	flow->cwnd_mean_pkts = known(seen->cwnd_mean_pkts);
	flow->snd_wnd_max_bytes = known(seen->snd_wnd_max_bytes);
	flow->requests = known((double)seen->requests);
	flow->is_stalled = seen->is_stalled;
	flow->has_failed = seen->has_failed;
}

static int fill_flows(const struct compare_part *part, struct out_round *round)
{
	const struct lab_result *result = part->result;
	uint32_t i, count = count_flows(part);

	round->flows = calloc(count + 1, sizeof(*round->flows));
	if (!round->flows)
		return -ENOMEM;
	for (i = 0; i < result->flow_count; i++) {
		if (is_part(part, &result->flows[i]))
			fill_flow(&result->flows[i], i,
				  &round->flows[round->flow_count++]);
	}
	return 0;
}

static void fill_sample(const struct lab_sample *seen,
			struct out_sample *sample)
{
	*sample = (struct out_sample){
		.time_ms = seen->time_ms,
		.flow = seen->flow,
		.cwnd_pkts = seen->cwnd_pkts,
		.ssthresh_pkts = seen->ssthresh_pkts < SSTHRESH_NONE
				     ? (double)seen->ssthresh_pkts
				     : NAN,
		.rtt_us = seen->rtt_us,
		.min_rtt_us = known(seen->min_rtt_us),
		.inflight_pkts = seen->inflight_pkts,
		.lost_pkts = seen->lost_pkts,
		.retrans_pkts = seen->retrans_pkts,
		.delivery_rate_bps = (double)seen->delivery_rate_bps,
		.pacing_rate_bps = (double)seen->pacing_rate_bps,
		.received_bytes = (double)seen->received_bytes,
		.bytes_acked = (double)seen->bytes_acked,
		.bytes_sent = (double)seen->bytes_sent,
		.bytes_retransmitted = (double)seen->bytes_retransmitted,
		.bbr_bw_bps = NAN,
		.bbr_min_rtt_us = NAN,
		.bbr_pacing_gain = NAN,
		.bbr_cwnd_gain = NAN,
	};
	if (!seen->has_bbr)
		return;
	sample->bbr_bw_bps = (double)seen->bbr_bw_bps;
	sample->bbr_min_rtt_us = seen->bbr_min_rtt_us;
	sample->bbr_pacing_gain = seen->bbr_pacing_gain_x256 / 256.0;
	sample->bbr_cwnd_gain = seen->bbr_cwnd_gain_x256 / 256.0;
}

static int fill_samples(const struct compare_part *part,
			struct out_round *round)
{
	const struct lab_result *result = part->result;
	const struct lab_sample *seen = result->samples;
	uint32_t i;

	round->samples =
	    calloc(result->sample_count + 1ul, sizeof(*round->samples));
	if (!round->samples)
		return -ENOMEM;
	for (i = 0; i < result->sample_count; i++, seen++) {
		if (seen->flow < result->flow_count &&
		    is_part(part, &result->flows[seen->flow]))
			fill_sample(seen,
				    &round->samples[round->sample_count++]);
	}
	return 0;
}

/* Sum over the flows of a member; what is not known does not count. */
static double sum_of(const struct out_round *round, size_t offset)
{
	double sum = NAN, value;
	uint32_t i;

	for (i = 0; i < round->flow_count; i++) {
		value = *(const double *)(const void *)((const char *)&round
							    ->flows[i] +
							offset);
		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

static double median_of(const struct out_round *round, size_t offset)
{
	double *values = calloc(round->flow_count + 1ul, sizeof(*values));
	struct diag_spread spread;
	uint32_t i;

	if (!values)
		return NAN;
	for (i = 0; i < round->flow_count; i++)
		values[i] = *(const double *)(const void *)((const char *)&round
								->flows[i] +
							    offset);
	spread = diag_spread_of(values, round->flow_count);
	free(values);
	return spread.median;
}

#define SUM(round, member) sum_of(round, offsetof(struct out_flow, member))
#define MEDIAN(round, member)                                                  \
	median_of(round, offsetof(struct out_flow, member))

/* A transfer of several flows is over with the last of them; one that did not
 * complete makes it unknown. */
static double completion_of(const struct out_round *round)
{
	double last = 0;
	uint32_t i;

	for (i = 0; i < round->flow_count; i++) {
		if (isnan(round->flows[i].completion_us))
			return NAN;
		last = fmax(last, round->flows[i].completion_us);
	}
	return known(last);
}

static void fill_sums(const struct compare_part *part, struct out_round *round)
{
	round->goodput_bps = SUM(round, goodput_bps);
	round->received_bytes = SUM(round, received_bytes);
	round->sent_bytes = SUM(round, sent_bytes);
	round->retransmitted_bytes = SUM(round, retransmitted_bytes);
	round->retransmitted_share =
	    share(round->retransmitted_bytes, round->sent_bytes);
	round->completion_us = completion_of(round);
	round->share_of_link = share(
	    round->goodput_bps,
	    compare_bottleneck(part->plan, round->completion_us).mean_bps);
	round->rtt_p50_us = MEDIAN(round, rtt_p50_us);
	round->rtt_p99_us = MEDIAN(round, rtt_p99_us);
	round->min_rtt_us = MEDIAN(round, min_rtt_us);
	round->cwnd_mean_pkts = MEDIAN(round, cwnd_mean_pkts);
}

static void fill_windows(const struct compare_part *part,
			 struct out_round *round)
{
	double busy = 0, rwnd = 0, sndbuf = 0;
	const struct lab_flow_result *flow;
	uint32_t i;

	for (i = 0; i < part->result->flow_count; i++) {
		flow = &part->result->flows[i];
		if (!is_part(part, flow))
			continue;
		busy += (double)flow->busy_us;
		rwnd += (double)flow->rwnd_limited_us;
		sndbuf += (double)flow->sndbuf_limited_us;
	}
	round->rwnd_limited_share = share(rwnd, busy);
	round->sndbuf_limited_share = share(sndbuf, busy);
	round->rwnd_ceiling_bps =
	    diag_window_bps(SUM(round, snd_wnd_max_bytes), round->rtt_p50_us);
}

/* What the machine did; a simulation's does not matter. */
static void fill_machine(const struct compare_part *part,
			 struct out_round *round)
{
	const struct lab_result *result = part->result;
	bool is_shared = part->plan->options->together;

	if (part->plan->is_sim) {
		round->sender_cpu_s = round->receiver_cpu_s = NAN;
		round->cpu_s = round->emulator_cpu_s = round->wall_s = NAN;
		round->lateness_mean_ns = round->lateness_p99_ns = NAN;
		return;
	}
	round->sender_cpu_s = is_shared ? NAN : result->sender_cpu_s;
	round->receiver_cpu_s = is_shared ? NAN : result->receiver_cpu_s;
	round->cpu_s = round->sender_cpu_s + round->receiver_cpu_s;
	round->emulator_cpu_s = result->emulator_cpu_s;
	round->wall_s = result->wall_s;
	round->lateness_mean_ns = (double)result->lateness_mean_ns;
	round->lateness_p99_ns = (double)result->lateness_p99_ns;
}

/* Counters that belong to the round as a whole. */
static void fill_world(const struct compare_part *part, struct out_round *round)
{
	const struct lab_result *result = part->result;
	const struct lab_way_result *way =
	    &result->way[compare_data_way(part->plan)];

	round->packets = (double)way->packets;
	round->lost_by_model = (double)way->lost_by_model;
	round->lost_by_queue = (double)way->lost_by_queue;
	round->lost_outside =
	    (double)(result->way[0].lost_outside + result->way[1].lost_outside);
	round->is_valid = result->is_valid && result->error.status == 0;
	(void)snprintf(round->note_text, sizeof(round->note_text), "%.*s",
		       OUT_NOTE_BYTES - 1,
		       result->error.status ? result->error.text
					    : result->note);
	round->note = round->note_text[0] ? round->note_text : NULL;
}

static void name_limits(const struct compare_part *part,
			struct out_round *round)
{
	enum diag_limit limit = compare_round_limit(part, round);
	uint32_t i;

	for (i = 0; i < round->flow_count; i++)
		round->flows[i].limited_by =
		    diag_limit_word(compare_flow_limit(part, round, i));
	round->limit = (int)limit;
	round->limited_by = diag_limit_word(limit);
}

int compare_round_fill(const struct compare_part *part, bool has_samples,
		       struct out_round *ret_round)
{
	int result = fill_flows(part, ret_round);

	if (result == 0 && has_samples)
		result = fill_samples(part, ret_round);
	if (result < 0)
		return result;
	fill_sums(part, ret_round);
	fill_windows(part, ret_round);
	fill_machine(part, ret_round);
	fill_world(part, ret_round);
	name_limits(part, ret_round);
	return 0;
}

void compare_round_fini(struct out_round *round)
{
	free(round->flows);
	free(round->samples);
	round->flows = NULL;
	round->samples = NULL;
}
