/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FQ-CoDel, RFC 8290: packets are hashed to flow queues, deficit round robin
 * takes a quantum of bytes from each in turn, flows that just became active
 * first, and CoDel works in each. Where a limit is exceeded, the flow with the
 * most bytes loses its first packet (section 4.1.3).
 */
#include "base/prng.h"
#include "link/link_internal.h"

/* RFC 8290, 5.2.3 and 5.2.4: 1024 queues, a quantum of one Ethernet frame. */
#define FQ_FLOW_QUEUES   1024
#define FQ_QUANTUM_BYTES 1514

uint32_t fq_codel__flow_count(const struct fp_queue_config *config)
{
	return config->flow_queues != 0 ? config->flow_queues : FQ_FLOW_QUEUES;
}

void fq_codel__init(struct link_fq *fq, const struct fp_queue_config *config,
		    uint64_t key, void *flows)
{
	fq->flows = flows;
	fq->flow_count = fq_codel__flow_count(config);
	fq->quantum_bytes = config->quantum_bytes != 0 ? config->quantum_bytes
						       : FQ_QUANTUM_BYTES;
	fq->key = key;
	fq->fresh.head = LINK_NONE;
	fq->fresh.tail = LINK_NONE;
	fq->old.head = LINK_NONE;
	fq->old.tail = LINK_NONE;
	for (uint32_t i = 0; i < fq->flow_count; i++)
		codel__init(&fq->flows[i]);
}

static void fq_list_put(struct link_fq *fq, struct link_flow_list *list,
			uint32_t flow)
{
	fq->flows[flow].next = LINK_NONE;
	if (list->head == LINK_NONE)
		list->head = flow;
	else
		fq->flows[list->tail].next = flow;
	list->tail = flow;
}

static void fq_list_take(struct link_fq *fq, struct link_flow_list *list)
{
	list->head = fq->flows[list->head].next;
}

/* Maps 32 bits of a keyed hash to 0 … flow_count - 1. */
static uint32_t fq_classify(const struct link_fq *fq, uint32_t flow)
{
	uint64_t hash = fp_prng_at(fq->key, flow) >> 32;

	return (uint32_t)(hash * fq->flow_count >> 32);
}

/* Finds the flow with the most bytes from the head of a list on. */
static uint32_t fq_fattest(const struct link_fq *fq, uint32_t flow,
			   uint32_t fattest)
{
	for (; flow != LINK_NONE; flow = fq->flows[flow].next)
		if (fattest == LINK_NONE ||
		    fq->flows[flow].backlog_bytes >
			fq->flows[fattest].backlog_bytes)
			fattest = flow;
	return fattest;
}

static void fq_drop_from_fattest(struct fp_path *path, struct link_stage *stage)
{
	struct link_fq *fq = &stage->server.queue.fq;
	uint32_t flow = fq_fattest(fq, fq->fresh.head, LINK_NONE);

	flow = fq_fattest(fq, fq->old.head, flow);
	path__lose(path, stage, queue__remove(path, stage, &fq->flows[flow]),
		   FP_FATE_LOST_QUEUE);
}

void fq_codel__put(struct fp_path *path, struct link_stage *stage,
		   uint32_t node, bool is_idle)
{
	struct link_queue *queue = &stage->server.queue;
	struct link_fq *fq = &queue->fq;
	uint32_t number = fq_classify(fq, link_node(path, node)->pkt.flow);
	struct link_flow *flow = &fq->flows[number];

	queue__append(path, stage, flow, node);
	if (!flow->is_listed) {
		flow->is_listed = true;
		flow->deficit_bytes = fq->quantum_bytes;
		fq_list_put(fq, &fq->fresh, number);
	}
	while (!is_idle && queue->backlog_pkts != 0 &&
	       queue__is_over(queue, path, &stage->server.rate, NULL))
		fq_drop_from_fattest(path, stage);
}

/* The first flow of a list has nothing to send: a new flow becomes old once, so
 * that it cannot starve the others; an old one leaves. */
static void fq_retire(struct link_fq *fq, struct link_flow_list *list,
		      uint32_t flow)
{
	fq_list_take(fq, list);
	if (list == &fq->fresh)
		fq_list_put(fq, &fq->old, flow);
	else
		fq->flows[flow].is_listed = false;
}

uint32_t fq_codel__take(struct fp_path *path, struct link_stage *stage)
{
	struct link_fq *fq = &stage->server.queue.fq;

	for (;;) {
		struct link_flow_list *list =
		    fq->fresh.head != LINK_NONE ? &fq->fresh : &fq->old;
		uint32_t number = list->head, node;
		struct link_flow *flow;

		if (number == LINK_NONE)
			return LINK_NONE;
		flow = &fq->flows[number];
		if (flow->deficit_bytes <= 0) {
			flow->deficit_bytes += fq->quantum_bytes;
			fq_list_take(fq, list);
			fq_list_put(fq, &fq->old, number);
			continue;
		}
		node = codel__take(path, stage, flow);
		if (node == LINK_NONE) {
			fq_retire(fq, list, number);
			continue;
		}
		flow->deficit_bytes -=
		    (int64_t)link_bytes(path, link_node(path, node));
		return node;
	}
}
