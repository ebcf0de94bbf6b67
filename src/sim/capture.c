/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/scenario.h"
#include "sim/world.h"

/* What the sender offers for requests: the first window of a Linux socket. */
#define CAPTURE_WINDOW_BYTES 65535u

uint32_t world__length_bytes(const struct sim_world *world,
			     const struct sim_segment *segment)
{
	uint32_t bytes = world->header_bytes + segment->payload_bytes;

	if (segment->is_syn)
		bytes += SIM_SYN_BYTES - SIM_TSTAMP_BYTES;
	if (segment->sack_count != 0)
		bytes += SIM_SACK_BYTES + segment->sack_count * SIM_BLOCK_BYTES;
	return bytes;
}

static uint8_t capture_flags(const struct sim_world *world,
			     const struct sim_segment *segment)
{
	uint8_t flags = 0;

	if (segment->is_syn)
		flags |= FP_SIM_SYN;
	if (!segment->is_syn || segment->is_back)
		flags |= FP_SIM_ACK;
	if (segment->is_fin)
		flags |= FP_SIM_FIN;
	if (segment->is_push)
		flags |= FP_SIM_PSH;
	if (segment->is_ece)
		flags |= FP_SIM_ECE;
	if (segment->is_cwr)
		flags |= FP_SIM_CWR;
	/* RFC 3168, 6.1.1: a SYN asks for ECN with both */
	if (segment->is_syn && !segment->is_back && world->tcp.has_ecn)
		flags |= FP_SIM_ECE | FP_SIM_CWR;
	return flags;
}

/* The data's own direction: a SYN is byte 0. */
static void capture_forward(const struct world_flow *flow,
			    const struct sim_segment *segment,
			    struct fp_sim_packet *packet)
{
	packet->window_bytes = CAPTURE_WINDOW_BYTES;
	if (segment->is_syn)
		return;
	packet->seq_bytes = 1 + segment->seq * flow->world->mss_bytes;
	if (segment->payload_bytes != 0 || segment->is_fin)
		packet->seq_bytes =
		    1 + segment->end_bytes - segment->payload_bytes;
	packet->ack_bytes = 1 + (uint64_t)flow->requests_seen *
				    sim_source_request_bytes(flow->source.flow);
}

static uint64_t capture_position(const struct world_flow *flow, uint64_t pkts,
				 const struct sim_segment *segment)
{
	/* a block never ends beyond what the last packet holds */
	uint64_t bytes = pkts * flow->world->mss_bytes;
	const struct sim_supply *supply = &flow->source.supply;

	if (supply->end != UINT64_MAX && pkts == supply->end && pkts != 0)
		bytes -= flow->world->mss_bytes - supply->last_bytes;
	return pkts == segment->ack ? segment->ack_bytes : bytes;
}

/* The other direction: bytes are requests; the receiver closes with the ACK of
 * the sender's FIN, which counts as a byte. */
static void capture_back(const struct world_flow *flow,
			 const struct sim_segment *segment,
			 struct fp_sim_packet *packet)
{
	uint64_t made = segment->requests - (segment->is_request ? 1 : 0);

	packet->ack_bytes = 1 + segment->ack_bytes + (segment->is_fin ? 1 : 0);
	packet->window_bytes = segment->window_bytes > UINT32_MAX
				   ? UINT32_MAX
				   : (uint32_t)segment->window_bytes;
	if (segment->is_syn)
		return;
	packet->seq_bytes =
	    1 + made * sim_source_request_bytes(flow->source.flow);
	packet->sack_count = segment->sack_count;
	for (uint32_t i = 0; i < segment->sack_count; i++) {
		const struct sim_block *block = &segment->sacks[i];

		packet->sack_bytes[i][0] =
		    1 + capture_position(flow, block->start, segment);
		packet->sack_bytes[i][1] =
		    1 + capture_position(flow, block->end, segment);
	}
}

void world__watch_packet(const struct sim_world *world,
			 const struct sim_segment *segment,
			 enum fp_sim_side side, const struct fp_pkt *pkt)
{
	const struct world_flow *flow = &world->flows[segment->flow];
	struct fp_sim_packet packet = {
		.time_ns = world->now_ns,
		.flow = segment->flow,
		.side = side,
		.is_sent = segment->is_back == (side == FP_SIM_RECEIVER),
		.is_corrupted = pkt->flags & FP_PKT_CORRUPTED,
		.flags = capture_flags(world, segment),
		.ecn = pkt->ecn,
		.payload_bytes = segment->payload_bytes,
		.len_bytes = pkt->len_bytes,
		.tsval_ms = (uint32_t)(segment->tsval_us / 1000),
		.tsecr_ms = (uint32_t)(segment->tsecr_us / 1000),
	};

	if (segment->is_back)
		capture_back(flow, segment, &packet);
	else
		capture_forward(flow, segment, &packet);
	world->config->watch.packet(world->config->watch.context, &packet);
}

static const char *capture_reason(uint8_t fate)
{
	switch (fate) {
	case FP_FATE_LOST_QUEUE:
		return "queue";
	case FP_FATE_LOST_POLICER:
		return "policer";
	case FP_FATE_LOST_OVERRUN:
		return "overrun";
	default:
		return "model";
	}
}

void world__watch_drop(struct sim_world *world, uint32_t way,
		       const struct fp_pkt *pkt)
{
	const struct sim_wire_record *record =
	    sim_wire_record(&world->wires[way], pkt);
	struct fp_sim_event event = {
		.time_ns = world->now_ns,
		.flow = record->flow,
		.kind = FP_SIM_EVENT_DROPPED,
		.seq_pkts = record->seq,
		.pkts = 1,
		.reason = capture_reason(pkt->fate),
		.stage = pkt->stage,
		.way = way,
	};

	world->config->watch.event(world->config->watch.context, &event);
}

void world__watch_flow(const struct world_flow *flow,
		       enum fp_sim_event_kind kind)
{
	const struct sim_world *world = flow->world;
	struct fp_sim_event event = {
		.time_ns = world->now_ns,
		.flow = flow->number,
		.kind = kind,
	};

	if (world->has_event_watch)
		world->config->watch.event(world->config->watch.context,
					   &event);
}
