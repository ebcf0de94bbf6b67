/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A TCP packet on its way. Sequence space is counted in packets: every data
 * packet is one MSS long but the last of a transfer, so a stream position in
 * packets says the one in bytes.
 */
#ifndef SIM_SEGMENT_H
#define SIM_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_SACKS_MAX 3 /* with timestamps, 3 blocks fit (RFC 2018, 3) */

/* Timestamps are the time in us from here on, so that 0 can mean "none". */
#define SIM_EPOCH_US UINT64_C(1000000)

struct sim_block { /* packets start … end - 1 */
	uint64_t start, end;
};

struct sim_segment {
	uint32_t flow;
	uint32_t unit; /* the burst (skb) that it left in, and its place */
	uint16_t index;
	bool is_back; /* from the receiver's side */
	bool is_syn, is_fin, is_cwr, is_ece, is_ce;
	bool is_retrans;
	bool is_push;    /* forward data: the last that the application has
			    written (PSH; RFC 9293, 3.9.1.2) */
	bool is_request; /* back: carries the next request */
	uint32_t payload_bytes; /* 0: pure ACK */
	uint64_t seq;           /* forward data: its number, from 0 */
	uint64_t end_bytes;     /* forward data: stream position after it */
	uint64_t ack;           /* back: next packet expected */
	uint64_t ack_bytes;     /* back: as bytes of the stream */
	uint64_t window_bytes;  /* back: from ack_bytes on */
	uint32_t requests;      /* back: how many were made in all */
	uint64_t tsval_us, tsecr_us; /* RFC 7323, finer than on the wire */
	uint32_t sack_count;
	bool has_dsack; /* the first block is one (RFC 2883) */
	struct sim_block sacks[SIM_SACKS_MAX];
};

/* Where one end of a flow puts its packets: a copy is taken. */
struct sim_port {
	void (*transmit)(void *context, const struct sim_segment *segment,
			 uint64_t now_ns);
	void *context;
};

#endif
