/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two ways to leave the first slow start before it loses packets.
 *
 * HyStart (Ha, Rhee 2008) as Linux's net/ipv4/tcp_cubic.c has it, and HyStart++
 * (RFC 9406). Both look at round trips in each round of slow start; a round
 * lasts until all that was sent at its start is acknowledged. CUBIC runs
 * either (fullpipe/cc/cubic.h); an algorithm of another's may do so as well.
 *
 * Reads of struct fp_cc_conn: now_ns, snd_una_pkts and snd_nxt_pkts (only
 * compared with each other, so any unit will do), and is_paced; HyStart also
 * gso_max_bytes and pacing_rate_bytes_per_s. May run on hosts and as BPF.
 */
#ifndef FULLPIPE_CC_HYSTART_H
#define FULLPIPE_CC_HYSTART_H

#include "fullpipe/cc/event.h"

/* State of either. In brackets: the field of Linux's struct bictcp. */
struct fp_hystart {
	uint8_t sample_cnt; /* RTTs of this round, up to 8 [sample_cnt] */
	uint8_t is_found;   /* slow start is over [found] */
	uint8_t css_rounds; /* HyStart++: rounds of conservative slow start,
			       this one included; 0: not in it */
	uint8_t unused;
	uint32_t end_seq_pkts; /* the round ends past it [end_seq] */
	uint32_t curr_rtt_us;  /* least RTT of this round; UINT32_MAX: none
				  [curr_rtt] */
	union {
		uint32_t round_start_us; /* HyStart; may wrap [round_start] */
		uint32_t last_rtt_us;    /* HyStart++: least RTT of the round
					    before; UINT32_MAX: none */
	};
	union {
		uint32_t last_ack_us; /* HyStart: end of the train of ACKs; may
					 wrap [last_ack] */
		uint32_t css_baseline_us; /* HyStart++: a lower RTT than this
					     ends conservative slow start */
	};
};

/* Starts a round of HyStart now. Does not touch is_found.
 * bictcp_hystart_reset(). */
void fp_hystart_start_round(struct fp_hystart *hystart,
			    const struct fp_cc_conn *conn);

/* Takes a round trip (> 0) in slow start. Sets ssthresh_pkts to the window, and
 * is_found, where ACKs have followed each other closely for longer than
 * delay_min_us (half of it without pacing), or where 8 round trips of the round
 * were all clearly longer than delay_min_us, which must have seen this one. Not
 * below a window of 16. hystart_update(), 6.12. */
void fp_hystart_on_rtt(struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn, uint32_t rtt_us,
		       uint32_t delay_min_us, struct fp_cc_control *control);

/* Makes a fresh state for HyStart++. */
void fp_hystartpp_init(struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn);

/* Is this the slow start that HyStart++ is for, the first one? RFC 9406, 4.3.
 */
bool fp_hystartpp_is_active(const struct fp_hystart *hystart,
			    const struct fp_cc_control *control);

/* Takes a round trip while active: goes to conservative slow start, back, or
 * sets ssthresh_pkts to the window after 5 rounds of it. RFC 9406, 4.2. */
void fp_hystartpp_on_rtt(struct fp_hystart *hystart,
			 const struct fp_cc_conn *conn, uint32_t rtt_us,
			 struct fp_cc_control *control);

/* Grows the window while active, by acked_pkts or, unpaced, by at most 8; by a
 * quarter of that in conservative slow start, where *cnt_pkts keeps the rest.
 * RFC 9406, 4.2. */
void fp_hystartpp_grow(const struct fp_hystart *hystart,
		       const struct fp_cc_conn *conn, uint32_t acked_pkts,
		       uint32_t *cnt_pkts, struct fp_cc_control *control);

#endif
