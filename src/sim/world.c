/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/world.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/integer.h"
#include "sim/prefetch.h"
#include "sim/scenario.h"

/* The largest super-packet that a host hands over (GSO_LEGACY_MAX_SIZE). */
#define WORLD_GRO_BYTES 65536u

/* The ends of fewer flows stay in the caches (some 4 KiB each), and asking for
 * them costs a tenth of the time of a packet. */
#define WORLD_CROWD 256u

/* --- Making ----------------------------------------------------------------
 */

static int world_init_wires(struct sim_world *world)
{
	int result = 0;

	for (uint32_t i = 0; i < 2 && !result; i++) {
		struct fp_path_config way = world->config->way[i];

		if (way.capacity_pkts == 0)
			way.capacity_pkts =
			    sim_scenario_capacity_pkts(world->config);
		result = sim_wire_init(&world->wires[i], i, &way);
	}
	return result;
}

static int world_init(struct sim_world *world,
		      const struct fp_sim_config *config)
{
	uint32_t count = config->flow_count;
	int result;

	*world = (struct sim_world){
		.config = config,
		.end_ns = config->warmup_ns + config->duration_ns,
		.measure_ns = config->warmup_ns,
		.next_sample_ns =
		    config->sample_ns != 0 ? config->sample_ns : FP_TIME_NEVER,
		.mss_bytes = sim_scenario_mss_bytes(config),
		.header_bytes = sim_scenario_header_bytes(config),
		.active = count,
		.is_crowded = count >= WORLD_CROWD,
		.has_packet_watch = config->watch.packet,
		.has_event_watch = config->watch.event,
	};
	sim_scenario_tcp(config, &world->tcp);
	result = world_init_wires(world);
	if (!result)
		result = sim_timers_init(&world->timers, 2 * count);
	world->flows = calloc(count, sizeof(*world->flows));
	world->ends = calloc(count, sizeof(*world->ends));
	world->rtts = calloc(count, sizeof(*world->rtts));
	if (!world->flows || !world->ends || !world->rtts)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !result; i++)
		result = world__init_flow(world, i);
	return result;
}

static void world_fini(struct sim_world *world)
{
	for (uint32_t i = 0; world->flows && i < world->config->flow_count; i++)
		world__fini_flow(&world->flows[i]);
	for (uint32_t i = 0; i < 2; i++)
		sim_wire_fini(&world->wires[i]);
	sim_timers_fini(&world->timers);
	free(world->flows);
	free(world->ends);
	free(world->rtts);
	free(world->samples);
}

/* --- What leaves the path --------------------------------------------------
 */

static void world_watch_pop(struct sim_world *world, uint32_t way,
			    const struct fp_pkt *pkt)
{
	struct sim_segment segment;

	if (pkt->fate == FP_FATE_DELIVERED && world->has_packet_watch) {
		sim_wire_read(&world->wires[way], pkt, &segment);
		segment.end_bytes =
		    segment.seq * world->mss_bytes + segment.payload_bytes;
		world__watch_packet(world, &segment,
				    way == 0 ? FP_SIM_RECEIVER : FP_SIM_SENDER,
				    pkt);
	}
	if (pkt->fate != FP_FATE_DELIVERED && pkt->fate != FP_FATE_DUPLICATED &&
	    world->has_event_watch)
		world__watch_drop(world, way, pkt);
}

/* Counts what happened to a packet. Returns whether TCP gets it: damaged ones
 * fail its checksum. */
static bool world_note_pop(struct sim_world *world, uint32_t way,
			   const struct fp_pkt *pkt)
{
	world->events += pkt->fate != FP_FATE_DUPLICATED;
	if (world->has_packet_watch || world->has_event_watch)
		world_watch_pop(world, way, pkt);
	return pkt->fate == FP_FATE_DELIVERED &&
	       !(pkt->flags & FP_PKT_CORRUPTED);
}

static void world_flush_run(struct sim_world *world)
{
	struct world_run *run = &world->run;
	struct world_flow *flow = run->flow;

	if (!flow)
		return;
	run->flow = NULL;
	run->segment.end_bytes =
	    run->segment.seq * world->mss_bytes + run->segment.payload_bytes;
	world__arrive_forward(flow, &run->segment, run->pkts);
}

/* Tells whether a packet joins the run that is gathered, as a frame of the
 * lab's emulator holds what left together (and GRO would): the next one of the
 * same burst, with the same mark. */
static bool world_joins_run(const struct sim_world *world,
			    const struct fp_pkt *pkt)
{
	const struct sim_wire_record *record =
	    sim_wire_record(&world->wires[0], pkt);
	const struct world_run *run = &world->run;

	return run->flow && pkt->fate == FP_FATE_DELIVERED &&
	       !(world->tcp.without & FP_SIM_GRO) &&
	       !(pkt->flags & FP_PKT_CORRUPTED) &&
	       run->segment.unit == pkt->unit &&
	       run->segment.index + run->pkts == pkt->index &&
	       run->segment.seq + run->pkts == record->seq &&
	       run->segment.is_ce == (pkt->ecn == FP_ECN_CE) &&
	       run->segment.payload_bytes + record->payload_bytes <=
		   WORLD_GRO_BYTES;
}

