/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delivery-rate sampling.
 *
 * A packet that leaves notes how much had been delivered, and when. When it is
 * acknowledged, what was delivered since, over the time that this took, is how
 * fast the path delivers. ACKs may arrive compressed, but data cannot have been
 * delivered faster than it was sent: so the time is the longer one of two
 * phases,
 *
 *	send phase = this packet's departure - departure of the packet sampled
 *		     last before it left
 *	ACK phase  = now - last delivery before it left
 *
 * Sources: Linux net/ipv4/tcp_rate.c; tx_in_flight and lost as Google's BBRv3
 * adds them; draft-cheng-iccrg-delivery-rate-estimation-02.
 */
#include "fullpipe/cc/rate.h"

static uint64_t rate_stamp(uint64_t now_us)
{
	return now_us != 0 ? now_us : 1;
}

/* Time from one stamp to a later one; none where they are the other way round.
 */
static uint64_t rate_elapsed_us(uint64_t from_us, uint64_t to_us)
{
	return to_us > from_us ? to_us - from_us : 0;
}

void fp_rate_on_send(struct fp_rate *rate, struct fp_rate_pkt *pkt,
		     const struct fp_rate_send *send)
{
	uint64_t now_us = rate_stamp(send->now_us);

	/* Nothing is out: all that is acknowledged from now on was delivered
	 * from now on. Asked of packets_out, not of what is in flight: that is
	 * a guess, and a timeout makes it 0. */
	if (send->packets_out_pkts == 0) {
		rate->first_tx_us = now_us;
		rate->delivered_us = now_us;
	}
	pkt->sent_us = now_us;
	pkt->first_tx_us = rate->first_tx_us;
	pkt->delivered_us = rate->delivered_us;
	pkt->delivered_pkts = rate->delivered_pkts;
	pkt->delivered_ce_pkts = rate->delivered_ce_pkts;
	pkt->tx_in_flight_pkts = send->inflight_pkts;
	pkt->lost_pkts = rate->lost_pkts;
	pkt->is_app_limited = rate->app_limited_pkts != 0;
	pkt->is_retrans = send->is_retrans;
}

void fp_rate_on_ack_start(struct fp_rate *rate, struct fp_cc_ack *ret_ack)
{
	const struct fp_cc_ack none = { .rtt_us = -1 };

	*ret_ack = none;
	rate->prior_us = 0;
	rate->send_us = 0;
	rate->start_lost_pkts = rate->lost_pkts;
}

/* Was this packet sent after the one that is sampled so far? */
static bool rate_is_later(const struct fp_rate *rate,
			  const struct fp_rate_pkt *pkt, uint32_t end_pkts)
{
	if (rate->prior_us == 0)
		return true;
	if (pkt->sent_us != rate->first_tx_us)
		return pkt->sent_us > rate->first_tx_us;
	return (int32_t)(end_pkts - rate->last_end_pkts) > 0;
}

void fp_rate_on_delivered(struct fp_rate *rate, struct fp_rate_pkt *pkt,
			  uint32_t end_pkts, struct fp_cc_ack *ack)
{
	if (pkt->delivered_us == 0)
		return;
	if (rate_is_later(rate, pkt, end_pkts)) {
		rate->prior_us = pkt->delivered_us;
		rate->prior_delivered_ce_pkts = pkt->delivered_ce_pkts;
		rate->prior_lost_pkts = pkt->lost_pkts;
		rate->last_end_pkts = end_pkts;
		rate->send_us = rate_elapsed_us(pkt->first_tx_us, pkt->sent_us);
		rate->first_tx_us = pkt->sent_us;
		ack->prior_delivered_pkts = pkt->delivered_pkts;
		ack->tx_in_flight_pkts = pkt->tx_in_flight_pkts;
		ack->is_app_limited = pkt->is_app_limited;
		ack->is_retrans = pkt->is_retrans;
	}
	pkt->delivered_us = 0; /* SACKed now, acknowledged later: once */
}

/* What was delivered, and in what time. */
static void rate_sample(const struct fp_rate *rate,
			const struct fp_rate_end *end, struct fp_cc_ack *ack)
{
	uint64_t ack_us = rate_elapsed_us(rate->prior_us, end->now_us);
	uint64_t longer_us = ack_us > rate->send_us ? ack_us : rate->send_us;

	ack->delivered_pkts =
	    (int32_t)(rate->delivered_pkts - ack->prior_delivered_pkts);
	ack->delivered_ce_pkts =
	    (int32_t)(rate->delivered_ce_pkts - rate->prior_delivered_ce_pkts);
	ack->lost_pkts = rate->lost_pkts - rate->prior_lost_pkts;
	if (longer_us > INT32_MAX)
		longer_us = INT32_MAX;
	/* Shorter than any round trip: something that was sent twice was
	 * acknowledged by its first copy. */
	ack->interval_us =
	    longer_us < end->min_rtt_us ? -1 : (int32_t)longer_us;
}

void fp_rate_on_ack_end(struct fp_rate *rate, const struct fp_rate_end *end,
			struct fp_cc_ack *ack)
{
	rate->delivered_pkts += end->acked_sacked_pkts;
	rate->delivered_ce_pkts += end->newly_ce_pkts;
	if (rate->app_limited_pkts != 0 &&
	    (int32_t)(rate->delivered_pkts - rate->app_limited_pkts) > 0)
		rate->app_limited_pkts = 0;
	if (end->acked_sacked_pkts != 0)
		rate->delivered_us = rate_stamp(end->now_us);
	ack->now_ns = end->now_us * 1000;
	ack->prior_ns = rate->prior_us * 1000;
	ack->acked_sacked_pkts = end->acked_sacked_pkts;
	ack->newly_lost_pkts = rate->lost_pkts - rate->start_lost_pkts;
	if (rate->prior_us == 0 || end->has_reneged) {
		ack->delivered_pkts = -1;
		ack->interval_us = -1;
		return;
	}
	rate_sample(rate, end, ack);
}

void fp_rate_get_conn(const struct fp_rate *rate, struct fp_cc_conn *conn)
{
	conn->delivered_ns = rate->delivered_us * 1000;
	conn->delivered_pkts = rate->delivered_pkts;
	conn->delivered_ce_pkts = rate->delivered_ce_pkts;
	conn->lost_pkts = rate->lost_pkts;
	conn->app_limited_pkts = rate->app_limited_pkts;
}

void fp_rate_mark_app_limited(struct fp_rate *rate, uint32_t inflight_pkts)
{
	uint32_t end_pkts = rate->delivered_pkts + inflight_pkts;

	rate->app_limited_pkts = end_pkts != 0 ? end_pkts : 1;
}
