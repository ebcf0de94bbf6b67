/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One round: a process tree with a sender and a receiver, and the memory that
 * they share with the caller.
 *
 * Time line of a bulk round; all times are CLOCK_MONOTONIC:
 *
 *	connect()s …  all connected | warm-up | measured time | end
 *	              ^ start_ns              ^ first and last snapshot
 *
 * Flows wait for each other before they send, so that flows of several
 * algorithms start together and a lost SYN costs no measured time. A finite
 * transfer has no warm-up and sends at once: its start_ns is the first
 * connect(), and it ends when everything has arrived.
 */
#ifndef LAB_ROUND_H
#define LAB_ROUND_H

#include <stdatomic.h>
#include <stdint.h>

#include "lab/lab.h"
#include "lab/process.h"

/* Who takes part, by what it does; is_reverse decides on which side. */
enum lab_role { LAB_ROLE_SENDER, LAB_ROLE_RECEIVER, LAB_ROLES };

struct lab_flow_shared {
	struct lab_flow_result result;
	atomic_ullong received_bytes; /* receiver; all until now */
	uint64_t connect_ns;          /* sender; start of connect(); 0: none */
	uint64_t last_read_ns;        /* receiver; last byte read */
	uint64_t bytes_at_start;      /* receiver; when measuring began */
	uint64_t bytes_at_end;        /* receiver; when it ended */
	bool has_arrived;             /* receiver; accepted */
};

struct lab_round_shared {
	struct lab_shared tree;
	atomic_ullong start_ns;                    /* sender; 0: not yet */
	uint64_t measure_start_ns, measure_end_ns; /* receiver's snapshots */
	double cpu_s[LAB_ROLES];                   /* since their fork */
	uint64_t sample_ns;                        /* interval that is used */
	uint32_t sample_capacity;                  /* fixed */
	atomic_uint sample_count;                  /* sender */
	uint32_t flow_count;                       /* fixed */
	char note[LAB_ROLES][128];
	struct lab_flow_shared flows[]; /* flow_count, then the samples */
};

struct lab_round_run {
	const struct lab_round *round;
	struct lab_tree tree;
	struct lab_round_shared *shared;
	size_t shared_bytes;
	struct lab_sample *samples; /* in shared */
	uint64_t warmup_ns;         /* 0 for a finite transfer */
	uint64_t connect_limit_ns;  /* what is not connected then has failed */
	uint64_t stall_ns;          /* nothing arrives for so long: the end */
	int listening_fd;           /* eventfd: the receiver listens */
	int document_fd;            /* memfd: what iperf3 prints; -1: none */
};

/* Starts a round, the slot-th of those that run at once. Returns 0 or a
 * negative errno with error. Then lab_round_collect() must be called once
 * tree.pidfd is readable. */
int lab_round_start(struct lab_round_run *run, const struct lab_round *round,
		    uint32_t slot, struct fp_error *error);

/* Waits for the round's end, or kills it, fills the result and releases the
 * round. */
void lab_round_collect(struct lab_round_run *run, bool is_killed,
		       struct lab_result *ret_result);

/* Adds a sentence to the note of a result; an empty one adds nothing. */
void lab_result_add_note(struct lab_result *result, const char *text);

/* Bytes that the receiver has read until now: of all flows, and into
 * ret_flow_bytes of each of the first LAB_PROGRESS_FLOWS (0 past the last). */
uint64_t lab_round_received_bytes(const struct lab_round_run *run,
				  uint64_t ret_flow_bytes[LAB_PROGRESS_FLOWS]);

/* Returns bytes in time_ns as bits per second; 0 where no time passed. */
uint64_t lab_rate_bps(uint64_t bytes, uint64_t time_ns);

/* Seconds that a round takes, by its own words: warm-up and duration. */
double lab_round_total_s(const struct lab_round *round);

/* The two processes; run() of struct lab_child. */
int lab_flow_send(void *context, struct fp_error *error);
int lab_flow_receive(void *context, struct fp_error *error);

/* The same by iperf3: the server (and its wait for the port) and the client,
 * whose document goes to document_fd. */
int lab_iperf3_serve(void *context, struct fp_error *error);
int lab_iperf3_call(void *context, struct fp_error *error);

/* Reads iperf3's document into the flows of the shared memory and returns it
 * (the caller frees it), or NULL with error. */
char *lab_iperf3_read(struct lab_round_run *run, struct fp_error *error);

/* Tells whether this round can be given to iperf3. Returns 0, or a negative
 * errno with error: no iperf3, several groups, too many flows for it. */
int lab_iperf3_check(const struct lab_round *round, struct fp_error *error);

/* Waits until the receiving end listens. Returns false when the round was told
 * to end before that. */
bool lab_round_wait_listening(const struct lab_round_run *run);

/* Lets this process hold a descriptor for each flow, as far as it may. */
void lab_raise_fd_limit(void);

/* The address of a side in the family of a path, with a port (host order). */
struct sockaddr_storage;
unsigned lab_address(const struct lab_path *path, enum lab_side side,
		     uint16_t port, struct sockaddr_storage *ret_address);

#endif
