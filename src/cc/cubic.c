/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * CUBIC.
 *
 * After a loss at the window W_max an epoch begins at beta x W_max. The window
 * then follows
 *
 *	W(t) = C (t - K)^3 + W_max,	K = cbrt((W_max - cwnd) / C)
 *
 * steep at first, flat around W_max after K seconds, steep again beyond it
 * where the path may hold more. t is time, not round trips: flows of different
 * RTT grow alike. Where Reno would have a larger window by now, Reno's counts.
 * With loss at every 1/p packets the mean window is the larger one of
 *
 *	(C (3 + beta) / (4 (1 - beta)))^(1/4) x (RTT / p)^(3/4)	and
 *	sqrt(3 / (2 p))
 *
 * (RFC 9438, 5.1, with beta = 0.7 and C = 0.4: 1.054 (RTT / p)^(3/4)).
 *
 * The curve's clock, in which epoch_start and last_time are, is conn->now_ticks
 * (jiffies), or 1/1024 s of conn->now_ns with FP_CUBIC_FINE_CLOCK. On the curve
 * itself time is in 1/1024 s.
 *
 * Sources: Linux net/ipv4/tcp_cubic.c (6.12); RFC 9438.
 */
#include "fullpipe/cc/cubic.h"

#include "base/icbrt.h"
#include "cc/cubic_root.h"
#include "cc/window.h"

/* icsk_ca_priv of Linux has room for this. */
_Static_assert(sizeof(struct fp_cubic) <= 104, "must fit into a socket");

#define CUBIC_CLOCK_SHIFT       10u /* the curve's second is 2^10 */
#define CUBIC_FINE_HZ           (1u << CUBIC_CLOCK_SHIFT)
#define CUBIC_NS_PER_TICK       UINT64_C(1953125) /* x 2: 10^9 / 1024 */
#define CUBIC_SSTHRESH_MIN_PKTS 2u                /* RFC 9438, 4.6 */
#define CUBIC_SHIFT             7u /* windows on the curve: packets x 2^7 */

/* C in packets / s^3, x 1024, as Linux has it: 41/1024 of 10/s (an RTT of 100
 * ms is folded into it). K^3 = (W_max - cwnd) / C x 2^30. */
#define CUBIC_LINUX_C_X1024    410u
#define CUBIC_LINUX_K3         ((UINT64_C(1) << 40) / CUBIC_LINUX_C_X1024)
/* C = 2/5 exactly: 2^30 / C */
#define CUBIC_EXACT_K3         ((UINT64_C(1) << 30) / 2 * 5)
/* Twice its cube fits in 64 bits; the window there is far beyond any other. */
#define CUBIC_EXACT_OFFSET_MAX UINT64_C(2000000)

/* The step may be at most half a packet for each one: 1.5 times a round. */
#define CUBIC_EVERY_MIN_PKTS   2u
#define CUBIC_STEP_MAX_SHL32   (UINT32_C(1) << 31)
/* FP_CUBIC_FIRST_GROWTH: 5 % a round */
#define CUBIC_FIRST_EVERY_PKTS 20u
/* Beyond its target the window grows by a packet in 100 rounds. */
#define CUBIC_SLOW_ROUNDS      100u

static bool cubic_has(const struct fp_cubic *cubic, uint32_t bit)
{
	return (cubic->config.switches & bit) != 0;
}

static uint32_t cubic_now(const struct fp_cubic *cubic,
			  const struct fp_cc_conn *conn)
{
	if (cubic_has(cubic, FP_CUBIC_FINE_CLOCK))
		return (uint32_t)(conn->now_ns * 2 / CUBIC_NS_PER_TICK);
	return conn->now_ticks;
}

static uint32_t cubic_hz(const struct fp_cubic *cubic,
			 const struct fp_cc_conn *conn)
{
	if (cubic_has(cubic, FP_CUBIC_FINE_CLOCK))
		return CUBIC_FINE_HZ;
	return conn->clock_hz != 0 ? conn->clock_hz : 1;
}

