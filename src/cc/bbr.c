/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BBR, version 1: bottleneck bandwidth and round-trip propagation time.
 *
 * The model of the path is two numbers, taken from each ACK:
 *
 *	bw      = greatest (delivered / interval) of the last 10 rounds
 *	min_rtt = least RTT of the last 10 seconds
 *
 * The control is two products:
 *
 *	pacing rate = pacing_gain x bw x 0.99
 *	cwnd        = cwnd_gain x bw x min_rtt + aggregated ACKs + 3 bursts
 *
 * Loss is not in the model. It shows in the window for a round (packet
 * conservation), and two lossy intervals of the same rate mean a policer.
 *
 *	     |
 *	     v
 *	  STARTUP  gain 2.89, until bw grew by < 25 % three rounds in a row
 *	     |
 *	     v
 *	  DRAIN    gain 0.34, until bw x min_rtt is in flight
 *	     |
 *	     v
 *	  PROBE_BW gains 1.25, 0.75, 1, 1, 1, 1, 1, 1, each for a min_rtt
 *	     |  ^
 *	     v  |  (from any state, when min_rtt is 10 s old; back to STARTUP
 *	     |  |  where the pipe was never full)
 *	  PROBE_RTT 4 packets in flight for 200 ms and a round
 *
 * The life of a flow: STARTUP doubles the rate each round, so it takes
 *log2(BDP) rounds and leaves up to 2.89 BDP in flight; DRAIN sends less than
 *the link carries until that is gone. Then the flow stays in PROBE_BW: one
 *phase in eight sends 25 % more to see whether bw grows, the next sends 25 %
 *less to take the queue of that away again. A flow whose RTT rose and did not
 *fall for 10 s may be looking at its own queue: PROBE_RTT empties it. A flow
 *with pauses measures an empty path in them and need not.
 *
 * Where Linux reads a clock, it is conn->now_ns (tcp_mstamp, tcp_clock_cache),
 * conn->delivered_ns (delivered_mstamp) or conn->now_ticks (jiffies).
 * Differs from Linux: a pacing rate is at least 1 byte a second, a window at
 * least 1 packet, and what would wrap saturates (bbr_units.h).
 *
 * References: Cardwell, Cheng, Gunn, Hassas Yeganeh, Jacobson: "BBR:
 * Congestion-Based Congestion Control", ACM Queue 14 (5), 2016; Linux 6.18,
 * net/ipv4/tcp_bbr.c and lib/win_minmax.c.
 */
#include "cc/bbr_units.h"
#include "fullpipe/cc/bbr.h"

/* icsk_ca_priv of Linux has room for this. */
_Static_assert(sizeof(struct fp_bbr) <= 104, "must fit into a socket");

/* Phases of the gain cycle, a power of two. */
#define BBR_CYCLE_PHASES 8u
/* The bandwidth is the best of this many rounds: a cycle, which has one phase
 * that probes, and two rounds to see the result of it. Fewer would forget a
 * probe before the next; more would be slow to see a link lose speed. */
#define BBR_BW_ROUNDS    10u
/* The cycle starts in one of all phases but the one that drains: nothing is
 * there to be drained yet. */
#define BBR_CYCLE_STARTS 7u

/* 2 / ln 2: the least pacing gain that doubles the rate each round, as slow
 * start would unpaced. */
#define BBR_HIGH_GAIN_X256  (BBR_ONE * 2885 / 1000 + 1)
/* Its inverse: what STARTUP queued in a round is gone in a round. */
#define BBR_DRAIN_GAIN_X256 (BBR_ONE * 1000 / 2885)
/* Two BDP: with delayed and stretched ACKs, one would run dry. */
#define BBR_CWND_GAIN_X256  (BBR_ONE * 2)
/* A quarter more is enough to see growth and little enough to be queued for
 * one phase; the phase after it gives it back. */
#define BBR_UP_GAIN_X256    (BBR_ONE * 5 / 4)
#define BBR_DOWN_GAIN_X256  (BBR_ONE * 3 / 4)

/* min_rtt holds for this long: long enough that the pauses and slow moments of
 * most flows fall into it, and that a PROBE_RTT costs 2 % at most. */
#define BBR_MIN_RTT_S     UINT32_C(10)
/* PROBE_RTT lasts for this long: enough for flows that entered it one after
 * the other to be in it together, with an empty queue. */
#define BBR_PROBE_RTT_MS  UINT32_C(200)
/* A receiver that acknowledges every other packet needs 4 in flight to keep
 * two on each way. */
#define BBR_MIN_CWND_PKTS 4u

/* STARTUP goes on while a round brings a quarter more, … */
#define BBR_FULL_BW_GROWTH_X256 (BBR_ONE * 5 / 4)
/* … and for three rounds without: the receive window's autotuning takes one to
 * grow, one to be filled, one to show in a sample. */
