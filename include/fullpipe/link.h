/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Models of a path, as one pure core.
 *
 * A path is a chain of stages that a packet of the wire passes in order. Some
 * stages decide at once (loss, duplication, corruption, reordering, policer),
 * some hold packets (delay, link). The caller brings time, memory and seed:
 *
 *	path = fp_path_init(mem, mem_bytes, &config);
 *	fp_path_push(path, &pkt);		a packet arrives at pkt.time_ns
 *	fp_path_wake_ns(path);			when to look again
 *	while (fp_path_pop(path, now_ns, &pkt))	what left, or was lost, by now
 *
 * Everything is integer and deterministic: the same configuration, seed and
 * sequence of packets gives the same decisions, whatever the clock does. Every
 * random decision is drawn by counter, hash(seed, direction, stage, number of
 * the packet at that stage), never by the order of calls.
 *
 * Times inside a path are exact and virtual: a packet that is due at T leaves
 * its stage at T, however late fp_path_pop() is called, so lateness of the
 * caller never adds up over stages.
 *
 * Host and BPF compilers both accept this header; no libc is needed.
 */
#ifndef FULLPIPE_LINK_H
#define FULLPIPE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "Never", where a time is asked for. */
#define FP_TIME_NEVER      UINT64_MAX
/* A probability of one, in parts per million. */
#define FP_PPM_ONE         1000000u
/* Stages that one path can chain. */
#define FP_PATH_STAGES_MAX 16

/* What became of a packet that fp_path_pop() returns. */
enum fp_fate {
	FP_FATE_DELIVERED,    /* it left the path at time_ns */
	FP_FATE_LOST_MODEL,   /* a loss stage dropped it */
	FP_FATE_LOST_QUEUE,   /* the limit or the AQM of a link dropped it */
	FP_FATE_LOST_POLICER, /* a policer dropped it */
	FP_FATE_LOST_OVERRUN, /* more than capacity_pkts were inside: the caller
				 sized the path too small, a run is invalid */
	FP_FATE_DUPLICATED,   /* not a packet that left: one more pop with the
				 same ref will follow */
};

/* The two ECN bits of the IP header (RFC 3168, section 5). */
enum fp_ecn {
	FP_ECN_NOT_ECT = 0,
	FP_ECN_ECT1 = 1,
	FP_ECN_ECT0 = 2,
	FP_ECN_CE = 3
};

/* struct fp_pkt.flags, set by stages. */
#define FP_PKT_CE_MARKED 0x01u /* ecn was set to CE inside this path */
#define FP_PKT_CORRUPTED 0x02u /* bit corrupt_bit was flipped */
#define FP_PKT_DUPLICATE 0x04u /* the second copy of a packet */
#define FP_PKT_REORDERED 0x08u /* sent ahead of its delay by reorder */

/* A packet of the wire: one IP packet of at most one MTU. */
struct fp_pkt {
	uint64_t ref;       /* the caller's handle; a path never looks at it */
	uint64_t time_ns;   /* push: arrival; pop: departure or loss */
	uint32_t len_bytes; /* length of the IP packet */
	uint32_t flow;      /* hash of the flow, for fq_codel */
	uint32_t unit;      /* number of the super-packet (skb) that it came in;
			       equal only for packets of the same one */
	uint16_t index;     /* its place in that super-packet, from 0 */
	uint8_t ecn;        /* enum fp_ecn */
	uint8_t flags;      /* FP_PKT_…, zero at push */
	uint8_t fate;       /* enum fp_fate, set at pop */
	uint8_t stage;      /* number of the stage that decided fate */
	uint32_t corrupt_bit; /* which bit of the IP packet, from 0 */
};

/* --- Stages ------------------------------------------------------------- */

/* Distribution of jitter, by netem's tables (tc-netem(8), "distribution"). */
enum fp_dist {
	FP_DIST_UNIFORM,
	FP_DIST_NORMAL,
	FP_DIST_PARETO,
	FP_DIST_PARETONORMAL,
};

/* Propagation delay: each packet leaves delay_ns + jitter after it arrived. */
struct fp_delay_config {
	uint64_t delay_ns;        /* mean, 0 … 2^40 */
	uint64_t jitter_ns;       /* scale of the distribution; 0: none */
	uint32_t correlation_ppm; /* with the jitter of the packet before */
	enum fp_dist dist;        /* shape of the jitter */
	bool keeps_order; /* a packet never overtakes the one before it */
};

/* netem's reordering: a chosen packet skips the delay stage that follows. */
struct fp_reorder_config {
	uint32_t probability_ppm; /* of being sent ahead */
	uint32_t correlation_ppm; /* with the draw before */
	uint32_t gap_pkts; /* only every gap-th packet is a candidate; 0: all */
};

/* A draw that stands alone but for its correlation: duplicate, corrupt. */
struct fp_chance_config {
	uint32_t probability_ppm;
	uint32_t correlation_ppm; /* with the draw before */
};

