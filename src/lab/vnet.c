/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/vnet.h"

#include <errno.h>
#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <string.h>

/* Linux 6.2; the headers of Debian 12 are older. */
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define IPV4_HEADER_MIN 20
#define IPV6_HEADER     40
#define TCP_HEADER_MIN  20
#define UDP_HEADER      8
/* Offsets in the headers: RFC 791, 8200, 9293, 768. */
#define IPV4_TOS        1
#define IPV4_LENGTH     2
#define IPV4_ID         4
#define IPV4_FRAGMENT   6
#define IPV4_PROTOCOL   9
#define IPV4_CHECKSUM   10
#define IPV4_SOURCE     12
#define IPV4_DEST       16
#define IPV6_LENGTH     4
#define IPV6_NEXT       6
#define IPV6_SOURCE     8
#define IPV6_DEST       24
#define TCP_SEQUENCE    4
#define TCP_OFFSET      12
#define TCP_FLAGS       13
#define TCP_CHECKSUM    16
#define UDP_LENGTH      4
#define UDP_CHECKSUM    6

#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80
#define ECN_CE  0x03

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void put16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

static void put32(uint8_t *bytes, uint32_t value)
{
	put16(bytes, (uint16_t)(value >> 16));
	put16(bytes + 2, (uint16_t)value);
}

static uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* The sum of RFC 1071, not complemented. */
static uint16_t sum_bytes(const uint8_t *bytes, size_t length)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < length; i += 2)
		sum += get16(bytes + i);
	if (i < length)
		sum += (uint32_t)bytes[i] << 8;
	return fold(sum);
}

/* --- What a frame is ------------------------------------------------------ */

static uint32_t mix(uint32_t hash, uint32_t word)
{
	/* the 32-bit finaliser of MurmurHash3 spreads each word */
	hash ^= word;
	hash *= 0x85ebca6bu;
	hash ^= hash >> 13;
	hash *= 0xc2b2ae35u;
	return hash ^ hash >> 16;
}

static uint32_t hash_flow(const uint8_t *ip, const struct vnet_shape *shape,
			  uint8_t protocol)
{
	const uint8_t *from = ip + (shape->is_ipv6 ? IPV6_SOURCE : IPV4_SOURCE);
	size_t words = shape->is_ipv6 ? 8 : 2;
	uint32_t hash = protocol;

	for (size_t i = 0; i < words; i++)
		hash = mix(hash, get32(from + 4 * i));
	if ((protocol == IPPROTO_TCP || protocol == IPPROTO_UDP) &&
	    shape->l4_offset && shape->l4_offset + 4u <= shape->ip_bytes)
		hash = mix(hash, get32(ip + shape->l4_offset));
	return hash;
}

static int parse_ipv4(const uint8_t *ip, struct vnet_shape *shape,
		      uint8_t *ret_protocol)
{
	uint16_t header_bytes = (uint16_t)((ip[0] & 0x0f) * 4);

	if (shape->ip_bytes < IPV4_HEADER_MIN ||
	    header_bytes < IPV4_HEADER_MIN || header_bytes > shape->ip_bytes)
		return -EBADMSG;
	shape->header_bytes = header_bytes;
	shape->ecn = ip[IPV4_TOS] & ECN_CE;
	shape->is_group = ip[IPV4_DEST] >= 224;
	*ret_protocol = ip[IPV4_PROTOCOL];
	if (!(get16(ip + IPV4_FRAGMENT) & 0x3fff)) /* no fragment */
		shape->l4_offset = header_bytes;
	return 0;
}

static int parse_ipv6(const uint8_t *ip, struct vnet_shape *shape,
		      uint8_t *ret_protocol)
{
	if (shape->ip_bytes < IPV6_HEADER)
		return -EBADMSG;
	shape->is_ipv6 = true;
	shape->header_bytes = IPV6_HEADER;
	shape->ecn = ip[1] >> 4 & ECN_CE;
	shape->is_group = ip[IPV6_DEST] == 0xff;
	*ret_protocol = ip[IPV6_NEXT];
	shape->l4_offset = IPV6_HEADER;
	return 0;
}

static uint8_t gso_protocol(const struct virtio_net_hdr *header)
{
	switch (header->gso_type & ~VIRTIO_NET_HDR_GSO_ECN) {
	case VIRTIO_NET_HDR_GSO_TCPV4:
	case VIRTIO_NET_HDR_GSO_TCPV6:
		return IPPROTO_TCP;
	case VIRTIO_NET_HDR_GSO_UDP_L4:
		return IPPROTO_UDP;
	default:
		return 0;
	}
}

