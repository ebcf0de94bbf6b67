/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a sweep will take, before it runs: some of its points stand for all, and
 * a short simulation tells what a packet costs on this machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "cmd/command.h"
#include "cmd/meter.h"
#include "cmd/sweep_point.h"
#include "sys/error.h"
#include "sys/kernel.h"

#define SAMPLES_MOST   500
#define PATIENCE_S     600     /* longer asks for --yes */
#define POINTS_EASY    1000000 /* more ask for --yes */
#define PACKET_NS_MOST 2000    /* on a slow machine */
#define LINE_BYTES     800     /* of a point, about */
#define RUN_NS         30000   /* of a simulation, without its packets */
#define COLUMN         12
#define SECOND_NS      1000000000ull
#define TEXT_BYTES     32

struct estimate {
	double packets; /* of all runs */
	double simulated_s;
	double packet_ns; /* on this machine */
	double cpu_s, wall_s;
	uint32_t cores;
};

/* --- What a packet costs -------------------------------------------------- */

static double cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* exists */
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int time_scenario(const struct cmd_scenario *scenario, double *ret_ns,
			 struct fp_error *error)
{
	struct fp_sim_config config;
	struct fp_sim_result seen;
	double start_ns;
	int result = cmd_scenario_init(scenario, &config, error);

	if (result < 0)
		return result;
	start_ns = cpu_ns();
	result = fp_sim_run(&config, &seen);
	if (result == 0) {
		*ret_ns = (cpu_ns() - start_ns) /
			  fmax((double)seen.way[0].packets, 1);
		fp_sim_result_fini(&seen);
	} else {
		(void)fp_error_errno(error, -result, "cannot simulate");
	}
	cmd_scenario_fini(&config);
	return result;
}

/* 1 s of BBR over 100 Mbit/s and 20 ms with some loss: 8,000 packets. */
static int measure_packet(double *ret_ns, struct fp_error *error)
{
	static const char *const path[][2] = { { "rtt", "20ms" },
					       { "loss", "0.1%" },
					       { "rate", "100mbit" } };
	struct spec_builder *builder = spec_builder_new();
	struct compare_options options;
	struct compare_plan plan;
	struct lab_round round;
	int result = builder ? 0 : -ENOMEM;
	size_t i;

	compare_options_init(&options);
	options.sim = true;
	options.cc = "bbr";
	options.seeds = 1;
	options.sample_ns = options.warmup_ns = 0;
	options.duration_ns = SECOND_NS;
	for (i = 0; i < sizeof(path) / sizeof(path[0]) && result == 0; i++)
		result =
		    spec_builder_set(builder, path[i][0], path[i][1], error);
	if (result == 0)
		result = compare_plan_init(&plan, &options, builder, error);
	spec_builder_free(builder);
	if (result == 0) {
		const struct cmd_scenario scenario =
		    compare_scenario(&plan, 0, &round);

		result = time_scenario(&scenario, ret_ns, error);
		compare_plan_fini(&plan);
	}
	return result;
}

/* --- What the sweep takes ------------------------------------------------- */

static int add_samples(const struct sweep *sweep, struct estimate *estimate,
		       struct fp_error *error)
{
	uint64_t count = sweep->count, i;
	uint64_t samples = count < SAMPLES_MOST ? count : SAMPLES_MOST;
	double runs = (double)count * (double)sweep->options.seeds;
	double each = runs / fmax((double)samples, 1);
	struct sweep_point point;
	int result;

	for (i = 0; i < samples; i++) { /* none where more shards than points */
		result = sweep_point_init(
		    &point, sweep, sweep_point_of(sweep, i * count / samples),
		    error);
		if (result < 0)
			return result;
		estimate->packets += each * sweep_point_packets(&point);
		estimate->simulated_s +=
		    each *
		    (double)(point.plan.warmup_ns + point.plan.duration_ns) /
		    1e9;
		sweep_point_fini(&point);
	}
	return 0;
}

