/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A link: a server that sends one packet after the other, in virtual time. It
 * is idle, or it has a packet and knows when that is sent; then that packet
 * goes on and the queue gives the next one, both at exactly that time.
 */
#include "link/link_internal.h"

size_t server__arena_bytes(const struct fp_path_config *config, uint32_t stage)
{
	const struct fp_queue_config *queue = &config->stages[stage].link.queue;

	if (queue->qdisc != FP_QDISC_FQ_CODEL)
		return 0;
	return fq_codel__flow_count(queue) * sizeof(struct link_flow);
}

void server__init(struct link_stage *stage, const struct fp_path_config *config,
		  struct link_arena *arena)
{
	struct link_server *server = &stage->server;

	rate__init(&server->rate, &config->stages[stage->number].link.rate);
	queue__init(stage, config, arena);
	server->serving = LINK_NONE;
	server->started_ns = 0;
}

/* Sends a packet from now on. */
static void server_start(struct fp_path *path, struct link_stage *stage,
			 uint32_t node)
{
	struct link_server *server = &stage->server;
	uint64_t charged_bytes = rate__charged_bytes(
	    &server->rate, &link_node(path, node)->pkt, path->l2_bytes);

	server->serving = node;
	server->started_ns = path->now_ns;
	path->next_ns[stage->number] =
	    rate__finish_ns(&server->rate, path->now_ns, charged_bytes);
}

enum link_verdict server__accept(struct fp_path *path, struct link_stage *stage,
				 uint32_t node)
{
	struct link_server *server = &stage->server;

	if (server->rate.kind == FP_RATE_UNLIMITED)
		return LINK_PASS;
	if (server->serving != LINK_NONE) {
		queue__put(path, stage, node, false);
		return LINK_HELD;
	}
	server->rate.base_ns = path->first_ns;
	rate__resume(&server->rate, path->now_ns);
	if (server->queue.qdisc != FP_QDISC_DROPTAIL) {
		queue__put(path, stage, node, true);
		node = queue__take(path, stage);
	}
	if (node != LINK_NONE)
		server_start(path, stage, node);
	return LINK_HELD;
}

static void server_count_wait(const struct fp_path *path,
			      struct link_stage *stage, uint64_t came_ns)
{
	uint64_t wait_ns = path->now_ns - came_ns;

	stage->counters.wait_sum_ns += wait_ns;
	if (wait_ns > stage->counters.wait_max_ns)
		stage->counters.wait_max_ns = wait_ns;
}

uint32_t server__event(struct fp_path *path, struct link_stage *stage)
{
	struct link_server *server = &stage->server;
	uint32_t sent = server->serving;
	uint32_t next = queue__take(path, stage);

	stage->counters.busy_ns += path->now_ns - server->started_ns;
	if (next == LINK_NONE) {
		server->serving = LINK_NONE;
		path->next_ns[stage->number] = FP_TIME_NEVER;
		if (server->queue.qdisc == FP_QDISC_RED)
			red__idle(&server->queue.red, path->now_ns);
		return sent;
	}
	server_count_wait(path, stage, link_node(path, next)->pkt.time_ns);
	server_start(path, stage, next);
	return sent;
}
