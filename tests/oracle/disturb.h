/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * States that a transfer would hardly come to: each field of an algorithm is
 * left alone or drawn anew. The kernel's functions are called on them too, and
 * what was there is put back.
 *
 * The kernel trusts its own state, so a draw stays where it can come to by
 * itself: a step of CUBIC's window is never 0 (TCP divides by it), its count of
 * ACKs is at most a few windows (TCP subtracts windows in a loop), BBR's mode
 * is one of four.
 */
#ifndef ORACLE_DISTURB_H
#define ORACLE_DISTURB_H

#include "kern.h"
#include "kernel_state.h"
#include "record.h"

#include <bpf/bpf_helpers.h>

#define SSTHRESH_NONE 0x7fffffff
#define NO_RTT        0xffffffff

static __always_inline uint32_t draw(uint32_t below)
{
	return bpf_get_prandom_u32() % below;
}

/* 1 ... 2^bits - 1, each magnitude as often as any other. */
static __always_inline uint32_t draw_size(uint32_t bits)
{
	uint32_t top = 1u << draw(bits);

	return top | (bpf_get_prandom_u32() & (top - 1));
}

/* Around a value, near and far, on either side. */
static __always_inline uint32_t draw_near(uint32_t value, uint32_t bits)
{
	return draw(2) ? value - draw_size(bits) : value + draw_size(bits);
}

/* Leaves a field as it is, or sets it. */
#define MAYBE(field, value)                                                    \
	do {                                                                   \
		if (draw(2))                                                   \
			(field) = (value);                                     \
	} while (0)

static __always_inline void disturb_window(struct tcp_sock *tp)
{
	MAYBE(tp->snd_cwnd, draw_size(16));
	MAYBE(tp->snd_cwnd_cnt,
	      draw(4) ? draw(2 * tp->snd_cwnd) : tp->snd_cwnd);
	switch (draw(4)) {
	case 0:
		tp->snd_ssthresh = SSTHRESH_NONE;
		break;
	case 1:
		tp->snd_ssthresh = draw_near(tp->snd_cwnd, 4) & SSTHRESH_NONE;
		break;
	case 2:
		tp->snd_ssthresh = 2 + tp->snd_cwnd / 2;
		break;
	default:
		break;
	}
}

/* A least RTT that is short of this one by HyStart's threshold, or nearly. */
static __always_inline uint32_t draw_delay_min(uint32_t rtt_us)
{
	uint32_t off_us = draw(16) - 8;

	switch (draw(3)) {
	case 0:
		return rtt_us - 4000 + off_us;
	case 1:
		return rtt_us - 16000 + off_us;
	default:
		return rtt_us * 8 / 9 + off_us;
	}
}

/* rtt_us: the sample of this call, or 0. */
static __always_inline void disturb_hystart(struct kernel_cubic *cubic,
					    const struct tcp_sock *tp,
					    uint32_t rtt_us)
{
	uint32_t now_us = (uint32_t)tp->tcp_mstamp;

	MAYBE(cubic->sample_cnt, (uint8_t)draw(9));
	MAYBE(cubic->found, (uint8_t)draw(2));
	MAYBE(cubic->round_start, now_us - draw_size(18));
	/* a train as long as the path, or half of it */
	MAYBE(cubic->round_start,
	      now_us - ((cubic->delay_min + draw(1024)) >> draw(2)));
	MAYBE(cubic->last_ack, now_us - draw_size(13));
	MAYBE(cubic->last_ack, now_us - 2000 + draw(4) - 2);
	MAYBE(cubic->end_seq, draw_near(tp->snd_una, 16));
	MAYBE(cubic->curr_rtt,
	      draw(8) ? draw_near(cubic->delay_min, 16) : NO_RTT);
	if (rtt_us < 20000 || draw(2))
		return;
	/* this call decides: by the sample, or by the train */
	cubic->found = 0;
	if (draw(2)) {
		cubic->sample_cnt = 8;
		cubic->curr_rtt = NO_RTT;
		cubic->delay_min = draw_delay_min(rtt_us);
	} else {
		cubic->sample_cnt = 0;
		cubic->last_ack = now_us - draw(2000);
		cubic->round_start =
		    now_us - ((cubic->delay_min + draw(1024)) >> draw(2));
	}
}

static __always_inline void disturb_cubic(struct kernel_cubic *cubic,
					  struct tcp_sock *tp, uint32_t rtt_us)
{
	uint32_t jiffies = (uint32_t)bpf_jiffies64();
	uint32_t cwnd = tp->snd_cwnd;