static uint32_t l4_header_bytes(const uint8_t *l4, uint8_t protocol)
{
	uint32_t bytes = (l4[TCP_OFFSET] >> 4) * 4u;

	if (protocol == IPPROTO_UDP)
		return UDP_HEADER;
	return bytes < TCP_HEADER_MIN ? TCP_HEADER_MIN : bytes;
}

static bool has_own_checksum(const struct vnet_shape *shape, uint8_t protocol)
{
	uint32_t at = protocol == IPPROTO_UDP ? UDP_CHECKSUM : TCP_CHECKSUM;

	return shape->csum_offset &&
	       shape->csum_offset == shape->l4_offset + at;
}

/* Finds the segments of a super-packet; leaves shape alone if it is none. */
static void parse_gso(const struct virtio_net_hdr *header, const uint8_t *ip,
		      struct vnet_shape *shape)
{
	uint8_t protocol = gso_protocol(header);
	uint32_t headers, payload, l4 = shape->l4_offset;

	if (!protocol || !header->gso_size ||
	    !has_own_checksum(shape, protocol))
		return;
	if (l4 + TCP_HEADER_MIN > shape->ip_bytes)
		return;
	headers = l4 + l4_header_bytes(ip + l4, protocol);
	if (headers > VNET_SPLIT_BYTES || headers >= shape->ip_bytes)
		return;
	payload = shape->ip_bytes - headers;
	shape->protocol = protocol;
	shape->header_bytes = (uint16_t)headers;
	shape->segment_bytes = header->gso_size;
	shape->segments =
	    (uint16_t)((payload + header->gso_size - 1) / header->gso_size);
}

/* Takes the place of the transport header and of its checksum from the
 * virtio-net header, if they are inside the packet. */
static void parse_checksum(const struct virtio_net_hdr *header,
			   struct vnet_shape *shape)
{
	uint32_t start = header->csum_start, field;

	if (!(header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM))
		return;
	if (start < shape->l2_bytes + (uint32_t)shape->header_bytes)
		return;
	start -= shape->l2_bytes;
	field = start + header->csum_offset;
	if (field + 2 > shape->ip_bytes || field > UINT16_MAX)
		return;
	shape->l4_offset = (uint16_t)start;
	shape->csum_offset = (uint16_t)field;
}

int vnet_parse(const uint8_t *frame, size_t frame_bytes, uint8_t l2_bytes,
	       struct vnet_shape *ret_shape)
{
	size_t before = VNET_HEADER_BYTES + (size_t)l2_bytes;
	struct vnet_shape shape = { .l2_bytes = l2_bytes, .segments = 1 };
	struct virtio_net_hdr header;
	const uint8_t *ip = frame + before;
	uint8_t protocol;
	int result;

	if (frame_bytes < before + IPV4_HEADER_MIN)
		return -EBADMSG;
	memcpy(&header, frame, VNET_HEADER_BYTES);
	shape.ip_bytes = (uint32_t)(frame_bytes - before);
	if (ip[0] >> 4 == 4)
		result = parse_ipv4(ip, &shape, &protocol);
	else if (ip[0] >> 4 == 6)
		result = parse_ipv6(ip, &shape, &protocol);
	else
		result = -EBADMSG;
	if (result)
		return result;
	parse_checksum(&header, &shape);
	parse_gso(&header, ip, &shape);
	if (shape.protocol)
		protocol = shape.protocol;
	shape.flow = hash_flow(ip, &shape, protocol);
	*ret_shape = shape;
	return 0;
}

/* --- Runs ------------------------------------------------------------------
 */

/* Payload of the segments before number index. */
static uint32_t payload_before(const struct vnet_shape *shape, uint32_t index)
{
	uint32_t payload = shape->ip_bytes - shape->header_bytes;
	uint32_t before = index * shape->segment_bytes;

	return index >= shape->segments || before > payload ? payload : before;
}

uint32_t vnet_packet_bytes(const struct vnet_shape *shape, uint16_t index)
{
	return shape->header_bytes + payload_before(shape, index + 1u) -
	       payload_before(shape, index);
}

static void set_ipv4_checksum(uint8_t *ip)
{
	size_t length = (ip[0] & 0x0fu) * 4u;

	put16(ip + IPV4_CHECKSUM, 0);
	put16(ip + IPV4_CHECKSUM, (uint16_t)~sum_bytes(ip, length));
}

static void set_ip(uint8_t *ip, const struct vnet_shape *shape,
		   const struct vnet_run *run, uint32_t ip_bytes)
{
	if (shape->is_ipv6) {
		put16(ip + IPV6_LENGTH, (uint16_t)(ip_bytes - IPV6_HEADER));
		return;
	}
	put16(ip + IPV4_LENGTH, (uint16_t)ip_bytes);
	put16(ip + IPV4_ID, (uint16_t)(get16(ip + IPV4_ID) + run->first));
	set_ipv4_checksum(ip);
}

