/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

/*
 * What the files of the world share: the ways, the flows with both their ends,
 * and the time.
 *
 * Order of what happens at one time: packets that leave the way forward, in the
 * order in which the path lets them out; packets that leave the way back;
 * timers, by flow, the sender's before the receiver's; and from the start
 * again, until nothing is left; then the end of the warm-up, a sample, the end
 * of the run.
 */

#include "sim/receiver.h"
#include "sim/sender.h"
#include "sim/source.h"
#include "sim/timers.h"
#include "sim/wire.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_S  UINT64_C(1000000000)

/* RTTs, counted in buckets of 1/64 of an octave; below 128 us exactly. */
#define WORLD_OCTAVE_BUCKETS 64u
#define WORLD_BUCKETS        (27u * WORLD_OCTAVE_BUCKETS)

struct world_histogram {
	uint32_t counts[WORLD_BUCKETS];
};

struct world_flow {
	struct sim_world *world;
	struct sim_sender *sender;
	struct sim_receiver *receiver;
	struct sim_source source;
	uint32_t number;
	uint32_t last_unit;     /* the sender's number of its last burst */
	uint32_t unit;          /* the world's */
	uint32_t requests;      /* that the receiver made */
	uint32_t requests_seen; /* that came to the sender */
	bool has_started, is_done;
	bool has_rtt;           /* measured one since measuring began */
	uint64_t answered;      /* requests that were */
	uint64_t request_at_ns; /* when to make the next one */
	uint64_t ack_seen;      /* highest, in packets */
	/* what the result is made of */
	uint64_t progress_ns;   /* last data in order */
	uint64_t warmup_bytes;  /* received when measuring began */
	uint64_t completion_ns; /* 0: not complete */
	uint64_t cwnd_sum, cwnd_count;
	struct world_histogram *rtts; /* the world's */
};

/* Both ends of a flow, by number: the addresses of all flows' are close
 * together, so that they can be asked for before the flow itself is there. */
struct world_ends {
	const struct sim_sender *sender;
	const struct sim_receiver *receiver;
};

/* Packets of one burst that left the way forward together. */
struct world_run {
	struct world_flow *flow; /* NULL: none is gathered */
	uint32_t pkts;
	struct sim_segment segment;
};

struct sim_world {
	const struct fp_sim_config *config;
	struct fp_sim_tcp tcp; /* defaults filled in */
	struct sim_wire wires[2];
	struct sim_timers timers;
	struct world_flow *flows;
	struct world_ends *ends;
	struct world_histogram *rtts; /* one a flow */
	struct world_run run;
	uint64_t now_ns, end_ns;
	uint64_t measure_ns;     /* when measuring began, or will */
	uint64_t next_sample_ns; /* FP_TIME_NEVER: none is wanted */
	uint64_t events;
	uint32_t mss_bytes, header_bytes;
	uint32_t units;  /* of both ways, so far */
	uint32_t active; /* flows that are not done */
	int result;      /* of what cannot be returned */
	bool is_measuring;
	bool is_crowded; /* what comes next is fetched ahead */
	bool has_packet_watch, has_event_watch;
	struct fp_sim_sample *samples;
	uint32_t sample_count, sample_room;
};

/* --- flow.c ----------------------------------------------------------------
 */

/* Makes the ends of a flow. Returns 0 or -ENOMEM. */
int world__init_flow(struct sim_world *world, uint32_t number);
void world__fini_flow(struct world_flow *flow);

/* Packets of a flow are about to come to an end of it. */
void world__prefetch_receiver(const struct sim_world *world, uint32_t flow);
void world__prefetch_sender(const struct sim_world *world, uint32_t flow);

/* Packets that left together have come to the receiver. */
void world__arrive_forward(struct world_flow *flow,
			   const struct sim_segment *segment, uint32_t pkts);
/* A packet has come to the sender. */
void world__arrive_back(struct world_flow *flow,
			const struct sim_segment *segment);

/* A timer: owner is twice the flow's number, one more for its receiver. */
void world__wake(struct sim_world *world, uint32_t owner);

/* --- capture.c -------------------------------------------------------------
 */

/* Bytes of the IP packet. */
uint32_t world__length_bytes(const struct sim_world *world,
			     const struct sim_segment *segment);

/* Tells the watch of a packet. */
void world__watch_packet(const struct sim_world *world,
			 const struct sim_segment *segment, enum fp_sim_side to,
			 const struct fp_pkt *pkt);

/* Tells the watch that the path has lost one. */
void world__watch_drop(struct sim_world *world, uint32_t way,
		       const struct fp_pkt *pkt);

/* Tells the watch of a flow's start or end. */
void world__watch_flow(const struct world_flow *flow,
		       enum fp_sim_event_kind kind);

/* --- measure.c -------------------------------------------------------------
 */

/* Counts the window and, where rtt_us is not 0, an RTT. */
void world__count(struct world_flow *flow, uint32_t cwnd_pkts, uint32_t rtt_us);

/* What was counted so far was warm-up. */
void world__begin_measuring(struct sim_world *world);

/* Looks at every flow that runs. Returns 0 or -ENOMEM. */
int world__sample(struct sim_world *world);

/* Makes the result. Returns 0 or -ENOMEM with nothing owned. */
int world__get_result(struct sim_world *world,
		      struct fp_sim_result *ret_result);

#endif
