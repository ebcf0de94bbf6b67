/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_SIM_RANDOM_H
#define TESTS_UNIT_SIM_RANDOM_H

/*
 * Scenarios drawn from a source of numbers, and one number for all that a run
 * shows. No test framework: tests, the fuzzer and the comparison of compilers
 * use it.
 */
#include "fullpipe/sim.h"
#include "base/prng.h"

#include <string.h>

#define RANDOM_FLOWS_MAX 5
#define RANDOM_MS        UINT64_C(1000000)

/* Where numbers come from: draw() returns one below end (> 0). */
struct random_source {
	uint64_t (*draw)(struct random_source *source, uint64_t end);
	struct fp_prng prng;
	const uint8_t *data; /* a fuzzer's */
	size_t bytes;
};

struct random_scenario {
	struct fp_sim_config config;
	struct fp_sim_flow flows[RANDOM_FLOWS_MAX];
	struct fp_rate_step steps[3];
	uint64_t numbers[4];
};

static inline uint64_t random_below(struct random_source *source, uint64_t end)
{
	return source->draw(source, end);
}

/* Half of the time 0, else one of count numbers from least on. (There are never
 * two draws in one expression: compilers may take them in any order.) */
static inline uint64_t random_maybe(struct random_source *source,
				    uint64_t least, uint64_t count)
{
	if (random_below(source, 2) == 0)
		return 0;
	return least + random_below(source, count);
}

/* Mostly nothing, now and then much. */
static inline uint32_t random_ppm(struct random_source *source)
{
	static const uint32_t choices[] = { 0, 100, 10000, 50000, 300000 };

	return choices[random_below(source, 5)];
}

static inline void random_loss(struct random_source *source,
			       struct random_scenario *scenario,
			       struct fp_loss_config *loss)
{
	loss->model = (enum fp_loss_model)random_below(source, 5);
	loss->unit = (enum fp_loss_unit)random_below(source, 2);
	loss->marks_ecn = random_below(source, 4) == 0;
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		loss->random.probability_ppm = random_ppm(source);
		loss->random.correlation_ppm = random_ppm(source);
		break;
	case FP_LOSS_PERIODIC:
		loss->periodic.every_pkts =
		    2 + (uint32_t)random_below(source, 200);
		break;
	case FP_LOSS_GEMODEL:
		loss->gemodel.p_ppm = random_ppm(source) / 10;
		loss->gemodel.r_ppm = 300000;
		loss->gemodel.h_loss_ppm = 800000;
		break;
	case FP_LOSS_STATE:
		loss->state.p13_ppm = random_ppm(source) / 10;
		loss->state.p31_ppm = 400000;
		loss->state.p32_ppm = 200000;
		loss->state.p23_ppm = random_ppm(source);
		break;
	case FP_LOSS_LIST:
		for (uint64_t i = 0; i < 4; i++)
			scenario->numbers[i] =
			    1 + 50 * i + random_below(source, 50);
		loss->list.numbers = scenario->numbers;
		loss->list.count = 4;
		break;
	}
}

static inline void random_link(struct random_source *source,
			       struct random_scenario *scenario,
			       struct fp_link_config *link)
{
	struct fp_queue_config *queue = &link->queue;

	link->rate.kind = (enum fp_rate_kind)random_below(source, 3);
	link->rate.rate_bps = 300000 + random_below(source, 40000000);
	link->rate.overhead_bytes = (int32_t)random_below(source, 40);
	link->rate.steps = scenario->steps;
	link->rate.step_count = 3;
	queue->qdisc = (enum fp_qdisc)random_below(source, 4);
	queue->limit_pkts = (uint32_t)random_maybe(source, 1, 100);
	queue->limit_bytes = random_maybe(source, 66000, 100000);
	queue->marks_ecn = random_below(source, 2);
	queue->red_min_bytes = 10000;
	queue->red_max_bytes = 40000;
	queue->red_probability_ppm = 100000;
	queue->red_weight_shift = 6;
	queue->flow_queues = 1 + (uint32_t)random_below(source, 16);
}

static inline void random_delay(struct random_source *source,
				struct fp_delay_config *delay)
{
	delay->delay_ns = random_below(source, 30) * RANDOM_MS;
	delay->jitter_ns = random_maybe(source, 0, 4) * RANDOM_MS;
	delay->dist = (enum fp_dist)random_below(source, 4);
	delay->keeps_order = random_below(source, 2);
}

