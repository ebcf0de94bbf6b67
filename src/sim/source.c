/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/source.h"

#include "sim/integer.h"

/* Work of a byte, in bits x ns per second: work / rate_bps is ns. */
#define SOURCE_WORK_PER_BYTE (8 * UINT64_C(1000000000))
#define SOURCE_REQUEST_BYTES 100u

static uint64_t source_pkts(const struct sim_source *source)
{
	uint64_t bytes = source->flow->source.bytes;

	return bytes / source->mss_bytes + (bytes % source->mss_bytes != 0);
}

static void source_set_wake(struct sim_source *source)
{
	uint64_t stop_ns = source->flow->stop_ns;

	source->wake_ns = source->change_ns;
	if (!source->has_started)
		source->wake_ns = source->flow->start_ns;
	else if (source->is_over)
		source->wake_ns = FP_TIME_NEVER;
	else if (stop_ns != 0)
		source->wake_ns = sim_min(source->wake_ns, stop_ns);
}

void sim_source_init(struct sim_source *source, const struct fp_sim_flow *flow,
		     uint32_t mss_bytes)
{
	*source = (struct sim_source){
		.flow = flow,
		.mss_bytes = mss_bytes,
		.supply.last_bytes = mss_bytes,
		.change_ns = FP_TIME_NEVER,
	};
	source_set_wake(source);
}

uint64_t sim_source_reply_pkts(const struct sim_source *source)
{
	return source_pkts(source);
}

uint32_t sim_source_request_bytes(const struct fp_sim_flow *flow)
{
	uint64_t bytes = flow->source.request_bytes;

	return bytes != 0 ? (uint32_t)bytes : SOURCE_REQUEST_BYTES;
}

static void source_start_transfer(struct sim_source *source)
{
	uint64_t rest = source->flow->source.bytes % source->mss_bytes;

	source->supply.end = source_pkts(source);
	source->supply.is_finished = true;
	if (rest != 0)
		source->supply.last_bytes = (uint32_t)rest;
}

/* A packet is written when the stream has made its last byte. */
static void source_plan_packet(struct sim_source *source, uint64_t now_ns)
{
	uint64_t rate_bps = source->flow->source.rate_bps;
	uint64_t work = source->work + source->mss_bytes * SOURCE_WORK_PER_BYTE;

	source->change_ns = now_ns + work / rate_bps;
	source->work = work % rate_bps;
}

static bool source_start(struct sim_source *source, uint64_t now_ns)
{
	source->has_started = true;
	switch (source->flow->source.kind) {
	case FP_SIM_BULK:
		source->supply.end = UINT64_MAX;
		return true;
	case FP_SIM_TRANSFER:
		source_start_transfer(source);
		return true;
	case FP_SIM_ON_OFF:
		source->change_ns = now_ns;
		return false;
	case FP_SIM_STREAM:
		source_plan_packet(source, now_ns);
		return false;
	case FP_SIM_REQUESTS:
		break;
	}
	return false;
}

static void source_toggle(struct sim_source *source, uint64_t sent_pkts)
{
	const struct fp_sim_source *config = &source->flow->source;

	source->is_on = !source->is_on;
	source->supply.end = source->is_on ? UINT64_MAX : sent_pkts;
	source->change_ns += source->is_on ? config->on_ns : config->off_ns;
}

/* The application closes. What it has written by a rate or a request goes out;
 * else what was sent stands, and packets of a transfer are cut off. */
static void source_stop(struct sim_source *source, uint64_t sent_pkts)
{
	bool is_cut = source->flow->source.kind != FP_SIM_STREAM &&
		      source->flow->source.kind != FP_SIM_REQUESTS;

	source->is_over = true;
	source->supply.is_finished = true;
	if (!is_cut || sent_pkts >= source->supply.end)
		return;
	source->supply.end = sent_pkts;
	source->supply.last_bytes = source->mss_bytes;
}

static void source_write(struct sim_source *source, uint64_t sent_pkts)
{
	if (source->flow->source.kind == FP_SIM_ON_OFF) {
		source_toggle(source, sent_pkts);
		return;
	}
	source->supply.end++;
	source_plan_packet(source, source->change_ns);
}

bool sim_source_wake(struct sim_source *source, uint64_t sent_pkts,
		     uint64_t now_ns)
{
	uint64_t stop_ns = source->flow->stop_ns;
	bool has_changed = false;

	if (!source->has_started)
		has_changed = source_start(source, now_ns);
	while (source->change_ns <= now_ns && !source->is_over) {
		source_write(source, sent_pkts);
		has_changed = true;
	}
	if (stop_ns != 0 && stop_ns <= now_ns && !source->is_over) {
		source_stop(source, sent_pkts);
		has_changed = true;
	}
	source_set_wake(source);
	return has_changed;
}

bool sim_source_ask(struct sim_source *source, uint64_t count)
{
	if (count <= source->asked || source->is_over)
		return false;
	source->supply.end += (count - source->asked) * source_pkts(source);
	source->asked = count;
	return true;
}
