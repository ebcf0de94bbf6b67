/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chains the stages: one packet goes down until a stage holds it or it leaves;
 * events of stages are worked off in order of time (see link_internal.h).
 */
#include "base/prng.h"
#include "link/link_internal.h"

/* Nodes above twice the capacity, so that small paths can report too. */
#define PATH_SPARE_NODES   64
/* The largest IP packet; keeps products of lengths below 2^64. */
#define PATH_LEN_MAX_BYTES 65535

/* --- Setting up ----------------------------------------------------------- */

void *link__arena_take(struct link_arena *arena, size_t bytes)
{
	void *taken = arena->mem ? arena->mem + arena->used_bytes : NULL;

	arena->used_bytes += (bytes + 7) & ~(size_t)7;
	return taken;
}

uint64_t path__draw_key(const struct fp_path_config *config, uint32_t stage,
			uint32_t purpose)
{
	struct fp_prng prng;

	fp_prng_init(&prng, config->seed,
		     ((uint64_t)config->direction << 32) | (stage << 8) |
			 purpose);
	return prng.key;
}

/* Inside the capacity, and as much again for what waits to be popped. */
static uint32_t path_node_count(const struct fp_path_config *config)
{
	return 2 * config->capacity_pkts + PATH_SPARE_NODES;
}

static size_t path_stage_bytes(const struct fp_path_config *config,
			       uint32_t number)
{
	if (config->stages[number].kind == FP_STAGE_DELAY)
		return delay__arena_bytes(config, number);
	if (config->stages[number].kind == FP_STAGE_LINK)
		return server__arena_bytes(config, number);
	return 0;
}

size_t fp_path_size_bytes(const struct fp_path_config *config)
{
	struct link_arena arena = { .mem = NULL };

	if (fp_path_check(config))
		return 0;
	link__arena_take(&arena, sizeof(struct fp_path));
	link__arena_take(&arena,
			 path_node_count(config) * sizeof(struct link_node));
	for (uint32_t i = 0; i < config->stage_count; i++)
		link__arena_take(&arena, path_stage_bytes(config, i));
	return arena.used_bytes;
}

static void path_init_counters(struct link_stage *stage)
{
	static const struct fp_stage_counters none;

	stage->counters = none;
}

static void path_init_stage(struct fp_path *path, uint32_t number,
			    const struct fp_path_config *config,
			    struct link_arena *arena)
{
	struct link_stage *stage = &path->stages[number];

	stage->kind = config->stages[number].kind;
	stage->number = number;
	path_init_counters(stage);
	path->next_ns[number] = FP_TIME_NEVER;
	switch (stage->kind) {
	case FP_STAGE_LOSS:
		loss__init(stage, config);
		return;
	case FP_STAGE_LINK:
		server__init(stage, config, arena);
		return;
	case FP_STAGE_DELAY:
		delay__init(stage, config, arena);
		return;
	case FP_STAGE_DUPLICATE:
		duplicate__init(stage, config);
		return;
	case FP_STAGE_CORRUPT:
		corrupt__init(stage, config);
		return;
	case FP_STAGE_POLICER:
		policer__init(stage, config);
		return;
	case FP_STAGE_REORDER:
		reorder__init(stage, config);
		return;
	}
}

/* Tells whether a packet can come to delay stage number with the mark of a
 * reorder stage, and so pass it at once. */
static bool path_can_skip(const struct fp_path_config *config, uint32_t number)
{
	while (number-- > 0) {
		if (config->stages[number].kind == FP_STAGE_DELAY)
			return false;
		if (config->stages[number].kind == FP_STAGE_REORDER)
			return true;
	}
	return false;
}

static void path_init_downstream(struct fp_path *path,
				 const struct fp_path_config *config)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = config->stage_count; i-- > 0;) {
		path->downstream_ns[i] = sum_ns;
		if (config->stages[i].kind == FP_STAGE_DELAY &&
		    !path_can_skip(config, i))
			sum_ns += delay__least_ns(&config->stages[i].delay);
	}
}

struct fp_path *fp_path_init(void *mem, size_t mem_bytes,
			     const struct fp_path_config *config)
{
	struct link_arena arena = { .mem = mem };
	size_t need_bytes = fp_path_size_bytes(config);
	struct fp_path *path;

	if (need_bytes == 0 || mem_bytes < need_bytes)
		return NULL;
	path = link__arena_take(&arena, sizeof(*path));
	path->node_count = path_node_count(config);
	path->nodes = link__arena_take(&arena, path->node_count *
						   sizeof(struct link_node));
	path->now_ns = 0;
	path->first_ns = 0;
	path->has_first = false;
	path->free_head = LINK_NONE;
	path->fresh = 0;
	path->capacity = config->capacity_pkts;
	path->inside = 0;
	path->leaving = 0;
	path->stage_count = config->stage_count;
	path->l2_bytes = config->l2_bytes;
	path->work = LINK_NONE;
	link_fifo_init(&path->out);
	for (uint32_t i = 0; i < config->stage_count; i++)
		path_init_stage(path, i, config, &arena);
	path_init_downstream(path, config);
	return path;
}

