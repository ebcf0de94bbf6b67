/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Propagation delay: a line of packets in order of their arrival, each with its
 * due time.
 *
 * Runs: where packets of one super-packet follow each other closely, a last
 * delay stage lets them leave together at the time of the last one, so that the
 * caller can join them again. Only the first node of a run keeps the due time;
 * the others inherit it when they reach the head.
 */
#include "link/link_internal.h"

static bool delay_is_last(const struct fp_path_config *config, uint32_t stage)
{
	return stage + 1 == config->stage_count;
}

void delay__init(struct link_stage *stage, const struct fp_path_config *config)
{
	const struct fp_delay_config *from =
	    &config->stages[stage->number].delay;
	struct link_delay *delay = &stage->delay;

	delay->delay_ns = from->delay_ns;
	link_fifo_init(&delay->line);
	delay->merge_ns = 0;
	delay->run_head = LINK_NONE;
	/* A run must not be due before its last packet came in. */
	if (delay_is_last(config, stage->number) && from->jitter_ns == 0 &&
	    from->delay_ns >= config->merge_ns)
		delay->merge_ns = config->merge_ns;
}

uint64_t delay__min_ns(const struct fp_delay_config *config)
{
	return config->delay_ns;
}

/* Lets a node that is about to enter the line join the run at its end. */
static bool delay_join_run(struct fp_path *path, struct link_delay *delay,
			   const struct fp_pkt *pkt)
{
	bool follows = delay->run_head != LINK_NONE &&
		       pkt->unit == delay->run_unit &&
		       pkt->index == (uint16_t)(delay->run_index + 1);

	delay->run_unit = pkt->unit;
	delay->run_index = pkt->index;
	if (!follows ||
	    pkt->time_ns - delay->run_first_due_ns > delay->merge_ns)
		return false;
	link_node(path, delay->run_head)->pkt.time_ns = pkt->time_ns;
	return true;
}

enum link_verdict delay__accept(struct fp_path *path, struct link_stage *stage,
				uint32_t node)
{
	struct link_delay *delay = &stage->delay;
	struct link_node *entry = link_node(path, node);

	entry->pkt.time_ns = path->now_ns + delay->delay_ns;
	entry->bits &= (uint8_t)~LINK_NODE_IN_RUN;
	if (delay->merge_ns != 0) {
		if (delay_join_run(path, delay, &entry->pkt)) {
			entry->bits |= LINK_NODE_IN_RUN;
		} else {
			delay->run_head = node;
			delay->run_first_due_ns = entry->pkt.time_ns;
		}
	}
	link_fifo_put(path, &delay->line, node);
	path->next_ns[stage->number] =
	    link_node(path, delay->line.head)->pkt.time_ns;
	return LINK_HELD;
}

uint32_t delay__event(struct fp_path *path, struct link_stage *stage)
{
	struct link_delay *delay = &stage->delay;
	uint32_t node = link_fifo_take(path, &delay->line);
	uint64_t *next_ns = &path->next_ns[stage->number];
	struct link_node *head;

	if (node == delay->run_head)
		delay->run_head = LINK_NONE;
	if (delay->line.head == LINK_NONE) {
		*next_ns = FP_TIME_NEVER;
		return node;
	}
	head = link_node(path, delay->line.head);
	if (head->bits & LINK_NODE_IN_RUN)
		head->pkt.time_ns = link_node(path, node)->pkt.time_ns;
	*next_ns = head->pkt.time_ns;
	return node;
}
