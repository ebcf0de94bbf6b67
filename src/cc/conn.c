/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fullpipe/cc/event.h"

#define NS_PER_S UINT64_C(1000000000)

void fp_cc_conn_init(struct fp_cc_conn *conn, uint32_t mss_bytes)
{
	const struct fp_cc_conn fresh = {
		.cwnd_clamp_pkts = FP_CC_CWND_MAX_PKTS,
		.mss_bytes = mss_bytes,
		.min_rtt_us = UINT32_MAX,
		.gso_max_bytes = mss_bytes,
		.clock_hz = 1000,
		.pacing_shift = 10,
		.min_tso_pkts = 1,
		.has_sack = true,
		.max_pacing_rate_bytes_per_s = UINT64_MAX,
	};

	*conn = fresh;
}

void fp_cc_conn_set_now(struct fp_cc_conn *conn, uint64_t now_ns)
{
	/* by parts: the product would overflow after 213 days */
	conn->now_ns = now_ns;
	conn->now_ticks =
	    (uint32_t)(now_ns / NS_PER_S * conn->clock_hz +
		       now_ns % NS_PER_S * conn->clock_hz / NS_PER_S);
}
