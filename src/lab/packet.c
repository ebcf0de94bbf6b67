/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/error.h"

/* Memory of frames that wait for the emulator, on each side. Without privilege
 * a socket's own buffer ends at net.core.rmem_max, which on older kernels is
 * six super-packets; a ring has no such limit. 48 MiB are 720 super-packets: 25
 * ms of 15 Gbit/s, longer than the emulator ever looks away. Where a link
 * limits the flows a third does, and rounds can run side by side in small
 * machines. */
#define RING_BYTES_FAST (48u << 20)
#define RING_BYTES      (16u << 20)
#define BLOCK_BYTES     (1u << 20)
/* Before the frame: tpacket2_hdr, its alignment, a virtio-net header. */
#define SLOT_OVERHEAD   128u
#define SEND_BUFFER     (64 << 20)

static int set_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno
								    : 0;
}

static int packet_set_ring(int fd, const struct packet_geometry *geometry)
{
	uint32_t blocks = geometry->ring_bytes / BLOCK_BYTES;
	struct tpacket_req ring = {
		.tp_block_size = BLOCK_BYTES,
		.tp_block_nr = blocks,
		.tp_frame_size = geometry->slot_bytes,
		.tp_frame_nr = blocks * (BLOCK_BYTES / geometry->slot_bytes),
	};

	return setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring))
		   ? -errno
		   : 0;
}

static int packet_set_up(int fd, unsigned ifindex,
			 const struct packet_geometry *geometry)
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
	if (!result)
		result = set_option(fd, SOL_PACKET, PACKET_VERSION, TPACKET_V2);
	if (!result)
		result = packet_set_ring(fd, geometry);
	if (result)
		return result;
	/* a wish: what does not fit fails, and is counted */
	if (set_option(fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER))
		(void)set_option(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return 0;
}

struct packet_geometry packet__geometry(uint32_t frame_bytes, bool is_fast)
{
	uint32_t bytes = frame_bytes + SLOT_OVERHEAD;

	return (struct packet_geometry){
		.slot_bytes =
		    (bytes + TPACKET_ALIGNMENT - 1) & ~(TPACKET_ALIGNMENT - 1u),
		.ring_bytes = is_fast ? RING_BYTES_FAST : RING_BYTES,
	};
}

int packet__open(unsigned ifindex, const struct packet_geometry *geometry,
		 struct fp_error *error)
{
	/* protocol 0: nothing arrives before bind() names the device */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int result;

	if (fd < 0)
		return fp_error_errno(error, errno,
				      "cannot open a packet socket");
	result = packet_set_up(fd, ifindex, geometry);
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

int packet__map(int fd, const struct packet_geometry *geometry,
		struct packet_ring *ret_ring, struct fp_error *error)
{
	void *memory = mmap(NULL, geometry->ring_bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return fp_error_errno(error, errno,
				      "cannot map a packet socket's ring");
	*ret_ring = (struct packet_ring){
		.memory = memory,
		.geometry = *geometry,
		.block_slots = BLOCK_BYTES / geometry->slot_bytes,
	};
	ret_ring->slots =
	    geometry->ring_bytes / BLOCK_BYTES * ret_ring->block_slots;
	/* a child that keeps it would keep the ring; a wish: children exec */
	(void)madvise(memory, geometry->ring_bytes, MADV_DONTFORK);
	return 0;
}

void packet__unmap(struct packet_ring *ring)
{
	if (ring->memory)
		(void)munmap(ring->memory,
			     ring->geometry.ring_bytes); /* is ours */
	ring->memory = NULL;
}

static struct tpacket2_hdr *ring_slot(const struct packet_ring *ring)
{
	uint32_t block = ring->next / ring->block_slots;
	uint32_t slot = ring->next % ring->block_slots;

	return (void *)(ring->memory + (size_t)block * BLOCK_BYTES +
			(size_t)slot * ring->geometry.slot_bytes);
}

ssize_t packet__read(struct packet_ring *ring, uint8_t *to, size_t room_bytes)
{
	struct tpacket2_hdr *slot = ring_slot(ring);
	uint32_t status = __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);
	size_t bytes = DEVICE_VNET_BYTES + (size_t)slot->tp_snaplen;
	bool is_whole = slot->tp_snaplen == slot->tp_len && bytes <= room_bytes;

	if (!(status & TP_STATUS_USER))
		return -EAGAIN;
	/* the kernel writes the virtio-net header right before the frame */
	if (is_whole)
		memcpy(to, (uint8_t *)slot + slot->tp_mac - DEVICE_VNET_BYTES,
		       bytes);
	__atomic_store_n(&slot->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	ring->next = ring->next + 1 == ring->slots ? 0 : ring->next + 1;
	return is_whole ? (ssize_t)bytes : -EINVAL;
}

int packet__take_error(int fd)
{
	int error = 0;
	socklen_t length = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
		return -errno;
	return -error;
}