static void set_ce(uint8_t *ip, bool is_ipv6)
{
	if (is_ipv6) {
		ip[1] |= ECN_CE << 4;
		return;
	}
	ip[IPV4_TOS] |= ECN_CE;
	set_ipv4_checksum(ip);
}

static void set_tcp(uint8_t *tcp, const struct vnet_shape *shape,
		    const struct vnet_run *run)
{
	uint32_t offset = payload_before(shape, run->first);

	put32(tcp + TCP_SEQUENCE, get32(tcp + TCP_SEQUENCE) + offset);
	if (run->first + run->count < shape->segments)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TCP_FIN | TCP_PSH);
	if (run->first)
		tcp[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
}

/* The pseudo-header's sum holds the transport length: take the old one out (by
 * adding its complement) and the new one in. */
static void set_pseudo_sum(uint8_t *ip, const struct vnet_shape *shape,
			   uint32_t ip_bytes)
{
	uint8_t *field = ip + shape->csum_offset;
	uint32_t was = shape->ip_bytes - shape->l4_offset;
	uint32_t is = ip_bytes - shape->l4_offset;

	put16(field, fold((uint64_t)get16(field) + (uint16_t)~fold(was) + is));
}

static void set_vnet_header(uint8_t *bytes, const struct vnet_shape *shape,
			    const struct vnet_run *run)
{
	struct virtio_net_hdr header;

	memcpy(&header, bytes, VNET_HEADER_BYTES);
	header.hdr_len = (uint16_t)(shape->l2_bytes + shape->header_bytes);
	if (run->first) /* the CWR flag is gone */
		header.gso_type &= (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
	if (run->count == 1) {
		header.gso_type = VIRTIO_NET_HDR_GSO_NONE;
		header.gso_size = 0;
	}
	memcpy(bytes, &header, VNET_HEADER_BYTES);
}

/* Makes the headers of a whole super-packet those of a part of it. */
static void cut_head(uint8_t *head, const struct vnet_shape *shape,
		     const struct vnet_run *run, uint32_t ip_bytes)
{
	uint8_t *ip = head + VNET_HEADER_BYTES + shape->l2_bytes;
	uint8_t *l4 = ip + shape->l4_offset;

	set_vnet_header(head, shape, run);
	set_ip(ip, shape, run, ip_bytes);
	if (shape->protocol == IPPROTO_TCP)
		set_tcp(l4, shape, run);
	else
		put16(l4 + UDP_LENGTH, (uint16_t)(ip_bytes - shape->l4_offset));
	set_pseudo_sum(ip, shape, ip_bytes);
}

void vnet_build(const uint8_t *frame, const struct vnet_shape *shape,
		const struct vnet_run *run, struct vnet_out *ret_out)
{
	uint32_t before = VNET_HEADER_BYTES + (uint32_t)shape->l2_bytes;
	uint32_t from = payload_before(shape, run->first);
	uint32_t to = payload_before(shape, (uint32_t)run->first + run->count);

	ret_out->head_bytes = before + shape->header_bytes;
	ret_out->payload_bytes = to - from;
	ret_out->payload = frame + ret_out->head_bytes + from;
	memcpy(ret_out->head, frame, ret_out->head_bytes);
	if (run->count < shape->segments)
		cut_head(ret_out->head, shape, run,
			 shape->header_bytes + ret_out->payload_bytes);
	if (run->is_ce)
		set_ce(ret_out->head + before, shape->is_ipv6);
}

/* --- Damage ------------------------------------------------------------------
 */

void vnet_complete_checksum(uint8_t *ip, const struct vnet_shape *shape,
			    uint32_t ip_bytes)
{
	uint16_t sum;

	if (!shape->csum_offset || shape->csum_offset + 2u > ip_bytes)
		return;
	sum = (uint16_t)~sum_bytes(ip + shape->l4_offset,
				   ip_bytes - shape->l4_offset);
	/* zero means "no checksum" to UDP (RFC 768), and there is another zero
	 * in this arithmetic */
	if (!sum && shape->csum_offset == shape->l4_offset + UDP_CHECKSUM)
		sum = 0xffff;
	put16(ip + shape->csum_offset, sum);
}

void vnet_corrupt(uint8_t *frame, const struct vnet_shape *shape,
		  size_t frame_bytes, uint32_t bit)
{
	uint32_t before = VNET_HEADER_BYTES + (uint32_t)shape->l2_bytes;
	uint32_t ip_bytes = (uint32_t)frame_bytes - before;
	uint8_t *ip = frame + before;

	vnet_complete_checksum(ip, shape, ip_bytes);
	memset(frame, 0, VNET_HEADER_BYTES);
	bit %= ip_bytes * 8;
	ip[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
}