	MAYBE(cubic->cnt, 1 + draw_size(16));
	MAYBE(cubic->last_max_cwnd, draw(2 * cwnd + 2));
	MAYBE(cubic->last_cwnd, draw(2) ? cwnd : draw_size(16));
	MAYBE(cubic->last_time, jiffies - draw(12));
	MAYBE(cubic->bic_origin_point, cwnd / 2 + draw(2 * cwnd));
	MAYBE(cubic->bic_K, draw_size(16));
	MAYBE(cubic->delay_min, draw(8) ? draw_size(20) : 0);
	MAYBE(cubic->epoch_start, draw(4) ? jiffies - draw_size(14) : 0);
	if (!cubic->cnt)
		cubic->cnt = 2;
	cubic->ack_cnt = draw(4 * cwnd);
	MAYBE(cubic->tcp_cwnd, cwnd / 2 + draw(cwnd));
	disturb_hystart(cubic, tp, rtt_us);
	if (!draw(8))
		tp->snd_cwnd_cnt = cubic->cnt;
}

static __always_inline void disturb_model(struct kernel_bbr *bbr,
					  const struct tcp_sock *tp)
{
	uint32_t jiffies = (uint32_t)bpf_jiffies64();

	MAYBE(bbr->min_rtt_us, draw(16) ? draw_size(20) : NO_RTT);
	MAYBE(bbr->min_rtt_stamp, jiffies - draw_size(13));
	MAYBE(bbr->probe_rtt_done_stamp, draw(2) ? draw_near(jiffies, 6) : 0);
	MAYBE(bbr->rtt_cnt, draw_size(32));
	if (draw(2)) {
		bbr->bw[0].t = bbr->rtt_cnt - draw(16);
		bbr->bw[1].t = bbr->bw[0].t + draw(8);
		bbr->bw[2].t = bbr->bw[1].t + draw(8);
		bbr->bw[0].v = draw_size(28);
		bbr->bw[1].v = draw(bbr->bw[0].v + 1);
		bbr->bw[2].v = draw(bbr->bw[1].v + 1);
	}
	MAYBE(bbr->next_rtt_delivered, draw_near(tp->delivered, 8));
	MAYBE(bbr->full_bw, draw_size(28));
	MAYBE(bbr->full_bw_reached, draw(2));
	MAYBE(bbr->full_bw_cnt, draw(3));
	MAYBE(bbr->prior_cwnd, draw_size(16));
	MAYBE(bbr->has_seen_rtt, draw(2));
}

static __always_inline void disturb_mode(struct kernel_bbr *bbr,
					 const struct tcp_sock *tp)
{
	MAYBE(bbr->mode, draw(4));
	MAYBE(bbr->prev_ca_state, draw(5));
	MAYBE(bbr->packet_conservation, draw(2));
	MAYBE(bbr->round_start, draw(2));
	MAYBE(bbr->idle_restart, draw(2));
	MAYBE(bbr->probe_rtt_round_done, draw(2));
	MAYBE(bbr->cycle_mstamp, tp->delivered_mstamp - draw_size(18));
	MAYBE(bbr->cycle_idx, draw(8));
	MAYBE(bbr->pacing_gain, 64 + draw(700));
	MAYBE(bbr->cwnd_gain, 256 + draw(500));
}

/* A rate that the last interval confirms, or nearly: an eighth apart, or 500
 * bytes a second. */
static __always_inline uint32_t draw_policed_bw(const struct kernel_bbr *bbr,
						const struct tcp_sock *tp)
{
	uint32_t delivered = tp->delivered - bbr->lt_last_delivered;
	uint32_t ms =
	    (uint32_t)(tp->delivered_mstamp / 1000) - bbr->lt_last_stamp;
	uint32_t bw;

	if (!ms || ms > 20000)
		return draw_size(23);
	bw = (uint32_t)(((uint64_t)delivered << 24) / (ms * 1000)) & 0x7fffff;
	switch (draw(3)) {
	case 0: /* |bw - lt_bw| = lt_bw / 8 */
		return bw * 8 / 7 + draw(8);
	case 1:
		return bw * 8 / 9 + draw(8);
	default:
		return bw + draw(16);
	}
}

