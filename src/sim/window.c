/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/window.h"

#include "sim/integer.h"
#include "sim/segment.h"

#define NS_PER_US           1000u
/* tcp_rmem[1]: what a socket begins with. */
#define WINDOW_RCVBUF_BYTES 131072u
/* net.core.rmem_max of a stock kernel; the window scale allows for it. */
#define WINDOW_CORE_BYTES   212992u
/* The largest window that fits the header unscaled: what a SYN-ACK offers. */
#define WINDOW_FIRST_BYTES  65535u
#define WINDOW_SCALE_MAX    14u
/* Timestamps take so much of each packet's MSS (RFC 7323, appendix A). */
#define WINDOW_TSTAMP_BYTES 12u
/* RFC 6928: read in the first round trip. */
#define WINDOW_INITIAL_PKTS 10u
/* Packets more than measured: small variations are no reason to grow. */
#define WINDOW_CUSHION_PKTS 16u

/* tcp_win_from_space() and its inverse */
static uint64_t window_of(const struct sim_window *window, uint64_t buffer)
{
	return buffer * window->share_x256 >> 8;
}

static uint64_t buffer_of(const struct sim_window *window, uint64_t bytes)
{
	return (bytes << 8) / window->share_x256;
}

static uint64_t window_full_bytes(const struct sim_window *window)
{
	return window_of(window, window->rcvbuf_bytes);
}

static uint64_t window_free_bytes(const struct sim_window *window,
				  uint64_t held_bytes)
{
	uint64_t full_bytes = window_full_bytes(window);

	return full_bytes > held_bytes ? full_bytes - held_bytes : 0;
}

static uint64_t window_round_up(const struct sim_window *window, uint64_t bytes)
{
	uint64_t unit = UINT64_C(1) << window->scale_shift;

	return (bytes + unit - 1) & ~(unit - 1);
}

/* The scale that lets the header's 16 bits say the largest window. */
static uint8_t window_scale(uint64_t largest_bytes)
{
	uint8_t shift = 0;

	while (shift < WINDOW_SCALE_MAX && largest_bytes >> (shift + 16) != 0)
		shift++;
	return shift;
}

/* tcp_select_initial_window() and tcp_init_buffer_space() */
void sim_window_init(struct sim_window *window, const struct fp_sim_tcp *tcp,
		     uint32_t mss_bytes, uint64_t now_ns)
{
	uint64_t full_bytes, first_bytes;

	*window = (struct sim_window){
		.rcvbuf_max_bytes = tcp->rmem_max_bytes,
		.rcvbuf_bytes =
		    sim_min(WINDOW_RCVBUF_BYTES, tcp->rmem_max_bytes),
		.copied_since_ns = now_ns,
		.measure_since_ns = FP_TIME_NEVER,
		.advmss_bytes = mss_bytes + WINDOW_TSTAMP_BYTES,
		.share_x256 = tcp->window_share_x256,
		.scale_shift = window_scale(
		    sim_max(tcp->rmem_max_bytes, WINDOW_CORE_BYTES)),
		.is_autotuned = !(tcp->without & FP_SIM_AUTOTUNING),
		.holds_more = tcp->holds_more,
	};
	if (!window->is_autotuned)
		window->rcvbuf_bytes = tcp->rmem_max_bytes;
	full_bytes = window_full_bytes(window);
	first_bytes = full_bytes;
	window->clamp_bytes = full_bytes;
	if (window->is_autotuned) {
		if (first_bytes > mss_bytes)
			first_bytes -= first_bytes % mss_bytes;
		first_bytes = sim_min(first_bytes, WINDOW_FIRST_BYTES);
		/* one segment is the application's */
		if (full_bytes > 2 * window->advmss_bytes)
			window->clamp_bytes =
			    sim_max(2 * window->advmss_bytes,
				    full_bytes - window->advmss_bytes);
	}
	window->threshold_bytes = sim_min(first_bytes, window->clamp_bytes);
	window->offered_bytes = first_bytes;
	window->copied_bytes =
	    sim_min(window->threshold_bytes,
		    WINDOW_INITIAL_PKTS * window->advmss_bytes);
}

bool sim_window_is_tight(const struct sim_window *window, uint64_t held_bytes)
{
	return window_free_bytes(window, held_bytes) <
	       sim_min(window->clamp_bytes, window_full_bytes(window)) / 2;
}

/* __tcp_select_window(). The least window that is said is one packet: Linux
 * takes the size of the packets seen, which is the same here. */
uint64_t sim_window_select_bytes(const struct sim_window *window,
				 uint64_t held_bytes)
{
	uint64_t full_bytes = window_full_bytes(window);
	uint64_t free_bytes = window_free_bytes(window, held_bytes);
	uint64_t mss_bytes = window->advmss_bytes - WINDOW_TSTAMP_BYTES;
	uint64_t unit = UINT64_C(1) << window->scale_shift;

	mss_bytes =
	    sim_min(mss_bytes, sim_min(window->clamp_bytes, full_bytes));
	if (sim_window_is_tight(window, held_bytes)) {
		free_bytes &= ~(unit - 1);
		if (free_bytes < full_bytes / 16 || free_bytes < mss_bytes)
			return 0;
	}
	return window_round_up(window,
			       sim_min(free_bytes, window->threshold_bytes));
}