/* The window with its fraction. */
static uint32_t cubic_cwnd_x128(const struct fp_cubic *cubic,
				uint32_t cwnd_pkts)
{
	return (cwnd_pkts << CUBIC_SHIFT) +
	       (cubic->fraction_shl32 >> (32 - CUBIC_SHIFT));
}

/* Time from the start of an epoch to W_max, 1/1024 s. */
static uint32_t cubic_k(const struct fp_cubic *cubic, uint32_t below_x128)
{
	if (cubic_has(cubic, FP_CUBIC_EXACT_CONSTANTS))
		return fp_icbrt(CUBIC_EXACT_K3 * below_x128 >> CUBIC_SHIFT);
	return cc__cubic_root(CUBIC_LINUX_K3 * below_x128 >> CUBIC_SHIFT);
}

/* C x offset^3, packets x 1024. As in the kernel, its C makes this wrap from
 * 347 s on. */
static uint64_t cubic_rise_x1024(const struct fp_cubic *cubic,
				 uint64_t offset_1024ths)
{
	uint64_t offset = offset_1024ths;

	if (!cubic_has(cubic, FP_CUBIC_EXACT_CONSTANTS))
		return CUBIC_LINUX_C_X1024 * offset * offset * offset >> 30;
	if (offset > CUBIC_EXACT_OFFSET_MAX)
		offset = CUBIC_EXACT_OFFSET_MAX;
	return 2 * offset * offset * offset / 5 >> 20;
}

/* W(t) in whole packets. As in the kernel, an origin below the fall (whose root
 * is not exact) wraps around: a huge target. */
static uint32_t cubic_target_pkts(const struct fp_cubic *cubic, uint64_t t)
{
	uint32_t origin_pkts = cubic->curve.origin_pkts_x128 >> CUBIC_SHIFT;
	uint64_t k = cubic->curve.k_1024ths;

	if (t < k)
		return origin_pkts -
		       (uint32_t)(cubic_rise_x1024(cubic, k - t) >> 10);
	return origin_pkts + (uint32_t)(cubic_rise_x1024(cubic, t - k) >> 10);
}

/* W(t), packets x 1024. */
static uint64_t cubic_target_x1024(const struct fp_cubic *cubic, uint64_t t)
{
	uint64_t origin_x1024 = (uint64_t)cubic->curve.origin_pkts_x128 * 8;
	uint64_t k = cubic->curve.k_1024ths;
	uint64_t fall_x1024;

	if (t >= k)
		return origin_x1024 + cubic_rise_x1024(cubic, t - k);
	fall_x1024 = cubic_rise_x1024(cubic, k - t);
	return origin_x1024 > fall_x1024 ? origin_x1024 - fall_x1024 : 0;
}

static void cubic_begin_epoch(struct fp_cubic *cubic, uint32_t now,
			      uint32_t cwnd_pkts, uint32_t acked_pkts)
{
	struct fp_cubic_curve *curve = &cubic->curve;
	uint32_t cwnd_x128 = cubic_cwnd_x128(cubic, cwnd_pkts);

	curve->epoch_start = now;
	if (cubic_has(cubic, FP_CUBIC_FRACTION))
		cubic->reno_rest_shl16 = 0;
	else
		cubic->ack_cnt_pkts = acked_pkts;
	curve->reno_pkts_x128 = cwnd_x128;
	curve->k_1024ths = 0;
	curve->origin_pkts_x128 = cwnd_x128;
	if (curve->last_max_pkts_x128 <= cwnd_x128)
		return;
	curve->k_1024ths =
	    cubic_k(cubic, curve->last_max_pkts_x128 - cwnd_x128);
	curve->origin_pkts_x128 = curve->last_max_pkts_x128;
}

/* Time since the epoch began, and until what is sent now arrives. */
static uint64_t cubic_t_1024ths(const struct fp_cubic *cubic,
				const struct fp_cc_conn *conn, uint32_t now,
				uint64_t ahead_us)
{
	uint64_t hz = cubic_hz(cubic, conn);
	uint64_t ticks =
	    (uint64_t)(int64_t)(int32_t)(now - cubic->curve.epoch_start);

	/* usecs_to_jiffies() rounds up */
	ticks += (ahead_us * hz + 999999) / 1000000;
	return (ticks << CUBIC_CLOCK_SHIFT) / hz;
}