static __always_inline void disturb_policer(struct kernel_bbr *bbr,
					    const struct tcp_sock *tp)
{
	MAYBE(bbr->lt_is_sampling, draw(2));
	MAYBE(bbr->lt_use_bw, draw(2));
	MAYBE(bbr->lt_rtt_cnt, draw(64));
	MAYBE(bbr->lt_last_delivered, tp->delivered - draw_size(12));
	MAYBE(bbr->lt_last_lost, tp->lost - draw_size(10));
	MAYBE(bbr->lt_last_stamp,
	      (uint32_t)(tp->delivered_mstamp / 1000) - draw_size(14));
	MAYBE(bbr->lt_bw, draw(4) ? draw_policed_bw(bbr, tp) : 0);
	if (draw(4))
		return;
	/* an interval of few packets is over, where this call tells of loss */
	bbr->lt_is_sampling = 1;
	bbr->lt_use_bw = 0;
	bbr->lt_rtt_cnt = 4 + draw(12);
	bbr->lt_last_delivered = tp->delivered - 1 - draw(32);
	bbr->lt_last_lost = tp->lost - draw_size(5);
	bbr->lt_last_stamp =
	    (uint32_t)(tp->delivered_mstamp / 1000) - 8000 - draw(8000);
	bbr->lt_bw = draw_policed_bw(bbr, tp);
}

static __always_inline void disturb_aggregation(struct kernel_bbr *bbr,
						const struct tcp_sock *tp)
{
	MAYBE(bbr->ack_epoch_mstamp, tp->delivered_mstamp - draw_size(18));
	MAYBE(bbr->extra_acked[0], (uint16_t)draw_size(12));
	MAYBE(bbr->extra_acked[1], (uint16_t)draw_size(12));
	/* it starts anew at 2^20 */
	MAYBE(bbr->ack_epoch_acked,
	      draw(4) ? draw_size(20) : (1u << 20) - 1 - draw(4));
	MAYBE(bbr->extra_acked_win_rtts, draw(8));
	MAYBE(bbr->extra_acked_win_idx, draw(2));
}

/* Slow paths, fast ones, and around 1.2 Mbit/s, where bursts become smaller. */
static __always_inline uint64_t draw_rate(void)
{
	switch (draw(4)) {
	case 0:
		return (uint64_t)draw_size(30) << 5;
	case 1:
		return draw_near(150000, 8);
	default:
		return draw_size(30);
	}
}

union private_area {
	uint64_t words[ORACLE_PRIVATE_WORDS / 2];
	struct kernel_cubic cubic;
	struct kernel_bbr bbr;
};

/* Moves a connection to another state of its algorithm. rtt_us: the sample of
 * this call, or 0. */
static __noinline void disturb(struct sock *sk, enum oracle_algorithm algorithm,
			       uint32_t rtt_us)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	uint64_t *words = tp->inet_conn.icsk_ca_priv;
	union private_area area;

#pragma unroll
	for (int i = 0; i < ORACLE_PRIVATE_WORDS / 2; i++)
		area.words[i] = words[i];
	disturb_window(tp);
	MAYBE(sk->sk_pacing_rate, draw_rate());
	if (algorithm == ORACLE_CUBIC)
		disturb_cubic(&area.cubic, tp, rtt_us);
	if (algorithm == ORACLE_BBR) {
		disturb_model(&area.bbr, tp);
		disturb_mode(&area.bbr, tp);
		disturb_policer(&area.bbr, tp);
		disturb_aggregation(&area.bbr, tp);
	}
#pragma unroll
	for (int i = 0; i < ORACLE_PRIVATE_WORDS / 2; i++)
		words[i] = area.words[i];
}

/* Puts back what was noted. */
static __always_inline void put_back(struct sock *sk,
				     const struct oracle_state *state)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;

	tp->snd_cwnd = state->cwnd_pkts;
	tp->snd_cwnd_cnt = state->cwnd_cnt_pkts;
	tp->snd_ssthresh = state->ssthresh_pkts;
	tp->app_limited = state->app_limited_pkts;
	sk->sk_pacing_rate = (uint64_t)state->pacing_rate_bytes_per_s[1] << 32 |
			     state->pacing_rate_bytes_per_s[0];
#pragma unroll
	for (int i = 0; i < ORACLE_PRIVATE_WORDS / 2; i++)
		tp->inet_conn.icsk_ca_priv[i] =
		    (uint64_t)state->private[2 * i + 1] << 32 |
		    state->private[2 * i];
}

#endif
