/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * BBR version 3, in two profiles that are one program: Google's Linux branch
 * (github.com/google/bbr, branch v3, net/ipv4/tcp_bbr.c) and the IETF draft
 * (draft-ietf-ccwg-bbr, working copy of August 2026). Where the two differ, a
 * switch chooses. src/cc/bbr3.c tells how it works; docs/cc.md has the list.
 *
 * Bandwidths are in packets per microsecond x 2^24 ("bw"). Volumes are in
 * "units": packets, or bytes with FP_BBR3_BYTES, where a window reaches 4 GB.
 * Gains and shares are x 32000, in which the 256ths of the one profile and the
 * hundredths of the other are both whole. All functions run on hosts and in
 * BPF, at constant cost, and keep nothing of their arguments.
 */
#ifndef FULLPIPE_CC_BBR3_H
#define FULLPIPE_CC_BBR3_H

#include "fullpipe/base/minmax.h"
#include "fullpipe/cc/event.h"

/*
 * What the draft does otherwise than Google's branch; a bit that is set chooses
 * the draft. "Off in both" are differences between the draft's text and its own
 * pseudocode.
 */
enum fp_bbr3_switch {
	FP_BBR3_BYTES = 1 << 0,          /* volumes in bytes, not packets */
	FP_BBR3_DRAIN_GAIN = 1 << 1,     /* DRAIN paces at 0.5 bw, not 0.344 */
	FP_BBR3_DRAIN_TIMEOUT = 1 << 2,  /* DRAIN ends after 3 rounds, too */
	FP_BBR3_PLAIN_INFLIGHT = 1 << 3, /* tests look at what is in flight, not
					    at what will be in the network when
					    the next packet departs */
	FP_BBR3_DOWN_GAIN = 1 << 4,      /* DOWN paces at 0.9 bw, not 232/256 */
	FP_BBR3_EXACT_SHARES = 1 << 5,   /* beta 0.7, loss 2 %, headroom 15 %,
					    not 180, 5 and 38 256ths */
	FP_BBR3_ROUND_GROWTH = 1 << 6,   /* growth is tested once a round, not
					    at every ACK */
	FP_BBR3_LOSS_EXIT_NOW = 1 << 7,  /* STARTUP's end by loss is "full now",
					    too */
	FP_BBR3_NO_SACK = 1 << 8,        /* without SACK any loss is too much */
	FP_BBR3_PER_PACKET = 1 << 9,     /* only packets given up lower the
					    long-term bound, not ACKs */
	FP_BBR3_CE_AS_LOSS = 1 << 10,    /* an echo of congestion is a loss; no
					    estimate of the share of marks */
	FP_BBR3_LONG_AGGREGATION = 1 << 11, /* aggregation of 10 rounds without
					       a cap, not 5 to 10 up to 100 ms
					       of bw */
	FP_BBR3_QUANTUM = 1 << 12, /* bursts of 1 ms, not of what the pacing
				      shift and a short RTT allow */
	FP_BBR3_DELIVERED_GROWTH = 1 << 13, /* the window grows at first until
					       an initial window is delivered,
					       not up to two */
	FP_BBR3_UNDO_STATE = 1 << 14, /* a loss that was none returns to STARTUP
					 or probes again */
	FP_BBR3_SAVE_AT_LOSS = 1 << 15,   /* state to return to is saved at the
					     first loss of a round, too */
	FP_BBR3_CRUISE_BOUND = 1 << 16,   /* CRUISE leaves the short-term bound
					     alone */
	FP_BBR3_NO_ECN_REPROBE = 1 << 17, /* marks that cease start no probe */
	FP_BBR3_ANY_ACK_RTT = 1 << 18, /* an old RTT is replaced by that of any
					  ACK, delayed or not, and only a lower
					  one renews it */
	FP_BBR3_NO_TLP = 1 << 19,      /* no handler of a lost tail that a probe
					  repaired */
	FP_BBR3_PROBE_RTT_GAIN = 1 << 20, /* PROBE_RTT's half BDP is the window
					     gain, too */
	FP_BBR3_SRTT_START = 1 << 21,     /* the first least RTT is the smoothed
					     one, not the transport's least */
	FP_BBR3_ROUND_ZERO = 1 << 22, /* the first round ends at 0 delivered */
	FP_BBR3_NO_FAST_PATH = 1 << 23, /* every ACK updates all of the model */
	FP_BBR3_DRAIN_BOUND = 1 << 24,  /* the long-term bound holds in DRAIN;
					   off in both: only the draft's table
					   has it */
	FP_BBR3_RESTORE_CWND = 1 << 25, /* the window comes back after fast
					   recovery, too */
	FP_BBR3_NEGATIVE_PREFIX = 1 << 26, /* the share of a lost burst that was
					      still safe may be negative */
	/* Not a difference: the route marks early and often (Google's
	 * ecn_low feature), so that marks may be answered. */
	FP_BBR3_ECN_LOW = 1 << 27,
};