static uint64_t cubic_ahead_us(const struct fp_cubic *cubic,
			       const struct fp_cc_conn *conn)
{
	if (cubic_has(cubic, FP_CUBIC_SMOOTHED_RTT))
		return conn->srtt_us;
	return cubic->delay_min_us;
}

/* The step from the window to a target, a packet x 2^32 for each packet that is
 * acknowledged. */
static uint32_t cubic_step_shl32(const struct fp_cubic *cubic,
				 uint64_t target_x1024, uint32_t cwnd_pkts)
{
	uint64_t cwnd_x1024 =
	    ((uint64_t)cwnd_pkts << 10) + (cubic->fraction_shl32 >> 22);
	uint64_t way_x1024;

	if (target_x1024 <= cwnd_x1024)
		return 0;
	way_x1024 = target_x1024 - cwnd_x1024;
	if (way_x1024 > cwnd_x1024 / 2)
		return CUBIC_STEP_MAX_SHL32;
	/* at most 2^33 of 2^34, so 30 bits more fit */
	return (uint32_t)((way_x1024 << 30) / cwnd_x1024) << 2;
}

/* Looks where the curve leads: sets the step of the window. */
static void cubic_follow_curve(struct fp_cubic *cubic,
			       const struct fp_cc_conn *conn,
			       uint32_t cwnd_pkts, uint32_t now)
{
	uint64_t t_1024ths =
	    cubic_t_1024ths(cubic, conn, now, cubic_ahead_us(cubic, conn));
	bool is_first = cubic_has(cubic, FP_CUBIC_FIRST_GROWTH) &&
			cubic->curve.last_max_pkts_x128 == 0;
	uint32_t target_pkts;

	if (cubic_has(cubic, FP_CUBIC_FRACTION)) {
		const uint32_t first = UINT32_MAX / CUBIC_FIRST_EVERY_PKTS;

		cubic->step_shl32 = cubic_step_shl32(
		    cubic, cubic_target_x1024(cubic, t_1024ths), cwnd_pkts);
		if (is_first && cubic->step_shl32 < first)
			cubic->step_shl32 = first;
		return;
	}
	target_pkts = cubic_target_pkts(cubic, t_1024ths);
	cubic->every_pkts = target_pkts > cwnd_pkts
				? cwnd_pkts / (target_pkts - cwnd_pkts)
				: CUBIC_SLOW_ROUNDS * cwnd_pkts;
	if (is_first && cubic->every_pkts > CUBIC_FIRST_EVERY_PKTS)
		cubic->every_pkts = CUBIC_FIRST_EVERY_PKTS;
}

/* Is Reno's window back where it was before the loss? */
static bool cubic_is_reno_back(const struct fp_cubic *cubic)
{
	return cubic->curve.reno_pkts_x128 >= cubic->cwnd_prior_pkts_x128;
}

/* After how many packets Reno's window is one larger: cwnd / alpha, where
 * alpha = 3 (1 - beta) / (1 + beta). */
static uint32_t cubic_reno_every_pkts(const struct fp_cubic *cubic,
				      uint32_t cwnd_pkts)
{
	if (!cubic_has(cubic, FP_CUBIC_RENO_ALPHA))
		return cwnd_pkts * 15 >> 3;
	return cubic_is_reno_back(cubic) ? cwnd_pkts : cwnd_pkts * 17 / 9;
}

static void cubic_move_reno(struct fp_cubic *cubic, uint64_t more_x128)
{
	const uint64_t most_x128 = (uint64_t)FP_CC_CWND_MAX_PKTS << CUBIC_SHIFT;
	uint64_t reno_x128 = cubic->curve.reno_pkts_x128 + more_x128;

	cubic->curve.reno_pkts_x128 =
	    (uint32_t)(reno_x128 < most_x128 ? reno_x128 : most_x128);
}

