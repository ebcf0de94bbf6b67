/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/program.h"

#include "lab/process.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TCP_STATE_LISTEN 0x0a /* TCP_LISTEN of the kernel */
#define LOOK_MS          2 /* between two looks at the sockets: cheap, short */
#define WATCH_MS         200
#define LINE_BYTES       512
#define EXEC_FAILED      127

/* A row: "  0: 0100007F:1451 00000000:0000 0A …" (local, remote, state), the
 * address of IPv6 is longer. */
static bool row_listens(const char *row, uint16_t port)
{
	unsigned local_port, state;

	if (sscanf(row, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x",
		   &local_port, &state) != 2)
		return false; /* the heading */
	return state == TCP_STATE_LISTEN && (!port || local_port == port);
}

static bool file_listens(const char *path, uint16_t port)
{
	FILE *file = fopen(path, "re");
	char row[LINE_BYTES];
	bool is_found = false;

	if (!file)
		return false;
	while (!is_found && fgets(row, sizeof(row), file))
		is_found = row_listens(row, port);
	(void)fclose(file); /* was only read */
	return is_found;
}

bool lab_is_listening(uint16_t port)
{
	return file_listens("/proc/self/net/tcp", port) ||
	       file_listens("/proc/self/net/tcp6", port);
}

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

bool lab_program_exists(const char *name)
{
	const char *directories = getenv("PATH");
	char path[4096];
	size_t length;

	if (strchr(name, '/'))
		return is_program(name);
	if (!directories)
		directories = "/usr/local/bin:/usr/bin:/bin";
	for (;; directories += length + 1) {
		length = strcspn(directories, ":");
		(void)snprintf(path, sizeof(path), "%.*s/%s", (int)length,
			       length ? directories : ".", name);
		if (is_program(path))
			return true;
		if (!directories[length])
			return false;
	}
}

static void become(const struct lab_server *server, int parent_pidfd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	lab_die_with(parent_pidfd);
	(void)setpgid(0, 0); /* a fresh child leads no group */
	if (null_fd >= 0)
		(void)dup2(null_fd, STDIN_FILENO);
	if (server->output_fd >= 0) {
		(void)dup2(server->output_fd, STDOUT_FILENO);
		(void)dup2(server->output_fd, STDERR_FILENO);
	}
	(void)execvp(server->argv[0], server->argv);
	(void)fprintf(stderr, "cannot run '%s': %s\n", server->argv[0],
		      strerror(errno));
	_exit(EXEC_FAILED);
}

static pid_t spawn(const struct lab_server *server)
{
	int self_fd = lab_pidfd_open(getpid());
	pid_t pid = self_fd < 0 ? -1 : fork();

	if (pid == 0)
		become(server, self_fd);
	if (pid > 0)
		(void)setpgid(pid, pid); /* whoever of the two comes first */
	if (self_fd >= 0)
		(void)close(self_fd);
	return pid;
}

/* Tells the waiting side when the server listens, has ended or takes too
 * long: in each case waiting on is of no use. */
static void await_listening(const struct lab_server *server, int pidfd)
{
	uint64_t limit_ns = fp_clock_ns() + server->limit_ns;
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = server->stop_fd, .events = POLLIN },
	};
	uint64_t one = 1;

	while (!lab_is_listening(server->port) && fp_clock_ns() < limit_ns)
		if (poll(fds, 2, LOOK_MS) > 0)
			break;
	(void)!write(server->listening_fd, &one, sizeof(one)); /* never full */
}

int lab_server_run(const struct lab_server *server, struct fp_error *error)
{
	pid_t pid = spawn(server);
	int pidfd = pid > 0 ? lab_pidfd_open(pid) : -1;
	struct pollfd fds[] = {
		{ .fd = pidfd, .events = POLLIN },
		{ .fd = server->stop_fd, .events = POLLIN },
	};
	int wait_status = 0;

	if (pidfd < 0)
		return fp_error_errno(error, errno, "cannot start '%s'",
				      server->argv[0]);
	await_listening(server, pidfd);
	while (poll(fds, 2, server->look ? WATCH_MS : -1) <= 0)
		if (server->look)
			server->look(server->context);
	if (!fds[0].revents)
		(void)kill(-pid, SIGTERM); /* not yet reaped */
	while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	(void)close(pidfd);
	return wait_status;
}
