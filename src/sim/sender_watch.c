/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an observer sees: events, samples, the sums of a run. */
#include "sim/sender_state.h"

static const char *const ca_names[] = { "open", "disorder", "cwr", "recovery",
					"loss" };

/* An event with what is always told. */
static void describe(const struct sim_sender *sender,
		     enum fp_sim_event_kind kind, struct fp_sim_event *ret)
{
	*ret = (struct fp_sim_event){
		.time_ns = sender->now_ns,
		.flow = sender->flow,
		.kind = kind,
		.ca_state = ca_names[sender->ca_state],
		.cc_state = sender->cc_state,
		.cwnd_pkts = sender->control.cwnd_pkts,
		.ssthresh_pkts = sender->control.ssthresh_pkts,
		.inflight_pkts = sender__inflight(sender),
		.pacing_rate_bytes_per_s = sender__pacing_rate(sender),
		.srtt_us = sender->srtt_us_x8 >> 3,
		.min_rtt_us = sender__min_rtt_us(sender),
	};
	if (ret->min_rtt_us == UINT32_MAX)
		ret->min_rtt_us = 0;
}

static void tell(const struct sim_sender *sender,
		 const struct fp_sim_event *event)
{
	sender->watch->event(sender->watch->context, event);
}

void sender__watch_sent(struct sim_sender *sender, uint64_t seq, uint32_t pkts,
			bool is_retrans)
{
	struct fp_sim_event event;

	describe(sender, FP_SIM_EVENT_SENT, &event);
	event.seq_pkts = seq;
	event.pkts = pkts;
	event.is_retrans = is_retrans;
	tell(sender, &event);
}

void sender__watch_lost(struct sim_sender *sender,
			const struct sender_lost_run *run)
{
	struct fp_sim_event event;

	describe(sender, FP_SIM_EVENT_LOST, &event);
	event.seq_pkts = run->start;
	event.pkts = run->pkts;
	event.reason = run->reason;
	tell(sender, &event);
}

void sender__watch_ack(struct sim_sender *sender, const struct sender_ack *ack)
{
	struct fp_sim_event event;

	describe(sender, FP_SIM_EVENT_ACK, &event);
	event.seq_pkts = sender->snd_una;
	event.pkts = ack->acked_pkts;
	event.rtt_us = ack->cc.rtt_us > 0 ? (uint32_t)ack->cc.rtt_us : 0;
	event.sample = ack->cc;
	fp_cc_get_model(&sender->cc, &sender->conn, &event.model);
	tell(sender, &event);
}

void sender__watch(struct sim_sender *sender, enum fp_sim_event_kind kind,
		   const char *reason)
{
	struct fp_sim_event event;

	if (!sender->watch)
		return;
	describe(sender, kind, &event);
	event.reason = reason;
	if (kind == FP_SIM_EVENT_CC_STATE)
		fp_cc_get_model(&sender->cc, &sender->conn, &event.model);
	tell(sender, &event);
}

/* TCP_INFO has bits, the rate is in bytes; unlimited is told as it is. */
static uint64_t to_bps(uint64_t bytes_per_s)
{
	return bytes_per_s < UINT64_MAX / 8 ? bytes_per_s * 8 : UINT64_MAX;
}

static uint64_t acked_bytes(const struct sim_sender *sender)
{
	uint64_t una = sender->snd_una;

	if (!una)
		return 0;
	return (una - 1) * sender->mss_bytes +
	       sender__payload_bytes(sender, una - 1);
}

void sim_sender_sample(const struct sim_sender *sender, uint64_t now_ns,
		       struct fp_sim_sample *ret_sample)
{
	const struct sender_counters *counters = &sender->counters;
	uint64_t interval_us = sender->rate_interval_us;

	*ret_sample = (struct fp_sim_sample){
		.flow = sender->flow,
		.time_ns = now_ns,
		.cwnd_pkts = sender->control.cwnd_pkts,
		.ssthresh_pkts = sender->control.ssthresh_pkts,
		.rtt_us = sender->srtt_us_x8 >> 3,
		.rttvar_us = sender->mdev_us_x4 >> 2,
		.inflight_pkts = sender__inflight(sender),
		.lost_pkts = sender->lost_out,
		.retrans_pkts = counters->retrans_pkts,
		.bytes_acked = acked_bytes(sender),
		.bytes_sent = counters->sent_bytes,
		.bytes_retransmitted = counters->retrans_bytes,
	};
	if (!sender->is_open)
		return;
	ret_sample->min_rtt_us = sender__min_rtt_us(sender);
	ret_sample->pacing_rate_bps = to_bps(sender__pacing_rate(sender));
	if (interval_us)
		ret_sample->delivery_rate_bps = sender->rate_delivered *
						sender->mss_bytes * 8 *
						SENDER_US_PER_S / interval_us;
	fp_cc_get_model(&sender->cc, &sender->conn, &ret_sample->model);
}

void sim_sender_get_result(const struct sim_sender *sender, uint64_t now_ns,
			   struct fp_sim_flow_result *result)
{
	const struct sender_counters *counters = &sender->counters;
	uint64_t chrono_ns[4];
	uint64_t running_ns = 0;

	if (now_ns > sender->chrono_start_ns)
		running_ns = now_ns - sender->chrono_start_ns;
	for (uint32_t i = 0; i < 4; i++)
		chrono_ns[i] = sender->chrono_ns[i] +
			       (i == sender->chrono ? running_ns : 0);
	result->sent_bytes = counters->sent_bytes;
	result->retransmitted_bytes = counters->retrans_bytes;
	result->sent_pkts = counters->sent_pkts;
	result->retransmitted_pkts = counters->retrans_pkts;
	result->spurious_pkts = counters->spurious_pkts;
	result->lost_pkts =
	    (uint32_t)(sender->rate.lost_pkts - sender->start_pkts);
	result->timeouts = counters->timeouts;
	result->recoveries = counters->recoveries;
	result->undos = counters->undos;
	result->tail_probes = counters->tail_probes;
	/* TCP_INFO's busy time has the other two in it. */
	result->busy_us =
	    (chrono_ns[SENDER_BUSY] + chrono_ns[SENDER_RWND_LIMITED] +
	     chrono_ns[SENDER_SNDBUF_LIMITED]) /
	    1000;
	result->rwnd_limited_us = chrono_ns[SENDER_RWND_LIMITED] / 1000;
	result->sndbuf_limited_us = chrono_ns[SENDER_SNDBUF_LIMITED] / 1000;
	result->snd_wnd_max_bytes = sender->max_window_bytes < UINT32_MAX
					? (uint32_t)sender->max_window_bytes
					: UINT32_MAX;
	result->mss_bytes = sender->mss_bytes;
}
