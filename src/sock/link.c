/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sock/link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "sys/error.h"

/* Largest request of ours; answers to a link query can be several pages. */
#define REQUEST_BYTES 1024
#define ANSWER_BYTES  32768

static struct nlmsghdr *request_start(char *buffer, uint16_t type,
				      uint16_t flags)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	request->nlmsg_type = type;
	request->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	request->nlmsg_seq = 1;
	return request;
}

static struct ifinfomsg *request_link(struct nlmsghdr *request,
				      unsigned ifindex)
{
	struct ifinfomsg *link =
	    mnl_nlmsg_put_extra_header(request, sizeof(*link));

	link->ifi_family = AF_UNSPEC;
	link->ifi_index = (int)ifindex;
	return link;
}

static int receive_answer(struct mnl_socket *socket, mnl_cb_t callback,
			  void *context)
{
	unsigned port = mnl_socket_get_portid(socket);
	char answer[ANSWER_BYTES];
	ssize_t length;
	int state;

	do {
		length = mnl_socket_recvfrom(socket, answer, sizeof(answer));
		if (length < 0)
			return -errno;
		state = mnl_cb_run(answer, (size_t)length, 1, port, callback,
				   context);
	} while (state > MNL_CB_STOP);
	return state < 0 ? -errno : 0;
}

/* Sends request and waits until the kernel acknowledged it. */
static int request_run(struct nlmsghdr *request, mnl_cb_t callback,
		       void *context)
{
	struct mnl_socket *socket =
	    mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int result = 0;

	if (!socket)
		return -errno;
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		result = -errno;
	if (!result)
		result = receive_answer(socket, callback, context);
	(void)mnl_socket_close(socket); /* only a descriptor is released */
	return result;
}

static void put_veth_end(struct nlmsghdr *request,
			 const struct sock_veth_end *end)
{
	mnl_attr_put_strz(request, IFLA_IFNAME, end->name);
	mnl_attr_put(request, IFLA_ADDRESS, SOCK_MAC_BYTES, end->mac);
	if (end->netns_fd >= 0)
		mnl_attr_put_u32(request, IFLA_NET_NS_FD,
				 (uint32_t)end->netns_fd);
}

