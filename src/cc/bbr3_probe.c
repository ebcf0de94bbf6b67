/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BBRv3: the state machine. */
#include "cc/bbr3_internal.h"

/* Gains by state; DRAIN's and DOWN's depend on the profile. UP's 1.25 queues
 * little enough within a min_rtt, and shows growth of a quarter; its window
 * must be larger, or it would hold the rate back. Elsewhere two BDP: with
 * delayed and stretched ACKs, one would run dry. */
#define BBR3_UP_PACING_GAIN    (BBR3_ONE * 5 / 4)
#define BBR3_DEFAULT_CWND_GAIN (BBR3_ONE * 2)
#define BBR3_UP_CWND_GAIN      (BBR3_ONE * 9 / 4)

/* A search for bandwidth goes on while a round brings a quarter more, … */
#define BBR3_FULL_BW_GROWTH          (BBR3_ONE * 5 / 4)
/* … and for three rounds without: the receive window's autotuning takes one to
 * grow, one to be filled, one to show in a sample. */
#define BBR3_FULL_BW_ROUNDS          3u
/* Losses end STARTUP when a round had at least so many of them, apart from each
 * other: fewer may be noise. */
#define BBR3_STARTUP_FULL_LOSS_COUNT 6u
#define BBR3_LOSS_EVENTS_MAX         15u
/* DRAIN's queue takes a round. Where bw was too high it would take for ever. */
#define BBR3_DRAIN_ROUNDS            3u

/* PROBE_RTT lasts for this long: enough for flows that entered it one after the
 * other to be in it together, with an empty queue. */
#define BBR3_PROBE_RTT_MS UINT32_C(200)

/* Probes are 2 to 3 s apart: a Reno flow of 25 Mbit/s and 30 ms takes 1.9 s to
 * win back what a loss took, and a person notices more. */
#define BBR3_PROBE_WAIT_US         UINT32_C(2000000)
#define BBR3_PROBE_WAIT_RAND_US    UINT32_C(1000000)
/* Or as many rounds apart as a Reno flow of this BDP takes for it, at most 63:
 * with more, 1 % of random loss would shrink the flight faster than probes
 * raise it. */
#define BBR3_PROBE_ROUNDS_MAX      63u
/* UP's growth doubles each round, 2^30 packets at most. */
#define BBR3_UP_ROUNDS_MAX         30u
/* Marks that cease: the first round may grow by half the bound. x 256. */
#define BBR3_ECN_REPROBE_GAIN_X256 128u

/* --- PROBE_BW: the states --------------------------------------------------
 */

static void bbr3_set_state(struct fp_bbr3 *bbr, enum fp_bbr3_state state)
{
	bbr->state = (uint32_t)state & 7;
	bbr->try_fast_path = 0; /* rate and window must follow */
}

/* Chooses when to probe next, at random, so that flows do not probe together.
 */
static void bbr3_pick_probe_wait(struct bbr3_call *call)
{
	uint32_t random = call->conn->random;

	call->bbr->rounds_since_probe_up = (uint8_t)(random >> 31);
	call->bbr->bw_probe_wait_us =
	    BBR3_PROBE_WAIT_US + (uint32_t)((uint64_t)(random & 0x7fffffff) *
						BBR3_PROBE_WAIT_RAND_US >>
					    31);
}

static void bbr3_start_probe_bw_down(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr3__reset_congestion_signals(bbr);
	bbr->probe_up_acked_per_inc = FP_BBR3_NONE;
	bbr3_pick_probe_wait(call);
	bbr->cycle_us = call->now_us;
	bbr->ack_phase = FP_BBR3_ACKS_PROBE_STOPPING;
	bbr3_start_round(call);
	bbr3_set_state(bbr, FP_BBR3_DOWN);
}

static void bbr3_start_probe_bw_cruise(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (bbr->inflight_shortterm != FP_BBR3_NONE &&
	    !bbr3_has(call, FP_BBR3_CRUISE_BOUND))
		bbr->inflight_shortterm =
		    bbr_min(bbr->inflight_shortterm, bbr->inflight_longterm);
	bbr3_set_state(bbr, FP_BBR3_CRUISE);
}

/* The pipe must be full before the flow sends more than the link carries: else
 * the first loss of the probe would be taken for the end of a pipe that was
 * half empty. */
void bbr3__start_probe_bw_refill(struct bbr3_call *call, uint32_t up_rounds)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr3__reset_short_term_model(bbr);
	bbr->bw_probe_up_rounds = up_rounds & 31;
	bbr->bw_probe_up_acked = 0;
	bbr->prev_probe_precautionary = 0;
	bbr->ack_phase = FP_BBR3_ACKS_REFILLING;
	bbr3_start_round(call);
	bbr3_set_state(bbr, FP_BBR3_REFILL);
}

