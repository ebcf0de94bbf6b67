/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can this scenario run, and can it move data? A path that no packet passes, a
 * queue or a bucket that no packet fits, and a path on which no time passes are
 * refused here, so that a run never ends in silence or not at all.
 */
#include "sim/scenario.h"

/* A round of 4 months; keeps sums of times far below 2^64. */
#define CHECK_TIME_MAX_NS  UINT64_C(10000000000000000)
#define CHECK_RMEM_MAX     (UINT64_C(1) << 31)
#define CHECK_ACKS_MAX     1024u
/* RFC 6298, 2.5; RFC 1122, 4.2.3.2 */
#define CHECK_RTO_MAX_NS   UINT64_C(120000000000)
#define CHECK_DELAY_MAX_NS UINT64_C(500000000)
#define CHECK_STREAM_MAX   UINT64_C(1000000000000)
#define CHECK_CYCLE_MIN_NS UINT64_C(1000)
#define CHECK_WORK         (8 * UINT64_C(1000000000))

/* What a scenario sends one way, at its largest. */
struct check_packet {
	uint64_t ip_bytes, wire_bytes;
	bool is_markable; /* ECN */
};

/* --- Stages ----------------------------------------------------------------
 */

static bool loses_all(const struct fp_loss_config *loss)
{
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		return loss->random.probability_ppm == FP_PPM_ONE;
	case FP_LOSS_PERIODIC:
		return loss->periodic.every_pkts == 1;
	case FP_LOSS_GEMODEL:
		return loss->gemodel.k_loss_ppm == FP_PPM_ONE &&
		       (loss->gemodel.h_loss_ppm == FP_PPM_ONE ||
			loss->gemodel.p_ppm == 0);
	case FP_LOSS_STATE:
		return loss->state.p14_ppm == FP_PPM_ONE ||
		       (loss->state.p13_ppm == FP_PPM_ONE &&
			loss->state.p31_ppm == 0 && loss->state.p32_ppm == 0);
	case FP_LOSS_LIST:
		break;
	}
	return false;
}

static bool stands_still(const struct fp_rate_config *rate)
{
	if (rate->kind != FP_RATE_STEPS || rate->rate_bps != 0)
		return false;
	for (uint32_t i = 0; i < rate->step_count; i++)
		if (rate->steps[i].rate_bps != 0)
			return false;
	return true;
}

/* The highest rate that a link has at any time; 0: it is not known (a trace's),
 * or there is none. */
static uint64_t highest_bps(const struct fp_rate_config *rate)
{
	uint64_t most_bps = rate->rate_bps;

	if (rate->kind == FP_RATE_CONSTANT)
		return most_bps;
	if (rate->kind != FP_RATE_STEPS)
		return 0;
	for (uint32_t i = 0; i < rate->step_count; i++)
		if (rate->steps[i].rate_bps > most_bps)
			most_bps = rate->steps[i].rate_bps;
	return most_bps;
}

static const char *check_link(const struct fp_link_config *link,
			      const struct check_packet *packet)
{
	const struct fp_queue_config *queue = &link->queue;
	uint64_t rate_bps = highest_bps(&link->rate);

	if (stands_still(&link->rate))
		return "a link whose rate is always 0";
	if (link->rate.kind == FP_RATE_UNLIMITED)
		return NULL;
	if (queue->limit_bytes != 0 && queue->limit_bytes < packet->wire_bytes)
		return "a queue below one packet";
	if (queue->limit_ns != 0 && rate_bps != 0 &&
	    packet->wire_bytes * CHECK_WORK / rate_bps > queue->limit_ns)
		return "a queue below one packet: the link takes longer to "
		       "send one";
	return NULL;
}

