/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A super-packet that is cut into runs stands for the same packets of the wire
 * as before. The packets are written down here byte by byte from what a sender
 * would have sent (RFC 791, 8200, 9293, 768; checksums of RFC 1071), and each
 * run is expanded the way a network card does it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/virtio_net.h>
#include <netinet/in.h>
#include <string.h>

#include "fullpipe/link.h"
#include "lab/vnet.h"

#define GSO_UDP_L4  5 /* VIRTIO_NET_HDR_GSO_UDP_L4, not in old headers */
#define FRAME_ROOM  70000
#define PACKET_ROOM 2048

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
	/* Knuth's MMIX generator; the high bits are good enough here */
	random_state =
	    random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % bound;
}

/* --- What the sender means ---------------------------------------------------
 */

/* One flow's data and the headers it would travel under. */
struct message {
	bool is_ipv6, is_udp;
	uint8_t l2_bytes;
	uint8_t ip_options, tcp_options; /* bytes, multiples of 4 */
	uint8_t tos;
	uint16_t id, segment_bytes;
	uint32_t sequence, payload_bytes;
	uint8_t flags; /* TCP's, of the super-packet */
	uint8_t payload[65536];
};

static void store16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static uint32_t load16(const uint8_t *from)
{
	return (uint32_t)from[0] << 8 | from[1];
}

static void store32(uint8_t *to, uint32_t value)
{
	store16(to, value >> 16);
	store16(to + 2, value & 0xffff);
}

static uint32_t load32(const uint8_t *from)
{
	return load16(from) << 16 | load16(from + 2);
}

