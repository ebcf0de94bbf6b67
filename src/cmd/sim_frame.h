/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A simulated packet as bytes: IP and TCP headers as Linux writes them, with
 * the addresses and ports that the lab's flows have. What it carries is zeroes,
 * which are not in the bytes but in the checksum.
 */
#ifndef CMD_SIM_FRAME_H
#define CMD_SIM_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "fullpipe/sim.h"
#include "lab/lab.h"

#define SIM_FRAME_BYTES_MAX 100 /* IPv6, TCP and its longest options */

/* What all packets of a round have in common. */
struct sim_frames {
	bool is_ipv6;
	bool has_sack;        /* SYNs offer it (RFC 2018) */
	uint8_t window_shift; /* of both sides (RFC 7323, 2) */
	uint16_t mss_bytes;   /* SYNs say so (RFC 9293, 3.7.1) */
	enum lab_side sender; /* the lab's side that sends the data */
};

/* Returns the shift that Linux chooses for a receive buffer of at most
 * rmem_max_bytes (tcp_select_initial_window(), 6.x). */
uint8_t sim_frame_window_shift(uint64_t rmem_max_bytes);

/* Builds the headers of a packet. Sequence numbers are the stream's positions,
 * modulo 2^32. One that is damaged has a wrong checksum. ret_packet_bytes: of
 * the whole IP packet. Returns the bytes of the headers. */
uint32_t sim_frame_build(const struct sim_frames *frames,
			 const struct fp_sim_packet *packet,
			 uint8_t ret_bytes[SIM_FRAME_BYTES_MAX],
			 uint32_t *ret_packet_bytes);

#endif
