/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices are made in network namespaces of the test's own and looked at by
 * other interfaces of the kernel (ioctl, sockets) than those that made them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sock/link.h"

static int first_netns, second_netns;
static bool is_possible;

static int new_netns(void)
{
	return unshare(CLONE_NEWNET)
		   ? -1
		   : open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

static int make_namespaces(void **state)
{
	first_netns = new_netns();
	if (first_netns < 0 && !unshare(CLONE_NEWUSER))
		first_netns = new_netns();
	second_netns = new_netns();
	is_possible = first_netns >= 0 && second_netns >= 0;
	if (!is_possible)
		(void)puts("# no network namespaces here");
	return 0;
}

static void make_pair(void)
{
	struct sock_veth_end one = { .name = "one",
				     .netns_fd = first_netns,
				     .mac = { 2, 0, 0, 0, 0, 1 } };
	struct sock_veth_end two = { .name = "two",
				     .netns_fd = second_netns,
				     .mac = { 2, 0, 0, 0, 0, 2 } };
	struct fp_error error = { 0 };

	if (!is_possible)
		skip();
	assert_int_equal(sock_link_add_veth(&one, &two, &error), 0);
}

static void enter(int netns)
{
	assert_int_equal(setns(netns, CLONE_NEWNET), 0);
}

/* Removes the pair, so that each test starts without one. */
static int remove_pair(void **state)
{
	if (!is_possible)
		return 0;
	(void)close(first_netns);
	(void)close(second_netns);
	first_netns = new_netns();
	second_netns = new_netns();
	return 0;
}

static int get_request(unsigned long what, const char *name, struct ifreq *ret)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result;

	(void)snprintf(ret->ifr_name, sizeof(ret->ifr_name), "%s", name);
	result = ioctl(fd, what, ret);
	(void)close(fd);
	return result;
}

static void each_end_lives_in_its_namespace(void **state)
{
	struct ifreq request;

	make_pair();
	enter(first_netns);
	assert_int_not_equal(if_nametoindex("one"), 0);
	assert_int_equal(if_nametoindex("two"), 0);
	assert_int_equal(get_request(SIOCGIFHWADDR, "one", &request), 0);
	assert_int_equal(request.ifr_hwaddr.sa_data[5], 1);
	enter(second_netns);
	assert_int_not_equal(if_nametoindex("two"), 0);
	assert_int_equal(if_nametoindex("one"), 0);
}

static void a_setting_is_applied_and_the_device_is_up(void **state)
{
	const struct sock_link_setting setting = {
		.mtu_bytes = 9000,
		.queue_pkts = 10000,
		.is_noarp = true,
	};
	struct fp_error error = { 0 };
	struct ifreq request;

	make_pair();
	enter(first_netns);
	assert_int_equal(sock_link_up(if_nametoindex("one"), &setting, &error),
			 0);
	assert_int_equal(get_request(SIOCGIFMTU, "one", &request), 0);
	assert_int_equal(request.ifr_mtu, 9000);
	assert_int_equal(get_request(SIOCGIFTXQLEN, "one", &request), 0);
	assert_int_equal(request.ifr_qlen, 10000);
	assert_int_equal(get_request(SIOCGIFFLAGS, "one", &request), 0);
	assert_true(request.ifr_flags & IFF_UP);
	assert_true(request.ifr_flags & IFF_NOARP);
}

static void bind_to(const char *address, uint16_t family)
{
	struct sockaddr_in ipv4 = { .sin_family = AF_INET };
	struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6 };
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (family == AF_INET) {
		(void)inet_pton(family, address, &ipv4.sin_addr);
		assert_int_equal(
		    bind(fd, (struct sockaddr *)&ipv4, sizeof(ipv4)), 0);
	} else {
		(void)inet_pton(family, address, &ipv6.sin6_addr);
		assert_int_equal(
		    bind(fd, (struct sockaddr *)&ipv6, sizeof(ipv6)), 0);
	}
	(void)close(fd);
}

/* bind() takes an address only when it is the host's and past its checks. */
static void addresses_are_usable_at_once(void **state)
{
	const struct sock_link_setting as_is = { 0 };
	struct fp_error error = { 0 };
	unsigned ifindex;

	make_pair();
	enter(first_netns);
	ifindex = if_nametoindex("one");
	assert_int_equal(sock_link_up(ifindex, &as_is, &error), 0);
	assert_int_equal(sock_link_add_address(ifindex, "10.1.2.3", 24, &error),
			 0);
	bind_to("10.1.2.3", AF_INET);
	if (access("/proc/sys/net/ipv6", F_OK))
		return; /* a kernel without IPv6 */
	assert_int_equal(sock_link_add_address(ifindex, "fd00::3", 64, &error),
			 0);
	bind_to("fd00::3", AF_INET6);
}

/* Two datagrams to a neighbour that no one has to ask for. */
static void counters_count(void **state)
{
	const struct sock_link_setting setting = { .is_noarp = true };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = 9 };
	struct sock_link_stats before, after;
	struct fp_error error = { 0 };
	unsigned ifindex;
	int fd;

	make_pair();
	enter(second_netns);
	assert_int_equal(sock_link_up(if_nametoindex("two"), &setting, &error),
			 0);
	enter(first_netns);
	ifindex = if_nametoindex("one");
	assert_int_equal(sock_link_up(ifindex, &setting, &error), 0);
	assert_int_equal(sock_link_add_address(ifindex, "10.1.2.3", 24, &error),
			 0);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	(void)inet_pton(AF_INET, "10.1.2.4", &to.sin_addr);
	assert_int_equal(sock_link_get_stats(ifindex, &before, &error), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
		    sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)),
		    1);
	assert_int_equal(sock_link_get_stats(ifindex, &after, &error), 0);
	/* IPv6 may announce itself meanwhile: at least those two */
	assert_true(after.tx_packets >= before.tx_packets + 2);
	assert_int_equal(after.tx_dropped, 0);
	(void)close(fd);
}

static void errors_name_the_object(void **state)
{
	const struct sock_link_setting setting = { .mtu_bytes = 1500 };
	struct sock_link_stats stats;
	struct fp_error error = { 0 };

	if (!is_possible)
		skip();
	assert_int_equal(sock_link_up(4711, &setting, &error), -ENODEV);
	assert_non_null(strstr(error.text, "4711"));
	assert_int_equal(sock_link_get_stats(4711, &stats, &error), -ENODEV);
	assert_non_null(strstr(error.text, "4711"));
	assert_int_equal(sock_link_add_address(1, "10.1.2", 24, &error),
			 -EINVAL);
	assert_non_null(strstr(error.text, "'10.1.2'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_end_lives_in_its_namespace,
					  remove_pair),
		cmocka_unit_test_teardown(
		    a_setting_is_applied_and_the_device_is_up, remove_pair),
		cmocka_unit_test_teardown(addresses_are_usable_at_once,
					  remove_pair),
		cmocka_unit_test_teardown(counters_count, remove_pair),
		cmocka_unit_test(errors_name_the_object),
	};

	return cmocka_run_group_tests(tests, make_namespaces, NULL);
}
