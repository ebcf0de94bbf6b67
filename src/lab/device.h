/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where frames come from and go to. Both kinds read and write one frame a call:
 * a virtio-net header of DEVICE_VNET_BYTES, for packet sockets an Ethernet
 * header of DEVICE_ETHERNET_BYTES, then an IP packet, which is a super-packet
 * where the header's gso_type says so.
 */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

#define DEVICE_VNET_BYTES     10 /* struct virtio_net_hdr */
#define DEVICE_ETHERNET_BYTES 14
/* Frames that wait in the kernel for the emulator. Overflow is loss that no
 * model drew; 10000 super-packets are more than any window. */
#define DEVICE_QUEUE_PKTS     10000

/* Tells whether /dev/net/tun can be opened: 0, or a negative errno. */
int tun__check(void);

/* Makes a TUN device of this name in the caller's network namespace, down.
 * with_offload lets the kernel hand over super-packets; ret_has_uso tells
 * whether of UDP too. Returns its descriptor (non-blocking) or a negative errno
 * with error. */
int tun__open(const char *name, bool with_offload, bool *ret_has_uso,
	      struct fp_error *error);

/* How a receive ring is laid out. */
struct packet_geometry {
	uint32_t slot_bytes; /* of one frame */
	uint32_t ring_bytes;
};

/* Lays out a ring for frames of up to frame_bytes; is_fast: no link limits what
 * comes. */
struct packet_geometry packet__geometry(uint32_t frame_bytes, bool is_fast);

/* Opens a packet socket with a receive ring on a device of the caller's network
 * namespace. Returns its descriptor (non-blocking) or a negative errno with
 * error. */
int packet__open(unsigned ifindex, const struct packet_geometry *geometry,
		 struct fp_error *error);

/* The receive ring of a packet socket, mapped: the kernel copies frames in, the
 * emulator takes them in order. */
struct packet_ring {
	uint8_t *memory; /* NULL: none */
	struct packet_geometry geometry;
	uint32_t block_slots, slots;
	uint32_t next; /* slot to look at */
};

/* Maps the ring of a socket that was opened with the same geometry. Returns 0
 * or a negative errno with error. */
int packet__map(int fd, const struct packet_geometry *geometry,
		struct packet_ring *ret_ring, struct fp_error *error);
void packet__unmap(struct packet_ring *ring);

/* Takes what went wrong with the socket since the last call, as its device
 * going away does: 0 or a negative errno. */
int packet__take_error(int fd);

/* Takes the next frame: its length, -EAGAIN when there is none, -EINVAL when it
 * did not fit (it is gone then). */
ssize_t packet__read(struct packet_ring *ring, uint8_t *to, size_t room_bytes);

/* Reads and clears how many frames a packet socket had no room for. */
uint64_t packet__take_drops(int fd);

#endif
