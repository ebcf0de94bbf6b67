/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/world.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/device.h"
#include "lab/netns.h"
#include "sock/link.h"
#include "sys/error.h"

#define DEVICE_NAME      "fp0"
#define IPV4_PREFIX_BITS 24
#define IPV6_PREFIX_BITS 64
#define IPV6_MTU_MIN     1280 /* RFC 8200, section 5 */
#define HOSTS_BYTES      8192

static const char *const SIDE_NAMES[LAB_SIDES] = { LAB_SENDER_NAME,
						   LAB_RECEIVER_NAME };
static const char *const SIDE_IPV4[LAB_SIDES] = { LAB_SENDER_IPV4,
						  LAB_RECEIVER_IPV4 };
static const char *const SIDE_IPV6[LAB_SIDES] = { LAB_SENDER_IPV6,
						  LAB_RECEIVER_IPV6 };

/* Both sides' devices have one hardware address. Without neighbour discovery a
 * device addresses its frames to itself, so a frame that crosses unchanged is
 * for the other side. */
static const uint8_t SIDE_MAC[SOCK_MAC_BYTES] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t EMULATOR_MAC[SOCK_MAC_BYTES] = { 2, 0, 0, 0, 0, 2 };

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

/* Adds to the world's note what this machine did not allow. */
static void __attribute__((format(printf, 2, 3)))
world_note(struct lab_world *world, const char *format, ...)
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

static int impossible(struct fp_error *error, int result, const char *hint)
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

void lab_world_close(struct lab_world *world)
{
	for (int side = 0; side < LAB_SIDES; side++) {
		close_fd(&world->device_fd[side]);
		close_fd(&world->netns_fd[side]);
	}
	close_fd(&world->emulator_netns_fd);
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
		return impossible(error, result,
				  "the kernel needs CONFIG_NET_NS, and "
				  "user.max_net_namespaces above 0");
	}
	result = netns__new_user(error);
	if (result)
		return impossible(error, result, USER_NAMESPACE_HINT);
	if (unshare(CLONE_NEWNET)) {
		result = fp_error_errno(error, errno,
					"cannot make a network namespace in a "
					"user namespace");
		return impossible(error, result, USER_NAMESPACE_HINT);
	}
	world->is_user_namespace = true;
	return 0;
}

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
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
		world_note(world, "no PID namespace: %s", strerror(errno));
	world->isolator_fd = open_pidfd(getpid()); /* Linux 5.3; -1 before */
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

/* The host's own names stay; the sides' come first, so that they win. IPv6
 * names are given only where the flows use it: resolvers prefer it. */
static int bind_hosts(bool is_ipv6)
{
	char text[HOSTS_BYTES + 512];
	size_t length = 0;

	for (int side = 0; side < LAB_SIDES; side++) {
		if (is_ipv6)
			length += (size_t)snprintf(
			    text + length, sizeof(text) - length, "%s %s\n",
			    SIDE_IPV6[side], SIDE_NAMES[side]);
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s %s\n", SIDE_IPV4[side],
					   SIDE_NAMES[side]);
	}
	length += read_hosts(text + length, HOSTS_BYTES);
	text[length] = '\0';
	return netns__bind_hosts(text);
}

/* Comfort, not need: a command finds the sides by name and sees its own
 * processes. A container may forbid each step. */
static void isolate_files(struct lab_world *world, bool is_ipv6)
{
	int result = netns__new_mounts();

	if (result) {
		world_note(world, "no mount namespace: %s", strerror(-result));
		return;
	}
	world->has_mount_namespace = true;
	result = world->has_pid_namespace ? netns__mount_proc() : 0;
	if (result)
		world_note(world, "no /proc of its own: %s", strerror(-result));
	result = bind_hosts(is_ipv6);
	if (result)
		world_note(world, "names of the sides do not resolve: %s",
			   strerror(-result));
	world->has_host_names = !result;
}

/* Replaces the third number of tcp_rmem or tcp_wmem. */
static int set_buffer_max(const char *path, uint64_t max_bytes)
{
	unsigned long min_bytes, default_bytes;
	char text[96];
	int result = netns__get_sysctl(path, text, sizeof(text));

	if (result)
		return result;
	if (sscanf(text, "%lu %lu", &min_bytes, &default_bytes) != 2)
		return -EPROTO;
	if (max_bytes > INT32_MAX) /* the kernel's own limit */
		max_bytes = INT32_MAX;
	(void)snprintf(text, sizeof(text), "%lu %lu %llu", min_bytes,
		       default_bytes, (unsigned long long)max_bytes);
	return netns__set_sysctl(path, text);
}

static int set_buffers(const struct lab_path *path, struct fp_error *error)
{
	int result = 0;

	if (path->rmem_max_bytes)
		result =
		    set_buffer_max("net/ipv4/tcp_rmem", path->rmem_max_bytes);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot set 'net.ipv4.tcp_rmem'");
	if (path->wmem_max_bytes)
		result =
		    set_buffer_max("net/ipv4/tcp_wmem", path->wmem_max_bytes);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot set 'net.ipv4.tcp_wmem'");
	return 0;
}

