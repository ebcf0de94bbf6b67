/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/prefetch.h"

#define WIRE_NONE  UINT32_MAX
#define WIRE_FIRST 256u
/* 256 KiB: records of more packets leave the first caches meanwhile. */
#define WIRE_MANY  4096u
_Static_assert(sizeof(struct sim_wire_record) == 64,
	       "a record is one cache line");

/* struct sim_wire_record.bits */
#define WIRE_SYN     0x01u
#define WIRE_FIN     0x02u
#define WIRE_CWR     0x04u
#define WIRE_ECE     0x08u
#define WIRE_RETRANS 0x10u
#define WIRE_PUSH    0x20u
#define WIRE_REQUEST 0x40u
#define WIRE_DSACK   0x80u

int sim_wire_init(struct sim_wire *wire, uint32_t way,
		  const struct fp_path_config *config)
{
	size_t bytes = fp_path_size_bytes(config);
	void *mem = malloc(bytes);

	*wire = (struct sim_wire){
		.way = way,
		.free_head = WIRE_NONE,
		.wake_ns = FP_TIME_NEVER,
	};
	if (!mem)
		return -ENOMEM;
	wire->path = fp_path_init(mem, bytes, config);
	return 0;
}

void sim_wire_fini(struct sim_wire *wire)
{
	free(wire->path);
	free(wire->records);
	free(wire->blocks);
	wire->path = NULL;
	wire->records = NULL;
	wire->blocks = NULL;
}

/* --- Records ---------------------------------------------------------------
 */

/* Moves an array to one of twice the room, at the start of a cache line. */
static void *wire_enlarge(void *old, size_t old_bytes, size_t bytes)
{
	void *enlarged = aligned_alloc(SIM_LINE_BYTES, bytes);

	if (enlarged && old)
		memcpy(enlarged, old, old_bytes);
	if (enlarged)
		free(old);
	return enlarged;
}

static int wire_grow(struct sim_wire *wire)
{
	uint32_t room = wire->room != 0 ? 2 * wire->room : WIRE_FIRST;
	struct sim_wire_record *records =
	    wire_enlarge(wire->records, wire->room * sizeof(*wire->records),
			 room * sizeof(*wire->records));
	struct sim_wire_blocks *blocks;

	if (!records)
		return -ENOMEM;
	wire->records = records;
	if (wire->way == 1) {
		blocks = wire_enlarge(wire->blocks,
				      wire->room * sizeof(*wire->blocks),
				      room * sizeof(*wire->blocks));
		if (!blocks)
			return -ENOMEM;
		wire->blocks = blocks;
	}
	wire->room = room;
	return 0;
}

/* Takes a record, the one freed last. */
static int wire_take(struct sim_wire *wire, uint32_t *ret_number)
{
	int result;

	if (wire->free_head != WIRE_NONE) {
		*ret_number = wire->free_head;
		wire->free_head = wire->records[wire->free_head].refs;
		return 0;
	}
	if (wire->used == wire->room) {
		result = wire_grow(wire);
		if (result)
			return result;
	}
	*ret_number = wire->used++;
	return 0;
}

static uint16_t wire_bits(const struct sim_segment *segment)
{
	return (uint16_t)((segment->is_syn ? WIRE_SYN : 0) |
			  (segment->is_fin ? WIRE_FIN : 0) |
			  (segment->is_cwr ? WIRE_CWR : 0) |
			  (segment->is_ece ? WIRE_ECE : 0) |
			  (segment->is_retrans ? WIRE_RETRANS : 0) |
			  (segment->is_push ? WIRE_PUSH : 0) |
			  (segment->is_request ? WIRE_REQUEST : 0) |
			  (segment->has_dsack ? WIRE_DSACK : 0));
}

static void wire_write(struct sim_wire *wire, uint32_t number,
		       const struct sim_segment *segment)
{
	struct sim_wire_record *record = &wire->records[number];

	record->seq = segment->is_back ? segment->ack : segment->seq;
	record->tsval_us = segment->tsval_us;
	record->tsecr_us = segment->tsecr_us;
	record->ack_bytes = segment->ack_bytes;
	record->window_bytes = segment->window_bytes;
	record->flow = segment->flow;
	record->payload_bytes = segment->payload_bytes;
	record->requests = segment->requests;
	record->refs = 1;
	record->bits = wire_bits(segment);
	record->sack_count = 0;
	if (segment->sack_count == 0 || wire->way == 0)
		return;
	record->sack_count = (uint8_t)segment->sack_count;
	memcpy(wire->blocks[number].blocks, segment->sacks,
	       sizeof(segment->sacks));
}

/* --- In and out ------------------------------------------------------------
 */

