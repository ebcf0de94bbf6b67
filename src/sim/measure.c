/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/muldiv.h"
#include "sim/integer.h"

/* A flow with data outstanding that delivers nothing for so long has stalled;
 * the lab gives up then. */
#define MEASURE_STALL_NS     (10 * NS_PER_S)
#define MEASURE_SAMPLES_ROOM 1024u

/* --- RTTs by octaves -------------------------------------------------------
 */

/* Octave of the upper bits, and the next six: 0 … 127 are themselves. */
static uint32_t histogram_bucket(uint32_t us)
{
	uint32_t octave = 0;

	if (us >= 2 * WORLD_OCTAVE_BUCKETS)
		octave = 25 - (uint32_t)__builtin_clz(us);
	return octave * WORLD_OCTAVE_BUCKETS + (us >> octave);
}

/* The middle of a bucket. */
static uint32_t histogram_value(uint32_t bucket)
{
	uint32_t octave = bucket / WORLD_OCTAVE_BUCKETS;

	if (octave < 2)
		return bucket;
	octave--;
	bucket -= octave * WORLD_OCTAVE_BUCKETS;
	return (bucket << octave) + (UINT32_C(1) << octave) / 2;
}

/* The nearest rank, as the lab's; 0: nothing was counted. */
static uint32_t histogram_quantile(const struct world_histogram *histogram,
				   uint32_t per_cent)
{
	uint64_t count = 0, rank, seen = 0;
	uint32_t bucket = 0;

	for (uint32_t i = 0; i < WORLD_BUCKETS; i++)
		count += histogram->counts[i];
	if (count == 0)
		return 0;
	rank = (count * per_cent + 99) / 100;
	while ((seen += histogram->counts[bucket]) < rank)
		bucket++;
	return histogram_value(bucket);
}

/* --- While it runs ---------------------------------------------------------
 */

void world__count(struct world_flow *flow, uint32_t cwnd_pkts, uint32_t rtt_us)
{
	flow->cwnd_sum += cwnd_pkts;
	flow->cwnd_count++;
	if (rtt_us != 0)
		flow->rtts->counts[histogram_bucket(rtt_us)]++;
}

void world__begin_measuring(struct sim_world *world)
{
	world->is_measuring = true;
	world->measure_ns = world->now_ns;
	for (uint32_t i = 0; i < world->config->flow_count; i++) {
		struct world_flow *flow = &world->flows[i];

		flow->warmup_bytes = sim_receiver_bytes(flow->receiver);
		if (flow->cwnd_count != 0)
			memset(flow->rtts, 0, sizeof(*flow->rtts));
		flow->cwnd_sum = 0;
		flow->cwnd_count = 0;
		flow->has_rtt = flow->has_rtt && flow->is_done;
	}
}

static int measure_reserve(struct sim_world *world)
{
	uint32_t room = world->sample_room != 0 ? 2 * world->sample_room
						: MEASURE_SAMPLES_ROOM;
	struct fp_sim_sample *samples;

	if (world->sample_count < world->sample_room)
		return 0;
	samples = realloc(world->samples, (size_t)room * sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	world->samples = samples;
	world->sample_room = room;
	return 0;
}

int world__sample(struct sim_world *world)
{
	for (uint32_t i = 0; i < world->config->flow_count; i++) {
		struct world_flow *flow = &world->flows[i];
		struct fp_sim_sample *sample;
		int result;

		if (!flow->has_started || flow->is_done)
			continue;
		result = measure_reserve(world);
		if (result)
			return result;
		sample = &world->samples[world->sample_count++];
		memset(sample, 0, sizeof(*sample));
		sim_sender_sample(flow->sender, world->now_ns, sample);
		sample->flow = i;
		sample->time_ns = world->now_ns;
		sample->received_bytes = sim_receiver_bytes(flow->receiver);
		/* an old mean says nothing of the time that is measured */
		world__count(flow, sample->cwnd_pkts,
			     flow->has_rtt ? sample->rtt_us : 0);
	}
	return 0;
}

/* --- At the end ------------------------------------------------------------
 */

static uint64_t rate_bps(uint64_t bytes, uint64_t ns)
{
	return ns != 0 ? fp_muldiv(8 * bytes, NS_PER_S, ns) : 0;
}

static bool measure_is_stalled(const struct world_flow *flow)
{
	const struct sim_world *world = flow->world;
	bool has_more =
	    sim_receiver_next(flow->receiver) <
	    sim_max(sim_sender_next(flow->sender), flow->source.supply.end);

	return flow->has_started && !flow->is_done &&
	       (has_more || flow->answered < flow->requests) &&
	       world->now_ns - flow->progress_ns >= MEASURE_STALL_NS;
}

static void measure_flow(const struct world_flow *flow, uint64_t measured_ns,
			 struct fp_sim_flow_result *result)
{
	const struct sim_world *world = flow->world;
	struct fp_sim_sample now = { .flow = flow->number };

	sim_sender_get_result(flow->sender, world->now_ns, result);
	sim_sender_sample(flow->sender, world->now_ns, &now);
	result->received_bytes = sim_receiver_bytes(flow->receiver);
	result->measured_bytes = result->received_bytes - flow->warmup_bytes;
	result->goodput_bps = rate_bps(result->measured_bytes, measured_ns);
	result->completion_ns = flow->completion_ns;
	if (flow->completion_ns != 0)
		result->goodput_bps =
		    rate_bps(result->received_bytes, flow->completion_ns);
	result->requests = flow->answered;
	result->rtt_p50_us = histogram_quantile(flow->rtts, 50);
	result->rtt_p99_us = histogram_quantile(flow->rtts, 99);
	result->min_rtt_us = flow->has_rtt ? now.min_rtt_us : 0;
	if (flow->cwnd_count != 0)
		result->cwnd_mean_pkts =
		    (uint32_t)(flow->cwnd_sum / flow->cwnd_count);
	result->is_stalled = measure_is_stalled(flow);
}

int world__get_result(struct sim_world *world, struct fp_sim_result *ret_result)
{
	const struct fp_sim_config *config = world->config;
	struct fp_sim_result result = {
		.end_ns = world->now_ns,
		.events = world->events,
		.flow_count = config->flow_count,
		.sample_count = world->sample_count,
	};

	result.flows = calloc(config->flow_count, sizeof(*result.flows));
	if (!result.flows)
		return -ENOMEM;
	/* over before the warm-up was: all of it counts, as in the lab */
	result.measured_ns =
	    world->now_ns - (world->is_measuring ? world->measure_ns : 0);
	for (uint32_t i = 0; i < 2; i++)
		sim_wire_get_result(&world->wires[i], &config->way[i],
				    &result.way[i]);
	for (uint32_t i = 0; i < config->flow_count; i++)
		measure_flow(&world->flows[i], result.measured_ns,
			     &result.flows[i]);
	result.samples = world->samples;
	world->samples = NULL;
	*ret_result = result;
	return 0;
}

void fp_sim_result_fini(struct fp_sim_result *result)
{
	free(result->flows);
	free(result->samples);
	result->flows = NULL;
	result->samples = NULL;
}
