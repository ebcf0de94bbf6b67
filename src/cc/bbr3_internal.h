/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of BBRv3: bbr3.c takes events, bbr3_model.c learns the path from
 * them, bbr3_probe.c is the state machine, bbr3_control.c sets rate, burst and
 * window.
 */
#ifndef CC_BBR3_INTERNAL_H
#define CC_BBR3_INTERNAL_H

#include "cc/bbr_units.h"
#include "fullpipe/cc/bbr3.h"

#define BBR3_ONE 32000u /* a gain or share of 1 */

/* 4 ln 2: the least pacing gain that doubles the rate each round while the
 * window gain is 2; 710 / 256. */
#define BBR3_STARTUP_PACING_GAIN 88750u
/* In PROBE_RTT half a BDP is in flight: as good as none for the queue, and the
 * link is still half used. */
#define BBR3_PROBE_RTT_CWND_GAIN (BBR3_ONE / 2)

/* A receiver that acknowledges every other packet needs 4 in flight to keep two
 * on each way (MinPipeCwnd). */
#define BBR3_MIN_PIPE_CWND_PKTS 4u

/* One event while it is worked off. */
struct bbr3_call {
	struct fp_bbr3 *bbr;
	const struct fp_cc_conn *conn;
	const struct fp_cc_ack *ack; /* NULL: the event is none */
	struct fp_cc_control *control;
	uint64_t now_us;
	uint32_t unit;      /* volume of one packet */
	uint32_t sample_bw; /* delivery rate of this ACK; 0: none */
};

/* What became of the flight that a packet left behind it in. */
struct bbr3_flight {
	uint32_t tx_in_flight; /* units, with the packet; 0: unknown */
	uint32_t lost;         /* units, since it was sent */
	uint32_t delivered_pkts, delivered_ce_pkts;
	bool is_app_limited;
};

static inline bool bbr3_has(const struct bbr3_call *call,
			    enum fp_bbr3_switch choice)
{
	return call->bbr->switches & (uint32_t)choice;
}

/* value x share / 32000, rounded down. value below 2^61. */
static inline uint64_t bbr3_share(uint64_t value, uint32_t share)
{
	return value / BBR3_ONE * share + value % BBR3_ONE * share / BBR3_ONE;
}

/* Packets as a volume; the largest is below FP_BBR3_NONE. */
static inline uint32_t bbr3_volume(const struct bbr3_call *call, uint32_t pkts)
{
	uint64_t volume = (uint64_t)pkts * call->unit;

	return volume >= FP_BBR3_NONE ? FP_BBR3_NONE - 1 : (uint32_t)volume;
}

/* Sums of volumes do not become "none". */
static inline uint32_t bbr3_add(uint32_t a, uint32_t b)
{
	return a >= FP_BBR3_NONE - 1 - b ? FP_BBR3_NONE - 1 : a + b;
}

static inline uint32_t bbr3_cwnd(const struct bbr3_call *call)
{
	return bbr3_volume(call, call->control->cwnd_pkts);
}

static inline uint32_t bbr3_min_pipe_cwnd(const struct bbr3_call *call)
{
	return bbr3_volume(call, BBR3_MIN_PIPE_CWND_PKTS);
}

static inline uint32_t bbr3_max_bw(const struct fp_bbr3 *bbr)
{
	return bbr_max(bbr->max_bw_filter[0], bbr->max_bw_filter[1]);
}

/* The bandwidth to act on. */
static inline uint32_t bbr3_bw(const struct fp_bbr3 *bbr)
{
	return bbr_min(bbr3_max_bw(bbr), bbr->bw_shortterm);
}

static inline bool bbr3_is_in_probe_bw(const struct fp_bbr3 *bbr)
{
	return bbr->state >= FP_BBR3_DOWN && bbr->state <= FP_BBR3_UP;
}

static inline void bbr3_start_round(struct bbr3_call *call)
{
	call->bbr->next_round_delivered = call->conn->delivered_pkts;
}

/* bbr3_control.c */

/* bw x min_rtt x gain, as a volume. */
uint32_t bbr3__bdp_multiple(const struct bbr3_call *call, uint32_t bw,
			    uint32_t gain);
/* Likewise with what the hosts hold. */
uint32_t bbr3__inflight(const struct bbr3_call *call, uint32_t bw,
			uint32_t gain);
/* The flight that is wanted: the BDP, unless congestion cut the window. */
uint32_t bbr3__target_inflight(const struct bbr3_call *call);
/* The window of PROBE_RTT. */
uint32_t bbr3__probe_rtt_cwnd(const struct bbr3_call *call);
/* The flight that counts in the tests of DRAIN and PROBE_BW. */
uint32_t bbr3__tested_inflight(const struct bbr3_call *call,
			       uint32_t inflight_pkts);
/* The long-term bound, less what is left to others; or none. */
uint32_t bbr3__inflight_with_headroom(const struct bbr3_call *call);
void bbr3__init_pacing_rate(struct bbr3_call *call);
void bbr3__set_pacing_rate_with_gain(struct bbr3_call *call, uint32_t gain);
void bbr3__set_send_quantum(struct bbr3_call *call);
void bbr3__set_cwnd(struct bbr3_call *call);
void bbr3__bound_cwnd_for_model(struct bbr3_call *call);
void bbr3__save_cwnd(struct bbr3_call *call);
void bbr3__restore_cwnd(struct bbr3_call *call);

/* bbr3_model.c */

void bbr3__update_round(struct bbr3_call *call);
void bbr3__update_ecn_alpha(struct bbr3_call *call);
void bbr3__update_latest_delivery_signals(struct bbr3_call *call);
void bbr3__advance_latest_delivery_signals(struct bbr3_call *call);
void bbr3__update_congestion_signals(struct bbr3_call *call);
void bbr3__update_ack_aggregation(struct bbr3_call *call);
void bbr3__update_min_rtt(struct bbr3_call *call);
void bbr3__reset_congestion_signals(struct fp_bbr3 *bbr);
void bbr3__reset_short_term_model(struct fp_bbr3 *bbr);
void bbr3__advance_max_bw_filter(struct fp_bbr3 *bbr);
void bbr3__reset_full_bw(struct fp_bbr3 *bbr);
void bbr3__note_loss(struct bbr3_call *call);
void bbr3__save_state_upon_loss(struct bbr3_call *call);
bool bbr3__is_inflight_too_high(const struct bbr3_call *call,
				const struct bbr3_flight *flight);
/* The flight at which a lost burst of "size" made the losses too many. */
uint32_t bbr3__inflight_at_loss(const struct bbr3_call *call,
				const struct bbr3_flight *flight,
				uint32_t size);

/* bbr3_probe.c */

void bbr3__check_startup_high_loss(struct bbr3_call *call);
void bbr3__check_full_bw_reached(struct bbr3_call *call);
void bbr3__handle_queue_too_high_in_startup(struct bbr3_call *call);
void bbr3__check_drain(struct bbr3_call *call);
void bbr3__update_probe_bw_cycle_phase(struct bbr3_call *call);
void bbr3__check_probe_rtt(struct bbr3_call *call, bool is_expired);
void bbr3__check_probe_rtt_done(struct bbr3_call *call);
void bbr3__start_probe_bw_refill(struct bbr3_call *call, uint32_t up_rounds);
void bbr3__handle_inflight_too_high(struct bbr3_call *call,
				    const struct bbr3_flight *flight);
void bbr3__update_gains(struct bbr3_call *call);

#endif