#define BBR_FULL_BW_ROUNDS      3u

/* The policer test: intervals of 4 to 16 rounds, … */
#define BBR_LT_MIN_ROUNDS       4u
/* … in which a fifth of what arrived (50/256) was lost, … */
#define BBR_LT_LOSS_X256        50u
/* … twice in a row with rates within an eighth … */
#define BBR_LT_RATIO_X256       (BBR_ONE / 8)
/* … or 4 kbit/s, … */
#define BBR_LT_DIFF_BYTES_PER_S (4000u / 8)
/* … and then that rate holds for 48 rounds, 6 cycles, before BBR looks whether
 * the policer is still there. */
#define BBR_LT_USE_ROUNDS       48u

/* Aggregation is the most of the last 5 to 10 rounds. */
#define BBR_EXTRA_ACKED_ROUNDS 5u
/* The 20 bits of the count would overflow there: start a new epoch. */
#define BBR_EPOCH_ACKED_MAX    (UINT32_C(1) << 20)
/* No more extra window than 100 ms of link: longer silences are an outage. */
#define BBR_EXTRA_ACKED_US     UINT32_C(100000)

/* bw x gain in bytes per microsecond x 2^24. */
static uint64_t bbr_gained(const struct fp_cc_conn *conn, uint32_t bw,
			   uint32_t gain_x256)
{
	return bbr_bw_bytes(conn, bw) * gain_x256 >> BBR_SHIFT;
}

static uint64_t bbr_delivered_us(const struct fp_cc_conn *conn)
{
	return conn->delivered_ns / 1000;
}

static uint32_t bbr_max_bw(const struct fp_bbr *bbr)
{
	return fp_minmax_get(&bbr->bw);
}

/* The bandwidth to act on. */
static uint32_t bbr_bw(const struct fp_bbr *bbr)
{
	return bbr->lt_use_bw ? bbr->lt_bw : bbr_max_bw(bbr);
}

/* --- Control --------------------------------------------------------------
 */

/* The pacing rate before any bandwidth is known: 2.89 windows per RTT. */
static void bbr_init_pacing_rate(struct fp_bbr *bbr,
				 const struct fp_cc_conn *conn,
				 struct fp_cc_control *control)
{
	if (conn->srtt_us)
		bbr->has_seen_rtt = 1;
	control->pacing_rate_bytes_per_s = bbr_pacing_bytes_per_s(
	    conn, bbr_gained(conn, bbr_window_bw(conn, control->cwnd_pkts),
			     BBR_HIGH_GAIN_X256));
}

/* Paces at bw x gain. STARTUP never slows down: its samples are too low as long
 * as the pipe is not full. */
static void bbr_set_pacing_rate(struct fp_bbr *bbr,
				const struct fp_cc_conn *conn,
				uint32_t gain_x256,
				struct fp_cc_control *control)
{
	uint64_t rate = bbr_pacing_bytes_per_s(
	    conn, bbr_gained(conn, bbr_bw(bbr), gain_x256));

	if (!bbr->has_seen_rtt && conn->srtt_us)
		bbr_init_pacing_rate(bbr, conn, control);
	if (bbr->full_bw_reached || rate > control->pacing_rate_bytes_per_s)
		control->pacing_rate_bytes_per_s = rate;
}

static uint32_t bbr_min_tso_pkts(const struct fp_cc_control *control)
{
	return control->pacing_rate_bytes_per_s < BBR_MIN_TSO_BYTES_PER_S ? 1
									  : 2;
}

/* How many packets a burst will have, whatever the device takes. */
static uint32_t bbr_tso_goal_pkts(const struct fp_cc_conn *conn,
				  const struct fp_cc_control *control)
{
	uint64_t bytes =
	    control->pacing_rate_bytes_per_s >> (conn->pacing_shift & 63);
	uint32_t pkts;

	if (bytes > BBR_TSO_MAX_BYTES)
		bytes = BBR_TSO_MAX_BYTES;
	pkts = (uint32_t)bytes / bbr_max(conn->mss_bytes, 1);
	pkts = bbr_max(pkts, bbr_min_tso_pkts(control));
	return bbr_min(pkts, BBR_TSO_GOAL_MAX_PKTS);
}

/* Keeps the last window that neither recovery nor PROBE_RTT had cut. */
static void bbr_save_cwnd(struct fp_bbr *bbr,
			  const struct fp_cc_control *control)
{
	if (bbr->prev_ca_state < FP_CA_RECOVERY &&
	    bbr->mode != FP_BBR_PROBE_RTT)
		bbr->prior_cwnd_pkts = control->cwnd_pkts;
	else
		bbr->prior_cwnd_pkts =
		    bbr_max(bbr->prior_cwnd_pkts, control->cwnd_pkts);
}

