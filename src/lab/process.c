/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/process.h"

#include "lab/emulator.h"
#include "lab/world.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_MS 1000000u
/* From "end now" to SIGKILL. Our own processes need a millisecond; a user's
 * command may have something to put in order. */
#define GRACE_NS  2000000000ull

/* Pid 1 and its emulator thread. */
struct pid1 {
	struct lab_tree *tree;
	struct lab_world world;
	struct emulator *emulator; /* NULL: no emulator in this world */
	pthread_t thread;
	int emulator_stop_fd;
	int signal_fd; /* SIGCHLD */
	pid_t pids[LAB_CHILDREN_MAX];
	uint32_t running;
	uint64_t deadline_ns; /* told to end at limit; 0: none */
	uint64_t kill_ns;     /* told to end: when to kill; 0: not yet told */
};

int lab_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void notify(int event_fd)
{
	uint64_t one = 1;

	(void)!write(event_fd, &one, sizeof(one)); /* full means notified */
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) > 0;
}

void lab_tree_stop(const struct lab_tree *tree)
{
	notify(tree->stop_fd);
}

bool lab_tree_is_stopped(const struct lab_tree *tree)
{
	return is_readable(tree->stop_fd);
}

void lab_shared_fail(struct lab_shared *shared, const struct fp_error *error)
{
	if (!atomic_flag_test_and_set(&shared->has_failed))
		shared->error = *error;
}

void lab_die_with(int parent_pidfd)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* SIGKILL is a valid signal */
	if (is_readable(parent_pidfd))
		_exit(1);
}

double lab_cpu_s(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) /
		   1e6;
}

double lab_process_cpu_s(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage); /* arguments are valid */
	return lab_cpu_s(&usage);
}

/* --- A child ------------------------------------------------------------- */

/* Dispositions that pid 1 inherited stay: the child's run() sets what it
 * needs. */
static void unblock_signals(void)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* arguments are valid */
}

static int child_main(struct pid1 *pid1, const struct lab_child *child,
		      int parent_pidfd)
{
	struct fp_error error = { 0 };
	int status;

	lab_die_with(parent_pidfd);
	unblock_signals();
	if (lab_world_enter(&pid1->world, child->side, &error) < 0) {
		lab_shared_fail(pid1->tree->shared, &error);
		return FP_EXIT_FAILED;
	}
	/* a change of credentials may have dropped it */
	lab_die_with(parent_pidfd);
	status = child->run(child->context, &error);
	if (error.status)
		lab_shared_fail(pid1->tree->shared, &error);
	return status;
}

static int fork_children(struct pid1 *pid1, struct fp_error *error)
{
	struct lab_tree *tree = pid1->tree;
	int self_fd = lab_pidfd_open(getpid());
	uint32_t i;

	if (self_fd < 0)
		return fp_error_errno(error, errno, "cannot watch a process");
	for (i = 0; i < tree->child_count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(child_main(pid1, &tree->child[i], self_fd));
		if (pid < 0)
			return fp_error_errno(error, errno,
					      "cannot start the %s process",
					      tree->child[i].name);
		pid1->pids[i] = pid;
		pid1->running++;
	}
	(void)close(self_fd);
	return 0;
}

/* --- Pid 1 ---------------------------------------------------------------- */

static void *emulate(void *context)
{
	struct pid1 *pid1 = context;
	struct fp_error error = { 0 };

	if (emulator_run(pid1->emulator, pid1->emulator_stop_fd, &error) < 0) {
		lab_shared_fail(pid1->tree->shared, &error);
		lab_tree_stop(pid1->tree);
	}
	return NULL;
}

static int start_emulator(struct pid1 *pid1, struct fp_error *error)
{
	int status;

	if (!pid1->emulator)
		return 0;
	status = pthread_create(&pid1->thread, NULL, emulate, pid1);
	if (status)
		return fp_error_errno(error, status,
				      "cannot start the emulator's thread");
	return 0;
}

static void stop_emulator(struct pid1 *pid1)
{
	if (!pid1->emulator)
		return;
	notify(pid1->emulator_stop_fd);
	(void)pthread_join(pid1->thread, NULL); /* it was created */
	emulator_get_result(pid1->emulator, &pid1->tree->shared->result);
}

/* A process of ours that did not end by itself, with success, is a failure. */
static void judge_end(struct pid1 *pid1, const struct lab_child *child,
		      int wait_status)
{
	struct fp_error error;

	if (child->is_program)
		return;
	if (WIFSIGNALED(wait_status))
		(void)fp_error_set(&error, FP_EXIT_FAILED,
				   "the %s process died: signal %d",
				   child->name, WTERMSIG(wait_status));
	else if (WEXITSTATUS(wait_status))
		(void)fp_error_set(&error, FP_EXIT_FAILED,
				   "the %s process ended with status %d",
				   child->name, WEXITSTATUS(wait_status));
	else
		return;
	lab_shared_fail(pid1->tree->shared, &error);
	lab_tree_stop(pid1->tree);
}

