/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Super-packets: what the kernel hands over in one piece when a device says
 * that it segments and checksums itself (virtio 1.2, section 5.1.6). Pure
 * arithmetic on memory; nothing here touches a descriptor.
 *
 * A frame is a virtio-net header, l2_bytes of link header (0 or 14), and an IP
 * packet. A TCP or UDP super-packet stands for `segments` packets of the wire,
 * which have its headers and up to segment_bytes of its payload each. A run of
 * them, first … first + count - 1, is again a frame:
 *
 *	IPv4	total length, identification + first, header checksum
 *	IPv6	payload length
 *	TCP	sequence number + first * segment_bytes; FIN and PSH only with
 *		the last segment, CWR only with the first (RFC 3168, 6.1.2)
 *	UDP	length
 *	both	the sum of the pseudo-header follows the length
 *
 * as tcp_gso_segment() and __udp_gso_segment() of Linux do it. IPv6 extension
 * headers are copied as they are: the transport header is where the virtio-net
 * header says. What is no super-packet, or one of a kind that we do not know,
 *is one packet of the wire.
 */
#ifndef LAB_VNET_H
#define LAB_VNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNET_HEADER_BYTES 10 /* struct virtio_net_hdr without num_buffers */
/* Largest IP and transport headers that are split: IPv4 and TCP have at most 60
 * each; the rest is room for IPv6 extension headers. Longer ones are one
 * packet. */
#define VNET_SPLIT_BYTES  256
/* Room for the head of a built frame. */
#define VNET_HEAD_BYTES   (VNET_HEADER_BYTES + 14 + VNET_SPLIT_BYTES)

/* What a frame is. Offsets count from the first byte of the IP packet. */
struct vnet_shape {
	uint32_t ip_bytes;      /* length of the IP packet */
	uint32_t flow;          /* hash of addresses, protocol and ports */
	uint16_t header_bytes;  /* what each segment repeats; no super-packet:
				   the IP header */
	uint16_t l4_offset;     /* transport header; 0: not known */
	uint16_t csum_offset;   /* the transport checksum; 0: it is complete */
	uint16_t segment_bytes; /* payload of each segment but the last */
	uint16_t segments;      /* packets of the wire, at least 1 */
	uint8_t l2_bytes;       /* link header before the IP packet */
	uint8_t ecn;            /* enum fp_ecn */
	uint8_t protocol;       /* of a super-packet: IPPROTO_TCP or _UDP */
	bool is_ipv6;
	bool is_group; /* to a multicast or broadcast address */
};

/* Segments of one frame that leave together. */
struct vnet_run {
	uint16_t first, count;
	bool is_ce; /* they carry the mark of congestion (RFC 3168) */
};

/* A built frame: a head of its own, a payload inside the frame it came from. */
struct vnet_out {
	uint32_t head_bytes, payload_bytes;
	const uint8_t *payload;
	uint8_t head[VNET_HEAD_BYTES];
};

/* Reads what a frame is. Returns 0, or -EBADMSG when it is not a whole IPv4 or
 * IPv6 packet. */
int vnet_parse(const uint8_t *frame, size_t frame_bytes, uint8_t l2_bytes,
	       struct vnet_shape *ret_shape);

/* Tells the length of segment number index as an IP packet. */
uint32_t vnet_packet_bytes(const struct vnet_shape *shape, uint16_t index);

/* Builds the frame of a run. The payload of ret_out points into frame. */
void vnet_build(const uint8_t *frame, const struct vnet_shape *shape,
		const struct vnet_run *run, struct vnet_out *ret_out);

/* Completes the transport checksum of a packet that the kernel left to the
 * device. ip is the whole packet, of ip_bytes; shape may be of the frame that
 * it is a part of. Nothing happens where shape knows no checksum. */
void vnet_complete_checksum(uint8_t *ip, const struct vnet_shape *shape,
			    uint32_t ip_bytes);

/* Completes the checksum of a built frame of one segment, which lies whole in
 * memory, and flips bit number bit (taken modulo its bits) of the IP packet.
 * The receiver then finds the damage by its checksums. */
void vnet_corrupt(uint8_t *frame, const struct vnet_shape *shape,
		  size_t frame_bytes, uint32_t bit);

#endif
