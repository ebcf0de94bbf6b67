/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RED (Floyd, Jacobson: "Random Early Detection Gateways for Congestion
 * Avoidance", 1993), in bytes.
 *
 *	average += 2^-shift (queue - average)	at each arrival
 *	p_b = p_max (average - min) / (max - min)
 *	p_a = p_b / (1 - count p_b)	count: packets since the last mark
 *
 * Below min nothing happens, from max on every packet is marked or dropped. The
 * queue is what waits when the packet comes, without it. min = max without
 * averaging marks each packet that finds that much: the threshold K of DCTCP
 * (RFC 8257, 3.1).
 */
#include "base/prng.h"
#include "link/link_internal.h"

#define RED_ONE_X32 (UINT64_C(1) << 32)

void red__init(struct link_red *red, const struct fp_queue_config *config,
	       uint64_t key)
{
	red->average_scaled = 0;
	red->idle_since_ns = 0;
	red->key = key;
	red->counter = 0;
	red->max_threshold_x32 =
	    chance__threshold_x32(config->red_probability_ppm);
	red->min_bytes = config->red_min_bytes;
	red->max_bytes = config->red_max_bytes;
	red->weight_shift = config->red_weight_shift;
	red->since_mark = 0;
	red->is_idle = true;
	red->is_between = false;
}

void red__idle(struct link_red *red, uint64_t now_ns)
{
	red->is_idle = true;
	red->idle_since_ns = now_ns;
}

static uint64_t red_scale(uint64_t value, uint64_t share_x32)
{
	return (value >> 32) * share_x32 +
	       ((value & UINT32_MAX) * share_x32 >> 32);
}

/* While nothing came, the average falls as if m packets had found an empty
 * queue: (1 - 2^-shift)^m, by squaring. */
static void red_decay(struct link_red *red, uint64_t m)
{
	uint64_t power_x32 = RED_ONE_X32 - (RED_ONE_X32 >> red->weight_shift);

	for (; m != 0 && red->average_scaled != 0; m >>= 1) {
		if (m & 1)
			red->average_scaled =
			    red_scale(red->average_scaled, power_x32);
		power_x32 = power_x32 * power_x32 >> 32;
	}
}

static void red_update(struct fp_path *path, struct link_stage *stage,
		       const struct fp_pkt *pkt)
{
	const struct link_server *server = &stage->server;
	struct link_red *red = &stage->server.queue.red;
	uint64_t rate_bps = rate__now_bps(&server->rate, path->now_ns);
	uint64_t work =
	    rate__charged_bytes(&server->rate, pkt, path->l2_bytes) *
	    LINK_WORK_PER_BYTE;

	/* m: packets of this size that could have been sent since. */
	if (red->is_idle && rate_bps != 0 && work / rate_bps != 0)
		red_decay(red, (path->now_ns - red->idle_since_ns) /
				   (work / rate_bps));
	red->is_idle = false;
	red->average_scaled -= red->average_scaled >> red->weight_shift;
	red->average_scaled += server->queue.backlog_bytes;
}

/* Draws with p_a, without a division: u < p_b / (1 - count p_b). */
static bool red_draw(struct link_red *red, uint64_t average_bytes)
{
	uint64_t p_b_x32 = red->max_threshold_x32 *
			   (average_bytes - red->min_bytes) /
			   (red->max_bytes - red->min_bytes);
	uint64_t u_x32 = fp_prng_at(red->key, red->counter++) >> 32;
	uint64_t used_x32;

	if (red->is_between)
		red->since_mark++;
	red->is_between = true;
	if (p_b_x32 == 0)
		return false;
	if (red->since_mark >= RED_ONE_X32 / p_b_x32)
		return true;
	used_x32 = red->since_mark * p_b_x32;
	return u_x32 * (RED_ONE_X32 - used_x32) < p_b_x32 << 32;
}

bool red__accept(struct fp_path *path, struct link_stage *stage,
		 struct fp_pkt *pkt)
{
	struct link_red *red = &stage->server.queue.red;
	uint64_t average_bytes;

	red_update(path, stage, pkt);
	average_bytes = red->average_scaled >> red->weight_shift;
	if (average_bytes < red->min_bytes) {
		red->is_between = false;
		red->since_mark = 0;
		return true;
	}
	if (average_bytes < red->max_bytes && !red_draw(red, average_bytes))
		return true;
	red->since_mark = 0;
	return stage->server.queue.marks_ecn && link_mark_ce(stage, pkt);
}
