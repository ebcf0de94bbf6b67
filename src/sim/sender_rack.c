/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RACK-TLP (RFC 8985), as Linux net/ipv4/tcp_recovery.c and the probes of
 * tcp_output.c have it.
 *
 * RACK: a packet is lost when one that left later has arrived and a reordering
 * window has passed since its own time was up:
 *
 *	left = rack.rtt + window - (now - sent)
 *	window = min(steps x min_rtt / 4, srtt), or 0 while reordering was
 *	    never seen and either loss recovery runs or 3 packets are SACKed
 *
 * TLP: after 2 x srtt of silence one packet is sent to provoke an ACK.
 */
#include "sim/sender_state.h"

/* Linux: TCP_RACK_RECOVERY_THRESH, RFC 8985, 6.2, step 4: "16 loss
 * recoveries". */
#define RACK_PERSIST 16u

static bool is_earlier_burst(uint32_t unit, uint32_t than)
{
	return than - unit - 1 < UINT32_C(1) << 31;
}

/* Tells whether the packet delivered that left last left after this one.
 * Differs from Linux: where both left in one microsecond, its burst must not be
 * the earlier one. Linux looks at the sequence alone, but there sending takes
 * time, and two bursts rarely share a microsecond; here all that one ACK lets
 * go does, and a retransmission that followed new data would be held for lost
 * as soon as the ACK of that data came, just before its own. */
static bool sent_after(const struct sender_rack *rack,
		       const struct sender_pkt *pkt, uint64_t seq)
{
	if (rack->sent_us != pkt->rate.sent_us)
		return rack->sent_us > pkt->rate.sent_us;
	return rack->end > seq + 1 && !is_earlier_burst(rack->unit, pkt->unit);
}

void sender__rack_advance(struct sim_sender *sender,
			  const struct sender_pkt *pkt, uint64_t seq)
{
	struct sender_rack *rack = &sender->rack;
	uint64_t sent_us = pkt->rate.sent_us;
	uint32_t rtt_us = (uint32_t)(sender->now_us - sent_us);

	/* An ACK of a retransmission that comes too early is the original's. */
	if (pkt->flags & SENDER_EVER && rtt_us < sender__min_rtt_us(sender))
		return;
	/* of whatever came, however long ago it left: so late is not lost */
	rack->rtt_us = rtt_us;
	rack->has_advanced = true;
	if (sent_after(rack, pkt, seq))
		return;
	rack->sent_us = sent_us;
	rack->unit = pkt->unit;
	rack->end = seq + 1;
}

/* Linux: tcp_rack_reo_wnd(). */
static uint32_t window_us(const struct sim_sender *sender)
{
	uint64_t steps_us;

	if (!sender->reord_seen) {
		if (sender->ca_state >= FP_CA_RECOVERY ||
		    sender->sacked_out >= sender->reordering)
			return 0;
	}
	steps_us =
	    (uint64_t)(sender__min_rtt_us(sender) >> 2) * sender->rack.steps;
	return steps_us < sender->srtt_us_x8 >> 3 ? (uint32_t)steps_us
						  : sender->srtt_us_x8 >> 3;
}

int64_t sender__rack_left_us(const struct sim_sender *sender, uint64_t sent_us,
			     uint32_t window_us)
{
	return (int64_t)sender->rack.rtt_us + window_us -
	       (int64_t)(sender->now_us - sent_us);
}

/* Linux: tcp_rack_detect_loss(). Returns the longest time that a packet is yet
 * to be waited for, 0: none. */
static uint64_t detect_loss(struct sim_sender *sender)
{
	struct sender_list *sent = &sender->sent;
	uint32_t low = sent->head;
	uint32_t window = window_us(sender);
	int64_t longest_us = 0;

	for (uint32_t count = sent->count; count; count--) {
		uint64_t seq = sender__seq(sender, low);
		const struct sender_pkt *pkt = sender__pkt(sender, seq);
		int64_t left_us;

		low = pkt->next;
		if (!sent_after(&sender->rack, pkt, seq))
			break;
		left_us =
		    sender__rack_left_us(sender, pkt->rate.sent_us, window);
		if (left_us <= 0)
			sender__mark_lost(sender, seq, "rack");
		else if (left_us > longest_us)
			longest_us = left_us;
	}
	sender__tell_lost(sender);
	return (uint64_t)longest_us;
}

bool sender__rack_mark(struct sim_sender *sender)
{
	uint64_t left_us;
	uint32_t jiffies;

	if (!sender->rack.has_advanced)
		return false;
	sender->rack.has_advanced = false;
	left_us = detect_loss(sender);
	if (!left_us)
		return false;
	jiffies = sender__to_jiffies(sender, left_us + SENDER_TIMEOUT_US);
	sender__set_timer(sender, SENDER_TIMER_REORDER,
			  jiffies < sender->rto_jiffies ? jiffies
							: sender->rto_jiffies);
	return true;
}

