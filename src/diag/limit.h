/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What held a flow back, from what was counted and timed while it ran. */
#ifndef DIAG_LIMIT_H
#define DIAG_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diag_limit {
	DIAG_LIMIT_UNKNOWN, /* nothing stands out */
	DIAG_LIMIT_FAILED,  /* no connection, or reset */
	DIAG_LIMIT_STALLED, /* nothing arrived any more */
	DIAG_LIMIT_LINK,    /* the rate of the bottleneck */
	DIAG_LIMIT_RWND,    /* the receiver's window */
	DIAG_LIMIT_SNDBUF,  /* the sender's buffer */
	DIAG_LIMIT_CPU,     /* a core of this machine was full */
	DIAG_LIMIT_LOSS,    /* loss that is not congestion */
	DIAG_LIMIT_QUEUE,   /* packets that the bottleneck's queue dropped */
	DIAG_LIMIT_POLICER, /* packets that a policer dropped */
	DIAG_LIMIT_MARKS,   /* ECN marks, without drops */
	DIAG_LIMIT_APPLICATION, /* the sender had nothing to send */
	DIAG_LIMIT_RECEIVER,    /* it read, or opened its window, too slowly */
	DIAG_LIMIT_STARTUP,     /* over before the rate was found */
};

/* The flows of one algorithm in one round, added up. 0: none or not known. */
struct diag_flow {
	double goodput_bps;
	double
	    link_bps; /* payload that the bottleneck can carry; 0: no limit */
	double total_bps;  /* goodput of all that share the bottleneck */
	double fair_bps;   /* an equal part of the link; 0: not shared */
	double elapsed_us; /* while the flows ran, times their number */
	double busy_us, rwnd_limited_us, sndbuf_limited_us; /* TCP_INFO */
	/* shares of packets, as counted; loss: and damaged ones */
	double loss, queue_loss, policer_loss, marked;
	double rwnd_ceiling_bps; /* what the largest window seen carries */
	double core_share; /* busiest of sender, receiver, emulator: 0 … 1 of a
			      core */
	double machine_share; /* all three, 0 … 1 of the machine's cores */
	double rtt_us;
	double offered_bps; /* all that the application had to send, where that
			       is a steady rate */
	bool is_finite;     /* a transfer of so many bytes */
	bool has_always_data; /* the sender never pauses by itself */
	bool is_stalled, has_failed;
};

/* Names what limited these flows: the first that holds of failed, stalled,
 * link (90 % of it used, and at least half of an equal part taken), receive
 * window (10 % of the busy time, and a fifth of what the window carries), send
 * buffer (10 % of the busy time), CPU (80 % of a core, or 75 % of the machine),
 * application (98 % of a steady stream arrived), start-up (a transfer that took
 * less than 20 RTT), what dropped most of policer, loss and queue, marks,
 * receiver (the window closed, but was large enough), and, when TCP was busy
 * for less than 80 % of the time, CPU (of a sender that always has data) or
 * application. */
enum diag_limit diag_limit_of(const struct diag_flow *flow);

/* Tells the word for a report: "loss", "receive window". Constant. */
const char *diag_limit_word(enum diag_limit limit);

#endif
