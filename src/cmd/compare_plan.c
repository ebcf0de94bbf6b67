/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From what the user said to the rounds that run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "cmd/buffers.h"
#include "cmd/compare.h"
#include "cmd/compare_capture.h"
#include "cmd/seed.h"
#include "spec/units.h"
#include "sys/error.h"

#define SECOND_NS       1000000000ull
#define ROUNDS          3
#define DURATION_NS     (8 * SECOND_NS)
#define TRANSFER_MAX_NS (60 * SECOND_NS)
/* Start-up doubles the rate each RTT, and what its overshoot lost is repaired
 * some 20 RTT after the first packet; all that waited behind it then arrives at
 * once, and must not count as measured. */
#define WARMUP_RTTS     30
#define WARMUP_LEAST_NS (2 * SECOND_NS)
#define WARMUP_MOST_NS  (10 * SECOND_NS)
#define SEED_PURPOSE    0x636f6d70u /* "comp" */

uint32_t compare_data_way(const struct compare_plan *plan)
{
	return plan->options->reverse ? SPEC_BACK : SPEC_FORWARD;
}

static void choose_times(struct compare_plan *plan)
{
	const struct compare_options *options = plan->options;
	bool is_article = plan->preset && plan->preset->duration_ns > 0;
	uint64_t warmup_ns = plan->path.rtt_ns * WARMUP_RTTS;

	if (warmup_ns < WARMUP_LEAST_NS)
		warmup_ns = WARMUP_LEAST_NS;
	if (warmup_ns > WARMUP_MOST_NS)
		warmup_ns = WARMUP_MOST_NS;
	if (is_article || options->bytes)
		warmup_ns = 0; /* the articles timed from the first packet */
	plan->duration_ns =
	    is_article ? plan->preset->duration_ns : DURATION_NS;
	if (options->bytes)
		plan->duration_ns = TRANSFER_MAX_NS;
	if (options->duration_ns != COMPARE_AUTO)
		plan->duration_ns = options->duration_ns;
	plan->warmup_ns =
	    options->warmup_ns != COMPARE_AUTO ? options->warmup_ns : warmup_ns;
}

static enum cmd_buffers_host host_of(const struct compare_plan *plan)
{
	if (!plan->is_sim)
		return CMD_HOST_KERNEL;
	return plan->options->both ? CMD_HOST_COPY : CMD_HOST_LINUX;
}

static int choose_buffers(struct compare_plan *plan, struct fp_error *error)
{
	const struct cmd_buffers_for what = { &plan->path,
					      compare_data_way(plan),
					      host_of(plan) };
	const char *text = plan->options->buffers;
	struct cmd_buffers buffers;
	int result;

	if (!text && plan->preset)
		text = plan->preset->buffers;
	result =
	    cmd_buffers_choose(text ? text : "auto", &what, &buffers, error);
	if (result < 0)
		return result;
	plan->rmem_bytes = buffers.rmem_bytes;
	plan->wmem_bytes = buffers.wmem_bytes;
	(void)snprintf(plan->buffers_text, sizeof(plan->buffers_text), "%s",
		       buffers.text);
	return 0;
}

static void fill_path(const struct compare_plan *plan, struct lab_path *path)
{
	static const enum lab_backend backends[] = { LAB_BACKEND_AUTO,
						     LAB_BACKEND_TUN,
						     LAB_BACKEND_PACKET };

	path->backend = plan->path.is_direct ? LAB_BACKEND_DIRECT
					     : backends[plan->options->backend];
	path->mtu_bytes = plan->path.mtu_bytes;
	path->is_ipv6 = plan->path.is_ipv6;
	path->is_offload_off = plan->options->offload == COMPARE_OFF;
	path->is_precise = plan->options->precise;
	path->rmem_max_bytes = plan->rmem_bytes;
	path->wmem_max_bytes = plan->wmem_bytes;
}

static void add_group(const struct compare_plan *plan, uint32_t algorithm,
		      struct lab_round *round)
{
	struct lab_group *group = &round->groups[round->group_count++];

	if (!plan->is_sim) /* a simulation's may be longer, and is not asked */
		(void)snprintf(group->algorithm, sizeof(group->algorithm),
			       "%.*s", LAB_ALGORITHM_BYTES - 1,
			       plan->algorithms[algorithm]);
	group->flows = (uint32_t)plan->options->flows;
}

