/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LINK_LINK_INTERNAL_H
#define LINK_LINK_INTERNAL_H

/*
 * What the files of link/ share.
 *
 * Packets live in nodes of one pool and are named by 32-bit indices. A node is
 * in exactly one place: the free list, a stage (delay line, queue, server), the
 * work list of duplicates, or the list of what fp_path_pop() has yet to return.
 * Stages never feed back, so events are worked off in order of their time; at
 * equal times the stage that is further down goes first (a link finishes a
 * packet before it looks at the one that arrives at that very moment).
 */

#include "fullpipe/link.h"

#define LINK_NONE          UINT32_MAX /* no node */
#define LINK_NS_PER_S      UINT64_C(1000000000)
/* Work of one byte, in bits x ns per second: work / rate_bps is ns. */
#define LINK_WORK_PER_BYTE (8 * LINK_NS_PER_S)

/* struct link_node.bits */
#define LINK_NODE_IN_RUN     0x01u /* leaves a delay with the node before it */
#define LINK_NODE_SKIP_DELAY 0x02u /* a reorder stage chose it */

struct link_node {
	struct fp_pkt pkt; /* time_ns: due, arrival in a queue, or departure */
	uint32_t next;     /* in the list it is in, or LINK_NONE */
	uint8_t at_stage;  /* work list: the stage it goes to next */
	uint8_t bits;      /* LINK_NODE_… */
	uint16_t unused;
};
_Static_assert(sizeof(struct link_node) == 48, "a node has its planned size");

/* A first-in first-out list of nodes. */
struct link_fifo {
	uint32_t head, tail; /* LINK_NONE, undefined: empty */
};

/* What a stage did with a packet that came in. */
enum link_verdict {
	LINK_PASS,  /* it goes on to the next stage now */
	LINK_TWICE, /* so does a copy of it */
	LINK_HELD,  /* the stage has it, or has disposed of it */
	LINK_LOST,  /* the path is to dispose of it */
};

/* Bump allocator over the caller's memory; mem NULL: only measures. */
struct link_arena {
	uint8_t *mem;
	size_t used_bytes;
};

/* netem's correlated draw: the next 32-bit number leans on the last one. */
struct link_draw {
	uint64_t key;
	uint64_t rho_x32; /* correlation in 2^-32; 0: none */
	uint32_t last;
};

/* A yes-or-no draw with a probability. */
struct link_chance {
	struct link_draw draw;
	uint64_t threshold_x32; /* probability in 2^-32, 2^32: always */
};

struct link_loss {
	struct link_chance chance; /* RANDOM */
	uint64_t number;           /* of the draw, from 1 */
	uint32_t last_unit;
	enum fp_loss_model model;
	enum fp_loss_unit unit;
	bool marks_ecn, has_unit, is_unit_lost, is_unit_touched;
};

struct link_delay {
	uint64_t delay_ns;
	struct link_fifo line;
	uint64_t merge_ns;         /* 0: never */
	uint64_t run_first_due_ns; /* due time of run_head when it came */
	uint32_t run_head;         /* first node of the newest run */
	uint32_t run_unit;         /* of the newest node */
	uint16_t run_index;
};

struct link_rate {
	enum fp_rate_kind kind;
	uint64_t rate_bps;
	uint64_t carry_work; /* of the last packet, left at carry_ns */
	uint64_t carry_ns;
	int64_t overhead_bytes, cell_overhead_bytes;
	uint32_t cell_bytes;
};

struct link_queue {
	enum fp_qdisc qdisc;
	struct link_fifo fifo;
	uint64_t limit_bytes, limit_ns;
	uint32_t limit_pkts;
	uint32_t backlog_pkts;
	uint64_t backlog_bytes; /* IP length + l2_bytes */
};

struct link_server {
	struct link_rate rate;
	struct link_queue queue;
	uint64_t started_ns;
	uint32_t serving; /* node, or LINK_NONE */
};

struct link_stage {
	enum fp_stage_kind kind;
	uint32_t number;
	struct fp_stage_counters counters;
	union {
		struct link_loss loss;
		struct link_delay delay;
		struct link_server server;
	};
};

struct fp_path {
	struct link_node *nodes;
	uint64_t now_ns;     /* time that everything is worked off to */
	uint64_t first_ns;   /* of the first packet */
	uint32_t free_head;  /* free list, last in first out */
	uint32_t fresh;      /* nodes from here on were never used */
	uint32_t node_count; /* in the pool */
	uint32_t capacity;   /* of packets inside */
	uint32_t inside;     /* packets in stages */
	uint32_t leaving;    /* packets in out */
	uint32_t stage_count;
	uint32_t l2_bytes;
	uint32_t work; /* list of duplicates that have yet to go on */
	bool has_first;
	struct link_fifo out; /* what fp_path_pop() has yet to return */
	uint64_t next_ns[FP_PATH_STAGES_MAX]; /* next event of each stage */
	/* what every packet that leaves this stage has yet to wait, at least */
	uint64_t downstream_ns[FP_PATH_STAGES_MAX];
	struct link_stage stages[FP_PATH_STAGES_MAX];
};

