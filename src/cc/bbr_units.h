/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fixed-point numbers of both BBRs. A bandwidth ("bw") is in packets per
 * microsecond x 2^24: one unit is 715 bit/s of 1500-byte packets, and 32 bits
 * reach 3 Tbit/s. A gain is x 256.
 *
 * Where Linux's 32-bit products would wrap, these saturate. That takes
 * bandwidths that differ by more than 12 Gbit/s (of 1500-byte packets), or
 * paths of minutes.
 */
#ifndef CC_BBR_UNITS_H
#define CC_BBR_UNITS_H

#include "fullpipe/cc/event.h"

#define BBR_BW_SHIFT 24
#define BBR_BW_ONE   (UINT32_C(1) << BBR_BW_SHIFT)
#define BBR_ONE      256u /* a gain of 1 */
#define BBR_SHIFT    8

/* Pace 1 % below the bandwidth, on average: then the queue at the bottleneck
 * shrinks instead of staying. More would waste the link. */
#define BBR_PACED_PPM UINT64_C(990000)

/* tcp_tso_autosize()'s largest super-packet: GSO_LEGACY_MAX_SIZE - 1 -
 * MAX_TCP_HEADER of Linux on x86-64. */
#define BBR_TSO_MAX_BYTES       UINT32_C(65215)
/* Most packets that the goal of one super-packet may be. */
#define BBR_TSO_GOAL_MAX_PKTS   127u
/* Below 1.2 Mbit/s bursts are single packets: two would be 20 ms of link. */
#define BBR_MIN_TSO_BYTES_PER_S (UINT64_C(1200000) / 8)

/* A fresh connection's window (RFC 6928; Linux: TCP_INIT_CWND). */
#define BBR_INITIAL_CWND_PKTS 10u

static inline uint32_t bbr_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t bbr_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Is the wrapping time or count a after b? (Linux: after()) */
static inline bool bbr_is_after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

static inline uint32_t bbr_saturate(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

/* Microseconds from start to end, 0 where end is earlier (Linux:
 * tcp_stamp_us_delta()). */
static inline uint32_t bbr_elapsed_us(uint64_t end_us, uint64_t start_us)
{
	return end_us > start_us ? bbr_saturate(end_us - start_us) : 0;
}

/* What a bandwidth delivers within a time, in whole packets, rounded down. */
static inline uint32_t bbr_delivered_pkts(uint32_t bw, uint32_t time_us)
{
	return bbr_saturate((uint64_t)bw * time_us >> BBR_BW_SHIFT);
}

/* A bandwidth in bytes per microsecond x 2^24; below 2^48. */
static inline uint64_t bbr_bw_bytes(const struct fp_cc_conn *conn, uint32_t bw)
{
	return (uint64_t)bw * bbr_min(conn->mss_bytes, UINT16_MAX);
}

/* The share ppm of a rate in bytes per microsecond x 2^24, as bytes a second.
 */
static inline uint64_t bbr_bytes_per_s(uint64_t rate_shl24, uint64_t ppm)
{
	if (rate_shl24 >> 44) /* x 10^6 would overflow: 8 Tbit/s and more */
		return (ppm << 44) >> BBR_BW_SHIFT;
	return rate_shl24 * ppm >> BBR_BW_SHIFT;
}

/* Likewise as a pacing rate: with margin and cap, and never 0. */
static inline uint64_t bbr_pacing_bytes_per_s(const struct fp_cc_conn *conn,
					      uint64_t rate_shl24)
{
	uint64_t rate = bbr_bytes_per_s(rate_shl24, BBR_PACED_PPM);

	if (rate > conn->max_pacing_rate_bytes_per_s)
		rate = conn->max_pacing_rate_bytes_per_s;
	return rate ? rate : 1;
}

/* A volume x 2^24, rounded up to a whole one: rounding down would feed back
 * into the next sample and shrink it again. */
static inline uint32_t bbr_whole(uint64_t volume_shl24)
{
	return bbr_saturate((volume_shl24 >> BBR_BW_SHIFT) +
			    !!(volume_shl24 & (BBR_BW_ONE - 1)));
}

/* The rate at which one window leaves per smoothed RTT, in bw; 1 ms where no
 * RTT was measured. */
static inline uint32_t bbr_window_bw(const struct fp_cc_conn *conn,
				     uint32_t cwnd_pkts)
{
	uint32_t rtt_us = conn->srtt_us ? conn->srtt_us : 1000;

	return bbr_saturate(((uint64_t)cwnd_pkts << BBR_BW_SHIFT) / rtt_us);
}

/* A time in ticks of the coarse clock, rounded up (Linux: msecs_to_jiffies()).
 */
static inline uint32_t bbr_ticks(const struct fp_cc_conn *conn, uint32_t ms)
{
	return (ms * conn->clock_hz + 999) / 1000;
}

/* Applies the caller's limits to a window. */
static inline uint32_t bbr_clamp_cwnd(const struct fp_cc_conn *conn,
				      uint32_t cwnd_pkts)
{
	uint32_t cwnd = bbr_min(cwnd_pkts, conn->cwnd_clamp_pkts);

	return bbr_max(bbr_min(cwnd, FP_CC_CWND_MAX_PKTS), 1);
}

#endif
