/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sending end of a flow, as Linux's TCP: scoreboard, loss detection,
 * recovery, timers, pacing, bursts. It knows no path and no event loop: ACKs
 * and time come in, packets go out through its port.
 */
#ifndef SIM_SENDER_H
#define SIM_SENDER_H

#include "fullpipe/sim.h"
#include "sim/segment.h"

struct sim_sender;

struct sim_sender_config {
	uint32_t flow;
	uint32_t mss_bytes;
	uint64_t seed;
	uint32_t start_pkts; /* where the wrapping counters begin that the
				algorithm sees; 0 but in tests */
	const struct fp_cc_config *cc; /* the caller's, kept */
	struct fp_sim_tcp tcp;         /* defaults filled in */
	bool starts_open; /* with open_rtt_us as the handshake's RTT */
	uint32_t open_rtt_us;
	uint64_t open_window_bytes;       /* the peer's window then */
	const struct fp_sim_watch *watch; /* the caller's, kept */
	struct sim_port port;
};

/* Makes a sender, closed. NULL: no memory. */
struct sim_sender *sim_sender_new(const struct sim_sender_config *config);
void sim_sender_free(struct sim_sender *sender); /* accepts NULL */

/* Sends the SYN, or is open at once. */
void sim_sender_start(struct sim_sender *sender, uint64_t now_ns);

/* Tells how far the application has written: packets in all, of which the last
 * one is last_bytes long (1 … mss). UINT64_MAX: always more. An end below
 * sim_sender_next() means that: the application stops, and what has been sent
 * stands. Sends what may go. is_finished: nothing follows. */
struct sim_supply {
	uint64_t end;
	uint32_t last_bytes;
	bool is_finished;
};
void sim_sender_supply(struct sim_sender *sender,
		       const struct sim_supply *supply, uint64_t now_ns);

/* A packet of the other end has arrived. Returns 0, or -ENOMEM: the scoreboard
 * could not grow, the simulation is over. */
int sim_sender_receive(struct sim_sender *sender,
		       const struct sim_segment *segment, uint64_t now_ns);

/* A packet for it is about to be handed over. */
void sim_sender_prefetch(const struct sim_sender *sender);

/* The earliest time at which sim_sender_wake() has something to do;
 * FP_TIME_NEVER: only an ACK can move it. */
uint64_t sim_sender_wake_ns(const struct sim_sender *sender);
int sim_sender_wake(struct sim_sender *sender, uint64_t now_ns);

/* Everything up to here is acknowledged (packets). */
uint64_t sim_sender_acked(const struct sim_sender *sender);

/* The first packet that was never sent. */
uint64_t sim_sender_next(const struct sim_sender *sender);

/* The congestion window; asked at every ACK. */
uint32_t sim_sender_cwnd_pkts(const struct sim_sender *sender);

/* As TCP_INFO would say it. received_bytes is the caller's. */
void sim_sender_sample(const struct sim_sender *sender, uint64_t now_ns,
		       struct fp_sim_sample *ret_sample);

/* Fills what the sender knows of a result: sent, retransmitted, lost, spurious,
 * timeouts …, busy and limited times, snd_wnd_max_bytes, mss_bytes. */
void sim_sender_get_result(const struct sim_sender *sender, uint64_t now_ns,
			   struct fp_sim_flow_result *result);

#endif