/* --- Nodes and lists ------------------------------------------------------ */

static inline struct link_node *link_node(struct fp_path *path, uint32_t node)
{
	return &path->nodes[node];
}

static inline uint64_t link_bytes(const struct fp_path *path,
				  const struct link_node *node)
{
	return (uint64_t)node->pkt.len_bytes + path->l2_bytes;
}

static inline void link_fifo_init(struct link_fifo *fifo)
{
	fifo->head = LINK_NONE;
	fifo->tail = LINK_NONE;
}

static inline void link_fifo_put(struct fp_path *path, struct link_fifo *fifo,
				 uint32_t node)
{
	link_node(path, node)->next = LINK_NONE;
	if (fifo->head == LINK_NONE)
		fifo->head = node;
	else
		link_node(path, fifo->tail)->next = node;
	fifo->tail = node;
}

/* Takes the head of a list that is not empty. */
static inline uint32_t link_fifo_take(struct fp_path *path,
				      struct link_fifo *fifo)
{
	uint32_t node = fifo->head;

	fifo->head = link_node(path, node)->next;
	return node;
}

/* Sets CE where the packet allows it. Returns false for Not-ECT, where the
 * caller has to drop instead; a packet that is CE already stays as it is. */
static inline bool link_mark_ce(struct link_stage *stage, struct fp_pkt *pkt)
{
	if (pkt->ecn == FP_ECN_NOT_ECT)
		return false;
	if (pkt->ecn == FP_ECN_CE)
		return true;
	pkt->ecn = FP_ECN_CE;
	pkt->flags |= FP_PKT_CE_MARKED;
	stage->counters.marked++;
	return true;
}

/* Takes bytes of the arena, aligned to 8; NULL while only measuring. */
void *link__arena_take(struct link_arena *arena, size_t bytes);

/* Disposes of a packet that a stage holds: it was lost at now_ns. */
void path__lose(struct fp_path *path, struct link_stage *stage, uint32_t node,
		enum fp_fate fate);

/* Makes the key of one kind of draw of one stage. */
uint64_t path__draw_key(const struct fp_path_config *config, uint32_t stage,
			uint32_t purpose);

/* --- Draws (chance.c) ----------------------------------------------------- */

void draw__init(struct link_draw *draw, uint64_t key, uint32_t correlation_ppm);
/* Returns 32 bits, draw number counter. Counters have to ascend by one where
 * draws are correlated. */
uint32_t draw__at(struct link_draw *draw, uint64_t counter);
void chance__init(struct link_chance *chance, uint64_t key,
		  uint32_t probability_ppm, uint32_t correlation_ppm);
bool chance__at(struct link_chance *chance, uint64_t counter);
/* Returns the probability as a share of 2^32. */
uint64_t chance__threshold_x32(uint32_t probability_ppm);

/* --- Stages: accept one packet, work off one event ------------------------ */

void loss__init(struct link_stage *stage, const struct fp_path_config *config);
enum link_verdict loss__accept(struct link_stage *stage, struct fp_pkt *pkt);

void delay__init(struct link_stage *stage, const struct fp_path_config *config);
enum link_verdict delay__accept(struct fp_path *path, struct link_stage *stage,
				uint32_t node);
uint32_t delay__event(struct fp_path *path, struct link_stage *stage);
/* Returns the least time that a packet waits here. */
uint64_t delay__min_ns(const struct fp_delay_config *config);

void server__init(struct link_stage *stage,
		  const struct fp_path_config *config);
enum link_verdict server__accept(struct fp_path *path, struct link_stage *stage,
				 uint32_t node);
uint32_t server__event(struct fp_path *path, struct link_stage *stage);

/* --- Parts of a link ------------------------------------------------------ */

void rate__init(struct link_rate *rate, const struct fp_rate_config *config);
/* Returns when a packet of bytes is sent that begins at start_ns. */
uint64_t rate__finish_ns(struct link_rate *rate, uint64_t start_ns,
			 uint64_t bytes);
/* Returns what bytes take on the link: with overhead, in whole cells. */
uint64_t rate__charged_bytes(const struct link_rate *rate, uint64_t bytes);

void queue__init(struct link_queue *queue,
		 const struct fp_queue_config *config);
/* Takes or loses a packet that has to wait. */
void queue__put(struct fp_path *path, struct link_stage *stage, uint32_t node);
/* Takes the packet that is to be sent next, LINK_NONE when none waits. */
uint32_t queue__take(struct fp_path *path, struct link_stage *stage);

#endif