static void world_gather(struct sim_world *world, const struct fp_pkt *pkt)
{
	const struct sim_wire *wire = &world->wires[0];
	struct world_run *run = &world->run;
	struct sim_segment last;

	if (!run->flow) {
		sim_wire_read(wire, pkt, &run->segment);
		run->flow = &world->flows[run->segment.flow];
		run->pkts = 1;
		return;
	}
	sim_wire_read(wire, pkt, &last);
	run->pkts++;
	run->segment.payload_bytes += last.payload_bytes;
	run->segment.is_fin = last.is_fin;
	run->segment.is_push = last.is_push;
}

/* Asks for the memory of a way's next packet: of the path's note of it before
 * another one is worked off, and of all that it will touch after that. */
static void world_foresee(const struct sim_wire *wire)
{
	const struct fp_pkt *next = sim_wire_peek(wire);

	if (next)
		sim_prefetch(next, sizeof(*next));
}

static void world_prefetch(const struct sim_world *world, uint32_t way)
{
	const struct sim_wire *wire = &world->wires[way];
	const struct fp_pkt *next = sim_wire_peek(wire);

	if (!next)
		return;
	sim_prefetch(sim_wire_record(wire, next),
		     sizeof(struct sim_wire_record));
	if (way == 0)
		world__prefetch_receiver(world, next->flow);
	else
		world__prefetch_sender(world, next->flow);
}

/* What is lost in between leaves a run as it is: it was of another burst. */
static void world_deliver_forward(struct sim_world *world)
{
	struct sim_wire *wire = &world->wires[0];
	struct fp_pkt pkt;

	while (sim_wire_pop(wire, world->now_ns, &pkt)) {
		if (world->is_crowded)
			world_foresee(wire);
		if (pkt.fate == FP_FATE_DELIVERED &&
		    !world_joins_run(world, &pkt))
			world_flush_run(world);
		if (world_note_pop(world, 0, &pkt))
			world_gather(world, &pkt);
		sim_wire_release(wire, &pkt);
	}
	world_flush_run(world);
	if (world->is_crowded)
		world_prefetch(world, 0);
}

static void world_deliver_back(struct sim_world *world)
{
	struct sim_wire *wire = &world->wires[1];
	struct sim_segment segment;
	struct fp_pkt pkt;
	bool is_for_tcp;

	while (sim_wire_pop(wire, world->now_ns, &pkt)) {
		if (world->is_crowded)
			world_foresee(wire);
		is_for_tcp = world_note_pop(world, 1, &pkt);
		if (is_for_tcp)
			sim_wire_read(wire, &pkt, &segment);
		sim_wire_release(wire, &pkt);
		if (is_for_tcp)
			world__arrive_back(&world->flows[segment.flow],
					   &segment);
	}
	if (world->is_crowded)
		world_prefetch(world, 1);
}

/* --- The loop --------------------------------------------------------------
 */

/* Warm-up, samples and the end come when nothing else is left to do. */
static uint64_t world_instant_ns(const struct sim_world *world)
{
	uint64_t at_ns = sim_min(world->next_sample_ns, world->end_ns);

	return world->is_measuring ? at_ns : sim_min(at_ns, world->measure_ns);
}

static uint64_t world_next_ns(struct sim_world *world)
{
	uint64_t at_ns = sim_min(sim_wire_wake_ns(&world->wires[0]),
				 sim_wire_wake_ns(&world->wires[1]));

	at_ns = sim_min(at_ns, sim_timers_next_ns(&world->timers));
	return sim_min(at_ns, world_instant_ns(world));
}

/* Works off one kind of what is due. Returns false when nothing is. */
static bool world_step(struct sim_world *world)
{
	uint32_t owner;

	if (sim_wire_wake_ns(&world->wires[0]) <= world->now_ns) {
		world_deliver_forward(world);
	} else if (sim_wire_wake_ns(&world->wires[1]) <= world->now_ns) {
		world_deliver_back(world);
	} else if (sim_timers_take(&world->timers, world->now_ns, &owner)) {
		world->events++;
		world__wake(world, owner);
	} else {
		return false;
	}
	return true;
}

static void world_pass_instant(struct sim_world *world)
{
	if (!world->is_measuring && world->measure_ns <= world->now_ns)
		world__begin_measuring(world);
	if (world->next_sample_ns > world->now_ns)
		return;
	world->result = world__sample(world);
	world->next_sample_ns += world->config->sample_ns;
}

static int world_run(struct sim_world *world)
{
	while (!world->result && world->active != 0) {
		world->now_ns = world_next_ns(world);
		while (!world->result && world_step(world))
			;
		if (world_instant_ns(world) > world->now_ns)
			continue;
		world_pass_instant(world);
		if (world->end_ns <= world->now_ns)
			break;
	}
	return world->result;
}

int fp_sim_run(const struct fp_sim_config *config,
	       struct fp_sim_result *ret_result)
{
	struct sim_world world;
	int result;

	if (fp_sim_check(config))
		return -EINVAL;
	result = world_init(&world, config);
	if (!result)
		result = world_run(&world);
	if (!result)
		result = world__get_result(&world, ret_result);
	world_fini(&world);
	return result;
}