/* RFC 1071 in its plainest form: each byte at its place, carry at once. */
static uint32_t add_bytes(uint32_t sum, const uint8_t *bytes, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static uint32_t ip_header_bytes(const struct message *m)
{
	return m->is_ipv6 ? 40 : 20u + m->ip_options;
}

static uint32_t l4_header_bytes(const struct message *m)
{
	return m->is_udp ? 8 : 20u + m->tcp_options;
}

/* The sum over addresses, protocol and length (RFC 9293, 3.1; RFC 8200, 8.1).
 */
static uint32_t pseudo_sum(const struct message *m, const uint8_t *ip,
			   uint32_t l4_bytes)
{
	uint8_t tail[4];
	uint32_t sum;

	sum = m->is_ipv6 ? add_bytes(0, ip + 8, 32) : add_bytes(0, ip + 12, 8);
	store16(tail, m->is_udp ? 17 : 6);
	store16(tail + 2, l4_bytes);
	return add_bytes(sum, tail, 4);
}

static void write_ip(const struct message *m, uint8_t *ip, uint32_t length,
		     uint16_t id)
{
	memset(ip, 0, ip_header_bytes(m));
	if (m->is_ipv6) {
		ip[0] = 0x60 | m->tos >> 4;
		ip[1] = (uint8_t)(m->tos << 4 | 0x5);
		store16(ip + 4, length - 40);
		ip[6] = m->is_udp ? 17 : 6;
		ip[7] = 64;
		for (uint8_t i = 0; i < 32; i++)
			ip[8 + i] = (uint8_t)(0x20 + 3 * i);
		return;
	}
	ip[0] = (uint8_t)(0x45 + m->ip_options / 4);
	ip[1] = m->tos;
	store16(ip + 2, length);
	store16(ip + 4, id);
	ip[6] = 0x40; /* do not fragment */
	ip[8] = 64;
	ip[9] = m->is_udp ? 17 : 6;
	store32(ip + 12, 0x0ac90001);
	store32(ip + 16, 0x0ac90002);
	memset(ip + 20, 1, m->ip_options); /* no operation */
	store16(ip + 10, ~add_bytes(0, ip, ip_header_bytes(m)) & 0xffff);
}

static void write_l4(const struct message *m, uint8_t *l4, uint32_t sequence,
		     uint8_t flags, uint32_t payload_bytes)
{
	memset(l4, 0, l4_header_bytes(m));
	store16(l4, 40000);
	store16(l4 + 2, 5201);
	if (m->is_udp) {
		store16(l4 + 4, 8 + payload_bytes);
		return;
	}
	store32(l4 + 4, sequence);
	store32(l4 + 8, 0x01020304);
	l4[12] = (uint8_t)((5 + m->tcp_options / 4) << 4);
	l4[13] = flags;
	store16(l4 + 14, 501);
	memset(l4 + 20, 1, m->tcp_options);
}

static uint8_t *checksum_field(const struct message *m, uint8_t *l4)
{
	return l4 + (m->is_udp ? 6 : 16);
}

static void finish_checksum(const struct message *m, uint8_t *ip,
			    uint32_t length)
{
	uint8_t *l4 = ip + ip_header_bytes(m);
	uint32_t l4_bytes = length - ip_header_bytes(m), sum;

	store16(checksum_field(m, l4), 0);
	sum = add_bytes(pseudo_sum(m, ip, l4_bytes), l4, l4_bytes);
	sum = ~sum & 0xffff;
	store16(checksum_field(m, l4), sum ? sum : 0xffff);
}

static uint32_t segment_count(const struct message *m)
{
	return (m->payload_bytes + m->segment_bytes - 1) / m->segment_bytes;
}

/* Packet number index of the wire, complete. Returns its length. */
static uint32_t write_packet(const struct message *m, uint32_t index,
			     uint8_t *ip)
{
	uint32_t from = index * m->segment_bytes;
	uint32_t left = m->payload_bytes - from;
	uint32_t bytes = left < m->segment_bytes ? left : m->segment_bytes;
	uint32_t headers = ip_header_bytes(m) + l4_header_bytes(m);
	uint8_t flags = m->flags;

	if (index + 1 < segment_count(m))
		flags &= (uint8_t) ~(0x01 | 0x08); /* FIN, PSH: the last */
	if (index)
		flags &= (uint8_t)~0x80; /* CWR: the first */
	write_ip(m, ip, headers + bytes, (uint16_t)(m->id + index));
	write_l4(m, ip + ip_header_bytes(m), m->sequence + from, flags, bytes);
	memcpy(ip + headers, m->payload + from, bytes);
	finish_checksum(m, ip, headers + bytes);
	return headers + bytes;
}

/* The super-packet as the kernel hands it over. Returns its length. */
static uint32_t write_frame(const struct message *m, uint8_t *frame)
{
	uint32_t headers = ip_header_bytes(m) + l4_header_bytes(m);
	uint32_t length = headers + m->payload_bytes;
	uint8_t *ip = frame + VNET_HEADER_BYTES + m->l2_bytes;
	uint8_t *l4 = ip + ip_header_bytes(m);
	struct virtio_net_hdr header = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = m->is_udp    ? GSO_UDP_L4
			    : m->is_ipv6 ? VIRTIO_NET_HDR_GSO_TCPV6
					 : VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = (uint16_t)(m->l2_bytes + headers),
		.gso_size = m->segment_bytes,
		.csum_start = (uint16_t)(m->l2_bytes + ip_header_bytes(m)),
		.csum_offset = m->is_udp ? 6 : 16,
	};

	if (m->flags & 0x80)
		header.gso_type |= VIRTIO_NET_HDR_GSO_ECN;
	memcpy(frame, &header, VNET_HEADER_BYTES);
	memset(frame + VNET_HEADER_BYTES, 0xee, m->l2_bytes);
	write_ip(m, ip, length, m->id);
	write_l4(m, l4, m->sequence, m->flags, m->payload_bytes);
	store16(checksum_field(m, l4),
		pseudo_sum(m, ip, m->payload_bytes + l4_header_bytes(m)));
	memcpy(ip + headers, m->payload, m->payload_bytes);
	return VNET_HEADER_BYTES + m->l2_bytes + length;
}