static inline void random_stage(struct random_source *source,
				struct random_scenario *scenario,
				struct fp_stage_config *stage)
{
	stage->kind = (enum fp_stage_kind)random_below(source, 7);
	switch (stage->kind) {
	case FP_STAGE_DUPLICATE:
	case FP_STAGE_CORRUPT:
		stage->chance.probability_ppm = random_ppm(source) / 4;
		break;
	case FP_STAGE_LOSS:
		random_loss(source, scenario, &stage->loss);
		break;
	case FP_STAGE_POLICER:
		stage->policer.rate_bps =
		    1000000 + random_below(source, 40000000);
		stage->policer.burst_bytes =
		    66000 + random_below(source, 200000);
		break;
	case FP_STAGE_LINK:
		random_link(source, scenario, &stage->link);
		break;
	case FP_STAGE_REORDER:
		stage->reorder.probability_ppm = random_ppm(source);
		stage->reorder.gap_pkts = (uint32_t)random_below(source, 4);
		break;
	case FP_STAGE_DELAY:
		random_delay(source, &stage->delay);
		break;
	}
}

/* Ends with a delay, so that time passes and bursts can join. */
static inline void random_way(struct random_source *source,
			      struct random_scenario *scenario, uint32_t number)
{
	struct fp_path_config *way = &scenario->config.way[number];
	struct fp_stage_config *last;

	way->seed = random_below(source, 1000);
	way->direction = number;
	way->l2_bytes = 14;
	way->merge_ns = random_below(source, 2) * RANDOM_MS;
	if (random_below(source, 20) == 0)
		way->capacity_pkts = 1 + (uint32_t)random_below(source, 60);
	way->stage_count = 2 + (uint32_t)random_below(source, 4);
	for (uint32_t i = 0; i + 2 < way->stage_count; i++)
		random_stage(source, scenario, &way->stages[i]);
	/* and every path has a link, so that work is bounded */
	last = &way->stages[way->stage_count - 2];
	last->kind = FP_STAGE_LINK;
	random_link(source, scenario, &last->link);
	last->link.rate.kind = FP_RATE_CONSTANT;
	last++;
	last->kind = FP_STAGE_DELAY;
	last->delay.delay_ns = (1 + random_below(source, 60)) * RANDOM_MS;
}

static inline void random_flow(struct random_source *source,
			       struct fp_sim_flow *flow, uint64_t end_ns)
{
	static const char *const names[] = { "reno", "cubic", "bbr", "bbr3",
					     "cubic:rfc9438" };

	/* not each one is known to every build */
	if (fp_cc_parse(names[random_below(source, 5)], &flow->cc))
		(void)fp_cc_parse("reno", &flow->cc);
	flow->source.kind = (enum fp_sim_source_kind)random_below(source, 5);
	flow->source.bytes = 1 + random_below(source, 300000);
	flow->source.request_bytes = random_below(source, 500);
	flow->source.on_ns = (1 + random_below(source, 300)) * RANDOM_MS;
	flow->source.off_ns = random_below(source, 300) * RANDOM_MS;
	flow->source.rate_bps = 100000 + random_below(source, 10000000);
	flow->starts_open = random_below(source, 2);
	flow->start_ns = random_maybe(source, 0, end_ns);
	if (random_below(source, 4) == 0)
		flow->stop_ns =
		    flow->start_ns + 1 + random_below(source, end_ns);
}

static inline void random_hosts(struct random_source *source,
				struct fp_sim_tcp *tcp)
{
	static const uint16_t clocks[] = { 0, 100, 250, 300, 1000 };

	/* each part is there most of the time */
	tcp->without = (uint32_t)random_maybe(source, 0, 65536);
	tcp->without &= (uint32_t)random_below(source, 65536);

	tcp->has_ecn = random_below(source, 2);
	tcp->clock_hz = clocks[random_below(source, 5)];
	tcp->ack_every_pkts = (uint32_t)random_maybe(source, 1, 8);
	tcp->initial_cwnd_pkts = (uint32_t)random_below(source, 40);
	tcp->delayed_ack_ns = random_maybe(source, 0, 200) * RANDOM_MS;
	tcp->rmem_max_bytes = random_maybe(source, 200000, 4000000);
	tcp->wmem_max_bytes = random_maybe(source, 200000, 4000000);
	tcp->window_share_x256 = (uint16_t)(100 + random_below(source, 150));
}

/* Draws a scenario of at most total_ms; it may be one that is refused. */
static inline void random_scenario_init(struct random_scenario *scenario,
					struct random_source *source,
					uint64_t total_ms)
{
	static const uint32_t mtus[] = { 576, 1280, 1500, 9000, 65535 };
	struct fp_sim_config *config = &scenario->config;

	memset(scenario, 0, sizeof(*scenario));
	for (uint64_t i = 0; i < 3; i++) {
		scenario->steps[i].at_ns =
		    (200 * i + random_below(source, 200)) * RANDOM_MS;
		scenario->steps[i].rate_bps = random_below(source, 3) * 4000000;
	}
	config->mtu_bytes = mtus[random_below(source, 5)];
	config->is_ipv6 = random_below(source, 2);
	config->warmup_ns = random_below(source, total_ms) * RANDOM_MS;
	config->duration_ns = total_ms * RANDOM_MS - config->warmup_ns;
	config->sample_ns = random_maybe(source, 1, 200) * RANDOM_MS;
	for (uint32_t i = 0; i < 2; i++)
		random_way(source, scenario, i);
	random_hosts(source, &config->tcp);
	config->flows = scenario->flows;
	config->flow_count =
	    1 + (uint32_t)random_below(source, RANDOM_FLOWS_MAX);
	for (uint32_t i = 0; i < config->flow_count; i++)
		random_flow(source, &scenario->flows[i], total_ms * RANDOM_MS);
}