/* Moves Reno's window on by alpha x acked / cwnd. */
static void cubic_count_fraction(struct fp_cubic *cubic, uint32_t cwnd_pkts,
				 uint32_t acked_pkts)
{
	uint64_t more_shl16 = (uint64_t)acked_pkts << (CUBIC_SHIFT + 16);

	if (!cubic_has(cubic, FP_CUBIC_RENO_ALPHA))
		more_shl16 = more_shl16 * 8 / 15;
	else if (!cubic_is_reno_back(cubic))
		more_shl16 = more_shl16 * 9 / 17;
	more_shl16 =
	    (more_shl16 << CUBIC_SHIFT) / cubic_cwnd_x128(cubic, cwnd_pkts);
	more_shl16 += cubic->reno_rest_shl16;
	cubic->reno_rest_shl16 = (uint32_t)(more_shl16 & 0xffff);
	cubic_move_reno(cubic, more_shl16 >> 16);
}

/* Likewise by whole packets, for all that was counted. */
static void cubic_take_count(struct fp_cubic *cubic, uint32_t cwnd_pkts)
{
	uint32_t every_pkts = cubic_reno_every_pkts(cubic, cwnd_pkts);
	uint32_t more_pkts;

	if (cubic->ack_cnt_pkts <= every_pkts)
		return;
	/* until no more than that is left */
	more_pkts = (cubic->ack_cnt_pkts - 1) / every_pkts;
	cubic->ack_cnt_pkts -= more_pkts * every_pkts;
	cubic_move_reno(cubic, (uint64_t)more_pkts << CUBIC_SHIFT);
}

/* Makes the step no shorter than the one to Reno's window. */
static void cubic_follow_reno(struct fp_cubic *cubic, uint32_t cwnd_pkts)
{
	uint32_t reno_x128 = cubic->curve.reno_pkts_x128;
	uint32_t reno_pkts = reno_x128 >> CUBIC_SHIFT;
	uint32_t every_pkts, step_shl32;

	if (cubic_has(cubic, FP_CUBIC_FRACTION)) {
		step_shl32 =
		    cubic_step_shl32(cubic, (uint64_t)reno_x128 * 8, cwnd_pkts);
		if (cubic->step_shl32 < step_shl32)
			cubic->step_shl32 = step_shl32;
		return;
	}
	if (reno_pkts <= cwnd_pkts)
		return;
	every_pkts = cwnd_pkts / (reno_pkts - cwnd_pkts);
	if (cubic->every_pkts > every_pkts)
		cubic->every_pkts = every_pkts;
}

/* Sets the step for what is acknowledged now (bictcp_update()). */
static void cubic_update(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
			 uint32_t acked_pkts, uint32_t cwnd_pkts)
{
	uint32_t now = cubic_now(cubic, conn);
	bool is_fine = cubic_has(cubic, FP_CUBIC_FINE_CLOCK);
	bool is_same_tick =
	    cubic->curve.epoch_start != 0 && now == cubic->last_time;

	if (cubic_has(cubic, FP_CUBIC_FRACTION))
		cubic_count_fraction(cubic, cwnd_pkts, acked_pkts);
	else
		cubic->ack_cnt_pkts += acked_pkts;
	if (!is_fine && cubic->last_cwnd_pkts == cwnd_pkts &&
	    (int32_t)(now - cubic->last_time) <=
		(int32_t)(cubic_hz(cubic, conn) / 32))
		return;
	if (is_fine || !is_same_tick) {
		cubic->last_cwnd_pkts = cwnd_pkts;
		cubic->last_time = now;
		if (cubic->curve.epoch_start == 0)
			cubic_begin_epoch(cubic, now, cwnd_pkts, acked_pkts);
		cubic_follow_curve(cubic, conn, cwnd_pkts, now);
	}
	if (cubic_has(cubic, FP_CUBIC_RENO_FRIENDLY)) {
		if (!cubic_has(cubic, FP_CUBIC_FRACTION))
			cubic_take_count(cubic, cwnd_pkts);
		cubic_follow_reno(cubic, cwnd_pkts);
	}
	if (!cubic_has(cubic, FP_CUBIC_FRACTION) &&
	    cubic->every_pkts < CUBIC_EVERY_MIN_PKTS)
		cubic->every_pkts = CUBIC_EVERY_MIN_PKTS;
}

