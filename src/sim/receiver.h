/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The receiving end of a flow, as Linux's TCP: reordering, SACK and DSACK,
 * delayed and stretched ACKs, window and its autotuning. Its application reads
 * at once.
 */
#ifndef SIM_RECEIVER_H
#define SIM_RECEIVER_H

#include "fullpipe/sim.h"
#include "sim/segment.h"

struct sim_receiver;

struct sim_receiver_config {
	uint32_t flow;
	uint32_t mss_bytes;
	struct fp_sim_tcp tcp; /* defaults filled in */
	bool starts_open;
	uint32_t open_rtt_us;
	uint64_t request_bytes; /* source REQUESTS; 0: makes none */
	struct sim_port port;
};

struct sim_receiver *sim_receiver_new(const struct sim_receiver_config *config);
void sim_receiver_free(struct sim_receiver *receiver); /* accepts NULL */

/* Packets that arrive together, put into one as GRO does: pkts of them, in a
 * row from segment->seq on. payload_bytes is their sum; end_bytes, is_fin and
 * is_push are the last one's. One ACK decision is made for all. Returns 0 or
 * -ENOMEM. */
int sim_receiver_receive(struct sim_receiver *receiver,
			 const struct sim_segment *segment, uint32_t pkts,
			 uint64_t now_ns);

/* A packet for it is about to be handed over. */
void sim_receiver_prefetch(const struct sim_receiver *receiver);

/* Delayed ACK, request that was not answered. */
uint64_t sim_receiver_wake_ns(const struct sim_receiver *receiver);
int sim_receiver_wake(struct sim_receiver *receiver, uint64_t now_ns);

/* The connection is open on this side: a request can be made. */
bool sim_receiver_is_open(const struct sim_receiver *receiver);

/* Makes the next request (source REQUESTS). */
void sim_receiver_request(struct sim_receiver *receiver, uint64_t now_ns);

/* In order until now: packets, and bytes of payload. */
uint64_t sim_receiver_next(const struct sim_receiver *receiver);
uint64_t sim_receiver_bytes(const struct sim_receiver *receiver);

/* The window that it offers at the moment when a flow starts open. */
uint64_t sim_receiver_window_bytes(const struct sim_receiver *receiver);

#endif