/* bw x min_rtt x gain. Without any RTT (no timestamps, all retransmitted) the
 * window goes back up to the initial one. */
static uint32_t bbr_bdp(const struct fp_bbr *bbr, uint32_t bw,
			uint32_t gain_x256)
{
	uint64_t volume = (uint64_t)bw * bbr->min_rtt_us;

	if (bbr->min_rtt_us == UINT32_MAX)
		return BBR_INITIAL_CWND_PKTS;
	if (volume >> 54) /* x gain would overflow: beyond any window */
		return FP_CC_CWND_MAX_PKTS;
	return bbr_min(bbr_whole(volume * gain_x256 >> BBR_SHIFT),
		       FP_CC_CWND_MAX_PKTS);
}

/* Adds what the hosts hold: a burst each in the sender's queue, in its
 * segmentation offload and in the receiver's. Even, since every other packet
 * is acknowledged; and the phase that probes must get above a small BDP. */
static uint32_t bbr_quantization_budget(const struct fp_bbr *bbr,
					const struct fp_cc_conn *conn,
					const struct fp_cc_control *control,
					uint32_t cwnd_pkts)
{
	uint32_t cwnd = cwnd_pkts + 3 * bbr_tso_goal_pkts(conn, control);

	cwnd = (cwnd + 1) & ~1u;
	if (bbr->mode == FP_BBR_PROBE_BW && bbr->cycle_idx == 0)
		cwnd += 2;
	return cwnd;
}

/* The flight that max_bw x gain needs. */
static uint32_t bbr_inflight(const struct fp_bbr *bbr,
			     const struct fp_cc_conn *conn,
			     const struct fp_cc_control *control,
			     uint32_t gain_x256)
{
	return bbr_quantization_budget(
	    bbr, conn, control, bbr_bdp(bbr, bbr_max_bw(bbr), gain_x256));
}

/* How many packets will be in the network when the next one departs: the pacer
 * holds some of those in flight, and until it lets the next one go, some will
 * have arrived. While the flight grows, that next burst counts too. */
static uint32_t bbr_packets_in_net_at_edt(const struct fp_bbr *bbr,
					  const struct fp_cc_conn *conn,
					  const struct fp_cc_control *control,
					  uint32_t inflight_pkts)
{
	uint64_t wait_ns =
	    conn->edt_ns > conn->now_ns ? conn->edt_ns - conn->now_ns : 0;
	uint32_t delivered =
	    bbr_delivered_pkts(bbr_bw(bbr), bbr_saturate(wait_ns / 1000));
	uint32_t inflight = inflight_pkts;

	if (bbr->pacing_gain_x256 > BBR_ONE)
		inflight += bbr_tso_goal_pkts(conn, control);
	return delivered >= inflight ? 0 : inflight - delivered;
}

/* What the window adds for aggregated ACKs: else the flow would fall silent
 * between them. */
static uint32_t bbr_ack_aggregation_cwnd(const struct fp_bbr *bbr)
{
	uint32_t extra =
	    bbr_max(bbr->extra_acked_pkts[0], bbr->extra_acked_pkts[1]);

	if (!bbr->full_bw_reached)
		return 0;
	return bbr_min(extra,
		       bbr_delivered_pkts(bbr_bw(bbr), BBR_EXTRA_ACKED_US));
}

/*
 * The window in and after recovery. An ACK of P packets lets at most 2 P go:
 * the lost ones are taken off here, bbr_set_cwnd() may add P. In the first
 * round of fast recovery P for P (packet conservation); after recovery the
 * window from before it. Returns the window; bbr->packet_conservation tells
 * that it is final.
 */
static uint32_t bbr_recover_or_restore(struct fp_bbr *bbr,
				       const struct fp_cc_conn *conn,
				       const struct fp_cc_ack *ack,
				       uint32_t cwnd_pkts)
{
	uint32_t prev_state = bbr->prev_ca_state;
	uint32_t conserved = bbr_saturate((uint64_t)conn->inflight_pkts +
					  ack->acked_sacked_pkts);
	uint32_t cwnd = cwnd_pkts;

	if (ack->newly_lost_pkts > 0)
		cwnd = cwnd > ack->newly_lost_pkts ? cwnd - ack->newly_lost_pkts
						   : 1;
	if (conn->ca_state == FP_CA_RECOVERY && prev_state != FP_CA_RECOVERY) {
		bbr->packet_conservation = 1;
		bbr->next_rtt_delivered = conn->delivered_pkts;
		cwnd = conserved; /* what the application left unused is gone */
	} else if (prev_state >= FP_CA_RECOVERY &&
		   conn->ca_state < FP_CA_RECOVERY) {
		cwnd = bbr_max(cwnd, bbr->prior_cwnd_pkts);
		bbr->packet_conservation = 0;
	}
	bbr->prev_ca_state = (uint32_t)conn->ca_state & 7;
	return bbr->packet_conservation ? bbr_max(cwnd, conserved) : cwnd;
}