static void child_ended(struct pid1 *pid1, uint32_t number, int wait_status,
			const struct rusage *usage)
{
	struct lab_tree *tree = pid1->tree;

	pid1->pids[number] = 0;
	pid1->running--;
	tree->shared->child[number].wait_status = wait_status;
	tree->shared->child[number].cpu_s = lab_cpu_s(usage);
	tree->shared->child[number].has_ended = true;
	judge_end(pid1, &tree->child[number], wait_status);
	if (tree->child[number].ends_all)
		lab_tree_stop(tree);
}

/* Collects what has ended; orphans of a user's command end up here too. */
static void reap(struct pid1 *pid1)
{
	struct signalfd_siginfo info;
	struct rusage usage;
	int wait_status;
	uint32_t i;
	pid_t pid;

	(void)!read(pid1->signal_fd, &info, sizeof(info)); /* several in one */
	while ((pid = wait4(-1, &wait_status, WNOHANG, &usage)) > 0) {
		for (i = 0; i < pid1->tree->child_count; i++)
			if (pid1->pids[i] == pid)
				child_ended(pid1, i, wait_status, &usage);
	}
}

static void signal_children(struct pid1 *pid1, bool is_last)
{
	uint32_t i;

	for (i = 0; i < pid1->tree->child_count; i++) {
		int number =
		    is_last ? SIGKILL : pid1->tree->child[i].stop_signal;

		if (pid1->pids[i] && number)
			(void)kill(pid1->pids[i], number); /* not yet reaped */
	}
}

/* Once all are told to end: signals now, SIGKILL after the grace. */
static void end_children(struct pid1 *pid1, uint64_t now_ns)
{
	if (!pid1->kill_ns) {
		signal_children(pid1, false);
		pid1->kill_ns = now_ns + GRACE_NS;
	} else if (now_ns >= pid1->kill_ns) {
		signal_children(pid1, true);
	}
}

static int milliseconds_until(uint64_t due_ns, uint64_t now_ns)
{
	uint64_t left_ns = due_ns > now_ns ? due_ns - now_ns : 0;
	uint64_t left_ms = left_ns / NS_PER_MS + 1;

	if (!due_ns)
		return -1;
	return left_ms > 60000 ? 60000 : (int)left_ms;
}

static void supervise(struct pid1 *pid1)
{
	struct pollfd fds[] = {
		{ .fd = pid1->signal_fd, .events = POLLIN },
		{ .fd = pid1->tree->stop_fd, .events = POLLIN },
	};

	while (pid1->running) {
		uint64_t now_ns = fp_clock_ns();
		bool is_told = pid1->kill_ns != 0;
		uint64_t due_ns = is_told ? pid1->kill_ns : pid1->deadline_ns;

		/* once told, stop_fd stays readable: look at it no more */
		(void)poll(fds, is_told ? 1 : 2,
			   milliseconds_until(due_ns, now_ns));
		now_ns = fp_clock_ns();
		reap(pid1);
		if (pid1->deadline_ns && now_ns >= pid1->deadline_ns)
			lab_tree_stop(pid1->tree);
		if (pid1->running && lab_tree_is_stopped(pid1->tree))
			end_children(pid1, now_ns);
	}
}

static int open_fds(struct pid1 *pid1, struct fp_error *error)
{
	sigset_t mask;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &mask, NULL); /* arguments are valid */
	pid1->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	pid1->emulator_stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pid1->signal_fd < 0 || pid1->emulator_stop_fd < 0)
		return fp_error_errno(error, errno, "cannot open an event");
	return 0;
}

static int prepare(struct pid1 *pid1, struct fp_error *error)
{
	struct lab_tree *tree = pid1->tree;
	struct lab_result *result = &tree->shared->result;
	int status = open_fds(pid1, error);

	if (status < 0)
		return status;
	status = lab_world_open(&pid1->world, tree->path, error);
	if (status < 0)
		return status;
	result->is_valid = true;
	result->backend = pid1->world.backend;
	result->is_user_namespace = pid1->world.is_user_namespace;
	(void)snprintf(result->note, sizeof(result->note), "%s",
		       pid1->world.note);
	if (pid1->world.backend == LAB_BACKEND_DIRECT)
		return 0;
	pid1->emulator = emulator_new(&pid1->world, tree->path, error);
	return pid1->emulator ? 0 : -EINVAL;
}

