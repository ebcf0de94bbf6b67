/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Entry points of a sender: its life, handshake, and what wakes it. */
#include "sim/sender_state.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/prefetch.h"

/* Packets that a new ring holds; it doubles when a window needs more. */
#define RING_PKTS 32u

struct sim_sender *sim_sender_new(const struct sim_sender_config *config)
{
	struct sim_sender *sender = calloc(1, sizeof(*sender));

	if (!sender)
		return NULL;
	sender->ring = malloc(RING_PKTS * sizeof(*sender->ring));
	if (!sender->ring) {
		free(sender);
		return NULL;
	}
	sender->mask = RING_PKTS - 1;
	sender->flow = config->flow;
	sender->mss_bytes = config->mss_bytes;
	sender->seed = config->seed;
	sender->start_pkts = config->start_pkts;
	sender->cc_config = config->cc;
	sender->tcp = config->tcp;
	sender->port = config->port;
	if (config->watch && config->watch->event)
		sender->watch = config->watch;
	sender->open_rtt_us = config->starts_open ? config->open_rtt_us : 0;
	sender->open_window_bytes = config->open_window_bytes;
	sender->starts_open = config->starts_open;
	sender->rate.delivered_pkts = config->start_pkts;
	sender->rate.lost_pkts = config->start_pkts;
	sender->reordering = SENDER_REORDERING;
	sender->rack.steps = 1;
	sender->undo_retrans = -1;
	sender->burst_pkts = 1;
	sender__init_buffer(sender);
	sender__init_timers(sender);
	return sender;
}

void sim_sender_free(struct sim_sender *sender)
{
	if (!sender)
		return;
	free(sender->ring);
	free(sender);
}

void sim_sender_prefetch(const struct sim_sender *sender)
{
	sim_prefetch(sender, sizeof(*sender));
}

static void set_now(struct sim_sender *sender, uint64_t now_ns)
{
	sender->now_ns = now_ns;
	sender->now_us = now_ns / 1000 + SENDER_EPOCH_US;
}

static int result_of(const struct sim_sender *sender)
{
	return sender->has_no_memory ? -ENOMEM : 0;
}

/* Linux: tcp_finish_connect() and tcp_init_transfer(). */
static void open_now(struct sim_sender *sender, uint32_t rtt_us,
		     uint64_t window_bytes)
{
	sender__clear_timer(sender);
	sender__update_min_rtt(sender, rtt_us ? rtt_us : sender->jiffy_us);
	sender__update_rtt(sender, rtt_us);
	sender->snd_wnd_bytes = window_bytes;
	sender->max_window_bytes = window_bytes;
	sender->wnd_end_bytes = window_bytes;
	sender->chrono_start_ns = sender->now_ns;
	sender->sent_ns = sender->now_ns;
	sender->sent_ticks = sender__ticks(sender);
	sender->cwnd_stamp_ns = sender->now_ns;
	sender->is_open = true;
	sender__cc_init(sender);
	sender->retransmits = 0;
	sender__expand_sndbuf(sender);
}

void sim_sender_start(struct sim_sender *sender, uint64_t now_ns)
{
	set_now(sender, now_ns);
	sender__watch(sender, FP_SIM_EVENT_START, NULL);
	if (sender->starts_open) {
		open_now(sender, sender->open_rtt_us,
			 sender->open_window_bytes);
		return;
	}
	sender->is_syn_sent = true;
	sender__send_empty(sender, true);
	sender__set_timer(sender, SENDER_TIMER_RTO, sender->rto_jiffies);
}

void sim_sender_supply(struct sim_sender *sender,
		       const struct sim_supply *supply, uint64_t now_ns)
{
	set_now(sender, now_ns);
	sender->supply = *supply;
	if (supply->end < sender->snd_nxt) {
		sender->supply.end = sender->snd_nxt;
		sender->supply.last_bytes = sender->mss_bytes;
	}
	if (sender->written > sender->supply.end)
		sender->written = sender->supply.end;
	if (!sender->is_open)
		return;
	if (sender->supply.end > sender->written)
		sender__fill(sender);
	sender__push(sender);
}

static void receive_syn_ack(struct sim_sender *sender,
			    const struct sim_segment *segment)
{
	uint32_t rtt_us = (uint32_t)(sender->now_us - segment->tsecr_us);
	uint64_t sent_pkts;

	open_now(sender, rtt_us, segment->window_bytes);
	sent_pkts = sender->counters.sent_pkts;
	if (sender->supply.end > sender->written)
		sender__fill(sender);
	sender__push(sender);
	if (sent_pkts == sender->counters.sent_pkts)
		sender__send_empty(sender, false);
}

int sim_sender_receive(struct sim_sender *sender,
		       const struct sim_segment *segment, uint64_t now_ns)
{
	set_now(sender, now_ns);
	if (segment->tsval_us > sender->ts_recent_us)
		sender->ts_recent_us = segment->tsval_us;
	if (sender->is_open && !segment->is_syn)
		sender__process_ack(sender, segment);
	else if (!sender->is_open && segment->is_syn && sender->is_syn_sent)
		receive_syn_ack(sender, segment);
	else if (sender->is_open && segment->is_syn)
		sender__send_empty(sender, false); /* ours was lost */
	return result_of(sender);
}

uint64_t sim_sender_wake_ns(const struct sim_sender *sender)
{
	return sender->pace_ns < sender->armed_ns ? sender->pace_ns
						  : sender->armed_ns;
}

/* Linux: tcp_tsq_write(): the pacer lets go. */
static void unpace(struct sim_sender *sender)
{
	sender->pace_ns = FP_TIME_NEVER;
	if (sender->lost_out > sender->retrans_out &&
	    sender->control.cwnd_pkts > sender__inflight(sender))
		sender__retransmit_queue(sender);
	sender__push(sender);
}

int sim_sender_wake(struct sim_sender *sender, uint64_t now_ns)
{
	set_now(sender, now_ns);
	if (sender->armed_ns <= now_ns) {
		sender->armed_ns = FP_TIME_NEVER;
		if (sender->timer_ns <= now_ns)
			sender__fire(sender);
		else
			sender->armed_ns = sender->timer_ns;
	}
	if (sender->pace_ns <= now_ns)
		unpace(sender);
	return result_of(sender);
}

uint64_t sim_sender_acked(const struct sim_sender *sender)
{
	return sender->snd_una;
}

uint64_t sim_sender_next(const struct sim_sender *sender)
{
	return sender->snd_nxt;
}

uint32_t sim_sender_cwnd_pkts(const struct sim_sender *sender)
{
	return sender->control.cwnd_pkts;
}