int sim_wire_push(struct sim_wire *wire, const struct sim_segment *segment,
		  struct fp_pkt *pkt)
{
	uint32_t number;
	int result = wire_take(wire, &number);

	if (result)
		return result;
	wire_write(wire, number, segment);
	pkt->ref = number;
	fp_path_push(wire->path, pkt);
	wire->packets++;
	wire->bytes += pkt->len_bytes;
	wire->is_stale = true;
	return 0;
}

/* Asks for the record of the packet after this one. */
static void wire_foresee(const struct sim_wire *wire)
{
	const struct fp_pkt *next = fp_path_peek(wire->path);

	if (next)
		sim_prefetch(&wire->records[next->ref], sizeof(*wire->records));
}

bool sim_wire_pop(struct sim_wire *wire, uint64_t now_ns,
		  struct fp_pkt *ret_pkt)
{
	wire->is_stale = true;
	if (!fp_path_pop(wire->path, now_ns, ret_pkt))
		return false;
	wire->fates[ret_pkt->fate]++;
	if (wire->used >= WIRE_MANY)
		wire_foresee(wire);
	return true;
}

uint64_t sim_wire_wake_ns(struct sim_wire *wire)
{
	if (wire->is_stale)
		wire->wake_ns = fp_path_wake_ns(wire->path);
	wire->is_stale = false;
	return wire->wake_ns;
}

const struct fp_pkt *sim_wire_peek(const struct sim_wire *wire)
{
	return fp_path_peek(wire->path);
}

const struct sim_wire_record *sim_wire_record(const struct sim_wire *wire,
					      const struct fp_pkt *pkt)
{
	return &wire->records[pkt->ref];
}

void sim_wire_read(const struct sim_wire *wire, const struct fp_pkt *pkt,
		   struct sim_segment *ret_segment)
{
	const struct sim_wire_record *record = sim_wire_record(wire, pkt);
	bool is_back = wire->way == 1;

	ret_segment->flow = record->flow;
	ret_segment->unit = pkt->unit;
	ret_segment->index = pkt->index;
	ret_segment->is_back = is_back;
	ret_segment->is_syn = record->bits & WIRE_SYN;
	ret_segment->is_fin = record->bits & WIRE_FIN;
	ret_segment->is_cwr = record->bits & WIRE_CWR;
	ret_segment->is_ece = record->bits & WIRE_ECE;
	ret_segment->is_ce = pkt->ecn == FP_ECN_CE;
	ret_segment->is_retrans = record->bits & WIRE_RETRANS;
	ret_segment->is_push = record->bits & WIRE_PUSH;
	ret_segment->is_request = record->bits & WIRE_REQUEST;
	ret_segment->payload_bytes = record->payload_bytes;
	ret_segment->seq = is_back ? 0 : record->seq;
	ret_segment->ack = is_back ? record->seq : 0;
	ret_segment->ack_bytes = record->ack_bytes;
	ret_segment->window_bytes = record->window_bytes;
	ret_segment->requests = record->requests;
	ret_segment->tsval_us = record->tsval_us;
	ret_segment->tsecr_us = record->tsecr_us;
	ret_segment->sack_count = record->sack_count;
	ret_segment->has_dsack = record->bits & WIRE_DSACK;
	if (record->sack_count != 0)
		memcpy(ret_segment->sacks, wire->blocks[pkt->ref].blocks,
		       sizeof(ret_segment->sacks));
}

void sim_wire_release(struct sim_wire *wire, const struct fp_pkt *pkt)
{
	struct sim_wire_record *record = &wire->records[pkt->ref];

	if (pkt->fate == FP_FATE_DUPLICATED) {
		record->refs++;
		return;
	}
	if (--record->refs != 0)
		return;
	record->refs = wire->free_head;
	wire->free_head = (uint32_t)pkt->ref;
}

void sim_wire_get_result(const struct sim_wire *wire,
			 const struct fp_path_config *config,
			 struct fp_sim_way_result *ret_result)
{
	*ret_result = (struct fp_sim_way_result){
		.packets = wire->packets,
		.bytes = wire->bytes,
		.delivered = wire->fates[FP_FATE_DELIVERED],
		.lost_by_model = wire->fates[FP_FATE_LOST_MODEL],
		.lost_by_queue = wire->fates[FP_FATE_LOST_QUEUE],
		.lost_by_policer = wire->fates[FP_FATE_LOST_POLICER],
		.lost_by_overrun = wire->fates[FP_FATE_LOST_OVERRUN],
		.duplicated = wire->fates[FP_FATE_DUPLICATED],
		.inflight = fp_path_inflight_pkts(wire->path),
	};
	for (uint32_t i = 0; i < config->stage_count; i++) {
		fp_path_get_counters(wire->path, i, &ret_result->stages[i]);
		ret_result->marked += ret_result->stages[i].marked;
	}
}
