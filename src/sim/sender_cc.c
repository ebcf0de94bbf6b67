/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The algorithm: what it is told, and what is taken from it. */
#include "sim/sender_state.h"

/* Linux: sk_pacing_shift; net.ipv4.tcp_min_tso_segs; tcp_pacing_ss_ratio and
 * tcp_pacing_ca_ratio. */
#define PACING_SHIFT        10
#define MIN_TSO_PKTS        2
#define PACING_SS_PERCENT   200
#define PACING_CA_PERCENT   120
/* Purposes of random streams within a run. */
#define PRNG_PURPOSE_SENDER UINT64_C(0x73656e6465720000)

/* What does not change while a connection lasts. */
static void set_constants(struct sim_sender *sender)
{
	struct fp_cc_conn *conn = &sender->conn;

	conn->cwnd_clamp_pkts = FP_CC_CWND_MAX_PKTS;
	conn->mss_bytes = sender->mss_bytes;
	conn->gso_max_bytes = sender__has(sender, FP_SIM_TSO)
				  ? SENDER_GSO_BYTES
				  : sender->mss_bytes;
	conn->clock_hz = sender->tcp.clock_hz;
	conn->pacing_shift = PACING_SHIFT;
	conn->min_tso_pkts = sender__has(sender, FP_SIM_TSO) ? MIN_TSO_PKTS : 1;
	conn->has_sack = sender__has(sender, FP_SIM_SACK);
	conn->max_pacing_rate_bytes_per_s = UINT64_MAX;
}

/* What the connection is like now. */
static void look(struct sim_sender *sender)
{
	struct fp_cc_conn *conn = &sender->conn;
	uint64_t edt_ns =
	    sender->edt_ns > sender->now_ns ? sender->edt_ns : sender->now_ns;

	conn->now_ns = sender->now_ns + SENDER_EPOCH_NS;
	conn->delivered_ns = sender->rate.delivered_us * 1000;
	conn->edt_ns = edt_ns + SENDER_EPOCH_NS;
	conn->snd_una_pkts = (uint32_t)sender->snd_una + sender->start_pkts;
	conn->snd_nxt_pkts = (uint32_t)sender->snd_nxt + sender->start_pkts;
	conn->inflight_pkts = sender__inflight(sender);
	conn->packets_out_pkts = sender__packets_out(sender);
	conn->max_packets_out_pkts = sender->max_packets_out;
	conn->delivered_pkts = sender->rate.delivered_pkts;
	conn->delivered_ce_pkts = sender->rate.delivered_ce_pkts;
	if (sender->ack)
		conn->delivered_pkts += sender->ack->delivered;
	conn->lost_pkts = sender->rate.lost_pkts;
	conn->prior_cwnd_pkts = sender->prior_cwnd_pkts;
	conn->app_limited_pkts = sender->rate.app_limited_pkts;
	conn->srtt_us = sender->srtt_us_x8 >> 3;
	conn->min_rtt_us = sender__min_rtt_us(sender);
	conn->random = (uint32_t)fp_prng_next(&sender->prng);
	conn->now_ticks = sender__ticks(sender);
	conn->last_sent_ticks = sender->sent_ticks;
	conn->ca_state = sender->ca_state;
	conn->is_cwnd_limited =
	    sender->is_cwnd_limited || !sender__has(sender, FP_SIM_CWV);
	conn->is_paced = sender->is_paced;
	conn->pacing_rate_bytes_per_s = sender__pacing_rate(sender);
	sender->control.marks_app_limited = false;
}

static void obey(struct sim_sender *sender)
{
	const char *state;

	if (!sender->control.cwnd_pkts)
		sender->control.cwnd_pkts = 1;
	if (sender->control.marks_app_limited &&
	    sender__has(sender, FP_SIM_APP_LIMITED))
		fp_rate_mark_app_limited(&sender->rate,
					 sender__inflight(sender));
	if (!sender->watch)
		return;
	state = fp_cc_state_name(&sender->cc, &sender->control);
	if (state != sender->cc_state) {
		sender->cc_state = state;
		sender__watch(sender, FP_SIM_EVENT_CC_STATE, NULL);
	}
}

