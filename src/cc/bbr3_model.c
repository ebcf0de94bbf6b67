/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BBRv3: what each ACK and each loss tells of the path. */
#include "cc/bbr3_internal.h"

/* min_rtt holds for 10 s. PROBE_RTT renews it when nothing lower was seen for
 * 5 s: twice in that time, so that one that went wrong does not raise it. */
#define BBR3_MIN_RTT_MS            UINT32_C(10000)
#define BBR3_PROBE_RTT_INTERVAL_MS UINT32_C(5000)

/* Aggregation is the most of the last 5 to 10 rounds, … */
#define BBR3_EXTRA_ACKED_ROUNDS     5u
/* … or of 10 (draft); of one round while the pipe was not full, since the rate
 * still doubles and would count as aggregation. */
#define BBR3_EXTRA_ACKED_FILTER_LEN 10u
#define BBR3_EXTRA_ACKED_STARTUP    1u
/* Google's count has 20 bits: start a new epoch there. */
#define BBR3_EPOCH_ACKED_MAX        (UINT32_C(1) << 20)

/* Marks are answered up to this RTT: beyond it the marks of others' bursts are
 * too old. */
#define BBR3_ECN_MAX_RTT_US      5000u
/* The share of marks is smoothed over 16 rounds. x 256. */
#define BBR3_ECN_ALPHA_GAIN_X256 16u
/* An all-marked round cuts the flight by a third. x 256. */
#define BBR3_ECN_FACTOR_X256     85u
/* More than half of a flight marked is too much. x 256. */
#define BBR3_ECN_THRESH_X256     128u
/* Two such rounds in a row end STARTUP. */
#define BBR3_FULL_ECN_ROUNDS     2u

/* Counts rounds: one ends when a packet arrives that was sent after it began.
 */
void bbr3__update_round(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->round_start = 0;
	if (call->ack->interval_us <= 0 ||
	    bbr_is_after(bbr->next_round_delivered,
			 call->ack->prior_delivered_pkts))
		return;
	bbr3_start_round(call);
	bbr->round_count++;
	bbr->rounds_since_probe_up =
	    bbr_min(bbr->rounds_since_probe_up + 1u, 255) & 255;
	bbr->round_start = 1;
}

/* Ends STARTUP after two rounds in a row with too many marks. */
static void bbr3_check_startup_high_ecn(struct bbr3_call *call,
					uint64_t ce_share_x256)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (bbr->full_bw_reached)
		return;
	if (ce_share_x256 >= BBR3_ECN_THRESH_X256)
		bbr->startup_ecn_rounds = (bbr->startup_ecn_rounds + 1u) & 3;
	else
		bbr->startup_ecn_rounds = 0;
	if (bbr->startup_ecn_rounds >= BBR3_FULL_ECN_ROUNDS)
		bbr3__handle_queue_too_high_in_startup(call);
}

/* Smooths the share of marked packets, once a round. */
void bbr3__update_ecn_alpha(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	const struct fp_cc_conn *conn = call->conn;
	uint32_t delivered = conn->delivered_pkts - bbr->alpha_last_delivered;
	uint32_t ce = conn->delivered_ce_pkts - bbr->alpha_last_delivered_ce;
	uint64_t share, alpha;

	if (bbr3_has(call, FP_BBR3_ECN_LOW) &&
	    !bbr3_has(call, FP_BBR3_CE_AS_LOSS) &&
	    bbr->min_rtt_us <= BBR3_ECN_MAX_RTT_US)
		bbr->is_ecn_eligible = 1;
	if (!bbr->is_ecn_eligible || (int32_t)delivered <= 0 || (int32_t)ce < 0)
		return;
	share = ((uint64_t)ce << BBR_SHIFT) / delivered;
	alpha = ((BBR_ONE - BBR3_ECN_ALPHA_GAIN_X256) *
		 (uint64_t)bbr->ecn_alpha_x256) >>
		BBR_SHIFT;
	alpha += BBR3_ECN_ALPHA_GAIN_X256 * share >> BBR_SHIFT;
	bbr->ecn_alpha_x256 = bbr_min(bbr_saturate(alpha), BBR_ONE) & 0x1ff;
	bbr->alpha_last_delivered = conn->delivered_pkts;
	bbr->alpha_last_delivered_ce = conn->delivered_ce_pkts;
	bbr3_check_startup_high_ecn(call, share);
}

/* Does the ACK bring a delivery rate? */
static bool bbr3_is_valid(const struct fp_cc_ack *ack)
{
	return ack->interval_us > 0 && ack->acked_sacked_pkts;
}

static uint32_t bbr3_delivered(const struct bbr3_call *call)
{
	int32_t pkts = call->ack->delivered_pkts;

	return bbr3_volume(call, pkts > 0 ? (uint32_t)pkts : 0);
}

