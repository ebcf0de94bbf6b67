/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BBR, version 3: a model of the path with bounds that loss and marks set.
 *
 *	max_bw  = greatest delivery rate of this cycle and the one before
 *	min_rtt = least RTT of the last 10 seconds
 *	bw      = min(max_bw, bw_shortterm)
 *
 *	pacing rate = pacing_gain x bw x 0.99
 *	cwnd        = min(cwnd_gain x bw x min_rtt + aggregated ACKs,
 *			  inflight_longterm, inflight_shortterm)
 *
 * The long-term bound is what a probe found to be too much: at more than 2 % of
 * loss in a flight it comes down to that flight, at most by 30 %, and only a
 * probe that goes well raises it again. The short-term bounds are what loss
 * between probes allows: each round with loss takes 30 % off them, never below
 * what that round delivered, and the next probe forgets them.
 *
 *	     |
 *	     v
 *	  STARTUP  gain 2.77, until the rate grew by < 25 % three rounds in a
 *	     |     row, or a round of recovery had too much loss
 *	     v
 *	  DRAIN    gain 0.34 (draft 0.5), until a BDP is in flight
 *	     |
 *	     v
 *	  DOWN     gain 0.91 (draft 0.9), until a BDP and 85 % of the long-term
 *	   ^ |     bound are in flight
 *	   | v
 *	   | CRUISE  gain 1, until 2 … 3 s or 63 rounds after the last probe
 *	   | |
 *	   | v
 *	   | REFILL  gain 1, forgets the short-term bounds; one round
 *	   | |
 *	   | v
 *	   +-UP      gain 1.25, until the rate grows no more, or loss
 *
 *	  PROBE_RTT  (from any state, when the least RTT is 5 s old) half a BDP
 *	             in flight for 200 ms and a round; then CRUISE, or STARTUP
 *	             where the pipe was never full
 *
 * The life of a flow: STARTUP doubles the rate each round and leaves up to a
 *BDP in the queue, DRAIN takes that away, DOWN leaves some room for others,
 *CRUISE yields to loss. Every 2 … 3 s, or as often as a Reno flow of the same
 *window would lose a packet, the flow fills the pipe (REFILL) and then sends
 *more than it thinks the link carries (UP). A probe that loses too much ends at
 *once, and the next one is careful: it only goes up to the bound, and if that
 *went well another follows that goes beyond. Beyond the bound a probe grows by
 *1, 2, 4, … packets a round, so that ten times the bandwidth takes log2(BDP)
 *rounds.
 *
 * The draft's order and Google's differ in one place: where the draft tests for
 * growth and then for STARTUP's loss, this tests loss first, as Google does; an
 * ACK that ends STARTUP by both does the same either way. Further, as Google
 *has it in both profiles: the state of loss signals starts anew at DRAIN, a
 *timeout keeps the window of before it for the short-term bound, and the BDP
 *that a flow compares its rounds with is one with the hosts' share.
 *
 * Without part here: Google's protective load balancing, which needs IPv6 flow
 * labels, and its receiver's side of ECN.
 *
 * References: draft-ietf-ccwg-bbr, working copy of August 2026; Google's Linux,
 * branch v3, net/ipv4/tcp_bbr.c; Cardwell, Cheng, Hassas Yeganeh, Swett et al.:
 * presentations at IETF 106, 112, 117.
 */
#include "cc/bbr3_internal.h"

/* More than the 104 bytes that Linux has in a socket, and the 144 of Google's
 * branch: BPF keeps it in socket-local storage. */
_Static_assert(sizeof(struct fp_bbr3) < 512, "must stay small");

/* The largest initial window: 7 bits of Google's state. */
#define BBR3_INIT_CWND_MAX_PKTS 127u

/* What the switches choose of numbers; x 32000. DRAIN's gain: 1 / 2.885 undoes
 * a round of STARTUP in a round, and any gain up to 1 / 2, its window gain,
 * does so in theory. DOWN's is the least that still lets unequal flows converge
 * when UP is 1.25. beta is CUBIC's. 2 % is what a probe of a shared shallow
 * buffer may cost; headroom lets a flow that arrives find room. */