/* Is Reno's window the one that counts, that is: is the curve below it? */
static bool cubic_is_reno_region(const struct fp_cubic *cubic,
				 const struct fp_cc_conn *conn)
{
	const uint32_t both = FP_CUBIC_RENO_FRIENDLY | FP_CUBIC_RENO_WINDOW;
	uint64_t t_1024ths;

	if ((cubic->config.switches & both) != both)
		return false;
	t_1024ths = cubic_t_1024ths(cubic, conn, cubic_now(cubic, conn), 0);
	return cubic_target_x1024(cubic, t_1024ths) <
	       (uint64_t)cubic->curve.reno_pkts_x128 * 8;
}

/* Sets the window to Reno's, if that is larger. */
static void cubic_take_reno_window(struct fp_cubic *cubic,
				   const struct fp_cc_conn *conn,
				   struct fp_cc_control *control)
{
	uint32_t reno_x128 = cubic->curve.reno_pkts_x128;

	if (reno_x128 <= cubic_cwnd_x128(cubic, control->cwnd_pkts))
		return;
	control->cwnd_pkts = cc__clamp_cwnd(conn, reno_x128 >> CUBIC_SHIFT);
	if (cubic_has(cubic, FP_CUBIC_FRACTION))
		cubic->fraction_shl32 = reno_x128 << (32 - CUBIC_SHIFT);
}

static void cubic_grow(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		       uint32_t acked_pkts, struct fp_cc_control *control)
{
	uint32_t cwnd_pkts = control->cwnd_pkts;
	uint64_t grown_shl32;

	if (cubic_is_reno_region(cubic, conn)) {
		cubic_take_reno_window(cubic, conn, control);
		return;
	}
	if (!cubic_has(cubic, FP_CUBIC_FRACTION)) {
		cc__grow(conn, cubic->every_pkts, acked_pkts, &cubic->cnt_pkts,
			 control);
		return;
	}
	/* an ACK of more than a window does not lead past the target */
	if (acked_pkts > cwnd_pkts)
		acked_pkts = cwnd_pkts;
	grown_shl32 =
	    cubic->fraction_shl32 + (uint64_t)cubic->step_shl32 * acked_pkts;
	cubic->fraction_shl32 = (uint32_t)grown_shl32;
	control->cwnd_pkts =
	    cc__clamp_cwnd(conn, cwnd_pkts + (grown_shl32 >> 32));
}

/* Leaves the time since then out of the curve. */
static void cubic_skip_time(struct fp_cubic *cubic, uint32_t now,
			    uint32_t ticks)
{
	struct fp_cubic_curve *curve = &cubic->curve;

	if (curve->epoch_start == 0 || (int32_t)ticks <= 0)
		return;
	curve->epoch_start += ticks;
	if ((int32_t)(curve->epoch_start - now) > 0)
		curve->epoch_start = now;
}

/* FP_CUBIC_APP_LIMITED_TIME: the window is not used. */
static void cubic_skip_unused_time(struct fp_cubic *cubic,
				   const struct fp_cc_conn *conn)
{
	uint32_t now = cubic_now(cubic, conn);

	cubic_skip_time(cubic, now, now - cubic->last_time);
	cubic->last_time = now;
}

void fp_cubic_init(struct fp_cubic *cubic, const struct fp_cubic_config *config,
		   const struct fp_cc_conn *conn, struct fp_cc_control *control)
{
	const struct fp_cubic fresh = { .config = *config };

	*cubic = fresh;
	if (cubic_has(cubic, FP_CUBIC_HYSTARTPP))
		fp_hystartpp_init(&cubic->hystart, conn);
	else if (cubic_has(cubic, FP_CUBIC_HYSTART))
		fp_hystart_start_round(&cubic->hystart, conn);
	control->cwnd_pkts = cc__clamp_cwnd(conn, control->cwnd_pkts);
}