/* Near the start of an ACK: the best of this round so far. */
void bbr3__update_latest_delivery_signals(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->loss_round_start = 0;
	if (!bbr3_is_valid(call->ack))
		return;
	bbr->bw_latest = bbr_max(bbr->bw_latest, call->sample_bw);
	bbr->inflight_latest =
	    bbr_max(bbr->inflight_latest, bbr3_delivered(call));
	if (bbr_is_after(bbr->loss_round_delivered,
			 call->ack->prior_delivered_pkts))
		return;
	bbr->loss_round_delivered = call->conn->delivered_pkts;
	bbr->loss_round_start = 1;
}

/* Near the end of an ACK: a new round begins with its first sample. Where the
 * ACK tells that a tail loss probe repaired a loss, what was delivered before
 * it is still needed. */
void bbr3__advance_latest_delivery_signals(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!bbr->loss_round_start)
		return;
	if (call->ack->is_acking_tlp && !bbr3_has(call, FP_BBR3_NO_TLP))
		return;
	bbr->bw_latest = call->sample_bw;
	bbr->inflight_latest = bbr3_delivered(call);
}

void bbr3__reset_congestion_signals(struct fp_bbr3 *bbr)
{
	bbr->is_loss_in_round = 0;
	bbr->ecn_in_round = 0;
	bbr->loss_in_cycle = 0;
	bbr->ecn_in_cycle = 0;
	bbr->bw_latest = 0;
	bbr->inflight_latest = 0;
}

void bbr3__reset_short_term_model(struct fp_bbr3 *bbr)
{
	bbr->bw_shortterm = FP_BBR3_NONE;
	bbr->inflight_shortterm = FP_BBR3_NONE;
}

/* One that the application limited says little of the path, unless it is the
 * best. */
static void bbr3_update_max_bw(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!call->ack->is_app_limited || call->sample_bw >= bbr3_max_bw(bbr))
		bbr->max_bw_filter[1] =
		    bbr_max(bbr->max_bw_filter[1], call->sample_bw);
}

/* A new cycle begins; one without samples is not one. */
void bbr3__advance_max_bw_filter(struct fp_bbr3 *bbr)
{
	if (!bbr->max_bw_filter[1])
		return;
	bbr->max_bw_filter[0] = bbr->max_bw_filter[1];
	bbr->max_bw_filter[1] = 0;
}

static bool bbr3_is_probing_bw(const struct fp_bbr3 *bbr)
{
	return bbr->state == FP_BBR3_STARTUP || bbr->state == FP_BBR3_REFILL ||
	       bbr->state == FP_BBR3_UP;
}

/* The flight that the share of marks allows; or none. */
static uint32_t bbr3_ecn_lower_bound(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t cut_x256 =
	    (uint32_t)bbr->ecn_alpha_x256 * BBR3_ECN_FACTOR_X256 >> BBR_SHIFT;

	if (!bbr->ecn_in_round)
		return FP_BBR3_NONE;
	if (bbr->inflight_shortterm == FP_BBR3_NONE)
		bbr->inflight_shortterm = bbr3_cwnd(call);
	return (uint32_t)((uint64_t)bbr->inflight_shortterm *
			      (BBR_ONE - cut_x256) >>
			  BBR_SHIFT);
}

/* Moves the bounds towards what was delivered, not below it. */
static void bbr3_loss_lower_bounds(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t beta = bbr->constants.beta;

	if (bbr->bw_shortterm == FP_BBR3_NONE)
		bbr->bw_shortterm = bbr3_max_bw(bbr);
	if (bbr->inflight_shortterm == FP_BBR3_NONE)
		bbr->inflight_shortterm = bbr3_cwnd(call);
	bbr->bw_shortterm = bbr_max(
	    bbr->bw_latest, (uint32_t)bbr3_share(bbr->bw_shortterm, beta));
	bbr->inflight_shortterm =
	    bbr_max(bbr->inflight_latest,
		    (uint32_t)bbr3_share(bbr->inflight_shortterm, beta));
}

/*
 * Loss or marks while the flow does not probe: the path may have less room now.
 * Once a round the short-term bounds give way by a factor, so that a much
 * smaller path is reached in few rounds; but not below what this round did
 * deliver. While the flow probes it must not give way, or it would learn
 * nothing.
 */
static void bbr3_adapt_lower_bounds_from_congestion(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t ecn_bound;

	if (bbr3_is_probing_bw(bbr))
		return;
	ecn_bound = bbr3_ecn_lower_bound(call);
	if (bbr->is_loss_in_round)
		bbr3_loss_lower_bounds(call);
	bbr->inflight_shortterm = bbr_min(bbr->inflight_shortterm, ecn_bound);
	bbr->bw_shortterm = bbr_max(bbr->bw_shortterm, 1);
}

