/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an ACK covers: SACK blocks (RFC 2018), duplicate SACKs (RFC 2883) and
 * the cumulative ACK. Linux: tcp_sacktag_write_queue() and
 * tcp_clean_rtx_queue().
 *
 * Each packet is looked at once when it is SACKed and once when it is
 * acknowledged; a block that was seen before costs one step a run.
 */
#include "sim/sender_state.h"

/* Linux: tcp_check_sack_reordering(). Something below the highest SACKed packet
 * arrived late: so far can packets overtake each other here. */
void sender__saw_reordering(struct sim_sender *sender, uint64_t low)
{
	uint64_t fack = sender__fack(sender);
	uint64_t distance;

	if (low >= fack)
		return;
	distance = fack - low;
	if (distance > sender->reordering)
		sender->reordering = distance < SENDER_REORDER_MAX
					 ? (uint32_t)distance
					 : SENDER_REORDER_MAX;
	sender->reord_seen++;
}

/* Counts off a retransmission that turned out to be a duplicate. */
static void undo_one(struct sim_sender *sender, uint64_t seq)
{
	if (sender->has_undo_marker && sender->undo_retrans > 0 &&
	    seq >= sender->undo_marker)
		sender->undo_retrans--;
}

static void deliver(struct sim_sender *sender, struct sender_ack *ack,
		    struct sender_pkt *pkt, uint64_t seq)
{
	fp_rate_on_delivered(&sender->rate, &pkt->rate,
			     (uint32_t)seq + 1 + sender->start_pkts, &ack->cc);
}

/* First SACK of a packet that was sent once, or whose retransmission is not in
 * flight. */
static void sack_original(struct sim_sender *sender, struct sender_ack *ack,
			  const struct sender_pkt *pkt, uint64_t seq)
{
	uint64_t fack = sender->sacked_out ? sender->fack : ack->to;

	if (pkt->flags & SENDER_EVER)
		return;
	if (seq < fack && seq < ack->reord)
		ack->reord = seq;
	if (seq < sender->high_seq)
		ack->flags |= SENDER_ACK_ORIG;
	if (!ack->first_sack_us)
		ack->first_sack_us = pkt->rate.sent_us;
	ack->last_sack_us = pkt->rate.sent_us;
}

/* Linux: tcp_sacktag_one() of a packet that was not SACKed before. */
static void sack_new(struct sim_sender *sender, struct sender_ack *ack,
		     uint64_t seq)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);

	sender__rack_advance(sender, pkt, seq);
	if (!(pkt->flags & SENDER_RETRANS))
		sack_original(sender, ack, pkt, seq);
	if (pkt->flags & SENDER_LOST) {
		sender->lost_out--;
		if (pkt->flags & SENDER_RETRANS)
			sender->retrans_out--;
		pkt->flags &= (uint8_t) ~(SENDER_LOST | SENDER_RETRANS);
	}
	pkt->flags |= SENDER_SACKED;
	ack->flags |= SENDER_ACK_DATA_SACKED;
	sender->sacked_out++;
	ack->delivered++;
	if (sender->has_lost_hint && seq < sender->lost_hint)
		sender->lost_hint_sacked++;
	if (sender->sacked_out == 1 || seq >= sender->fack)
		sender->fack = seq + 1;
	sender__join_run(sender, seq);
	deliver(sender, ack, pkt, seq);
}

static void sack_range(struct sim_sender *sender, struct sender_ack *ack,
		       uint64_t seq, uint64_t end)
{
	if (seq < ack->to)
		seq = ack->to; /* the rest is about to be dropped */
	while (seq < end) {
		uint64_t next = sender__run_end(sender, seq);

		if (next == seq)
			sack_new(sender, ack, next++);
		seq = next;
	}
}

/* The duplicate that a D-SACK reports, as far as it is in the window. */
static void dsack_range(struct sim_sender *sender, struct sender_ack *ack,
			const struct sim_block *block)
{
	uint64_t seq =
	    block->start > sender->snd_una ? block->start : sender->snd_una;
	uint64_t end =
	    block->end < sender->snd_nxt ? block->end : sender->snd_nxt;

	for (; seq < end; seq++) {
		struct sender_pkt *pkt = sender__pkt(sender, seq);

		if (pkt->flags & SENDER_EVER) {
			undo_one(sender, seq);
			if (pkt->flags & SENDER_SACKED && seq < ack->reord)
				ack->reord = seq;
		}
		if (seq < ack->to)
			continue;
		if (!(pkt->flags & SENDER_SACKED))
			sack_new(sender, ack, seq);
		if (pkt->flags & SENDER_RETRANS) {
			pkt->flags &= (uint8_t)~SENDER_RETRANS;
			sender->retrans_out--;
		}
	}
}

/* Linux: tcp_check_dsack() and tcp_dsack_seen(). Returns whether the first
 * block is a D-SACK that retransmissions explain. */
