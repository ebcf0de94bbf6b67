/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a configuration usable? The bounds keep every product in the stages below
 * 2^64; each function names one kind of stage.
 */
#include "fullpipe/link.h"

/* 18 minutes; keeps sums of sixteen delays and jitters far from the end. */
#define CHECK_TIME_MAX_NS       (UINT64_C(1) << 40)
#define CHECK_STEP_MAX_NS       (UINT64_C(1) << 60)
/* 10 Tbit/s: one ns then moves 1.25 kB. */
#define CHECK_RATE_MAX_BPS      UINT64_C(10000000000000)
/* Work of a burst, burst x 8e9, has to stay below 2^64. */
#define CHECK_BURST_MAX_BYTES   UINT64_C(0x7fffffff)
/* Packets that a pool can hold: 48 bytes each, twice, stay below 2^36. */
#define CHECK_CAPACITY_MAX_PKTS (1u << 28)
#define CHECK_OVERHEAD_MAX      65535
/* In cells of one byte a packet of 64 KiB then takes 2^30 bytes. */
#define CHECK_CELL_OVERHEAD_MAX 4096

static bool is_probability(uint32_t ppm)
{
	return ppm <= FP_PPM_ONE;
}

static const char *check_chance(const struct fp_chance_config *config)
{
	if (!is_probability(config->probability_ppm))
		return "duplicate, corrupt: a probability above 1";
	if (!is_probability(config->correlation_ppm))
		return "duplicate, corrupt: a correlation above 1";
	return NULL;
}

static const char *check_loss_list(const struct fp_loss_config *config)
{
	for (uint32_t i = 0; i < config->list.count; i++) {
		uint64_t before = i == 0 ? 0 : config->list.numbers[i - 1];

		if (config->list.numbers[i] <= before)
			return "loss: a list of numbers that do not ascend "
			       "from 1";
	}
	return NULL;
}

static const char *check_loss_gemodel(const struct fp_loss_config *config)
{
	if (is_probability(config->gemodel.p_ppm) &&
	    is_probability(config->gemodel.r_ppm) &&
	    is_probability(config->gemodel.h_loss_ppm) &&
	    is_probability(config->gemodel.k_loss_ppm))
		return NULL;
	return "loss: a probability above 1 in the Gilbert-Elliott model";
}

static const char *check_loss_state(const struct fp_loss_config *config)
{
	if (!is_probability(config->state.p13_ppm) ||
	    !is_probability(config->state.p31_ppm) ||
	    !is_probability(config->state.p32_ppm) ||
	    !is_probability(config->state.p14_ppm) ||
	    !is_probability(config->state.p23_ppm))
		return "loss: a probability above 1 in the 4-state model";
	if (!is_probability(config->state.p13_ppm + config->state.p14_ppm))
		return "loss: p13 and p14 add up to more than 1";
	if (!is_probability(config->state.p31_ppm + config->state.p32_ppm))
		return "loss: p31 and p32 add up to more than 1";
	return NULL;
}

static const char *check_loss(const struct fp_loss_config *config)
{
	if (config->unit != FP_LOSS_UNIT_PACKET &&
	    config->unit != FP_LOSS_UNIT_SKB)
		return "loss: an unknown unit";
	switch (config->model) {
	case FP_LOSS_RANDOM:
		if (!is_probability(config->random.probability_ppm))
			return "loss: a probability above 1";
		if (!is_probability(config->random.correlation_ppm))
			return "loss: a correlation above 1";
		return NULL;
	case FP_LOSS_PERIODIC:
		return config->periodic.every_pkts == 0
			   ? "loss: a period of no packets"
			   : NULL;
	case FP_LOSS_GEMODEL:
		return check_loss_gemodel(config);
	case FP_LOSS_STATE:
		return check_loss_state(config);
	case FP_LOSS_LIST:
		return check_loss_list(config);
	}
	return "loss: an unknown model";
}

static const char *check_policer(const struct fp_policer_config *config)
{
	if (config->rate_bps == 0 || config->rate_bps > CHECK_RATE_MAX_BPS)
		return "policer: a rate of 0 or above 10 Tbit/s";
	if (config->burst_bytes == 0 ||
	    config->burst_bytes > CHECK_BURST_MAX_BYTES)
		return "policer: a burst of 0 or above 2 GiB";
	return NULL;
}

static const char *check_steps(const struct fp_rate_config *config)
{
	if (config->step_count == 0 || config->steps == NULL)
		return "rate: no steps";
	for (uint32_t i = 0; i < config->step_count; i++) {
		if (config->steps[i].rate_bps > CHECK_RATE_MAX_BPS)
			return "rate: a step above 10 Tbit/s";
		if (config->steps[i].at_ns > CHECK_STEP_MAX_NS)
			return "rate: a step later than 36 years";
		if (i != 0 &&
		    config->steps[i].at_ns <= config->steps[i - 1].at_ns)
			return "rate: steps whose times do not ascend";
	}
	return NULL;
}

