/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The window where the transport sets it, not the algorithm: Proportional Rate
 * Reduction (RFC 6937), undo (RFC 4015), validation (RFC 2861, 7661), restart
 * after idle time (RFC 5681, 4.1).
 */
#include "sim/sender_state.h"

/* Linux: tcp_init_cwnd_reduction(). */
void sender__init_reduction(struct sim_sender *sender)
{
	sender->high_seq = sender->snd_nxt;
	sender->tlp_high_seq = 0;
	sender->prior_cwnd_pkts = sender->control.cwnd_pkts;
	sender->prr_delivered = 0;
	sender->prr_out = 0;
	sender__cc_congestion(sender);
	sender->owes_cwr = sender->tcp.has_ecn;
}

/*
 * Linux: tcp_cwnd_reduction(). What may be sent for this ACK, RFC 6937, 3:
 *
 *	above ssthresh: in proportion,
 *	    sndcnt = ceil(ssthresh x prr_delivered / prior_cwnd) - prr_out
 *	else: packet conservation, one more (slow start) while snd_una moves
 *	    and nothing more is lost, up to ssthresh
 */
void sender__reduce(struct sim_sender *sender, uint32_t newly_acked,
		    uint32_t newly_lost, uint32_t flags)
{
	uint32_t inflight = sender__inflight(sender);
	int64_t ssthresh = sender->control.ssthresh_pkts;
	int64_t delta = ssthresh - inflight;
	int64_t count;

	if (!newly_acked || !sender->prior_cwnd_pkts)
		return;
	sender->prr_delivered += newly_acked;
	if (!sender__has(sender, FP_SIM_PRR)) {
		sender->control.cwnd_pkts = sender->control.ssthresh_pkts;
		return;
	}
	if (delta < 0) {
		uint64_t due = (uint64_t)ssthresh * sender->prr_delivered +
			       sender->prior_cwnd_pkts - 1;

		count =
		    (int64_t)(due / sender->prior_cwnd_pkts) - sender->prr_out;
	} else {
		count = (int64_t)sender->prr_delivered - sender->prr_out;
		if (count < newly_acked)
			count = newly_acked;
		if (flags & SENDER_ACK_UNA_ADVANCED && !newly_lost)
			count++;
		if (count > delta)
			count = delta;
	}
	/* A fast retransmission goes out at once. */
	if (count < !sender->prr_out)
		count = !sender->prr_out;
	sender->control.cwnd_pkts = (uint32_t)(inflight + count);
}

/* Linux: tcp_end_cwnd_reduction(). */
void sender__end_reduction(struct sim_sender *sender)
{
	if (sender->cc.ops->has_own_recovery)
		return;
	if (sender->control.ssthresh_pkts < FP_CC_SSTHRESH_NONE &&
	    (sender->ca_state == FP_CA_CWR || sender->has_undo_marker)) {
		sender->control.cwnd_pkts = sender->control.ssthresh_pkts;
		sender->cwnd_stamp_ns = sender->now_ns;
	}
	sender__cc_event(sender, FP_CC_COMPLETE_CWR);
}

/* Linux: tcp_undo_cwnd_reduction(). */
void sender__undo_reduction(struct sim_sender *sender, bool unmarks_loss,
			    const char *reason)
{
	if (unmarks_loss)
		sender__unmark_lost(sender);
	if (sender->prior_ssthresh_pkts) {
		sender__cc_undo(sender);
		if (sender->prior_ssthresh_pkts >
		    sender->control.ssthresh_pkts) {
			sender->control.ssthresh_pkts =
			    sender->prior_ssthresh_pkts;
			sender->owes_cwr = false;
		}
	}
	sender->cwnd_stamp_ns = sender->now_ns;
	sender->has_undo_marker = false;
	sender->rack.has_advanced = true; /* looks at all losses again */
	sender->counters.undos++;
	sender__watch(sender, FP_SIM_EVENT_UNDO, reason);
}