/* The window of an ACK that delivered something: grows by what arrived up to
 * the target, snaps down to it once the pipe was full. */
static uint32_t bbr_next_cwnd(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			      const struct fp_cc_ack *ack,
			      const struct fp_cc_control *control)
{
	uint32_t cwnd =
	    bbr_recover_or_restore(bbr, conn, ack, control->cwnd_pkts);
	uint32_t grown, target;

	if (bbr->packet_conservation)
		return cwnd;
	target = bbr_bdp(bbr, bbr_bw(bbr), bbr->cwnd_gain_x256) +
		 bbr_ack_aggregation_cwnd(bbr);
	target = bbr_quantization_budget(bbr, conn, control, target);
	grown = bbr_saturate((uint64_t)cwnd + ack->acked_sacked_pkts);
	if (bbr->full_bw_reached)
		cwnd = bbr_min(grown, target);
	else if (cwnd < target || conn->delivered_pkts < BBR_INITIAL_CWND_PKTS)
		cwnd = grown;
	return bbr_max(cwnd, BBR_MIN_CWND_PKTS);
}

/* The caps hold for every ACK, whether it delivered anything or not. */
static void bbr_set_cwnd(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			 const struct fp_cc_ack *ack,
			 struct fp_cc_control *control)
{
	uint32_t cwnd = control->cwnd_pkts;

	if (ack->acked_sacked_pkts)
		cwnd = bbr_next_cwnd(bbr, conn, ack, control);
	if (bbr->mode == FP_BBR_PROBE_RTT)
		cwnd = bbr_min(cwnd, BBR_MIN_CWND_PKTS);
	control->cwnd_pkts = bbr_clamp_cwnd(conn, cwnd);
}

/* --- The gain cycle -------------------------------------------------------
 */

/* Is the phase over? Cruising takes a min_rtt. Probing goes on until the flight
 * has risen by the gain, which takes longer where min_rtt is small, unless
 * packets get lost. Draining ends as soon as the queue is gone. */
static bool bbr_is_next_cycle_phase(const struct fp_bbr *bbr,
				    const struct fp_cc_conn *conn,
				    const struct fp_cc_ack *ack,
				    const struct fp_cc_control *control)
{
	bool is_full_length = bbr_elapsed_us(bbr_delivered_us(conn),
					     bbr->cycle_us) > bbr->min_rtt_us;
	uint32_t gain_x256 = bbr->pacing_gain_x256;
	uint32_t inflight;

	if (gain_x256 == BBR_ONE)
		return is_full_length;
	inflight = bbr_packets_in_net_at_edt(bbr, conn, control,
					     ack->prior_inflight_pkts);
	if (gain_x256 > BBR_ONE)
		return is_full_length &&
		       (ack->newly_lost_pkts ||
			inflight >=
			    bbr_inflight(bbr, conn, control, gain_x256));
	return is_full_length ||
	       inflight <= bbr_inflight(bbr, conn, control, BBR_ONE);
}

static void bbr_advance_cycle_phase(struct fp_bbr *bbr,
				    const struct fp_cc_conn *conn)
{
	bbr->cycle_idx = (bbr->cycle_idx + 1) & (BBR_CYCLE_PHASES - 1);
	bbr->cycle_us = bbr_delivered_us(conn);
}

static void bbr_update_cycle_phase(struct fp_bbr *bbr,
				   const struct fp_cc_conn *conn,
				   const struct fp_cc_ack *ack,
				   const struct fp_cc_control *control)
{
	if (bbr->mode == FP_BBR_PROBE_BW &&
	    bbr_is_next_cycle_phase(bbr, conn, ack, control))
		bbr_advance_cycle_phase(bbr, conn);
}

/* Enters PROBE_BW in phase 0 or 2 … 7. */
static void bbr_reset_probe_bw_mode(struct fp_bbr *bbr,
				    const struct fp_cc_conn *conn)
{
	uint32_t start =
	    (uint32_t)((uint64_t)conn->random * BBR_CYCLE_STARTS >> 32);

	bbr->mode = FP_BBR_PROBE_BW;
	bbr->cycle_idx = (BBR_CYCLE_PHASES - 1 - start) & 7;
	bbr_advance_cycle_phase(bbr, conn);
}

