/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sending application of a flow: how much it has written, and when that
 * changes. It knows nothing of TCP.
 */
#ifndef SIM_SOURCE_H
#define SIM_SOURCE_H

#include "fullpipe/sim.h"
#include "sim/sender.h"

struct sim_source {
	const struct fp_sim_flow *flow; /* the caller's, kept */
	uint32_t mss_bytes;
	struct sim_supply supply; /* as the sender is to be told it */
	uint64_t wake_ns;         /* of sim_source_wake() */
	uint64_t change_ns;       /* next change of its own accord */
	uint64_t work;            /* STREAM: left over from the last packet, in
				     bits x ns per second */
	uint64_t asked;           /* REQUESTS: that came */
	bool has_started, is_on, is_over;
};

/* Makes the application of a flow, before its start. */
void sim_source_init(struct sim_source *source, const struct fp_sim_flow *flow,
		     uint32_t mss_bytes);

/* Works off what is due at now_ns: start, next writing, stop. sent_pkts: what
 * the sender has sent so far; where the application stops with more to say,
 * that stands. Returns whether the supply has changed. */
bool sim_source_wake(struct sim_source *source, uint64_t sent_pkts,
		     uint64_t now_ns);

/* Requests 1 … count have come in. Returns whether the supply has changed. */
bool sim_source_ask(struct sim_source *source, uint64_t count);

/* Tells how many packets each reply has, and how many bytes each request; with
 * REQUESTS only. */
uint64_t sim_source_reply_pkts(const struct sim_source *source);
uint32_t sim_source_request_bytes(const struct fp_sim_flow *flow);

#endif