static void random_message(struct message *m)
{
	uint32_t limit;

	m->is_ipv6 = random_below(2);
	m->is_udp = random_below(4) == 0;
	m->l2_bytes = random_below(2) ? 14 : 0;
	m->ip_options = m->is_ipv6 ? 0 : (uint8_t)(4 * random_below(11));
	m->tcp_options = (uint8_t)(4 * random_below(11));
	m->tos = (uint8_t)(random_below(256) & 0xfe); /* ECT(0) or none */
	m->id = (uint16_t)random_below(65536);
	m->sequence = random_below(UINT32_MAX);
	m->flags = (uint8_t)(m->is_udp ? 0 : random_below(256));
	m->segment_bytes = (uint16_t)(1 + random_below(1460));
	limit = 65535 - ip_header_bytes(m) - l4_header_bytes(m);
	/* two segments at least: one would not be a super-packet */
	m->payload_bytes =
	    m->segment_bytes + 1 + random_below(random_below(2) ? 4000 : 60000);
	if (m->payload_bytes > limit)
		m->payload_bytes = limit;
	for (uint32_t i = 0; i < m->payload_bytes; i++)
		m->payload[i] = (uint8_t)random_below(256);
}

/* --- What a network card makes of a run
 * ------------------------------------------ */

/* A built run, laid out in one piece. */
struct built {
	uint32_t bytes;
	uint8_t frame[FRAME_ROOM];
};

static void build_run(const uint8_t *frame, const struct vnet_shape *shape,
		      struct vnet_run run, struct built *built)
{
	struct vnet_out out;

	vnet_build(frame, shape, &run, &out);
	built->bytes = out.head_bytes + out.payload_bytes;
	memcpy(built->frame, out.head, out.head_bytes);
	memcpy(built->frame + out.head_bytes, out.payload, out.payload_bytes);
}

/* Packet number index of a run's frame, by the frame's own words. Returns its
 * length. */
static uint32_t card_packet(const struct message *m, const struct built *built,
			    uint32_t index, uint8_t *packet)
{
	const uint8_t *ip = built->frame + VNET_HEADER_BYTES + m->l2_bytes;
	uint32_t headers = ip_header_bytes(m) + l4_header_bytes(m);
	uint32_t payload =
	    built->bytes - VNET_HEADER_BYTES - m->l2_bytes - headers;
	uint8_t *l4 = packet + ip_header_bytes(m);
	uint32_t from, bytes;
	struct virtio_net_hdr header;

	memcpy(&header, built->frame, VNET_HEADER_BYTES);
	from = index * header.gso_size;
	bytes = payload - from;
	if (header.gso_size && bytes > header.gso_size)
		bytes = header.gso_size;
	memcpy(packet, ip, headers);
	memcpy(packet + headers, ip + headers + from, bytes);
	if (m->is_ipv6) {
		store16(packet + 4, headers - 40 + bytes);
	} else {
		store16(packet + 2, headers + bytes);
		store16(packet + 4, load16(ip + 4) + index);
		store16(packet + 10, 0);
		store16(packet + 10,
			~add_bytes(0, packet, ip_header_bytes(m)) & 0xffff);
	}
	if (m->is_udp) {
		store16(l4 + 4, 8 + bytes);
	} else {
		store32(l4 + 4, load32(l4 + 4) + from);
		if (from + bytes < payload)
			l4[13] &= (uint8_t) ~(0x01 | 0x08);
		if (index)
			l4[13] &= (uint8_t)~0x80;
	}
	finish_checksum(m, packet, headers + bytes);
	return headers + bytes;
}

