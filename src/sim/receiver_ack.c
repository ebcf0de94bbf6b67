/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a Linux receiver sends an ACK (names in brackets are the kernel's):
 *
 *	at once		more than one packet has none; a hole was filled; old
 *			data came again; the flow is young, or something was
 *			wrong ("quick"); beyond a hole, the first three
 *	in a while	beyond a hole: 5 % of the RTT, at most 1 ms, or when
 *			44 more came
 *	later		40 ms, or what the gaps between packets suggest
 *
 * What came together (GRO) counts as one arrival. The application reads at
 * once, after that decision; the reading can make an ACK due too.
 */
#include "sim/integer.h"
#include "sim/receiver_state.h"

/* TCP_DELACK_MAX: the longest wait where the application has written its last
 */
#define RECEIVER_PUSH_MAX_NS UINT64_C(200000000)
/* TCP_FASTRETRANS_THRESH; tcp_comp_sack_nr; tcp_comp_sack_delay_ns; one part in
 * 20 of the RTT */
#define RECEIVER_DUPACKS     3u
#define RECEIVER_COMP_MAX    44u
#define RECEIVER_COMP_NS     UINT64_C(1000000)
#define RECEIVER_COMP_SHARE  20u

/* --- Sending ---------------------------------------------------------------
 */

/* Fills in what every packet of this side says. */
static void receiver_prepare(struct sim_receiver *receiver,
			     struct sim_segment *segment, uint64_t now_ns)
{
	segment->flow = receiver->config.flow;
	segment->is_back = true;
	segment->is_ece = receiver->has_ce && receiver->config.tcp.has_ecn;
	segment->ack = receiver->set.next;
	segment->ack_bytes = receiver->next_bytes;
	segment->requests = receiver->requests;
	segment->tsval_us = now_ns / NS_PER_US + SIM_EPOCH_US;
	segment->tsecr_us = receiver->ts_recent_us;
}

static void receiver_transmit(struct sim_receiver *receiver,
			      const struct sim_segment *segment,
			      uint64_t now_ns)
{
	receiver->config.port.transmit(receiver->config.port.context, segment,
				       now_ns);
}

/* tcp_event_ack_sent(): whatever waited has been said. */
static void receiver_note_ack(struct sim_receiver *receiver)
{
	if (receiver->is_due && receiver->quick != 0) {
		receiver->quick--;
		if (receiver->quick == 0)
			receiver->ato_ns = RECEIVER_ATO_NS;
	}
	receiver->compressed = 0;
	receiver->compress_at_ns = FP_TIME_NEVER;
	receiver->delayed_at_ns = FP_TIME_NEVER;
	receiver->is_due = false;
	receiver->is_due_now = false;
	receiver->is_pushed = false;
	receiver->acked_seq = receiver->set.next;
	receiver->acked_bytes = receiver->next_bytes;
}

/* Sends an ACK; of everything, it carries payload_bytes of a request too. */
void receiver__send(struct sim_receiver *receiver, struct sim_segment *segment,
		    uint64_t now_ns)
{
	uint64_t held_bytes = receiver_held_bytes(receiver);

	receiver_prepare(receiver, segment, now_ns);
	if (sim_window_is_tight(&receiver->window, held_bytes))
		receiver->quick = 0;
	segment->window_bytes = sim_window_offer_bytes(
	    &receiver->window, receiver->next_bytes, held_bytes);
	segment->is_fin = receiver->set.next >= receiver->fin_seq;
	if (receiver_has(receiver, FP_SIM_SACK))
		sim_reassembly_report(&receiver->set, segment);
	receiver_note_ack(receiver);
	receiver_transmit(receiver, segment, now_ns);
}

void receiver__send_ack(struct sim_receiver *receiver, uint64_t now_ns)
{
	struct sim_segment segment = { .flow = 0 };

	receiver__send(receiver, &segment, now_ns);
}

void receiver__send_synack(struct sim_receiver *receiver, uint64_t now_ns)
{
	struct sim_segment segment = { .is_syn = true };

	receiver_prepare(receiver, &segment, now_ns);
	segment.window_bytes = receiver->window.offered_bytes;
	segment.is_ece = receiver->config.tcp.has_ecn;
	receiver_transmit(receiver, &segment, now_ns);
}

/* --- Deciding --------------------------------------------------------------
 */

/* tcp_incr_quickack() */
void receiver__add_quick(struct sim_receiver *receiver, uint32_t most)
{
	uint64_t quick =
	    receiver->window.offered_bytes / (2 * receiver->config.mss_bytes);

	quick = sim_min(quick != 0 ? quick : 2, most);
	if (quick > receiver->quick)
		receiver->quick = (uint32_t)quick;
}

/* tcp_enter_quickack_mode(): something is wrong, the sender wants to know */
void receiver__be_quick(struct sim_receiver *receiver, uint32_t most)
{
	receiver__add_quick(receiver, most);
	receiver->ato_ns = RECEIVER_ATO_NS;
	receiver->is_due_now = true;
}

/* How long an ACK may wait follows the gaps between arrivals. */
void receiver__adapt_ato(struct sim_receiver *receiver, uint64_t now_ns)
{
	uint64_t gap_ns = now_ns - receiver->received_ns;
	uint64_t rtt_ns = receiver->handshake_us * NS_PER_US;
	uint64_t rto_ns =
	    rtt_ns + sim_max(2 * rtt_ns, receiver->config.tcp.min_rto_ns);
	bool is_first = receiver->ato_ns == 0;

	if (is_first)
		receiver->ato_ns = RECEIVER_ATO_NS;
	else if (gap_ns <= RECEIVER_ATO_NS / 2)
		receiver->ato_ns = receiver->ato_ns / 2 + RECEIVER_ATO_NS / 2;
	else if (gap_ns < receiver->ato_ns)
		receiver->ato_ns =
		    sim_min(receiver->ato_ns / 2 + gap_ns, rto_ns);
	if ((is_first || gap_ns > sim_max(rto_ns, receiver->ato_ns)) &&
	    receiver_has(receiver, FP_SIM_QUICKACK))
		receiver__add_quick(receiver, RECEIVER_QUICK_MAX);
	receiver->received_ns = now_ns;
}

/* The first tick of the kernel's clock that is at least so long from now: its
 * timer wheel rounds up, never down. */
static uint64_t receiver_tick_ns(const struct sim_receiver *receiver,
				 uint64_t now_ns, uint64_t wait_ns)
{
	uint64_t tick_ns = NS_PER_S / receiver->config.tcp.clock_hz;

	return (now_ns / tick_ns + wait_ns / tick_ns + 1) * tick_ns;
}

/* tcp_send_delayed_ack(): how long an ACK may wait */
static uint64_t receiver_wait_ns(const struct sim_receiver *receiver)
{
	uint64_t most_ns =
	    receiver->is_pushed ? RECEIVER_PUSH_MAX_NS : RECEIVER_ATO_MAX_NS;
	uint64_t rtt_ns = receiver->handshake_us * NS_PER_US;

	if (receiver->ato_ns <= RECEIVER_ATO_NS)
		return receiver->ato_ns;
	if (rtt_ns != 0)
		most_ns = sim_min(most_ns, sim_max(rtt_ns, RECEIVER_ATO_NS));
	return sim_min(receiver->ato_ns, most_ns);
}

static void receiver_delay_ack(struct sim_receiver *receiver, uint64_t now_ns)
{
	uint64_t wait_ns = receiver_wait_ns(receiver), at_ns;

	if (receiver->config.tcp.delayed_ack_ns != 0)
		at_ns = now_ns + receiver->config.tcp.delayed_ack_ns;
	else
		at_ns = receiver_tick_ns(receiver, now_ns, wait_ns);
	if (receiver->delayed_at_ns != FP_TIME_NEVER &&
	    receiver->delayed_at_ns <= now_ns + wait_ns / 4) {
		receiver__send_ack(receiver, now_ns);
		return;
	}
	receiver->delayed_at_ns = sim_min(at_ns, receiver->delayed_at_ns);
}

/* Beyond a hole: the first three at once, so that the sender repairs it, then
 * fewer (sock_net(sk)->ipv4.sysctl_tcp_comp_sack_…). */
static void receiver_compress_ack(struct sim_receiver *receiver,
				  uint64_t now_ns)
{
	uint64_t rtt_us = receiver->window.rtt_us_x8 / 8;

	if (receiver->compress_seq != receiver->set.next) {
		receiver->compress_seq = receiver->set.next;
		receiver->dupacks = 0;
	}
	if (!receiver_has(receiver, FP_SIM_SACK) ||
	    receiver->compressed >= RECEIVER_COMP_MAX ||
	    receiver->dupacks < RECEIVER_DUPACKS) {
		receiver->dupacks++;
		receiver__send_ack(receiver, now_ns);
		return;
	}
	receiver->compressed++;
	if (receiver->compress_at_ns != FP_TIME_NEVER)
		return;
	if (receiver->handshake_us != 0)
		rtt_us = sim_min(rtt_us, receiver->handshake_us);
	receiver->compress_at_ns =
	    now_ns +
	    sim_min(RECEIVER_COMP_NS, rtt_us * NS_PER_US / RECEIVER_COMP_SHARE);
}

/* Stretched ACKs are those of a device on the way: it does not know that a
 * flow is new. */
static bool receiver_is_quick(const struct sim_receiver *receiver)
{
	return receiver->quick != 0 && receiver->config.tcp.ack_every_pkts <= 2;
}

/* __tcp_ack_snd_check() */
void receiver__check_ack(struct sim_receiver *receiver, uint64_t now_ns)
{
	uint64_t open_bytes = receiver->next_bytes - receiver->acked_bytes;
	uint64_t may_wait_bytes = (receiver->config.tcp.ack_every_pkts - 1) *
				  receiver->config.mss_bytes;

	if (!receiver->is_due)
		return;
	if (open_bytes > may_wait_bytes || receiver->is_due_now ||
	    receiver_is_quick(receiver) ||
	    !receiver_has(receiver, FP_SIM_DELAYED_ACK))
		receiver__send_ack(receiver, now_ns);
	else if (receiver->set.held == 0)
		receiver_delay_ack(receiver, now_ns);
	else
		receiver_compress_ack(receiver, now_ns);
}

/* The application reads (tcp_rcv_space_adjust(), tcp_cleanup_rbuf()): it has
 * the end of what the other side wrote, or there is much more room than was
 * said. */
void receiver__read(struct sim_receiver *receiver, uint64_t now_ns)
{
	struct sim_window *window = &receiver->window;
	uint64_t left_bytes, new_bytes;

	sim_window_adjust(window, receiver->next_bytes, now_ns);
	if (receiver->is_due && receiver->is_pushed) {
		receiver__send_ack(receiver, now_ns);
		return;
	}
	left_bytes = sim_window_left_bytes(window, receiver->next_bytes);
	if (2 * left_bytes > window->clamp_bytes)
		return;
	new_bytes =
	    sim_window_select_bytes(window, receiver_held_bytes(receiver));
	if (new_bytes != 0 && new_bytes >= 2 * left_bytes)
		receiver__send_ack(receiver, now_ns);
}
