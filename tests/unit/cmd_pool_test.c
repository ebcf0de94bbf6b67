/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/pool.h"
#include "sys/kernel.h"

#define JOBS_MAX 1000

/* What a run of jobs left behind. */
struct seen {
	atomic_uint runs[JOBS_MAX];  /* of each job */
	atomic_uint order[JOBS_MAX]; /* numbers as jobs started */
	atomic_uint started, past;   /* past: started beyond the window */
	atomic_uint_fast64_t done;   /* next number that done() expects */
	bool is_in_order;
	uint32_t ahead, ticks;
	uint32_t sleeps_us; /* of every seventh job */
	int signal;         /* that job signal_at sends */
	int64_t signal_at;
	const int *results, *done_results; /* by number, or NULL */
	pthread_barrier_t *meeting;
};

static void rest(uint32_t us)
{
	const struct timespec time = { .tv_nsec = (long)us * 1000 };

	(void)nanosleep(&time, NULL);
}

static int job(void *context, uint64_t number)
{
	struct seen *seen = context;

	seen->order[seen->started++] = (unsigned)number;
	seen->runs[number]++;
	if (number >= seen->done + seen->ahead)
		seen->past++;
	if (seen->meeting)
		(void)pthread_barrier_wait(seen->meeting);
	if (seen->sleeps_us && number % 7 == 0)
		rest(seen->sleeps_us);
	if (seen->signal && (int64_t)number == seen->signal_at) {
		(void)kill(getpid(), seen->signal);
		while (seen->signal == SIGTERM && !cmd_pool_is_stopping())
			rest(100);
	}
	return seen->results ? seen->results[number] : 0;
}

static int done(void *context, uint64_t number)
{
	struct seen *seen = context;

	if (number != seen->done)
		seen->is_in_order = false;
	if (seen->done_results && seen->done_results[number] < 0)
		return seen->done_results[number];
	seen->done++;
	return 0;
}

static void tick(void *context, const struct cmd_pool_state *state)
{
	struct seen *seen = context;

	if (state->done > state->finished)
		seen->is_in_order = false;
	seen->ticks++;
}

static int run(struct seen *seen, uint64_t count, uint32_t workers)
{
	struct cmd_pool pool = { .count = count,
				 .workers = workers,
				 .ahead = seen->ahead,
				 .job = job,
				 .done = done,
				 .tick = tick,
				 .context = seen };

	seen->is_in_order = true;
	return cmd_pool_run(&pool);
}

/* Every seventh job takes longer than those around it, so others overtake it;
 * done() must not show that. Job n may start once n - ahead is done. */
static void results_come_in_order_from_any_number_of_workers(void **state)
{
	static const uint32_t workers[] = { 1, 2, 3, 8, 64 };
	size_t i, k;

	for (i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		struct seen seen = { .ahead = 5, .sleeps_us = 300 };

		assert_int_equal(run(&seen, 300, workers[i]), 0);
		assert_int_equal(seen.done, 300);
		assert_true(seen.is_in_order);
		assert_int_equal(seen.past, 0);
		for (k = 0; k < 300; k++)
			assert_int_equal(seen.runs[k], 1);
	}
}

/* Four jobs that each wait for three others end only if four run at once. */
static void workers_run_at_the_same_time(void **state)
{
	pthread_barrier_t meeting;
	struct seen seen = { .ahead = 4, .meeting = &meeting };

	assert_int_equal(pthread_barrier_init(&meeting, NULL, 4), 0);
	assert_int_equal(run(&seen, 4, 4), 0);
	assert_int_equal(seen.done, 4);
	(void)pthread_barrier_destroy(&meeting);
}

static uint64_t cost(void *context, uint64_t number)
{
	static const uint64_t costs[] = { 1, 4, 2, 4, 9, 3 };

	return costs[number];
}

/* Four may start: costs 1 4 2 4. The longest first, of equals the first: 1, 3,
 * 2, 0. Job 0 holds the window, so 4 and 5 come after it: 9 before 3. */
static void the_longest_job_within_reach_starts_first(void **state)
{
	static const unsigned order[] = { 1, 3, 2, 0, 4, 5 };
	struct seen seen = { .ahead = 4, .is_in_order = true };
	struct cmd_pool pool = { .count = 6,
				 .workers = 1,
				 .ahead = 4,
				 .job = job,
				 .done = done,
				 .cost = cost,
				 .context = &seen };
	size_t i;

	assert_int_equal(cmd_pool_run(&pool), 0);
	assert_true(seen.is_in_order);
	for (i = 0; i < 4; i++)
		assert_int_equal(seen.order[i], order[i]);
}

/* Of two that wait: 0 and 1 (costs 1 and 4): 1; 0 and 2 (1, 2): 2; 0 and 3: 3;
 * 0, alone within reach of four: 0. Then 4 and 5: 9 before 3. */