void sender__rack_timeout(struct sim_sender *sender)
{
	uint32_t prior_inflight = sender__inflight(sender);
	uint32_t prior_lost = sender->rate.lost_pkts;

	(void)detect_loss(sender); /* the RTO watches over the rest */
	if (prior_inflight != sender__inflight(sender)) {
		if (sender->ca_state != FP_CA_RECOVERY) {
			sender__enter_recovery(sender, false);
			if (!sender->cc.ops->has_own_recovery)
				sender__reduce(
				    sender, 1,
				    sender->rate.lost_pkts - prior_lost, 0);
		}
		sender__retransmit_queue(sender);
	}
	if (sender->timer != SENDER_TIMER_RTO)
		sender__rearm_rto(sender);
}

/* Linux: tcp_rack_update_reo_wnd(). One step wider for each round with a
 * D-SACK; back to one after 16 recoveries without. */
void sender__rack_update_window(struct sim_sender *sender,
				const struct sender_ack *ack)
{
	struct sender_rack *rack = &sender->rack;

	if (!sender->rate.prior_us)
		return;
	if ((int32_t)(ack->cc.prior_delivered_pkts - rack->last_delivered) < 0)
		rack->has_dsack = false;
	if (rack->has_dsack) {
		rack->steps = rack->steps < 255 ? rack->steps + 1 : 255;
		rack->has_dsack = false;
		rack->last_delivered =
		    sender->rate.delivered_pkts + ack->delivered;
		rack->persist = RACK_PERSIST;
	} else if (!rack->persist) {
		rack->steps = 1;
	}
}

/* Linux: tcp_schedule_loss_probe(). is_advancing: an ACK has just moved the
 * RTO, so it counts from now. Returns false where only the RTO is due. */
bool sender__schedule_probe(struct sim_sender *sender, bool is_advancing)
{
	uint32_t packets_out = sender__packets_out(sender);
	uint64_t us = SENDER_RTO_INIT_S * SENDER_US_PER_S;
	uint32_t jiffies, rto_jiffies = sender->rto_jiffies;

	if (!sender__has(sender, FP_SIM_TLP) || !packets_out ||
	    !sender__has(sender, FP_SIM_SACK) ||
	    (sender->ca_state != FP_CA_OPEN && sender->ca_state != FP_CA_CWR))
		return false;
	if (sender->srtt_us_x8) {
		/* A lone packet's ACK may be delayed by the receiver. */
		us = sender->srtt_us_x8 >> 2;
		us += packets_out == 1 ? sender->rto_min_us : SENDER_TIMEOUT_US;
	}
	jiffies = sender__to_jiffies(sender, us);
	if (!is_advancing) {
		int64_t left_us = sender__rto_left_us(sender);

		rto_jiffies =
		    left_us > 0 ? sender__to_jiffies(sender, (uint64_t)left_us)
				: UINT32_MAX;
	}
	sender__set_timer(sender, SENDER_TIMER_PROBE,
			  sender__paced(sender, jiffies < rto_jiffies
						    ? jiffies
						    : rto_jiffies));
	return true;
}

/* Linux: tcp_send_loss_probe(): new data where there is some, else the last
 * packet again. At most one probe is out. */
void sender__send_probe(struct sim_sender *sender)
{
	bool is_sent = false;

	if (!sender->tlp_high_seq) {
		sender->is_tlp_retrans = false;
		if (sender->snd_nxt < sender->written &&
		    sender__fits_window(sender, sender->snd_nxt)) {
			is_sent = sender__push_probe(sender);
		} else {
			sender->conn.was_tail_app_limited =
			    sender__pkt(sender, sender->snd_nxt - 1)
				->rate.is_app_limited;
			is_sent = sender__resend(sender, sender->snd_nxt - 1);
			sender->is_tlp_retrans = is_sent;
		}
	}
	if (is_sent) {
		sender->tlp_high_seq = sender->snd_nxt;
		sender->counters.tail_probes++;
		/* the RTO starts again from now */
		sender->timer = SENDER_TIMER_NONE;
	}
	sender__rearm_rto(sender);
}

/* Linux: tcp_process_tlp_ack(). RFC 8985, 7.4: did the probe repair a loss? */
void sender__process_probe_ack(struct sim_sender *sender,
			       struct sender_ack *ack)
{
	uint64_t to = ack->segment->ack;
	bool is_pure_dupack =
	    !(ack->flags & (SENDER_ACK_UNA_ADVANCED | SENDER_ACK_NOT_DUP |
			    SENDER_ACK_DATA_SACKED));

	if (to < sender->tlp_high_seq)
		return;
	if (sender->is_tlp_retrans && to > sender->tlp_high_seq &&
	    !(ack->flags & SENDER_ACK_DSACK_TLP)) {
		sender__cc_event(sender, FP_CC_TLP_RECOVERY);
		sender__init_reduction(sender);
		sender__cc_set_state(sender, FP_CA_CWR);
		sender__end_reduction(sender);
		sender__try_keep_open(sender);
	} else if (!sender->is_tlp_retrans || is_pure_dupack ||
		   ack->flags & SENDER_ACK_DSACK_TLP) {
		/* it was new data, or both copies arrived */
		sender->tlp_high_seq = 0;
	} else {
		ack->cc.is_acking_tlp = true;
	}
}