/* The long-term bound grows by 1, 2, 4, … packets a round, spread over the
 * round. */
static void bbr3_raise_inflight_longterm_slope(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->probe_up_acked_per_inc =
	    bbr_max(bbr3_cwnd(call) >> bbr->bw_probe_up_rounds, call->unit);
	bbr->bw_probe_up_rounds =
	    bbr_min(bbr->bw_probe_up_rounds + 1u, BBR3_UP_ROUNDS_MAX) & 31;
}

/* Looks for growth from this ACK's delivery rate on. */
static void bbr3_restart_full_bw(struct bbr3_call *call)
{
	bbr3__reset_full_bw(call->bbr);
	call->bbr->full_bw = call->sample_bw;
}

static void bbr3_start_probe_bw_up(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->ack_phase = FP_BBR3_ACKS_PROBE_STARTING;
	bbr3_start_round(call);
	bbr->cycle_us = call->now_us;
	bbr3_restart_full_bw(call);
	bbr3_set_state(bbr, FP_BBR3_UP);
	bbr3_raise_inflight_longterm_slope(call);
}

/* --- STARTUP and DRAIN -----------------------------------------------------
 */

/* Too much is in flight: the pipe is full. What it held bounds the flow. */
void bbr3__handle_queue_too_high_in_startup(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->undo_state = FP_BBR3_STARTUP;
	bbr->has_undo_state = 1;
	bbr->full_bw_reached = 1;
	if (bbr3_has(call, FP_BBR3_LOSS_EXIT_NOW))
		bbr->full_bw_now = 1;
	bbr->inflight_longterm =
	    bbr_max(bbr3__inflight(call, bbr3_max_bw(bbr), BBR3_ONE),
		    bbr->inflight_latest);
}

/* What an ACK tells of the flight of the packet that it samples. */
static struct bbr3_flight *bbr3_ack_flight(const struct bbr3_call *call,
					   struct bbr3_flight *flight)
{
	const struct fp_cc_ack *ack = call->ack;
	int32_t pkts = ack->delivered_pkts, ce = ack->delivered_ce_pkts;

	flight->tx_in_flight = bbr3_volume(call, ack->tx_in_flight_pkts);
	flight->lost = bbr3_volume(call, ack->lost_pkts);
	flight->delivered_pkts = pkts > 0 ? (uint32_t)pkts : 0;
	flight->delivered_ce_pkts = ce > 0 ? (uint32_t)ce : 0;
	flight->is_app_limited = ack->is_app_limited;
	return flight;
}

/* Ends STARTUP on loss, at the end of a round of recovery: by then it is known
 * how much was lost. */
void bbr3__check_startup_high_loss(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	struct bbr3_flight flight;
	bool is_in_recovery = call->conn->ca_state == FP_CA_RECOVERY;

	if (bbr->full_bw_reached)
		return;
	if (call->ack->newly_lost_pkts)
		bbr->loss_events_in_round =
		    bbr_min(bbr->loss_events_in_round + 1u,
			    BBR3_LOSS_EVENTS_MAX) &
		    15;
	if (is_in_recovery && bbr->loss_events_in_round &&
	    !call->conn->has_sack && bbr3_has(call, FP_BBR3_NO_SACK)) {
		bbr3__handle_queue_too_high_in_startup(call);
		return;
	}
	if (!bbr->loss_round_start)
		return;
	if (is_in_recovery &&
	    bbr->loss_events_in_round >= BBR3_STARTUP_FULL_LOSS_COUNT &&
	    bbr3__is_inflight_too_high(call, bbr3_ack_flight(call, &flight)))
		bbr3__handle_queue_too_high_in_startup(call);
	else
		bbr->loss_events_in_round = 0;
}

/* Has the search, STARTUP or UP, found all the bandwidth there is? */
void bbr3__check_full_bw_reached(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	bool once_a_round = bbr3_has(call, FP_BBR3_ROUND_GROWTH);

	if (bbr->full_bw_now || call->ack->is_app_limited ||
	    (once_a_round && !bbr->round_start))
		return;
	if (call->sample_bw >= bbr3_share(bbr->full_bw, BBR3_FULL_BW_GROWTH)) {
		bbr3_restart_full_bw(call);
		return;
	}
	if (!bbr->round_start)
		return;
	bbr->full_bw_count = (bbr->full_bw_count + 1u) & 3;
	bbr->full_bw_now = bbr->full_bw_count >= BBR3_FULL_BW_ROUNDS;
	bbr->full_bw_reached |= bbr->full_bw_now;
}

