/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CUBIC, as Linux 6.12 has it (net/ipv4/tcp_cubic.c), or as RFC 9438 says.
 *
 * The two differ in a dozen places. Each is one switch with a name; a profile
 * is a set of them, and any other set is an algorithm as well. With
 * FP_CUBIC_LINUX every field of the state is bit for bit the kernel's, as long
 * as the window stays below 2.4 million packets, where the kernel's 32 bits
 * overflow.
 *
 * As with Reno (fullpipe/cc/reno.h) recovery is the transport's: fp_cubic_on_
 * ack() is called where the window may grow, fp_cubic_on_congestion() says what
 * a loss leaves of it.
 *
 * Reads of struct fp_cc_conn: now_ticks, last_sent_ticks, clock_hz, now_ns,
 * is_cwnd_limited, max_packets_out_pkts, packets_out_pkts, cwnd_clamp_pkts,
 * prior_cwnd_pkts, srtt_us, and what fullpipe/cc/hystart.h names. May run on
 * hosts and as BPF.
 */
#ifndef FULLPIPE_CC_CUBIC_H
#define FULLPIPE_CC_CUBIC_H

#include "fullpipe/cc/event.h"
#include "fullpipe/cc/hystart.h"

/* Bits of fp_cubic_config.switches; in brackets: the word for fp_cc_parse(). */
enum fp_cubic_switch {
	/* A loss below the last maximum is taken for a new flow that wants
	 * room: the maximum becomes 0.85 of the window (RFC 9438, 4.7).
	 * [fast_convergence] */
	FP_CUBIC_FAST_CONVERGENCE = 1 << 0,
	/* Not slower than Reno would be (RFC 9438, 4.3). [reno_friendly] */
	FP_CUBIC_RENO_FRIENDLY = 1 << 1,
	/* Until the first loss, and after a timeout, the window grows by at
	 * least 5 % a round. Linux only. [first_growth] */
	FP_CUBIC_FIRST_GROWTH = 1 << 2,
	/* Linux leaves first slow start by HyStart. [hystart] */
	FP_CUBIC_HYSTART = 1 << 3,
	/* RFC 9406; goes before FP_CUBIC_HYSTART. [hystart++] */
	FP_CUBIC_HYSTARTPP = 1 << 4,
	/* Each ACK moves along the curve, in steps of 1/1024 s. Linux: once a
	 * tick, or in 1/32 s where the window has not changed. [fine_clock] */
	FP_CUBIC_FINE_CLOCK = 1 << 5,
	/* beta = 0.7, C = 0.4 and a true cube root. Linux: 717/1024, 410/1024,
	 * a table and one Newton step. [exact_constants] */
	FP_CUBIC_EXACT_CONSTANTS = 1 << 6,
	/* Windows are real numbers: it grows by (target - cwnd) / cwnd for each
	 * packet (RFC 9438, 4.4), and what is left of a packet is kept, also
	 * at a loss. Linux: whole packets, one for each cwnd / (target - cwnd)
	 * that are acknowledged, all rounded down. [fraction] */
	FP_CUBIC_FRACTION = 1 << 7,
	/* Looks ahead by the smoothed RTT (RFC 9438, 4.2). Linux: by the least
	 * one. [smoothed_rtt] */
	FP_CUBIC_SMOOTHED_RTT = 1 << 8,
	/* Reno's share is 9/17 of a packet a round, and 1 once it is back at
	 * the window before the loss (RFC 9438, 4.3). Linux: 8/15 for ever.
	 * [reno_alpha] */
	FP_CUBIC_RENO_ALPHA = 1 << 9,
	/* Below Reno's window the window is set to it (RFC 9438, 4.3). Linux:
	 * grows towards it. [reno_window] */
	FP_CUBIC_RENO_WINDOW = 1 << 10,
	/* A loss leaves beta of what was in flight (RFC 9438, 4.6), as QUIC
	 * stacks and ns-3 do too. Linux: of the window. [flight_ssthresh] */
	FP_CUBIC_FLIGHT_SSTHRESH = 1 << 11,
	/* A timeout keeps the last maximum, as ns-3 does (its issue 1085). RFC
	 * 9438, 4.8, and Linux: forgets it. [timeout_keeps_max] */
	FP_CUBIC_TIMEOUT_KEEPS_MAX = 1 << 12,
	/* A loss that was none is undone in the curve as well (RFC 9438, 4.9).
	 * Linux: only in the window. [undo_curve] */
	FP_CUBIC_UNDO_CURVE = 1 << 13,
	/* Time in which the window was not used does not count on the curve
	 * (RFC 9438, 4.2). Linux: only time without anything in flight.
	 * [app_limited_time] */
	FP_CUBIC_APP_LIMITED_TIME = 1 << 14,
};