/* The least round trip, and Linux's HyStart, which looks at it. */
static void cubic_take_delay(struct fp_cubic *cubic,
			     const struct fp_cc_conn *conn, uint32_t rtt_us,
			     struct fp_cc_control *control)
{
	uint32_t since = cubic_now(cubic, conn) - cubic->curve.epoch_start;

	/* right after a recovery they are not the path's */
	if (cubic->curve.epoch_start != 0 &&
	    (int32_t)since < (int32_t)cubic_hz(cubic, conn))
		return;
	if (cubic->delay_min_us == 0 || cubic->delay_min_us > rtt_us)
		cubic->delay_min_us = rtt_us;
	if (!cubic->hystart.is_found && cc__is_in_slow_start(control) &&
	    cubic_has(cubic, FP_CUBIC_HYSTART) &&
	    !cubic_has(cubic, FP_CUBIC_HYSTARTPP))
		fp_hystart_on_rtt(&cubic->hystart, conn, rtt_us,
				  cubic->delay_min_us, control);
}

void fp_cubic_on_rtt(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		     uint32_t rtt_us, struct fp_cc_control *control)
{
	if (rtt_us == 0)
		rtt_us = 1;
	cubic_take_delay(cubic, conn, rtt_us, control);
	if (cubic_has(cubic, FP_CUBIC_HYSTARTPP) &&
	    fp_hystartpp_is_active(&cubic->hystart, control))
		fp_hystartpp_on_rtt(&cubic->hystart, conn, rtt_us, control);
}

void fp_cubic_on_ack(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		     const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	uint32_t acked_pkts = ack->acked_sacked_pkts;

	control->cwnd_pkts = cc__clamp_cwnd(conn, control->cwnd_pkts);
	if (!cc__is_cwnd_limited(conn, control)) {
		if (cubic_has(cubic, FP_CUBIC_APP_LIMITED_TIME))
			cubic_skip_unused_time(cubic, conn);
		return;
	}
	if (cubic_has(cubic, FP_CUBIC_HYSTARTPP) &&
	    fp_hystartpp_is_active(&cubic->hystart, control)) {
		fp_hystartpp_grow(&cubic->hystart, conn, acked_pkts,
				  &cubic->cnt_pkts, control);
		return;
	}
	if (cc__is_in_slow_start(control)) {
		acked_pkts = cc__slow_start(conn, acked_pkts, control);
		if (acked_pkts == 0)
			return;
	}
	cubic_update(cubic, conn, acked_pkts, control->cwnd_pkts);
	cubic_grow(cubic, conn, acked_pkts, control);
}

/* Without FP_CUBIC_FRACTION: whole packets. */
static uint32_t cubic_round_x128(const struct fp_cubic *cubic,
				 uint64_t pkts_x128)
{
	if (!cubic_has(cubic, FP_CUBIC_FRACTION))
		pkts_x128 = pkts_x128 >> CUBIC_SHIFT << CUBIC_SHIFT;
	return (uint32_t)pkts_x128;
}

/* What of the window at a loss is taken for the path's limit. */
static uint32_t cubic_max_x128(const struct fp_cubic *cubic, uint64_t cwnd_x128)
{
	if (!cubic_has(cubic, FP_CUBIC_FAST_CONVERGENCE) ||
	    cwnd_x128 >= cubic->curve.last_max_pkts_x128)
		return (uint32_t)cwnd_x128;
	if (cubic_has(cubic, FP_CUBIC_EXACT_CONSTANTS))
		return cubic_round_x128(cubic, cwnd_x128 * 17 / 20);
	return cubic_round_x128(cubic, cwnd_x128 * (1024 + 717) / 2048);
}

