/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The moves that Reno and CUBIC share (Linux net/ipv4/tcp_cong.c). */
#include "cc/window.h"

uint32_t cc__clamp_cwnd(const struct fp_cc_conn *conn, uint64_t cwnd_pkts)
{
	uint64_t most = conn->cwnd_clamp_pkts;

	if (most > FP_CC_CWND_MAX_PKTS)
		most = FP_CC_CWND_MAX_PKTS;
	if (cwnd_pkts > most)
		cwnd_pkts = most;
	return cwnd_pkts != 0 ? (uint32_t)cwnd_pkts : 1;
}

bool cc__is_in_slow_start(const struct fp_cc_control *control)
{
	return control->cwnd_pkts < control->ssthresh_pkts;
}

bool cc__is_cwnd_limited(const struct fp_cc_conn *conn,
			 const struct fp_cc_control *control)
{
	if (conn->is_cwnd_limited)
		return true;
	return cc__is_in_slow_start(control) &&
	       control->cwnd_pkts < UINT64_C(2) * conn->max_packets_out_pkts;
}

uint32_t cc__slow_start(const struct fp_cc_conn *conn, uint32_t acked_pkts,
			struct fp_cc_control *control)
{
	uint32_t room = control->ssthresh_pkts - control->cwnd_pkts;
	uint32_t used = acked_pkts < room ? acked_pkts : room;

	control->cwnd_pkts =
	    cc__clamp_cwnd(conn, (uint64_t)control->cwnd_pkts + used);
	return acked_pkts - used;
}

void cc__grow(const struct fp_cc_conn *conn, uint32_t every_pkts,
	      uint32_t acked_pkts, uint32_t *cnt_pkts,
	      struct fp_cc_control *control)
{
	uint64_t cwnd_pkts = control->cwnd_pkts;
	uint64_t cnt = *cnt_pkts;

	/* Counted up while the step was longer: one packet, not several at
	 * once. */
	if (cnt >= every_pkts) {
		cnt = 0;
		cwnd_pkts++;
	}
	cnt += acked_pkts;
	cwnd_pkts += cnt / every_pkts;
	*cnt_pkts = (uint32_t)(cnt % every_pkts);
	control->cwnd_pkts = cc__clamp_cwnd(conn, cwnd_pkts);
}

uint32_t cc__undo_cwnd(const struct fp_cc_conn *conn,
		       const struct fp_cc_control *control)
{
	uint32_t cwnd_pkts = control->cwnd_pkts;

	if (cwnd_pkts < conn->prior_cwnd_pkts)
		cwnd_pkts = conn->prior_cwnd_pkts;
	return cc__clamp_cwnd(conn, cwnd_pkts);
}
