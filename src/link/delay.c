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

static bool delay_is_line(const struct fp_delay_config *config)
{
	return config->jitter_ns == 0 || config->keeps_order;
}

size_t delay__arena_bytes(const struct fp_path_config *config, uint32_t stage)
{
	if (delay_is_line(&config->stages[stage].delay))
		return 0;
	return config->capacity_pkts * sizeof(struct fp_heap_entry);
}

void delay__init(struct link_stage *stage, const struct fp_path_config *config,
		 struct link_arena *arena)
{
	const struct fp_delay_config *from =
	    &config->stages[stage->number].delay;
	struct link_delay *delay = &stage->delay;
	bool is_last = stage->number + 1 == config->stage_count;

	delay->delay_ns = from->delay_ns;
	delay->is_line = delay_is_line(from);
	delay->last_due_ns = 0;
	link_fifo_init(&delay->line);
	fp_heap_init(
	    &delay->heap,
	    link__arena_take(arena, delay__arena_bytes(config, stage->number)));
	jitter__init(&delay->jitter, from,
		     path__draw_key(config, stage->number, 0),
		     path__draw_key(config, stage->number, 1));
	delay->merge_ns = 0;
	delay->run_head = LINK_NONE;
	/* A run must not be due before its last packet came in. */
	if (is_last && from->jitter_ns == 0 &&
	    from->delay_ns >= config->merge_ns)
		delay->merge_ns = config->merge_ns;
}

uint64_t delay__least_ns(const struct fp_delay_config *config)
{
	return jitter__least_ns(config);
}

static uint64_t delay_due_ns(const struct fp_path *path,
			     struct link_delay *delay)
{
	uint64_t due_ns = path->now_ns;

	if (delay->jitter.scale_ns == 0)
		return due_ns + delay->delay_ns;
	due_ns += jitter__delay_ns(&delay->jitter, delay->delay_ns);
	if (delay->is_line && due_ns < delay->last_due_ns)
		due_ns = delay->last_due_ns;
	delay->last_due_ns = due_ns;
	return due_ns;
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

static void delay_put_line(struct fp_path *path, struct link_delay *delay,
			   uint32_t node)
{
	struct link_node *entry = link_node(path, node);

	if (delay->merge_ns != 0) {
		if (delay_join_run(path, delay, &entry->pkt)) {
			entry->bits |= LINK_NODE_IN_RUN;
		} else {
			delay->run_head = node;
			delay->run_first_due_ns = entry->pkt.time_ns;
		}
	}
	link_fifo_put(path, &delay->line, node);
}

/* Says when the next packet is due. */
static void delay_schedule(struct fp_path *path, struct link_stage *stage)
{
	const struct link_delay *delay = &stage->delay;
	uint64_t next_ns = FP_TIME_NEVER;

	if (delay->is_line && delay->line.head != LINK_NONE)
		next_ns = link_node(path, delay->line.head)->pkt.time_ns;
	else if (!delay->is_line && delay->heap.count != 0)
		next_ns = delay->heap.entries[0].key;
	path->next_ns[stage->number] = next_ns;
}

enum link_verdict delay__accept(struct fp_path *path, struct link_stage *stage,
				uint32_t node)
{
	struct link_delay *delay = &stage->delay;
	struct link_node *entry = link_node(path, node);

	if (entry->bits & LINK_NODE_SKIP_DELAY) {
		entry->bits &= (uint8_t)~LINK_NODE_SKIP_DELAY;
		return LINK_PASS;
	}
	entry->pkt.time_ns = delay_due_ns(path, delay);
	if (delay->is_line)
		delay_put_line(path, delay, node);
	else
		fp_heap_put(&delay->heap, entry->pkt.time_ns, node);
	delay_schedule(path, stage);
	return LINK_HELD;
}

static uint32_t delay_take_line(struct fp_path *path, struct link_delay *delay)
{
	uint32_t node = link_fifo_take(path, &delay->line);
	struct link_node *head;

	if (node == delay->run_head)
		delay->run_head = LINK_NONE;
	if (delay->line.head == LINK_NONE)
		return node;
	head = link_node(path, delay->line.head);
	link_prefetch(path, head->next);
	if (head->bits & LINK_NODE_IN_RUN) {
		head->bits &= (uint8_t)~LINK_NODE_IN_RUN;
		head->pkt.time_ns = link_node(path, node)->pkt.time_ns;
	}
	return node;
}

uint32_t delay__event(struct fp_path *path, struct link_stage *stage)
{
	uint32_t node = stage->delay.is_line
			    ? delay_take_line(path, &stage->delay)
			    : fp_heap_take(&stage->delay.heap);

	delay_schedule(path, stage);
	return node;
}

uint32_t delay__head(const struct link_stage *stage)
{
	return stage->delay.is_line ? stage->delay.line.head : LINK_NONE;
}
