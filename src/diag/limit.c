/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "diag/limit.h"

#define LINK_FULL_SHARE    0.90 /* lower and a loss-bound flow passes for it */
#define FAIR_SHARE         0.50 /* of an equal part of a shared link */
#define WINDOW_SHARE       0.10 /* BBR behind a 6 MiB window waited for 16 % */
#define CEILING_SHARE      0.20 /* with loss, holes keep a window half shut */
#define CORE_FULL_SHARE    0.80 /* the rest goes to waking up */
#define MACHINE_FULL_SHARE 0.75 /* a part runs in the kernel's own threads */
#define BUSY_SHARE         0.80
#define STREAM_SHARE       0.98 /* the rest is in flight, or was lost late */
#define STARTUP_RTTS       20   /* slow start to 10^6 packets */
#define LOSS_LEAST_SHARE   1e-6 /* below: one packet in a long run */

struct rule {
	enum diag_limit limit;
	bool (*holds)(const struct diag_flow *flow);
};

static bool is_failed(const struct diag_flow *flow)
{
	return flow->has_failed;
}

static bool is_stalled(const struct diag_flow *flow)
{
	return flow->is_stalled;
}

/* Alone: it fills the link. With others: they fill it together, and its part is
 * no small one; else something kept it from taking its part. */
static bool is_link(const struct diag_flow *flow)
{
	if (!(flow->link_bps > 0))
		return false;
	if (flow->goodput_bps >= LINK_FULL_SHARE * flow->link_bps)
		return true;
	return flow->total_bps >= LINK_FULL_SHARE * flow->link_bps &&
	       flow->goodput_bps >= FAIR_SHARE * flow->fair_bps;
}

/* The window was closed: it is too small, or nobody reads. */
static bool is_receiver(const struct diag_flow *flow)
{
	return flow->rwnd_limited_us > 0 &&
	       flow->rwnd_limited_us >= WINDOW_SHARE * flow->busy_us;
}

static bool is_rwnd(const struct diag_flow *flow)
{
	return is_receiver(flow) &&
	       flow->goodput_bps >= CEILING_SHARE * flow->rwnd_ceiling_bps;
}

static bool is_sndbuf(const struct diag_flow *flow)
{
	return flow->sndbuf_limited_us > 0 &&
	       flow->sndbuf_limited_us >= WINDOW_SHARE * flow->busy_us;
}

static bool is_idle(const struct diag_flow *flow)
{
	return flow->busy_us > 0 && flow->elapsed_us > 0 &&
	       flow->busy_us < BUSY_SHARE * flow->elapsed_us;
}

static bool is_cpu(const struct diag_flow *flow)
{
	return flow->core_share >= CORE_FULL_SHARE ||
	       flow->machine_share >= MACHINE_FULL_SHARE;
}

static bool is_policer(const struct diag_flow *flow)
{
	return flow->policer_loss > LOSS_LEAST_SHARE &&
	       flow->policer_loss >= flow->loss &&
	       flow->policer_loss >= flow->queue_loss;
}

static bool is_marks(const struct diag_flow *flow)
{
	return flow->marked > LOSS_LEAST_SHARE;
}

static bool is_loss(const struct diag_flow *flow)
{
	return flow->loss > LOSS_LEAST_SHARE && flow->loss >= flow->queue_loss;
}

static bool is_queue(const struct diag_flow *flow)
{
	return flow->queue_loss > LOSS_LEAST_SHARE;
}

/* It always has data, yet TCP waited for it: it was not run often enough. */
static bool is_starved(const struct diag_flow *flow)
{
	return flow->has_always_data && is_idle(flow);
}

static bool is_application(const struct diag_flow *flow)
{
	return !flow->has_always_data && is_idle(flow);
}

/* All that there was to send has arrived. */
static bool is_stream(const struct diag_flow *flow)
{
	return flow->offered_bps > 0 &&
	       flow->goodput_bps >= STREAM_SHARE * flow->offered_bps;
}

static bool is_startup(const struct diag_flow *flow)
{
	return flow->is_finite && flow->rtt_us > 0 && flow->elapsed_us > 0 &&
	       flow->elapsed_us < STARTUP_RTTS * flow->rtt_us;
}

enum diag_limit diag_limit_of(const struct diag_flow *flow)
{
	static const struct rule rules[] = {
		{ DIAG_LIMIT_FAILED, is_failed },
		{ DIAG_LIMIT_STALLED, is_stalled },
		{ DIAG_LIMIT_LINK, is_link },
		{ DIAG_LIMIT_RWND, is_rwnd },
		{ DIAG_LIMIT_SNDBUF, is_sndbuf },
		{ DIAG_LIMIT_CPU, is_cpu },
		{ DIAG_LIMIT_APPLICATION, is_stream },
		{ DIAG_LIMIT_STARTUP, is_startup },
		{ DIAG_LIMIT_POLICER, is_policer },
		{ DIAG_LIMIT_LOSS, is_loss },
		{ DIAG_LIMIT_QUEUE, is_queue },
		{ DIAG_LIMIT_MARKS, is_marks },
		{ DIAG_LIMIT_RECEIVER, is_receiver },
		{ DIAG_LIMIT_CPU, is_starved },
		{ DIAG_LIMIT_APPLICATION, is_application },
	};
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].holds(flow))
			return rules[i].limit;
	}
	return DIAG_LIMIT_UNKNOWN;
}

const char *diag_limit_word(enum diag_limit limit)
{
	static const char *const words[] = {
		[DIAG_LIMIT_UNKNOWN] = "not clear",
		[DIAG_LIMIT_FAILED] = "failed",
		[DIAG_LIMIT_STALLED] = "stalled",
		[DIAG_LIMIT_LINK] = "link",
		[DIAG_LIMIT_RWND] = "receive window",
		[DIAG_LIMIT_SNDBUF] = "send buffer",
		[DIAG_LIMIT_CPU] = "CPU",
		[DIAG_LIMIT_LOSS] = "loss",
		[DIAG_LIMIT_QUEUE] = "queue drops",
		[DIAG_LIMIT_POLICER] = "policer",
		[DIAG_LIMIT_MARKS] = "ECN marks",
		[DIAG_LIMIT_APPLICATION] = "application",
		[DIAG_LIMIT_RECEIVER] = "receiver",
		[DIAG_LIMIT_STARTUP] = "start-up",
	};

	return words[limit];
}