/* Profiles: Google's branch, and the draft's pseudocode. */
#define FP_BBR3_GOOGLE UINT32_C(0)
#define FP_BBR3_DRAFT                                                          \
	(((UINT32_C(1) << 27) - 1) & ~(uint32_t)FP_BBR3_DRAIN_BOUND)

struct fp_bbr3_config {
	uint32_t switches; /* bits of enum fp_bbr3_switch */
};

enum fp_bbr3_state {
	FP_BBR3_STARTUP,   /* doubles its rate each round */
	FP_BBR3_DRAIN,     /* drains the queue of STARTUP */
	FP_BBR3_DOWN,      /* PROBE_BW: sends less than bw, leaves headroom */
	FP_BBR3_CRUISE,    /* PROBE_BW: sends at bw, yields to loss */
	FP_BBR3_REFILL,    /* PROBE_BW: fills the pipe, for a round */
	FP_BBR3_UP,        /* PROBE_BW: sends more than bw, probes */
	FP_BBR3_PROBE_RTT, /* half a BDP in flight: measures the empty path */
};

/* What the ACKs that arrive tell of the last probe. */
enum fp_bbr3_ack_phase {
	FP_BBR3_ACKS_INIT,           /* nothing */
	FP_BBR3_ACKS_REFILLING,      /* sent at bw */
	FP_BBR3_ACKS_PROBE_STARTING, /* the flight rises */
	FP_BBR3_ACKS_PROBE_FEEDBACK, /* of packets of the probe */
	FP_BBR3_ACKS_PROBE_STOPPING, /* the same, after its end */
};

/* A bandwidth or volume that is not bounded. */
#define FP_BBR3_NONE UINT32_MAX

/* What the switches choose of numbers; x 32000. */
struct fp_bbr3_constants {
	uint32_t drain_pacing_gain;
	uint32_t down_pacing_gain;
	uint32_t loss_thresh; /* share of lost packets that is too high */
	uint32_t beta;        /* share that stays after a loss */
	uint32_t headroom;    /* share of the long-term bound left to others */
};

/* One connection. Names are the draft's; where Google's differs, it is in
 * brackets. */
struct fp_bbr3 {
	uint32_t switches; /* bits of enum fp_bbr3_switch */
	struct fp_bbr3_constants constants;
	uint32_t pacing_gain, cwnd_gain; /* x 32000 */

	/* rounds */
	uint32_t round_count;          /* may wrap */
	uint32_t next_round_delivered; /* a round ends when a packet that was
					  sent at this many delivered ones
					  arrives [next_rtt_delivered] */
	uint32_t drain_start_round;    /* round_count when DRAIN began */

