/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/receiver.h"

#include <stdlib.h>

#include "sim/integer.h"
#include "sim/prefetch.h"
#include "sim/receiver_state.h"

/* Blocks behind the second are said too seldom: what is compressed goes first
 * (TCP_SACK_BLOCKS_EXPECTED). */
#define RECEIVER_COMP_BLOCKS 2u
/* RFC 6298, 2.1 and 5.5: a SYN-ACK's timer; a request's timer has Linux's
 * minimum. Both double. */
#define RECEIVER_SYNACK_NS   (1 * NS_PER_S)
#define RECEIVER_RTO_MAX_NS  (120 * NS_PER_S)
/* Less payload says nothing about the sender's packets. */
#define RECEIVER_GROW_BYTES  128u

/* --- Making ----------------------------------------------------------------
 */

struct sim_receiver *sim_receiver_new(const struct sim_receiver_config *config)
{
	struct sim_receiver *receiver = calloc(1, sizeof(*receiver));

	if (!receiver)
		return NULL;
	receiver->config = *config;
	if (sim_reassembly_init(&receiver->set)) {
		free(receiver);
		return NULL;
	}
	sim_window_init(&receiver->window, &config->tcp, config->mss_bytes, 0);
	receiver->state =
	    config->starts_open ? RECEIVER_OPEN : RECEIVER_LISTENS;
	receiver->handshake_us = config->starts_open ? config->open_rtt_us : 0;
	receiver->fin_seq = UINT64_MAX;
	receiver->delayed_at_ns = FP_TIME_NEVER;
	receiver->compress_at_ns = FP_TIME_NEVER;
	receiver->resend_at_ns = FP_TIME_NEVER;
	receiver->compress_seq = UINT64_MAX;
	return receiver;
}

void sim_receiver_free(struct sim_receiver *receiver)
{
	if (!receiver)
		return;
	sim_reassembly_fini(&receiver->set);
	free(receiver);
}

void sim_receiver_prefetch(const struct sim_receiver *receiver)
{
	sim_prefetch(receiver, sizeof(*receiver));
}

uint64_t sim_receiver_next(const struct sim_receiver *receiver)
{
	return receiver->set.next;
}

uint64_t sim_receiver_bytes(const struct sim_receiver *receiver)
{
	return receiver->next_bytes;
}

bool sim_receiver_is_open(const struct sim_receiver *receiver)
{
	return receiver->state == RECEIVER_OPEN;
}

uint64_t sim_receiver_window_bytes(const struct sim_receiver *receiver)
{
	return receiver->window.offered_bytes;
}

/* --- Requests --------------------------------------------------------------
 */

static void receiver_send_request(struct sim_receiver *receiver,
				  bool is_retrans, uint64_t now_ns)
{
	struct sim_segment segment = {
		.is_request = true,
		.is_retrans = is_retrans,
		.is_push = true,
		.payload_bytes = (uint32_t)receiver->config.request_bytes,
	};

	receiver->resend_at_ns = now_ns + receiver->resend_ns;
	receiver__send(receiver, &segment, now_ns);
}

void sim_receiver_request(struct sim_receiver *receiver, uint64_t now_ns)
{
	receiver->requests++;
	receiver->request_seq = receiver->set.next;
	receiver->resend_ns = receiver->handshake_us * NS_PER_US +
			      receiver->config.tcp.min_rto_ns;
	receiver_send_request(receiver, false, now_ns);
}

/* --- Receiving -------------------------------------------------------------
 */

static uint64_t receiver_position(const struct sim_receiver *receiver,
				  uint64_t seq)
{
	uint64_t bytes = seq * receiver->config.mss_bytes;

	return seq > receiver->short_seq ? bytes - receiver->short_bytes
					 : bytes;
}

/* __tcp_ecn_check_ce(): what is not marked as capable after others were is
 * probably a retransmission. */
static void receiver_check_ecn(struct sim_receiver *receiver,
			       const struct sim_segment *segment)
{
	if (!receiver->config.tcp.has_ecn)
		return;
	if (segment->is_retrans) {
		if (receiver->has_ect)
			receiver__be_quick(receiver, RECEIVER_QUICK_CE);
		return;
	}
	receiver->has_ect = true;
	if (!segment->is_ce || receiver->has_ce)
		return;
	receiver__be_quick(receiver, RECEIVER_QUICK_CE);
	receiver->has_ce = true;
}