/* Linux: tcp_current_ssthresh(): 3/4 of the window at least. */
uint32_t sender__current_ssthresh(const struct sim_sender *sender)
{
	uint32_t cwnd = sender->control.cwnd_pkts;
	uint32_t most = (cwnd >> 1) + (cwnd >> 2);

	if (sender__in_reduction(sender) ||
	    sender->control.ssthresh_pkts > most)
		return sender->control.ssthresh_pkts;
	return most;
}

static uint64_t rto_ns(const struct sim_sender *sender)
{
	return sender->rto_jiffies * sender->jiffy_ns;
}

/* Linux: tcp_cwnd_application_limited(). The window was not full for one RTO:
 * it goes half the way to what was used. */
static void application_limited(struct sim_sender *sender)
{
	if (sender->ca_state == FP_CA_OPEN && !sender->has_no_space) {
		uint32_t cwnd = sender->control.cwnd_pkts;
		uint32_t used = sender->cwnd_used_pkts;

		if (used < sender->tcp.initial_cwnd_pkts)
			used = sender->tcp.initial_cwnd_pkts;
		if (used < cwnd) {
			sender->control.ssthresh_pkts =
			    sender__current_ssthresh(sender);
			sender->control.cwnd_pkts = (cwnd + used) >> 1;
		}
		sender->cwnd_used_pkts = 0;
	}
	sender->cwnd_stamp_ns = sender->now_ns;
}

/* Linux: tcp_is_cwnd_limited(). */
static bool is_cwnd_limited(const struct sim_sender *sender)
{
	const struct fp_cc_control *control = &sender->control;

	if (sender->is_cwnd_limited)
		return true;
	return control->cwnd_pkts < control->ssthresh_pkts &&
	       control->cwnd_pkts < 2 * (uint64_t)sender->max_packets_out;
}

/* Linux: tcp_cwnd_validate(). */
void sender__validate_cwnd(struct sim_sender *sender, bool is_limited)
{
	uint32_t packets_out = sender__packets_out(sender);

	if (sender->snd_una >= sender->max_packets_seq || is_limited ||
	    packets_out > sender->max_packets_out) {
		sender->max_packets_out = packets_out;
		sender->max_packets_seq = sender->snd_nxt;
		sender->is_cwnd_limited = is_limited;
	}
	if (is_cwnd_limited(sender)) {
		sender->cwnd_used_pkts = 0;
		sender->cwnd_stamp_ns = sender->now_ns;
		return;
	}
	if (packets_out > sender->cwnd_used_pkts)
		sender->cwnd_used_pkts = packets_out;
	if (sender__has(sender, FP_SIM_CWV) &&
	    !sender->cc.ops->has_own_recovery &&
	    sender->now_ns - sender->cwnd_stamp_ns >= rto_ns(sender))
		application_limited(sender);
	if (sender->snd_nxt == sender->written && sender->has_no_space)
		sender__chrono_start(sender, SENDER_SNDBUF_LIMITED);
}

/* Linux: tcp_slow_start_after_idle_check() and tcp_cwnd_restart(): half the
 * window for each RTO of silence, down to the initial one. */
void sender__check_idle(struct sim_sender *sender)
{
	uint64_t idle_ns = sender->now_ns - sender->sent_ns;
	uint32_t cwnd = sender->control.cwnd_pkts;
	uint32_t least = sender->tcp.initial_cwnd_pkts;

	if (sender->snd_una != sender->snd_nxt ||
	    sender->cc.ops->has_own_recovery ||
	    !sender__has(sender, FP_SIM_IDLE_RESTART) ||
	    idle_ns <= rto_ns(sender))
		return;
	sender__cc_event(sender, FP_CC_CWND_RESTART);
	sender->control.ssthresh_pkts = sender__current_ssthresh(sender);
	if (least > cwnd)
		least = cwnd;
	for (idle_ns -= rto_ns(sender); idle_ns && cwnd > least; cwnd >>= 1)
		idle_ns -= idle_ns < rto_ns(sender) ? idle_ns : rto_ns(sender);
	sender->control.cwnd_pkts = cwnd > least ? cwnd : least;
	sender->cwnd_stamp_ns = sender->now_ns;
	sender->cwnd_used_pkts = 0;
}
