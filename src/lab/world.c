/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/lay.h"
#include "lab/netns.h"
#include "lab/process.h"
#include "sys/error.h"

#define HOSTS_BYTES 8192

static const char *const SIDE_NAMES[LAB_SIDES] = { LAB_SENDER_NAME,
						   LAB_RECEIVER_NAME };
const char *const world__ipv4[LAB_SIDES] = { LAB_SENDER_IPV4,
					     LAB_RECEIVER_IPV4 };
const char *const world__ipv6[LAB_SIDES] = { LAB_SENDER_IPV6,
					     LAB_RECEIVER_IPV6 };

const char *lab_backend_name(enum lab_backend backend)
{
	switch (backend) {
	case LAB_BACKEND_TUN:
		return "TUN";
	case LAB_BACKEND_PACKET:
		return "packet sockets";
	case LAB_BACKEND_DIRECT:
		return "veth pair, no emulator";
	case LAB_BACKEND_AUTO:
		break;
	}
	return "not chosen";
}

void world__note(struct lab_world *world, const char *format, ...)
{
	size_t used = strlen(world->note);
	va_list args;

	if (used > 0 && used < sizeof(world->note) - 3) {
		memcpy(world->note + used, "; ", 3);
		used += 2;
	}
	va_start(args, format);
	(void)vsnprintf(world->note + used, sizeof(world->note) - used, format,
			args);
	va_end(args);
}

int world__impossible(struct fp_error *error, int result, const char *hint)
{
	if (error)
		error->status = FP_EXIT_IMPOSSIBLE;
	fp_error_hint(error, "%s", hint);
	return result;
}

static void world_clear(struct lab_world *world)
{
	*world = (struct lab_world){
		.netns_fd = { -1, -1 },
		.emulator_netns_fd = -1,
		.device_fd = { -1, -1 },
		.isolator_fd = -1,
	};
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* holds no data of ours */
	*fd = -1;
}

void world__close_devices(struct lab_world *world)
{
	for (int side = 0; side < LAB_SIDES; side++) {
		close_fd(&world->device_fd[side]);
		close_fd(&world->netns_fd[side]);
	}
	close_fd(&world->emulator_netns_fd);
}

void lab_world_close(struct lab_world *world)
{
	world__close_devices(world);
	close_fd(&world->isolator_fd);
}

/* --- Before pid 1 -------------------------------------------------------- */

static const char USER_NAMESPACE_HINT[] =
    "run it as root, or allow user namespaces: sysctl "
    "user.max_user_namespaces, kernel.unprivileged_userns_clone (Debian), "
    "kernel.apparmor_restrict_unprivileged_userns (Ubuntu); in a container: "
    "--privileged or --security-opt seccomp=unconfined";

/* Makes network namespaces possible, in a user namespace if need be. */
static int gain_privilege(struct lab_world *world, struct fp_error *error)
{
	int result;

	if (!unshare(CLONE_NEWNET))
		return 0;
	if (errno != EPERM) {
		result = fp_error_errno(error, errno,
					"cannot make a network namespace");
		return world__impossible(error, result,
					 "the kernel needs CONFIG_NET_NS, and "
					 "user.max_net_namespaces above 0");
	}
	result = netns__new_user(error);
	if (result)
		return world__impossible(error, result, USER_NAMESPACE_HINT);
	if (unshare(CLONE_NEWNET)) {
		result = fp_error_errno(error, errno,
					"cannot make a network namespace in a "
					"user namespace");
		return world__impossible(error, result, USER_NAMESPACE_HINT);
	}
	world->is_user_namespace = true;
	return 0;
}

int lab_world_isolate(struct lab_world *world, struct fp_error *error)
{
	int result;

	world_clear(world);
	result = gain_privilege(world, error);
	if (result)
		return result;
	if (!unshare(CLONE_NEWPID))
		world->has_pid_namespace = true;
	else
		world__note(world, "no PID namespace: %s", strerror(errno));
	world->isolator_fd =
	    lab_pidfd_open(getpid()); /* Linux 5.3; -1 before */
	/* after the change of credentials, which would clear it */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return fp_error_errno(error, errno,
				      "cannot tie a process to its parent");
	return 0;
}

/* --- Pid 1 --------------------------------------------------------------- */

static bool has_exited(int pidfd)
{
	struct pollfd watch = { .fd = pidfd, .events = POLLIN };

	return pidfd >= 0 && poll(&watch, 1, 0) > 0;
}

/* Dies with the isolating process, also when that died before prctl(). */
static int tie_to_isolator(const struct lab_world *world,
			   struct fp_error *error)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return fp_error_errno(error, errno,
				      "cannot tie a process to its parent");
	if (has_exited(world->isolator_fd))
		return fp_error_errno(error, ESRCH,
				      "cannot make a world: its parent ended");
	return 0;
}