static const char *check_trace(const struct fp_rate_config *config)
{
	if (config->trace_count == 0 || config->trace_ms == NULL)
		return "trace: no line";
	for (uint32_t i = 1; i < config->trace_count; i++)
		if (config->trace_ms[i] < config->trace_ms[i - 1])
			return "trace: times that run backwards";
	if (config->trace_ms[config->trace_count - 1] == 0)
		return "trace: its last time is 0";
	return NULL;
}

static const char *check_rate(const struct fp_rate_config *config)
{
	if (config->overhead_bytes > CHECK_OVERHEAD_MAX ||
	    config->overhead_bytes < -CHECK_OVERHEAD_MAX)
		return "rate: an overhead beyond 65535 bytes";
	if (config->cell_overhead_bytes > CHECK_CELL_OVERHEAD_MAX ||
	    config->cell_overhead_bytes < -CHECK_CELL_OVERHEAD_MAX)
		return "rate: a cell overhead beyond 4096 bytes";
	if (config->cell_bytes > CHECK_OVERHEAD_MAX)
		return "rate: a cell above 65535 bytes";
	if (config->rate_bps > CHECK_RATE_MAX_BPS)
		return "rate: above 10 Tbit/s";
	switch (config->kind) {
	case FP_RATE_UNLIMITED:
		return NULL;
	case FP_RATE_CONSTANT:
		return config->rate_bps == 0 ? "rate: 0" : NULL;
	case FP_RATE_STEPS:
		return check_steps(config);
	case FP_RATE_TRACE:
		return check_trace(config);
	}
	return "rate: an unknown kind";
}

static const char *check_queue(const struct fp_queue_config *config)
{
	/* CoDel squares the interval. */
	if (config->interval_ns > UINT32_MAX || config->target_ns > UINT32_MAX)
		return "queue: a target or an interval above 4.29 s";
	if (config->limit_ns > CHECK_TIME_MAX_NS)
		return "queue: a time limit above 18 minutes";
	switch (config->qdisc) {
	case FP_QDISC_DROPTAIL:
	case FP_QDISC_CODEL:
		return NULL;
	case FP_QDISC_FQ_CODEL:
		return config->flow_queues > 65536
			   ? "queue: more than 65536 flow queues"
			   : NULL;
	case FP_QDISC_RED:
		if (config->red_max_bytes < config->red_min_bytes)
			return "queue: RED's maximum is below its minimum";
		if (!is_probability(config->red_probability_ppm))
			return "queue: RED's probability is above 1";
		return config->red_weight_shift > 30
			   ? "queue: RED's weight is below 2^-30"
			   : NULL;
	}
	return "queue: an unknown discipline";
}

static const char *check_reorder(const struct fp_reorder_config *config)
{
	if (!is_probability(config->probability_ppm))
		return "reorder: a probability above 1";
	if (!is_probability(config->correlation_ppm))
		return "reorder: a correlation above 1";
	return NULL;
}

static const char *check_delay(const struct fp_delay_config *config)
{
	if (config->delay_ns > CHECK_TIME_MAX_NS)
		return "delay: above 18 minutes";
	if (config->jitter_ns > CHECK_TIME_MAX_NS)
		return "delay: a jitter above 18 minutes";
	if (!is_probability(config->correlation_ppm))
		return "delay: a correlation above 1";
	if (config->dist > FP_DIST_PARETONORMAL)
		return "delay: an unknown distribution";
	return NULL;
}

static const char *check_stage(const struct fp_stage_config *config)
{
	const char *wrong;

	switch (config->kind) {
	case FP_STAGE_DUPLICATE:
	case FP_STAGE_CORRUPT:
		return check_chance(&config->chance);
	case FP_STAGE_LOSS:
		return check_loss(&config->loss);
	case FP_STAGE_POLICER:
		return check_policer(&config->policer);
	case FP_STAGE_LINK:
		wrong = check_rate(&config->link.rate);
		return wrong ? wrong : check_queue(&config->link.queue);
	case FP_STAGE_REORDER:
		return check_reorder(&config->reorder);
	case FP_STAGE_DELAY:
		return check_delay(&config->delay);
	}
	return "an unknown kind of stage";
}

const char *fp_path_check(const struct fp_path_config *config)
{
	if (config->stage_count > FP_PATH_STAGES_MAX)
		return "path: more than 16 stages";
	if (config->capacity_pkts == 0 ||
	    config->capacity_pkts > CHECK_CAPACITY_MAX_PKTS)
		return "path: a capacity of 0 or above 2^28 packets";
	if (config->l2_bytes > CHECK_OVERHEAD_MAX)
		return "path: a link-layer header above 65535 bytes";
	if (config->merge_ns > CHECK_TIME_MAX_NS)
		return "path: a merge time above 18 minutes";
	for (uint32_t i = 0; i < config->stage_count; i++) {
		const char *wrong = check_stage(&config->stages[i]);

		if (wrong)
			return wrong;
	}
	return NULL;
}
