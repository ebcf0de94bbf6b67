/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What leaves, and when. Linux: tcp_write_xmit(), tcp_xmit_retransmit_queue()
 * and the pacing of tcp_update_skb_after_send().
 *
 * Packets leave in bursts (skbs), each with one number. A burst is as long as
 * the rate lets pass in about a millisecond, longer on short paths:
 *
 *	bytes = (pacing_rate >> pacing_shift) + (gso_max >> (min_rtt_us >> 9))
 *
 * The pacer has an earliest departure time: each burst moves it on by length /
 * rate, less what the burst was late, at most half.
 */
#include "sim/sender_state.h"

/* Linux: sk_pacing_shift, net.ipv4.tcp_tso_rtt_log, tcp_tso_win_divisor. */
#define PACING_SHIFT    10
#define TSO_RTT_LOG     9
#define TSO_WIN_DIVISOR 3
/* Packets of a connection that go unpaced, as in sch_fq. */
#define PACING_INITIAL  10
/* A host without TSO sends packets one by one. */
#define MIN_TSO_PKTS    2

uint64_t sender__pacing_rate(const struct sim_sender *sender)
{
	return sender->control.pacing_rate_bytes_per_s
		   ? sender->control.pacing_rate_bytes_per_s
		   : sender->default_pacing_bytes_per_s;
}

uint32_t sender__payload_bytes(const struct sim_sender *sender, uint64_t seq)
{
	return seq + 1 == sender->supply.end ? sender->supply.last_bytes
					     : sender->mss_bytes;
}

/* Linux: tcp_snd_wnd_test(). */
bool sender__fits_window(const struct sim_sender *sender, uint64_t seq)
{
	return seq * sender->mss_bytes + sender__payload_bytes(sender, seq) <=
	       sender->wnd_end_bytes;
}

/* Linux: tcp_tso_segs() and tcp_tso_autosize(). Google's Linux lets the
 * algorithm choose. */
uint32_t sender__burst_pkts(const struct sim_sender *sender)
{
	uint64_t bytes = sender__pacing_rate(sender) >> PACING_SHIFT;
	uint32_t shift = sender__min_rtt_us(sender) >> TSO_RTT_LOG;
	uint32_t least = sender->control.min_tso_pkts;
	uint32_t pkts;

	if (!sender__has(sender, FP_SIM_TSO))
		return 1;
	if (sender->control.burst_pkts)
		return sender->control.burst_pkts;
	if (shift < 32)
		bytes += SENDER_GSO_BYTES >> shift;
	if (bytes > SENDER_GSO_BYTES)
		bytes = SENDER_GSO_BYTES;
	pkts = (uint32_t)bytes / sender->mss_bytes;
	if (!least)
		least = MIN_TSO_PKTS;
	return pkts > least ? pkts : least;
}

/* Linux: tcp_pacing_check(). */
static bool is_paced_out(struct sim_sender *sender)
{
	if (!sender->is_paced || sender->edt_ns <= sender->now_ns)
		return false;
	sender->pace_ns = sender->edt_ns;
	return true;
}

/* Linux: tcp_update_skb_after_send(). prior_ns: edt_ns before this burst. */
static void pace(struct sim_sender *sender, uint64_t bytes, uint64_t prior_ns)
{
	uint64_t rate = sender__pacing_rate(sender);
	uint64_t credit_ns = sender->edt_ns - prior_ns;
	uint64_t len_ns;

	if (!sender->is_paced || !rate || rate == UINT64_MAX ||
	    sender->segs_out < PACING_INITIAL)
		return;
	len_ns = bytes * SENDER_NS_PER_S / rate;
	len_ns -= credit_ns < len_ns / 2 ? credit_ns : len_ns / 2;
	sender->edt_ns += len_ns;
}

static void put(struct sim_sender *sender, const struct sim_segment *segment)
{
	sender->port.transmit(sender->port.context, segment, sender->now_ns);
}

void sender__send_empty(struct sim_sender *sender, bool is_syn)
{
	const struct sim_segment segment = {
		.flow = sender->flow,
		.unit = sender->next_unit++,
		.is_syn = is_syn,
		.seq = sender->snd_una,
		.end_bytes = sender->snd_una * sender->mss_bytes,
		.tsval_us = sender->now_us,
		.tsecr_us = sender->ts_recent_us,
	};

	put(sender, &segment);
}

