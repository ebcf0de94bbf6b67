/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LINK_STAGE_H
#define LINK_STAGE_H

/*
 * The state of each kind of stage. Names that end in _x32 are shares of 2^32;
 * work is bits x ns per second, so that a rate does rate_bps of it each ns.
 */

#include "base/heap.h"
#include "fullpipe/link.h"

/* A first-in first-out list of nodes. */
struct link_fifo {
	uint32_t head, tail; /* LINK_NONE, undefined: empty */
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

struct link_gemodel {
	uint64_t p_x32, r_x32, h_loss_x32, k_loss_x32;
	uint64_t key;
	bool is_bad;
};

enum link_loss_states {
	LOSS_STATE_GAP_RECEIVED,   /* netem's 1 */
	LOSS_STATE_BURST_RECEIVED, /* 2 */
	LOSS_STATE_BURST_LOST,     /* 3 */
	LOSS_STATE_GAP_LOST,       /* 4 */
};

struct link_loss_state {
	uint64_t p13_x32, p31_x32, p32_x32, p14_x32, p23_x32;
	uint64_t key;
	enum link_loss_states state;
};

struct link_loss_list {
	const uint64_t *numbers; /* ascending */
	uint32_t count;
	uint32_t at; /* the next one */
};

struct link_loss {
	uint64_t number; /* of the draw, from 1 */
	uint32_t last_unit;
	enum fp_loss_model model;
	enum fp_loss_unit unit;
	bool marks_ecn, has_unit, is_unit_lost, is_unit_touched;
	union {
		struct link_chance chance; /* RANDOM */
		struct link_gemodel gemodel;
		struct link_loss_state state;
		struct link_loss_list list;
		uint32_t every_pkts; /* PERIODIC */
	};
};

struct link_corrupt {
	struct link_chance chance;
	uint64_t bit_key;
};

struct link_reorder {
	struct link_chance chance;
	uint64_t draws;        /* made so far */
	uint32_t gap_pkts;     /* at least 1 */
	uint32_t delayed_pkts; /* since the last one that was sent ahead, up to
				  gap_pkts - 1 */
};

struct link_policer {
	uint64_t rate_bps;
	uint64_t depth_work, tokens_work; /* bits x ns per second */
	uint64_t filled_ns;
};

struct link_jitter {
	uint64_t scale_ns; /* 0: none */
	uint64_t key;
	uint64_t counter;
	uint64_t last_bits;        /* what the last jitter was made of */
	struct link_chance repeat; /* the last one once more */
	enum fp_dist dist;
};

struct link_delay {
	uint64_t delay_ns;
	struct link_jitter jitter;
	bool is_line;              /* packets leave in the order they came */
	struct link_fifo line;     /* is_line */
	struct fp_heap heap;       /* else */
	uint64_t last_due_ns;      /* of the newest packet in line */
	uint64_t merge_ns;         /* 0: never */
	uint64_t run_first_due_ns; /* due time of run_head when it came */
	uint32_t run_head;         /* first node of the newest run */
	uint32_t run_unit;         /* of the newest node */
	uint16_t run_index;
};

struct link_steps {
	const struct fp_rate_step *steps;
	uint32_t count;
	uint32_t next; /* the first that is not in force yet */
};

struct link_trace {
	const uint32_t *slots_ms;
	uint32_t count;
	uint32_t at;       /* the slot in use */
	uint64_t cycle_ns; /* when the trace began to be repeated, from base */
	uint64_t left_bytes; /* of the slot in use */
};

struct link_rate {
	enum fp_rate_kind kind;
	uint64_t rate_bps;   /* of the moment that work is done up to */
	uint64_t start_bps;  /* STEPS: before the first one */
	uint64_t base_ns;    /* time of the path's first packet */
	uint64_t carry_work; /* of the last packet, left at carry_ns */
	uint64_t carry_ns;
	int64_t overhead_bytes, cell_overhead_bytes;
	uint32_t cell_bytes;
	union {
		struct link_steps steps;
		struct link_trace trace;
	};
};

struct link_codel {
	uint64_t first_above_ns; /* 0: the wait is below target */
	uint64_t drop_next_ns;
	uint32_t count, last_count;
	bool is_dropping;
};

/* A first-in first-out list with CoDel's state; fq_codel has one a flow. */
struct link_flow {
	struct link_fifo fifo;
	uint64_t backlog_bytes;
	struct link_codel codel;
	int64_t deficit_bytes;
	uint32_t next;  /* flow in the same list */
	bool is_listed; /* in new or old flows */
};

struct link_flow_list {
	uint32_t head, tail; /* LINK_NONE: empty */
};

struct link_fq {
	struct link_flow *flows;
	uint32_t flow_count;
	uint32_t quantum_bytes;
	uint64_t key;
	struct link_flow_list fresh, old;
};

struct link_red {
	uint64_t average_scaled; /* bytes, times 2^weight_shift */
	uint64_t idle_since_ns;
	uint64_t key, counter;
	uint64_t max_threshold_x32; /* probability at max_bytes */
	uint32_t min_bytes, max_bytes, weight_shift;
	uint32_t since_mark; /* packets between both marks since the last one */
	bool is_idle, is_between;
};

struct link_queue {
	enum fp_qdisc qdisc;
	bool marks_ecn;
	uint64_t limit_bytes, limit_ns;
	uint32_t limit_pkts;
	uint32_t backlog_pkts;
	uint64_t backlog_bytes;         /* IP length + l2_bytes */
	uint64_t backlog_charged_bytes; /* what they take on the link */
	uint64_t target_ns, interval_ns, ce_threshold_ns;
	uint64_t largest_bytes;  /* packet seen */
	struct link_flow single; /* all but fq_codel */
	union {
		struct link_fq fq;
		struct link_red red;
	};
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
		struct link_chance chance; /* DUPLICATE */
		struct link_corrupt corrupt;
		struct link_loss loss;
		struct link_policer policer;
		struct link_reorder reorder;
		struct link_delay delay;
		struct link_server server;
	};
};

#endif