int sock_link_add_veth(const struct sock_veth_end *first,
		       const struct sock_veth_end *second,
		       struct fp_error *error)
{
	char buffer[REQUEST_BYTES];
	struct nlmsghdr *request =
	    request_start(buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *info, *data, *peer;
	int result;

	(void)request_link(request, 0);
	put_veth_end(request, first);
	info = mnl_attr_nest_start(request, IFLA_LINKINFO);
	mnl_attr_put_strz(request, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(request, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(request, VETH_INFO_PEER);
	(void)request_link(request, 0);
	put_veth_end(request, second);
	mnl_attr_nest_end(request, peer);
	mnl_attr_nest_end(request, data);
	mnl_attr_nest_end(request, info);
	result = request_run(request, NULL, NULL);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot make veth pair '%s', '%s'",
				      first->name, second->name);
	return 0;
}

int sock_link_up(unsigned ifindex, const struct sock_link_setting *setting,
		 struct fp_error *error)
{
	char buffer[REQUEST_BYTES];
	struct nlmsghdr *request = request_start(buffer, RTM_NEWLINK, 0);
	struct ifinfomsg *link = request_link(request, ifindex);
	int result;

	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	if (setting->is_noarp) {
		link->ifi_flags |= IFF_NOARP;
		link->ifi_change |= IFF_NOARP;
	}
	if (setting->mtu_bytes)
		mnl_attr_put_u32(request, IFLA_MTU, setting->mtu_bytes);
	if (setting->queue_pkts)
		mnl_attr_put_u32(request, IFLA_TXQLEN, setting->queue_pkts);
	if (setting->gso_max_pkts)
		mnl_attr_put_u32(request, IFLA_GSO_MAX_SEGS,
				 setting->gso_max_pkts);
	result = request_run(request, NULL, NULL);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot bring up network device %u with "
				      "mtu %u",
				      ifindex, setting->mtu_bytes);
	return 0;
}

int sock_link_add_address(unsigned ifindex, const char *address,
			  unsigned prefix_bits, struct fp_error *error)
{
	bool is_ipv6 = strchr(address, ':');
	uint8_t bytes[sizeof(struct in6_addr)];
	size_t length =
	    is_ipv6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	char buffer[REQUEST_BYTES];
	struct nlmsghdr *request =
	    request_start(buffer, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
	struct ifaddrmsg *entry =
	    mnl_nlmsg_put_extra_header(request, sizeof(*entry));
	int result;

	entry->ifa_family = is_ipv6 ? AF_INET6 : AF_INET;
	entry->ifa_prefixlen = (uint8_t)prefix_bits;
	entry->ifa_flags = is_ipv6 ? IFA_F_NODAD : 0;
	entry->ifa_scope = RT_SCOPE_UNIVERSE;
	entry->ifa_index = ifindex;
	if (inet_pton(entry->ifa_family, address, bytes) != 1)
		return fp_error_errno(error, EINVAL, "cannot read address '%s'",
				      address);
	mnl_attr_put(request, IFA_LOCAL, length, bytes);
	mnl_attr_put(request, IFA_ADDRESS, length, bytes);
	result = request_run(request, NULL, NULL);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot add address '%s' to network "
				      "device %u",
				      address, ifindex);
	return 0;
}

int sock_link_add_neighbour(unsigned ifindex, const char *address,
			    const char *algorithm, struct fp_error *error)
{
	bool is_ipv6 = strchr(address, ':');
	struct in6_addr bytes;
	size_t length = is_ipv6 ? sizeof(bytes) : sizeof(struct in_addr);
	char buffer[REQUEST_BYTES];
	struct nlmsghdr *request =
	    request_start(buffer, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
	struct rtmsg *route =
	    mnl_nlmsg_put_extra_header(request, sizeof(*route));
	struct nlattr *metrics;
	int result;

	route->rtm_family = is_ipv6 ? AF_INET6 : AF_INET;
	route->rtm_dst_len = (uint8_t)(length * 8);
	route->rtm_table = RT_TABLE_MAIN;
	route->rtm_protocol = RTPROT_STATIC;
	route->rtm_scope = is_ipv6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
	route->rtm_type = RTN_UNICAST;
	if (inet_pton(route->rtm_family, address, &bytes) != 1)
		return fp_error_errno(error, EINVAL, "cannot read address '%s'",
				      address);
	mnl_attr_put(request, RTA_DST, length, &bytes);
	mnl_attr_put_u32(request, RTA_OIF, ifindex);
	metrics = mnl_attr_nest_start(request, RTA_METRICS);
	mnl_attr_put_strz(request, RTAX_CC_ALGO, algorithm);
	mnl_attr_nest_end(request, metrics);
	result = request_run(request, NULL, NULL);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot let TCP use '%s' to '%s'",
				      algorithm, address);
	return 0;
}

static int read_stats_attr(const struct nlattr *attr, void *context)
{
	struct sock_link_stats *stats = context;
	size_t length = mnl_attr_get_payload_len(attr);
	struct rtnl_link_stats64 raw = { 0 };

	if (mnl_attr_get_type(attr) != IFLA_STATS64)
		return MNL_CB_OK;
	/* the kernel's struct only grows at its end */
	memcpy(&raw, mnl_attr_get_payload(attr),
	       length < sizeof(raw) ? length : sizeof(raw));
	*stats = (struct sock_link_stats){
		.rx_packets = raw.rx_packets,
		.tx_packets = raw.tx_packets,
		.rx_dropped = raw.rx_dropped,
		.tx_dropped = raw.tx_dropped,
		.rx_errors = raw.rx_errors,
		.tx_errors = raw.tx_errors,
	};
	return MNL_CB_OK;
}

static int read_stats(const struct nlmsghdr *answer, void *context)
{
	return mnl_attr_parse(answer, sizeof(struct ifinfomsg), read_stats_attr,
			      context);
}

int sock_link_get_stats(unsigned ifindex, struct sock_link_stats *ret_stats,
			struct fp_error *error)
{
	char buffer[REQUEST_BYTES];
	struct nlmsghdr *request = request_start(buffer, RTM_GETLINK, 0);
	int result;

	(void)request_link(request, ifindex);
	result = request_run(request, read_stats, ret_stats);
	if (result)
		return fp_error_errno(error, -result,
				      "cannot read counters of network device "
				      "%u",
				      ifindex);
	return 0;
}
