/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offsets are those of struct tcp_info in the kernel's
 * include/uapi/linux/tcp.h, which only ever grows at its end: 104 bytes in 2.6,
 * 120 in 3.15, 136 in 4.1, 144 in 4.2, 160 in 4.6, 168 in 4.9, 192 in 4.10, 200
 * in 4.18, 224 in 4.19, 232 in 5.4. They are written out here, because the
 * header of the build host may be older than the kernel that answers.
 */
#include "sock/tcpinfo.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* linux/tcp.h has it, netinet/tcp.h of old C libraries has not. */
#ifndef TCP_CC_INFO
#define TCP_CC_INFO 26
#endif

#define BBR_INFO_V1_BYTES   20 /* struct tcp_bbr_info of the mainline */
#define BBR_INFO_VERSION_AT 39 /* "MUST be at this offset" in later ones */
#define BITS_PER_BYTE       8u
#define BLOB_MAX_BYTES      512 /* twice what kernels return today */
#define ALGORITHM_BYTES     16  /* TCP_CA_NAME_MAX */

struct blob {
	const uint8_t *bytes;
	size_t length;
};

/* A field that the blob does not reach is 0. */
static uint8_t u8_at(const struct blob *blob, size_t offset)
{
	return offset < blob->length ? blob->bytes[offset] : 0;
}

static uint32_t u32_at(const struct blob *blob, size_t offset)
{
	uint32_t value = 0;

	if (offset + sizeof(value) <= blob->length)
		memcpy(&value, blob->bytes + offset, sizeof(value));
	return value;
}

static uint64_t u64_at(const struct blob *blob, size_t offset)
{
	uint64_t value = 0;

	if (offset + sizeof(value) <= blob->length)
		memcpy(&value, blob->bytes + offset, sizeof(value));
	return value;
}

/* The kernel gives bytes a second, and all ones for "no limit". */
static uint64_t rate_at(const struct blob *blob, size_t offset)
{
	uint64_t bytes_per_s = u64_at(blob, offset);

	if (bytes_per_s > UINT64_MAX / BITS_PER_BYTE)
		return UINT64_MAX;
	return bytes_per_s * BITS_PER_BYTE;
}

/* The two bit-fields: the compiler fills them from the low end on little-endian
 * machines, from the high end on the others. */
static void parse_bits(const struct blob *blob, struct sock_tcp_info *info)
{
	uint8_t scales = u8_at(blob, 6);
	uint8_t flags = u8_at(blob, 7);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	info->snd_wscale = scales & 0x0f;
	info->rcv_wscale = scales >> 4;
	info->is_app_limited = flags & 0x01;
#else
	info->snd_wscale = scales >> 4;
	info->rcv_wscale = scales & 0x0f;
	info->is_app_limited = flags & 0x80;
#endif
}

static void parse_first(const struct blob *blob, struct sock_tcp_info *info)
{
	info->state = u8_at(blob, 0);
	info->ca_state = u8_at(blob, 1);
	info->retransmits = u8_at(blob, 2);
	parse_bits(blob, info);
	info->rto_us = u32_at(blob, 8);
	info->snd_mss_bytes = u32_at(blob, 16);
	info->rcv_mss_bytes = u32_at(blob, 20);
	info->unacked_pkts = u32_at(blob, 24);
	info->sacked_pkts = u32_at(blob, 28);
	info->lost_pkts = u32_at(blob, 32);
	info->retrans_pkts = u32_at(blob, 36);
	info->pmtu_bytes = u32_at(blob, 60);
	info->rcv_ssthresh_bytes = u32_at(blob, 64);
	info->rtt_us = u32_at(blob, 68);
	info->rttvar_us = u32_at(blob, 72);
	info->snd_ssthresh_pkts = u32_at(blob, 76);
	info->snd_cwnd_pkts = u32_at(blob, 80);
	info->advmss_bytes = u32_at(blob, 84);
	info->reordering_pkts = u32_at(blob, 88);
	info->rcv_rtt_us = u32_at(blob, 92);
	info->rcv_space_bytes = u32_at(blob, 96);
	info->total_retrans_pkts = u32_at(blob, 100);
}

