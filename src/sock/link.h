/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Network devices by netlink (rtnetlink(7)), in the network namespace of the
 * caller. Each call is one request and waits for the kernel's answer.
 */
#ifndef SOCK_LINK_H
#define SOCK_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define SOCK_MAC_BYTES 6

/* One end of a pair of veth devices. */
struct sock_veth_end {
	const char *name;
	int netns_fd; /* where it is to live; -1: the caller's namespace */
	uint8_t mac[SOCK_MAC_BYTES];
};

/* Makes a pair of veth devices, both down. Returns 0 or a negative errno with
 * error. */
int sock_link_add_veth(const struct sock_veth_end *first,
		       const struct sock_veth_end *second,
		       struct fp_error *error);

struct sock_link_setting {
	uint32_t mtu_bytes;    /* 0: leave */
	uint32_t queue_pkts;   /* txqueuelen; 0: leave */
	uint32_t gso_max_pkts; /* segments in one super-packet; 0: leave */
	bool is_noarp;         /* switch neighbour discovery off */
};

/* Applies a setting to a device and brings it up. Returns 0 or a negative errno
 * with error. */
int sock_link_up(unsigned ifindex, const struct sock_link_setting *setting,
		 struct fp_error *error);

/* Gives a device an address ("10.0.0.1", "fd00::1"); an IPv6 address is usable
 * at once (no duplicate address detection). Returns 0 or a negative errno with
 * error. */
int sock_link_add_address(unsigned ifindex, const char *address,
			  unsigned prefix_bits, struct fp_error *error);

/* Adds a route to one neighbour over a device, on which TCP uses an algorithm
 * of congestion control: any that the kernel has, also one that only the host's
 * root may choose for a socket. It overrides what a program chose before it
 * connected. Returns 0 or a negative errno with error. */
int sock_link_add_neighbour(unsigned ifindex, const char *address,
			    const char *algorithm, struct fp_error *error);

/* Counters of a device since it was made, as of the kernel's IFLA_STATS64. */
struct sock_link_stats {
	uint64_t rx_packets, tx_packets;
	uint64_t rx_dropped, tx_dropped;
	uint64_t rx_errors, tx_errors;
};

/* Reads a device's counters. Returns 0 or a negative errno with error. */
int sock_link_get_stats(unsigned ifindex, struct sock_link_stats *ret_stats,
			struct fp_error *error);

#endif
