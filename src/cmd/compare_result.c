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

static struct out_spread spread_over(const struct out_result *result,
				     size_t offset)
{
	double *values = calloc(result->round_count + 1ul, sizeof(*values));
	struct diag_spread spread;
	uint32_t i;

	if (!values)
		return (struct out_spread){ NAN, NAN, NAN };
	for (i = 0; i < result->round_count; i++)
		values[i] =
		    *(const double *)(const void *)((const char *)&result
							->rounds[i] +
						    offset);
	spread = diag_spread_of(values, result->round_count);
	free(values);
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
static enum diag_limit limit_of(const struct out_result *result)
{
	uint32_t counts[DIAG_LIMIT_STARTUP + 1] = { 0 };
	int best = DIAG_LIMIT_UNKNOWN, one;
	uint32_t i;

	for (i = 0; i < result->round_count; i++) {
		one = result->rounds[i].limit;
		if (++counts[one] > counts[best])
			best = one;
	}
	return (enum diag_limit)best;
}

/* The name and version that a socket itself told. */
static void name_result(const char *name, uint32_t version,
			struct out_result *result)
{
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

static const struct lab_flow_result *first_flow(const struct compare_part *part)
{
	uint32_t i;

	for (i = 0; i < part->result->flow_count; i++) {
		if (part->result->flows[i].group == part->group)
			return &part->result->flows[i];
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

int compare_result_begin(const struct compare_plan *plan,
			 struct out_result *result)
{
	result->rounds = calloc(plan->rounds_each, sizeof(*result->rounds));
	return result->rounds ? 0 : -ENOMEM;
}

int compare_result_add(const struct compare_part *part,
		       struct out_result *result)
{
	const struct compare_options *options = part->plan->options;
	const struct lab_flow_result *flow = first_flow(part);
	struct out_round *round = &result->rounds[result->round_count++];

	round->number = result->round_count;
	if (!result->algorithm && flow)
		name_result(flow->algorithm, flow->bbr_version, result);
	return compare_round_fill(part, options->samples || options->timeline,
				  round);
}

void compare_result_end(const char *asked, struct out_result *result)
{
	if (!result->name_text[0])
		name_result(asked,
			    result->version > 0 ? (uint32_t)result->version : 0,
			    result);
	add_up(result);
	result->limit = (int)limit_of(result);
	result->limited_by = diag_limit_word((enum diag_limit)result->limit);
}
