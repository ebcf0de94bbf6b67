/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sim_frame.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define IPV4_BYTES  20
#define IPV6_BYTES  40
#define TCP_BYTES   20
#define OPTIONS_MAX 40
#define HOPS        64 /* as Linux begins */

/* Kinds of options: RFC 9293, 3.1; RFC 7323, 2 and 3; RFC 2018, 2 and 3. */
enum { NOP = 1, MSS = 2, SHIFT = 3, SACK_PERMITTED = 4, SACK = 5, TIMES = 8 };

/* More flows than ports: the next ones go to another port of the receiver. */
#define FLOW_PORTS (65536u - LAB_FLOW_PORT_BASE)

struct bytes { /* being written */
	uint8_t *at;
};

static void put8(struct bytes *to, uint32_t value)
{
	*to->at++ = (uint8_t)value;
}

static void put16(struct bytes *to, uint32_t value)
{
	put8(to, value >> 8);
	put8(to, value);
}

static void put32(struct bytes *to, uint64_t value)
{
	put16(to, (uint32_t)(value >> 16) & 0xffff);
	put16(to, (uint32_t)value & 0xffff);
}

static void set16(uint8_t *at, uint32_t value)
{
	struct bytes to = { at };

	put16(&to, value);
}

/* The sum of RFC 1071 over an even number of bytes. */
static uint32_t sum(const uint8_t *bytes, uint32_t length, uint32_t before)
{
	uint32_t total = before, i;

	for (i = 0; i < length; i += 2)
		total += (uint32_t)bytes[i] << 8 | bytes[i + 1];
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return total;
}

uint8_t sim_frame_window_shift(uint64_t rmem_max_bytes)
{
	uint8_t shift = 0;

	/* ilog2() - 15, within 0 … 14 */
	while (shift < 14 && rmem_max_bytes >> (shift + 16))
		shift++;
	return shift;
}

/* The host that a packet comes from; the other one gets it. */
static bool is_from_sender(const struct fp_sim_packet *packet)
{
	return (packet->side == FP_SIM_SENDER) == packet->is_sent;
}

static void put_times(struct bytes *to, const struct fp_sim_packet *packet)
{
	put8(to, TIMES);
	put8(to, 10);
	put32(to, packet->tsval_ms);
	put32(to, packet->tsecr_ms);
}

/* In Linux's order (tcp_options_write()): the MSS, then times, with the two
 * bytes before them that align them, then the shift. */
static void put_syn_options(struct bytes *to, const struct sim_frames *frames,
			    const struct fp_sim_packet *packet)
{
	put8(to, MSS);
	put8(to, 4);
	put16(to, frames->mss_bytes);
	put8(to, frames->has_sack ? SACK_PERMITTED : NOP);
	put8(to, frames->has_sack ? 2 : NOP);
	put_times(to, packet);
	put8(to, NOP);
	put8(to, SHIFT);
	put8(to, 3);
	put8(to, frames->window_shift);
}

static void put_sacks(struct bytes *to, const struct fp_sim_packet *packet)
{
	uint32_t i;

	put16(to, NOP << 8 | NOP);
	put8(to, SACK);
	put8(to, 2 + 8 * packet->sack_count);
	for (i = 0; i < packet->sack_count; i++) {
		put32(to, packet->sack_bytes[i][0]);
		put32(to, packet->sack_bytes[i][1]);
	}
}

static uint32_t window_of(const struct sim_frames *frames,
			  const struct fp_sim_packet *packet)
{
	uint32_t window = packet->window_bytes;

	if (!(packet->flags & FP_SIM_SYN)) /* theirs is never scaled */
		window >>= frames->window_shift;
	return window < 65535 ? window : 65535;
}