static void what_is_out_of_reach_waits(void **state)
{
	static const unsigned order[] = { 1, 2, 3, 0, 4, 5 };
	struct seen seen = { .ahead = 4, .is_in_order = true };
	struct cmd_pool pool = { .count = 6,
				 .workers = 1,
				 .ahead = 4,
				 .job = job,
				 .done = done,
				 .cost = cost,
				 .reach = 2,
				 .context = &seen };
	size_t i;

	assert_int_equal(cmd_pool_run(&pool), 0);
	assert_true(seen.is_in_order);
	for (i = 0; i < 4; i++)
		assert_int_equal(seen.order[i], order[i]);
}

/* Jobs 3 and 5 fail; which ends first does not matter: 3 is told. */
static void the_first_failure_in_order_is_told(void **state)
{
	static const int results[20] = { [3] = -ENOSPC, [5] = -EIO };
	static const int done_results[20] = { [2] = -EPIPE };
	struct seen seen = { .ahead = 8, .results = results };
	struct seen writer = { .ahead = 8, .done_results = done_results };

	assert_int_equal(run(&seen, 20, 4), -ENOSPC);
	assert_int_equal(seen.done, 3);
	assert_true(seen.is_in_order);
	assert_true(seen.started <= 3 + 8);
	assert_int_equal(run(&writer, 20, 4), -EPIPE);
	assert_int_equal(writer.done, 2);
}

/* Job 10 returns when the signal has come: none starts after it, and the 11
 * that ended are worked off. */
static void a_signal_ends_the_run_and_loses_nothing_that_ended(void **state)
{
	struct seen seen = { .ahead = 4, .signal = SIGTERM, .signal_at = 10 };
	struct sigaction before, after;

	assert_int_equal(sigaction(SIGTERM, NULL, &before), 0);
	assert_int_equal(run(&seen, 100, 1), -EINTR);
	assert_int_equal(seen.done, 11);
	assert_int_equal(seen.started, 11);
	assert_int_equal(sigaction(SIGTERM, NULL, &after), 0);
	assert_ptr_equal(after.sa_handler, before.sa_handler);
}

static void a_signal_with_the_last_job_is_no_failure(void **state)
{
	struct seen seen = { .ahead = 4, .signal = SIGTERM, .signal_at = 9 };

	assert_int_equal(run(&seen, 10, 1), 0);
	assert_int_equal(seen.done, 10);
}

/* As nohup and background jobs of a shell have it. */
static void an_ignored_signal_stays_ignored(void **state)
{
	struct seen seen = { .ahead = 4, .signal = SIGINT, .signal_at = 10 };

	(void)signal(SIGINT, SIG_IGN);
	assert_int_equal(run(&seen, 100, 2), 0);
	assert_int_equal(seen.done, 100);
	(void)signal(SIGINT, SIG_DFL);
}

/* 40 jobs of 10 ms, one after the other, are 400 ms: 3 or 4 ticks of 100 ms; a
 * busy machine takes longer. */
static void progress_is_told_while_jobs_run(void **state)
{
	struct seen seen = { .ahead = 280, .sleeps_us = 10000 };

	assert_int_equal(run(&seen, 280, 1), 0);
	assert_true(seen.ticks >= 2);
	assert_true(seen.is_in_order);
}

static void numbers_out_of_range_are_refused(void **state)
{
	struct seen none = { .ahead = 0 };
	struct seen many = { .ahead = CMD_POOL_AHEAD_MAX + 1 };
	struct seen idle = { .ahead = 1 };

	assert_int_equal(run(&none, 1, 1), -EINVAL);
	assert_int_equal(run(&many, 1, 1), -EINVAL);
	assert_int_equal(run(&idle, 0, 1), 0);
	assert_int_equal(none.started + many.started + idle.started, 0);
}

static void processors_are_those_that_the_process_may_use(void **state)
{
	cpu_set_t all, one;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(fp_kernel_cores(), CPU_COUNT(&all));
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(fp_kernel_cores(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    results_come_in_order_from_any_number_of_workers),
		cmocka_unit_test(workers_run_at_the_same_time),
		cmocka_unit_test(the_longest_job_within_reach_starts_first),
		cmocka_unit_test(what_is_out_of_reach_waits),
		cmocka_unit_test(the_first_failure_in_order_is_told),
		cmocka_unit_test(
		    a_signal_ends_the_run_and_loses_nothing_that_ended),
		cmocka_unit_test(a_signal_with_the_last_job_is_no_failure),
		cmocka_unit_test(an_ignored_signal_stays_ignored),
		cmocka_unit_test(progress_is_told_while_jobs_run),
		cmocka_unit_test(numbers_out_of_range_are_refused),
		cmocka_unit_test(processors_are_those_that_the_process_may_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
