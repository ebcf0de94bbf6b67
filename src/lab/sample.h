/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples of sending sockets: taken, limited in number, and summed up. */
#ifndef LAB_SAMPLE_H
#define LAB_SAMPLE_H

#include <stdint.h>

#include "lab/lab.h"
#include "sock/tcpinfo.h"

/* Widens an interval until flows sockets, looked at every sample_ns for
 * total_ns, give at most LAB_SAMPLES_MAX samples. Returns the interval in ns;
 * at least 1 ms. */
uint64_t lab_sample_interval_ns(uint64_t sample_ns, uint64_t total_ns,
				uint32_t flows);

/* Tells for how many samples there must be room: every look of total_ns, the
 * first and the last one. */
uint32_t lab_sample_capacity(uint64_t interval_ns, uint64_t total_ns,
			     uint32_t flows);

/* Copies what TCP_INFO said into a sample; flow, time_ms, received_bytes and
 * BBR's part are the caller's. */
void lab_sample_from_info(const struct sock_tcp_info *info,
			  struct lab_sample *sample);

/* Fills rtt_p50_us, rtt_p99_us and cwnd_mean_pkts of each of flow_count flows
 * from those samples that were taken at from_ms or later; from all of a flow's
 * samples where none is that late. Returns 0 or -ENOMEM. */
int lab_sample_sum_up(const struct lab_sample *samples, uint32_t sample_count,
		      uint32_t from_ms, struct lab_flow_result *flows,
		      uint32_t flow_count);

/* Returns the smallest of count sorted values that at least percent of them do
 * not exceed (nearest rank); 0 where there are none. */
uint32_t lab_percentile(const uint32_t *sorted, uint32_t count,
			uint32_t percent);

#endif
