/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the rounds of a plan in the simulator, on all cores. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare.h"
#include "cmd/compare_capture.h"
#include "cmd/compare_trace.h"
#include "cmd/pool.h"
#include "cmd/progress.h"
#include "sys/error.h"

#define AHEAD      256 /* rounds that are done before one that is not */
#define PATIENT_NS 500000000ull

struct slot { /* of a round until it is added up */
	struct lab_result result;
	struct fp_error error; /* status 0: none */
};

struct simulation {
	const struct compare_plan *plan;
	struct compare_tally *tally;
	struct fp_error *error;
	struct slot *slots;
	uint32_t ahead, done;
	struct cmd_progress progress;
};

/* Those who watch a round; NULL: nobody. Each has its own file. */
struct watchers {
	struct cmd_trace *trace;
	struct sim_capture *capture;
};

static void watch_event(void *context, const struct fp_sim_event *event)
{
	const struct watchers *watchers = context;

	cmd_trace_event(watchers->trace, event);
}

static void watch_packet(void *context, const struct fp_sim_packet *packet)
{
	const struct watchers *watchers = context;

	sim_capture_packet(watchers->capture, packet);
}

static int open_trace(const struct compare_plan *plan, uint32_t number,
		      struct fp_sim_config *config, struct watchers *watchers,
		      struct fp_error *error)
{
	if (!compare_trace_wants(plan, number))
		return 0;
	watchers->trace = compare_trace_open(plan, number, config, error);
	if (!watchers->trace)
		return -EIO;
	config->watch.event = watch_event;
	return 0;
}

static int open_capture(const struct compare_plan *plan, uint32_t number,
			struct fp_sim_config *config, struct watchers *watchers,
			struct fp_error *error)
{
	const struct lab_capture *files =
	    compare_capture_files(plan->captures, number);

	if (!files)
		return 0;
	watchers->capture =
	    sim_capture_new(config, files, plan->options->reverse, error);
	if (!watchers->capture)
		return -EIO;
	config->watch.packet = watch_packet;
	return 0;
}

static int open_watchers(const struct simulation *all, uint32_t number,
			 struct fp_sim_config *config,
			 struct watchers *watchers, struct fp_error *error)
{
	int result;

	memset(watchers, 0, sizeof(*watchers));
	config->watch.context = watchers;
	result = open_trace(all->plan, number, config, watchers, error);
	if (result == 0)
		result =
		    open_capture(all->plan, number, config, watchers, error);
	return result;
}

/* A capture gets its names when the round is added up, as the lab's. */
static int publish(const struct watchers *watchers, struct lab_result *result,
		   struct fp_error *error)
{
	if (watchers->capture)
		sim_capture_finish(watchers->capture, &result->captured);
	return watchers->trace ? cmd_trace_publish(watchers->trace, error) : 0;
}

/* Looks at senders are many; keep what is shown of them. */
static void drop_samples(const struct compare_plan *plan, uint64_t number,
			 struct lab_result *result)
{
	const struct compare_options *options = plan->options;
	bool is_first = number < plan->round_count / plan->rounds_each;

	if (options->samples || (options->timeline && is_first))
		return;
	free(result->samples);
	result->samples = NULL;
	result->sample_count = 0;
}

static int simulate(const struct cmd_scenario *scenario,
		    const struct fp_sim_config *config,
		    struct lab_result *ret_result, struct fp_error *error)
{
	struct fp_sim_result seen;
	int result = fp_sim_run(config, &seen);

	if (result < 0)
		return fp_error_errno(error, -result, "cannot simulate");
	result = cmd_scenario_result(scenario, &seen, ret_result);
	fp_sim_result_fini(&seen);
	if (result < 0)
		return fp_error_errno(error, -result, "cannot keep a result");
	return 0;
}

static int run_round(struct simulation *all, uint32_t number, struct slot *slot)
{
	struct lab_round round;
	struct cmd_scenario scenario =
	    compare_scenario(all->plan, number, &round);
	struct fp_sim_config config;
	struct watchers watchers;
	int result = cmd_scenario_init(&scenario, &config, &slot->error);

	if (result < 0)
		return result;
	result = open_watchers(all, number, &config, &watchers, &slot->error);
	if (result == 0)
		result =
		    simulate(&scenario, &config, &slot->result, &slot->error);
	if (result == 0)
		result = publish(&watchers, &slot->result, &slot->error);
	cmd_trace_free(watchers.trace);
	sim_capture_free(watchers.capture);
	cmd_scenario_fini(&config);
	return result;
}

/* What goes wrong is told in done(), on the caller's thread. */
static int job(void *context, uint64_t number)
{
	struct simulation *all = context;
	struct slot *slot = &all->slots[number % all->ahead];

	memset(slot, 0, sizeof(*slot));
	if (run_round(all, (uint32_t)number, slot) == 0)
		drop_samples(all->plan, number, &slot->result);
	return 0;
}

static int done(void *context, uint64_t number)
{
	struct simulation *all = context;
	struct slot *slot = &all->slots[number % all->ahead];

	if (slot->error.status) {
		*all->error = slot->error;
		lab_result_fini(&slot->result);
		return -EIO;
	}
	compare_tally_add(all->tally, &slot->result);
	lab_result_fini(&slot->result);
	all->done++;
	return 0;
}

static void tick(void *context, const struct cmd_pool_state *state)
{
	struct simulation *all = context;

	if (state->elapsed_ns < PATIENT_NS)
		return;
	cmd_progress_count(&all->progress, state->finished,
			   all->plan->round_count);
}

/* Ctrl-C: the rounds that never ran are there, as the lab has them. */
static int add_rest(struct simulation *all)
{
	struct lab_result none = { .is_interrupted = true };
	uint32_t i;

	if (all->done == 0) {
		(void)fp_error_set(all->error, FP_EXIT_FAILED,
				   "interrupted before anything was seen");
		return -EINTR;
	}
	(void)fp_error_set(&none.error, FP_EXIT_FAILED,
			   "interrupted before this round began");
	for (i = all->done; i < all->plan->round_count; i++)
		compare_tally_add(all->tally, &none);
	return 0;
}

static int run_pool(struct simulation *all)
{
	const struct cmd_pool pool = {
		.count = all->plan->round_count,
		.workers = all->plan->concurrency,
		.ahead = all->ahead,
		.job = job,
		.done = done,
		.tick = tick,
		.context = all,
	};
	int result = cmd_pool_run(&pool);

	if (result == -EINTR)
		return add_rest(all);
	if (result < 0 && !all->error->status)
		return fp_error_errno(all->error, -result,
				      "cannot run simulations");
	return result;
}

int compare_simulate(const struct compare_plan *plan,
		     struct compare_tally *tally, struct fp_error *error)
{
	struct simulation all = {
		.plan = plan,
		.tally = tally,
		.error = error,
		.ahead = plan->round_count < AHEAD ? plan->round_count : AHEAD,
	};
	uint32_t i;
	int result;

	memset(error, 0, sizeof(*error));
	all.slots = calloc(all.ahead, sizeof(*all.slots));
	if (!all.slots)
		return fp_error_errno(error, ENOMEM, "cannot keep %u results",
				      all.ahead);
	cmd_progress_init(&all.progress, NULL, plan->options->quiet);
	result = run_pool(&all);
	cmd_progress_fini(&all.progress);
	for (i = 0; i < all.ahead; i++) /* what never had its turn */
		lab_result_fini(&all.slots[i].result);
	free(all.slots);
	return result;
}
