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

#include "link/stage.h"

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

/* Asks for the memory of a node that will be needed soon. With ten thousands of
 * packets inside, a node that was put into a list long ago is out of the caches
 * when its turn comes. */
static inline void link_prefetch(const struct fp_path *path, uint32_t node)
{
	if (node == LINK_NONE)
		return;
	/* two cache lines hold it, or one */
	__builtin_prefetch(&path->nodes[node]);
	__builtin_prefetch(&path->nodes[node].next);
}

/* Takes the head of a list that is not empty. */
static inline uint32_t link_fifo_take(struct fp_path *path,
				      struct link_fifo *fifo)
{
	uint32_t node = fifo->head;

	fifo->head = link_node(path, node)->next;
	link_prefetch(path, fifo->head);
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

/* --- Stages: set up, accept one packet, work off one event ---------------- */

void loss__init(struct link_stage *stage, const struct fp_path_config *config);
enum link_verdict loss__accept(struct link_stage *stage, struct fp_pkt *pkt);

void gemodel__init(struct link_gemodel *model,
		   const struct fp_loss_config *config, uint64_t key);
/* Tells whether packet number (from 1, ascending by one) is lost. */
bool gemodel__at(struct link_gemodel *model, uint64_t number);

void loss_state__init(struct link_loss_state *model,
		      const struct fp_loss_config *config, uint64_t key);
bool loss_state__at(struct link_loss_state *model, uint64_t number);

void duplicate__init(struct link_stage *stage,
		     const struct fp_path_config *config);
enum link_verdict duplicate__accept(struct link_stage *stage);

void corrupt__init(struct link_stage *stage,
		   const struct fp_path_config *config);
void corrupt__accept(struct link_stage *stage, struct fp_pkt *pkt);

void reorder__init(struct link_stage *stage,
		   const struct fp_path_config *config);
void reorder__accept(struct link_stage *stage, struct link_node *entry);

void policer__init(struct link_stage *stage,
		   const struct fp_path_config *config);
enum link_verdict policer__accept(struct link_stage *stage, uint64_t bytes,
				  uint64_t now_ns);

/* Takes the arena for the packets of a delay that may overtake. */
void delay__init(struct link_stage *stage, const struct fp_path_config *config,
		 struct link_arena *arena);
size_t delay__arena_bytes(const struct fp_path_config *config, uint32_t stage);
enum link_verdict delay__accept(struct fp_path *path, struct link_stage *stage,
				uint32_t node);
/* Returns the node that leaves now. */
uint32_t delay__event(struct fp_path *path, struct link_stage *stage);
/* Returns the node that will leave next, LINK_NONE: none waits, or it is not
 * known. */
uint32_t delay__head(const struct link_stage *stage);
/* Returns the least time that a packet waits here. */
uint64_t delay__least_ns(const struct fp_delay_config *config);

void server__init(struct link_stage *stage, const struct fp_path_config *config,
		  struct link_arena *arena);
size_t server__arena_bytes(const struct fp_path_config *config, uint32_t stage);
enum link_verdict server__accept(struct fp_path *path, struct link_stage *stage,
				 uint32_t node);
uint32_t server__event(struct fp_path *path, struct link_stage *stage);

/* --- Parts of a delay ----------------------------------------------------- */

void jitter__init(struct link_jitter *jitter,
		  const struct fp_delay_config *config, uint64_t key,
		  uint64_t repeat_key);
/* Returns delay_ns with the next packet's jitter, never below 0. */
uint64_t jitter__delay_ns(struct link_jitter *jitter, uint64_t delay_ns);
/* Returns the least that jitter__delay_ns() can give. */
uint64_t jitter__least_ns(const struct fp_delay_config *config);

/* --- Parts of a link ------------------------------------------------------ */

void rate__init(struct link_rate *rate, const struct fp_rate_config *config);
/* Tells that the link was idle until now_ns. */
void rate__resume(struct link_rate *rate, uint64_t now_ns);
/* Returns when a packet is sent that begins at start_ns; FP_TIME_NEVER where
 * the link stands still for ever. */
uint64_t rate__finish_ns(struct link_rate *rate, uint64_t start_ns,
			 uint64_t charged_bytes);
/* Returns what a packet takes on the link: with overhead, in whole cells. */
uint64_t rate__charged_bytes(const struct link_rate *rate,
			     const struct fp_pkt *pkt, uint32_t l2_bytes);
/* Returns the rate at now_ns; where that is 0 the one before, a trace's mean;
 * 0: there is none. */
uint64_t rate__now_bps(const struct link_rate *rate, uint64_t now_ns);

/* mahimahi's slots: see trace.c. Times count from the trace's start. */
void trace__init(struct link_trace *trace, const struct fp_rate_config *config);
void trace__resume(struct link_trace *trace, uint64_t now_ns);
uint64_t trace__finish_ns(struct link_trace *trace, uint64_t bytes);
uint64_t trace__mean_bps(const struct link_trace *trace);

void queue__init(struct link_stage *stage, const struct fp_path_config *config,
		 struct link_arena *arena);
/* Takes or loses a packet. Where the server is idle limits do not count: the
 * packet will be taken at once. */
void queue__put(struct fp_path *path, struct link_stage *stage, uint32_t node,
		bool is_idle);
/* Takes the packet that is to be sent next, LINK_NONE when none waits. */
uint32_t queue__take(struct fp_path *path, struct link_stage *stage);
/* Tells whether what waits is beyond a limit, with this much more. */
bool queue__is_over(const struct link_queue *queue, const struct fp_path *path,
		    const struct link_rate *rate, const struct fp_pkt *more);
/* Puts a packet into a flow of the queue, and takes its first one (LINK_NONE:
 * none); both keep the queue's sums. */
void queue__append(struct fp_path *path, struct link_stage *stage,
		   struct link_flow *flow, uint32_t node);
uint32_t queue__remove(struct fp_path *path, struct link_stage *stage,
		       struct link_flow *flow);
/* Loses a packet that was in the queue, or was about to be, for an AQM. */
void queue__drop(struct fp_path *path, struct link_stage *stage, uint32_t node);

void codel__init(struct link_flow *flow);
/* Takes the first packet that CoDel lets through, LINK_NONE: none is left. */
uint32_t codel__take(struct fp_path *path, struct link_stage *stage,
		     struct link_flow *flow);

void fq_codel__init(struct link_fq *fq, const struct fp_queue_config *config,
		    uint64_t key, void *flows);
uint32_t fq_codel__flow_count(const struct fp_queue_config *config);
void fq_codel__put(struct fp_path *path, struct link_stage *stage,
		   uint32_t node, bool is_idle);
uint32_t fq_codel__take(struct fp_path *path, struct link_stage *stage);

void red__init(struct link_red *red, const struct fp_queue_config *config,
	       uint64_t key);
/* Decides about a packet that arrives, and marks it. Returns false where it
 * is to be dropped. */
bool red__accept(struct fp_path *path, struct link_stage *stage,
		 struct fp_pkt *pkt);
/* Tells that nothing waits and nothing is sent from now_ns on. */
void red__idle(struct link_red *red, uint64_t now_ns);

#endif