enum fp_loss_model {
	FP_LOSS_RANDOM,   /* independent, or correlated as netem's */
	FP_LOSS_PERIODIC, /* every n-th packet */
	FP_LOSS_GEMODEL,  /* Gilbert-Elliott, netem's "gemodel p r 1-h 1-k" */
	FP_LOSS_STATE,    /* netem's 4-state "state p13 p31 p32 p14 p23" */
	FP_LOSS_LIST,     /* the packets with these numbers */
};

enum fp_loss_unit {
	FP_LOSS_UNIT_PACKET, /* one draw for each packet of the wire */
	FP_LOSS_UNIT_SKB,    /* one draw for each super-packet, as netem does */
};

struct fp_loss_config {
	enum fp_loss_model model;
	enum fp_loss_unit unit;
	bool marks_ecn; /* an ECT packet is marked CE instead (netem "ecn") */
	union {
		struct {
			uint32_t probability_ppm;
			uint32_t correlation_ppm;
		} random;
		struct {
			uint32_t every_pkts; /* n >= 1: packets n, 2n, … of 1,
						2, 3 … are lost */
		} periodic;
		struct {
			uint32_t p_ppm;      /* good -> bad */
			uint32_t r_ppm;      /* bad -> good */
			uint32_t h_loss_ppm; /* 1-h: loss in the bad state */
			uint32_t k_loss_ppm; /* 1-k: loss in the good state */
		} gemodel;
		struct {
			uint32_t p13_ppm, p31_ppm, p32_ppm, p14_ppm, p23_ppm;
		} state;
		struct {
			const uint64_t
			    *numbers; /* ascending, from 1; the caller's, kept
					 as long as the path */
			uint32_t count;
		} list;
	};
};

/* Single-rate token bucket (RFC 2697 without its excess bucket): a packet that
 * finds too few tokens is dropped. */
struct fp_policer_config {
	uint64_t rate_bps;
	uint64_t burst_bytes; /* depth of the bucket, at least one packet */
};

/* From at_ns on (counted from the time of the first packet) the rate is
 * rate_bps. */
struct fp_rate_step {
	uint64_t at_ns;
	uint64_t rate_bps; /* 0: the link stands still */
};

enum fp_rate_kind {
	FP_RATE_UNLIMITED,
	FP_RATE_CONSTANT,
	FP_RATE_STEPS,
	FP_RATE_TRACE, /* mahimahi: one slot of 1504 bytes at each listed ms; as
			  there a packet counts its IP length + 4 */
};

struct fp_rate_config {
	enum fp_rate_kind kind;
	uint64_t rate_bps; /* CONSTANT; before the first step of STEPS too */
	int32_t
	    overhead_bytes; /* added to each packet (netem "rate R OVERHEAD") */
	uint32_t
	    cell_bytes; /* packets take whole cells of this size; 0: none */
	int32_t cell_overhead_bytes; /* added to each cell */
	const struct fp_rate_step
	    *steps; /* the caller's, kept as long as the path */
	uint32_t step_count;
	const uint32_t *trace_ms; /* ascending, the last one > 0 is the period;
				     the caller's */
	uint32_t trace_count;
};

enum fp_qdisc {
	FP_QDISC_DROPTAIL,
	FP_QDISC_CODEL,    /* RFC 8289 */
	FP_QDISC_FQ_CODEL, /* RFC 8290 */
	FP_QDISC_RED,      /* Floyd and Jacobson 1993; min = max, p = 1 is the
			      threshold marking of DCTCP (RFC 8257) */
};

struct fp_queue_config {
	enum fp_qdisc qdisc;
	/* Limits on what waits for the link (what is being sent and what is on
	 * the wire do not count). 0: no such limit. */
	uint32_t limit_pkts;
	uint64_t limit_bytes;
	uint64_t limit_ns; /* of waiting at the rate of the moment */
	bool marks_ecn;    /* AQM marks ECT packets instead of dropping them */
	/* CoDel and fq_codel; 0: the RFC's default */
	uint64_t target_ns;       /* 5 ms */
	uint64_t interval_ns;     /* 100 ms */
	uint64_t ce_threshold_ns; /* mark at this sojourn time; 0: never */
	uint32_t flow_queues;     /* fq_codel: 1024 */
	uint32_t quantum_bytes;   /* fq_codel: 1514 */
	/* RED */
	uint32_t red_min_bytes, red_max_bytes;
	uint32_t red_probability_ppm; /* at red_max_bytes */
	uint32_t red_weight_shift; /* average moves by 2^-shift per packet; 0:
				      no averaging */
};

/* A bottleneck: a queue and the server that empties it. */
struct fp_link_config {
	struct fp_rate_config rate;
	struct fp_queue_config queue;
};

enum fp_stage_kind {
	FP_STAGE_DUPLICATE,
	FP_STAGE_LOSS,
	FP_STAGE_CORRUPT,
	FP_STAGE_POLICER,
	FP_STAGE_LINK,
	FP_STAGE_REORDER,
	FP_STAGE_DELAY,
};