void bbr3__update_congestion_signals(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!bbr3_is_valid(call->ack))
		return;
	bbr3_update_max_bw(call);
	bbr->is_loss_in_round |= call->ack->newly_lost_pkts > 0;
	if (!bbr->loss_round_start)
		return;
	bbr3_adapt_lower_bounds_from_congestion(call);
	bbr->is_loss_in_round = 0;
	bbr->is_state_saved = 0;
	bbr->ecn_in_round = 0;
}

/* Google: every 5 rounds (1 in STARTUP) the older of two windows begins again.
 */
static void bbr3_age_extra_acked(struct fp_bbr3 *bbr)
{
	uint32_t rounds = bbr->full_bw_reached ? BBR3_EXTRA_ACKED_ROUNDS
					       : BBR3_EXTRA_ACKED_STARTUP;

	bbr->extra_acked_win_rtts =
	    bbr_min(bbr->extra_acked_win_rtts + 1u, 31) & 31;
	if (bbr->extra_acked_win_rtts < rounds)
		return;
	bbr->extra_acked_win_rtts = 0;
	bbr->extra_acked_win_idx = !bbr->extra_acked_win_idx;
	bbr->extra_acked[bbr->extra_acked_win_idx & 1] = 0;
}

static void bbr3_keep_extra_acked(struct bbr3_call *call, uint32_t extra)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t *most = &bbr->extra_acked[bbr->extra_acked_win_idx & 1];

	if (bbr3_has(call, FP_BBR3_LONG_AGGREGATION))
		(void)fp_minmax_max(&bbr->extra_acked_filter,
				    bbr->full_bw_reached
					? BBR3_EXTRA_ACKED_FILTER_LEN
					: BBR3_EXTRA_ACKED_STARTUP,
				    bbr->round_count, extra);
	else
		*most = bbr_max(*most,
				bbr_min(extra, bbr3_volume(call, UINT16_MAX)));
}

/* What bw would have delivered since the epoch began, as a volume. */
static uint64_t bbr3_expected(const struct bbr3_call *call, uint64_t now_us)
{
	uint64_t pkts_shl24 = (uint64_t)bbr3_bw(call->bbr) *
			      bbr_elapsed_us(now_us, call->bbr->ack_epoch_us);

	if (pkts_shl24 >> 48)
		return UINT64_C(1) << 48;
	return pkts_shl24 * call->unit >> BBR_BW_SHIFT;
}

/* How much more than bw was acknowledged since the epoch began, at most? An
 * epoch ends when the ACKs are not ahead of bw any more. */
void bbr3__update_ack_aggregation(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	bool has_cap = !bbr3_has(call, FP_BBR3_LONG_AGGREGATION);
	uint32_t newly = bbr3_volume(call, call->ack->acked_sacked_pkts);
	uint64_t most = bbr3_volume(call, BBR3_EPOCH_ACKED_MAX);
	uint64_t now_us = call->conn->delivered_ns / 1000;
	uint64_t expected, extra;

	if (!bbr3_is_valid(call->ack) || call->ack->delivered_pkts < 0)
		return;
	if (bbr->round_start)
		bbr3_age_extra_acked(bbr);
	expected = bbr3_expected(call, now_us);
	if (bbr->ack_epoch_acked <= expected ||
	    (has_cap && bbr->ack_epoch_acked + newly >= most)) {
		bbr->ack_epoch_acked = 0;
		bbr->ack_epoch_us = now_us;
		expected = 0;
	}
	bbr->ack_epoch_acked += newly;
	if (has_cap && bbr->ack_epoch_acked >= most)
		bbr->ack_epoch_acked = most - 1;
	extra = bbr->ack_epoch_acked - expected;
	bbr3_keep_extra_acked(call,
			      bbr_min(bbr_saturate(extra), bbr3_cwnd(call)));
}

/* Keeps the least RTTs of 5 s and of 10 s. Goes on to PROBE_RTT where the first
 * had expired before this ACK. */