/* Children are forked before the thread starts: a fork of a process with
 * threads copies their locks in whatever state they are. */
static int run_world(struct pid1 *pid1, struct fp_error *error)
{
	int status = prepare(pid1, error);

	if (status < 0)
		return status;
	if (pid1->tree->limit_ns)
		pid1->deadline_ns = fp_clock_ns() + pid1->tree->limit_ns;
	status = fork_children(pid1, error);
	if (status < 0)
		return status;
	status = start_emulator(pid1, error);
	if (status < 0)
		return status;
	supervise(pid1);
	stop_emulator(pid1);
	return 0;
}

/* What is still alive when this returns dies with the PID namespace. */
static int pid1_main(struct lab_tree *tree, const struct lab_world *world,
		     int keeper_pidfd)
{
	struct pid1 pid1 = { .tree = tree, .world = *world };
	struct fp_error error = { 0 };

	lab_die_with(keeper_pidfd);
	if (run_world(&pid1, &error) < 0) {
		lab_shared_fail(tree->shared, &error);
		return FP_EXIT_FAILED;
	}
	atomic_store(&tree->shared->is_done, true);
	return 0;
}

/* --- The keeper ---------------------------------------------------------- */

static void keeper_report(struct lab_tree *tree, int wait_status)
{
	struct fp_error error;

	if (!WIFSIGNALED(wait_status))
		return;
	(void)fp_error_set(&error, FP_EXIT_FAILED,
			   "the emulator's process died: signal %d",
			   WTERMSIG(wait_status));
	lab_shared_fail(tree->shared, &error);
}

static int keep(struct lab_tree *tree, struct fp_error *error)
{
	struct lab_world world;
	int wait_status = 0;
	int self_fd;
	pid_t pid;

	memset(&world, 0, sizeof(world));
	if (lab_world_isolate(&world, error) < 0)
		return -1;
	self_fd = lab_pidfd_open(getpid());
	if (self_fd < 0)
		return fp_error_errno(error, errno, "cannot watch a process");
	pid = fork();
	if (pid == 0)
		_exit(pid1_main(tree, &world, self_fd));
	if (pid < 0)
		return fp_error_errno(error, errno, "cannot start a process");
	while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	keeper_report(tree, wait_status);
	return 0;
}

/* A wish: what it forks inherits it. */
static void bind_to_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static int keeper_main(struct lab_tree *tree, int caller_pidfd)
{
	struct fp_error error = { 0 };

	lab_die_with(caller_pidfd);
	if (tree->is_detached)
		(void)setsid(); /* a fresh child is no group leader */
	/* where it came ignored, ended children would vanish unseen */
	(void)signal(SIGCHLD, SIG_DFL);
	unblock_signals();
	if (tree->is_bound)
		bind_to_cpu(tree->cpu);
	if (keep(tree, &error) < 0) {
		lab_shared_fail(tree->shared, &error);
		return FP_EXIT_FAILED;
	}
	return 0;
}

/* --- The caller ---------------------------------------------------------- */

static int start_keeper(struct lab_tree *tree, struct fp_error *error)
{
	int self_fd = lab_pidfd_open(getpid());

	if (self_fd < 0)
		return fp_error_errno(error, errno, "cannot watch a process");
	tree->pid = fork();
	if (tree->pid == 0)
		_exit(keeper_main(tree, self_fd));
	(void)close(self_fd);
	if (tree->pid < 0)
		return fp_error_errno(error, errno, "cannot start a process");
	tree->pidfd = lab_pidfd_open(tree->pid);
	if (tree->pidfd < 0)
		return fp_error_errno(error, errno, "cannot watch a process");
	return 0;
}

int lab_tree_start(struct lab_tree *tree, struct fp_error *error)
{
	int status;

	tree->pid = -1;
	tree->pidfd = -1;
	tree->started_ns = fp_clock_ns();
	tree->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tree->stop_fd < 0)
		return fp_error_errno(error, errno, "cannot open an event");
	status = start_keeper(tree, error);
	if (status < 0)
		lab_tree_fini(tree, true);
	return status;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void lab_tree_fini(struct lab_tree *tree, bool is_killed)
{
	struct fp_error error;

	if (tree->pid > 0) {
		if (is_killed)
			(void)kill(tree->pid, SIGKILL); /* not yet reaped */
		while (waitpid(tree->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	tree->pid = -1;
	close_fd(&tree->pidfd);
	close_fd(&tree->stop_fd);
	if (atomic_load(&tree->shared->is_done))
		return;
	(void)fp_error_set(&error, FP_EXIT_FAILED,
			   "the processes of the world ended before they were "
			   "done");
	lab_shared_fail(tree->shared, &error);
}
