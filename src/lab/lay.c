/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/lay.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/device.h"
#include "lab/netns.h"
#include "sock/link.h"
#include "sys/error.h"

#define DEVICE_NAME      "fp0"
#define IPV4_PREFIX_BITS 24
#define IPV6_PREFIX_BITS 64

/* Both sides' devices have one hardware address. Without neighbour discovery a
 * device addresses its frames to itself, so a frame that crosses unchanged is
 * for the other side. */
static const uint8_t SIDE_MAC[SOCK_MAC_BYTES] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t EMULATOR_MAC[SOCK_MAC_BYTES] = { 2, 0, 0, 0, 0, 2 };

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

static bool stage_marks(const struct fp_stage_config *stage)
{
	if (stage->kind == FP_STAGE_LOSS)
		return stage->loss.marks_ecn;
	return stage->kind == FP_STAGE_LINK && stage->link.queue.marks_ecn;
}

static bool path_marks(const struct lab_path *path)
{
	uint32_t way, i;

	for (way = 0; way < LAB_SIDES; way++) {
		for (i = 0; i < path->way[way].stage_count; i++) {
			if (stage_marks(&path->way[way].stages[i]))
				return true;
		}
	}
	return false;
}

/* The kernel's default (2) answers who asks for ECN and asks nobody, so
 * between two of its kind no packet could ever be marked. */
static void ask_for_ecn(struct lab_world *world)
{
	if (netns__set_sysctl("net/ipv4/tcp_ecn", "1"))
		world__note(world, "ECN cannot be asked for: the path drops "
				   "what it would mark");
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
		world__note(world, "sysctls of the namespace are read only");
	let_everyone_ping(world->is_user_namespace);
	if (path_marks(path) && path->backend != LAB_BACKEND_DIRECT)
		ask_for_ecn(world);
	return set_buffers(path, error);
}

static bool side_has_ipv6(const struct lab_world *world,
			  const struct lab_path *path)
{
	return world->has_ipv6 && path->mtu_bytes >= IPV6_MTU_MIN;
}

static int side_add_addresses(const struct lab_world *world, int side,
			      const struct lab_path *path,
			      struct fp_error *error)
{
	unsigned ifindex = world->ifindex[side];
	int result = sock_link_add_address(ifindex, world__ipv4[side],
					   IPV4_PREFIX_BITS, error);

	if (result || !side_has_ipv6(world, path))
		return result;
	return sock_link_add_address(ifindex, world__ipv6[side],
				     IPV6_PREFIX_BITS, error);
}

/* A namespace's default can be an algorithm that everybody may choose; for
 * others there is a route. */
static int side_set_algorithm(const struct lab_world *world, int side,
			      const struct lab_path *path,
			      struct fp_error *error)
{
	unsigned ifindex = world->ifindex[side];
	int result;

	if (!path->algorithm[0] ||
	    !netns__set_sysctl("net/ipv4/tcp_congestion_control",
			       path->algorithm))
		return 0;
	result = sock_link_add_neighbour(ifindex, world__ipv4[!side],
					 path->algorithm, error);
	if (result || !side_has_ipv6(world, path))
		return result;
	return sock_link_add_neighbour(ifindex, world__ipv6[!side],
				       path->algorithm, error);
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
	result = side_add_addresses(world, side, path, error);
	return result ? result : side_set_algorithm(world, side, path, error);
}

static const char *tun_hint(int result)
{
	if (result == -EACCES || result == -EPERM)
		return "run it as root, or use --backend packet";
	return "load the module (modprobe tun), or use --backend packet";
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
			return world__impossible(error, result,
						 tun_hint(result));
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
		return world__impossible(error, result, VETH_HINT);
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
		return world__impossible(error, result, VETH_HINT);
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
	result = packet__open(world->peer_ifindex[side], &world->ring, error);
	if (result < 0)
		return world__impossible(
		    error, result,
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

static bool has_link(const struct lab_path *path)
{
	for (int way = 0; way < 2; way++)
		for (uint32_t i = 0; i < path->way[way].stage_count; i++)
			if (path->way[way].stages[i].kind == FP_STAGE_LINK &&
			    path->way[way].stages[i].link.rate.kind !=
				FP_RATE_UNLIMITED)
				return true;
	return false;
}

static int open_packet(struct lab_world *world, const struct lab_path *path,
		       struct fp_error *error)
{
	int result = sides_new(world, path, error);

	world->ring = packet__geometry(frame_bytes_max(path), !has_link(path));
	if (!result)
		result = emulator_netns_new(world, error);
	for (int side = 0; side < LAB_SIDES && !result; side++)
		result = join_side(world, side, error);
	/* the sides last: what they announce then finds an open end, else it
	 * would count as lost */
	for (int side = 0; side < LAB_SIDES && !result; side++)
		result = open_socket(world, side, path, error);
	if (!result)
		result = sides_up(world, path, error);
	if (!result)
		result = netns__enter(world->emulator_netns_fd, error);
	world->has_uso = true; /* veth has always carried UDP super-packets */
	return result;
}

static int open_wanted(struct lab_world *world, const struct lab_path *path,
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

/* TUN where the node opens and a device can be made of it (a container may
 * allow the one and not the other), else packet sockets. */
static int open_any(struct lab_world *world, const struct lab_path *path,
		    struct fp_error *error)
{
	struct fp_error why = { 0 };

	world->backend = LAB_BACKEND_TUN;
	if (!tun__check()) {
		if (!open_tun(world, path, &why))
			return 0;
		world__note(world, "%s", why.text);
		world__close_devices(world);
	}
	world->backend = LAB_BACKEND_PACKET;
	return open_packet(world, path, error);
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
		return world__impossible(
		    error, result, "boot without ipv6.disable=1, or use IPv4");
	}
	if (path->mtu_bytes < IPV6_MTU_MIN)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "cannot use IPv6 with mtu %u: it needs at "
				    "least %u",
				    path->mtu_bytes, IPV6_MTU_MIN);
	return 0;
}

int lay__open(struct lab_world *world, const struct lab_path *path,
	      struct fp_error *error)
{
	int result;

	world->backend = path->backend;
	if (path->backend == LAB_BACKEND_AUTO)
		result = open_any(world, path, error);
	else
		result = open_wanted(world, path, error);
	return result ? result : check_ipv6(world, path, error);
}
