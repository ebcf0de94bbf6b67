/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One way of the path with the TCP packets that are inside it. The path knows
 * lengths and times; what a packet says waits in a record whose number is the
 * path's handle for it. Records are one cache line, are used again last in
 * first out, and their number doubles when it does not suffice.
 */
#ifndef SIM_WIRE_H
#define SIM_WIRE_H

#include "fullpipe/sim.h"
#include "sim/segment.h"

struct sim_wire_record {
	uint64_t seq; /* forward; back: the ACK */
	uint64_t tsval_us, tsecr_us;
	uint64_t ack_bytes, window_bytes; /* back */
	uint32_t flow;
	uint32_t payload_bytes;
	uint32_t requests; /* back */
	uint32_t refs;     /* copies on their way; in the free list: the next */
	uint16_t bits;
	uint8_t sack_count;
};

struct sim_wire_blocks {
	struct sim_block blocks[SIM_SACKS_MAX];
};

struct sim_wire {
	struct fp_path *path;
	struct sim_wire_record *records;
	struct sim_wire_blocks *blocks; /* by the same number; back only */
	uint32_t room;                  /* records that there are */
	uint32_t used;                  /* of these ever */
	uint32_t free_head;             /* UINT32_MAX: none */
	uint32_t way;
	uint64_t wake_ns;
	bool is_stale; /* wake_ns has to be asked for */
	uint64_t packets, bytes;
	uint64_t fates[FP_FATE_DUPLICATED + 1];
};

/* Lays a way. Returns 0 or -ENOMEM. */
int sim_wire_init(struct sim_wire *wire, uint32_t way,
		  const struct fp_path_config *config);
void sim_wire_fini(struct sim_wire *wire);

/* Lets a packet in; pkt is what the path needs to know of it, without ref.
 * Returns 0, or -ENOMEM: it is not inside. */
int sim_wire_push(struct sim_wire *wire, const struct sim_segment *segment,
		  struct fp_pkt *pkt);

/* Takes what left, was lost or was copied by now_ns, as fp_path_pop(). The
 * record of *ret_pkt stands until sim_wire_release(). */
bool sim_wire_pop(struct sim_wire *wire, uint64_t now_ns,
		  struct fp_pkt *ret_pkt);

/* Tells what sim_wire_pop() will probably give next; NULL: not known. The
 * memory it points to may be far away. */
const struct fp_pkt *sim_wire_peek(const struct sim_wire *wire);

/* Tells when to look again. */
uint64_t sim_wire_wake_ns(struct sim_wire *wire);

/* The record of a popped packet, and what it says as a segment with the marks
 * that the path made. Burst and end_bytes are the caller's to fill in. */
const struct sim_wire_record *sim_wire_record(const struct sim_wire *wire,
					      const struct fp_pkt *pkt);
void sim_wire_read(const struct sim_wire *wire, const struct fp_pkt *pkt,
		   struct sim_segment *ret_segment);

/* Done with a popped packet. */
void sim_wire_release(struct sim_wire *wire, const struct fp_pkt *pkt);

/* What happened here; conservation: packets + duplicated = delivered + lost +
 * inflight. */
void sim_wire_get_result(const struct sim_wire *wire,
			 const struct fp_path_config *config,
			 struct fp_sim_way_result *ret_result);

#endif