static void parse_later(const struct blob *blob, struct sock_tcp_info *info)
{
	info->has_pacing = blob->length >= 120;
	info->pacing_rate_bps = rate_at(blob, 104);
	info->max_pacing_rate_bps = rate_at(blob, 112);
	info->has_bytes_acked = blob->length >= 136;
	info->bytes_acked = u64_at(blob, 120);
	info->bytes_received = u64_at(blob, 128);
	info->segs_out = u32_at(blob, 136);
	info->segs_in = u32_at(blob, 140);
	info->notsent_bytes = u32_at(blob, 144);
	info->min_rtt_us = u32_at(blob, 148);
	info->data_segs_in = u32_at(blob, 152);
	info->data_segs_out = u32_at(blob, 156);
	info->has_delivery = blob->length >= 168;
	info->delivery_rate_bps = rate_at(blob, 160);
	info->has_limited = blob->length >= 192;
	info->busy_us = u64_at(blob, 168);
	info->rwnd_limited_us = u64_at(blob, 176);
	info->sndbuf_limited_us = u64_at(blob, 184);
	info->has_delivered = blob->length >= 200;
	info->delivered_pkts = u32_at(blob, 192);
	info->delivered_ce_pkts = u32_at(blob, 196);
	info->has_bytes_sent = blob->length >= 224;
	info->bytes_sent = u64_at(blob, 200);
	info->bytes_retrans = u64_at(blob, 208);
	info->dsack_dups = u32_at(blob, 216);
	info->reord_seen = u32_at(blob, 220);
	info->has_snd_wnd = blob->length >= 232;
	info->rcv_ooopack = u32_at(blob, 224);
	info->snd_wnd_bytes = u32_at(blob, 228);
}

void sock_tcp_info_parse(const void *bytes, size_t length,
			 struct sock_tcp_info *ret_info)
{
	struct blob blob = { bytes, length };

	memset(ret_info, 0, sizeof(*ret_info));
	parse_first(&blob, ret_info);
	parse_later(&blob, ret_info);
}

void sock_bbr_info_parse(const char *algorithm, const void *bytes,
			 size_t length, struct sock_bbr_info *ret_info)
{
	struct blob blob = { bytes, length };

	memset(ret_info, 0, sizeof(*ret_info));
	if (strncmp(algorithm, "bbr", 3) != 0 || length < BBR_INFO_V1_BYTES)
		return;
	ret_info->version = 1;
	if (length > BBR_INFO_VERSION_AT)
		ret_info->version = u8_at(&blob, BBR_INFO_VERSION_AT);
	/* two halves, the low one first, whatever the machine */
	ret_info->bw_bps =
	    (((uint64_t)u32_at(&blob, 4) << 32) | u32_at(&blob, 0)) *
	    BITS_PER_BYTE;
	ret_info->min_rtt_us = u32_at(&blob, 8);
	ret_info->pacing_gain_x256 = u32_at(&blob, 12);
	ret_info->cwnd_gain_x256 = u32_at(&blob, 16);
}

int sock_tcp_info_get(int fd, struct sock_tcp_info *ret_info)
{
	uint8_t bytes[BLOB_MAX_BYTES];
	socklen_t length = sizeof(bytes);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, bytes, &length) < 0)
		return -errno;
	sock_tcp_info_parse(bytes, length, ret_info);
	return 0;
}

int sock_bbr_info_get(int fd, struct sock_bbr_info *ret_info)
{
	char algorithm[ALGORITHM_BYTES + 1] = "";
	uint8_t bytes[BLOB_MAX_BYTES];
	socklen_t name_length = ALGORITHM_BYTES;
	socklen_t length = sizeof(bytes);

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm,
		       &name_length) < 0)
		return -errno;
	if (getsockopt(fd, IPPROTO_TCP, TCP_CC_INFO, bytes, &length) < 0)
		return -errno;
	sock_bbr_info_parse(algorithm, bytes, length, ret_info);
	return 0;
}