/* The packets of one burst, on the wire and in the scoreboard. Returns their
 * payload. */
static uint64_t put_burst(struct sim_sender *sender, uint64_t seq,
			  uint32_t count, bool is_retrans)
{
	const struct fp_rate_send send = {
		.now_us = sender->now_us,
		.packets_out_pkts = sender__packets_out(sender),
		.inflight_pkts = sender__inflight(sender) + count,
		.is_retrans = is_retrans,
	};
	struct sim_segment segment = {
		.flow = sender->flow,
		.unit = sender->next_unit++,
		.is_retrans = is_retrans,
		.is_cwr = sender->owes_cwr && !is_retrans,
		.tsval_us = sender->now_us,
		.tsecr_us = sender->ts_recent_us,
	};
	uint64_t bytes = 0;

	if (segment.is_cwr)
		sender->owes_cwr = false;
	for (uint32_t i = 0; i < count; i++, seq++) {
		struct sender_pkt *pkt = sender__pkt(sender, seq);

		if (!is_retrans)
			pkt->flags = 0;
		fp_rate_on_send(&sender->rate, &pkt->rate, &send);
		pkt->unit = segment.unit;
		/* a tail loss probe may be of what was SACKed */
		if (!(pkt->flags & SENDER_SACKED))
			sender__link_sent(sender, seq);
		segment.index = (uint16_t)i;
		segment.seq = seq;
		segment.payload_bytes = sender__payload_bytes(sender, seq);
		segment.end_bytes =
		    seq * sender->mss_bytes + segment.payload_bytes;
		/* a burst ends with PSH, so that the receiver's GRO lets go of
		 * it; a copy of that packet has it, too */
		if (i + 1 == count && count > 1)
			pkt->flags |= SENDER_PUSH;
		segment.is_push =
		    pkt->flags & SENDER_PUSH || seq + 1 == sender->written;
		bytes += segment.payload_bytes;
		put(sender, &segment);
	}
	return bytes;
}

/* Linux: __tcp_transmit_skb(). */
static void send_burst(struct sim_sender *sender, uint64_t seq, uint32_t count,
		       bool is_retrans)
{
	uint64_t prior_ns = sender->edt_ns;
	uint64_t bytes;

	if (sender->edt_ns < sender->now_ns)
		sender->edt_ns = sender->now_ns;
	if (!sender__inflight(sender))
		sender__cc_event(sender, FP_CC_TX_START);
	sender->sent_ns = sender->now_ns;
	sender->sent_ticks = sender__ticks(sender);
	bytes = put_burst(sender, seq, count, is_retrans);
	sender->segs_out += count;
	pace(sender, bytes, prior_ns);
	sender->counters.sent_pkts += count;
	sender->counters.sent_bytes += bytes;
	if (is_retrans) {
		sender->counters.retrans_pkts += count;
		sender->counters.retrans_bytes += bytes;
	}
	if (sender->watch)
		sender__watch_sent(sender, seq, count, is_retrans);
}

/* --- New data --------------------------------------------------------------
 */

/* Linux: tcp_cwnd_test(): at most half a window at once. */
static uint32_t cwnd_quota(const struct sim_sender *sender)
{
	uint32_t inflight = sender__inflight(sender);
	uint32_t cwnd = sender->control.cwnd_pkts;
	uint32_t half = cwnd > 3 ? cwnd >> 1 : 1;

	/* Without limited transmit (RFC 3042) what was SACKed still counts
	 * until recovery begins. */
	if (!sender__has(sender, FP_SIM_LIMITED_TRANSMIT) &&
	    sender->ca_state <= FP_CA_DISORDER)
		inflight += sender->sacked_out;
	if (inflight >= cwnd)
		return 0;
	return cwnd - inflight < half ? cwnd - inflight : half;
}

/* What may be unsent at the head of the application's data, as one skb. */
static uint32_t head_pkts(const struct sim_sender *sender)
{
	uint64_t unsent = sender->written - sender->snd_nxt;
	uint32_t goal = sender->goal_pkts;
	uint32_t left = goal - (uint32_t)(sender->snd_nxt % goal);

	return unsent < left ? (uint32_t)unsent : left;
}