/* What a loss leaves. */
static uint32_t cubic_ssthresh_x128(const struct fp_cubic *cubic,
				    const struct fp_cc_conn *conn,
				    uint64_t cwnd_x128)
{
	uint64_t out_x128 = (uint64_t)conn->packets_out_pkts << CUBIC_SHIFT;
	uint64_t of_x128 = cwnd_x128;

	/* more than a window is out where limited transmit (RFC 3042) has sent
	 * it, which does not count */
	if (cubic_has(cubic, FP_CUBIC_FLIGHT_SSTHRESH) && out_x128 < cwnd_x128)
		of_x128 = out_x128;
	if (cubic_has(cubic, FP_CUBIC_EXACT_CONSTANTS))
		of_x128 = of_x128 * 7 / 10;
	else
		of_x128 = of_x128 * 717 / 1024;
	if (of_x128 < CUBIC_SSTHRESH_MIN_PKTS << CUBIC_SHIFT)
		of_x128 = CUBIC_SSTHRESH_MIN_PKTS << CUBIC_SHIFT;
	return cubic_round_x128(cubic, of_x128);
}

void fp_cubic_on_congestion(struct fp_cubic *cubic,
			    const struct fp_cc_conn *conn,
			    struct fp_cc_control *control)
{
	uint32_t cwnd_x128 =
	    cubic_cwnd_x128(cubic, cc__clamp_cwnd(conn, control->cwnd_pkts));
	uint32_t ssthresh_x128 = cubic_ssthresh_x128(cubic, conn, cwnd_x128);

	cubic->saved = cubic->curve;
	cubic->cwnd_prior_pkts_x128 = cwnd_x128;
	cubic->cnt_pkts = 0;
	cubic->curve.epoch_start = 0;
	cubic->curve.last_max_pkts_x128 = cubic_max_x128(cubic, cwnd_x128);
	control->ssthresh_pkts = ssthresh_x128 >> CUBIC_SHIFT;
	cubic->fraction_shl32 = ssthresh_x128 << (32 - CUBIC_SHIFT);
}

void fp_cubic_on_undo(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		      struct fp_cc_control *control)
{
	if (cubic_has(cubic, FP_CUBIC_UNDO_CURVE) &&
	    control->cwnd_pkts < conn->prior_cwnd_pkts)
		cubic->curve = cubic->saved;
	control->cwnd_pkts = cc__undo_cwnd(conn, control);
}

void fp_cubic_on_state(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		       enum fp_ca_state next, struct fp_cc_control *control)
{
	const struct fp_cubic_curve no_curve = { 0 };
	uint32_t last_max_x128 = cubic->curve.last_max_pkts_x128;

	if (next != FP_CA_LOSS)
		return;
	cubic->curve = no_curve;
	if (cubic_has(cubic, FP_CUBIC_TIMEOUT_KEEPS_MAX))
		cubic->curve.last_max_pkts_x128 = last_max_x128;
	cubic->cnt_pkts = 0;
	cubic->every_pkts = 0;
	cubic->fraction_shl32 = 0;
	cubic->last_cwnd_pkts = 0;
	cubic->last_time = 0;
	cubic->delay_min_us = 0;
	cubic->ack_cnt_pkts = 0;
	if (cubic_has(cubic, FP_CUBIC_HYSTARTPP))
		return; /* for the first slow start only */
	cubic->hystart.is_found = 0;
	fp_hystart_start_round(&cubic->hystart, conn);
}

void fp_cubic_on_event(struct fp_cubic *cubic, const struct fp_cc_conn *conn,
		       enum fp_cc_event event, struct fp_cc_control *control)
{
	uint32_t idle_ticks = conn->now_ticks - conn->last_sent_ticks;

	if (event != FP_CC_TX_START)
		return;
	if (cubic_has(cubic, FP_CUBIC_APP_LIMITED_TIME)) {
		cubic_skip_unused_time(cubic, conn);
		return;
	}
	if (cubic_has(cubic, FP_CUBIC_FINE_CLOCK) && conn->clock_hz != 0)
		idle_ticks =
		    (uint32_t)(((uint64_t)idle_ticks << CUBIC_CLOCK_SHIFT) /
			       conn->clock_hz);
	cubic_skip_time(cubic, cubic_now(cubic, conn), idle_ticks);
}
