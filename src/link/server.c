/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A link: a server that sends one packet after the other, in virtual time. It
 * is idle, or it has a packet and knows when that is sent; then that packet
 * goes on and the queue gives the next one, both at exactly that time.
 */
#include "link/link_internal.h"

void server__init(struct link_stage *stage, const struct fp_path_config *config)
{
	const struct fp_link_config *from = &config->stages[stage->number].link;
	struct link_server *server = &stage->server;

	rate__init(&server->rate, &from->rate);
	queue__init(&server->queue, &from->queue);
	server->serving = LINK_NONE;
	server->started_ns = 0;
}

/* Starts to send a packet that came in the queue, or just now. */
static void server_start(struct fp_path *path, struct link_stage *stage,
			 uint32_t node)
{
	struct link_server *server = &stage->server;
	const struct link_node *entry = link_node(path, node);

	server->serving = node;
	server->started_ns = path->now_ns;
	path->next_ns[stage->number] = rate__finish_ns(
	    &server->rate, path->now_ns, link_bytes(path, entry));
}

enum link_verdict server__accept(struct fp_path *path, struct link_stage *stage,
				 uint32_t node)
{
	if (stage->server.rate.kind == FP_RATE_UNLIMITED)
		return LINK_PASS;
	if (stage->server.serving == LINK_NONE)
		server_start(path, stage, node);
	else
		queue__put(path, stage, node);
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
		return sent;
	}
	server_count_wait(path, stage, link_node(path, next)->pkt.time_ns);
	server_start(path, stage, next);
	return sent;
}