/* What must be true of a run's headers before it is expanded. */
static void check_run_headers(const struct message *m, struct built *built,
			      const struct vnet_run *run)
{
	uint8_t *ip = built->frame + VNET_HEADER_BYTES + m->l2_bytes;
	uint8_t *l4 = ip + ip_header_bytes(m);
	uint32_t length = built->bytes - VNET_HEADER_BYTES - m->l2_bytes;
	struct virtio_net_hdr header;

	memcpy(&header, built->frame, VNET_HEADER_BYTES);
	assert_int_equal(header.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
	assert_int_equal(header.csum_start, m->l2_bytes + ip_header_bytes(m));
	assert_int_equal(header.hdr_len,
			 m->l2_bytes + ip_header_bytes(m) + l4_header_bytes(m));
	assert_int_equal(header.gso_size,
			 run->count > 1 ? m->segment_bytes : 0);
	/* the mark "this super-packet has CWR" fits the flag that is there */
	if (run->count > 1)
		assert_int_equal(!!(header.gso_type & VIRTIO_NET_HDR_GSO_ECN),
				 !m->is_udp && (l4[13] & 0x80));
	else
		assert_int_equal(header.gso_type, VIRTIO_NET_HDR_GSO_NONE);
	if (m->is_ipv6) {
		assert_int_equal(load16(ip + 4), length - 40);
	} else {
		assert_int_equal(load16(ip + 2), length);
		/* a header with its right checksum sums to all ones */
		assert_int_equal(add_bytes(0, ip, ip_header_bytes(m)), 0xffff);
	}
	if (m->is_udp)
		assert_int_equal(load16(l4 + 4), length - ip_header_bytes(m));
	/* 0 and 0xffff are the same number in ones' complement */
	assert_int_equal(load16(checksum_field(m, l4)) % 0xffff,
			 pseudo_sum(m, ip, length - ip_header_bytes(m)) %
			     0xffff);
}

static void check_run(const struct message *m, const uint8_t *frame,
		      const struct vnet_shape *shape, struct vnet_run run)
{
	static struct built built;
	uint8_t is[PACKET_ROOM], expected[PACKET_ROOM];

	build_run(frame, shape, run, &built);
	check_run_headers(m, &built, &run);
	for (uint32_t i = 0; i < run.count; i++) {
		uint32_t length = write_packet(m, run.first + i, expected);

		assert_int_equal(
		    vnet_packet_bytes(shape, (uint16_t)(run.first + i)),
		    length);
		assert_int_equal(card_packet(m, &built, i, is), length);
		assert_memory_equal(is, expected, length);
	}
}

static void any_partition_stands_for_the_same_packets(void **state)
{
	static struct message m;
	static uint8_t frame[FRAME_ROOM];
	struct vnet_shape shape;

	random_state = 1;
	for (int round = 0; round < 300; round++) {
		uint32_t length, next = 0;

		random_message(&m);
		length = write_frame(&m, frame);
		assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &shape),
				 0);
		assert_int_equal(shape.segments, segment_count(&m));
		while (next < shape.segments) {
			uint32_t left = shape.segments - next;
			uint32_t count = 1 + random_below(left < 8 ? left : 8);
			struct vnet_run run = { .first = (uint16_t)next,
						.count = (uint16_t)count };

			if (count < shape.segments)
				check_run(&m, frame, &shape, run);
			next += count;
		}
	}
}

static void the_whole_run_is_the_frame_that_came(void **state)
{
	static struct message m;
	static uint8_t frame[FRAME_ROOM];
	static struct built built;
	struct vnet_shape shape;
	struct vnet_run run = { 0 };
	uint32_t length;

	random_state = 2;
	random_message(&m);
	length = write_frame(&m, frame);
	assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &shape), 0);
	run.count = shape.segments;
	build_run(frame, &shape, run, &built);
	assert_int_equal(built.bytes, length);
	assert_memory_equal(built.frame, frame, length);
}

/* RFC 3168, section 5: both bits set; only the header's sum changes with it. */
static void a_mark_sets_both_bits_and_keeps_the_header_sum(void **state)
{
	static struct message m;
	static uint8_t frame[FRAME_ROOM];
	static struct built plain, marked;
	struct vnet_shape shape;

	random_state = 3;
	for (int round = 0; round < 50; round++) {
		struct vnet_run run = { .first = 0, .count = 1 };
		uint32_t length, ip = VNET_HEADER_BYTES;

		random_message(&m);
		ip += m.l2_bytes;
		length = write_frame(&m, frame);
		assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &shape),
				 0);
		assert_int_equal(shape.ecn, m.tos & 3);
		if (round % 2)
			run.count = shape.segments;
		build_run(frame, &shape, run, &plain);
		run.is_ce = true;
		build_run(frame, &shape, run, &marked);
		assert_int_equal(marked.bytes, plain.bytes);
		if (m.is_ipv6) {
			assert_int_equal(marked.frame[ip + 1] & 0x30, 0x30);
			marked.frame[ip + 1] = plain.frame[ip + 1];
		} else {
			assert_int_equal(marked.frame[ip + 1] & 3, 3);
			assert_int_equal(add_bytes(0, marked.frame + ip,
						   ip_header_bytes(&m)),
					 0xffff);
			marked.frame[ip + 1] = plain.frame[ip + 1];
			memcpy(marked.frame + ip + 10, plain.frame + ip + 10,
			       2);
		}
		assert_memory_equal(marked.frame, plain.frame, plain.bytes);
	}
}