uint64_t sim_window_left_bytes(const struct sim_window *window, uint64_t next)
{
	uint64_t edge = window->offered_at + window->offered_bytes;

	return edge > next ? edge - next : 0;
}

/* tcp_select_window() */
uint64_t sim_window_offer_bytes(struct sim_window *window, uint64_t next,
				uint64_t held_bytes)
{
	uint64_t left_bytes = sim_window_left_bytes(window, next);
	uint64_t bytes = sim_window_select_bytes(window, held_bytes);

	if (bytes < left_bytes)
		bytes = window_round_up(window, left_bytes);
	window->offered_bytes = bytes;
	window->offered_at = next;
	return bytes;
}

/* Differs from Linux: packets are taken as dense enough, truesize is not
 * looked at. */
bool sim_window_grow(struct sim_window *window, uint64_t bytes,
		     uint64_t held_bytes)
{
	uint64_t most_bytes =
	    sim_min(window->clamp_bytes, window_free_bytes(window, held_bytes));
	uint64_t more_bytes = 2 * sim_max(window->advmss_bytes, bytes);

	if (most_bytes <= window->threshold_bytes)
		return false;
	window->threshold_bytes =
	    sim_min(most_bytes, window->threshold_bytes + more_bytes);
	return true;
}

/* tcp_rcv_rtt_update(); a flight can only be longer than a round trip. */
static void window_update_rtt(struct sim_window *window, uint64_t sample_us,
			      bool is_flight)
{
	uint32_t us = sample_us > UINT32_MAX / 8 ? UINT32_MAX / 8
		      : sample_us == 0           ? 1
						 : (uint32_t)sample_us;

	if (window->rtt_us_x8 == 0 || (is_flight && 8 * us < window->rtt_us_x8))
		window->rtt_us_x8 = 8 * us;
	else if (!is_flight)
		window->rtt_us_x8 += us - window->rtt_us_x8 / 8;
}

void sim_window_measure_echo(struct sim_window *window, uint64_t tsecr_us,
			     uint64_t now_ns)
{
	uint64_t now_us = now_ns / NS_PER_US + SIM_EPOCH_US;

	if (tsecr_us == window->last_tsecr_us || tsecr_us > now_us)
		return;
	window->last_tsecr_us = tsecr_us;
	window_update_rtt(window, now_us - tsecr_us, false);
}

void sim_window_measure_flight(struct sim_window *window, uint64_t next,
			       uint64_t now_ns)
{
	if (window->measure_since_ns != FP_TIME_NEVER) {
		if (next < window->measure_end)
			return;
		window_update_rtt(
		    window, (now_ns - window->measure_since_ns) / NS_PER_US,
		    true);
	}
	window->measure_end = next + window->offered_bytes;
	window->measure_since_ns = now_ns;
}

/* What the next round trip may bring: twice this one, for losses, and twice the
 * growth that was seen, for slow start. */
static uint64_t window_wanted_bytes(const struct sim_window *window,
				    uint64_t copied_bytes)
{
	uint64_t wanted_bytes =
	    2 * copied_bytes +
	    (uint64_t)WINDOW_CUSHION_PKTS * window->advmss_bytes;
	uint64_t grown_bytes = copied_bytes - window->copied_bytes;

	/* both are below 2^32: a round trip never carries more */
	wanted_bytes = sim_min(wanted_bytes, UINT32_MAX);
	grown_bytes = sim_min(grown_bytes, UINT32_MAX);
	return wanted_bytes +
	       2 * (wanted_bytes * grown_bytes / window->copied_bytes);
}

static void window_enlarge(struct sim_window *window, uint64_t wanted_bytes)
{
	uint64_t buffer_bytes =
	    sim_min(buffer_of(window, sim_min(wanted_bytes, UINT32_MAX)),
		    window->rcvbuf_max_bytes);

	if (buffer_bytes <= window->rcvbuf_bytes)
		return;
	window->rcvbuf_bytes = buffer_bytes;
	window->clamp_bytes = window_of(window, buffer_bytes);
}

/* What waits beyond a hole, from the hole on. */
static uint64_t window_beyond_bytes(const struct sim_window *window,
				    uint64_t next)
{
	return window->holds_more && window->held_end > next
		   ? window->held_end - next
		   : 0;
}

void sim_window_hold(struct sim_window *window, uint64_t next, uint64_t end)
{
	window->held_end = sim_max(window->held_end, end);
	if (window->is_autotuned && window->holds_more)
		window_enlarge(window, 2 * window->copied_bytes +
					   window_beyond_bytes(window, next));
}

void sim_window_adjust(struct sim_window *window, uint64_t next,
		       uint64_t now_ns)
{
	uint64_t copied_bytes = next - window->copied_from;
	uint64_t time_us = (now_ns - window->copied_since_ns) / NS_PER_US;

	if (window->rtt_us_x8 == 0 || time_us < window->rtt_us_x8 / 8)
		return;
	if (copied_bytes > window->copied_bytes) {
		if (window->is_autotuned)
			window_enlarge(
			    window, window_wanted_bytes(window, copied_bytes) +
					window_beyond_bytes(window, next));
		window->copied_bytes = copied_bytes;
	}
	window->copied_from = next;
	window->copied_since_ns = now_ns;
}