struct burst_limits {
	uint32_t head_pkts; /* the skb at the head */
	uint32_t most_pkts; /* of a burst */
	bool is_cwnd_limited, is_rwnd_limited;
};

/* Is the first packet's ACK due within the shorter of 1 ms and half a round
 * trip (Linux since 6.18, 6.12.55, 6.1.158)? It may be overdue, too. */
static bool is_ack_near(const struct sim_sender *sender)
{
	uint64_t srtt_us = sender->srtt_us_x8 >> 3;
	uint64_t due_us =
	    sender__pkt(sender, sender->snd_una)->rate.sent_us + srtt_us;

	return due_us <= sender->now_us + (srtt_us < 2000 ? srtt_us / 2 : 1000);
}

/* Linux: tcp_tso_should_defer(): waits for an ACK to make a full burst, where
 * one is likely to come soon. */
static bool should_defer(const struct sim_sender *sender,
			 struct burst_limits *limits)
{
	uint64_t mss = sender->mss_bytes;
	uint64_t send_win = sender->wnd_end_bytes - sender->snd_nxt * mss;
	uint64_t cwnd = sender->control.cwnd_pkts;
	uint64_t cong_win = (cwnd - sender__inflight(sender)) * mss;
	uint64_t limit = send_win < cong_win ? send_win : cong_win;
	uint64_t chunk = sender->snd_wnd_bytes < cwnd * mss
			     ? sender->snd_wnd_bytes
			     : cwnd * mss;
	uint64_t head_bytes = limits->head_pkts * mss;

	if (sender->ca_state >= FP_CA_RECOVERY ||
	    sender->now_ns > sender->edt_ns + 1000000 ||
	    limit >= limits->most_pkts * mss)
		return false;
	if (sender->snd_nxt + limits->head_pkts < sender->written &&
	    limit >= head_bytes)
		return false;
	if (limit >= chunk / TSO_WIN_DIVISOR ||
	    sender->snd_una == sender->snd_nxt)
		return false;
	if (!is_ack_near(sender))
		return false;
	if (cong_win < send_win)
		limits->is_cwnd_limited |= cong_win <= head_bytes;
	else
		limits->is_rwnd_limited |= send_win <= head_bytes;
	return true;
}

/* How many packets may leave in one burst now; 0: none. */
static uint32_t next_burst(struct sim_sender *sender,
			   struct burst_limits *limits, bool is_probe)
{
	uint32_t quota = cwnd_quota(sender);
	uint64_t window;

	if (!quota) {
		if (!is_probe)
			return 0;
		quota = 1;
	}
	if (!sender__fits_window(sender, sender->snd_nxt)) {
		limits->is_rwnd_limited = true;
		return 0;
	}
	limits->head_pkts = head_pkts(sender);
	if (limits->head_pkts <= 1)
		return 1;
	if (!is_probe && should_defer(sender, limits))
		return 0;
	window = (sender->wnd_end_bytes - sender->snd_nxt * sender->mss_bytes) /
		 sender->mss_bytes;
	if (quota > limits->most_pkts)
		quota = limits->most_pkts;
	if (quota > limits->head_pkts)
		quota = limits->head_pkts;
	return quota <= window ? quota : window ? (uint32_t)window : 1;
}

/* The timer after new data left: it counts from now where nothing was in flight
 * or a probe was due (tcp_event_new_data_sent()), and a probe where one may be.
 */
static void set_timer(struct sim_sender *sender, bool is_stale, bool is_probe)
{
	if (!is_probe && sender__schedule_probe(sender, false))
		return;
	if (is_stale)
		sender__rearm_rto(sender);
}