static inline uint64_t random_draw_prng(struct random_source *source,
					uint64_t end)
{
	return fp_prng_next(&source->prng) % end;
}

static inline void random_source_init(struct random_source *source,
				      uint64_t seed)
{
	memset(source, 0, sizeof(*source));
	source->draw = random_draw_prng;
	fp_prng_init(&source->prng, seed, 0);
}

/* --- One number for all that was seen --------------------------------------
 */

/* FNV-1a, a word at a time: padding bytes never enter. */
static inline void hash_add(uint64_t *hash, uint64_t word)
{
	for (int i = 0; i < 8; i++) {
		*hash ^= word >> 8 * i & 255;
		*hash *= UINT64_C(0x100000001b3);
	}
}

static inline void hash_text(uint64_t *hash, const char *text)
{
	for (; text && *text; text++)
		hash_add(hash, (uint8_t)*text);
}

static inline void hash_packet(uint64_t *hash,
			       const struct fp_sim_packet *packet)
{
	hash_add(hash, packet->time_ns);
	hash_add(hash, packet->flow);
	hash_add(hash, (uint64_t)packet->side << 32 |
			   (uint64_t)packet->is_sent << 24 |
			   (uint64_t)packet->is_corrupted << 16 |
			   (uint64_t)packet->flags << 8 | packet->ecn);
	hash_add(hash, packet->seq_bytes);
	hash_add(hash, packet->ack_bytes);
	hash_add(hash, packet->payload_bytes);
	hash_add(hash, packet->window_bytes);
	hash_add(hash, packet->len_bytes);
	hash_add(hash, (uint64_t)packet->tsval_ms << 32 | packet->tsecr_ms);
	for (uint32_t i = 0; i < packet->sack_count; i++) {
		hash_add(hash, packet->sack_bytes[i][0]);
		hash_add(hash, packet->sack_bytes[i][1]);
	}
}

static inline void hash_event(uint64_t *hash, const struct fp_sim_event *event)
{
	hash_add(hash, event->time_ns);
	hash_add(hash, (uint64_t)event->flow << 32 | event->kind);
	hash_add(hash, event->seq_pkts);
	hash_add(hash, event->pkts);
	hash_text(hash, event->reason);
	hash_text(hash, event->ca_state);
	hash_text(hash, event->cc_state);
	hash_add(hash, (uint64_t)event->cwnd_pkts << 32 | event->ssthresh_pkts);
	hash_add(hash, (uint64_t)event->srtt_us << 32 | event->inflight_pkts);
	hash_add(hash, event->pacing_rate_bytes_per_s);
	hash_add(hash, (uint64_t)(uint32_t)event->sample.delivered_pkts << 32 |
			   (uint32_t)event->sample.interval_us);
	hash_add(hash, event->model.bw_bytes_per_s);
}

static inline void hash_result(uint64_t *hash,
			       const struct fp_sim_result *result)
{
	hash_add(hash, result->end_ns);
	hash_add(hash, result->events);
	for (uint32_t i = 0; i < result->flow_count; i++) {
		const struct fp_sim_flow_result *flow = &result->flows[i];

		hash_add(hash, flow->received_bytes);
		hash_add(hash, flow->measured_bytes);
		hash_add(hash, flow->goodput_bps);
		hash_add(hash, flow->sent_bytes);
		hash_add(hash, flow->lost_pkts);
		hash_add(hash, flow->spurious_pkts);
		hash_add(hash, flow->completion_ns);
		hash_add(hash, flow->busy_us);
		hash_add(hash,
			 (uint64_t)flow->rtt_p50_us << 32 | flow->rtt_p99_us);
		hash_add(hash, (uint64_t)flow->cwnd_mean_pkts << 32 |
				   flow->min_rtt_us);
	}
	for (uint32_t i = 0; i < result->sample_count; i++) {
		hash_add(hash, result->samples[i].time_ns);
		hash_add(hash, result->samples[i].received_bytes);
		hash_add(hash, result->samples[i].pacing_rate_bps);
		hash_add(hash, (uint64_t)result->samples[i].cwnd_pkts << 32 |
				   result->samples[i].rtt_us);
	}
}

#endif