/* The threshold is for those who look (ss, TCP_INFO). */
static void bbr3_enter_drain(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->state = FP_BBR3_DRAIN;
	bbr->drain_start_round = bbr->round_count;
	call->control->ssthresh_pkts =
	    bbr3__inflight(call, bbr3_max_bw(bbr), BBR3_ONE) / call->unit;
	bbr3__reset_congestion_signals(bbr);
}

static bool bbr3_is_drained(const struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;

	if (bbr3_has(call, FP_BBR3_DRAIN_TIMEOUT) &&
	    bbr_is_after(bbr->round_count,
			 bbr->drain_start_round + BBR3_DRAIN_ROUNDS))
		return true;
	return bbr3__tested_inflight(call, call->conn->inflight_pkts) <=
	       bbr3__inflight(call, bbr3_max_bw(bbr), BBR3_ONE);
}

void bbr3__check_drain(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (bbr->state == FP_BBR3_STARTUP && bbr->full_bw_reached)
		bbr3_enter_drain(call);
	if (bbr->state == FP_BBR3_DRAIN && bbr3_is_drained(call))
		bbr3_start_probe_bw_down(call);
}

/* --- PROBE_BW: the bounds --------------------------------------------------
 */

/* A probe put too much in flight: the long-term bound comes down to what was
 * still right, once per probe. A flow that the application limits did not probe
 * how much is right. */
void bbr3__handle_inflight_too_high(struct bbr3_call *call,
				    const struct bbr3_flight *flight)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->prev_probe_too_high = 1;
	bbr->is_bw_probe_sample = 0;
	if (!flight->is_app_limited)
		bbr->inflight_longterm =
		    bbr_max(flight->tx_in_flight,
			    (uint32_t)bbr3_share(bbr3__target_inflight(call),
						 bbr->constants.beta));
	if (bbr->state == FP_BBR3_UP) {
		bbr->undo_state = FP_BBR3_UP;
		bbr->has_undo_state = 1;
		bbr3_start_probe_bw_down(call);
	}
}

static void bbr3_probe_inflight_longterm_upward(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t steps, newly;

	if (!call->conn->is_cwnd_limited ||
	    bbr3_cwnd(call) < bbr->inflight_longterm)
		return; /* the bound does not hold the flow back */
	newly = bbr3_volume(call, call->ack->acked_sacked_pkts);
	bbr->bw_probe_up_acked = bbr3_add(bbr->bw_probe_up_acked, newly);
	if (bbr->bw_probe_up_acked >= bbr->probe_up_acked_per_inc) {
		steps = bbr->bw_probe_up_acked /
			bbr_max(bbr->probe_up_acked_per_inc, 1);
		bbr->bw_probe_up_acked -= steps * bbr->probe_up_acked_per_inc;
		bbr->inflight_longterm =
		    bbr3_add(bbr->inflight_longterm, bbr3_volume(call, steps));
		bbr->try_fast_path = 0;
	}
	if (bbr->round_start)
		bbr3_raise_inflight_longterm_slope(call);
}

/* Follows what the ACKs tell of. Returns true where the end of a probe's ACKs
 * decided what is next. */
static bool bbr3_advance_ack_phase(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!bbr->round_start)
		return false;
	if (bbr->ack_phase == FP_BBR3_ACKS_PROBE_STARTING)
		bbr->ack_phase = FP_BBR3_ACKS_PROBE_FEEDBACK;
	if (bbr->ack_phase != FP_BBR3_ACKS_PROBE_STOPPING)
		return false;
	bbr->is_bw_probe_sample = 0;
	bbr->ack_phase = FP_BBR3_ACKS_INIT;
	if (!bbr3_is_in_probe_bw(bbr))
		return false;
	/* The best chance of this cycle to see the bandwidth is over. */
	if (!call->ack->is_app_limited)
		bbr3__advance_max_bw_filter(bbr);
	/* A careful probe went well: go on at once, and persist. */
	if (bbr->prev_probe_precautionary && !bbr->prev_probe_too_high) {
		bbr3__start_probe_bw_refill(call, 0);
		return true;
	}
	return false;
}

