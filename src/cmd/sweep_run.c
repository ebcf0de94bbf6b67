/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs the points of a shard. A job is one seed of one point, so that few
 * points with many seeds spread over all cores too. Before the first, every
 * point is looked at: what cannot be simulated is refused at once, not after
 * hours, and what each will cost orders the jobs and tells the time left.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/meter.h"
#include "cmd/pool.h"
#include "cmd/sweep_point.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/kernel.h"

#define REACH       8 /* jobs for each core that are ordered by cost */
#define SLOTS_MOST  1024
#define SLOTS_LEAST 64
#define SLOTS_FLOWS 20000 /* of all results that wait for their turn */

struct slot { /* of a job until it is worked off */
	struct lab_result result;
	uint64_t timeouts;
	struct fp_error error; /* status 0: none */
};

struct run {
	const struct sweep *sweep;
	struct fp_error *error;
	float *costs;   /* of one seed, by point of this shard */
	uint64_t first; /* points before it are in the file already */
	uint64_t seeds;
	struct slot *slots;
	uint32_t ahead, reach;
	struct cmd_meter meter;
	double cost;                    /* of all jobs */
	atomic_uint_fast64_t cost_done; /* of those that have ended */
	struct sweep_files files;
	/* the point that seeds are added to */
	struct sweep_point point;
	struct sweep_tally tally;
	bool has_point;
	struct out_sweep_row *rows; /* for --table */
	uint32_t row_count;
};

/* What a pool returned, in words. */
static int tell(const struct run *run, int result, const char *what)
{
	if (result < 0 && result != -EINTR && !run->error->status)
		(void)fp_error_errno(run->error, -result, "%s", what);
	return result;
}

/* --- Looking at all points ------------------------------------------------ */

static int check_job(void *context, uint64_t number)
{
	struct run *run = context;
	struct slot *slot = &run->slots[number % run->ahead];
	struct sweep_point point;

	slot->error.status = 0;
	if (sweep_point_init(&point, run->sweep,
			     sweep_point_of(run->sweep, number),
			     &slot->error) < 0)
		return 0;
	run->costs[number] = (float)sweep_point_packets(&point);
	sweep_point_fini(&point);
	return 0;
}

static int check_done(void *context, uint64_t number)
{
	struct run *run = context;
	struct slot *slot = &run->slots[number % run->ahead];

	if (slot->error.status) {
		*run->error = slot->error;
		return -EINVAL;
	}
	return 0;
}

static void check_tick(void *context, const struct cmd_pool_state *state)
{
	struct run *run = context;
	const struct cmd_meter_state meter = {
		.what = "points checked",
		.done = state->done,
		.count = run->sweep->count,
		.share = (double)state->done / (double)run->sweep->count,
		.elapsed_ns = state->elapsed_ns,
	};

	cmd_meter_show(&run->meter, &meter);
}

static int check_points(struct run *run)
{
	const struct cmd_pool pool = {
		.count = run->sweep->count,
		.workers = (uint32_t)run->sweep->options.workers,
		.ahead = run->ahead,
		.job = check_job,
		.done = check_done,
		.tick = check_tick,
		.context = run,
	};

	return tell(run, cmd_pool_run(&pool), "cannot look at all points");
}

/* --- Running them --------------------------------------------------------- */

static uint64_t local_of(const struct run *run, uint64_t job)
{
	return run->first + job / run->seeds;
}

static uint64_t cost_of(const struct run *run, uint64_t job)
{
	return (uint64_t)run->costs[local_of(run, job)];
}

static int simulate(const struct cmd_scenario *scenario, struct slot *slot)
{
	struct fp_sim_config config;
	struct fp_sim_result seen;
	uint32_t i;
	int result = cmd_scenario_init(scenario, &config, &slot->error);

	if (result < 0)
		return result;
	result = fp_sim_run(&config, &seen);
	if (result == 0) {
		for (i = 0; i < seen.flow_count; i++)
			slot->timeouts += seen.flows[i].timeouts;
		result = cmd_scenario_result(scenario, &seen, &slot->result);
		fp_sim_result_fini(&seen);
	}
	if (result < 0)
		(void)fp_error_errno(&slot->error, -result, "cannot simulate");
	cmd_scenario_fini(&config);
	return result;
}

/* What goes wrong is told in its turn, on the caller's thread. */
static int job(void *context, uint64_t number)
{
	struct run *run = context;
	struct slot *slot = &run->slots[number % run->ahead];
	struct cmd_scenario scenario;
	struct sweep_point point;
	struct lab_round round;

	memset(slot, 0, sizeof(*slot));
	if (sweep_point_init(&point, run->sweep,
			     sweep_point_of(run->sweep, local_of(run, number)),
			     &slot->error) < 0)
		return 0;
	scenario = compare_scenario(&point.plan,
				    (uint32_t)(number % run->seeds), &round);
	(void)simulate(&scenario, slot); /* slot->error has it */
	sweep_point_fini(&point);
	run->cost_done += cost_of(run, number);
	return 0;
}

static int begin_point(struct run *run, uint64_t number)
{
	int result =
	    sweep_point_init(&run->point, run->sweep, number, run->error);

	if (result < 0)
		return result;
	run->has_point = true;
	return sweep_tally_begin(&run->tally, run->sweep, &run->point);
}

static void end_point(struct run *run)
{
	if (!run->has_point)
		return;
	sweep_tally_fini(&run->tally);
	sweep_point_fini(&run->point);
	run->has_point = false;
}

