/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An algorithm between a test's hands: events one at a time. */
#ifndef TESTS_UNIT_CC_DRIVER_H
#define TESTS_UNIT_CC_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fullpipe/cc.h"

struct cc_driver {
	struct fp_cc cc;
	struct fp_cc_conn conn;
	struct fp_cc_control control;
};

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* Moves both clocks. */
static inline void cc_at(struct cc_driver *driver, uint64_t now_ns)
{
	driver->conn.now_ns = now_ns;
	driver->conn.now_ticks =
	    (uint32_t)(now_ns / (S / driver->conn.clock_hz));
}

/* Ten seconds after the clocks' origin, a window that is always used. */
static inline void cc_begin(struct cc_driver *driver, const char *name,
			    uint32_t cwnd_pkts, uint32_t ssthresh_pkts)
{
	const struct cc_driver fresh = {
		.conn = { .clock_hz = 250,
			  .cwnd_clamp_pkts = UINT32_MAX,
			  .is_cwnd_limited = true,
			  .has_sack = true,
			  .mss_bytes = 1448,
			  .gso_max_bytes = 65536,
			  .min_rtt_us = UINT32_MAX,
			  .max_pacing_rate_bytes_per_s = UINT64_MAX },
		.control = { .cwnd_pkts = cwnd_pkts,
			     .ssthresh_pkts = ssthresh_pkts },
	};
	struct fp_cc_config config;
	const char *wrong = fp_cc_parse(name, &config);

	if (wrong)
		fail_msg("%s: %s", name, wrong);
	*driver = fresh;
	cc_at(driver, 10 * S);
	fp_cc_init(&driver->cc, &config, &driver->conn, &driver->control);
}

/* One ACK of so many packets. Returns the window. */
static inline uint32_t cc_ack(struct cc_driver *driver, uint32_t pkts)
{
	struct fp_cc_ack ack = { .now_ns = driver->conn.now_ns,
				 .rtt_us = -1,
				 .acked_sacked_pkts = pkts,
				 .acked_pkts = pkts };

	driver->conn.delivered_pkts += pkts;
	fp_cc_on_ack(&driver->cc, &driver->conn, &ack, &driver->control);
	return driver->control.cwnd_pkts;
}

static inline void cc_rtt(struct cc_driver *driver, uint32_t rtt_us)
{
	fp_cc_on_rtt(&driver->cc, &driver->conn, rtt_us, &driver->control);
}

/* A loss, and a recovery that takes no time. Returns the threshold. */
static inline uint32_t cc_lose(struct cc_driver *driver)
{
	struct fp_cc_control *control = &driver->control;

	driver->conn.prior_cwnd_pkts = control->cwnd_pkts;
	fp_cc_on_congestion(&driver->cc, &driver->conn, control);
	control->cwnd_pkts = control->ssthresh_pkts;
	return control->ssthresh_pkts;
}

/* A retransmission timeout with everything lost: a window of one. */
static inline void cc_time_out(struct cc_driver *driver)
{
	struct fp_cc_control *control = &driver->control;

	driver->conn.prior_cwnd_pkts = control->cwnd_pkts;
	fp_cc_on_congestion(&driver->cc, &driver->conn, control);
	control->cwnd_pkts = 1;
	fp_cc_on_state(&driver->cc, &driver->conn, FP_CA_LOSS, control);
	driver->conn.ca_state = FP_CA_LOSS;
}

static inline void cc_undo(struct cc_driver *driver)
{
	fp_cc_on_undo(&driver->cc, &driver->conn, &driver->control);
}

#endif