static void bbr_reset_mode(struct fp_bbr *bbr, const struct fp_cc_conn *conn)
{
	if (bbr->full_bw_reached)
		bbr_reset_probe_bw_mode(bbr, conn);
	else
		bbr->mode = FP_BBR_STARTUP;
}

/* --- Policers --------------------------------------------------------------
 */

static void bbr_reset_lt_bw_sampling_interval(struct fp_bbr *bbr,
					      const struct fp_cc_conn *conn)
{
	bbr->lt_last_ms = (uint32_t)(bbr_delivered_us(conn) / 1000);
	bbr->lt_last_delivered = conn->delivered_pkts;
	bbr->lt_last_lost = conn->lost_pkts;
	bbr->lt_rtt_cnt = 0;
}

static void bbr_reset_lt_bw_sampling(struct fp_bbr *bbr,
				     const struct fp_cc_conn *conn)
{
	bbr->lt_bw = 0;
	bbr->lt_use_bw = 0;
	bbr->lt_is_sampling = 0;
	bbr_reset_lt_bw_sampling_interval(bbr, conn);
}

/* A lossy interval had the rate bw: the same as the lossy one before it? */
static void bbr_lt_bw_interval_done(struct fp_bbr *bbr,
				    const struct fp_cc_conn *conn, uint32_t bw)
{
	uint32_t diff = bw > bbr->lt_bw ? bw - bbr->lt_bw : bbr->lt_bw - bw;
	uint64_t diff_bytes_per_s =
	    bbr_bytes_per_s(bbr_gained(conn, diff, BBR_ONE), BBR_PACED_PPM);

	if (bbr->lt_bw && ((uint64_t)diff * BBR_ONE <=
			       (uint64_t)BBR_LT_RATIO_X256 * bbr->lt_bw ||
			   diff_bytes_per_s <= BBR_LT_DIFF_BYTES_PER_S)) {
		bbr->lt_bw = (uint32_t)(((uint64_t)bw + bbr->lt_bw) / 2);
		bbr->lt_use_bw = 1;
		bbr->pacing_gain_x256 = BBR_ONE; /* or it would be dropped */
		bbr->lt_rtt_cnt = 0;
		return;
	}
	bbr->lt_bw = bw;
	bbr_reset_lt_bw_sampling_interval(bbr, conn);
}

/* Ends an interval at a loss, when the policer's tokens are used up, if a fifth
 * of what arrived was lost in it. */
static void bbr_lt_bw_end_interval(struct fp_bbr *bbr,
				   const struct fp_cc_conn *conn)
{
	uint32_t lost = conn->lost_pkts - bbr->lt_last_lost;
	uint32_t delivered = conn->delivered_pkts - bbr->lt_last_delivered;
	uint32_t time_ms =
	    (uint32_t)(bbr_delivered_us(conn) / 1000) - bbr->lt_last_ms;

	if (!delivered || (uint64_t)lost << BBR_SHIFT <
			      (uint64_t)BBR_LT_LOSS_X256 * delivered)
		return;
	if ((int32_t)time_ms < 1)
		return;
	if (time_ms >= UINT32_MAX / 1000) { /* days */
		bbr_reset_lt_bw_sampling(bbr, conn);
		return;
	}
	bbr_lt_bw_interval_done(
	    bbr, conn,
	    bbr_saturate(((uint64_t)delivered << BBR_BW_SHIFT) /
			 (time_ms * 1000)));
}

/* Looks for a token-bucket policer ("An Internet-Wide Analysis of Traffic
 * Policing", SIGCOMM 2016): it lets bursts pass and then drops what is above
 * its rate, so the greatest rate of 10 rounds is far too high. */
static void bbr_lt_bw_sampling(struct fp_bbr *bbr,
			       const struct fp_cc_conn *conn,
			       uint32_t newly_lost_pkts, bool is_app_limited)
{
	if (bbr->lt_use_bw) {
		if (bbr->mode == FP_BBR_PROBE_BW && bbr->round_start &&
		    ++bbr->lt_rtt_cnt >= BBR_LT_USE_ROUNDS) {
			bbr_reset_lt_bw_sampling(bbr, conn);
			bbr_reset_probe_bw_mode(bbr, conn);
		}
		return;
	}
	/* The first loss shows that the burst's tokens are gone. */
	if (!bbr->lt_is_sampling) {
		if (!newly_lost_pkts)
			return;
		bbr_reset_lt_bw_sampling_interval(bbr, conn);
		bbr->lt_is_sampling = 1;
	}
	if (is_app_limited) { /* the rate would be the application's */
		bbr_reset_lt_bw_sampling(bbr, conn);
		return;
	}
	if (bbr->round_start)
		bbr->lt_rtt_cnt++;
	if (bbr->lt_rtt_cnt < BBR_LT_MIN_ROUNDS)
		return;
	if (bbr->lt_rtt_cnt > 4 * BBR_LT_MIN_ROUNDS) {
		bbr_reset_lt_bw_sampling(bbr, conn);
		return;
	}
	if (newly_lost_pkts)
		bbr_lt_bw_end_interval(bbr, conn);
}

