/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sys/clock.h"
#include "sys/kernel.h"

#define PATIENT_NS   500000000ull
#define TICK_NS      100000000ull
#define SECOND_NS    1000000000ull
#define JOB_NONE     UINT64_MAX
#define STOP_SIGNALS 2

static const int stop_signals[STOP_SIGNALS] = { SIGINT, SIGTERM };

/* A signal handler reaches nothing but a global; lock-free, so it may. */
static atomic_bool has_signal;

enum slot_state { SLOT_WAITING, SLOT_RUNNING, SLOT_READY };

struct slot {
	enum slot_state state;
	int result; /* of the job, once ready */
	uint64_t cost;
};

struct run {
	const struct cmd_pool *pool;
	pthread_mutex_t lock;
	pthread_cond_t room;  /* workers: a job may start, or it is over */
	pthread_cond_t ready; /* caller: a job has ended */
	struct slot *slots;   /* job n in slot n % ahead */
	uint64_t base;        /* the oldest job that is not worked off */
	uint64_t finished;
	uint32_t running; /* jobs */
	uint64_t start_ns;
	bool is_over; /* start no more */
};

struct signals {
	struct sigaction old[STOP_SIGNALS];
	sigset_t mask;
};

static void note_signal(int number)
{
	(void)number;
	has_signal = true;
}

bool cmd_pool_is_stopping(void)
{
	return has_signal;
}

static struct slot *slot_of(const struct run *run, uint64_t number)
{
	return &run->slots[number % run->pool->ahead];
}

/* One past the last job that may start. */
static uint64_t window_end(const struct run *run)
{
	uint64_t left = run->pool->count - run->base;

	return run->base + (left < run->pool->ahead ? left : run->pool->ahead);
}

/* The longest of the first that wait, the first of equals; JOB_NONE: none does.
 */
static uint64_t choose(const struct run *run)
{
	uint64_t end = window_end(run), best = JOB_NONE, number;
	uint32_t left = run->pool->reach ? run->pool->reach : UINT32_MAX;

	for (number = run->base; number < end && left > 0; number++) {
		const struct slot *slot = slot_of(run, number);

		if (slot->state != SLOT_WAITING)
			continue;
		left--;
		if (best == JOB_NONE || slot->cost > slot_of(run, best)->cost)
			best = number;
	}
	return best;
}

static void run_job(struct run *run, uint64_t number)
{
	struct slot *slot = slot_of(run, number);
	int result;

	slot->state = SLOT_RUNNING;
	run->running++;
	(void)pthread_mutex_unlock(&run->lock);
	result = run->pool->job(run->pool->context, number);
	(void)pthread_mutex_lock(&run->lock);
	slot->result = result;
	slot->state = SLOT_READY;
	run->finished++;
	run->running--;
	(void)pthread_cond_signal(&run->ready);
}

static void *work(void *argument)
{
	struct run *run = argument;
	uint64_t number;

	(void)pthread_mutex_lock(&run->lock);
	while (!run->is_over && !has_signal) {
		number = choose(run);
		if (number != JOB_NONE)
			run_job(run, number);
		else
			(void)pthread_cond_wait(&run->room, &run->lock);
	}
	(void)pthread_mutex_unlock(&run->lock);
	return NULL;
}

/* Makes the slot of a job that comes within reach. */
static void fill_slot(struct run *run, uint64_t number)
{
	const struct cmd_pool *pool = run->pool;

	*slot_of(run, number) = (struct slot){
		.cost = pool->cost ? pool->cost(pool->context, number) : 0
	};
}

/* The oldest job is ready: works it off. Called and left with the lock. */
static int work_off(struct run *run)
{
	const struct cmd_pool *pool = run->pool;
	int result = slot_of(run, run->base)->result;

	if (result < 0)
		return result;
	(void)pthread_mutex_unlock(&run->lock);
	result = pool->done(pool->context, run->base);
	(void)pthread_mutex_lock(&run->lock);
	if (result < 0)
		return result;
	if (pool->count - run->base > pool->ahead)
		fill_slot(run, run->base + pool->ahead);
	run->base++;
	(void)pthread_cond_signal(&run->room);
	return 0;
}

static bool is_ready(const struct run *run)
{
	return run->base < run->pool->count &&
	       slot_of(run, run->base)->state == SLOT_READY;
}

static void tick(struct run *run, uint64_t *due_ns)
{
	const struct cmd_pool *pool = run->pool;
	uint64_t now_ns = fp_clock_ns();
	struct cmd_pool_state state = { run->base, run->finished,
					now_ns - run->start_ns };

	if (now_ns < *due_ns)
		return;
	*due_ns = now_ns + TICK_NS;
	if (!pool->tick)
		return;
	(void)pthread_mutex_unlock(&run->lock);
	pool->tick(pool->context, &state);
	(void)pthread_mutex_lock(&run->lock);
}

static void wait_until(struct run *run, uint64_t due_ns)
{
	struct timespec due = { .tv_sec = (time_t)(due_ns / SECOND_NS),
				.tv_nsec = (long)(due_ns % SECOND_NS) };

	(void)pthread_cond_timedwait(&run->ready, &run->lock, &due);
}

