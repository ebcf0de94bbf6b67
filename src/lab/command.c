/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command of the user's on the sender's side, and perhaps a server on the
 * other. Everything stays in the terminal's foreground process group but the
 * server, so that Ctrl-C and Ctrl-Z reach the command as if it had been started
 * by the shell; our own processes ignore Ctrl-C meanwhile.
 */
#include "lab/lab.h"

#include "lab/process.h"
#include "lab/program.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVER_LIMIT_NS      5000000000ull /* then the command starts anyway */
#define STATUS_NOT_FOUND     127
#define STATUS_NO_EXECUTABLE 126
#define STATUS_SIGNAL        128

enum { CHILD_COMMAND, CHILD_SERVER };

/* What the terminal may send; ignored by us, not by the command. */
static const int TERMINAL_SIGNALS[] = { SIGINT, SIGQUIT };

#define TERMINAL_SIGNAL_COUNT                                                  \
	(sizeof(TERMINAL_SIGNALS) / sizeof(TERMINAL_SIGNALS[0]))

struct command {
	const struct lab_path *path;
	char *const *argv;
	const char *server;
	struct lab_tree tree;
	struct lab_shared *shared;
	int listening_fd; /* eventfd: the server listens */
	int signal_fd;    /* SIGTERM */
	sigset_t old_mask;
	struct sigaction old_actions[TERMINAL_SIGNAL_COUNT];
};

/* --- In the world -----------------------------------------------------------
 */

static void set_environment(const struct lab_path *path, enum lab_side side)
{
	static const char *const ipv4[] = { LAB_SENDER_IPV4,
					    LAB_RECEIVER_IPV4 };
	static const char *const ipv6[] = { LAB_SENDER_IPV6,
					    LAB_RECEIVER_IPV6 };
	const char *const *addresses = path->is_ipv6 ? ipv6 : ipv4;

	/* memory is the only thing that can fail, and exec would too */
	(void)setenv("FULLPIPE_SELF", addresses[side], 1);
	(void)setenv("FULLPIPE_PEER",
		     addresses[side == LAB_SENDER ? LAB_RECEIVER : LAB_SENDER],
		     1);
	(void)setenv("FULLPIPE_SIDE",
		     side == LAB_SENDER ? "sender" : "receiver", 1);
}

static void restore_actions(const struct command *command)
{
	size_t i;

	for (i = 0; i < TERMINAL_SIGNAL_COUNT; i++)
		(void)sigaction(TERMINAL_SIGNALS[i], &command->old_actions[i],
				NULL); /* as it was before */
}

static void wait_for_server(const struct command *command)
{
	struct pollfd fds[] = {
		{ .fd = command->listening_fd, .events = POLLIN },
		{ .fd = command->tree.stop_fd, .events = POLLIN },
	};

	while (command->server && poll(fds, 2, -1) < 0 && errno == EINTR)
		;
}

static int run_command(void *context, struct fp_error *error)
{
	const struct command *command = context;
	char *const *argv = command->argv;
	int errnum;

	set_environment(command->path, LAB_SENDER);
	restore_actions(command); /* Ctrl-C ends the waiting too */
	wait_for_server(command);
	if (lab_tree_is_stopped(&command->tree))
		return STATUS_SIGNAL + SIGTERM;
	(void)execvp(argv[0], argv);
	errnum = errno;
	/* "permission denied" may be said of a folder in PATH */
	if (errnum == EACCES && !strchr(argv[0], '/') &&
	    !lab_program_exists(argv[0]))
		errnum = ENOENT;
	(void)fp_error_errno(error, errnum, "cannot run '%s'", argv[0]);
	error->status =
	    errnum == ENOENT ? STATUS_NOT_FOUND : STATUS_NO_EXECUTABLE;
	return error->status;
}

static int run_server(void *context, struct fp_error *error)
{
	const struct command *command = context;
	char shell[] = "sh";
	char option[] = "-c";
	char *text = strdup(command->server);
	char *argv[] = { shell, option, text, NULL };
	const struct lab_server server = {
		.argv = argv,
		.limit_ns = SERVER_LIMIT_NS,
		.output_fd = -1,
		.listening_fd = command->listening_fd,
		.stop_fd = command->tree.stop_fd,
	};
	int status;

	set_environment(command->path, LAB_RECEIVER);
	restore_actions(command);
	status = text ? lab_server_run(&server, error) : -ENOMEM;
	free(text);
	return status < 0 ? FP_EXIT_FAILED : 0;
}

/* --- Outside ----------------------------------------------------------------
 */