static void receiver_grow(struct sim_receiver *receiver, uint64_t bytes)
{
	if (!sim_window_grow(&receiver->window, bytes,
			     receiver_held_bytes(receiver)))
		return;
	if (receiver_has(receiver, FP_SIM_QUICKACK))
		receiver->quick |= 1;
}

/* tcp_event_data_recv(): data came in order */
static void receiver_note_data(struct sim_receiver *receiver,
			       const struct sim_segment *segment,
			       uint64_t now_ns)
{
	if (segment->is_push ||
	    segment->payload_bytes < receiver->config.mss_bytes)
		receiver->is_pushed = true;
	sim_window_measure_flight(&receiver->window, receiver->next_bytes,
				  now_ns);
	receiver__adapt_ato(receiver, now_ns);
	receiver_check_ecn(receiver, segment);
	if (segment->payload_bytes >= RECEIVER_GROW_BYTES)
		receiver_grow(receiver, segment->payload_bytes);
}

/* The data that the receiver waits for, or some of it. */
static void receiver_take_next(struct sim_receiver *receiver,
			       const struct sim_segment *segment, uint64_t end,
			       uint64_t now_ns)
{
	bool had_hole = receiver->set.held != 0;

	if (segment->seq < receiver->set.next)
		sim_reassembly_duplicate(&receiver->set, segment->seq,
					 receiver->set.next);
	(void)sim_reassembly_advance(&receiver->set, end);
	receiver->next_bytes = receiver_position(receiver, receiver->set.next);
	receiver_note_data(receiver, segment, now_ns);
	/* RFC 5681, 4.2: a hole that is filled is told at once */
	if (had_hole && receiver->set.held == 0)
		receiver->is_due_now = true;
	if (receiver->set.next >= receiver->fin_seq)
		receiver->is_due_now = true;
	if (receiver->set.next > receiver->request_seq &&
	    receiver->requests != 0)
		receiver->resend_at_ns = FP_TIME_NEVER;
}

/* tcp_data_queue_ofo(): news of an old block would be said too late */
static int receiver_take_later(struct sim_receiver *receiver,
			       const struct sim_segment *segment, uint64_t end,
			       uint64_t now_ns)
{
	struct sim_block packets = { segment->seq, end };
	int result;

	receiver_check_ecn(receiver, segment);
	if (receiver->compressed != 0 &&
	    sim_reassembly_rank(&receiver->set, &packets) >=
		RECEIVER_COMP_BLOCKS) {
		receiver__send_ack(receiver, now_ns);
		receiver->is_due = true;
	}
	result = sim_reassembly_hold(&receiver->set, &packets);
	if (result)
		return result;
	if (receiver_has(receiver, FP_SIM_SACK))
		receiver_grow(receiver, segment->payload_bytes);
	sim_window_hold(&receiver->window, receiver->next_bytes,
			receiver_position(receiver, end));
	return 0;
}

/* tcp_data_queue() */
static int receiver_take(struct sim_receiver *receiver,
			 const struct sim_segment *segment, uint32_t pkts,
			 uint64_t now_ns)
{
	uint64_t next = receiver->set.next, end = segment->seq + pkts;
	uint64_t left_bytes =
	    sim_window_left_bytes(&receiver->window, receiver->next_bytes);
	uint64_t room = (left_bytes + receiver->config.mss_bytes - 1) /
			receiver->config.mss_bytes;

	receiver->set.has_dsack = false;
	receiver->is_due = true;
	if (end <= next) {
		sim_reassembly_duplicate(&receiver->set, segment->seq, end);
		receiver__be_quick(receiver, RECEIVER_QUICK_MAX);
	} else if (segment->seq >= next + room) { /* beyond the window */
		receiver__be_quick(receiver, RECEIVER_QUICK_MAX);
	} else if (segment->seq > next) {
		return receiver_take_later(receiver, segment, end, now_ns);
	} else {
		receiver_take_next(receiver, segment, end, now_ns);
	}
	return 0;
}