static bool check_dsack(struct sim_sender *sender, struct sender_ack *ack)
{
	const struct sim_block *block = &ack->segment->sacks[0];
	uint64_t pkts = block->end - block->start;

	if (!ack->segment->has_dsack || block->start >= block->end)
		return false;
	if (pkts * sender->mss_bytes > sender->max_window_bytes)
		return false;
	if (pkts == 1 && sender->tlp_high_seq &&
	    sender->tlp_high_seq == block->end)
		ack->flags |= SENDER_ACK_DSACK_TLP;
	/* The path may duplicate packets that were sent once. */
	sender->dsack_dups += (uint32_t)pkts;
	if (sender->dsack_dups > sender->counters.retrans_pkts)
		return false;
	sender->counters.spurious_pkts += pkts;
	/* RACK widens its window for duplicates that come of reordering, not
	 * for those of probes. */
	if (sender->reord_seen && !(ack->flags & SENDER_ACK_DSACK_TLP))
		sender->rack.has_dsack = true;
	ack->flags |= SENDER_ACK_DSACK;
	ack->delivered += (uint32_t)pkts;
	/* of what is forgotten by now: dumb counting */
	if (block->end <= ack->prior_una && sender->has_undo_marker &&
	    block->end > sender->undo_marker && sender->undo_retrans > 0)
		sender->undo_retrans -= sender->undo_retrans < (int64_t)pkts
					    ? sender->undo_retrans
					    : (int32_t)pkts;
	return true;
}

/* Copies the usable blocks in order of their start; Linux orders them so that
 * one walk finds all. Returns how many. */
static uint32_t sort_blocks(const struct sim_sender *sender,
			    const struct sim_segment *segment, bool has_dsack,
			    struct sim_block *ret_blocks)
{
	uint32_t count = 0;

	for (uint32_t i = has_dsack; i < segment->sack_count; i++) {
		struct sim_block block = segment->sacks[i];
		uint32_t at = count;

		if (block.start >= block.end || block.end > sender->snd_nxt ||
		    block.end <= sender->snd_una)
			continue;
		for (; at > 0 && ret_blocks[at - 1].start > block.start; at--)
			ret_blocks[at] = ret_blocks[at - 1];
		ret_blocks[at] = block;
		count++;
	}
	return count;
}

void sender__sack(struct sim_sender *sender, struct sender_ack *ack)
{
	struct sim_block blocks[SIM_SACKS_MAX];
	bool has_dsack = check_dsack(sender, ack);
	uint32_t count;

	ack->reord = sender->snd_nxt;
	/* An ACK from before the window of its time says nothing. */
	if ((ack->prior_una - ack->to) * sender->mss_bytes >
		sender->max_window_bytes &&
	    ack->to < ack->prior_una)
		return;
	if (ack->to < ack->prior_una)
		ack->to = ack->prior_una; /* an old ACK moves nothing */
	if (sender->snd_una == sender->snd_nxt)
		return;
	if (has_dsack)
		dsack_range(sender, ack, &ack->segment->sacks[0]);
	count =
	    sort_blocks(sender, ack->segment, ack->segment->has_dsack, blocks);
	for (uint32_t i = 0; i < count; i++)
		sack_range(sender, ack, blocks[i].start, blocks[i].end);
	if (sender->ca_state != FP_CA_LOSS || sender->has_undo_marker)
		sender__saw_reordering(sender, ack->reord);
}

/* Linux: tcp_skb_spurious_retrans(): the echo is older than the copy. */
static bool is_spurious(const struct sender_ack *ack,
			const struct sender_pkt *pkt)
{
	return pkt->flags & SENDER_EVER &&
	       sender__ecr_before(ack, pkt->rate.sent_us);
}

/* One packet that the cumulative ACK covers. */
static void clean_one(struct sim_sender *sender, struct sender_ack *ack,
		      uint64_t seq)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);
	uint32_t flags = pkt->flags;

	if (flags & SENDER_EVER) {
		if (flags & SENDER_RETRANS)
			sender->retrans_out--;
		ack->flags |= SENDER_ACK_RETRANS;
	} else if (!(flags & SENDER_SACKED)) {
		ack->last_ack_us = pkt->rate.sent_us;
		if (!ack->first_ack_us)
			ack->first_ack_us = ack->last_ack_us;
		if (seq < ack->reord)
			ack->reord = seq;
		if (seq < sender->high_seq)
			ack->flags |= SENDER_ACK_ORIG;
	}
	if (flags & SENDER_LOST)
		sender->lost_out--;
	if (flags & SENDER_SACKED) {
		sender->sacked_out--;
		return;
	}
	if (sender__has(sender, FP_SIM_SACK)) {
		ack->delivered++;
		if (!is_spurious(ack, pkt))
			sender__rack_advance(sender, pkt, seq);
	}
	deliver(sender, ack, pkt, seq);
	sender__unlink(sender, pkt);
}

void sender__clean(struct sim_sender *sender, struct sender_ack *ack)
{
	uint32_t prior_sacked = sender->sacked_out;

	ack->reord = sender->snd_nxt;
	ack->acked_pkts = (uint32_t)(ack->to - sender->snd_una);
	for (uint64_t seq = sender->snd_una; seq < ack->to; seq++)
		clean_one(sender, ack, seq);
	sender->snd_una = ack->to;
	if (ack->acked_pkts)
		ack->flags |= SENDER_ACK_DATA_ACKED;
	if (sender->sacked_out)
		sender__cut_run(sender);
	prior_sacked -= sender->sacked_out;
	sender->lost_hint_sacked -= sender->lost_hint_sacked < prior_sacked
					? sender->lost_hint_sacked
					: prior_sacked;
	if (sender->lost_hint < sender->snd_una)
		sender->has_lost_hint = false;
	if (sender->snd_una < sender->snd_nxt &&
	    sender__pkt(sender, sender->snd_una)->flags & SENDER_SACKED)
		ack->flags |= SENDER_ACK_RENEGING;
}