/* Before the devices exist, so that they are born silent: no link-local
 * address, no solicitations, no address check. */
static bool set_ipv6_quiet(void)
{
	bool has_ipv6 =
	    !netns__set_sysctl("net/ipv6/conf/all/disable_ipv6", "0");

	(void)netns__set_sysctl("net/ipv6/conf/default/disable_ipv6", "0");
	/* the rest only lowers noise; a kernel without one of them works */
	(void)netns__set_sysctl("net/ipv6/conf/default/addr_gen_mode", "1");
	(void)netns__set_sysctl("net/ipv6/conf/default/accept_dad", "0");
	(void)netns__set_sysctl("net/ipv6/conf/default/accept_ra", "0");
	(void)netns__set_sysctl("net/ipv6/conf/default/router_solicitations",
				"0");
	return has_ipv6;
}

static void let_everyone_ping(bool is_user_namespace)
{
	char range[32] = "0 2147483647";

	if (is_user_namespace) /* only mapped ids are accepted */
		(void)snprintf(range, sizeof(range), "%u %u", getegid(),
			       getegid());
	/* ping works without it where it is privileged */
	(void)netns__set_sysctl("net/ipv4/ping_group_range", range);
}

/* Makes one side's namespace, without devices. */
static int side_new(struct lab_world *world, int side,
		    const struct lab_path *path, struct fp_error *error)
{
	int fd = netns__new(error);

	if (fd < 0)
		return fd;
	world->netns_fd[side] = fd;
	world->has_ipv6 = set_ipv6_quiet();
	if (netns__set_sysctl("net/ipv4/tcp_no_metrics_save", "1") && !side)
		world_note(world, "sysctls of the namespace are read only");
	let_everyone_ping(world->is_user_namespace);
	return set_buffers(path, error);
}

static int side_add_addresses(const struct lab_world *world, int side,
			      const struct lab_path *path,
			      struct fp_error *error)
{
	unsigned ifindex = world->ifindex[side];
	int result = sock_link_add_address(ifindex, SIDE_IPV4[side],
					   IPV4_PREFIX_BITS, error);

	if (result || !world->has_ipv6 || path->mtu_bytes < IPV6_MTU_MIN)
		return result;
	return sock_link_add_address(ifindex, SIDE_IPV6[side], IPV6_PREFIX_BITS,
				     error);
}

/* Brings up the side's device; the caller is in the side's namespace. */
static int side_up(struct lab_world *world, int side,
		   const struct lab_path *path, struct fp_error *error)
{
	const struct sock_link_setting setting = {
		.mtu_bytes = path->mtu_bytes,
		.queue_pkts = DEVICE_QUEUE_PKTS,
		.gso_max_pkts = path->is_offload_off ? 1 : 0,
		.is_noarp = true,
	};
	int result;

	world->ifindex[side] = if_nametoindex(DEVICE_NAME);
	if (!world->ifindex[side])
		return fp_error_errno(error, errno,
				      "cannot find network device '%s'",
				      DEVICE_NAME);
	result = sock_link_up(world->ifindex[side], &setting, error);
	if (result)
		return result;
	return side_add_addresses(world, side, path, error);
}

static int open_tun(struct lab_world *world, const struct lab_path *path,
		    struct fp_error *error)
{
	for (int side = 0; side < LAB_SIDES; side++) {
		int result = side_new(world, side, path, error);

		if (result)
			return result;
		result = tun__open(DEVICE_NAME, !path->is_offload_off,
				   &world->has_uso, error);
		if (result < 0)
			return impossible(error, result,
					  "load the module (modprobe tun), or "
					  "use packet sockets");
		world->device_fd[side] = result;
		result = side_up(world, side, path, error);
		if (result)
			return result;
	}
	return 0;
}

static int sides_new(struct lab_world *world, const struct lab_path *path,
		     struct fp_error *error)
{
	int result = 0;

	for (int side = 0; side < LAB_SIDES && !result; side++)
		result = side_new(world, side, path, error);
	return result;
}

static int sides_up(struct lab_world *world, const struct lab_path *path,
		    struct fp_error *error)
{
	int result = 0;

	for (int side = 0; side < LAB_SIDES && !result; side++) {
		result = netns__enter(world->netns_fd[side], error);
		if (!result)
			result = side_up(world, side, path, error);
	}
	return result;
}

static struct sock_veth_end side_end(const struct lab_world *world, int side)
{
	struct sock_veth_end end = { .name = DEVICE_NAME,
				     .netns_fd = world->netns_fd[side] };

	memcpy(end.mac, SIDE_MAC, SOCK_MAC_BYTES);
	return end;
}

static const char VETH_HINT[] = "the kernel needs the veth module (modprobe "
				"veth)";