void compare_plan_round(const struct compare_plan *plan, uint32_t index,
			struct lab_round *round)
{
	const struct compare_options *options = plan->options;
	uint32_t number = index / plan->algorithm_count;
	struct fp_prng prng;
	uint32_t i;

	memset(round, 0, sizeof(*round));
	if (options->together)
		number = index;
	fill_path(plan, &round->path);
	for (i = 0; i < SPEC_WAYS; i++) {
		fp_prng_init(&prng, plan->seeds[i], SEED_PURPOSE);
		round->path.way[i] = plan->path.way[i].config;
		round->path.way[i].seed = fp_prng_at(prng.key, number);
		round->path.way[i].direction = i;
	}
	for (i = 0; options->together && i < plan->algorithm_count; i++)
		add_group(plan, i, round);
	if (!options->together)
		add_group(plan, index % plan->algorithm_count, round);
	round->warmup_ns = plan->warmup_ns;
	round->duration_ns = plan->duration_ns;
	round->bytes = options->bytes;
	round->sample_ns = options->sample_ns;
	round->is_reverse = options->reverse;
	round->with_iperf3 = options->with == COMPARE_IPERF3;
}

static int count_rounds(struct compare_plan *plan, struct fp_error *error)
{
	uint32_t each = plan->options->together ? 1 : plan->algorithm_count;
	uint32_t flows =
	    (uint32_t)plan->options->flows * (plan->algorithm_count / each);

	if (flows > LAB_FLOWS_MAX) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "%u flows together are too many", flows);
		fp_error_hint(error, "at most %d flows run in one round",
			      LAB_FLOWS_MAX);
		return -EINVAL;
	}
	plan->rounds_each = ROUNDS;
	if (plan->is_sim)
		plan->rounds_each = compare_sim_rounds(plan);
	else if (plan->options->rounds != COMPARE_AUTO)
		plan->rounds_each = (uint32_t)plan->options->rounds;
	plan->round_count = plan->rounds_each * each;
	return 0;
}

/* How the lab runs the rounds. */
static int arrange(struct compare_plan *plan, struct fp_error *error)
{
	uint32_t i;

	plan->rounds = calloc(plan->round_count, sizeof(*plan->rounds));
	if (!plan->rounds)
		return fp_error_errno(error, ENOMEM, "cannot plan %u rounds",
				      plan->round_count);
	for (i = 0; i < plan->round_count; i++)
		compare_plan_round(plan, i, &plan->rounds[i]);
	plan->concurrency =
	    lab_plan(plan->rounds, plan->round_count, plan->arrangement,
		     sizeof(plan->arrangement));
	if (plan->options->concurrency == 0)
		return 0;
	plan->concurrency = (uint32_t)plan->options->concurrency;
	(void)snprintf(plan->arrangement, sizeof(plan->arrangement),
		       "%u at once, as --concurrency says", plan->concurrency);
	return 0;
}

int compare_plan_init(struct compare_plan *plan,
		      const struct compare_options *options,
		      const struct spec_builder *path, struct fp_error *error)
{
	int result;

	memset(plan, 0, sizeof(*plan));
	plan->options = options;
	plan->is_sim = options->sim;
	plan->preset =
	    options->preset ? spec_preset_find(options->preset) : NULL;
	result = spec_builder_build(path, &plan->path, error);
	if (result < 0)
		return result;
	choose_times(plan);
	cmd_seed_choose(options->seed, &plan->path, plan->seeds);
	if ((result = compare_read_algorithms(plan, error)) < 0 ||
	    (result = compare_read_expects(plan, error)) < 0 ||
	    (result = choose_buffers(plan, error)) < 0 ||
	    (result = count_rounds(plan, error)) < 0 ||
	    (result = plan->is_sim ? compare_plan_sim(plan, error)
				   : arrange(plan, error)) < 0) {
		compare_plan_fini(plan);
		return result;
	}
	return 0;
}

void compare_plan_fini(struct compare_plan *plan)
{
	compare_captures_free(plan->captures);
	plan->captures = NULL;
	free(plan->rounds);
	plan->rounds = NULL;
	spec_path_fini(&plan->path);
}
