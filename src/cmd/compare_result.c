/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adds up the rounds of one algorithm. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/compare_round.h"
#include "diag/stats.h"

static double known_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

static struct compare_part part_of(const struct compare_plan *plan,
				   const struct lab_result *results,
				   uint32_t algorithm, uint32_t round)
{
	if (plan->options->together)
		return (struct compare_part){ plan, &results[round],
					      algorithm };
	return (struct compare_part){
		plan, &results[round * plan->algorithm_count + algorithm], 0
	};
}

static struct out_spread spread_over(const struct out_result *result,
				     size_t offset)
{
	double values[COMPARE_ROUNDS_MAX];
	struct diag_spread spread;
	uint32_t i;

	for (i = 0; i < result->round_count; i++)
		values[i] =
		    *(const double *)(const void *)((const char *)&result
							->rounds[i] +
						    offset);
	spread = diag_spread_of(values, result->round_count);
	return (struct out_spread){ spread.median, spread.min, spread.max };
}

static double sum_over(const struct out_result *result, size_t offset)
{
	double sum = 0, value;
	uint32_t i;

	for (i = 0; i < result->round_count; i++) {
		value = *(const double *)(const void *)((const char *)&result
							    ->rounds[i] +
							offset);
		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

#define SPREAD(result, member)                                                 \
	spread_over(result, offsetof(struct out_round, member))
#define SUM(result, member) sum_over(result, offsetof(struct out_round, member))

/* The limit that most rounds name; of equals the earlier one. */
static enum diag_limit limit_of(const struct compare_plan *plan,
				const struct lab_result *results,
				uint32_t algorithm,
				const struct out_result *result)
{
	uint32_t counts[DIAG_LIMIT_STARTUP + 1] = { 0 };
	enum diag_limit best = DIAG_LIMIT_UNKNOWN, one;
	struct compare_part part;
	uint32_t i;

	for (i = 0; i < result->round_count; i++) {
		part = part_of(plan, results, algorithm, i);
		one = compare_round_limit(&part, &result->rounds[i]);
		if (++counts[one] > counts[best])
			best = one;
	}
	return best;
}

/* The name and version that the sockets themselves told. */
static void name_result(const struct lab_flow_result *flow, const char *asked,
			struct out_result *result)
{
	const char *name = flow && flow->algorithm[0] ? flow->algorithm : asked;
	uint32_t version = flow ? flow->bbr_version : 0;

	result->version = known_or_nan(version);
	(void)snprintf(result->name_text, sizeof(result->name_text), "%s",
		       name);
	if (version > 0)
		(void)snprintf(result->label_text, sizeof(result->label_text),
			       "%s (v%u)", name, version);
	else
		(void)snprintf(result->label_text, sizeof(result->label_text),
			       "%s", name);
	result->algorithm = result->name_text;
	result->label = result->label_text;
}

static const struct lab_flow_result *
first_flow(const struct compare_plan *plan, const struct lab_result *results,
	   uint32_t algorithm)
{
	struct compare_part part;
	uint32_t round, i;

	for (round = 0; round < plan->options->rounds; round++) {
		part = part_of(plan, results, algorithm, round);
		for (i = 0; i < part.result->flow_count; i++) {
			if (part.result->flows[i].group == part.group)
				return &part.result->flows[i];
		}
	}
	return NULL;
}

static void add_up(struct out_result *result)
{
	double sent = SUM(result, sent_bytes), cpu = SUM(result, cpu_s);
	double received = SUM(result, received_bytes);

	result->goodput_bps = SPREAD(result, goodput_bps);
	result->completion_us = SPREAD(result, completion_us);
	result->share_of_link = SPREAD(result, share_of_link).median;
	result->retransmitted_share =
	    sent > 0 ? SUM(result, retransmitted_bytes) / sent : NAN;
	result->rtt_p50_us = SPREAD(result, rtt_p50_us).median;
	result->rtt_p99_us = SPREAD(result, rtt_p99_us).median;
	result->rwnd_ceiling_bps = SPREAD(result, rwnd_ceiling_bps).median;
	result->cpu_per_gb_s =
	    cpu > 0 && received > 0 ? cpu / (received / 1e9) : NAN;
}

int compare_result_fill(const struct compare_plan *plan,
			const struct lab_result *results, uint32_t algorithm,
			struct out_result *result)
{
	bool has_samples = plan->options->samples || plan->options->timeline;
	struct compare_part part;
	uint32_t i;
	int status;

	result->rounds = calloc(plan->options->rounds, sizeof(*result->rounds));
	if (!result->rounds)
		return -ENOMEM;
	for (i = 0; i < plan->options->rounds; i++) {
		part = part_of(plan, results, algorithm, i);
		result->rounds[i].number = i + 1;
		result->round_count++;
		status =
		    compare_round_fill(&part, has_samples, &result->rounds[i]);
		if (status < 0)
			return status;
	}
	name_result(first_flow(plan, results, algorithm),
		    plan->algorithms[algorithm], result);
	add_up(result);
	result->limit = (int)limit_of(plan, results, algorithm, result);
	result->limited_by = diag_limit_word((enum diag_limit)result->limit);
	return 0;
}