/* Moves the long-term bound. Returns true where the state was decided. */
static bool bbr3_adapt_long_term_model(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	struct bbr3_flight flight;

	if (bbr3_advance_ack_phase(call))
		return true;
	if (bbr3__is_inflight_too_high(call, bbr3_ack_flight(call, &flight))) {
		if (bbr->is_bw_probe_sample &&
		    !bbr3_has(call, FP_BBR3_PER_PACKET))
			bbr3__handle_inflight_too_high(call, &flight);
		return false;
	}
	if (bbr->inflight_longterm == FP_BBR3_NONE)
		return false;
	/* What went well in any state is right. */
	bbr->inflight_longterm =
	    bbr_max(bbr->inflight_longterm, flight.tx_in_flight);
	if (bbr->state == FP_BBR3_UP)
		bbr3_probe_inflight_longterm_upward(call);
	return false;
}

/* --- PROBE_BW: the transitions ---------------------------------------------
 */

static bool bbr3_has_elapsed_in_phase(const struct bbr3_call *call)
{
	return call->now_us > call->bbr->cycle_us + call->bbr->bw_probe_wait_us;
}

static bool bbr3_is_reno_coexistence_probe_time(const struct bbr3_call *call)
{
	uint32_t rounds = bbr3__target_inflight(call) / call->unit;

	return call->bbr->rounds_since_probe_up >=
	       bbr_min(rounds, BBR3_PROBE_ROUNDS_MAX);
}

/* Marks, and no loss, in this cycle, and now they have ceased: others may have
 * gone. */
static bool bbr3_is_ecn_reprobe_time(const struct bbr3_call *call)
{
	const struct fp_bbr3 *bbr = call->bbr;

	return !bbr3_has(call, FP_BBR3_NO_ECN_REPROBE) &&
	       bbr->is_ecn_eligible && bbr->ecn_in_cycle &&
	       !bbr->loss_in_cycle && call->conn->ca_state == FP_CA_OPEN;
}

/* So that 2^n packets are half of the long-term bound. */
static uint32_t bbr3_ecn_reprobe_rounds(const struct bbr3_call *call)
{
	uint32_t half = (uint32_t)((uint64_t)call->bbr->inflight_longterm *
				       BBR3_ECN_REPROBE_GAIN_X256 >>
				   BBR_SHIFT) /
			call->unit;
	uint32_t rounds = 0;

	while (rounds < BBR3_UP_ROUNDS_MAX && half >> (rounds + 1))
		rounds++;
	return rounds;
}

/* Is it time to go from DOWN or CRUISE to REFILL? Then it goes there. */
static bool bbr3_is_time_to_probe_bw(struct bbr3_call *call)
{
	if (bbr3_is_ecn_reprobe_time(call)) {
		bbr3__start_probe_bw_refill(call,
					    bbr3_ecn_reprobe_rounds(call));
		return true;
	}
	if (bbr3_has_elapsed_in_phase(call) ||
	    bbr3_is_reno_coexistence_probe_time(call)) {
		bbr3__start_probe_bw_refill(call, 0);
		return true;
	}
	return false;
}

/* Is it time to go from DOWN to CRUISE? */
static bool bbr3_is_time_to_cruise(const struct bbr3_call *call,
				   uint32_t inflight)
{
	return inflight <= bbr3__inflight_with_headroom(call) &&
	       inflight <=
		   bbr3__inflight(call, bbr3_max_bw(call->bbr), BBR3_ONE);
}

/*
 * Is it time to go from UP to DOWN? If the last probe went too high, this one
 * is careful: it stops where that one set the bound, and its ACKs tell whether
 * that was still right. Else it goes on until bw does not grow any more. While
 * the bound holds the flow back, bw cannot grow, which says nothing.
 */
static bool bbr3_is_time_to_go_down(struct bbr3_call *call, uint32_t inflight)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (bbr->prev_probe_too_high && inflight >= bbr->inflight_longterm) {
		bbr->prev_probe_precautionary = 1;
		return true;
	}
	if (call->conn->is_cwnd_limited &&
	    bbr3_cwnd(call) >= bbr->inflight_longterm) {
		bbr3_restart_full_bw(call);
		return false;
	}
	return bbr->full_bw_now;
}

void bbr3__update_probe_bw_cycle_phase(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	uint32_t inflight;

	if (!bbr->full_bw_reached || bbr3_adapt_long_term_model(call) ||
	    !bbr3_is_in_probe_bw(bbr))
		return;
	inflight = bbr3__tested_inflight(call, call->ack->prior_inflight_pkts);
	switch ((enum fp_bbr3_state)bbr->state) {
	case FP_BBR3_DOWN:
		if (!bbr3_is_time_to_probe_bw(call) &&
		    bbr3_is_time_to_cruise(call, inflight))
			bbr3_start_probe_bw_cruise(call);
		break;
	case FP_BBR3_CRUISE:
		(void)bbr3_is_time_to_probe_bw(call);
		break;
	case FP_BBR3_REFILL:
		if (bbr->round_start) {
			bbr->is_bw_probe_sample = 1;
			bbr3_start_probe_bw_up(call);
		}
		break;
	case FP_BBR3_UP:
		if (bbr3_is_time_to_go_down(call, inflight)) {
			bbr->prev_probe_too_high = 0; /* not yet */
			bbr3_start_probe_bw_down(call);
		}
		break;
	case FP_BBR3_STARTUP:
	case FP_BBR3_DRAIN:
	case FP_BBR3_PROBE_RTT:
		break;
	}
}