/* --- Nodes ---------------------------------------------------------------- */

/* Takes a node, the one freed last, so that few pages are used; LINK_NONE when
 * the pool is empty. */
static uint32_t path_node_take(struct fp_path *path)
{
	uint32_t node = path->free_head;

	if (node != LINK_NONE) {
		path->free_head = link_node(path, node)->next;
		return node;
	}
	if (path->fresh == path->node_count)
		return LINK_NONE;
	return path->fresh++;
}

static void path_node_give(struct fp_path *path, uint32_t node)
{
	link_node(path, node)->next = path->free_head;
	path->free_head = node;
}

/* Appends what happened to a packet to the list for fp_path_pop(). */
static void path_report(struct fp_path *path, uint32_t node, uint32_t stage,
			enum fp_fate fate)
{
	struct link_node *entry = link_node(path, node);

	entry->pkt.time_ns = path->now_ns;
	entry->pkt.fate = (uint8_t)fate;
	entry->pkt.stage = (uint8_t)stage;
	link_fifo_put(path, &path->out, node);
	if (fate != FP_FATE_DUPLICATED)
		path->leaving++;
}

void path__lose(struct fp_path *path, struct link_stage *stage, uint32_t node,
		enum fp_fate fate)
{
	stage->counters.lost++;
	path->inside--;
	path_report(path, node, stage->number, fate);
}

/* --- Going down ----------------------------------------------------------- */

static enum fp_fate path_loss_fate(const struct link_stage *stage)
{
	return stage->kind == FP_STAGE_POLICER ? FP_FATE_LOST_POLICER
					       : FP_FATE_LOST_MODEL;
}

static enum link_verdict path_accept(struct fp_path *path,
				     struct link_stage *stage, uint32_t node)
{
	struct link_node *entry = link_node(path, node);
	uint64_t bytes = link_bytes(path, entry);

	stage->counters.packets_in++;
	stage->counters.bytes_in += bytes;
	switch (stage->kind) {
	case FP_STAGE_LOSS:
		return loss__accept(stage, &entry->pkt);
	case FP_STAGE_LINK:
		return server__accept(path, stage, node);
	case FP_STAGE_DELAY:
		return delay__accept(path, stage, node);
	case FP_STAGE_DUPLICATE:
		return duplicate__accept(stage);
	case FP_STAGE_POLICER:
		return policer__accept(stage, bytes, path->now_ns);
	case FP_STAGE_CORRUPT:
		corrupt__accept(stage, &entry->pkt);
		break;
	case FP_STAGE_REORDER:
		reorder__accept(stage, entry);
		break;
	}
	return LINK_PASS;
}

static void path_count_out(struct fp_path *path, struct link_stage *stage,
			   uint32_t node)
{
	stage->counters.packets_out++;
	stage->counters.bytes_out += link_bytes(path, link_node(path, node));
}

/* Makes the copy of a packet that the stage duplicates, puts it on the work
 * list, and tells the caller. Where there is no room for it inside the path,
 * that is told as an overrun; where there is none even for telling, nothing
 * happens. */
static void path_copy(struct fp_path *path, struct link_stage *stage,
		      uint32_t node)
{
	uint32_t note = path_node_take(path);
	uint32_t copy = note == LINK_NONE ? LINK_NONE : path_node_take(path);

	if (copy == LINK_NONE) {
		if (note != LINK_NONE)
			path_node_give(path, note);
		return;
	}
	stage->counters.duplicated++;
	*link_node(path, note) = *link_node(path, node);
	*link_node(path, copy) = *link_node(path, node);
	link_node(path, copy)->pkt.flags |= FP_PKT_DUPLICATE;
	path_report(path, note, stage->number, FP_FATE_DUPLICATED);
	if (path->inside == path->capacity) {
		stage->counters.lost++;
		path_report(path, copy, stage->number, FP_FATE_LOST_OVERRUN);
		return;
	}
	path->inside++;
	path_count_out(path, stage, copy);
	link_node(path, copy)->at_stage = (uint8_t)(stage->number + 1);
	link_node(path, copy)->next = path->work;
	path->work = copy;
}

/* Sends one node down from stage number on, now. */
static void path_go_on(struct fp_path *path, uint32_t node, uint32_t number)
{
	for (; number < path->stage_count; number++) {
		struct link_stage *stage = &path->stages[number];
		enum link_verdict verdict = path_accept(path, stage, node);

		if (verdict == LINK_HELD)
			return;
		if (verdict == LINK_LOST) {
			path__lose(path, stage, node, path_loss_fate(stage));
			return;
		}
		path_count_out(path, stage, node);
		if (verdict == LINK_TWICE)
			path_copy(path, stage, node);
	}
	path->inside--;
	path_report(path, node, number, FP_FATE_DELIVERED);
}