/* --- The model -------------------------------------------------------------
 */

/* Counts rounds and takes the sample of the bandwidth. One that the application
 * limited says little of the path, unless it is the best. */
static void bbr_update_bw(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			  const struct fp_cc_ack *ack)
{
	uint32_t bw;

	bbr->round_start = 0;
	if (ack->delivered_pkts < 0 || ack->interval_us <= 0)
		return;
	if (!bbr_is_after(bbr->next_rtt_delivered, ack->prior_delivered_pkts)) {
		bbr->next_rtt_delivered = conn->delivered_pkts;
		bbr->rtt_cnt++;
		bbr->round_start = 1;
		bbr->packet_conservation = 0;
	}
	bbr_lt_bw_sampling(bbr, conn, ack->newly_lost_pkts,
			   ack->is_app_limited);
	bw = bbr_saturate(((uint64_t)ack->delivered_pkts << BBR_BW_SHIFT) /
			  (uint32_t)ack->interval_us);
	if (!ack->is_app_limited || bw >= bbr_max_bw(bbr))
		(void)fp_minmax_max(&bbr->bw, BBR_BW_ROUNDS, bbr->rtt_cnt, bw);
}

/* Every 5 rounds the older of the two windows begins again. */
static void bbr_age_extra_acked(struct fp_bbr *bbr)
{
	bbr->extra_acked_win_rtts =
	    bbr_min(bbr->extra_acked_win_rtts + 1, 0x1f) & 0x1f;
	if (bbr->extra_acked_win_rtts < BBR_EXTRA_ACKED_ROUNDS)
		return;
	bbr->extra_acked_win_rtts = 0;
	bbr->extra_acked_win_idx = !bbr->extra_acked_win_idx;
	bbr->extra_acked_pkts[bbr->extra_acked_win_idx & 1] = 0;
}

/* How much more than bw was acknowledged since the epoch began, at most? An
 * epoch ends when the ACKs are not ahead of bw any more. */
static void bbr_update_ack_aggregation(struct fp_bbr *bbr,
				       const struct fp_cc_conn *conn,
				       const struct fp_cc_ack *ack,
				       const struct fp_cc_control *control)
{
	uint64_t now_us = bbr_delivered_us(conn);
	uint16_t *most;
	uint32_t expected, extra;
	uint64_t acked;

	if (!ack->acked_sacked_pkts || ack->delivered_pkts < 0 ||
	    ack->interval_us <= 0)
		return;
	if (bbr->round_start)
		bbr_age_extra_acked(bbr);
	expected = bbr_delivered_pkts(
	    bbr_bw(bbr), bbr_elapsed_us(now_us, bbr->ack_epoch_us));
	acked = (uint64_t)bbr->ack_epoch_acked + ack->acked_sacked_pkts;
	if (bbr->ack_epoch_acked <= expected || acked >= BBR_EPOCH_ACKED_MAX) {
		acked = ack->acked_sacked_pkts;
		bbr->ack_epoch_us = now_us;
		expected = 0;
	}
	bbr->ack_epoch_acked =
	    bbr_min(bbr_saturate(acked), BBR_EPOCH_ACKED_MAX - 1) & 0xfffff;
	extra = bbr_min(bbr->ack_epoch_acked - expected, control->cwnd_pkts);
	most = &bbr->extra_acked_pkts[bbr->extra_acked_win_idx & 1];
	if (extra > *most)
		*most = (uint16_t)bbr_min(extra, UINT16_MAX);
}

/* Has STARTUP filled the pipe? */
static void bbr_check_full_bw_reached(struct fp_bbr *bbr,
				      const struct fp_cc_ack *ack)
{
	uint32_t threshold;

	if (bbr->full_bw_reached || !bbr->round_start || ack->is_app_limited)
		return;
	threshold = bbr_saturate(
	    (uint64_t)bbr->full_bw * BBR_FULL_BW_GROWTH_X256 >> BBR_SHIFT);
	if (bbr_max_bw(bbr) >= threshold) {
		bbr->full_bw = bbr_max_bw(bbr);
		bbr->full_bw_cnt = 0;
		return;
	}
	++bbr->full_bw_cnt;
	bbr->full_bw_reached = bbr->full_bw_cnt >= BBR_FULL_BW_ROUNDS;
}

/* Drains the queue of STARTUP, then enters steady state. The threshold is for
 * those who look (ss, TCP_INFO). */
