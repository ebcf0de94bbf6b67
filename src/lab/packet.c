/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/error.h"

/* What may wait in the socket. Each waiting super-packet holds about 70 KB of
 * kernel memory. Without privilege the kernel caps it at net.core.rmem_max. */
#define PACKET_BUFFER_BYTES (256 << 20)

static int set_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno
								    : 0;
}

static void packet_set_buffer(int fd)
{
	/* both are wishes: drops are counted, whatever the size became */
	if (set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, PACKET_BUFFER_BYTES))
		(void)set_option(fd, SOL_SOCKET, SO_RCVBUF,
				 PACKET_BUFFER_BYTES);
	if (set_option(fd, SOL_SOCKET, SO_SNDBUFFORCE, PACKET_BUFFER_BYTES))
		(void)set_option(fd, SOL_SOCKET, SO_SNDBUF,
				 PACKET_BUFFER_BYTES);
}

static int packet_set_up(int fd, unsigned ifindex)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)ifindex,
	};
	int result = set_option(fd, SOL_PACKET, PACKET_VNET_HDR, 1);

	if (!result) /* Linux 4.20 */
		result = set_option(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
	if (!result)
		result = set_option(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1);
	if (result)
		return result;
	packet_set_buffer(fd);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return 0;
}

int packet__open(unsigned ifindex, struct fp_error *error)
{
	/* protocol 0: nothing arrives before bind() names the device */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int result;

	if (fd < 0)
		return fp_error_errno(error, errno,
				      "cannot open a packet socket");
	result = packet_set_up(fd, ifindex);
	if (result) {
		(void)close(fd); /* nothing was sent */
		return fp_error_errno(error, -result,
				      "cannot set up a packet socket on "
				      "network device %u",
				      ifindex);
	}
	return fd;
}

uint64_t packet__take_drops(int fd)
{
	struct tpacket_stats stats = { 0 };
	socklen_t length = sizeof(stats);

	/* the one failure is a wrong descriptor: nothing was dropped then */
	(void)getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length);
	return stats.tp_drops;
}
