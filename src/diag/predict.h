/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What arithmetic says about a path before anything runs. */
#ifndef DIAG_PREDICT_H
#define DIAG_PREDICT_H

#include <stdint.h>

struct diag_path {
	double rtt_us;   /* both ways, without queues */
	double loss;     /* share of the data packets lost at random, 0 … 1 */
	double rate_bps; /* of the bottleneck; 0: unlimited */
	double mss_bytes; /* payload of one packet */
};

/*
 * Tells the rate that loss allows an algorithm which halves its window at each
 * loss: 1.22 MSS / (RTT sqrt(p)), in bits per second. NaN where there is no
 * loss or no delay, so no bound.
 *
 * Source: Mathis, Semke, Mahdavi, Ott, "The Macroscopic Behavior of the TCP
 * Congestion Avoidance Algorithm", CCR 27(3), 1997, equation 3 with C =
 * sqrt(3/2), every segment acknowledged.
 */
double diag_mathis_bps(const struct diag_path *path);

/* Tells the largest rate that a receive window carries: one window each RTT. */
double diag_window_bps(double window_bytes, double rtt_us);

/*
 * Tells how large socket buffers must be so that they are never what limits a
 * flow on this path, in bytes, at most DIAG_BUFFER_MAX_BYTES. A path without a
 * rate is taken as DIAG_UNLIMITED_BPS. Two times (2 + k) bandwidth-delay
 * products: the kernel uses half of a buffer as window (tcp_adv_win_scale), BBR
 * keeps two products in flight (cwnd_gain), and what follows a packet that is
 * lost k times waits for it k RTTs, a product each. k is that of the unluckiest
 * packet of 100 windows: of N packets N p^k are lost k times in a row, so one
 * is where k is ln N / ln (1 / p). A buffer for the unluckiest of one window
 * lets the sender wait in many of them.
 */
uint64_t diag_buffer_bytes(const struct diag_path *path);

#define DIAG_BUFFER_MAX_BYTES (256ull << 20) /* of many flows: memory */
#define DIAG_UNLIMITED_BPS    20e9 /* what one core moves through the lab */

#endif