void sender__cc_init(struct sim_sender *sender)
{
	fp_prng_init(&sender->prng, sender->seed,
		     PRNG_PURPOSE_SENDER + sender->flow);
	set_constants(sender);
	sender->control = (struct fp_cc_control){
		.cwnd_pkts = sender->tcp.initial_cwnd_pkts,
		.ssthresh_pkts = FP_CC_SSTHRESH_NONE,
	};
	/* more than one SYN: the path is not well (tcp_init_transfer()) */
	if (sender->retransmits > 1)
		sender->control.cwnd_pkts = 1;
	sender__update_pacing(sender);
	look(sender);
	fp_cc_init(&sender->cc, sender->cc_config, &sender->conn,
		   &sender->control);
	sender->is_paced =
	    sender->cc.ops->wants_pacing && sender__has(sender, FP_SIM_PACING);
	obey(sender);
}

void sender__cc_set_state(struct sim_sender *sender, enum fp_ca_state next)
{
	look(sender);
	fp_cc_on_state(&sender->cc, &sender->conn, next, &sender->control);
	if (sender->ca_state != next) {
		sender->ca_state = next;
		sender__watch(sender, FP_SIM_EVENT_CA_STATE, NULL);
	}
	obey(sender);
}

void sender__cc_congestion(struct sim_sender *sender)
{
	look(sender);
	fp_cc_on_congestion(&sender->cc, &sender->conn, &sender->control);
	obey(sender);
}

void sender__cc_undo(struct sim_sender *sender)
{
	look(sender);
	fp_cc_on_undo(&sender->cc, &sender->conn, &sender->control);
	obey(sender);
}

void sender__cc_event(struct sim_sender *sender, enum fp_cc_event event)
{
	if (!sender->cc.ops->on_event)
		return;
	look(sender);
	fp_cc_on_event(&sender->cc, &sender->conn, event, &sender->control);
	obey(sender);
}

void sender__cc_lost(struct sim_sender *sender, const struct fp_cc_lost *lost)
{
	if (!sender->cc.ops->on_lost)
		return;
	look(sender);
	fp_cc_on_lost(&sender->cc, &sender->conn, lost, &sender->control);
	obey(sender);
}

void sender__cc_rtt(struct sim_sender *sender, const struct sender_ack *ack)
{
	if (!sender->cc.ops->on_rtt || ack->cc.rtt_us < 0)
		return;
	look(sender);
	fp_cc_on_rtt(&sender->cc, &sender->conn, (uint32_t)ack->cc.rtt_us,
		     &sender->control);
	obey(sender);
}

void sender__cc_ack(struct sim_sender *sender, const struct sender_ack *ack)
{
	look(sender);
	fp_cc_on_ack(&sender->cc, &sender->conn, &ack->cc, &sender->control);
	obey(sender);
}

void sender__update_pacing(struct sim_sender *sender)
{
	const struct fp_cc_control *control = &sender->control;
	uint32_t packets_out = sender__packets_out(sender);
	uint64_t pkts =
	    control->cwnd_pkts > packets_out ? control->cwnd_pkts : packets_out;
	uint32_t percent = control->cwnd_pkts < control->ssthresh_pkts / 2
			       ? PACING_SS_PERCENT
			       : PACING_CA_PERCENT;

	sender->default_pacing_bytes_per_s = UINT64_MAX;
	/* mss x cwnd x ratio / srtt, srtt in eighths of a microsecond */
	if (sender->srtt_us_x8)
		sender->default_pacing_bytes_per_s =
		    sender->mss_bytes * pkts *
		    (SENDER_US_PER_S / 100 * 8 * percent) / sender->srtt_us_x8;
}
