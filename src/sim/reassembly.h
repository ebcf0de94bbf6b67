/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a receiver holds beyond a hole: which packets (a ring of bits), and what
 * it says about them (SACK blocks as Linux keeps them).
 */
#ifndef SIM_REASSEMBLY_H
#define SIM_REASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/segment.h"

/* Blocks that are remembered (Linux: TCP_NUM_SACKS); SIM_SACKS_MAX are sent. */
#define SIM_SACKS_KEPT 4

struct sim_reassembly {
	uint64_t next;  /* first packet that is missing */
	uint64_t *bits; /* of packets above next, by number modulo the ring */
	uint32_t words; /* of the ring: a power of two */
	uint32_t held;  /* packets above next */
	uint32_t sack_count;
	bool has_dsack;
	struct sim_block sacks[SIM_SACKS_KEPT]; /* newest first */
	struct sim_block dsack;
};

/* Makes an empty one that waits for packet 0. Returns 0 or -ENOMEM. */
int sim_reassembly_init(struct sim_reassembly *set);
void sim_reassembly_fini(struct sim_reassembly *set);

/* Packets start … end - 1 came, start <= next < end: next moves on, over what
 * was held too. What was held already is told as a duplicate. Returns how many
 * packets next has moved. */
uint64_t sim_reassembly_advance(struct sim_reassembly *set, uint64_t end);

/* Packets start … end - 1 came, start > next: they are held, and their block is
 * the first now (Linux: tcp_sack_new_ofo_skb()). Returns 0 or -ENOMEM. */
int sim_reassembly_hold(struct sim_reassembly *set,
			const struct sim_block *packets);

/* Tells how many blocks stand before the one that packets would join; all of
 * them where it would be a new one. */
uint32_t sim_reassembly_rank(const struct sim_reassembly *set,
			     const struct sim_block *packets);

/* Tells of packets that came twice: the next ACK says so (RFC 2883). */
void sim_reassembly_duplicate(struct sim_reassembly *set, uint64_t start,
			      uint64_t end);

/* Writes the blocks that an ACK carries now and forgets the duplicate. */
void sim_reassembly_report(struct sim_reassembly *set,
			   struct sim_segment *segment);

#endif