struct fp_stage_config {
	enum fp_stage_kind kind;
	union {
		struct fp_chance_config chance; /* DUPLICATE, CORRUPT */
		struct fp_loss_config loss;
		struct fp_policer_config policer;
		struct fp_link_config link;
		struct fp_reorder_config reorder;
		struct fp_delay_config delay;
	};
};

/* One direction of a path. */
struct fp_path_config {
	uint64_t seed;
	uint32_t direction; /* part of every draw, so that both ways differ */
	uint32_t l2_bytes;  /* added to len_bytes wherever bytes are counted
			       (queue, rate, policer); 14: Ethernet, as netem */
	uint64_t
	    merge_ns; /* a last delay stage lets packets of one super-packet
			 that follow each other within this time leave
			 together, at the time of the last; 0: never */
	uint32_t capacity_pkts; /* packets that can be inside at once */
	uint32_t stage_count;
	struct fp_stage_config stages[FP_PATH_STAGES_MAX];
};

/* What one stage did since fp_path_init(). A field that has no meaning for a
 * kind of stage is zero. Sums: packets_in + duplicated == packets_out + lost +
 * marked-or-not in flight. */
struct fp_stage_counters {
	uint64_t packets_in, bytes_in; /* bytes: IP length + l2_bytes */
	uint64_t packets_out, bytes_out;
	uint64_t lost; /* by model, limit, AQM or policer, as the kind says */
	uint64_t lost_aqm; /* the part of lost that an AQM dropped */
	uint64_t marked;   /* CE marks */
	uint64_t corrupted, duplicated, reordered;
	uint64_t units_in, units_touched; /* loss: super-packets seen, and those
					     that lost a packet */
	uint64_t queue_max_pkts,
	    queue_max_bytes; /* link: highest backlog seen by an arrival */
	uint64_t wait_sum_ns,
	    wait_max_ns;  /* link: time in the queue, packets_out of them */
	uint64_t busy_ns; /* link: time the server was sending */
};

/* Tells the sum of the means of a way's delay stages. */
uint64_t fp_path_delay_ns(const struct fp_path_config *config);

/* Tells the merge_ns that suits a way of a path, given the other one: at most 1
 * ms, a tenth of the round trip, and its last delay; 0 where no delay stage
 * comes last. Short enough that no RTT shows it, and an emulator wakes up once
 * for each super-packet instead of for each packet. */
uint64_t fp_path_merge_ns(const struct fp_path_config *way,
			  const struct fp_path_config *other);

/* --- The path ------------------------------------------------------------ */

struct fp_path; /* lives in the caller's memory */

/* Tells how many bytes of memory (aligned to 8) a path of this configuration
 * needs. Pages of it that no packet ever uses are never touched, so a caller
 * may reserve generously. Returns 0 where fp_path_check() would complain. */
size_t fp_path_size_bytes(const struct fp_path_config *config);

/* Checks a configuration. Returns NULL when it is usable, else a constant
 * sentence that says what is wrong ("loss: a probability above 1"). */
const char *fp_path_check(const struct fp_path_config *config);

/* Makes a path in mem, which the caller owns, keeps in place while the path is
 * used and frees afterwards; there is nothing else to release. mem need not be
 * zeroed. Returns NULL where mem_bytes is below fp_path_size_bytes(). */
struct fp_path *fp_path_init(void *mem, size_t mem_bytes,
			     const struct fp_path_config *config);

/* Lets a packet arrive at pkt->time_ns. Times of pushes must not run backwards;
 * an earlier time is taken as the latest one seen. pkt is copied; a length
 * above 65535 is taken as that. What fp_path_pop() has yet to return takes room
 * too: a caller that never pops loses packets untold after capacity_pkts of
 * them. */
void fp_path_push(struct fp_path *path, const struct fp_pkt *pkt);

/* Takes the next packet that left, was lost or was duplicated at or before
 * now_ns, in order of that time. Returns false when there is none yet. */
bool fp_path_pop(struct fp_path *path, uint64_t now_ns, struct fp_pkt *ret_pkt);

/* Tells the earliest time at which fp_path_pop() can have something. It may be
 * too early (a packet may yet be dropped), never too late. FP_TIME_NEVER when
 * the path is empty. */
uint64_t fp_path_wake_ns(const struct fp_path *path);

/* Tells which packet will leave next, as far as that can be seen: a caller with
 * many flows can fetch what it keeps about it meanwhile. A hint: it may be
 * wrong, and NULL where the last stage does not tell. Valid until the path is
 * next pushed to or popped. */
const struct fp_pkt *fp_path_peek(const struct fp_path *path);

/* Tells how many packets are inside. */
uint32_t fp_path_inflight_pkts(const struct fp_path *path);

/* Copies the counters of stage number 0 … stage_count - 1. */
void fp_path_get_counters(const struct fp_path *path, uint32_t stage,
			  struct fp_stage_counters *ret_counters);

#endif