/* Linux: tcp_write_xmit(). Returns how many packets went. */
static uint32_t write_queue(struct sim_sender *sender, bool is_probe)
{
	struct burst_limits limits = { 0 };
	bool is_stale = sender->snd_una == sender->snd_nxt ||
			sender->timer == SENDER_TIMER_PROBE;
	uint32_t sent = 0;

	limits.most_pkts = sender__burst_pkts(sender);
	sender->burst_pkts = limits.most_pkts;
	while (sender->snd_nxt < sender->written && !is_paced_out(sender)) {
		uint32_t count = next_burst(sender, &limits, is_probe);

		if (!count || !sender__reserve(sender, count))
			break;
		send_burst(sender, sender->snd_nxt, count, false);
		sender->snd_nxt += count;
		sent += count;
		if (is_probe)
			break;
	}
	if (limits.is_rwnd_limited)
		sender__chrono_start(sender, SENDER_RWND_LIMITED);
	else
		sender__chrono_stop(sender, SENDER_RWND_LIMITED);
	limits.is_cwnd_limited |=
	    sender__inflight(sender) >= sender->control.cwnd_pkts;
	if (sent || limits.is_cwnd_limited)
		sender__validate_cwnd(sender, limits.is_cwnd_limited);
	if (!sent)
		return 0;
	if (sender__in_reduction(sender))
		sender->prr_out += sent;
	set_timer(sender, is_stale, is_probe);
	return sent;
}

void sender__push(struct sim_sender *sender)
{
	if (sender->snd_nxt >= sender->written || !sender->is_open)
		return;
	if (!write_queue(sender, false) && sender->pace_ns == FP_TIME_NEVER)
		sender__check_persist(sender);
}

bool sender__push_probe(struct sim_sender *sender)
{
	return write_queue(sender, true) > 0;
}

/* --- Retransmissions -------------------------------------------------------
 */

/* Linux: __tcp_retransmit_skb(): not past a window that shrank. */
static bool may_resend(const struct sim_sender *sender, uint64_t seq)
{
	return seq == sender->snd_una ||
	       seq * sender->mss_bytes < sender->wnd_end_bytes;
}

bool sender__resend(struct sim_sender *sender, uint64_t seq)
{
	if (!may_resend(sender, seq))
		return false;
	send_burst(sender, seq, 1, true);
	sender__pkt(sender, seq)->flags |= SENDER_EVER;
	return true;
}

/* Packets from seq on that are to be sent again and left in the same skb. */
static uint32_t same_skb(const struct sim_sender *sender, uint64_t seq,
			 uint32_t most)
{
	const struct sender_pkt *first = sender__pkt(sender, seq);
	uint32_t count = 1;

	while (count < most && seq + count < sender->snd_nxt) {
		const struct sender_pkt *pkt = sender__pkt(sender, seq + count);

		if (!(pkt->flags & SENDER_ON_LOST) || pkt->unit != first->unit)
			break;
		count++;
	}
	return count;
}

/* Linux: tcp_retransmit_skb(). */
uint32_t sender__retransmit(struct sim_sender *sender, uint64_t seq,
			    uint32_t count)
{
	if (!may_resend(sender, seq))
		return 0;
	count = same_skb(sender, seq, count);
	send_burst(sender, seq, count, true);
	for (uint32_t i = 0; i < count; i++) {
		struct sender_pkt *pkt = sender__pkt(sender, seq + i);

		if (!(pkt->flags & SENDER_RETRANS))
			sender->retrans_out++;
		pkt->flags |= SENDER_RETRANS | SENDER_EVER;
	}
	if (!sender->retrans_stamp_us)
		sender->retrans_stamp_us = sender->now_us;
	if (sender->undo_retrans < 0)
		sender->undo_retrans = 0;
	sender->undo_retrans += (int32_t)count;
	return count;
}

/* Linux: tcp_xmit_retransmit_queue(). */
void sender__retransmit_queue(struct sim_sender *sender)
{
	uint32_t most = sender__burst_pkts(sender);
	bool is_head_sent = false;

	while (sender->lost.count && sender->retrans_out < sender->lost_out &&
	       !is_paced_out(sender)) {
		uint64_t seq = sender__seq(sender, sender->lost.head);
		uint32_t inflight = sender__inflight(sender);
		uint32_t cwnd = sender->control.cwnd_pkts;
		uint32_t count;

		if (inflight >= cwnd)
			break;
		count = cwnd - inflight < most ? cwnd - inflight : most;
		count = sender__retransmit(sender, seq, count);
		if (!count)
			break;
		if (sender__in_reduction(sender))
			sender->prr_out += count;
		if (seq == sender->snd_una &&
		    sender->timer != SENDER_TIMER_REORDER)
			is_head_sent = true;
	}
	if (is_head_sent)
		sender__set_timer(sender, SENDER_TIMER_RTO,
				  sender__paced(sender, sender->rto_jiffies));
}