static void bbr3_choose_constants(struct bbr3_call *call)
{
	struct fp_bbr3_constants *constants = &call->bbr->constants;
	bool is_exact = bbr3_has(call, FP_BBR3_EXACT_SHARES);

	constants->drain_pacing_gain =
	    bbr3_has(call, FP_BBR3_DRAIN_GAIN) ? 16000 : 88 * 125;
	constants->down_pacing_gain =
	    bbr3_has(call, FP_BBR3_DOWN_GAIN) ? 28800 : 232 * 125;
	constants->loss_thresh = is_exact ? 640 : 5 * 125;
	constants->beta = is_exact ? 22400 : 180 * 125;
	constants->headroom = is_exact ? 4800 : 38 * 125;
}

static void bbr3_begin(struct bbr3_call *call, struct fp_bbr3 *bbr,
		       const struct fp_cc_conn *conn,
		       struct fp_cc_control *control)
{
	bool is_in_bytes = bbr->switches & FP_BBR3_BYTES;

	call->bbr = bbr;
	call->conn = conn;
	call->ack = NULL;
	call->control = control;
	call->now_us = conn->now_ns / 1000;
	call->unit = 1;
	if (is_in_bytes)
		call->unit = bbr_max(bbr_min(conn->mss_bytes, UINT16_MAX), 1);
	call->sample_bw = 0;
}

/* The delivery rate, rounded up: else slow flows could not grow. */
static uint32_t bbr3_calculate_bw_sample(const struct fp_cc_ack *ack)
{
	uint32_t interval_us = (uint32_t)ack->interval_us;
	uint64_t delivered;

	if (ack->interval_us <= 0 || ack->delivered_pkts < 0)
		return 0;
	delivered = (uint64_t)ack->delivered_pkts << BBR_BW_SHIFT;
	return bbr_saturate((delivered + interval_us - 1) / interval_us);
}

static void bbr3_update_model_and_state(struct bbr3_call *call)
{
	bbr3__update_congestion_signals(call);
	bbr3__update_ack_aggregation(call);
	bbr3__check_startup_high_loss(call);
	bbr3__check_full_bw_reached(call);
	bbr3__check_drain(call);
	bbr3__update_probe_bw_cycle_phase(call);
	bbr3__update_min_rtt(call);
}

static void bbr3_update_control_parameters(struct bbr3_call *call)
{
	bbr3__update_gains(call);
	bbr3__set_pacing_rate_with_gain(call, call->bbr->pacing_gain);
	bbr3__set_send_quantum(call);
	bbr3__set_cwnd(call);
	bbr3__bound_cwnd_for_model(call);
}

/* Google: an ACK of a flow that the application limits, whose window is at its
 * target, tells the model nothing. Only states that depend on time or flight
 * are looked at. */
static bool bbr3_may_take_fast_path(const struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;

	return !bbr3_has(call, FP_BBR3_NO_FAST_PATH) && bbr->try_fast_path &&
	       call->ack->is_app_limited &&
	       call->sample_bw < bbr3_max_bw(bbr) && !bbr->is_loss_in_round &&
	       !bbr->ecn_in_round;
}

static void bbr3_run_fast_path(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	bool was_in_probe_bw = bbr3_is_in_probe_bw(bbr);
	uint32_t state = bbr->state, min_rtt_us = bbr->min_rtt_us;
	bool is_same_mode;

	bbr3__check_drain(call);
	bbr3__update_probe_bw_cycle_phase(call);
	bbr3__update_min_rtt(call);
	is_same_mode = bbr->state == state ||
		       (was_in_probe_bw && bbr3_is_in_probe_bw(bbr));
	if (!is_same_mode || bbr->min_rtt_us != min_rtt_us ||
	    !bbr->try_fast_path)
		bbr3_update_control_parameters(call);
}

