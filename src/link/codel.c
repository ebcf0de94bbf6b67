/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CoDel, after the pseudo-code of RFC 8289, section 5: where packets have
 * waited above the target for a whole interval, it drops one, then the next
 * after interval / sqrt(2), interval / sqrt(3) …, until the wait falls below
 * the target.
 *
 * The RFC leaves marking open. As Linux does, a packet that can be marked is
 * marked and sent where it would be dropped, and the schedule goes on.
 */
#include "base/isqrt.h"
#include "link/link_internal.h"

/* A new round of dropping starts where the last one ended if that is less than
 * this many intervals ago. */
#define CODEL_MEMORY_INTERVALS 16

void codel__init(struct link_flow *flow)
{
	link_fifo_init(&flow->fifo);
	flow->backlog_bytes = 0;
	flow->codel.first_above_ns = 0;
	flow->codel.drop_next_ns = 0;
	flow->codel.count = 0;
	flow->codel.last_count = 0;
	flow->codel.is_dropping = false;
	flow->deficit_bytes = 0;
	flow->next = LINK_NONE;
	flow->is_listed = false;
}

/* RFC 8289's control_law(): interval / sqrt(count) after from_ns, to the ns. */
static uint64_t codel_next_ns(const struct link_queue *queue, uint64_t from_ns,
			      uint32_t count)
{
	return from_ns +
	       fp_isqrt(queue->interval_ns * queue->interval_ns / count);
}

/* RFC 8289's dodequeue(): takes a packet; ret_can_drop tells whether waits have
 * been above the target for an interval. */
static uint32_t codel_take_one(struct fp_path *path, struct link_stage *stage,
			       struct link_flow *flow, bool *ret_can_drop)
{
	const struct link_queue *queue = &stage->server.queue;
	struct link_codel *codel = &flow->codel;
	uint32_t node = queue__remove(path, stage, flow);

	*ret_can_drop = false;
	if (node == LINK_NONE) {
		codel->first_above_ns = 0;
		return node;
	}
	if (path->now_ns - link_node(path, node)->pkt.time_ns <
		queue->target_ns ||
	    flow->backlog_bytes <= queue->largest_bytes)
		codel->first_above_ns = 0;
	else if (codel->first_above_ns == 0)
		codel->first_above_ns = path->now_ns + queue->interval_ns;
	else
		*ret_can_drop = path->now_ns >= codel->first_above_ns;
	return node;
}

/* Marks a packet or drops it. Returns true when it is marked and so stays. */
static bool codel_mark_or_drop(struct fp_path *path, struct link_stage *stage,
			       uint32_t node)
{
	if (stage->server.queue.marks_ecn &&
	    link_mark_ce(stage, &link_node(path, node)->pkt))
		return true;
	queue__drop(path, stage, node);
	return false;
}

/* Already dropping: one packet is due for each time that has come. */
static uint32_t codel_go_on(struct fp_path *path, struct link_stage *stage,
			    struct link_flow *flow, uint32_t node)
{
	const struct link_queue *queue = &stage->server.queue;
	struct link_codel *codel = &flow->codel;
	bool can_drop;

	while (codel->is_dropping && path->now_ns >= codel->drop_next_ns) {
		codel->count++;
		if (codel_mark_or_drop(path, stage, node)) {
			codel->drop_next_ns = codel_next_ns(
			    queue, codel->drop_next_ns, codel->count);
			break;
		}
		node = codel_take_one(path, stage, flow, &can_drop);
		if (!can_drop)
			codel->is_dropping = false;
		else
			codel->drop_next_ns = codel_next_ns(
			    queue, codel->drop_next_ns, codel->count);
	}
	return node;
}

/* Starts to drop, with the last round's pace where that is not long ago. */
static uint32_t codel_start(struct fp_path *path, struct link_stage *stage,
			    struct link_flow *flow, uint32_t node)
{
	const struct link_queue *queue = &stage->server.queue;
	struct link_codel *codel = &flow->codel;
	uint32_t delta = codel->count - codel->last_count;
	bool can_drop;

	if (!codel_mark_or_drop(path, stage, node))
		node = codel_take_one(path, stage, flow, &can_drop);
	codel->is_dropping = true;
	codel->count = 1;
	if (delta > 1 &&
	    path->now_ns < codel->drop_next_ns +
			       CODEL_MEMORY_INTERVALS * queue->interval_ns)
		codel->count = delta;
	codel->drop_next_ns = codel_next_ns(queue, path->now_ns, codel->count);
	codel->last_count = codel->count;
	return node;
}

uint32_t codel__take(struct fp_path *path, struct link_stage *stage,
		     struct link_flow *flow)
{
	const struct link_queue *queue = &stage->server.queue;
	bool can_drop;
	uint32_t node = codel_take_one(path, stage, flow, &can_drop);
	struct fp_pkt *pkt;

	if (!can_drop)
		flow->codel.is_dropping = false;
	else if (flow->codel.is_dropping)
		node = codel_go_on(path, stage, flow, node);
	else
		node = codel_start(path, stage, flow, node);
	if (node == LINK_NONE || queue->ce_threshold_ns == 0)
		return node;
	pkt = &link_node(path, node)->pkt;
	if (path->now_ns - pkt->time_ns > queue->ce_threshold_ns)
		(void)link_mark_ce(stage, pkt); /* Not-ECT stays */
	return node;
}
