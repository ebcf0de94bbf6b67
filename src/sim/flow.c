/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A flow in its world: both ends, the applications, and what goes from the one
 * to the other.
 */
#include "sim/scenario.h"
#include "sim/world.h"

#include <errno.h>

#include "base/prng.h"
#include "sim/integer.h"
#include "sim/prefetch.h"

/* Draws of senders are a stream of their own, away from those of stages. */
#define FLOW_PURPOSE (UINT64_C(0x73656e64) << 32)

/* --- What the ends send ----------------------------------------------------
 */

static void flow_push(struct world_flow *flow,
		      const struct sim_segment *segment, struct fp_pkt *pkt)
{
	struct sim_world *world = flow->world;
	bool is_back = segment->is_back;

	pkt->time_ns = world->now_ns;
	pkt->len_bytes = world__length_bytes(world, segment);
	pkt->flow = flow->number;
	world->events++;
	if (world->has_packet_watch)
		world__watch_packet(world, segment,
				    is_back ? FP_SIM_RECEIVER : FP_SIM_SENDER,
				    pkt);
	if (sim_wire_push(&world->wires[is_back], segment, pkt))
		world->result = -ENOMEM;
}

/* Bursts are numbered over all flows: the path knows no others. RFC
 * 3168, 6.1.5: what is sent again is not marked as capable. */
static void flow_transmit_forward(void *context,
				  const struct sim_segment *segment,
				  uint64_t now_ns)
{
	struct world_flow *flow = context;
	struct sim_world *world = flow->world;
	struct fp_pkt pkt = { .index = segment->index };
	struct sim_segment last;

	if (segment->index == 0 || segment->unit != flow->last_unit)
		flow->unit = world->units++;
	flow->last_unit = segment->unit;
	pkt.unit = flow->unit;
	if (world->tcp.has_ecn && segment->payload_bytes != 0 &&
	    !segment->is_retrans)
		pkt.ecn = FP_ECN_ECT0;
	if (flow->source.supply.is_finished && segment->payload_bytes != 0 &&
	    segment->seq + 1 == flow->source.supply.end) {
		last = *segment;
		last.is_fin = true;
		segment = &last;
	}
	flow_push(flow, segment, &pkt);
}

static void flow_transmit_back(void *context, const struct sim_segment *segment,
			       uint64_t now_ns)
{
	struct world_flow *flow = context;
	struct fp_pkt pkt = { .unit = flow->world->units++ };

	flow_push(flow, segment, &pkt);
}

/* --- Making ----------------------------------------------------------------
 */

static struct sim_receiver *flow_make_receiver(struct world_flow *flow)
{
	const struct sim_world *world = flow->world;
	const struct fp_sim_flow *config = &world->config->flows[flow->number];
	struct sim_receiver_config receiver = {
		.flow = flow->number,
		.mss_bytes = world->mss_bytes,
		.tcp = world->tcp,
		.starts_open = config->starts_open,
		.open_rtt_us = sim_scenario_rtt_us(world->config),
		.port = { .transmit = flow_transmit_back, .context = flow },
	};

	if (config->source.kind == FP_SIM_REQUESTS)
		receiver.request_bytes = sim_source_request_bytes(config);
	return sim_receiver_new(&receiver);
}

static struct sim_sender *flow_make_sender(struct world_flow *flow)
{
	const struct sim_world *world = flow->world;
	const struct fp_sim_flow *config = &world->config->flows[flow->number];
	struct fp_prng prng;
	struct sim_sender_config sender = {
		.flow = flow->number,
		.mss_bytes = world->mss_bytes,
		.cc = &config->cc,
		.tcp = world->tcp,
		.starts_open = config->starts_open,
		.open_rtt_us = sim_scenario_rtt_us(world->config),
		.open_window_bytes = sim_receiver_window_bytes(flow->receiver),
		.watch = &world->config->watch,
		.port = { .transmit = flow_transmit_forward, .context = flow },
	};

	fp_prng_init(&prng, world->config->way[0].seed,
		     FLOW_PURPOSE | flow->number);
	sender.seed = prng.key;
	return sim_sender_new(&sender);
}