static void bbr_check_drain(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			    struct fp_cc_control *control)
{
	if (bbr->mode == FP_BBR_STARTUP && bbr->full_bw_reached) {
		bbr->mode = FP_BBR_DRAIN;
		control->ssthresh_pkts =
		    bbr_inflight(bbr, conn, control, BBR_ONE);
	}
	if (bbr->mode == FP_BBR_DRAIN &&
	    bbr_packets_in_net_at_edt(bbr, conn, control,
				      conn->inflight_pkts) <=
		bbr_inflight(bbr, conn, control, BBR_ONE))
		bbr_reset_probe_bw_mode(bbr, conn);
}

static void bbr_check_probe_rtt_done(struct fp_bbr *bbr,
				     const struct fp_cc_conn *conn,
				     struct fp_cc_control *control)
{
	if (!bbr->probe_rtt_done_ticks ||
	    !bbr_is_after(conn->now_ticks, bbr->probe_rtt_done_ticks))
		return;
	bbr->min_rtt_ticks = conn->now_ticks; /* the next one in 10 s */
	control->cwnd_pkts = bbr_max(control->cwnd_pkts, bbr->prior_cwnd_pkts);
	bbr_reset_mode(bbr, conn);
}

/* In PROBE_RTT: once no more than 4 packets are in flight, that must last for
 * 200 ms and a round. Its samples of bw do not count. */
static void bbr_update_probe_rtt(struct fp_bbr *bbr,
				 const struct fp_cc_conn *conn,
				 struct fp_cc_control *control)
{
	control->marks_app_limited = true;
	if (!bbr->probe_rtt_done_ticks) {
		if (conn->inflight_pkts > BBR_MIN_CWND_PKTS)
			return;
		bbr->probe_rtt_done_ticks =
		    conn->now_ticks + bbr_ticks(conn, BBR_PROBE_RTT_MS);
		bbr->probe_rtt_round_done = 0;
		bbr->next_rtt_delivered = conn->delivered_pkts;
		return;
	}
	if (bbr->round_start)
		bbr->probe_rtt_round_done = 1;
	if (bbr->probe_rtt_round_done)
		bbr_check_probe_rtt_done(bbr, conn, control);
}

/* Keeps the least RTT, and enters PROBE_RTT when it is too old. An RTT that the
 * receiver's wait may have stretched does not replace an old one. */
static void bbr_update_min_rtt(struct fp_bbr *bbr,
			       const struct fp_cc_conn *conn,
			       const struct fp_cc_ack *ack,
			       struct fp_cc_control *control)
{
	bool is_expired =
	    bbr_is_after(conn->now_ticks,
			 bbr->min_rtt_ticks + BBR_MIN_RTT_S * conn->clock_hz);

	if (ack->rtt_us >= 0 && ((uint32_t)ack->rtt_us < bbr->min_rtt_us ||
				 (is_expired && !ack->is_ack_delayed))) {
		bbr->min_rtt_us = (uint32_t)ack->rtt_us;
		bbr->min_rtt_ticks = conn->now_ticks;
	}
	if (is_expired && !bbr->idle_restart && bbr->mode != FP_BBR_PROBE_RTT) {
		bbr->mode = FP_BBR_PROBE_RTT;
		bbr_save_cwnd(bbr, control);
		bbr->probe_rtt_done_ticks = 0;
	}
	if (bbr->mode == FP_BBR_PROBE_RTT)
		bbr_update_probe_rtt(bbr, conn, control);
	if (ack->delivered_pkts > 0)
		bbr->idle_restart = 0;
}

static uint32_t bbr_cycle_gain_x256(const struct fp_bbr *bbr)
{
	if (bbr->lt_use_bw || bbr->cycle_idx > 1)
		return BBR_ONE;
	return bbr->cycle_idx == 0 ? BBR_UP_GAIN_X256 : BBR_DOWN_GAIN_X256;
}

static void bbr_update_gains(struct fp_bbr *bbr)
{
	switch ((enum fp_bbr_mode)bbr->mode) {
	case FP_BBR_STARTUP:
		bbr->pacing_gain_x256 = BBR_HIGH_GAIN_X256;
		bbr->cwnd_gain_x256 = BBR_HIGH_GAIN_X256;
		break;
	case FP_BBR_DRAIN:
		bbr->pacing_gain_x256 = BBR_DRAIN_GAIN_X256;
		bbr->cwnd_gain_x256 = BBR_HIGH_GAIN_X256; /* as it was */
		break;
	case FP_BBR_PROBE_BW:
		bbr->pacing_gain_x256 = bbr_cycle_gain_x256(bbr) & 0x3ff;
		bbr->cwnd_gain_x256 = BBR_CWND_GAIN_X256;
		break;
	case FP_BBR_PROBE_RTT:
		bbr->pacing_gain_x256 = BBR_ONE;
		bbr->cwnd_gain_x256 = BBR_ONE;
		break;
	}
}