static size_t read_hosts(char *ret_text, size_t text_bytes)
{
	FILE *file = fopen("/etc/hosts", "re");
	size_t length;

	if (!file)
		return 0;
	length = fread(ret_text, 1, text_bytes - 1, file);
	(void)fclose(file); /* read only */
	return length;
}

/* The host's own names stay; the sides' come first, so that they win. */
static int bind_hosts(bool has_ipv6)
{
	char text[HOSTS_BYTES + 512];
	size_t length = 0;

	for (int side = 0; side < LAB_SIDES; side++) {
		if (has_ipv6)
			length += (size_t)snprintf(
			    text + length, sizeof(text) - length, "%s %s\n",
			    world__ipv6[side], SIDE_NAMES[side]);
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s %s\n", world__ipv4[side],
					   SIDE_NAMES[side]);
	}
	length += read_hosts(text + length, HOSTS_BYTES);
	text[length] = '\0';
	return netns__bind_hosts(text);
}

/* Comfort, not need: a command finds the sides by name and sees its own
 * processes. A container may forbid each step. */
static void isolate_files(struct lab_world *world, bool has_ipv6)
{
	int result = netns__new_mounts();

	if (result) {
		world__note(world, "no mount namespace: %s", strerror(-result));
		return;
	}
	world->has_mount_namespace = true;
	result = world->has_pid_namespace ? netns__mount_proc() : 0;
	if (result)
		world__note(world, "no /proc of its own: %s",
			    strerror(-result));
	result = bind_hosts(has_ipv6);
	if (result)
		world__note(world, "names of the sides do not resolve: %s",
			    strerror(-result));
	world->has_host_names = !result;
}

int lab_world_open(struct lab_world *world, const struct lab_path *path,
		   struct fp_error *error)
{
	int result = tie_to_isolator(world, error);

	if (!result) {
		isolate_files(world, path->mtu_bytes >= IPV6_MTU_MIN);
		result = lay__open(world, path, error);
	}
	if (result)
		lab_world_close(world);
	return result;
}

/* --- A side -------------------------------------------------------------- */

static void set_host_name(enum lab_side side)
{
	/* only for show: some containers forbid it */
	if (!unshare(CLONE_NEWUTS))
		(void)sethostname(SIDE_NAMES[side], strlen(SIDE_NAMES[side]));
}

int lab_world_enter(struct lab_world *world, enum lab_side side,
		    struct fp_error *error)
{
	int result = netns__enter(world->netns_fd[side], error);

	if (result)
		return result;
	set_host_name(side);
	if (world->is_user_namespace)
		result = netns__keep_capabilities();
	if (result)
		return fp_error_errno(error, -result,
				      "cannot keep capabilities");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return fp_error_errno(error, errno,
				      "cannot tie a process to its parent");
	lab_world_close(world);
	return 0;
}

/* --- Probe --------------------------------------------------------------- */

struct probe_answer {
	int result;
	struct lab_world world;
	struct fp_error error;
};

static void probe_send(int fd, const struct probe_answer *answer)
{
	/* a pipe takes it whole; the parent sees a short one as a failure */
	(void)!write(fd, answer, sizeof(*answer));
	_exit(0);
}

static void probe_child(int fd, const struct lab_path *path)
{
	struct probe_answer answer = { 0 };
	pid_t pid;

	answer.result = lab_world_isolate(&answer.world, &answer.error);
	if (answer.result)
		probe_send(fd, &answer);
	pid = fork();
	if (pid > 0) {
		(void)waitpid(pid, NULL, 0); /* what it found is in the pipe */
		_exit(0);
	}
	answer.result =
	    pid ? fp_error_errno(&answer.error, errno, "cannot start a process")
		: lab_world_open(&answer.world, path, &answer.error);
	lab_world_close(&answer.world);
	probe_send(fd, &answer);
}

static int probe_receive(int fd, struct lab_world *ret_world,
			 struct fp_error *error)
{
	struct probe_answer answer;

	if (read(fd, &answer, sizeof(answer)) != sizeof(answer))
		return fp_error_set(error, FP_EXIT_FAILED,
				    "cannot tell whether a path can be laid: "
				    "the probe died");
	if (answer.result) {
		if (error)
			*error = answer.error;
		return answer.result;
	}
	*ret_world = answer.world;
	return 0;
}

int lab_world_probe(const struct lab_path *path, struct lab_world *ret_world,
		    struct fp_error *error)
{
	int ends[2], result;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return fp_error_errno(error, errno, "cannot make a pipe");
	pid = fork();
	if (!pid)
		probe_child(ends[1], path);
	(void)close(ends[1]); /* the child's */
	if (pid < 0) {
		result = fp_error_errno(error, errno, "cannot start a process");
	} else {
		result = probe_receive(ends[0], ret_world, error);
		(void)waitpid(pid, NULL, 0); /* its answer is known */
	}
	(void)close(ends[0]); /* read only */
	return result;
}
