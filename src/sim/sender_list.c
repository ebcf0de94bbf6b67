/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ring of packets in flight and the lists through it. Links are the low 32
 * bits of packet numbers, so they outlive a ring that grows; every operation
 * but growth and a lost packet out of order takes constant time.
 */
#include "sim/sender_state.h"

#include <stdlib.h>
#include <string.h>

bool sender__reserve(struct sim_sender *sender, uint32_t count)
{
	uint64_t need = sender->snd_nxt - sender->snd_una + count;
	uint64_t size = (uint64_t)sender->mask + 1;
	struct sender_pkt *ring;

	if (need <= size)
		return true;
	while (size < need)
		size *= 2;
	ring =
	    size > UINT32_MAX / 2 ? NULL : malloc((size_t)size * sizeof(*ring));
	if (!ring) {
		sender->has_no_memory = true;
		return false;
	}
	for (uint64_t seq = sender->snd_una; seq != sender->snd_nxt; seq++)
		ring[seq & (size - 1)] = *sender__pkt(sender, seq);
	free(sender->ring);
	sender->ring = ring;
	sender->mask = (uint32_t)(size - 1);
	return true;
}

static struct sender_pkt *pkt_at(const struct sim_sender *sender, uint32_t low)
{
	return &sender->ring[low & sender->mask];
}

static void list_remove(struct sim_sender *sender, struct sender_list *list,
			struct sender_pkt *pkt)
{
	/* Ends are found by their links, as a packet does not know its number:
	 * the head's prev and the tail's next point at themselves. */
	struct sender_pkt *next = pkt_at(sender, pkt->next);
	struct sender_pkt *prev = pkt_at(sender, pkt->prev);

	list->count--;
	if (prev == pkt && next != pkt) {
		list->head = pkt->next;
		next->prev = pkt->next;
	} else if (next == pkt && prev != pkt) {
		list->tail = pkt->prev;
		prev->next = pkt->prev;
	} else {
		prev->next = pkt->next;
		next->prev = pkt->prev;
	}
}

void sender__unlink(struct sim_sender *sender, struct sender_pkt *pkt)
{
	if (pkt->flags & SENDER_ON_SENT)
		list_remove(sender, &sender->sent, pkt);
	else if (pkt->flags & SENDER_ON_LOST)
		list_remove(sender, &sender->lost, pkt);
	pkt->flags &= (uint8_t) ~(SENDER_ON_SENT | SENDER_ON_LOST);
}

/* Puts a packet after another one of the list; at its head where after is the
 * packet itself. */
static void list_insert(struct sim_sender *sender, struct sender_list *list,
			uint32_t low, uint32_t after)
{
	struct sender_pkt *pkt = pkt_at(sender, low);

	pkt->prev = pkt->next = low;
	if (!list->count++) {
		list->head = list->tail = low;
		return;
	}
	if (after == low) {
		pkt->next = list->head;
		pkt_at(sender, list->head)->prev = low;
		list->head = low;
		return;
	}
	pkt->prev = after;
	if (after == list->tail) {
		list->tail = low;
	} else {
		pkt->next = pkt_at(sender, after)->next;
		pkt_at(sender, pkt->next)->prev = low;
	}
	pkt_at(sender, after)->next = low;
}

void sender__link_sent(struct sim_sender *sender, uint64_t seq)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);

	sender__unlink(sender, pkt);
	list_insert(sender, &sender->sent, (uint32_t)seq, sender->sent.tail);
	pkt->flags |= SENDER_ON_SENT;
}

/* The packet of the lost list after which seq belongs; seq: at the head. Most
 * are marked in order, so it is next to the last one marked, or at the end. */
static uint64_t lost_place(const struct sim_sender *sender, uint64_t seq)
{
	uint64_t at = sender__seq(sender, sender->lost.tail);

	if (at < seq)
		return at;
	if (sender__seq(sender, sender->lost.head) > seq)
		return seq;
	if (sender->lost_finger >= sender->snd_una &&
	    sender->lost_finger < sender->snd_nxt &&
	    sender__pkt(sender, sender->lost_finger)->flags & SENDER_ON_LOST)
		at = sender->lost_finger;
	while (at > seq)
		at = sender__seq(sender, sender__pkt(sender, at)->prev);
	for (;;) {
		uint32_t low = sender__pkt(sender, at)->next;

		if (sender__seq(sender, low) > seq)
			return at;
		at = sender__seq(sender, low);
	}
}

void sender__link_lost(struct sim_sender *sender, uint64_t seq)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);
	uint64_t after = seq;

	sender__unlink(sender, pkt);
	if (sender->lost.count)
		after = lost_place(sender, seq);
	list_insert(sender, &sender->lost, (uint32_t)seq, (uint32_t)after);
	pkt->flags |= SENDER_ON_LOST;
	sender->lost_finger = seq;
}

static bool is_sacked(const struct sim_sender *sender, uint64_t seq)
{
	return seq >= sender->snd_una && seq < sender->snd_nxt &&
	       sender__pkt(sender, seq)->flags & SENDER_SACKED;
}

void sender__join_run(struct sim_sender *sender, uint64_t seq)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);
	uint32_t start = (uint32_t)seq;
	uint32_t end = (uint32_t)seq + 1;

	sender__unlink(sender, pkt);
	if (is_sacked(sender, seq - 1))
		start = sender__pkt(sender, seq - 1)->prev;
	if (is_sacked(sender, seq + 1))
		end = sender__pkt(sender, seq + 1)->next;
	pkt_at(sender, start)->next = end;
	pkt_at(sender, end - 1)->prev = start;
}

uint64_t sender__run_end(const struct sim_sender *sender, uint64_t seq)
{
	if (!is_sacked(sender, seq))
		return seq;
	if (is_sacked(sender, seq - 1))
		return seq + 1; /* in its midst: one step is always right */
	return sender__seq(sender, sender__pkt(sender, seq)->next);
}

void sender__cut_run(struct sim_sender *sender)
{
	uint64_t end = sender->snd_una;

	if (!is_sacked(sender, end))
		return;
	while (is_sacked(sender, end + 1))
		end++;
	sender__pkt(sender, sender->snd_una)->next = (uint32_t)end + 1;
	sender__pkt(sender, end)->prev = (uint32_t)sender->snd_una;
}