/* Works jobs off in order until all are, one fails or a signal comes. */
static int collect(struct run *run)
{
	uint64_t due_ns = run->start_ns + TICK_NS;
	int result = 0;

	(void)pthread_mutex_lock(&run->lock);
	while (result == 0 && run->base < run->pool->count && !has_signal) {
		if (is_ready(run))
			result = work_off(run);
		else
			wait_until(run, due_ns);
		tick(run, &due_ns);
	}
	run->is_over = true;
	(void)pthread_cond_broadcast(&run->room);
	(void)pthread_mutex_unlock(&run->lock);
	return result;
}

/* A job cannot be broken off; whoever waits longer than a moment is told. */
static void wait_for_jobs(struct run *run)
{
	uint64_t patient_ns = fp_clock_ns() + PATIENT_NS;

	(void)pthread_mutex_lock(&run->lock);
	while (has_signal && run->running > 0 && fp_clock_ns() < patient_ns)
		wait_until(run, patient_ns);
	if (has_signal && run->running > 0)
		(void)fputs("fullpipe: ends when what runs is done; a second "
			    "signal ends it at once\n",
			    stderr);
	(void)pthread_mutex_unlock(&run->lock);
}

/* After a signal: what has ended meanwhile was not for nothing. */
static int collect_rest(struct run *run)
{
	int result = 0;

	(void)pthread_mutex_lock(&run->lock);
	while (result == 0 && is_ready(run))
		result = work_off(run);
	(void)pthread_mutex_unlock(&run->lock);
	if (result == 0 && run->base < run->pool->count)
		result = -EINTR;
	return result;
}

/* Workers inherit the blocked signals: the caller's thread takes them. */
static void catch_signals(struct signals *signals)
{
	struct sigaction note = { .sa_handler = note_signal,
				  .sa_flags = SA_RESETHAND | SA_RESTART };
	sigset_t stop;
	int i;

	has_signal = false;
	(void)sigemptyset(&stop);
	for (i = 0; i < STOP_SIGNALS; i++) {
		(void)sigaddset(&stop, stop_signals[i]);
		(void)sigaction(stop_signals[i], NULL, &signals->old[i]);
		if (signals->old[i].sa_handler != SIG_IGN)
			(void)sigaction(stop_signals[i], &note, NULL);
	}
	(void)pthread_sigmask(SIG_BLOCK, &stop, &signals->mask);
}

static void release_signals(const struct signals *signals)
{
	int i;

	for (i = 0; i < STOP_SIGNALS; i++)
		(void)sigaction(stop_signals[i], &signals->old[i], NULL);
}

/* Returns how many threads there are, as many as could be started. */
static uint32_t start_workers(struct run *run, pthread_t *threads,
			      uint32_t count)
{
	uint32_t started = 0;

	while (started < count &&
	       pthread_create(&threads[started], NULL, work, run) == 0)
		started++;
	return started;
}

static int run_threads(struct run *run, pthread_t *threads, uint32_t count)
{
	struct signals signals;
	uint32_t started, i;
	int result = -EAGAIN;

	catch_signals(&signals);
	started = start_workers(run, threads, count);
	(void)pthread_sigmask(SIG_SETMASK, &signals.mask, NULL);
	if (started > 0)
		result = collect(run);
	wait_for_jobs(run);
	for (i = 0; i < started; i++)
		(void)pthread_join(threads[i], NULL);
	if (started > 0 && result == 0)
		result = collect_rest(run);
	release_signals(&signals);
	return result;
}

static void run_init(struct run *run, const struct cmd_pool *pool)
{
	pthread_condattr_t monotonic;
	uint64_t number;

	run->pool = pool;
	run->start_ns = fp_clock_ns();
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_mutex_init(&run->lock, NULL);
	(void)pthread_cond_init(&run->room, NULL);
	(void)pthread_cond_init(&run->ready, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	for (number = 0; number < window_end(run); number++)
		fill_slot(run, number);
}

static void run_fini(struct run *run)
{
	(void)pthread_cond_destroy(&run->ready);
	(void)pthread_cond_destroy(&run->room);
	(void)pthread_mutex_destroy(&run->lock);
}

int cmd_pool_run(const struct cmd_pool *pool)
{
	uint32_t workers = pool->workers ? pool->workers : fp_kernel_cores();
	struct run run = { 0 };
	pthread_t *threads;
	int result = -ENOMEM;

	if (pool->ahead == 0 || pool->ahead > CMD_POOL_AHEAD_MAX)
		return -EINVAL;
	if (workers > CMD_POOL_WORKERS_MAX)
		workers = CMD_POOL_WORKERS_MAX;
	if (workers > pool->ahead)
		workers = pool->ahead;
	if (workers > pool->count)
		workers = (uint32_t)pool->count;
	if (pool->count == 0)
		return 0;
	run.slots = calloc(pool->ahead, sizeof(*run.slots));
	threads = calloc(workers, sizeof(*threads));
	if (run.slots && threads) {
		run_init(&run, pool);
		result = run_threads(&run, threads, workers);
		run_fini(&run);
	}
	free(threads);
	free(run.slots);
	return result;
}