/* An echo of congestion: Google smooths the share of marks and cuts by it. The
 * draft wants that it counts as congestion: the round is one with loss. */
static void bbr3_note_ecn(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!call->ack->is_ece)
		return;
	if (bbr3_has(call, FP_BBR3_CE_AS_LOSS))
		bbr3__note_loss(call);
	else
		bbr->ecn_in_round |= bbr->is_ecn_eligible;
}

void fp_bbr3_on_ack(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		    const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	struct bbr3_call call;

	bbr3_begin(&call, bbr, conn, control);
	call.ack = ack;
	bbr3__update_round(&call);
	if (bbr->round_start)
		bbr3__update_ecn_alpha(&call);
	bbr3_note_ecn(&call);
	call.sample_bw = bbr3_calculate_bw_sample(ack);
	bbr3__update_latest_delivery_signals(&call);
	if (bbr3_may_take_fast_path(&call)) {
		bbr3_run_fast_path(&call);
	} else {
		bbr3_update_model_and_state(&call);
		bbr3_update_control_parameters(&call);
	}
	bbr3__advance_latest_delivery_signals(&call);
	bbr->prev_ca_state = (uint32_t)conn->ca_state & 7;
	bbr->loss_in_cycle |= ack->lost_pkts > 0;
	bbr->ecn_in_cycle |= ack->delivered_ce_pkts > 0;
}

void fp_bbr3_init(struct fp_bbr3 *bbr, const struct fp_bbr3_config *config,
		  const struct fp_cc_conn *conn, struct fp_cc_control *control)
{
	uint32_t min_rtt_us = conn->min_rtt_us;
	struct bbr3_call call;

	if (config->switches & FP_BBR3_SRTT_START)
		min_rtt_us = conn->srtt_us ? conn->srtt_us : UINT32_MAX;
	*bbr = (struct fp_bbr3){
		.switches = config->switches,
		.init_cwnd_pkts =
		    bbr_min(control->cwnd_pkts, BBR3_INIT_CWND_MAX_PKTS) & 127,
		.prior_cwnd_pkts = conn->prior_cwnd_pkts,
		.next_round_delivered = conn->delivered_pkts,
		.loss_round_delivered = conn->delivered_pkts + 1,
		.min_rtt_us = min_rtt_us,
		.min_rtt_ticks = conn->now_ticks,
		.probe_rtt_min_us = min_rtt_us,
		.probe_rtt_min_ticks = conn->now_ticks,
		.ack_epoch_us = conn->now_ns / 1000,
		.inflight_longterm = FP_BBR3_NONE,
		.probe_up_acked_per_inc = FP_BBR3_NONE,
		.ecn_alpha_x256 = BBR_ONE,
	};
	if (config->switches & FP_BBR3_ROUND_ZERO)
		bbr->next_round_delivered = 0;
	bbr3_begin(&call, bbr, conn, control);
	bbr3_choose_constants(&call);
	bbr3__reset_short_term_model(bbr);
	control->ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	bbr3__update_gains(&call);
	bbr3__init_pacing_rate(&call);
	bbr3__set_send_quantum(&call);
}

/* A flight as the packet saw it that was given up. */
void fp_bbr3_on_lost(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		     const struct fp_cc_lost *lost,
		     struct fp_cc_control *control)
{
	struct bbr3_flight flight = { .is_app_limited = lost->was_app_limited };
	struct bbr3_call call;

	bbr3_begin(&call, bbr, conn, control);
	bbr3__note_loss(&call);
	if (!bbr->is_bw_probe_sample)
		return; /* not of a probe */
	flight.tx_in_flight = bbr3_volume(&call, lost->tx_in_flight_pkts);
	flight.lost = bbr3_volume(&call, lost->lost_since_pkts);
	if (!bbr3__is_inflight_too_high(&call, &flight))
		return;
	flight.tx_in_flight = bbr3__inflight_at_loss(
	    &call, &flight, bbr3_volume(&call, lost->pkts));
	bbr3__handle_inflight_too_high(&call, &flight);
}

