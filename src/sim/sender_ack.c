/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an ACK does, in the order of Linux's tcp_ack(): window and SACKs, what
 * it acknowledges, round trips, probes, loss recovery, timers, rate sample, the
 * algorithm, retransmissions. New data follows (tcp_data_snd_check()).
 */
#include "sim/sender_state.h"

/* Linux: tcp_may_update_window() and tcp_ack_update_window(). */
static void update_window(struct sim_sender *sender, struct sender_ack *ack)
{
	const struct sim_segment *segment = ack->segment;
	uint64_t bytes = segment->window_bytes;
	bool was_shut = sender->snd_wnd_bytes < sender->mss_bytes;

	if (segment->ack <= sender->snd_una && bytes <= sender->snd_wnd_bytes &&
	    bytes)
		return;
	ack->flags |= SENDER_ACK_WIN_UPDATE;
	sender->wnd_end_bytes = segment->ack_bytes + bytes;
	if (bytes == sender->snd_wnd_bytes)
		return;
	sender->snd_wnd_bytes = bytes;
	if (bytes > sender->max_window_bytes)
		sender->max_window_bytes = bytes;
	if (sender->snd_nxt < sender->written)
		sender__check_idle(sender);
	if (was_shut != (bytes < sender->mss_bytes))
		sender__watch(sender, FP_SIM_EVENT_WINDOW, NULL);
}

/* Linux: tcp_ack_update_rtt(). Returns whether there was a sample. */
static bool update_rtt(struct sim_sender *sender, struct sender_ack *ack)
{
	uint64_t now_us = sender->now_us;
	int64_t seq_rtt_us = -1, ca_rtt_us = -1;

	if (ack->first_ack_us && !(ack->flags & SENDER_ACK_RETRANS)) {
		seq_rtt_us = (int64_t)(now_us - ack->first_ack_us);
		ca_rtt_us = (int64_t)(now_us - ack->last_ack_us);
	}
	if (ack->first_sack_us) {
		ca_rtt_us = (int64_t)(now_us - ack->last_sack_us);
		if (seq_rtt_us < 0)
			seq_rtt_us = (int64_t)(now_us - ack->first_sack_us);
	}
	/* Of retransmitted data by its timestamp, in milliseconds. */
	if (seq_rtt_us < 0 && ack->segment->tsecr_us &&
	    ack->flags & SENDER_ACK_DATA_ACKED) {
		int64_t ms =
		    (int64_t)(now_us / 1000 - ack->segment->tsecr_us / 1000);

		seq_rtt_us = ca_rtt_us = ms ? ms * 1000 : 1000;
	}
	ack->cc.rtt_us = (int32_t)ca_rtt_us;
	if (seq_rtt_us < 0)
		return false;
	if (!(ack->flags & SENDER_ACK_DELAYED) ||
	    ca_rtt_us <= sender__min_rtt_us(sender))
		sender__update_min_rtt(sender, ca_rtt_us ? (uint32_t)ca_rtt_us
							 : sender->jiffy_us);
	sender__update_rtt(sender, (uint32_t)seq_rtt_us);
	return true;
}

/* One segment below the MSS, alone over its round trip: the receiver may have
 * waited before it acknowledged it. */
static bool is_delayed(const struct sim_sender *sender,
		       const struct sender_ack *ack)
{
	return ack->acked_pkts == 1 && !ack->prior_sacked &&
	       ack->first_ack_us && !(ack->flags & SENDER_ACK_RETRANS) &&
	       sender__payload_bytes(sender, ack->to - 1) < sender->mss_bytes &&
	       ack->cc.prior_delivered_pkts + 1 ==
		   sender->rate.delivered_pkts + ack->delivered &&
	       !(ack->flags & SENDER_ACK_ALERT);
}

/* The rest of Linux's tcp_clean_rtx_queue(). */
static void clean(struct sim_sender *sender, struct sender_ack *ack)
{
	bool has_rtt;

	sender__clean(sender, ack);
	if (sender->snd_una == sender->snd_nxt)
		sender__chrono_stop(sender, SENDER_BUSY);
	if (is_delayed(sender, ack))
		ack->flags |= SENDER_ACK_DELAYED;
	has_rtt = update_rtt(sender, ack);
	if (ack->flags & SENDER_ACK_DATA_ACKED) {
		ack->flags |= SENDER_ACK_SET_TIMER;
		if (!sender__has(sender, FP_SIM_SACK)) {
			sender__remove_reno_sacks(sender, ack);
			if (ack->flags & SENDER_ACK_RETRANS)
				ack->flags &= ~SENDER_ACK_ORIG;
		} else if (ack->reord < ack->prior_fack) {
			sender__saw_reordering(sender, ack->reord);
		}
	} else if (sender->snd_una < sender->snd_nxt && has_rtt &&
		   ack->first_sack_us &&
		   ack->first_sack_us <
		       sender__pkt(sender, sender->snd_una)->rate.sent_us) {
		/* SACKed data left before the head was sent (again). */
		ack->flags |= SENDER_ACK_SET_TIMER;
	}
	sender__cc_rtt(sender, ack);
}

static bool is_dubious(const struct sim_sender *sender,
		       const struct sender_ack *ack)
{
	return !(ack->flags & SENDER_ACK_NOT_DUP) ||
	       ack->flags & SENDER_ACK_ALERT || sender->ca_state != FP_CA_OPEN;
}