static const char *check_stage(const struct fp_stage_config *stage,
			       const struct check_packet *packet)
{
	switch (stage->kind) {
	case FP_STAGE_LOSS:
		if (!loses_all(&stage->loss) ||
		    (stage->loss.marks_ecn && packet->is_markable))
			return NULL;
		return "a path that loses every packet";
	case FP_STAGE_CORRUPT:
		return stage->chance.probability_ppm == FP_PPM_ONE
			   ? "a path that damages every packet"
			   : NULL;
	case FP_STAGE_POLICER:
		return stage->policer.burst_bytes < packet->wire_bytes
			   ? "a policer whose burst is below one packet"
			   : NULL;
	case FP_STAGE_LINK:
		return check_link(&stage->link, packet);
	case FP_STAGE_DUPLICATE:
	case FP_STAGE_REORDER:
	case FP_STAGE_DELAY:
		break;
	}
	return NULL;
}

/* Tells whether a packet takes time on a link. */
static bool link_takes_time(const struct fp_rate_config *rate,
			    const struct check_packet *packet)
{
	int64_t charged_bytes =
	    (int64_t)packet->wire_bytes + rate->overhead_bytes;

	if (rate->kind == FP_RATE_TRACE)
		return true;
	return rate->kind != FP_RATE_UNLIMITED && charged_bytes > 0 &&
	       (rate->cell_bytes == 0 ||
		(int64_t)rate->cell_bytes + rate->cell_overhead_bytes > 0);
}

/* Tells whether time passes while a packet goes this way. */
static bool way_takes_time(const struct fp_path_config *way,
			   const struct check_packet *packet)
{
	bool skips = false;

	for (uint32_t i = 0; i < way->stage_count; i++) {
		const struct fp_stage_config *stage = &way->stages[i];

		if (stage->kind == FP_STAGE_LINK &&
		    link_takes_time(&stage->link.rate, packet))
			return true;
		if (stage->kind == FP_STAGE_REORDER)
			skips = stage->reorder.probability_ppm == FP_PPM_ONE &&
				stage->reorder.gap_pkts <= 1;
		if (stage->kind != FP_STAGE_DELAY)
			continue;
		if (!skips &&
		    (stage->delay.delay_ns | stage->delay.jitter_ns) != 0)
			return true;
		skips = false;
	}
	return false;
}

static const char *check_way(const struct fp_path_config *way,
			     const struct check_packet *packet)
{
	struct fp_path_config usable = *way;
	const char *wrong;

	usable.capacity_pkts = 1;
	wrong = fp_path_check(&usable);
	for (uint32_t i = 0; !wrong && i < way->stage_count; i++)
		wrong = check_stage(&way->stages[i], packet);
	return wrong;
}

static const char *check_ways(const struct fp_sim_config *config)
{
	uint64_t headers = sim_scenario_header_bytes(config);
	struct check_packet packets[2] = {
		{ .ip_bytes = config->mtu_bytes,
		  .is_markable = config->tcp.has_ecn },
		{ .ip_bytes = headers + SIM_SACKS_BYTES },
	};
	bool takes_time = false;

	for (int i = 0; i < 2; i++) {
		const struct fp_path_config *way = &config->way[i];
		const char *wrong;

		packets[i].wire_bytes = packets[i].ip_bytes + way->l2_bytes;
		wrong = check_way(way, &packets[i]);
		if (wrong)
			return wrong;
		takes_time |= way_takes_time(way, &packets[i]);
	}
	return takes_time ? NULL
			  : "a path without delay and rate: time would stand "
			    "still";
}

/* --- Hosts and flows --------------------------------------------------------
 */

static const char *check_clock(const struct fp_sim_tcp *tcp)
{
	switch (tcp->clock_hz) {
	case 0:
	case 100:
	case 250:
	case 300:
	case 1000:
		break;
	default:
		return "a clock of other than 100, 250, 300 or 1000 Hz";
	}
	if (tcp->min_rto_ns > CHECK_RTO_MAX_NS)
		return "a least timeout above 120 s";
	if (tcp->delayed_ack_ns > CHECK_DELAY_MAX_NS)
		return "a delayed ACK above 500 ms (RFC 1122)";
	return NULL;
}