/* Sends a node down from stage number on, and the copies that are made. */
static void path_go_down(struct fp_path *path, uint32_t node, uint32_t number)
{
	path_go_on(path, node, number);
	while (path->work != LINK_NONE) {
		node = path->work;
		path->work = link_node(path, node)->next;
		path_go_on(path, node, link_node(path, node)->at_stage);
	}
}

static uint32_t path_event(struct fp_path *path, struct link_stage *stage)
{
	return stage->kind == FP_STAGE_LINK ? server__event(path, stage)
					    : delay__event(path, stage);
}

/* Finds the stage with the earliest event, the furthest one of equals. Returns
 * stage_count where no stage has one. */
static uint32_t path_earliest(const struct fp_path *path)
{
	uint32_t earliest = path->stage_count;
	uint64_t earliest_ns = FP_TIME_NEVER;

	for (uint32_t i = 0; i < path->stage_count; i++) {
		if (path->next_ns[i] == FP_TIME_NEVER ||
		    path->next_ns[i] > earliest_ns)
			continue;
		earliest = i;
		earliest_ns = path->next_ns[i];
	}
	return earliest;
}

/* Works off the earliest event that is due at until_ns. */
static bool path_step(struct fp_path *path, uint64_t until_ns)
{
	uint32_t number = path_earliest(path);
	struct link_stage *stage = &path->stages[number];
	uint32_t node;

	if (number == path->stage_count || path->next_ns[number] > until_ns)
		return false;
	path->now_ns = path->next_ns[number];
	node = path_event(path, stage);
	path_count_out(path, stage, node);
	path_go_down(path, node, number + 1);
	return true;
}

/* --- The caller's side ---------------------------------------------------- */

void fp_path_push(struct fp_path *path, const struct fp_pkt *pkt)
{
	struct link_node *entry;
	uint32_t node;

	while (path_step(path, pkt->time_ns))
		;
	if (pkt->time_ns > path->now_ns)
		path->now_ns = pkt->time_ns;
	if (!path->has_first)
		path->first_ns = path->now_ns;
	path->has_first = true;
	node = path_node_take(path);
	if (node == LINK_NONE)
		return;
	entry = link_node(path, node);
	entry->pkt = *pkt;
	if (entry->pkt.len_bytes > PATH_LEN_MAX_BYTES)
		entry->pkt.len_bytes = PATH_LEN_MAX_BYTES;
	entry->bits = 0;
	if (path->inside == path->capacity) {
		path_report(path, node, 0, FP_FATE_LOST_OVERRUN);
		return;
	}
	path->inside++;
	path_go_down(path, node, 0);
}

bool fp_path_pop(struct fp_path *path, uint64_t now_ns, struct fp_pkt *ret_pkt)
{
	uint32_t node;

	while (path->out.head == LINK_NONE)
		if (!path_step(path, now_ns))
			return false;
	if (link_node(path, path->out.head)->pkt.time_ns > now_ns)
		return false;
	node = link_fifo_take(path, &path->out);
	*ret_pkt = link_node(path, node)->pkt;
	if (ret_pkt->fate != FP_FATE_DUPLICATED)
		path->leaving--;
	path_node_give(path, node);
	return true;
}

uint64_t fp_path_wake_ns(const struct fp_path *path)
{
	uint64_t wake_ns = FP_TIME_NEVER;

	if (path->out.head != LINK_NONE)
		return path->nodes[path->out.head].pkt.time_ns;
	for (uint32_t i = 0; i < path->stage_count; i++) {
		uint64_t at_ns = path->next_ns[i];

		if (at_ns == FP_TIME_NEVER)
			continue;
		at_ns += path->downstream_ns[i];
		if (at_ns < wake_ns)
			wake_ns = at_ns;
	}
	return wake_ns;
}

const struct fp_pkt *fp_path_peek(const struct fp_path *path)
{
	const struct link_stage *last;
	uint32_t node = path->out.head;

	if (node == LINK_NONE && path->stage_count != 0) {
		last = &path->stages[path->stage_count - 1];
		if (last->kind == FP_STAGE_DELAY)
			node = delay__head(last);
	}
	return node != LINK_NONE ? &path->nodes[node].pkt : NULL;
}

uint32_t fp_path_inflight_pkts(const struct fp_path *path)
{
	return path->inside + path->leaving;
}

void fp_path_get_counters(const struct fp_path *path, uint32_t stage,
			  struct fp_stage_counters *ret_counters)
{
	if (stage < path->stage_count)
		*ret_counters = path->stages[stage].counters;
}