static int open_direct(struct lab_world *world, const struct lab_path *path,
		       struct fp_error *error)
{
	struct sock_veth_end sender, receiver;
	int result = sides_new(world, path, error);

	if (result)
		return result;
	sender = side_end(world, LAB_SENDER);
	receiver = side_end(world, LAB_RECEIVER);
	result = sock_link_add_veth(&sender, &receiver, error);
	if (result)
		return impossible(error, result, VETH_HINT);
	return sides_up(world, path, error);
}

/* Joins a side to the emulator's namespace, where the caller is. */
static int join_side(struct lab_world *world, int side, struct fp_error *error)
{
	static const char *const names[LAB_SIDES] = { "fp-s", "fp-r" };
	struct sock_veth_end far = side_end(world, side);
	struct sock_veth_end near = { .name = names[side], .netns_fd = -1 };
	int result;

	memcpy(near.mac, EMULATOR_MAC, SOCK_MAC_BYTES);
	result = sock_link_add_veth(&far, &near, error);
	if (result)
		return impossible(error, result, VETH_HINT);
	world->peer_ifindex[side] = if_nametoindex(near.name);
	return 0;
}

static int open_socket(struct lab_world *world, int side,
		       const struct lab_path *path, struct fp_error *error)
{
	const struct sock_link_setting setting = {
		.mtu_bytes = path->mtu_bytes,
		.queue_pkts = DEVICE_QUEUE_PKTS,
		.is_noarp = true,
	};
	int result = sock_link_up(world->peer_ifindex[side], &setting, error);

	if (result)
		return result;
	result =
	    packet__open(world->peer_ifindex[side], world->slot_bytes, error);
	if (result < 0)
		return impossible(error, result,
				  "the kernel needs CONFIG_PACKET, 4.20 or "
				  "later");
	world->device_fd[side] = result;
	return 0;
}

static int emulator_netns_new(struct lab_world *world, struct fp_error *error)
{
	int fd = netns__new(error);

	if (fd < 0)
		return fd;
	world->emulator_netns_fd = fd;
	/* the emulator is a wire, not a host; a kernel without IPv6 is fine */
	(void)netns__set_sysctl("net/ipv6/conf/default/disable_ipv6", "1");
	return 0;
}

/* What a side hands over at most: a super-packet, or without them a packet. */
static uint32_t frame_bytes_max(const struct lab_path *path)
{
	uint32_t ip_bytes = path->is_offload_off ? path->mtu_bytes : 65535;

	return DEVICE_ETHERNET_BYTES + ip_bytes;
}

static int open_packet(struct lab_world *world, const struct lab_path *path,
		       struct fp_error *error)
{
	int result = sides_new(world, path, error);

	world->slot_bytes = packet__slot_bytes(frame_bytes_max(path));
	if (!result)
		result = emulator_netns_new(world, error);
	for (int side = 0; side < LAB_SIDES && !result; side++)
		result = join_side(world, side, error);
	if (!result)
		result = sides_up(world, path, error);
	if (!result)
		result = netns__enter(world->emulator_netns_fd, error);
	for (int side = 0; side < LAB_SIDES && !result; side++)
		result = open_socket(world, side, path, error);
	world->has_uso = true; /* veth has always carried UDP super-packets */
	return result;
}

static int open_backend(struct lab_world *world, const struct lab_path *path,
			struct fp_error *error)
{
	switch (world->backend) {
	case LAB_BACKEND_TUN:
		return open_tun(world, path, error);
	case LAB_BACKEND_DIRECT:
		return open_direct(world, path, error);
	case LAB_BACKEND_PACKET:
	case LAB_BACKEND_AUTO:
		break;
	}
	return open_packet(world, path, error);
}

static void choose_backend(struct lab_world *world, enum lab_backend wanted)
{
	int result;

	world->backend = wanted;
	if (wanted != LAB_BACKEND_AUTO)
		return;
	result = tun__check();
	world->backend = result ? LAB_BACKEND_PACKET : LAB_BACKEND_TUN;
}

static int check_ipv6(const struct lab_world *world,
		      const struct lab_path *path, struct fp_error *error)
{
	int result;

	if (!path->is_ipv6)
		return 0;
	if (!world->has_ipv6) {
		result = fp_error_set(error, FP_EXIT_IMPOSSIBLE,
				      "cannot use IPv6: this kernel does not "
				      "have it");
		return impossible(error, result,
				  "boot without ipv6.disable=1, or use IPv4");
	}
	if (path->mtu_bytes < IPV6_MTU_MIN)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "cannot use IPv6 with mtu %u: it needs at "
				    "least %u",
				    path->mtu_bytes, IPV6_MTU_MIN);
	return 0;
}

int lab_world_open(struct lab_world *world, const struct lab_path *path,
		   struct fp_error *error)
{
	int result = tie_to_isolator(world, error);

	if (!result) {
		isolate_files(world, path->is_ipv6);
		choose_backend(world, path->backend);
		result = open_backend(world, path, error);
	}
	if (!result)
		result = check_ipv6(world, path, error);
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
