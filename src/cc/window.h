/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CC_WINDOW_H
#define CC_WINDOW_H

#include "fullpipe/cc/event.h"

/* How Reno and CUBIC move a window; each function is one of Linux's. */

/* Returns a window that lies between 1 and the caller's clamp. */
uint32_t cc__clamp_cwnd(const struct fp_cc_conn *conn, uint64_t cwnd_pkts);

/* Is the window below the threshold? (tcp_in_slow_start()) */
bool cc__is_in_slow_start(const struct fp_cc_control *control);

/* May the window grow, that is: was it used? In slow start half of it is
 * enough. (tcp_is_cwnd_limited(); RFC 7661) */
bool cc__is_cwnd_limited(const struct fp_cc_conn *conn,
			 const struct fp_cc_control *control);

/* Grows by a packet for each one that was acknowledged, up to the threshold.
 * Returns what is left of acked_pkts then. (tcp_slow_start()) */
uint32_t cc__slow_start(const struct fp_cc_conn *conn, uint32_t acked_pkts,
			struct fp_cc_control *control);

/* Grows by a packet for every "every_pkts" that were acknowledged; *cnt_pkts
 * keeps the rest. every_pkts: >= 1. (tcp_cong_avoid_ai()) */
void cc__grow(const struct fp_cc_conn *conn, uint32_t every_pkts,
	      uint32_t acked_pkts, uint32_t *cnt_pkts,
	      struct fp_cc_control *control);

/* The window that a reduction is taken back to: not below the one before it.
 * (tcp_reno_undo_cwnd()) */
uint32_t cc__undo_cwnd(const struct fp_cc_conn *conn,
		       const struct fp_cc_control *control);

#endif