static void bbr_update_model(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			     const struct fp_cc_ack *ack,
			     struct fp_cc_control *control)
{
	bbr_update_bw(bbr, conn, ack);
	bbr_update_ack_aggregation(bbr, conn, ack, control);
	bbr_update_cycle_phase(bbr, conn, ack, control);
	bbr_check_full_bw_reached(bbr, ack);
	bbr_check_drain(bbr, conn, control);
	bbr_update_min_rtt(bbr, conn, ack, control);
	bbr_update_gains(bbr);
}

/* --- Events ----------------------------------------------------------------
 */

void fp_bbr_on_ack(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	bbr_update_model(bbr, conn, ack, control);
	bbr_set_pacing_rate(bbr, conn, bbr->pacing_gain_x256, control);
	bbr_set_cwnd(bbr, conn, ack, control);
	control->min_tso_pkts = bbr_min_tso_pkts(control);
}

void fp_bbr_init(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control)
{
	*bbr = (struct fp_bbr){
		.min_rtt_us = conn->min_rtt_us,
		.min_rtt_ticks = conn->now_ticks,
		.next_rtt_delivered = conn->delivered_pkts,
		.mode = FP_BBR_STARTUP,
		.prev_ca_state = FP_CA_OPEN,
		.ack_epoch_us = conn->now_ns / 1000,
	};
	control->ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	bbr_init_pacing_rate(bbr, conn, control);
	bbr_reset_lt_bw_sampling(bbr, conn);
	control->min_tso_pkts = bbr_min_tso_pkts(control);
}

void fp_bbr_on_congestion(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control)
{
	bbr_save_cwnd(bbr, control);
}

void fp_bbr_on_undo(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control)
{
	bbr->full_bw = 0;
	bbr->full_bw_cnt = 0;
	bbr_reset_lt_bw_sampling(bbr, conn);
}

void fp_bbr_on_state(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control)
{
	if (next != FP_CA_LOSS)
		return;
	bbr->prev_ca_state = FP_CA_LOSS;
	bbr->full_bw = 0;
	bbr->round_start = 1; /* a timeout ends a round */
	bbr_lt_bw_sampling(bbr, conn, 1, false);
}

/* An idle flow that the application limits needs no more than bw: a burst above
 * it would only be queued. And idle time may have ended PROBE_RTT, which no ACK
 * has told. */
void fp_bbr_on_event(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		     enum fp_cc_event event, struct fp_cc_control *control)
{
	if (event != FP_CC_TX_START || !conn->app_limited_pkts)
		return;
	bbr->idle_restart = 1;
	bbr->ack_epoch_us = conn->now_ns / 1000;
	bbr->ack_epoch_acked = 0;
	if (bbr->mode == FP_BBR_PROBE_BW)
		bbr_set_pacing_rate(bbr, conn, BBR_ONE, control);
	else if (bbr->mode == FP_BBR_PROBE_RTT)
		bbr_check_probe_rtt_done(bbr, conn, control);
	control->min_tso_pkts = bbr_min_tso_pkts(control);
}

const char *fp_bbr_state_name(const struct fp_bbr *bbr)
{
	switch ((enum fp_bbr_mode)bbr->mode) {
	case FP_BBR_STARTUP:
		return "startup";
	case FP_BBR_DRAIN:
		return "drain";
	case FP_BBR_PROBE_BW:
		break;
	case FP_BBR_PROBE_RTT:
		return "probe_rtt";
	}
	if (bbr->lt_use_bw)
		return "probe_bw_policed";
	if (bbr->cycle_idx > 1)
		return "probe_bw_cruise";
	return bbr->cycle_idx == 0 ? "probe_bw_up" : "probe_bw_down";
}

void fp_bbr_get_model(const struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		      struct fp_bbr_model *ret_model)
{
	ret_model->bw_bytes_per_s =
	    bbr_bytes_per_s(bbr_gained(conn, bbr_bw(bbr), BBR_ONE), 1000000);
	ret_model->max_bw_bytes_per_s = bbr_bytes_per_s(
	    bbr_gained(conn, bbr_max_bw(bbr), BBR_ONE), 1000000);
	ret_model->min_rtt_us = bbr->min_rtt_us;
	ret_model->pacing_gain_x256 = bbr->pacing_gain_x256;
	ret_model->cwnd_gain_x256 = bbr->cwnd_gain_x256;
	ret_model->extra_acked_pkts =
	    bbr_max(bbr->extra_acked_pkts[0], bbr->extra_acked_pkts[1]);
}