/* The profiles. */
#define FP_CUBIC_LINUX                                                         \
	(FP_CUBIC_FAST_CONVERGENCE | FP_CUBIC_RENO_FRIENDLY |                  \
	 FP_CUBIC_FIRST_GROWTH | FP_CUBIC_HYSTART)
#define FP_CUBIC_RFC9438                                                       \
	(FP_CUBIC_FAST_CONVERGENCE | FP_CUBIC_RENO_FRIENDLY |                  \
	 FP_CUBIC_HYSTARTPP | FP_CUBIC_FINE_CLOCK | FP_CUBIC_EXACT_CONSTANTS | \
	 FP_CUBIC_FRACTION | FP_CUBIC_SMOOTHED_RTT | FP_CUBIC_RENO_ALPHA |     \
	 FP_CUBIC_RENO_WINDOW | FP_CUBIC_FLIGHT_SSTHRESH |                     \
	 FP_CUBIC_UNDO_CURVE | FP_CUBIC_APP_LIMITED_TIME)

struct fp_cubic_config {
	uint32_t switches; /* enum fp_cubic_switch */
};

/* Where the window is on the curve, and what Reno's would be. Packets x 128;
 * whole packets unless FP_CUBIC_FRACTION. */
struct fp_cubic_curve {
	uint32_t last_max_pkts_x128; /* window at the last loss; 0: none yet
					[last_max_cwnd] */
	uint32_t origin_pkts_x128;   /* where the curve is flat
					[bic_origin_point] */
	uint32_t reno_pkts_x128;     /* window that Reno would have [tcp_cwnd]
				      */
	uint32_t k_1024ths;          /* time from the epoch's start to where it
					is flat, 1/1024 s [bic_K] */
	uint32_t epoch_start; /* on the clock of the curve, see cubic.c; 0:
				 none runs [epoch_start] */
};

/* State of one connection. Caller-owned; nothing to release. In brackets: the
 * field of Linux's struct bictcp, or of struct tcp_sock. */
struct fp_cubic {
	struct fp_cubic_config config;
	uint32_t cnt_pkts; /* acknowledged towards the next packet of window
			      [tcp_sock.snd_cwnd_cnt] */
	union {
		uint32_t every_pkts; /* a packet of window for so many [cnt] */
		uint32_t step_shl32; /* FP_CUBIC_FRACTION: of a packet of
					window, x 2^32, for each one */
	};
	union {
		uint32_t ack_cnt_pkts; /* acknowledged towards the next packet
					  of Reno's window [ack_cnt] */
		uint32_t reno_rest_shl16; /* FP_CUBIC_FRACTION: of 1/128 packet
					     of Reno's window, x 2^16 */
	};
	uint32_t last_cwnd_pkts; /* at the last look at the curve [last_cwnd] */
	uint32_t last_time;      /* of it, clock of the curve [last_time] */
	uint32_t delay_min_us;   /* least RTT; 0: none yet [delay_min] */
	struct fp_cubic_curve curve;
	struct fp_hystart hystart;
	/* what RFC 9438 has and Linux has not */
	uint32_t fraction_shl32;       /* of a packet of window, x 2^32 */
	uint32_t cwnd_prior_pkts_x128; /* window at the last loss */
	struct fp_cubic_curve saved;   /* before it */
};

/* Makes a fresh state; the window stays what it is. cubictcp_init(). */
void fp_cubic_init(struct fp_cubic *cubic, const struct fp_cubic_config *config,
		   const struct fp_cc_conn *conn,
		   struct fp_cc_control *control);

/* Takes a round trip; ends slow start where HyStart says so. cubictcp_acked().
 */
void fp_cubic_on_rtt(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		     uint32_t rtt_us, struct fp_cc_control *control);

/* Grows the window by what ack->acked_sacked_pkts allow, if it was used.
 * cubictcp_cong_avoid(). */
void fp_cubic_on_ack(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		     const struct fp_cc_ack *ack,
		     struct fp_cc_control *control);

/* Sets ssthresh_pkts, at least 2, and ends the epoch. ECN is a loss like any
 * other (RFC 9438, 4.6). cubictcp_recalc_ssthresh(). */
void fp_cubic_on_congestion(struct fp_cubic *cubic,
			    const struct fp_cc_conn *conn,
			    struct fp_cc_control *control);

/* Sets cwnd_pkts back to prior_cwnd_pkts. tcp_reno_undo_cwnd(). */
void fp_cubic_on_undo(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		      struct fp_cc_control *control);

/* Forgets the path when a timeout begins. cubictcp_state(). */
void fp_cubic_on_state(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		       enum fp_ca_state next, struct fp_cc_control *control);

/* FP_CC_TX_START: leaves idle time out of the curve. cubictcp_cwnd_event(). */
void fp_cubic_on_event(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		       enum fp_cc_event event, struct fp_cc_control *control);

#endif
