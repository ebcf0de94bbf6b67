/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/sample.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Below this a look costs more than it shows: the kernel's own RTT clock
 * moves once an ACK. */
#define INTERVAL_MIN_NS 1000000u

uint64_t lab_sample_interval_ns(uint64_t sample_ns, uint64_t total_ns,
				uint32_t flows)
{
	uint64_t looks_max = LAB_SAMPLES_MAX / (flows ? flows : 1);
	uint64_t least_ns;

	/* two looks are spoken for: the first and the last */
	least_ns = looks_max > 3 ? total_ns / (looks_max - 3) + 1 : total_ns;
	if (sample_ns < INTERVAL_MIN_NS)
		sample_ns = INTERVAL_MIN_NS;
	return sample_ns > least_ns ? sample_ns : least_ns;
}

uint32_t lab_sample_capacity(uint64_t interval_ns, uint64_t total_ns,
			     uint32_t flows)
{
	uint64_t looks = total_ns / interval_ns + 2;
	uint64_t capacity = looks * flows;

	return capacity > LAB_SAMPLES_MAX ? LAB_SAMPLES_MAX
					  : (uint32_t)capacity;
}

/* What tcp_packets_in_flight() of the kernel computes. */
static uint32_t in_flight(const struct sock_tcp_info *info)
{
	uint64_t sent = (uint64_t)info->unacked_pkts + info->retrans_pkts;
	uint64_t left = (uint64_t)info->sacked_pkts + info->lost_pkts;

	return sent > left ? (uint32_t)(sent - left) : 0;
}

void lab_sample_from_info(const struct sock_tcp_info *info,
			  struct lab_sample *sample)
{
	sample->cwnd_pkts = info->snd_cwnd_pkts;
	sample->ssthresh_pkts = info->snd_ssthresh_pkts;
	sample->rtt_us = info->rtt_us;
	sample->rttvar_us = info->rttvar_us;
	sample->min_rtt_us = info->min_rtt_us;
	sample->inflight_pkts = in_flight(info);
	sample->lost_pkts = info->lost_pkts;
	sample->retrans_pkts = info->total_retrans_pkts;
	sample->delivery_rate_bps = info->delivery_rate_bps;
	sample->pacing_rate_bps = info->pacing_rate_bps;
	sample->bytes_acked = info->bytes_acked;
	sample->bytes_sent = info->bytes_sent;
	sample->bytes_retransmitted = info->bytes_retrans;
}

uint32_t lab_percentile(const uint32_t *sorted, uint32_t count,
			uint32_t percent)
{
	uint64_t rank = ((uint64_t)count * percent + 99) / 100;

	if (!count)
		return 0;
	return sorted[rank ? rank - 1 : 0];
}

static int compare_u32(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* Samples of one flow lie anywhere in the array; next[] chains them, so that
 * a thousand flows do not mean a thousand passes over a million samples. */
struct chains {
	const struct lab_sample *samples;
	uint32_t *first; /* of each flow: number of a sample + 1; 0: none */
	uint32_t *next;  /* of each sample: the same */
	uint32_t *rtts;  /* scratch */
};

static void chain_up(struct chains *chains, uint32_t sample_count,
		     uint32_t flow_count)
{
	uint32_t i;

	for (i = sample_count; i-- > 0;) {
		uint32_t flow = chains->samples[i].flow;

		if (flow >= flow_count)
			continue;
		chains->next[i] = chains->first[flow];
		chains->first[flow] = i + 1;
	}
}

/* Returns how many samples of the chain were taken at from_ms or later. */
static uint32_t collect(const struct chains *chains, uint32_t link,
			uint32_t from_ms, uint64_t *ret_cwnd_sum)
{
	uint32_t count = 0;

	*ret_cwnd_sum = 0;
	for (; link; link = chains->next[link - 1]) {
		const struct lab_sample *sample = &chains->samples[link - 1];

		if (sample->time_ms < from_ms || !sample->rtt_us)
			continue;
		chains->rtts[count++] = sample->rtt_us;
		*ret_cwnd_sum += sample->cwnd_pkts;
	}
	return count;
}

static void sum_up_flow(const struct chains *chains, uint32_t link,
			uint32_t from_ms, struct lab_flow_result *flow)
{
	uint64_t cwnd_sum;
	uint32_t count = collect(chains, link, from_ms, &cwnd_sum);

	if (!count)
		count = collect(chains, link, 0, &cwnd_sum);
	if (!count)
		return;
	qsort(chains->rtts, count, sizeof(*chains->rtts), compare_u32);
	flow->rtt_p50_us = lab_percentile(chains->rtts, count, 50);
	flow->rtt_p99_us = lab_percentile(chains->rtts, count, 99);
	flow->cwnd_mean_pkts = (uint32_t)(cwnd_sum / count);
}

int lab_sample_sum_up(const struct lab_sample *samples, uint32_t sample_count,
		      uint32_t from_ms, struct lab_flow_result *flows,
		      uint32_t flow_count)
{
	struct chains chains = { .samples = samples };
	int status = -ENOMEM;
	uint32_t i;

	chains.first = calloc(flow_count + 1, sizeof(*chains.first));
	chains.next = calloc(sample_count + 1, sizeof(*chains.next));
	chains.rtts = calloc(sample_count + 1, sizeof(*chains.rtts));
	if (chains.first && chains.next && chains.rtts) {
		chain_up(&chains, sample_count, flow_count);
		for (i = 0; i < flow_count; i++)
			sum_up_flow(&chains, chains.first[i], from_ms,
				    &flows[i]);
		status = 0;
	}
	free(chains.first);
	free(chains.next);
	free(chains.rtts);
	return status;
}