static int take_signals(struct command *command, struct fp_error *error)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;
	size_t i;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGTERM);
	(void)pthread_sigmask(SIG_BLOCK, &mask, &command->old_mask);
	for (i = 0; i < TERMINAL_SIGNAL_COUNT; i++)
		(void)sigaction(TERMINAL_SIGNALS[i], &ignore,
				&command->old_actions[i]);
	command->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (command->signal_fd < 0)
		return fp_error_errno(error, errno, "cannot watch signals");
	return 0;
}

static void give_signals_back(struct command *command)
{
	restore_actions(command);
	(void)pthread_sigmask(SIG_SETMASK, &command->old_mask, NULL);
	if (command->signal_fd >= 0)
		(void)close(command->signal_fd);
}

/* An interactive shell leaves the terminal to its own process group, which is
 * gone now. */
static void take_terminal_back(pid_t foreground)
{
	sigset_t mask, old_mask;

	if (foreground <= 0 || tcgetpgrp(STDIN_FILENO) == foreground)
		return;
	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGTTOU); /* a background group would stop */
	(void)pthread_sigmask(SIG_BLOCK, &mask, &old_mask);
	(void)tcsetpgrp(STDIN_FILENO, foreground);
	(void)pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
}

static void wait_for_end(struct command *command)
{
	struct pollfd fds[] = {
		{ .fd = command->tree.pidfd, .events = POLLIN },
		{ .fd = command->signal_fd, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	while (!fds[0].revents) {
		if (poll(fds, 2, -1) < 0)
			continue; /* interrupted */
		if (fds[1].revents &&
		    read(command->signal_fd, &info, sizeof(info)) > 0)
			lab_tree_stop(&command->tree);
	}
}

static void set_children(struct command *command)
{
	struct lab_tree *tree = &command->tree;

	tree->path = command->path;
	tree->shared = command->shared;
	tree->child[CHILD_COMMAND] = (struct lab_child){ .name = "command",
							 .side = LAB_SENDER,
							 .run = run_command,
							 .context = command,
							 .stop_signal = SIGTERM,
							 .ends_all = true,
							 .is_program = true };
	tree->child[CHILD_SERVER] = (struct lab_child){ .name = "server",
							.side = LAB_RECEIVER,
							.run = run_server,
							.context = command,
							.is_program = true };
	tree->child_count = command->server ? 2 : 1;
}

static int exit_status(const struct lab_shared *shared)
{
	int wait_status = shared->child[CHILD_COMMAND].wait_status;

	if (WIFSIGNALED(wait_status))
		return STATUS_SIGNAL + WTERMSIG(wait_status);
	return WEXITSTATUS(wait_status);
}

static int run_tree(struct command *command, struct fp_error *error)
{
	pid_t foreground = tcgetpgrp(STDIN_FILENO);
	int status;

	if (foreground != getpgrp())
		foreground = -1; /* no terminal, or not ours */
	set_children(command);
	status = lab_tree_start(&command->tree, error);
	if (status < 0)
		return status;
	wait_for_end(command);
	lab_tree_fini(&command->tree, false);
	take_terminal_back(foreground);
	return 0;
}

static int run_with_signals(struct command *command, struct fp_error *error)
{
	int status = take_signals(command, error);

	if (status == 0)
		status = run_tree(command, error);
	give_signals_back(command);
	return status;
}

static int open_command(struct command *command, struct fp_error *error)
{
	void *memory =
	    mmap(NULL, sizeof(*command->shared), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	command->listening_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (memory == MAP_FAILED || command->listening_fd < 0)
		return fp_error_errno(error, errno,
				      "cannot prepare the command's world");
	command->shared = memory;
	return 0;
}

static void close_command(struct command *command)
{
	if (command->shared)
		(void)munmap(command->shared, sizeof(*command->shared));
	if (command->listening_fd >= 0)
		(void)close(command->listening_fd);
}

/* The path, two commands, and three results: none of them is to be left out.
 * NOLINTNEXTLINE(readability-function-size) */
int lab_command(const struct lab_path *path, char *const argv[],
		const char *server, int *ret_status,
		struct lab_result *ret_result, struct fp_error *error)
{
	struct command command = { .path = path,
				   .argv = argv,
				   .server = server,
				   .signal_fd = -1,
				   .listening_fd = -1 };
	uint64_t begin_ns = fp_clock_ns();
	int status = open_command(&command, error);

	if (status == 0)
		status = run_with_signals(&command, error);
	if (status == 0 && command.shared->error.status) {
		if (error)
			*error = command.shared->error;
		status = -EIO;
	}
	if (status == 0 || command.shared) {
		*ret_result = command.shared->result;
		ret_result->wall_s = (double)(fp_clock_ns() - begin_ns) / 1e9;
		*ret_status = exit_status(command.shared);
	}
	close_command(&command);
	return status;
}
