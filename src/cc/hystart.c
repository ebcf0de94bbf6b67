/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * HyStart and HyStart++.
 *
 * Slow start doubles the window each round, so it overshoots the path by up to
 * as much as the path holds. Before packets are lost a queue grows, which shows
 * in two ways:
 *
 *	delay      the least round trip of a round is clearly longer than the
 *		   least of all (HyStart) or of the round before (HyStart++)
 *	ACK train  (HyStart) the ACKs of a round, each close to the one before,
 *		   fill a whole round trip: the path is full
 *
 * HyStart then ends slow start. HyStart++ takes a quarter of the growth for up
 * to 5 rounds, and full growth again if the round trip falls back: a delay that
 * was only jitter costs little.
 *
 * Sources: Linux net/ipv4/tcp_cubic.c (6.12, with "fix incorrect HyStart round
 * start detection"); RFC 9406.
 */
#include "fullpipe/cc/hystart.h"

#include "cc/window.h"

/* Both. Fewer samples would take jitter for a queue, more would come too late
 * in small windows. */
#define HYSTART_SAMPLES       8u
#define HYSTART_THRESH_MIN_US 4000u  /* a clear difference is an eighth of */
#define HYSTART_THRESH_MAX_US 16000u /* the RTT, between 4 and 16 ms */

/* HyStart */
#define HYSTART_CWND_MIN_PKTS 16u   /* no train is to be seen in less */
#define HYSTART_ACK_GAP_US    2000u /* a longer one ends a train */
/* Bursts of segmentation offload come late by the time that they take at the
 * rate of slow start, which doubles: 4 of them, at most 1 ms. */
#define HYSTART_BURSTS        4u
#define HYSTART_ACK_DELAY_MAX 1000u
#define US_PER_S              UINT64_C(1000000)

/* HyStart++: RFC 9406, 4.3 */
#define CSS_GROWTH_DIVISOR 4u
#define CSS_ROUNDS         5u
#define CSS_ACKED_MAX_PKTS 8u /* "L", without pacing */

static bool hystart_is_round_over(const struct fp_hystart *hystart,
				  const struct fp_cc_conn *conn)
{
	return (int32_t)(conn->snd_una_pkts - hystart->end_seq_pkts) > 0;
}

static uint32_t hystart_thresh_us(uint32_t rtt_us)
{
	uint32_t eighth_us = rtt_us / 8;

	if (eighth_us < HYSTART_THRESH_MIN_US)
		return HYSTART_THRESH_MIN_US;
	return eighth_us < HYSTART_THRESH_MAX_US ? eighth_us
						 : HYSTART_THRESH_MAX_US;
}

/* Counts a round trip; says whether there were enough before it. */
static bool hystart_count(struct fp_hystart *hystart, uint32_t rtt_us)
{
	if (hystart->curr_rtt_us > rtt_us)
		hystart->curr_rtt_us = rtt_us;
	if (hystart->sample_cnt >= HYSTART_SAMPLES)
		return true;
	hystart->sample_cnt++;
	return false;
}

static void hystart_leave(struct fp_hystart *hystart,
			  struct fp_cc_control *control)
{
	hystart->is_found = 1;
	control->ssthresh_pkts = control->cwnd_pkts;
}

void fp_hystart_start_round(struct fp_hystart *hystart,
			    const struct fp_cc_conn *conn)
{
	hystart->round_start_us = (uint32_t)(conn->now_ns / 1000);
	hystart->last_ack_us = hystart->round_start_us;
	hystart->end_seq_pkts = conn->snd_nxt_pkts;
	hystart->curr_rtt_us = UINT32_MAX;
	hystart->sample_cnt = 0;
}

/* hystart_ack_delay() */
static uint32_t hystart_ack_delay_us(const struct fp_cc_conn *conn)
{
	uint64_t delay_us;

	if (conn->pacing_rate_bytes_per_s == 0)
		return 0;
	delay_us = US_PER_S * HYSTART_BURSTS * conn->gso_max_bytes /
		   conn->pacing_rate_bytes_per_s;
	return delay_us < HYSTART_ACK_DELAY_MAX ? (uint32_t)delay_us
						: HYSTART_ACK_DELAY_MAX;
}

/* Does this ACK make a train that is as long as the path? */
static bool hystart_is_train(struct fp_hystart *hystart,
			     const struct fp_cc_conn *conn,
			     uint32_t delay_min_us)
{
	uint32_t now_us = (uint32_t)(conn->now_ns / 1000);
	uint32_t threshold_us = delay_min_us + hystart_ack_delay_us(conn);

	if ((int32_t)(now_us - hystart->last_ack_us) >
	    (int32_t)HYSTART_ACK_GAP_US)
		return false;
	hystart->last_ack_us = now_us;
	/* pacing spreads a round over up to half a round trip by itself */
	if (!conn->is_paced)
		threshold_us /= 2;
	return now_us - hystart->round_start_us > threshold_us;
}

void fp_hystart_on_rtt(struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn, uint32_t rtt_us,
		       uint32_t delay_min_us, struct fp_cc_control *control)
{
	/* in windows that are too small as well, or the first round that
	 * counts would have begun long ago */
	if (hystart_is_round_over(hystart, conn))
		fp_hystart_start_round(hystart, conn);
	if (control->cwnd_pkts < HYSTART_CWND_MIN_PKTS)
		return;
	if (hystart_is_train(hystart, conn, delay_min_us))
		hystart_leave(hystart, control);
	if (hystart_count(hystart, rtt_us) &&
	    hystart->curr_rtt_us >
		delay_min_us + hystart_thresh_us(delay_min_us))
		hystart_leave(hystart, control);
}

void fp_hystartpp_init(struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn)
{
	const struct fp_hystart fresh = {
		.end_seq_pkts = conn->snd_nxt_pkts,
		.curr_rtt_us = UINT32_MAX,
		.last_rtt_us = UINT32_MAX,
		.css_baseline_us = UINT32_MAX,
	};

	*hystart = fresh;
}

bool fp_hystartpp_is_active(const struct fp_hystart *hystart,
			    const struct fp_cc_control *control)
{
	return !hystart->is_found &&
	       control->ssthresh_pkts == FP_CC_SSTHRESH_NONE &&
	       cc__is_in_slow_start(control);
}

/* A round ends; the fifth of conservative slow start ends that too. */
static void hystartpp_next_round(struct fp_hystart *hystart,
				 const struct fp_cc_conn *conn,
				 struct fp_cc_control *control)
{
	hystart->end_seq_pkts = conn->snd_nxt_pkts;
	hystart->last_rtt_us = hystart->curr_rtt_us;
	hystart->curr_rtt_us = UINT32_MAX;
	hystart->sample_cnt = 0;
	if (hystart->css_rounds == 0)
		return;
	if (hystart->css_rounds >= CSS_ROUNDS)
		hystart_leave(hystart, control);
	else
		hystart->css_rounds++;
}

/* Did the round trip grow clearly since the last round? */
static bool hystartpp_is_slower(const struct fp_hystart *hystart)
{
	return hystart->last_rtt_us != UINT32_MAX &&
	       hystart->curr_rtt_us >=
		   (uint64_t)hystart->last_rtt_us +
		       hystart_thresh_us(hystart->last_rtt_us);
}

void fp_hystartpp_on_rtt(struct fp_hystart *hystart,
			 const struct fp_cc_conn *conn, uint32_t rtt_us,
			 struct fp_cc_control *control)
{
	if (hystart_is_round_over(hystart, conn))
		hystartpp_next_round(hystart, conn, control);
	(void)hystart_count(hystart, rtt_us); /* the eighth counts itself */
	if (hystart->sample_cnt < HYSTART_SAMPLES || hystart->is_found)
		return;
	if (hystart->css_rounds == 0) {
		if (!hystartpp_is_slower(hystart))
			return;
		hystart->css_baseline_us = hystart->curr_rtt_us;
		hystart->css_rounds = 1; /* what is left of this round */
	} else if (hystart->curr_rtt_us < hystart->css_baseline_us) {
		hystart->css_baseline_us = UINT32_MAX;
		hystart->css_rounds = 0;
	}
}

void fp_hystartpp_grow(const struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn, uint32_t acked_pkts,
		       uint32_t *cnt_pkts, struct fp_cc_control *control)
{
	uint32_t every_pkts = hystart->css_rounds != 0 ? CSS_GROWTH_DIVISOR : 1;

	if (!conn->is_paced && acked_pkts > CSS_ACKED_MAX_PKTS)
		acked_pkts = CSS_ACKED_MAX_PKTS;
	cc__grow(conn, every_pkts, acked_pkts, cnt_pkts, control);
}