/* Ports to checksum; the latter is zero. Returns the bytes of the header. */
static uint32_t put_tcp(uint8_t *tcp, const struct sim_frames *frames,
			const struct fp_sim_packet *packet)
{
	uint32_t from = LAB_FLOW_PORT_BASE + packet->flow % FLOW_PORTS;
	uint32_t peer = LAB_PORT + packet->flow / FLOW_PORTS;
	bool is_forward = is_from_sender(packet);
	struct bytes to = { tcp };
	uint32_t length;

	put16(&to, is_forward ? from : peer);
	put16(&to, is_forward ? peer : from);
	put32(&to, packet->seq_bytes);
	put32(&to, packet->flags & FP_SIM_ACK ? packet->ack_bytes : 0);
	put16(&to, packet->flags); /* the length follows */
	put16(&to, window_of(frames, packet));
	put32(&to, 0); /* checksum, nothing urgent */
	if (packet->flags & FP_SIM_SYN) {
		put_syn_options(&to, frames, packet);
	} else {
		put16(&to, NOP << 8 | NOP);
		put_times(&to, packet);
		if (packet->sack_count)
			put_sacks(&to, packet);
	}
	length = (uint32_t)(to.at - tcp);
	tcp[12] = (uint8_t)(length / 4 << 4);
	return length;
}

static void put_address(struct bytes *to, const struct sim_frames *frames,
			enum lab_side side)
{
	static const char *const ipv4[LAB_SIDES] = { LAB_SENDER_IPV4,
						     LAB_RECEIVER_IPV4 };
	static const char *const ipv6[LAB_SIDES] = { LAB_SENDER_IPV6,
						     LAB_RECEIVER_IPV6 };

	/* constants are valid */
	if (frames->is_ipv6)
		(void)inet_pton(AF_INET6, ipv6[side], to->at);
	else
		(void)inet_pton(AF_INET, ipv4[side], to->at);
	to->at += frames->is_ipv6 ? 16 : 4;
}

/* Returns the sum of the addresses, for the pseudo-header. */
static uint32_t put_ip(uint8_t *ip, const struct sim_frames *frames,
		       const struct fp_sim_packet *packet, uint32_t l4_bytes)
{
	enum lab_side other =
	    frames->sender == LAB_SENDER ? LAB_RECEIVER : LAB_SENDER;
	bool is_forward = is_from_sender(packet);
	struct bytes to = { ip };
	uint8_t *addresses;

	if (frames->is_ipv6) {
		put32(&to, 6u << 28 | (uint32_t)(packet->ecn & 3) << 20);
		put16(&to, l4_bytes);
		put8(&to, IPPROTO_TCP);
		put8(&to, HOPS);
	} else {
		put16(&to, 0x4500u | (packet->ecn & 3)); /* no options */
		put16(&to, IPV4_BYTES + l4_bytes);
		put32(&to, 0x4000); /* no identification, do not fragment */
		put8(&to, HOPS);
		put8(&to, IPPROTO_TCP);
		put16(&to, 0);
	}
	addresses = to.at;
	put_address(&to, frames, is_forward ? frames->sender : other);
	put_address(&to, frames, is_forward ? other : frames->sender);
	if (!frames->is_ipv6)
		set16(ip + 10, ~sum(ip, IPV4_BYTES, 0));
	return sum(addresses, (uint32_t)(to.at - addresses), 0);
}

uint32_t sim_frame_build(const struct sim_frames *frames,
			 const struct fp_sim_packet *packet,
			 uint8_t ret_bytes[SIM_FRAME_BYTES_MAX],
			 uint32_t *ret_packet_bytes)
{
	uint32_t ip_bytes = frames->is_ipv6 ? IPV6_BYTES : IPV4_BYTES;
	uint8_t *tcp = ret_bytes + ip_bytes;
	uint32_t header_bytes = put_tcp(tcp, frames, packet);
	uint32_t l4_bytes = header_bytes + packet->payload_bytes;
	uint32_t pseudo = put_ip(ret_bytes, frames, packet, l4_bytes);

	set16(tcp + 16,
	      ~sum(tcp, header_bytes, pseudo + IPPROTO_TCP + l4_bytes));
	if (packet->is_corrupted)
		tcp[17] ^= 1;
	*ret_packet_bytes = ip_bytes + l4_bytes;
	return ip_bytes + header_bytes;
}
