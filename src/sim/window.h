/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The receive window, as Linux sizes it.
 *
 * A receive buffer of rcvbuf_bytes counts memory; a share of it is window. The
 * window is slow-started (threshold_bytes grows by twice what arrives), and the
 * buffer follows what the application reads in a round trip (dynamic
 * right-sizing, Fisk and Feng 2001) up to tcp_rmem[2]. Names in brackets are
 * those of net/ipv4/tcp_input.c and tcp_output.c of Linux 6.1.
 */
#ifndef SIM_WINDOW_H
#define SIM_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "fullpipe/sim.h"

struct sim_window {
	uint64_t rcvbuf_bytes;     /* sk_rcvbuf */
	uint64_t rcvbuf_max_bytes; /* tcp_rmem[2] */
	uint64_t clamp_bytes;      /* window_clamp */
	uint64_t threshold_bytes;  /* rcv_ssthresh */
	uint64_t offered_bytes;    /* rcv_wnd, as of the last ACK */
	uint64_t offered_at;       /* rcv_wup: stream position of that ACK */
	uint64_t copied_bytes;     /* rcvq_space.space: read in a round trip */
	uint64_t copied_from;      /* .seq: position where this one began */
	uint64_t copied_since_ns;  /* .time */
	uint64_t held_end;         /* stream position after all that waits
				      beyond a hole */
	uint64_t measure_end;      /* rcv_rtt_est.seq */
	uint64_t measure_since_ns; /* .time; FP_TIME_NEVER: none runs */
	uint64_t last_tsecr_us;    /* rcv_rtt_last_tsecr */
	uint32_t rtt_us_x8;        /* .rtt_us; 0: none yet */
	uint32_t advmss_bytes;     /* with the timestamps' 12 bytes */
	uint16_t share_x256;       /* of the buffer that is window */
	uint8_t scale_shift;       /* rcv_wscale */
	bool is_autotuned;
	bool holds_more; /* as in struct fp_sim_tcp */
};

/* Sets a window up for a connection of this MSS (payload) that opens now.
 * tcp: defaults filled in. */
void sim_window_init(struct sim_window *window, const struct fp_sim_tcp *tcp,
		     uint32_t mss_bytes, uint64_t now_ns);

/* Tells what a window update would offer now, where held_bytes are held beyond
 * a hole. 0: too little to say. */
uint64_t sim_window_select_bytes(const struct sim_window *window,
				 uint64_t held_bytes);

/* Tells that less than half of the buffer is free (then Linux leaves quick-ACK
 * mode). */
bool sim_window_is_tight(const struct sim_window *window, uint64_t held_bytes);

/* What is left of the window that was offered. */
uint64_t sim_window_left_bytes(const struct sim_window *window, uint64_t next);

/* Offers a window with an ACK of next; its right edge never moves back. */
uint64_t sim_window_offer_bytes(struct sim_window *window, uint64_t next,
				uint64_t held_bytes);

/* bytes came in one piece (tcp_grow_window()). Returns whether that was room
 * to grow. */
bool sim_window_grow(struct sim_window *window, uint64_t bytes,
		     uint64_t held_bytes);

/* Something waits beyond a hole, up to end, while the stream has come to next:
 * the buffer makes room for that on top of what is read in a round trip
 * (tcp_data_queue_ofo(), tcp_rcvbuf_grow() of Linux 6.16). */
void sim_window_hold(struct sim_window *window, uint64_t next, uint64_t end);

/* A full packet came whose timestamp echoes one of ours
 * (tcp_rcv_rtt_measure_ts()). */
void sim_window_measure_echo(struct sim_window *window, uint64_t tsecr_us,
			     uint64_t now_ns);

/* The stream has come to next in order (tcp_rcv_rtt_measure()). */
void sim_window_measure_flight(struct sim_window *window, uint64_t next,
			       uint64_t now_ns);

/* The application has read up to next (tcp_rcv_space_adjust()). */
void sim_window_adjust(struct sim_window *window, uint64_t next,
		       uint64_t now_ns);

#endif
