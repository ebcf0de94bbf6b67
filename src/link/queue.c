/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What waits for a link, and its limits. A node's time_ns is when it came.
 */
#include "link/link_internal.h"

void queue__init(struct link_queue *queue, const struct fp_queue_config *config)
{
	queue->qdisc = config->qdisc;
	link_fifo_init(&queue->fifo);
	queue->limit_pkts = config->limit_pkts;
	queue->limit_bytes = config->limit_bytes;
	queue->limit_ns = config->limit_ns;
	queue->backlog_pkts = 0;
	queue->backlog_bytes = 0;
}

static bool queue_fits(const struct link_queue *queue, uint64_t bytes)
{
	if (queue->limit_pkts != 0 && queue->backlog_pkts >= queue->limit_pkts)
		return false;
	return queue->limit_bytes == 0 ||
	       queue->backlog_bytes + bytes <= queue->limit_bytes;
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

void queue__put(struct fp_path *path, struct link_stage *stage, uint32_t node)
{
	struct link_queue *queue = &stage->server.queue;
	struct link_node *entry = link_node(path, node);
	uint64_t bytes = link_bytes(path, entry);

	entry->pkt.time_ns = path->now_ns;
	if (!queue_fits(queue, bytes)) {
		path__lose(path, stage, node, FP_FATE_LOST_QUEUE);
		return;
	}
	link_fifo_put(path, &queue->fifo, node);
	queue->backlog_pkts++;
	queue->backlog_bytes += bytes;
	queue_note_max(stage);
}

uint32_t queue__take(struct fp_path *path, struct link_stage *stage)
{
	struct link_queue *queue = &stage->server.queue;
	uint32_t node;

	if (queue->fifo.head == LINK_NONE)
		return LINK_NONE;
	node = link_fifo_take(path, &queue->fifo);
	queue->backlog_pkts--;
	queue->backlog_bytes -= link_bytes(path, link_node(path, node));
	return node;
}
