/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reno.
 *
 *	slow start:            cwnd += acked              while cwnd < ssthresh
 *	congestion avoidance:  cwnd += acked / cwnd
 *	congestion:            ssthresh = cwnd / 2
 *
 * With loss at every 1/p packets the window saws between W/2 and W, where
 * 3/8 W^2 = 1/p: its mean is 3/4 W = sqrt(3 / (2 p)).
 */
#include "fullpipe/cc/reno.h"

#include "cc/window.h"

/* icsk_ca_priv of Linux has room for this. */
_Static_assert(sizeof(struct fp_reno) <= 104, "must fit into a socket");

#define RENO_SSTHRESH_MIN_PKTS 2u /* RFC 5681, eq. 4 */

void fp_reno_init(struct fp_reno *reno, const struct fp_cc_conn *conn,
		  struct fp_cc_control *control)
{
	reno->cnt_pkts = 0;
	control->cwnd_pkts = cc__clamp_cwnd(conn, control->cwnd_pkts);
}

void fp_reno_on_ack(struct fp_reno *reno, const struct fp_cc_conn *conn,
		    const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	uint32_t acked_pkts = ack->acked_sacked_pkts;

	control->cwnd_pkts = cc__clamp_cwnd(conn, control->cwnd_pkts);
	if (!cc__is_cwnd_limited(conn, control))
		return;
	if (cc__is_in_slow_start(control)) {
		acked_pkts = cc__slow_start(conn, acked_pkts, control);
		if (acked_pkts == 0)
			return;
	}
	cc__grow(conn, control->cwnd_pkts, acked_pkts, &reno->cnt_pkts,
		 control);
}

void fp_reno_on_congestion(struct fp_reno *reno, const struct fp_cc_conn *conn,
			   struct fp_cc_control *control)
{
	uint32_t half_pkts = control->cwnd_pkts / 2;

	reno->cnt_pkts = 0;
	control->ssthresh_pkts = half_pkts > RENO_SSTHRESH_MIN_PKTS
				     ? half_pkts
				     : RENO_SSTHRESH_MIN_PKTS;
}

void fp_reno_on_undo(struct fp_reno *reno, const struct fp_cc_conn *conn,
		     struct fp_cc_control *control)
{
	control->cwnd_pkts = cc__undo_cwnd(conn, control);
}

void fp_reno_on_state(struct fp_reno *reno, const struct fp_cc_conn *conn,
		      enum fp_ca_state next, struct fp_cc_control *control)
{
	if (next == FP_CA_LOSS)
		reno->cnt_pkts = 0;
}