/* What a segment says beyond its data. */
static void receiver_note_header(struct sim_receiver *receiver,
				 const struct sim_segment *segment,
				 uint32_t pkts)
{
	uint64_t full_bytes = (uint64_t)pkts * receiver->config.mss_bytes;

	/* RFC 7323, 4.3: that of the first packet that is not acknowledged */
	if (segment->seq <= receiver->acked_seq &&
	    segment->tsval_us >= receiver->ts_recent_us)
		receiver->ts_recent_us = segment->tsval_us;
	if (pkts != 0 && segment->payload_bytes < full_bytes) {
		receiver->short_seq = segment->seq + pkts - 1;
		receiver->short_bytes = full_bytes - segment->payload_bytes;
	}
	if (segment->is_fin)
		receiver->fin_seq = segment->seq + pkts;
	if (segment->is_cwr && receiver->config.tcp.has_ecn) {
		receiver->has_ce = false;
		receiver->is_due_now |= pkts != 0;
	}
}

static void receiver_answer_syn(struct sim_receiver *receiver,
				const struct sim_segment *segment,
				uint64_t now_ns)
{
	receiver->ts_recent_us =
	    sim_max(receiver->ts_recent_us, segment->tsval_us);
	if (receiver->state == RECEIVER_OPEN)
		return;
	receiver->state = RECEIVER_ANSWERED;
	receiver->resend_ns = RECEIVER_SYNACK_NS;
	receiver->resend_at_ns = now_ns + receiver->resend_ns;
	receiver__send_synack(receiver, now_ns);
}

static void receiver_open(struct sim_receiver *receiver,
			  const struct sim_segment *segment, uint64_t now_ns)
{
	uint64_t now_us = now_ns / NS_PER_US + SIM_EPOCH_US;

	receiver->state = RECEIVER_OPEN;
	receiver->resend_at_ns = FP_TIME_NEVER;
	if (segment->tsecr_us != 0 && segment->tsecr_us < now_us)
		receiver->handshake_us = now_us - segment->tsecr_us;
	receiver->window.copied_since_ns = now_ns;
}

int sim_receiver_receive(struct sim_receiver *receiver,
			 const struct sim_segment *segment, uint32_t pkts,
			 uint64_t now_ns)
{
	uint64_t before = receiver->set.next;
	int result = 0;

	if (segment->is_syn) {
		receiver_answer_syn(receiver, segment, now_ns);
		return 0;
	}
	if (receiver->state == RECEIVER_LISTENS)
		return 0;
	if (receiver->state == RECEIVER_ANSWERED)
		receiver_open(receiver, segment, now_ns);
	if (segment->payload_bytes == 0)
		pkts = 0;
	receiver_note_header(receiver, segment, pkts);
	if (pkts == 0 && segment->is_fin) {
		receiver->is_due = true;
		receiver->is_due_now = true;
	}
	if (segment->payload_bytes >= receiver->config.mss_bytes)
		sim_window_measure_echo(&receiver->window, segment->tsecr_us,
					now_ns);
	if (pkts != 0)
		result = receiver_take(receiver, segment, pkts, now_ns);
	if (result)
		return result;
	receiver__check_ack(receiver, now_ns);
	if (receiver->set.next != before)
		receiver__read(receiver, now_ns);
	return 0;
}

/* --- Waking ----------------------------------------------------------------
 */

uint64_t sim_receiver_wake_ns(const struct sim_receiver *receiver)
{
	return sim_min(
	    receiver->resend_at_ns,
	    sim_min(receiver->delayed_at_ns, receiver->compress_at_ns));
}

static void receiver_resend(struct sim_receiver *receiver, uint64_t now_ns)
{
	receiver->resend_ns =
	    sim_min(2 * receiver->resend_ns, RECEIVER_RTO_MAX_NS);
	if (receiver->state == RECEIVER_OPEN) {
		receiver_send_request(receiver, true, now_ns);
		return;
	}
	receiver->resend_at_ns = now_ns + receiver->resend_ns;
	receiver__send_synack(receiver, now_ns);
}

int sim_receiver_wake(struct sim_receiver *receiver, uint64_t now_ns)
{
	if (receiver->resend_at_ns <= now_ns)
		receiver_resend(receiver, now_ns);
	if (receiver->compress_at_ns <= now_ns) {
		receiver__send_ack(receiver, now_ns);
	} else if (receiver->delayed_at_ns <= now_ns) {
		/* tcp_delack_timer_handler(): it was too short */
		receiver->ato_ns =
		    sim_min(2 * receiver->ato_ns, RECEIVER_ATO_MAX_NS);
		receiver__send_ack(receiver, now_ns);
	}
	return 0;
}