	/* model: bandwidth, in bw */
	uint32_t max_bw_filter[2]; /* best of the cycle before and of this one
				      [bw_hi] */
	uint32_t bw_shortterm;     /* bound by loss, or none [bw_lo] */
	uint32_t bw_latest;        /* best of this round */
	uint32_t full_bw;          /* to grow from */

	/* model: volume, in units */
	uint32_t inflight_shortterm; /* bound by loss, or none [inflight_lo] */
	uint32_t inflight_longterm;  /* bound by probes, or none [inflight_hi]
				      */
	uint32_t inflight_latest;    /* most delivered in this round */

	/* to return to where a loss was none */
	uint32_t undo_bw_shortterm, undo_inflight_shortterm,
	    undo_inflight_longterm;

	/* RTT */
	uint32_t min_rtt_us;           /* of 10 s; UINT32_MAX: none */
	uint32_t min_rtt_ticks;        /* when it was seen */
	uint32_t probe_rtt_min_us;     /* of 5 s; UINT32_MAX: none
					  [probe_rtt_min_us] */
	uint32_t probe_rtt_min_ticks;  /* when it was seen */
	uint32_t probe_rtt_done_ticks; /* PROBE_RTT may end then; 0: the flight
					  has not sunk yet */

	/* probes */
	uint64_t cycle_us;         /* when DOWN or UP began [cycle_mstamp] */
	uint32_t bw_probe_wait_us; /* from then to the next probe */
	uint32_t probe_up_acked_per_inc; /* units to be acknowledged for the
					    long-term bound to grow by a packet,
					    or none [bw_probe_up_cnt] */
	uint32_t bw_probe_up_acked;      /* of them so far */
	uint32_t prior_cwnd_pkts; /* to return to after recovery, PROBE_RTT */
	uint32_t loss_round_delivered; /* a round of losses ends when a packet
					  that was sent at this many delivered
					  ones arrives */

	/* aggregation of ACKs */
	uint64_t ack_epoch_us;    /* begin of the count [ack_epoch_mstamp] */
	uint64_t ack_epoch_acked; /* units delivered since */
	uint32_t extra_acked[2];  /* Google: most excess of two windows */
	struct fp_minmax extra_acked_filter; /* draft: of 10 rounds */

	/* marks, x 256 */
	uint32_t alpha_last_delivered, alpha_last_delivered_ce;

	uint32_t state : 3;            /* enum fp_bbr3_state */
	uint32_t undo_state : 3;       /* where a loss ended a search, … */
	uint32_t has_undo_state : 1;   /* … if it did */
	uint32_t ack_phase : 3;        /* enum fp_bbr3_ack_phase */
	uint32_t prev_ca_state : 3;    /* enum fp_ca_state at the ACK before */
	uint32_t round_start : 1;      /* this ACK ends a round */
	uint32_t loss_round_start : 1; /* this ACK ends a round of losses */
	uint32_t is_loss_in_round : 1; /* [loss_in_round] */
	uint32_t is_state_saved : 1;   /* by this round's first loss */
	uint32_t loss_in_cycle : 1;
	uint32_t ecn_in_round : 1;
	uint32_t ecn_in_cycle : 1;
	uint32_t is_ecn_eligible : 1; /* marks are answered [ecn_eligible] */
	uint32_t full_bw_now : 1;     /* the last search found no more */
	uint32_t full_bw_reached : 1; /* a search ever did */
	uint32_t full_bw_count : 2;   /* rounds without growth */
	uint32_t has_seen_rtt : 1;    /* pacing was set from a real RTT */
	uint32_t idle_restart : 1;    /* sends again after idle time */
	uint32_t probe_rtt_round_done : 1;
	uint32_t is_bw_probe_sample : 1; /* ACKs may be of a probe
					    [bw_probe_samples] */
	uint32_t prev_probe_too_high : 1;
	uint32_t prev_probe_precautionary : 1; /* [stopped_risky_probe] */
	uint32_t try_fast_path : 1;

