/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BBR version 1 as Linux 6.12 … 6.18 have it (net/ipv4/tcp_bbr.c): the same
 * state, field by field, the same integers, the same order of steps.
 * src/cc/bbr.c tells how it works.
 *
 * Bandwidths are in packets per microsecond x 2^24 ("bw", Linux: BW_UNIT),
 * gains are x 256. All functions run on hosts and in BPF, at constant cost, and
 * keep nothing of their arguments.
 */
#ifndef FULLPIPE_CC_BBR_H
#define FULLPIPE_CC_BBR_H

#include "fullpipe/base/minmax.h"
#include "fullpipe/cc/event.h"

enum fp_bbr_mode {
	FP_BBR_STARTUP,   /* doubles its rate each round until the pipe is full
			   */
	FP_BBR_DRAIN,     /* drains the queue that STARTUP made */
	FP_BBR_PROBE_BW,  /* cruises around the bandwidth, probes for more */
	FP_BBR_PROBE_RTT, /* 4 packets in flight: measures the empty path */
};

/* One connection. Each field is the one of Linux's struct bbr at the same
 * place; where the name differs for its unit, Linux's is in brackets. */
struct fp_bbr {
	uint32_t min_rtt_us;    /* least of the last 10 s; UINT32_MAX: none */
	uint32_t min_rtt_ticks; /* when it was seen [min_rtt_stamp] */
	uint32_t probe_rtt_done_ticks; /* PROBE_RTT may end then; 0: the flight
					  has not sunk to 4 packets yet
					  [probe_rtt_done_stamp] */
	struct fp_minmax bw; /* greatest delivery rate of 10 rounds, in bw */
	uint32_t rtt_cnt;    /* rounds so far; may wrap */
	uint32_t next_rtt_delivered; /* a round ends when a packet sent at this
					many delivered ones arrives; may wrap */
	uint64_t cycle_us;           /* when this phase of the gain cycle began
					[cycle_mstamp] */
	uint32_t mode : 3;           /* enum fp_bbr_mode */
	uint32_t prev_ca_state : 3;  /* enum fp_ca_state at the ACK before */
	uint32_t packet_conservation : 1;  /* first round of fast recovery */
	uint32_t round_start : 1;          /* this ACK ends a round */
	uint32_t idle_restart : 1;         /* sends again after idle time */
	uint32_t probe_rtt_round_done : 1; /* a round with 4 packets is over */
	uint32_t unused : 13;
	uint32_t lt_is_sampling : 1; /* an interval of the policer test runs */
	uint32_t lt_rtt_cnt : 7;     /* rounds of that interval, or with lt_bw
				      */
	uint32_t lt_use_bw : 1;      /* policed: lt_bw is the bandwidth */
	uint32_t lt_bw;             /* rate of the last lossy interval, in bw */
	uint32_t lt_last_delivered; /* the interval began at this many
				       delivered packets, … */
	uint32_t lt_last_ms;        /* at this time [lt_last_stamp] … */
	uint32_t lt_last_lost;      /* and at this many lost packets */
	uint32_t pacing_gain_x256 : 10; /* [pacing_gain] */
	uint32_t cwnd_gain_x256 : 10;   /* [cwnd_gain] */
	uint32_t full_bw_reached : 1;   /* STARTUP has filled the pipe */
	uint32_t full_bw_cnt : 2;       /* rounds without growth */
	uint32_t cycle_idx : 3;         /* phase of the gain cycle */
	uint32_t has_seen_rtt : 1;      /* pacing was set from a real RTT */
	uint32_t unused_b : 5;
	uint32_t prior_cwnd_pkts; /* to return to after recovery and PROBE_RTT
				     [prior_cwnd] */
	uint32_t full_bw;         /* bw to grow from */
	uint64_t ack_epoch_us;    /* begin of the count of aggregated ACKs
				     [ack_epoch_mstamp] */
	uint16_t extra_acked_pkts[2]; /* most aggregation seen in this window of
					 5 rounds and in the one before
					 [extra_acked] */
	uint32_t ack_epoch_acked : 20;     /* packets delivered in the epoch */
	uint32_t extra_acked_win_rtts : 5; /* age of the window in rounds */
	uint32_t extra_acked_win_idx : 1;  /* which of the two it is */
	uint32_t unused_c : 6;
};

/* What BBR thinks of the path (Linux: struct tcp_bbr_info). */
struct fp_bbr_model {
	uint64_t bw_bytes_per_s; /* of the bottleneck, without margin or gain */
	uint64_t max_bw_bytes_per_s; /* likewise, were there no policer */
	uint32_t min_rtt_us;         /* UINT32_MAX: none yet */
	uint32_t pacing_gain_x256, cwnd_gain_x256;
	uint32_t extra_acked_pkts; /* most aggregation of late */
};

/* Starts a connection, new or established: the model is empty, the pacing rate
 * is 2.89 windows a smoothed RTT (1 ms without one), the threshold is none.
 * conn->min_rtt_us is taken over. Source: bbr_init(). */
void fp_bbr_init(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control);

/* An ACK was worked off, in any state of recovery: sets window, pacing rate,
 * least burst, and marks_app_limited in PROBE_RTT. conn->random chooses the
 * phase that the gain cycle starts in: (random x 7) >> 32 stands for
 * get_random_u32_below(7). Source: bbr_main(). */
void fp_bbr_on_ack(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control);

/* Recovery begins: saves the window. The threshold stays as it is, it means
 * nothing to BBR. Source: bbr_ssthresh(). */
void fp_bbr_on_congestion(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control);

/* The loss was none: looks for a full pipe and for a policer from scratch. The
 * window stays as it is. Source: bbr_undo_cwnd(). */
void fp_bbr_on_undo(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control);

/* Recovery goes to the state next; only FP_CA_LOSS matters. Source:
 * bbr_set_state(). */
void fp_bbr_on_state(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control);

/* Only FP_CC_TX_START while conn->app_limited_pkts is set matters: an idle
 * flow sends again. Source: bbr_cwnd_event(). */
void fp_bbr_on_event(struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		     enum fp_cc_event event, struct fp_cc_control *control);

/* Names the mode, and in PROBE_BW the phase: "startup", "drain",
 * "probe_bw_up", "probe_bw_down", "probe_bw_cruise", "probe_bw_policed",
 * "probe_rtt". Constant. */
const char *fp_bbr_state_name(const struct fp_bbr *bbr);

/* Tells the model. Source: bbr_get_info(). */
void fp_bbr_get_model(const struct fp_bbr *bbr, const struct fp_cc_conn *conn,
		      struct fp_bbr_model *ret_model);

#endif