/* A lost tail, of one packet, that a probe repaired before any loss was
 * detected. What the round delivered and that packet were in flight. */
static void bbr3_run_loss_probe_recovery(struct bbr3_call *call)
{
	struct bbr3_flight flight = {
		.tx_in_flight =
		    bbr3_add(call->bbr->inflight_latest, call->unit),
		.lost = call->unit,
		.is_app_limited = call->conn->was_tail_app_limited,
	};

	bbr3__note_loss(call);
	if (call->bbr->is_bw_probe_sample &&
	    bbr3__is_inflight_too_high(call, &flight))
		bbr3__handle_inflight_too_high(call, &flight);
}

/* Differs from draft: packets are given up before recovery begins, so the first
 * of them may have saved the state that its loss changed since. */
void fp_bbr3_on_congestion(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
			   struct fp_cc_control *control)
{
	struct bbr3_call call;

	bbr3_begin(&call, bbr, conn, control);
	if (bbr->is_state_saved)
		bbr3__save_cwnd(&call);
	else
		bbr3__save_state_upon_loss(&call);
}

/* Returns to the search that the loss had ended. */
static void bbr3_restore_state(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	bool is_in_probe_rtt = bbr->state == FP_BBR3_PROBE_RTT;

	if (!bbr->has_undo_state)
		return;
	bbr->has_undo_state = 0;
	if (bbr->undo_state == FP_BBR3_STARTUP &&
	    bbr->state != FP_BBR3_STARTUP) {
		bbr->full_bw_reached = 0;
		if (!is_in_probe_rtt)
			bbr->state = FP_BBR3_STARTUP;
	} else if (bbr->undo_state == FP_BBR3_UP && bbr->state != FP_BBR3_UP &&
		   !is_in_probe_rtt) {
		bbr3__start_probe_bw_refill(call, 0);
	}
}

void fp_bbr3_on_undo(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		     struct fp_cc_control *control)
{
	struct bbr3_call call;

	bbr3_begin(&call, bbr, conn, control);
	bbr3__reset_full_bw(bbr);
	bbr->is_loss_in_round = 0;
	bbr->is_state_saved = 0;
	bbr->bw_shortterm = bbr_max(bbr->bw_shortterm, bbr->undo_bw_shortterm);
	bbr->inflight_shortterm =
	    bbr_max(bbr->inflight_shortterm, bbr->undo_inflight_shortterm);
	bbr->inflight_longterm =
	    bbr_max(bbr->inflight_longterm, bbr->undo_inflight_longterm);
	bbr->try_fast_path = 0;
	if (bbr3_has(&call, FP_BBR3_UNDO_STATE)) {
		bbr3__restore_cwnd(&call);
		bbr3_restore_state(&call);
	} else if (bbr->prior_cwnd_pkts) {
		control->cwnd_pkts = bbr_clamp_cwnd(conn, bbr->prior_cwnd_pkts);
	}
}

/* A timeout leaves a window of one packet: the short-term bound must begin at
 * the one before it. */
static void bbr3_enter_loss(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	bool is_probing = bbr->state == FP_BBR3_STARTUP ||
			  bbr->state == FP_BBR3_REFILL ||
			  bbr->state == FP_BBR3_UP;

	bbr->prev_ca_state = FP_CA_LOSS;
	bbr3__reset_full_bw(bbr);
	if (!is_probing && bbr->inflight_shortterm == FP_BBR3_NONE)
		bbr->inflight_shortterm =
		    bbr3_volume(call, bbr_max(call->control->cwnd_pkts,
					      bbr->prior_cwnd_pkts));
}

