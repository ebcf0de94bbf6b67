/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reno's congestion control (RFC 5681) as Linux has it: net/ipv4/tcp_cong.c.
 *
 * It says how far the window grows and what a loss leaves of it. Recovery is
 * the transport's: PRR (RFC 6937) moves the window there, and these functions
 * are not called; after it the transport sets cwnd_pkts to ssthresh_pkts.
 *
 * Reads of struct fp_cc_conn: is_cwnd_limited, max_packets_out_pkts,
 * cwnd_clamp_pkts, prior_cwnd_pkts. May run on hosts and as BPF.
 */
#ifndef FULLPIPE_CC_RENO_H
#define FULLPIPE_CC_RENO_H

#include "fullpipe/cc/event.h"

/* State of one connection. Caller-owned; nothing to release. */
struct fp_reno {
	uint32_t cnt_pkts; /* acknowledged towards the next packet of window
			      (Linux: tp->snd_cwnd_cnt) */
};

/* Makes a fresh state; the window stays what it is. */
void fp_reno_init(struct fp_reno *reno, const struct fp_cc_conn *conn,
		  struct fp_cc_control *control);

/* Grows the window by ack->acked_sacked_pkts: in slow start by as much, above
 * the threshold by one packet for each window. Not where the window was not
 * used. RFC 5681, 3.1; tcp_reno_cong_avoid(). */
void fp_reno_on_ack(struct fp_reno *reno, const struct fp_cc_conn *conn,
		    const struct fp_cc_ack *ack, struct fp_cc_control *control);

/* Sets ssthresh_pkts to half the window, at least 2.
 * Differs from RFC 5681, which halves the data in flight: the window may be
 * larger than that where the application sent little, but then it did not grow
 * either. tcp_reno_ssthresh(). */
void fp_reno_on_congestion(struct fp_reno *reno, const struct fp_cc_conn *conn,
			   struct fp_cc_control *control);

/* Sets cwnd_pkts back to prior_cwnd_pkts. tcp_reno_undo_cwnd(). */
void fp_reno_on_undo(struct fp_reno *reno, const struct fp_cc_conn *conn,
		     struct fp_cc_control *control);

/* Forgets what was counted towards the next packet when a timeout begins.
 * tcp_enter_loss(). */
void fp_reno_on_state(struct fp_reno *reno, const struct fp_cc_conn *conn,
		      enum fp_ca_state next, struct fp_cc_control *control);

#endif