void bbr3__update_min_rtt(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	const struct fp_cc_conn *conn = call->conn;
	int32_t rtt_us = call->ack->rtt_us;
	bool any_ack = bbr3_has(call, FP_BBR3_ANY_ACK_RTT);
	bool is_expired = bbr_is_after(
	    conn->now_ticks, bbr->probe_rtt_min_ticks +
				 bbr_ticks(conn, BBR3_PROBE_RTT_INTERVAL_MS));
	bool is_min_rtt_expired;

	if (rtt_us >= 0 &&
	    ((uint32_t)rtt_us < bbr->probe_rtt_min_us ||
	     (is_expired && (any_ack || !call->ack->is_ack_delayed)))) {
		bbr->probe_rtt_min_us = (uint32_t)rtt_us;
		bbr->probe_rtt_min_ticks = conn->now_ticks;
	}
	is_min_rtt_expired =
	    bbr_is_after(conn->now_ticks,
			 bbr->min_rtt_ticks + bbr_ticks(conn, BBR3_MIN_RTT_MS));
	if (bbr->probe_rtt_min_us < bbr->min_rtt_us || is_min_rtt_expired ||
	    (!any_ack && bbr->probe_rtt_min_us == bbr->min_rtt_us)) {
		bbr->min_rtt_us = bbr->probe_rtt_min_us;
		bbr->min_rtt_ticks = bbr->probe_rtt_min_ticks;
	}
	bbr3__check_probe_rtt(call, is_expired);
}

void bbr3__reset_full_bw(struct fp_bbr3 *bbr)
{
	bbr->full_bw = 0;
	bbr->full_bw_count = 0;
	bbr->full_bw_now = 0;
}

/* --- Loss ------------------------------------------------------------------
 */

void bbr3__save_state_upon_loss(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr3__save_cwnd(call);
	bbr->has_undo_state = 0;
	bbr->undo_bw_shortterm = bbr->bw_shortterm;
	bbr->undo_inflight_shortterm = bbr->inflight_shortterm;
	bbr->undo_inflight_longterm = bbr->inflight_longterm;
}

/*
 * Marks this round as one of loss. The round begins anew with the first, to see
 * all that the path can deliver.
 *
 * Differs from draft: there a loss that ends UP resets is_loss_in_round, so
 * that the next packet of the same burst would save what the first one changed.
 * Here the first loss of a round saves, whatever it leads to.
 */
void bbr3__note_loss(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!bbr->is_loss_in_round)
		bbr->loss_round_delivered = call->conn->delivered_pkts;
	if (bbr3_has(call, FP_BBR3_SAVE_AT_LOSS) && !bbr->is_state_saved) {
		bbr3__save_state_upon_loss(call);
		bbr->is_state_saved = 1;
	}
	bbr->is_loss_in_round = 1;
	bbr->loss_in_cycle = 1;
}

/* Were too many lost, or marked, for this flight to be right? */
bool bbr3__is_inflight_too_high(const struct bbr3_call *call,
				const struct bbr3_flight *flight)
{
	const struct fp_bbr3 *bbr = call->bbr;

	if (flight->lost && !call->conn->has_sack &&
	    bbr3_has(call, FP_BBR3_NO_SACK))
		return true;
	if (flight->lost && flight->tx_in_flight &&
	    (uint64_t)flight->lost * BBR3_ONE >
		(uint64_t)flight->tx_in_flight * bbr->constants.loss_thresh)
		return true;
	return flight->delivered_pkts && bbr->is_ecn_eligible &&
	       flight->delivered_ce_pkts >
		   (uint64_t)flight->delivered_pkts * BBR3_ECN_THRESH_X256 >>
		   BBR_SHIFT;
}

/*
 * A lost burst may have been partly safe. With loss_thresh T, what was in
 *flight before it and what of that was lost, its prefix became too much where
 *
 *	(lost_prev + prefix) / (inflight_prev + prefix) >= T
 *	prefix >= (T x inflight_prev - lost_prev) / (1 - T)
 *
 * Snapshots that do not fit together bound nothing; an unknown flight leaves
 * it to the share of the target.
 */
uint32_t bbr3__inflight_at_loss(const struct bbr3_call *call,
				const struct bbr3_flight *flight, uint32_t size)
{
	uint32_t thresh = call->bbr->constants.loss_thresh;
	uint32_t prev, lost_prev, budget;
	uint64_t prefix;

	if (!flight->tx_in_flight)
		return 0;
	if (flight->tx_in_flight < size || flight->lost < size)
		return FP_BBR3_NONE;
	prev = flight->tx_in_flight - size;
	lost_prev = flight->lost - size;
	budget =
	    (uint32_t)(((uint64_t)prev * thresh + BBR3_ONE - 1) / BBR3_ONE);
	if (lost_prev < budget) {
		prefix = (uint64_t)(budget - lost_prev) * BBR3_ONE /
			 (BBR3_ONE - thresh);
		return bbr3_add(prev, bbr_saturate(prefix));
	}
	if (!bbr3_has(call, FP_BBR3_NEGATIVE_PREFIX))
		return prev; /* what was lost before it was too much */
	prefix =
	    (uint64_t)(lost_prev - budget) * BBR3_ONE / (BBR3_ONE - thresh);
	return prefix < prev ? prev - (uint32_t)prefix : 0;
}