static const char *check_tcp(const struct fp_sim_config *config)
{
	uint32_t mss_bytes = sim_scenario_mss_bytes(config);
	struct fp_sim_tcp tcp;

	sim_scenario_tcp(config, &tcp);
	if (tcp.without >> FP_SIM_PARTS != 0)
		return "an unknown part of TCP to leave out";
	if (tcp.rmem_max_bytes > CHECK_RMEM_MAX ||
	    tcp.wmem_max_bytes > CHECK_RMEM_MAX)
		return "a buffer above 2 GiB";
	if (tcp.window_share_x256 > 256)
		return "a window above its buffer";
	if (sim_scenario_window_bytes(&tcp) < mss_bytes)
		return "a receive window below one packet";
	if (tcp.wmem_max_bytes < mss_bytes)
		return "a send buffer below one packet";
	if (tcp.initial_cwnd_pkts > FP_CC_CWND_MAX_PKTS)
		return "an initial window above 2^24 packets";
	if (tcp.ack_every_pkts > CHECK_ACKS_MAX)
		return "an ACK for more than 1024 packets";
	return check_clock(&tcp);
}

static const char *check_source(const struct fp_sim_source *source,
				uint32_t mss_bytes)
{
	switch (source->kind) {
	case FP_SIM_BULK:
		return NULL;
	case FP_SIM_TRANSFER:
		return source->bytes == 0 ? "a transfer of nothing" : NULL;
	case FP_SIM_REQUESTS:
		if (source->bytes == 0)
			return "requests for nothing";
		return source->request_bytes > mss_bytes
			   ? "a request above one packet"
			   : NULL;
	case FP_SIM_ON_OFF:
		if (source->on_ns == 0)
			return "a source that is never on";
		return source->on_ns > CHECK_TIME_MAX_NS ||
			       source->off_ns > CHECK_TIME_MAX_NS ||
			       source->on_ns + source->off_ns <
				   CHECK_CYCLE_MIN_NS
			   ? "a source that is on and off in less than 1 us or "
			     "more than 4 months"
			   : NULL;
	case FP_SIM_STREAM:
		return source->rate_bps == 0 ||
			       source->rate_bps > CHECK_STREAM_MAX
			   ? "a stream of 0 or above 1 Tbit/s"
			   : NULL;
	}
	return "an unknown kind of source";
}

static const char *check_flow(const struct fp_sim_flow *flow,
			      const struct fp_sim_config *config)
{
	uint64_t end_ns = config->warmup_ns + config->duration_ns;

	if (flow->start_ns >= end_ns)
		return "a flow that starts when all is over";
	if (flow->stop_ns != 0 && flow->stop_ns <= flow->start_ns)
		return "a flow that stops before it starts";
	if (flow->source.kind == FP_SIM_REQUESTS &&
	    flow->source.off_ns > CHECK_TIME_MAX_NS)
		return "a pause above 4 months";
	return check_source(&flow->source, sim_scenario_mss_bytes(config));
}

static const char *check_samples(const struct fp_sim_config *config)
{
	uint64_t end_ns = config->warmup_ns + config->duration_ns;

	if (config->sample_ns == 0)
		return NULL;
	return end_ns / config->sample_ns >
		       FP_SIM_SAMPLES_MAX / config->flow_count
		   ? "more than a million samples: a longer time between "
		     "them, or none"
		   : NULL;
}

const char *fp_sim_check(const struct fp_sim_config *config)
{
	const char *wrong;

	if (config->mtu_bytes < SIM_MTU_MIN_BYTES ||
	    config->mtu_bytes > SIM_MTU_MAX_BYTES)
		return "an MTU below 576 or above 65535";
	if (config->flow_count == 0 || config->flows == NULL)
		return "no flow";
	if (config->flow_count > FP_SIM_FLOWS_MAX)
		return "more than 100000 flows";
	if (config->duration_ns == 0)
		return "a duration of 0";
	if (config->duration_ns > CHECK_TIME_MAX_NS ||
	    config->warmup_ns > CHECK_TIME_MAX_NS)
		return "a duration above 4 months";
	wrong = check_ways(config);
	if (!wrong)
		wrong = check_tcp(config);
	if (!wrong)
		wrong = check_samples(config);
	for (uint32_t i = 0; !wrong && i < config->flow_count; i++)
		wrong = check_flow(&config->flows[i], config);
	return wrong;
}