static void sum_up(const struct sweep *sweep, struct estimate *estimate)
{
	double runs = (double)sweep->count * (double)sweep->options.seeds;

	estimate->cores = fp_kernel_cores();
	if (sweep->options.workers > 0 &&
	    sweep->options.workers < estimate->cores)
		estimate->cores = (uint32_t)sweep->options.workers;
	if (runs < estimate->cores)
		estimate->cores = (uint32_t)runs;
	estimate->cpu_s =
	    (estimate->packets * estimate->packet_ns + runs * RUN_NS) / 1e9;
	estimate->wall_s = estimate->cpu_s / fmax(estimate->cores, 1);
}

static bool is_easy(const struct sweep *sweep, const struct estimate *estimate)
{
	return estimate->wall_s <= PATIENCE_S && sweep->count <= POINTS_EASY;
}

/* Measures the machine only where that can decide. */
static int estimate_sweep(const struct sweep *sweep,
			  struct estimate *ret_estimate, struct fp_error *error)
{
	int result;

	*ret_estimate = (struct estimate){ .packet_ns = PACKET_NS_MOST };
	result = add_samples(sweep, ret_estimate, error);
	sum_up(sweep, ret_estimate);
	if (result < 0 ||
	    (is_easy(sweep, ret_estimate) && !sweep->options.plan))
		return result;
	result = measure_packet(&ret_estimate->packet_ns, error);
	sum_up(sweep, ret_estimate);
	return result;
}

static void print_plan(const struct sweep *sweep,
		       const struct estimate *estimate)
{
	char text[TEXT_BYTES];

	(void)printf("%-*s%" PRIu64, COLUMN, "points", sweep->count);
	if (sweep->shards > 1)
		(void)printf(" of %" PRIu64 ", shard %" PRIu64 "/%" PRIu64,
			     sweep->grid.points, sweep->shard + 1,
			     sweep->shards);
	(void)printf("\n%-*s%" PRIu64 ", %" PRIu64 " of each point\n", COLUMN,
		     "runs", sweep->count * sweep->options.seeds,
		     sweep->options.seeds);
	(void)printf("%-*s%s\n", COLUMN, "simulated",
		     cmd_meter_time(text, sizeof(text), estimate->simulated_s));
	(void)printf("%-*sabout %s of processor time, at %.0f ns a packet\n",
		     COLUMN, "takes",
		     cmd_meter_time(text, sizeof(text), estimate->cpu_s),
		     estimate->packet_ns);
	(void)printf("%-*sabout %s on %u cores\n", COLUMN, "",
		     cmd_meter_time(text, sizeof(text), estimate->wall_s),
		     estimate->cores);
	(void)printf("%-*sabout %s\n", COLUMN, "output",
		     fp_format(text, sizeof(text), FP_UNIT_BYTES,
			       (double)sweep->count * LINE_BYTES));
}

/* Too long to begin it by mistake. */
static int refuse(const struct sweep *sweep, const struct estimate *estimate)
{
	struct fp_error error;
	char wall[TEXT_BYTES], bytes[TEXT_BYTES];

	(void)fp_error_set(
	    &error, FP_EXIT_USAGE,
	    "this sweep has %" PRIu64 " points and takes about %s on %u cores, "
	    "for %s of output",
	    sweep->count, cmd_meter_time(wall, sizeof(wall), estimate->wall_s),
	    estimate->cores,
	    fp_format(bytes, sizeof(bytes), FP_UNIT_BYTES,
		      (double)sweep->count * LINE_BYTES));
	fp_error_hint(&error, "--yes runs it, --shard spreads it over "
			      "machines, --plan tells more");
	return cmd_fail(&error);
}

int sweep_plan(const struct sweep *sweep, bool *ret_goes_on)
{
	struct estimate estimate;
	struct fp_error error;

	*ret_goes_on = false;
	if (estimate_sweep(sweep, &estimate, &error) < 0)
		return cmd_fail(&error);
	if (sweep->options.plan) {
		print_plan(sweep, &estimate);
		return FP_EXIT_DONE;
	}
	if (!sweep->options.yes && !is_easy(sweep, &estimate))
		return refuse(sweep, &estimate);
	*ret_goes_on = true;
	return FP_EXIT_DONE;
}
