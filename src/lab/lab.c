/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/lab.h"

#include "lab/round.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SLOTS           64 /* as struct lab_progress */
#define PROGRESS_MS     200
#define HISTORY         5 /* looks of PROGRESS_MS each: one second */
#define DURATION_MAX_NS (24ull * 3600 * 1000000000)

/* What had been received at a moment. */
struct look {
	uint64_t time_ns, bytes;
	uint64_t flow_bytes[LAB_PROGRESS_FLOWS];
};

/* A round that is running. */
struct slot {
	bool is_busy;
	uint32_t number; /* of the round */
	struct lab_round_run run;
	struct look past[HISTORY]; /* ring of the last looks */
	uint32_t looks;
};

struct runner {
	const struct lab_round *rounds;
	uint32_t count;
	const struct lab_run_options *options;
	struct lab_result *results;
	uint32_t concurrency;
	uint32_t next, running, done;
	uint32_t interrupts; /* Ctrl-C so often */
	int signal_fd;
	uint64_t shown_ns;
	struct slot slots[SLOTS];
};

/* --- Checks -----------------------------------------------------------------
 */

static int check_groups(const struct lab_round *round, struct fp_error *error)
{
	uint32_t flows = 0;
	uint32_t i;
	int status;

	if (!round->group_count || round->group_count > LAB_GROUPS_MAX)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "a round takes 1 to %d algorithms, not %u",
				    LAB_GROUPS_MAX, round->group_count);
	for (i = 0; i < round->group_count; i++) {
		if (!round->groups[i].flows ||
		    round->groups[i].flows > LAB_FLOWS_MAX)
			return fp_error_set(error, FP_EXIT_USAGE,
					    "a group takes 1 to %d flows, not "
					    "%u",
					    LAB_FLOWS_MAX,
					    round->groups[i].flows);
		flows += round->groups[i].flows;
		status = lab_check_algorithm(round->groups[i].algorithm, error);
		if (status < 0)
			return status;
	}
	if (flows > LAB_FLOWS_MAX)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "a round takes at most %d flows, not %u",
				    LAB_FLOWS_MAX, flows);
	return 0;
}

static int check_round(const struct lab_round *round, struct fp_error *error)
{
	int status = check_groups(round, error);

	if (status < 0)
		return status;
	if (!round->duration_ns || round->duration_ns > DURATION_MAX_NS ||
	    round->warmup_ns > DURATION_MAX_NS)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "a round takes up to 24 hours, and not 0 "
				    "seconds");
	return round->with_iperf3 ? lab_iperf3_check(round, error) : 0;
}

/* --- Progress ----------------------------------------------------------------
 */

/* Looks at a round, and compares with the oldest look that is kept, of about a
 * second ago. */
static void show_slot(struct slot *slot, uint64_t now_ns,
		      struct lab_progress_round *shown)
{
	struct look *place = &slot->past[slot->looks % HISTORY];
	struct look then = { .time_ns = slot->run.tree.started_ns };
	uint64_t time_ns;
	uint32_t i;

	if (slot->looks >= HISTORY)
		then = *place;
	time_ns = now_ns - then.time_ns;
	place->time_ns = now_ns;
	place->bytes = lab_round_received_bytes(&slot->run, place->flow_bytes);
	slot->looks++;
	shown->round = slot->number;
	shown->elapsed_s = (double)(now_ns - slot->run.tree.started_ns) / 1e9;
	shown->total_s = lab_round_total_s(slot->run.round);
	shown->rate_bps = lab_rate_bps(place->bytes - then.bytes, time_ns);
	shown->flow_count = slot->run.shared->flow_count;
	if (shown->flow_count > LAB_PROGRESS_FLOWS)
		shown->flow_count = LAB_PROGRESS_FLOWS;
	for (i = 0; i < shown->flow_count; i++)
		shown->flow_bps[i] = lab_rate_bps(
		    place->flow_bytes[i] - then.flow_bytes[i], time_ns);
}

static void show_progress(struct runner *runner)
{
	struct lab_progress progress = { .rounds = runner->count,
					 .rounds_done = runner->done };
	uint64_t now_ns = fp_clock_ns();
	uint32_t i;

	if (!runner->options->progress ||
	    now_ns < runner->shown_ns + PROGRESS_MS * 1000000ull)
		return;
	runner->shown_ns = now_ns;
	for (i = 0; i < runner->concurrency; i++) {
		struct slot *slot = &runner->slots[i];

		if (!slot->is_busy)
			continue;
		show_slot(slot, now_ns,
			  &progress.running[progress.running_count++]);
	}
	runner->options->progress(&progress, runner->options->context);
}

/* --- Running -----------------------------------------------------------------
 */

static void collect(struct runner *runner, struct slot *slot, bool is_killed)
{
	struct lab_result *result = &runner->results[slot->number];

	lab_round_collect(&slot->run, is_killed, result);
	result->is_interrupted = runner->interrupts > 0;
	if (runner->interrupts)
		lab_result_add_note(result, "interrupted: ended early");
	slot->is_busy = false;
	runner->running--;
	runner->done++;
}

static int launch(struct runner *runner, struct slot *slot,
		  struct fp_error *error)
{
	int status;

