/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/reassembly.h"

#include <errno.h>
#include <stdlib.h>

#define WORD_PKTS   64u
/* 256 packets: most flows of a test never need more. */
#define WORDS_FIRST 4u

int sim_reassembly_init(struct sim_reassembly *set)
{
	*set = (struct sim_reassembly){ .words = WORDS_FIRST };
	set->bits = calloc(WORDS_FIRST, sizeof(*set->bits));
	return set->bits ? 0 : -ENOMEM;
}

void sim_reassembly_fini(struct sim_reassembly *set)
{
	free(set->bits);
	set->bits = NULL;
}

/* --- The ring --------------------------------------------------------------
 */

static uint64_t *set_word(const struct sim_reassembly *set, uint64_t seq)
{
	return &set->bits[seq / WORD_PKTS & (set->words - 1)];
}

static uint64_t set_bit(uint64_t seq)
{
	return UINT64_C(1) << (seq % WORD_PKTS);
}

/* Makes room for packets below end: the words from next's to end's must all be
 * different ones. */
static int set_reserve(struct sim_reassembly *set, uint64_t end)
{
	uint64_t first = set->next / WORD_PKTS;
	uint64_t need = (end - 1) / WORD_PKTS - first + 1;
	uint32_t words = set->words;
	uint64_t *bits;

	if (need <= words)
		return 0;
	while (words < need)
		words *= 2;
	bits = calloc(words, sizeof(*bits));
	if (!bits)
		return -ENOMEM;
	for (uint64_t word = first; word < first + set->words; word++)
		bits[word & (words - 1)] = set->bits[word & (set->words - 1)];
	free(set->bits);
	set->bits = bits;
	set->words = words;
	return 0;
}

/* Takes one packet out. Returns whether it was held. */
static bool set_remove(struct sim_reassembly *set, uint64_t seq)
{
	uint64_t *word = set_word(set, seq), bit = set_bit(seq);

	if (!(*word & bit))
		return false;
	*word &= ~bit;
	set->held--;
	return true;
}

/* Lets next pass what is held without a gap, a word at a time. */
static void set_pass_held(struct sim_reassembly *set)
{
	while (set->held != 0) {
		uint64_t *word = set_word(set, set->next);
		uint32_t at = set->next % WORD_PKTS;
		uint64_t missing = ~(*word >> at);
		uint32_t run =
		    missing ? (uint32_t)__builtin_ctzll(missing) : WORD_PKTS;

		if (run > WORD_PKTS - at)
			run = WORD_PKTS - at;
		if (run == 0)
			return;
		*word &= ~((~UINT64_C(0) >> (WORD_PKTS - run)) << at);
		set->held -= run;
		set->next += run;
	}
}

/* --- SACK blocks ------------------------------------------------------------
 */

/* Lets a block take another one in where they touch. */
static bool block_extend(struct sim_block *block, const struct sim_block *more)
{
	if (more->start > block->end || block->start > more->end)
		return false;
	if (more->start < block->start)
		block->start = more->start;
	if (more->end > block->end)
		block->end = more->end;
	return true;
}

static void sacks_remove(struct sim_reassembly *set, uint32_t at)
{
	set->sack_count--;
	for (; at < set->sack_count; at++)
		set->sacks[at] = set->sacks[at + 1];
}

/* The first block has grown: it takes in those that it touches now (Linux:
 * tcp_sack_maybe_coalesce()). */
static void sacks_coalesce(struct sim_reassembly *set)
{
	for (uint32_t at = 1; at < set->sack_count;) {
		if (block_extend(&set->sacks[0], &set->sacks[at]))
			sacks_remove(set, at);
		else
			at++;
	}
}

uint32_t sim_reassembly_rank(const struct sim_reassembly *set,
			     const struct sim_block *packets)
{
	uint32_t rank = 0;

	while (rank < set->sack_count &&
	       (packets->start > set->sacks[rank].end ||
		set->sacks[rank].start > packets->end))
		rank++;
	return rank;
}

/* Puts a block in front of the first at ones; what stood at that place goes. */
static void sacks_rotate(struct sim_reassembly *set, uint32_t at,
			 const struct sim_block *block)
{
	for (; at > 0; at--)
		set->sacks[at] = set->sacks[at - 1];
	set->sacks[0] = *block;
}

static void sacks_add(struct sim_reassembly *set,
		      const struct sim_block *packets)
{
	uint32_t rank = sim_reassembly_rank(set, packets);
	struct sim_block block = *packets;

	if (rank < set->sack_count)
		(void)block_extend(&block, &set->sacks[rank]);
	else if (rank < SIM_SACKS_KEPT)
		set->sack_count++;
	else
		rank--; /* the oldest is forgotten */
	sacks_rotate(set, rank, &block);
	sacks_coalesce(set);
}

/* next has moved: blocks below it are history (Linux: tcp_sack_remove()). */
static void sacks_forget(struct sim_reassembly *set)
{
	if (set->held == 0)
		set->sack_count = 0;
	for (uint32_t at = 0; at < set->sack_count;) {
		if (set->sacks[at].start <= set->next)
			sacks_remove(set, at);
		else
			at++;
	}
}

/* --- The receiver's side ----------------------------------------------------
 */

void sim_reassembly_duplicate(struct sim_reassembly *set, uint64_t start,
			      uint64_t end)
{
	struct sim_block block = { start, end };

	if (!set->has_dsack)
		set->dsack = block;
	else
		(void)block_extend(&set->dsack, &block);
	set->has_dsack = true;
}

uint64_t sim_reassembly_advance(struct sim_reassembly *set, uint64_t end)
{
	uint64_t first = set->next;

	if (set->held != 0)
		for (uint64_t seq = first; seq < end; seq++)
			if (set_remove(set, seq))
				sim_reassembly_duplicate(set, seq, seq + 1);
	set->next = end;
	set_pass_held(set);
	if (set->sack_count != 0)
		sacks_forget(set);
	return set->next - first;
}

int sim_reassembly_hold(struct sim_reassembly *set,
			const struct sim_block *packets)
{
	int result = set_reserve(set, packets->end);

	if (result)
		return result;
	for (uint64_t seq = packets->start; seq < packets->end; seq++) {
		uint64_t *word = set_word(set, seq), bit = set_bit(seq);

		if (*word & bit) {
			sim_reassembly_duplicate(set, seq, seq + 1);
			continue;
		}
		*word |= bit;
		set->held++;
	}
	sacks_add(set, packets);
	return 0;
}

void sim_reassembly_report(struct sim_reassembly *set,
			   struct sim_segment *segment)
{
	uint32_t count = 0;

	segment->has_dsack = set->has_dsack;
	if (set->has_dsack)
		segment->sacks[count++] = set->dsack;
	for (uint32_t i = 0; i < set->sack_count && count < SIM_SACKS_MAX; i++)
		segment->sacks[count++] = set->sacks[i];
	segment->sack_count = count;
	set->has_dsack = false;
}
