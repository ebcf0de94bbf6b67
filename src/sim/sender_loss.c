/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is held for lost. Linux: tcp_mark_skb_lost(), tcp_timeout_mark_lost(),
 * and without RACK tcp_mark_head_lost() (RFC 6675) and tcp_newreno_mark_lost()
 * (RFC 6582).
 */
#include "sim/sender_state.h"

/* Linux: tcp_tsopt_ecr_before(). The echoed timestamp is older than a departure
 * (RFC 3522). Both have the millisecond that the wire has. */
bool sender__ecr_before(const struct sender_ack *ack, uint64_t sent_us)
{
	uint64_t tsecr_us = ack->segment->tsecr_us;

	return tsecr_us && tsecr_us / 1000 < sent_us / 1000;
}

void sender__tell_lost(struct sim_sender *sender)
{
	struct sender_lost_run *run = &sender->lost_run;

	if (!run->pkts)
		return;
	run->cc.pkts = run->pkts;
	sender__cc_lost(sender, &run->cc);
	if (sender->watch)
		sender__watch_lost(sender, run);
	run->pkts = 0;
}

/* Linux: tcp_notify_skb_loss_event(). Packets of one burst that are given up in
 * a row are told as one, as the kernel does with an skb. */
static void notify(struct sim_sender *sender, const struct sender_pkt *pkt,
		   uint64_t seq, const char *reason)
{
	struct sender_lost_run *run = &sender->lost_run;

	if (run->pkts &&
	    (run->unit != pkt->unit || run->start + run->pkts != seq))
		sender__tell_lost(sender);
	if (!run->pkts) {
		run->start = seq;
		run->unit = pkt->unit;
		run->reason = reason;
		run->cc.tx_in_flight_pkts = pkt->rate.tx_in_flight_pkts;
		run->cc.was_app_limited = pkt->rate.is_app_limited;
	}
	run->pkts++;
	sender->rate.lost_pkts++;
	run->cc.lost_since_pkts = sender->rate.lost_pkts - pkt->rate.lost_pkts;
}

void sender__mark_lost(struct sim_sender *sender, uint64_t seq,
		       const char *reason)
{
	struct sender_pkt *pkt = sender__pkt(sender, seq);

	if (pkt->flags & SENDER_SACKED)
		return;
	if (!(pkt->flags & SENDER_LOST)) {
		pkt->flags |= SENDER_LOST;
		sender->lost_out++;
	} else if (pkt->flags & SENDER_RETRANS) {
		pkt->flags &= (uint8_t)~SENDER_RETRANS;
		sender->retrans_out--;
	} else {
		return;
	}
	notify(sender, pkt, seq, reason);
	if (pkt->flags & SENDER_RETRANS)
		sender__unlink(sender, pkt);
	else
		sender__link_lost(sender, seq);
}

/* A SACK of the first packet that the cumulative ACK does not cover: the
 * receiver took it back (RFC 2018, 8). */
static bool has_reneged(const struct sim_sender *sender)
{
	return sender->snd_una < sender->snd_nxt &&
	       sender__pkt(sender, sender->snd_una)->flags & SENDER_SACKED;
}

void sender__mark_timeout(struct sim_sender *sender)
{
	bool is_reneged = has_reneged(sender);
	bool has_rack = sender__has(sender, FP_SIM_RACK);

	if (is_reneged) {
		sender->sacked_out = 0;
		sender->has_reneged = true;
	} else if (!sender__has(sender, FP_SIM_SACK)) {
		sender->sacked_out = 0;
	}
	for (uint64_t seq = sender->snd_una; seq < sender->snd_nxt; seq++) {
		struct sender_pkt *pkt = sender__pkt(sender, seq);

		/* What was sent lately may yet arrive. */
		if (is_reneged)
			pkt->flags &= (uint8_t)~SENDER_SACKED;
		else if (has_rack && seq != sender->snd_una &&
			 sender__rack_left_us(sender, pkt->rate.sent_us, 0) > 0)
			continue;
		sender__mark_lost(sender, seq, "rto");
	}
	sender->has_lost_hint = false;
	sender__tell_lost(sender);
}

void sender__unmark_lost(struct sim_sender *sender)
{
	for (uint64_t seq = sender->snd_una; seq < sender->snd_nxt; seq++) {
		struct sender_pkt *pkt = sender__pkt(sender, seq);

		if (!(pkt->flags & SENDER_LOST))
			continue;
		pkt->flags &= (uint8_t)~SENDER_LOST;
		if (pkt->flags & SENDER_ON_LOST)
			sender__unlink(sender, pkt);
	}
	sender->lost_out = 0;
	sender->has_lost_hint = false;
}

/* Linux: tcp_mark_head_lost(). Gives up all that has more than count SACKed
 * packets above it (counted from below: at most count SACKed ones before it);
 * with only_head the first packet only. */
static void mark_head(struct sim_sender *sender, uint32_t count, bool only_head)
{
	uint64_t seq = sender->snd_una;
	uint32_t sacked = 0;

	if (sender->has_lost_hint) {
		if (only_head && sender->lost_hint > sender->snd_una)
			return;
		seq = sender->lost_hint;
		sacked = sender->lost_hint_sacked;
	}
	for (; seq < sender->snd_nxt; seq++) {
		const struct sender_pkt *pkt = sender__pkt(sender, seq);

		sender->has_lost_hint = true;
		sender->lost_hint = seq;
		sender->lost_hint_sacked = sacked;
		if (pkt->flags & SENDER_SACKED)
			sacked++;
		if (sacked > count)
			break;
		if (!(pkt->flags & SENDER_LOST))
			sender__mark_lost(sender, seq, "dupack");
		if (only_head)
			break;
	}
	sender__tell_lost(sender);
}

void sender__update_scoreboard(struct sim_sender *sender, bool is_fast)
{
	if (!sender__has(sender, FP_SIM_SACK))
		return;
	if (sender->sacked_out >= sender->reordering)
		mark_head(sender, sender->sacked_out - sender->reordering,
			  false);
	else if (is_fast)
		mark_head(sender, 1, true);
}

void sender__newreno_mark(struct sim_sender *sender, bool is_una_advanced)
{
	bool is_due =
	    sender->ca_state < FP_CA_RECOVERY
		? sender->sacked_out >= sender->reordering
		: sender->ca_state == FP_CA_RECOVERY && is_una_advanced;

	if (!is_due || sender->snd_una == sender->snd_nxt ||
	    sender__pkt(sender, sender->snd_una)->flags & SENDER_LOST)
		return;
	sender__mark_lost(sender, sender->snd_una, "dupack");
	sender__tell_lost(sender);
}
