/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jobs on all processors, their results in order.
 *
 * Jobs are numbers. Workers run them in any order, at most so many ahead of the
 * oldest that is not worked off; done() is told of each in order of number, so
 * what it writes does not depend on how many workers there are. Where a job
 * keeps its result in slot number % ahead, memory is bounded.
 */
#ifndef CMD_POOL_H
#define CMD_POOL_H

#include <stdbool.h>
#include <stdint.h>

#define CMD_POOL_AHEAD_MAX   65536
#define CMD_POOL_WORKERS_MAX 4096

struct cmd_pool_state {
	uint64_t done;       /* done() was called for so many */
	uint64_t finished;   /* and so many jobs have ended */
	uint64_t elapsed_ns; /* since cmd_pool_run() */
};

struct cmd_pool {
	uint64_t count;   /* jobs, numbered from 0 */
	uint32_t workers; /* threads; 0: fp_kernel_cores() */
	uint32_t ahead;   /* 1 … CMD_POOL_AHEAD_MAX: job n starts after done()
			     of job n - ahead */
	/* Runs on any worker. Returns 0, or a negative errno, which ends the
	 * run when it is this job's turn. */
	int (*job)(void *context, uint64_t number);
	/* Runs on the caller's thread, in order; while it does, the slot of
	 * number is its own. Returns 0, or a negative errno that ends the run.
	 */
	int (*done)(void *context, uint64_t number);
	/* How long a job takes, in any unit: of the first reach that wait, the
	 * longest starts. Caller's thread. NULL: in order of number. */
	uint64_t (*cost)(void *context, uint64_t number);
	uint32_t reach; /* 0: all that may start. Less keeps what is finished
			   out of turn small, and lost by a kill */
	/* Runs on the caller's thread about ten times a second. NULL: nothing.
	 */
	void (*tick)(void *context, const struct cmd_pool_state *state);
	void *context;
};

/*
 * Runs all jobs. After SIGINT or SIGTERM no job starts any more; those that run
 * end, and done() is called for those in order that have; a second such signal
 * kills as usual, which stderr is told where those that run take a while. A
 * signal that was ignored stays ignored. Returns 0; -EINTR after a signal; what
 * a job or done() returned, of the lowest number; -EINVAL for numbers out of
 * range; -ENOMEM; -EAGAIN when no thread could be started.
 */
int cmd_pool_run(const struct cmd_pool *pool);

/* Tells, in a job, that a signal asks to end soon. */
bool cmd_pool_is_stopping(void);

#endif