	memset(slot, 0, sizeof(*slot));
	slot->number = runner->next;
	status = lab_round_start(&slot->run, &runner->rounds[slot->number],
				 (uint32_t)(slot - runner->slots), error);
	if (status < 0)
		return status;
	slot->is_busy = true;
	runner->next++;
	runner->running++;
	return 0;
}

static int launch_what_fits(struct runner *runner, struct fp_error *error)
{
	uint32_t i;
	int status;

	for (i = 0; i < runner->concurrency; i++) {
		if (runner->next == runner->count || runner->interrupts)
			return 0;
		if (runner->slots[i].is_busy)
			continue;
		status = launch(runner, &runner->slots[i], error);
		if (status < 0)
			return status;
	}
	return 0;
}

/* The first Ctrl-C ends all with what was seen, the second at once. */
static void take_interrupt(struct runner *runner)
{
	struct signalfd_siginfo info;
	uint32_t i;

	if (read(runner->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	runner->interrupts++;
	for (i = 0; i < runner->concurrency; i++) {
		if (!runner->slots[i].is_busy)
			continue;
		if (runner->interrupts > 1)
			collect(runner, &runner->slots[i], true);
		else
			lab_tree_stop(&runner->slots[i].run.tree);
	}
}

static void wait_a_while(struct runner *runner)
{
	struct pollfd fds[SLOTS + 1];
	uint32_t i;

	/* a negative descriptor is passed over */
	for (i = 0; i < runner->concurrency; i++)
		fds[i] = (struct pollfd){
			.fd = runner->slots[i].is_busy
				  ? runner->slots[i].run.tree.pidfd
				  : -1,
			.events = POLLIN,
		};
	fds[i] = (struct pollfd){ .fd = runner->signal_fd, .events = POLLIN };
	if (poll(fds, i + 1, PROGRESS_MS) < 0)
		return;
	for (i = 0; i < runner->concurrency; i++)
		if (fds[i].revents)
			collect(runner, &runner->slots[i], false);
	if (fds[i].revents)
		take_interrupt(runner);
}

/* Nothing can run here: the first round that says so speaks for all. */
static const struct lab_result *find_impossible(const struct runner *runner)
{
	uint32_t i;

	for (i = 0; i < runner->count; i++)
		if (runner->results[i].error.status == FP_EXIT_IMPOSSIBLE)
			return &runner->results[i];
	return NULL;
}

static int run_all(struct runner *runner, struct fp_error *error)
{
	const struct lab_result *impossible = NULL;
	int status = 0;

	while (!impossible && status == 0) {
		status = launch_what_fits(runner, error);
		if (!runner->running)
			break;
		wait_a_while(runner);
		show_progress(runner);
		impossible = find_impossible(runner);
	}
	if (impossible) {
		if (error)
			*error = impossible->error;
		status = -EOPNOTSUPP;
	}
	return status;
}

/* Kills what still runs and says what never ran. */
static void finish(struct runner *runner)
{
	uint32_t i;

	for (i = 0; i < runner->concurrency; i++)
		if (runner->slots[i].is_busy)
			collect(runner, &runner->slots[i], true);
	for (i = runner->next; i < runner->count; i++) {
		(void)fp_error_set(&runner->results[i].error, FP_EXIT_FAILED,
				   "interrupted before this round began");
		runner->results[i].is_interrupted = runner->interrupts > 0;
	}
}

static int run_with_signals(struct runner *runner, struct fp_error *error)
{
	sigset_t mask, old_mask;
	int status;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGTERM);
	status = pthread_sigmask(SIG_BLOCK, &mask, &old_mask);
	if (status)
		return fp_error_errno(error, status, "cannot block signals");
	runner->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (runner->signal_fd < 0) {
		status = fp_error_errno(error, errno, "cannot watch signals");
	} else {
		status = run_all(runner, error);
		finish(runner);
		(void)close(runner->signal_fd);
	}
	(void)pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
	return status;
}

static uint32_t choose_concurrency(const struct lab_round *rounds,
				   uint32_t count,
				   const struct lab_run_options *options)
{
	uint32_t concurrency = options->concurrency;
	char reason[128];

	if (!concurrency)
		concurrency = lab_plan(rounds, count, reason, sizeof(reason));
	if (concurrency > count)
		concurrency = count;
	return concurrency > SLOTS ? SLOTS : concurrency;
}

int lab_run(const struct lab_round *rounds, uint32_t count,
	    const struct lab_run_options *options, struct lab_result *results,
	    struct fp_error *error)
{
	static const struct lab_run_options no_options;
	struct runner *runner;
	int status;
	uint32_t i;

	memset(results, 0, count * sizeof(*results));
	for (i = 0; i < count; i++) {
		status = check_round(&rounds[i], error);
		if (status < 0)
			return status;
	}
	runner = calloc(1, sizeof(*runner));
	if (!runner)
		return fp_error_errno(error, ENOMEM, "cannot run rounds");
	runner->rounds = rounds;
	runner->count = count;
	runner->results = results;
	runner->options = options ? options : &no_options;
	runner->concurrency =
	    choose_concurrency(rounds, count, runner->options);
	status = run_with_signals(runner, error);
	free(runner);
	for (i = 0; status < 0 && i < count; i++)
		lab_result_fini(&results[i]);
	return status;
}