/* One flipped bit moves the sum by a power of two, never by a multiple of
 * 65535, so the receiver always sees it, except in what no sum covers: version,
 * length and options of the header say so themselves, and IPv6 has no sum over
 * its traffic class, flow label and hop limit. */
static void a_damaged_packet_fails_a_checksum(void **state)
{
	static struct message m;
	static uint8_t frame[FRAME_ROOM];
	static struct built built;
	struct vnet_shape shape;

	random_state = 4;
	for (int round = 0; round < 400; round++) {
		uint32_t ip, l4, bit, length, l4_bytes, sum;
		struct vnet_run run = { .count = 1 };

		random_message(&m);
		ip = VNET_HEADER_BYTES + m.l2_bytes;
		l4 = ip + ip_header_bytes(&m);
		length = write_frame(&m, frame);
		assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &shape),
				 0);
		build_run(frame, &shape, run, &built);
		l4_bytes = built.bytes - l4;
		bit = 8 * (l4 - ip) + random_below(8 * l4_bytes);
		vnet_corrupt(built.frame, &shape, built.bytes, bit);
		sum = add_bytes(pseudo_sum(&m, built.frame + ip, l4_bytes),
				built.frame + l4, l4_bytes);
		assert_int_not_equal(sum, 0xffff);
		/* without the flip it is the packet that was sent */
		built.frame[ip + bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		sum = add_bytes(pseudo_sum(&m, built.frame + ip, l4_bytes),
				built.frame + l4, l4_bytes);
		assert_int_equal(sum, 0xffff);
		/* the kernel has to look: nothing says "checked" */
		assert_int_equal(built.frame[0], 0);
	}
}

static void flows_are_told_apart(void **state)
{
	static struct message m;
	static uint8_t frame[FRAME_ROOM];
	struct vnet_shape shape, other;
	uint32_t length;

	random_state = 5;
	random_message(&m);
	m.is_udp = false;
	length = write_frame(&m, frame);
	assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &shape), 0);
	m.sequence += 100000;
	m.id++;
	length = write_frame(&m, frame);
	assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &other), 0);
	assert_int_equal(shape.flow, other.flow);
	frame[VNET_HEADER_BYTES + m.l2_bytes + ip_header_bytes(&m) + 1] ^= 1;
	assert_int_equal(vnet_parse(frame, length, m.l2_bytes, &other), 0);
	assert_int_not_equal(shape.flow, other.flow);
}

/* Routers' announcements: ff02::2, 224.0.0.22. */
static void group_addresses_are_told(void **state)
{
	uint8_t ipv4[VNET_HEADER_BYTES + 20] = { 0 };
	uint8_t ipv6[VNET_HEADER_BYTES + 40] = { 0 };
	struct vnet_shape shape;

	ipv4[VNET_HEADER_BYTES] = 0x45;
	ipv4[VNET_HEADER_BYTES + 16] = 10;
	assert_int_equal(vnet_parse(ipv4, sizeof(ipv4), 0, &shape), 0);
	assert_false(shape.is_group);
	assert_int_equal(shape.segments, 1);
	ipv4[VNET_HEADER_BYTES + 16] = 224;
	assert_int_equal(vnet_parse(ipv4, sizeof(ipv4), 0, &shape), 0);
	assert_true(shape.is_group);
	ipv6[VNET_HEADER_BYTES] = 0x60;
	ipv6[VNET_HEADER_BYTES + 24] = 0xff;
	assert_int_equal(vnet_parse(ipv6, sizeof(ipv6), 0, &shape), 0);
	assert_true(shape.is_group);
}