void fp_bbr3_on_state(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		      enum fp_ca_state next, struct fp_cc_control *control)
{
	struct bbr3_call call;
	bool leaves_recovery;

	bbr3_begin(&call, bbr, conn, control);
	leaves_recovery = bbr->prev_ca_state == FP_CA_LOSS;
	if (bbr3_has(&call, FP_BBR3_RESTORE_CWND))
		leaves_recovery =
		    conn->ca_state >= FP_CA_RECOVERY && next < FP_CA_RECOVERY;
	if (next == FP_CA_LOSS) {
		bbr3_enter_loss(&call);
	} else if (leaves_recovery) {
		bbr3__restore_cwnd(&call);
		bbr->try_fast_path = 0;
	}
}

/* An idle flow that the application limits needs no more than bw: a burst above
 * it would only be queued. And idle time may have ended PROBE_RTT, which no ACK
 * has told. */
static void bbr3_handle_restart_from_idle(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!call->conn->app_limited_pkts)
		return;
	bbr->idle_restart = 1;
	bbr->ack_epoch_us = call->now_us;
	bbr->ack_epoch_acked = 0;
	if (bbr3_is_in_probe_bw(bbr))
		bbr3__set_pacing_rate_with_gain(call, BBR3_ONE);
	else if (bbr->state == FP_BBR3_PROBE_RTT)
		bbr3__check_probe_rtt_done(call);
	bbr3__set_send_quantum(call);
}

void fp_bbr3_on_event(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		      enum fp_cc_event event, struct fp_cc_control *control)
{
	struct bbr3_call call;

	bbr3_begin(&call, bbr, conn, control);
	if (event == FP_CC_TX_START)
		bbr3_handle_restart_from_idle(&call);
	else if (event == FP_CC_TLP_RECOVERY &&
		 !bbr3_has(&call, FP_BBR3_NO_TLP))
		bbr3_run_loss_probe_recovery(&call);
}

const char *fp_bbr3_state_name(const struct fp_bbr3 *bbr)
{
	if (bbr->state == FP_BBR3_STARTUP)
		return "startup";
	if (bbr->state == FP_BBR3_DRAIN)
		return "drain";
	if (bbr->state == FP_BBR3_DOWN)
		return "probe_bw_down";
	if (bbr->state == FP_BBR3_CRUISE)
		return "probe_bw_cruise";
	if (bbr->state == FP_BBR3_REFILL)
		return "probe_bw_refill";
	return bbr->state == FP_BBR3_UP ? "probe_bw_up" : "probe_rtt";
}

/* A volume in packets, "none" as UINT32_MAX. */
static uint32_t bbr3_pkts(const struct fp_bbr3 *bbr,
			  const struct fp_cc_conn *conn, uint32_t volume)
{
	if (volume == FP_BBR3_NONE || !(bbr->switches & FP_BBR3_BYTES))
		return volume;
	return volume / bbr_max(conn->mss_bytes, 1);
}

void fp_bbr3_get_model(const struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		       struct fp_bbr3_model *ret_model)
{
	uint32_t extra = bbr_max(bbr->extra_acked[0], bbr->extra_acked[1]);

	if (bbr->switches & FP_BBR3_LONG_AGGREGATION)
		extra = fp_minmax_get(&bbr->extra_acked_filter);
	ret_model->bw_bytes_per_s =
	    bbr_bytes_per_s(bbr_bw_bytes(conn, bbr3_bw(bbr)), 1000000);
	ret_model->max_bw_bytes_per_s =
	    bbr_bytes_per_s(bbr_bw_bytes(conn, bbr3_max_bw(bbr)), 1000000);
	ret_model->min_rtt_us = bbr->min_rtt_us;
	ret_model->pacing_gain_x256 = bbr->pacing_gain / (BBR3_ONE / BBR_ONE);
	ret_model->cwnd_gain_x256 = bbr->cwnd_gain / (BBR3_ONE / BBR_ONE);
	ret_model->extra_acked_pkts = bbr3_pkts(bbr, conn, extra);
	ret_model->inflight_longterm_pkts =
	    bbr3_pkts(bbr, conn, bbr->inflight_longterm);
	ret_model->inflight_shortterm_pkts =
	    bbr3_pkts(bbr, conn, bbr->inflight_shortterm);
}