	uint32_t rounds_since_probe_up : 8; /* [rounds_since_probe] */
	uint32_t bw_probe_up_rounds : 5;
	uint32_t loss_events_in_round : 4; /* at most 15 are counted */
	uint32_t startup_ecn_rounds : 2;
	uint32_t ecn_alpha_x256 : 9; /* share of marks, smoothed */
	uint32_t init_cwnd_pkts : 7;
	uint32_t extra_acked_win_rtts : 5;
	uint32_t extra_acked_win_idx : 1;
};

/* What BBR thinks of the path (Linux: struct tcp_bbr_info). */
struct fp_bbr3_model {
	uint64_t bw_bytes_per_s; /* of the bottleneck, without margin or gain */
	uint64_t max_bw_bytes_per_s; /* likewise, before the short-term bound */
	uint32_t min_rtt_us;         /* UINT32_MAX: none yet */
	uint32_t pacing_gain_x256, cwnd_gain_x256;
	uint32_t extra_acked_pkts; /* most aggregation of late */
	uint32_t inflight_longterm_pkts,
	    inflight_shortterm_pkts; /* UINT32_MAX: not bounded */
};

/* Starts a connection, new or established, with a copy of config: the model is
 * empty, the pacing rate is 2.77 windows a smoothed RTT (1 ms without one), the
 * threshold is none. control->cwnd_pkts is taken for the initial window, up to
 * 127 packets. Source: bbr_init(), OnInit(). */
void fp_bbr3_init(struct fp_bbr3 *bbr, const struct fp_bbr3_config *config,
		  const struct fp_cc_conn *conn, struct fp_cc_control *control);

/* An ACK was worked off, in any state of recovery: sets window, pacing rate,
 * burst, and marks_app_limited in PROBE_RTT. conn->random chooses the wait for
 * the next probe: its highest bit is the round to begin with (0 or 1), the
 * other 31 are the share of a second above 2 s. Source: bbr_main(),
 * UpdateOnACK(). */
void fp_bbr3_on_ack(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		    const struct fp_cc_ack *ack, struct fp_cc_control *control);

/* A packet was given up, before fp_bbr3_on_congestion() of the same ACK.
 * Source: bbr_skb_marked_lost(), HandleLostPacket(). */
void fp_bbr3_on_lost(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		     const struct fp_cc_lost *lost,
		     struct fp_cc_control *control);

/* Recovery begins: saves window and bounds. The threshold stays as it is, it
 * means nothing to BBR. Source: bbr_ssthresh(), OnEnterFastRecovery(),
 * OnEnterRTO(). */
void fp_bbr3_on_congestion(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
			   struct fp_cc_control *control);

/* The loss was none: window and bounds come back. Source: bbr_undo_cwnd(),
 * HandleSpuriousLossDetection(). */
void fp_bbr3_on_undo(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		     struct fp_cc_control *control);

/* Recovery goes from conn->ca_state to next. Source: bbr_set_state(). */
void fp_bbr3_on_state(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		      enum fp_ca_state next, struct fp_cc_control *control);

/* FP_CC_TX_START while conn->app_limited_pkts is set: an idle flow sends again.
 * FP_CC_TLP_RECOVERY: a tail loss probe repaired a loss. Source:
 * bbr_cwnd_event(), HandleRestartFromIdle(). */
void fp_bbr3_on_event(struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		      enum fp_cc_event event, struct fp_cc_control *control);

/* Names the state: "startup", "drain", "probe_bw_down", "probe_bw_cruise",
 * "probe_bw_refill", "probe_bw_up", "probe_rtt". Constant. */
const char *fp_bbr3_state_name(const struct fp_bbr3 *bbr);

/* Tells the model. Source: bbr_get_info(). */
void fp_bbr3_get_model(const struct fp_bbr3 *bbr, const struct fp_cc_conn *conn,
		       struct fp_bbr3_model *ret_model);

#endif