static void what_is_no_ip_packet_is_refused(void **state)
{
	uint8_t frame[VNET_HEADER_BYTES + 40] = { 0 };
	struct vnet_shape shape;

	assert_int_equal(vnet_parse(frame, sizeof(frame), 0, &shape), -EBADMSG);
	frame[VNET_HEADER_BYTES] = 0x60;
	assert_int_equal(vnet_parse(frame, sizeof(frame) - 1, 0, &shape),
			 -EBADMSG);
	frame[VNET_HEADER_BYTES] = 0x4f; /* 60 bytes of header, 40 there */
	assert_int_equal(vnet_parse(frame, sizeof(frame), 0, &shape), -EBADMSG);
	frame[VNET_HEADER_BYTES] = 0x44; /* 16 bytes of header */
	assert_int_equal(vnet_parse(frame, sizeof(frame), 0, &shape), -EBADMSG);
	frame[VNET_HEADER_BYTES] = 0x45;
	assert_int_equal(vnet_parse(frame, VNET_HEADER_BYTES + 19, 0, &shape),
			 -EBADMSG);
}

/* As the virtio-net header has it: in the host's order. */
static void store_host16(uint8_t *to, uint32_t value)
{
	uint16_t word = (uint16_t)value;

	memcpy(to, &word, sizeof(word));
}

/* Whatever the headers claim, a run lies inside its frame and its segments add
 * up to it. */
static void wild_headers_stay_inside_the_frame(void **state)
{
	uint8_t frame[600];
	struct vnet_shape shape;
	struct vnet_out out;
	int accepted = 0, split = 0;

	random_state = 6;
	for (int round = 0; round < 20000; round++) {
		uint32_t length = random_below(sizeof(frame) + 1);
		struct vnet_run run = { 0 };

		for (uint32_t i = 0; i < length; i++)
			frame[i] = (uint8_t)random_below(256);
		frame[0] = 1;
		frame[1] = (uint8_t)random_below(6);
		store_host16(frame + 4, random_below(256));
		store_host16(frame + 6, random_below(2) ? 20 : 40);
		store_host16(frame + 8, random_below(2) ? 16 : 6);
		if (length > VNET_HEADER_BYTES)
			frame[VNET_HEADER_BYTES] =
			    random_below(2) ? 0x45 : 0x60;
		if (vnet_parse(frame, length, 0, &shape))
			continue;
		accepted++;
		split += shape.segments > 1;
		run.first = (uint16_t)random_below(shape.segments);
		run.count =
		    (uint16_t)(1 + random_below(
				       (uint32_t)(shape.segments - run.first)));
		vnet_build(frame, &shape, &run, &out);
		assert_true(out.head_bytes <= length);
		assert_true(out.payload >= frame + out.head_bytes);
		assert_true(out.payload + out.payload_bytes <= frame + length);
	}
	assert_true(accepted > 1000);
	assert_true(split > 1000);
}

/* A header of zeroes whose pseudo-header sums to 0xffff: its complement is 0,
 * which TCP sends as it is (RFC 9293, 3.1) and UDP as 0xffff, since 0 says that
 * there is no checksum (RFC 768). */
static void a_checksum_of_zero_is_only_hidden_from_udp(void **state)
{
	static const struct {
		uint16_t field, want;
	} cases[] = { { 16, 0 }, { 6, 0xffff } };
	struct vnet_shape shape = { .l4_offset = 20 };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t ip[40] = { 0x45 };

		shape.csum_offset = (uint16_t)(20 + cases[i].field);
		store16(ip + shape.csum_offset, 0xffff);
		vnet_complete_checksum(ip, &shape, sizeof(ip));
		assert_int_equal(ip[shape.csum_offset] << 8 |
				     ip[shape.csum_offset + 1],
				 cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_partition_stands_for_the_same_packets),
		cmocka_unit_test(the_whole_run_is_the_frame_that_came),
		cmocka_unit_test(
		    a_mark_sets_both_bits_and_keeps_the_header_sum),
		cmocka_unit_test(a_damaged_packet_fails_a_checksum),
		cmocka_unit_test(a_checksum_of_zero_is_only_hidden_from_udp),
		cmocka_unit_test(flows_are_told_apart),
		cmocka_unit_test(group_addresses_are_told),
		cmocka_unit_test(what_is_no_ip_packet_is_refused),
		cmocka_unit_test(wild_headers_stay_inside_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
