/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What waits for a link: the limits, the sums, and which discipline decides. A
 * node's time_ns is when it came.
 */
#include "link/link_internal.h"

/* RFC 8289, 4.2 and 4.3: a target of 5 % of the interval; an interval that is
 * the largest round-trip time to be expected. */
#define QUEUE_TARGET_NS   (5 * UINT64_C(1000000))
#define QUEUE_INTERVAL_NS (100 * UINT64_C(1000000))

/* More is taken as this much, so that its work stays below 2^64. */
#define QUEUE_CHARGED_MAX_BYTES (UINT64_MAX / LINK_WORK_PER_BYTE)

static uint64_t queue_or(uint64_t value, uint64_t fallback)
{
	return value != 0 ? value : fallback;
}

void queue__init(struct link_stage *stage, const struct fp_path_config *config,
		 struct link_arena *arena)
{
	const struct fp_queue_config *from =
	    &config->stages[stage->number].link.queue;
	struct link_queue *queue = &stage->server.queue;
	uint64_t key = path__draw_key(config, stage->number, 0);

	queue->qdisc = from->qdisc;
	queue->marks_ecn = from->marks_ecn;
	queue->limit_pkts = from->limit_pkts;
	queue->limit_bytes = from->limit_bytes;
	queue->limit_ns = from->limit_ns;
	queue->backlog_pkts = 0;
	queue->backlog_bytes = 0;
	queue->backlog_charged_bytes = 0;
	queue->target_ns = queue_or(from->target_ns, QUEUE_TARGET_NS);
	queue->interval_ns = queue_or(from->interval_ns, QUEUE_INTERVAL_NS);
	queue->ce_threshold_ns = from->ce_threshold_ns;
	queue->largest_bytes = 0;
	codel__init(&queue->single);
	if (queue->qdisc == FP_QDISC_FQ_CODEL)
		fq_codel__init(
		    &queue->fq, from, key,
		    link__arena_take(
			arena, server__arena_bytes(config, stage->number)));
	if (queue->qdisc == FP_QDISC_RED)
		red__init(&queue->red, from, key);
}

bool queue__is_over(const struct link_queue *queue, const struct fp_path *path,
		    const struct link_rate *rate, const struct fp_pkt *more)
{
	uint64_t pkts = queue->backlog_pkts, bytes = queue->backlog_bytes;
	uint64_t charged_bytes = queue->backlog_charged_bytes, rate_bps;

	if (more) {
		pkts++;
		bytes += (uint64_t)more->len_bytes + path->l2_bytes;
		charged_bytes +=
		    rate__charged_bytes(rate, more, path->l2_bytes);
	}
	if (queue->limit_pkts != 0 && pkts > queue->limit_pkts)
		return true;
	if (queue->limit_bytes != 0 && bytes > queue->limit_bytes)
		return true;
	if (queue->limit_ns == 0)
		return false;
	rate_bps = rate__now_bps(rate, path->now_ns);
	if (charged_bytes > QUEUE_CHARGED_MAX_BYTES)
		charged_bytes = QUEUE_CHARGED_MAX_BYTES;
	return rate_bps != 0 &&
	       charged_bytes * LINK_WORK_PER_BYTE / rate_bps > queue->limit_ns;
}

void queue__append(struct fp_path *path, struct link_stage *stage,
		   struct link_flow *flow, uint32_t node)
{
	struct link_queue *queue = &stage->server.queue;
	const struct link_node *entry = link_node(path, node);
	uint64_t bytes = link_bytes(path, entry);

	link_fifo_put(path, &flow->fifo, node);
	flow->backlog_bytes += bytes;
	queue->backlog_pkts++;
	queue->backlog_bytes += bytes;
	queue->backlog_charged_bytes += rate__charged_bytes(
	    &stage->server.rate, &entry->pkt, path->l2_bytes);
	if (bytes > queue->largest_bytes)
		queue->largest_bytes = bytes;
}

uint32_t queue__remove(struct fp_path *path, struct link_stage *stage,
		       struct link_flow *flow)
{
	struct link_queue *queue = &stage->server.queue;
	const struct link_node *entry;
	uint32_t node;

	if (flow->fifo.head == LINK_NONE)
		return LINK_NONE;
	node = link_fifo_take(path, &flow->fifo);
	entry = link_node(path, node);
	flow->backlog_bytes -= link_bytes(path, entry);
	queue->backlog_pkts--;
	queue->backlog_bytes -= link_bytes(path, entry);
	queue->backlog_charged_bytes -= rate__charged_bytes(
	    &stage->server.rate, &entry->pkt, path->l2_bytes);
	return node;
}

void queue__drop(struct fp_path *path, struct link_stage *stage, uint32_t node)
{
	stage->counters.lost_aqm++;
	path__lose(path, stage, node, FP_FATE_LOST_QUEUE);
}

static void queue_note_max(struct link_stage *stage)
{
	struct fp_stage_counters *counters = &stage->counters;
	const struct link_queue *queue = &stage->server.queue;

	if (queue->backlog_pkts > counters->queue_max_pkts)
		counters->queue_max_pkts = queue->backlog_pkts;
	if (queue->backlog_bytes > counters->queue_max_bytes)
		counters->queue_max_bytes = queue->backlog_bytes;
}

void queue__put(struct fp_path *path, struct link_stage *stage, uint32_t node,
		bool is_idle)
{
	struct link_queue *queue = &stage->server.queue;
	struct fp_pkt *pkt = &link_node(path, node)->pkt;

	pkt->time_ns = path->now_ns;
	if (queue->qdisc == FP_QDISC_FQ_CODEL) {
		fq_codel__put(path, stage, node, is_idle);
	} else if (!is_idle &&
		   queue__is_over(queue, path, &stage->server.rate, pkt)) {
		path__lose(path, stage, node, FP_FATE_LOST_QUEUE);
	} else if (queue->qdisc == FP_QDISC_RED &&
		   !red__accept(path, stage, pkt)) {
		queue__drop(path, stage, node);
	} else {
		queue__append(path, stage, &queue->single, node);
	}
	if (!is_idle)
		queue_note_max(stage);
}

uint32_t queue__take(struct fp_path *path, struct link_stage *stage)
{
	struct link_queue *queue = &stage->server.queue;

	switch (queue->qdisc) {
	case FP_QDISC_DROPTAIL:
	case FP_QDISC_RED:
		return queue__remove(path, stage, &queue->single);
	case FP_QDISC_CODEL:
		return codel__take(path, stage, &queue->single);
	case FP_QDISC_FQ_CODEL:
		return fq_codel__take(path, stage);
	}
	return LINK_NONE;
}
