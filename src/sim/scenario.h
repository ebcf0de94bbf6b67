/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What follows from a scenario without running it: sizes of packets and
 * windows, and the empty path's round trip.
 */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "fullpipe/sim.h"
#include "sim/segment.h"

#define SIM_MTU_MIN_BYTES 576
#define SIM_MTU_MAX_BYTES 65535
#define SIM_TCP_BYTES     20 /* RFC 9293, 3.1 */
#define SIM_TSTAMP_BYTES  12 /* RFC 7323, appendix A: with its padding */
/* Options of a SYN: MSS 4, SACK permitted and timestamps 12, window scale 4. */
#define SIM_SYN_BYTES     20
#define SIM_SACK_BYTES    4 /* option and padding, before the blocks of 8 */
#define SIM_BLOCK_BYTES   8
#define SIM_SACKS_BYTES   (SIM_SACK_BYTES + SIM_SACKS_MAX * SIM_BLOCK_BYTES)

/* Bytes of the IP and TCP headers with timestamps. */
uint32_t sim_scenario_header_bytes(const struct fp_sim_config *config);

/* Payload of a full packet. */
uint32_t sim_scenario_mss_bytes(const struct fp_sim_config *config);

/* The hosts, with what is 0 set to what it means; delayed_ack_ns stays. */
void sim_scenario_tcp(const struct fp_sim_config *config,
		      struct fp_sim_tcp *ret_tcp);

/* The largest window that a receiver of these hosts (defaults filled in) can
 * offer. */
uint64_t sim_scenario_window_bytes(const struct fp_sim_tcp *tcp);

/* Round trip of a handshake on the empty path: mean delays, and the time of a
 * SYN and its answer on each link. At least 1. */
uint32_t sim_scenario_rtt_us(const struct fp_sim_config *config);

/* Packets that can be inside a way: twice what all windows hold (a window can
 * be sent again), within bounds. Room, not memory: see fp_path_size_bytes(). */
uint32_t sim_scenario_capacity_pkts(const struct fp_sim_config *config);

#endif