static void flow_set_timer(struct world_flow *flow, enum fp_sim_side side)
{
	uint64_t at_ns;

	if (side == FP_SIM_SENDER)
		at_ns = sim_min(sim_sender_wake_ns(flow->sender),
				flow->source.wake_ns);
	else
		at_ns = sim_min(sim_receiver_wake_ns(flow->receiver),
				flow->request_at_ns);
	sim_timers_set(&flow->world->timers, 2 * flow->number + side, at_ns);
}

int world__init_flow(struct sim_world *world, uint32_t number)
{
	struct world_flow *flow = &world->flows[number];

	flow->world = world;
	flow->number = number;
	flow->rtts = &world->rtts[number];
	flow->request_at_ns = FP_TIME_NEVER;
	sim_source_init(&flow->source, &world->config->flows[number],
			world->mss_bytes);
	flow->receiver = flow_make_receiver(flow);
	if (!flow->receiver)
		return -ENOMEM;
	flow->sender = flow_make_sender(flow);
	if (!flow->sender)
		return -ENOMEM;
	world->ends[number].sender = flow->sender;
	world->ends[number].receiver = flow->receiver;
	sim_timers_set(&world->timers, 2 * number, flow->source.wake_ns);
	return 0;
}

void world__fini_flow(struct world_flow *flow)
{
	sim_sender_free(flow->sender);
	sim_receiver_free(flow->receiver);
}

/* --- The applications ------------------------------------------------------
 */

static const struct fp_sim_flow *flow_config(const struct world_flow *flow)
{
	return flow->source.flow;
}

/* All that was ever to be sent has been acknowledged. */
static void flow_check_done(struct world_flow *flow)
{
	const struct sim_supply *supply = &flow->source.supply;
	uint64_t acked = sim_sender_acked(flow->sender);

	if (!supply->is_finished || flow->is_done || acked < supply->end ||
	    acked < sim_sender_next(flow->sender))
		return;
	flow->is_done = true;
	flow->world->active--;
	world__watch_flow(flow, FP_SIM_EVENT_END);
}

/* The receiver's application asks for the first time as soon as it can. */
static void flow_plan_request(struct world_flow *flow, uint64_t after_ns)
{
	const struct fp_sim_flow *config = flow_config(flow);
	uint64_t at_ns = flow->world->now_ns + after_ns;

	if (config->source.kind != FP_SIM_REQUESTS ||
	    (config->stop_ns != 0 && at_ns >= config->stop_ns))
		return;
	flow->request_at_ns = at_ns;
}

static void flow_start(struct world_flow *flow)
{
	struct sim_world *world = flow->world;

	flow->has_started = true;
	flow->progress_ns = world->now_ns;
	sim_sender_start(flow->sender, world->now_ns);
	if (sim_receiver_is_open(flow->receiver)) {
		flow_plan_request(flow, 0);
		flow_set_timer(flow, FP_SIM_RECEIVER);
	}
}

static void flow_run_source(struct world_flow *flow)
{
	struct sim_world *world = flow->world;
	bool has_changed = sim_source_wake(
	    &flow->source, sim_sender_next(flow->sender), world->now_ns);

	if (!flow->has_started)
		flow_start(flow);
	if (has_changed)
		sim_sender_supply(flow->sender, &flow->source.supply,
				  world->now_ns);
	flow_check_done(flow);
}

static void flow_request(struct world_flow *flow)
{
	flow->request_at_ns = FP_TIME_NEVER;
	flow->requests++;
	sim_receiver_request(flow->receiver, flow->world->now_ns);
}

static void flow_note_reply(struct world_flow *flow)
{
	uint64_t reply_pkts = sim_source_reply_pkts(&flow->source);

	if (flow->answered == flow->requests ||
	    sim_receiver_next(flow->receiver) < flow->requests * reply_pkts)
		return;
	flow->answered = flow->requests;
	flow_plan_request(flow, flow_config(flow)->source.off_ns);
}

/* More has come in order. */
static void flow_note_progress(struct world_flow *flow)
{
	const struct fp_sim_flow *config = flow_config(flow);
	uint64_t now_ns = flow->world->now_ns;

	flow->progress_ns = now_ns;
	if (config->source.kind == FP_SIM_TRANSFER &&
	    flow->completion_ns == 0 &&
	    sim_receiver_bytes(flow->receiver) >= config->source.bytes)
		flow->completion_ns = sim_max(1, now_ns - config->start_ns);
	if (config->source.kind == FP_SIM_REQUESTS)
		flow_note_reply(flow);
}