/* Linux: tcp_rate_gen(). */
static void take_sample(struct sim_sender *sender, struct sender_ack *ack,
			bool had_reneged)
{
	struct fp_cc_ack *cc = &ack->cc;
	const struct fp_rate_end end = {
		.now_us = sender->now_us,
		.acked_sacked_pkts = ack->delivered,
		.newly_ce_pkts =
		    ack->flags & SENDER_ACK_ECE ? ack->delivered : 0,
		.min_rtt_us = sender__min_rtt_us(sender),
		.has_reneged = had_reneged,
	};

	sender->ack = NULL;
	fp_rate_on_ack_end(&sender->rate, &end, cc);
	cc->now_ns = sender->now_ns + SENDER_EPOCH_NS;
	cc->acked_pkts = ack->acked_pkts;
	cc->is_ack_delayed = ack->flags & SENDER_ACK_DELAYED;
	cc->is_ece = ack->flags & SENDER_ACK_ECE;
	if (cc->delivered_pkts < 0 || cc->interval_us <= 0)
		return;
	if (!cc->is_app_limited ||
	    (uint64_t)cc->delivered_pkts * sender->rate_interval_us >=
		sender->rate_delivered * (uint64_t)cc->interval_us) {
		sender->rate_delivered = (uint64_t)cc->delivered_pkts;
		sender->rate_interval_us = (uint64_t)cc->interval_us;
	}
}

/* Linux: tcp_cong_control(). */
static void control(struct sim_sender *sender, const struct sender_ack *ack)
{
	uint32_t grows_on = SENDER_ACK_DATA_ACKED;

	if (sender->cc.ops->has_own_recovery) {
		sender__cc_ack(sender, ack);
		return;
	}
	/* tcp_may_raise_cwnd(): where packets overtake each other often, any
	 * delivery counts. */
	if (sender->reordering > SENDER_REORDERING)
		grows_on = SENDER_ACK_PROGRESS;
	if (sender__in_reduction(sender)) {
		sender__reduce(sender, ack->delivered,
			       sender->rate.lost_pkts - ack->prior_lost,
			       ack->flags);
	} else if (ack->flags & grows_on) {
		sender__cc_ack(sender, ack);
		sender->cwnd_stamp_ns = sender->now_ns;
	}
	sender__update_pacing(sender);
}

/* Linux: tcp_xmit_recovery(). */
static void recover(struct sim_sender *sender, const struct sender_ack *ack)
{
	if (ack->rexmit == SENDER_REXMIT_NONE)
		return;
	if (ack->rexmit == SENDER_REXMIT_NEW) {
		sender__push(sender);
		if (sender->snd_nxt > sender->high_seq)
			return;
		sender->has_frto = false;
	}
	sender__retransmit_queue(sender);
}

/* An ACK from before snd_una: its SACKs may still be news. */
static void process_old(struct sim_sender *sender, struct sender_ack *ack)
{
	if (!ack->segment->sack_count)
		return;
	sender__sack(sender, ack);
	sender__alert(sender, ack);
	sender->ack = NULL;
	sender->rate.delivered_pkts += ack->delivered;
	recover(sender, ack);
}

static void process(struct sim_sender *sender, struct sender_ack *ack)
{
	bool had_reneged = sender->has_reneged;
	bool was_empty = sender->snd_una == sender->snd_nxt;

	if (ack->to > sender->snd_una) {
		ack->flags |= SENDER_ACK_UNA_ADVANCED;
		sender->retransmits = 0;
	}
	update_window(sender, ack);
	if (ack->segment->sack_count && sender__has(sender, FP_SIM_SACK))
		sender__sack(sender, ack);
	if (ack->segment->is_ece && sender->tcp.has_ecn)
		ack->flags |= SENDER_ACK_ECE;
	if (was_empty) {
		if (ack->flags & SENDER_ACK_DSACK)
			sender__alert(sender, ack);
		sender->ack = NULL;
		sender->rate.delivered_pkts += ack->delivered;
		sender__ack_persist(sender);
		if (sender->tlp_high_seq)
			sender__process_probe_ack(sender, ack);
		return;
	}
	clean(sender, ack);
	sender__rack_update_window(sender, ack);
	if (sender->tlp_high_seq)
		sender__process_probe_ack(sender, ack);
	if (is_dubious(sender, ack)) {
		ack->dupacks =
		    !(ack->flags & (SENDER_ACK_UNA_ADVANCED |
				    SENDER_ACK_NOT_DUP | SENDER_ACK_DSACK));
		sender__alert(sender, ack);
	}
	if (ack->flags & SENDER_ACK_SET_TIMER &&
	    !sender__schedule_probe(sender, true))
		sender__rearm_rto(sender);
	take_sample(sender, ack, had_reneged);
	control(sender, ack);
	if (sender->watch)
		sender__watch_ack(sender, ack);
	recover(sender, ack);
}

void sender__process_ack(struct sim_sender *sender,
			 const struct sim_segment *segment)
{
	struct sender_ack ack = {
		.segment = segment,
		.to = segment->ack,
		.prior_una = sender->snd_una,
		.prior_fack = sender__fack(sender),
		.prior_sacked = sender->sacked_out,
		.prior_lost = sender->rate.lost_pkts,
	};
	uint32_t prior_inflight = sender__inflight(sender);

	if (segment->ack > sender->snd_nxt)
		return;
	fp_rate_on_ack_start(&sender->rate, &ack.cc);
	ack.cc.prior_inflight_pkts = prior_inflight;
	if (segment->payload_bytes || segment->is_request)
		ack.flags |= SENDER_ACK_DATA;
	sender->ack = &ack;
	if (segment->ack < sender->snd_una)
		process_old(sender, &ack);
	else
		process(sender, &ack);
	sender->ack = NULL;
	sender__push(sender);
	if (sender->supply.end > sender->written) {
		sender__fill(sender);
		sender__push(sender);
	}
}