static int write_point(struct run *run)
{
	struct out_sweep_row row;
	char *line;
	int result;

	sweep_tally_end(&run->tally, &row);
	line = out_sweep_line(&run->sweep->fields, &row);
	if (!line)
		return -ENOMEM;
	result = sweep_files_add(&run->files, line, run->error);
	free(line);
	if (run->rows) {
		/* of the row's texts these alone are the point's */
		row.path = row.path_back = NULL;
		run->rows[run->row_count++] = row;
	}
	return result;
}

static int done(void *context, uint64_t number)
{
	struct run *run = context;
	struct slot *slot = &run->slots[number % run->ahead];
	uint64_t local = local_of(run, number);
	int result = 0;

	if (slot->error.status) {
		*run->error = slot->error;
		result = -EIO;
	}
	if (result == 0 && number % run->seeds == 0)
		result = begin_point(run, sweep_point_of(run->sweep, local));
	if (result == 0)
		result =
		    sweep_tally_add(&run->tally, &slot->result, slot->timeouts);
	if (result == 0 && number % run->seeds == run->seeds - 1) {
		result = write_point(run);
		end_point(run);
	}
	lab_result_fini(&slot->result);
	return result;
}

static uint64_t cost(void *context, uint64_t number)
{
	return cost_of(context, number);
}

static void tick(void *context, const struct cmd_pool_state *state)
{
	struct run *run = context;

	const struct cmd_meter_state meter = {
		.what = "runs",
		.done = run->first * run->seeds + state->finished,
		.count = run->sweep->count * run->seeds,
		.share = run->cost > 0 ? (double)run->cost_done / run->cost : 0,
		.elapsed_ns = state->elapsed_ns,
	};

	cmd_meter_show(&run->meter, &meter);
}

static int run_points(struct run *run)
{
	const struct cmd_pool pool = {
		.count = (run->sweep->count - run->first) * run->seeds,
		.workers = (uint32_t)run->sweep->options.workers,
		.ahead = run->ahead,
		.job = job,
		.done = done,
		.cost = cost,
		.reach = run->reach,
		.tick = tick,
		.context = run,
	};
	int result = cmd_pool_run(&pool);

	uint32_t i;

	end_point(run);
	for (i = 0; i < run->ahead; i++) /* what never had its turn */
		lab_result_fini(&run->slots[i].result);
	return tell(run, result, "cannot run simulations");
}

/* --- The whole ------------------------------------------------------------ */

/* Results that wait hold all their flows: fewer of those that have many. */
static uint32_t choose_ahead(const struct sweep *sweep)
{
	const struct sweep_axis *flows = sweep_grid_find(&sweep->grid, "flows");
	uint64_t most = 1, number, slots;
	uint32_t i;

	for (i = 0; flows && i < flows->values.count; i++) {
		if (fp_parse_count(flows->values.values[i], &number) == 0 &&
		    number > most)
			most = number;
	}
	slots = SLOTS_FLOWS / most;
	if (slots > SLOTS_MOST)
		return SLOTS_MOST;
	return slots < SLOTS_LEAST ? SLOTS_LEAST : (uint32_t)slots;
}

static int run_init(struct run *run, const struct sweep *sweep,
		    struct fp_error *error)
{
	*run = (struct run){ .sweep = sweep,
			     .error = error,
			     .seeds = sweep->options.seeds,
			     .ahead = choose_ahead(sweep),
			     .reach = REACH * fp_kernel_cores() };
	error->status = 0;
	run->costs = calloc(sweep->count + 1, sizeof(*run->costs));
	run->slots = calloc(run->ahead, sizeof(*run->slots));
	if (sweep->options.table)
		run->rows = calloc(sweep->count + 1, sizeof(*run->rows));
	if (run->costs && run->slots && (run->rows || !sweep->options.table))
		return 0;
	return fp_error_errno(error, ENOMEM, "cannot hold %" PRIu64 " points",
			      sweep->count);
}

static void run_fini(struct run *run)
{
	free(run->costs);
	free(run->slots);
	free(run->rows);
}

static int run_to_files(struct run *run)
{
	uint64_t i;
	int result, closed;

	result = sweep_files_open(&run->files, run->sweep, run->error);
	if (result < 0)
		return result;
	run->first = run->files.have;
	for (i = run->first; i < run->sweep->count; i++)
		run->cost += floor((double)run->costs[i]) * (double)run->seeds;
	result = run_points(run);
	closed = sweep_files_close(&run->files, result < 0 ? NULL : run->error);
	return result < 0 ? result : closed;
}

static int run_all(struct run *run)
{
	int result = check_points(run);

	if (result == 0)
		result = run_to_files(run);
	cmd_meter_fini(&run->meter);
	if (result == -EINTR) {
		(void)fp_error_set(run->error, FP_EXIT_FAILED, "interrupted");
		if (run->sweep->options.out)
			fp_error_hint(run->error,
				      "--resume continues '%s' where it ends",
				      run->sweep->options.out);
	}
	return result;
}

int sweep_run(const struct sweep *sweep)
{
	struct fp_error error;
	struct run run;
	int result = run_init(&run, sweep, &error);

	cmd_meter_init(&run.meter, sweep->options.quiet);
	if (result == 0)
		result = run_all(&run);
	if (result == 0 && sweep->options.table)
		out_sweep_print(stdout, &sweep->fields, run.rows,
				run.row_count);
	run_fini(&run);
	return result < 0 ? cmd_fail(&error) : FP_EXIT_DONE;
}