/* --- What comes in ---------------------------------------------------------
 */

void world__prefetch_receiver(const struct sim_world *world, uint32_t flow)
{
	sim_prefetch(&world->flows[flow], sizeof(struct world_flow));
	sim_receiver_prefetch(world->ends[flow].receiver);
}

void world__prefetch_sender(const struct sim_world *world, uint32_t flow)
{
	sim_prefetch(&world->flows[flow], sizeof(struct world_flow));
	sim_sender_prefetch(world->ends[flow].sender);
}

void world__arrive_forward(struct world_flow *flow,
			   const struct sim_segment *segment, uint32_t pkts)
{
	struct sim_world *world = flow->world;
	uint64_t before = sim_receiver_next(flow->receiver);
	bool was_open = sim_receiver_is_open(flow->receiver);
	int result =
	    sim_receiver_receive(flow->receiver, segment, pkts, world->now_ns);

	if (result)
		world->result = result;
	if (!was_open && sim_receiver_is_open(flow->receiver))
		flow_plan_request(flow, 0);
	if (sim_receiver_next(flow->receiver) != before)
		flow_note_progress(flow);
	flow_set_timer(flow, FP_SIM_RECEIVER);
}

/* The RTT of an ACK that says something new (RFC 7323, 4.1); 0: none. */
static uint32_t flow_rtt_us(struct world_flow *flow,
			    const struct sim_segment *segment)
{
	uint64_t now_us = flow->world->now_ns / NS_PER_US + SIM_EPOCH_US;
	bool is_new = segment->is_syn || segment->ack > flow->ack_seen;

	flow->ack_seen = sim_max(flow->ack_seen, segment->ack);
	if (!is_new || segment->tsecr_us == 0)
		return 0;
	return (uint32_t)sim_max(1, now_us - segment->tsecr_us);
}

void world__arrive_back(struct world_flow *flow,
			const struct sim_segment *segment)
{
	struct sim_world *world = flow->world;
	int result = sim_sender_receive(flow->sender, segment, world->now_ns);
	uint32_t rtt_us = flow_rtt_us(flow, segment);

	if (result)
		world->result = result;
	flow->has_rtt = flow->has_rtt || rtt_us != 0;
	if (segment->requests > flow->requests_seen) {
		flow->requests_seen = segment->requests;
		if (sim_source_ask(&flow->source, segment->requests))
			sim_sender_supply(flow->sender, &flow->source.supply,
					  world->now_ns);
	}
	if (world->config->sample_ns == 0 && !segment->is_syn)
		world__count(flow, sim_sender_cwnd_pkts(flow->sender), rtt_us);
	flow_check_done(flow);
	flow_set_timer(flow, FP_SIM_SENDER);
}

/* --- Timers ----------------------------------------------------------------
 */

static void flow_wake_sender(struct world_flow *flow)
{
	struct sim_world *world = flow->world;
	int result = 0;

	if (flow->source.wake_ns <= world->now_ns)
		flow_run_source(flow);
	if (sim_sender_wake_ns(flow->sender) <= world->now_ns)
		result = sim_sender_wake(flow->sender, world->now_ns);
	if (result)
		world->result = result;
	flow_set_timer(flow, FP_SIM_SENDER);
}

static void flow_wake_receiver(struct world_flow *flow)
{
	struct sim_world *world = flow->world;
	int result = 0;

	if (flow->request_at_ns <= world->now_ns)
		flow_request(flow);
	if (sim_receiver_wake_ns(flow->receiver) <= world->now_ns)
		result = sim_receiver_wake(flow->receiver, world->now_ns);
	if (result)
		world->result = result;
	flow_set_timer(flow, FP_SIM_RECEIVER);
}

void world__wake(struct sim_world *world, uint32_t owner)
{
	struct world_flow *flow = &world->flows[owner / 2];

	if (owner % 2 == FP_SIM_SENDER)
		flow_wake_sender(flow);
	else
		flow_wake_receiver(flow);
}
