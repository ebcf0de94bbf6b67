/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SOCK_TCPINFO_H
#define SOCK_TCPINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * TCP_INFO of any kernel age. The kernel's struct only grows at its end, so the
 * length that getsockopt(2) or sock_diag returned says which fields exist.
 * has_… groups name the kernel that brought them; a field of an absent group is
 * 0.
 */
struct sock_tcp_info {
	uint8_t state, ca_state, retransmits, snd_wscale, rcv_wscale;
	bool is_app_limited; /* tcpi_delivery_rate_app_limited */
	uint32_t rto_us, snd_mss_bytes, rcv_mss_bytes;
	uint32_t unacked_pkts, sacked_pkts, lost_pkts, retrans_pkts;
	uint32_t pmtu_bytes, rcv_ssthresh_bytes, rtt_us, rttvar_us;
	uint32_t snd_ssthresh_pkts, snd_cwnd_pkts, advmss_bytes,
	    reordering_pkts;
	uint32_t rcv_rtt_us, rcv_space_bytes, total_retrans_pkts;
	bool has_pacing; /* 3.15 */
	uint64_t pacing_rate_bps,
	    max_pacing_rate_bps; /* bits; UINT64_MAX: no cap */
	bool has_bytes_acked;    /* 4.1 */
	uint64_t bytes_acked, bytes_received;
	uint32_t segs_out, segs_in; /* 4.2 */
	bool has_delivery;          /* 4.9, 4.6 */
	uint32_t notsent_bytes, min_rtt_us, data_segs_in, data_segs_out;
	uint64_t delivery_rate_bps;
	bool has_limited; /* 4.10 */
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	bool has_delivered; /* 4.18 */
	uint32_t delivered_pkts, delivered_ce_pkts;
	bool has_bytes_sent; /* 4.19 */
	uint64_t bytes_sent, bytes_retrans;
	uint32_t dsack_dups, reord_seen;
	bool has_snd_wnd; /* 5.4 */
	uint32_t rcv_ooopack, snd_wnd_bytes;
};

/* Reads a TCP_INFO blob of length bytes (0 … any; shorter or longer than ours
 * is fine). */
void sock_tcp_info_parse(const void *blob, size_t length,
			 struct sock_tcp_info *ret_info);

/* BBR's own state (tcp_bbr_info of v1, 20 bytes; google's v3 is longer). */
struct sock_bbr_info {
	uint32_t version; /* 1 or 3; 0: blob is not BBR's */
	uint64_t bw_bps;
	uint32_t min_rtt_us, pacing_gain_x256, cwnd_gain_x256;
};

/* Reads what TCP_CC_INFO returned for a socket whose algorithm is named so. */
void sock_bbr_info_parse(const char *algorithm, const void *blob, size_t length,
			 struct sock_bbr_info *ret_info);

/* Both, straight from a socket. Return 0 or a negative errno. */
int sock_tcp_info_get(int fd, struct sock_tcp_info *ret_info);
int sock_bbr_info_get(int fd, struct sock_bbr_info *ret_info);

#endif