/* --- PROBE_RTT -------------------------------------------------------------
 */

/* The flight is below a BDP, so it may cruise; the next probe is not due yet,
 * since raising the flight may cause loss. */
static void bbr3_exit_probe_rtt(struct bbr3_call *call)
{
	bbr3__reset_short_term_model(call->bbr);
	if (!call->bbr->full_bw_reached) {
		call->bbr->state = FP_BBR3_STARTUP;
		return;
	}
	bbr3_start_probe_bw_down(call);
	bbr3_start_probe_bw_cruise(call);
}

void bbr3__check_probe_rtt_done(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (!bbr->probe_rtt_done_ticks ||
	    !bbr_is_after(call->conn->now_ticks, bbr->probe_rtt_done_ticks))
		return;
	bbr->probe_rtt_min_ticks = call->conn->now_ticks; /* next in 5 s */
	bbr3__restore_cwnd(call);
	bbr3_exit_probe_rtt(call);
}

static void bbr3_enter_probe_rtt(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->state = FP_BBR3_PROBE_RTT;
	bbr3__save_cwnd(call);
	bbr->probe_rtt_done_ticks = 0;
	bbr->ack_phase = FP_BBR3_ACKS_PROBE_STOPPING;
	bbr3_start_round(call);
}

/* Once the flight has sunk, that must last for 200 ms and a round. Its samples
 * of bw do not count. */
static void bbr3_handle_probe_rtt(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;
	const struct fp_cc_conn *conn = call->conn;

	call->control->marks_app_limited = true;
	if (!bbr->probe_rtt_done_ticks) {
		if (bbr3_volume(call, conn->inflight_pkts) >
		    bbr3__probe_rtt_cwnd(call))
			return;
		bbr->probe_rtt_done_ticks =
		    conn->now_ticks + bbr_ticks(conn, BBR3_PROBE_RTT_MS);
		bbr->probe_rtt_round_done = 0;
		bbr3_start_round(call);
		return;
	}
	if (bbr->round_start)
		bbr->probe_rtt_round_done = 1;
	if (bbr->probe_rtt_round_done)
		bbr3__check_probe_rtt_done(call);
}

void bbr3__check_probe_rtt(struct bbr3_call *call, bool is_expired)
{
	struct fp_bbr3 *bbr = call->bbr;

	if (is_expired && !bbr->idle_restart && bbr->state != FP_BBR3_PROBE_RTT)
		bbr3_enter_probe_rtt(call);
	if (bbr->state == FP_BBR3_PROBE_RTT)
		bbr3_handle_probe_rtt(call);
	if (call->ack->delivered_pkts > 0)
		bbr->idle_restart = 0;
}

void bbr3__update_gains(struct bbr3_call *call)
{
	struct fp_bbr3 *bbr = call->bbr;

	bbr->pacing_gain = BBR3_ONE;
	bbr->cwnd_gain = BBR3_DEFAULT_CWND_GAIN;
	switch ((enum fp_bbr3_state)bbr->state) {
	case FP_BBR3_STARTUP:
		bbr->pacing_gain = BBR3_STARTUP_PACING_GAIN;
		break;
	case FP_BBR3_DRAIN:
		bbr->pacing_gain = bbr->constants.drain_pacing_gain;
		break;
	case FP_BBR3_DOWN:
		bbr->pacing_gain = bbr->constants.down_pacing_gain;
		break;
	case FP_BBR3_CRUISE:
	case FP_BBR3_REFILL:
		break;
	case FP_BBR3_UP:
		bbr->pacing_gain = BBR3_UP_PACING_GAIN;
		bbr->cwnd_gain = BBR3_UP_CWND_GAIN;
		break;
	case FP_BBR3_PROBE_RTT:
		bbr->cwnd_gain = bbr3_has(call, FP_BBR3_PROBE_RTT_GAIN)
				     ? BBR3_PROBE_RTT_CWND_GAIN
				     : BBR3_ONE;
		break;
	}
}
