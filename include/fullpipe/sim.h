/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A simulator of TCP as Linux does it, in virtual time.
 *
 * One call runs one scenario: a path each way (fullpipe/link.h), flows with
 * their sources and algorithms (fullpipe/cc.h), and what was seen. It is
 * deterministic: the same configuration gives the same bytes, on any compiler.
 * It reads no clock and no randomness, uses integers only, allocates before it
 * starts and when a window doubles, and has no global state: any number of
 * threads may run simulations of their own.
 */
#ifndef FULLPIPE_SIM_H
#define FULLPIPE_SIM_H

#include "fullpipe/cc.h"
#include "fullpipe/link.h"

#define FP_SIM_FLOWS_MAX   100000
#define FP_SIM_SAMPLES_MAX 1000000

/* --- What runs ------------------------------------------------------------ */

/* Parts of a Linux TCP that can be left out, so that an effect can be
 * attributed; bits of fp_sim_tcp.without. */
enum fp_sim_part {
	FP_SIM_SACK = 1 << 0, /* RFC 2018, 6675; without: NewReno, RFC 6582 */
	FP_SIM_RACK = 1 << 1, /* RFC 8985; without: 3 duplicate ACKs */
	FP_SIM_TLP = 1 << 2,  /* tail loss probes, RFC 8985, 7 */
	FP_SIM_PRR = 1 << 3,  /* RFC 6937; without: the window halves at once */
	FP_SIM_FRTO = 1 << 4, /* RFC 5682 */
	FP_SIM_UNDO = 1 << 5, /* Eifel (RFC 3522, 4015) and DSACK undo */
	FP_SIM_LIMITED_TRANSMIT = 1 << 6, /* RFC 3042 */
	FP_SIM_PACING = 1 << 7,           /* of algorithms that ask for it */
	FP_SIM_TSO = 1 << 8, /* bursts as tcp_tso_autosize() sizes them;
				without: single packets */
	FP_SIM_CWV = 1 << 9, /* only a window that was full grows, RFC 7661
			      */
	FP_SIM_IDLE_RESTART = 1 << 10, /* RFC 5681, 4.1 */
	FP_SIM_APP_LIMITED = 1 << 11,  /* marks for rate samples */
	FP_SIM_AUTOTUNING = 1 << 12,   /* receive window; without: at its bound
					  from the start */
	FP_SIM_DELAYED_ACK = 1 << 13,  /* RFC 1122, 4.2.3.2; without: each
					  packet is acknowledged */
	FP_SIM_GRO = 1 << 14, /* packets of one burst that arrive together are
				 one to the receiver */
	FP_SIM_QUICKACK = 1 << 15, /* Linux acknowledges the first packets of a
				      flow at once */
	FP_SIM_PARTS = 16,
};

/* Tells the word of a part ("sack", "limited-transmit"); NULL past the last.
 * number: of the bit, from 0. */
const char *fp_sim_part_name(uint32_t number);

/* The hosts. Zeroed: as Linux 6.x has it. */
struct fp_sim_tcp {
	uint32_t without;           /* bits of enum fp_sim_part */
	uint32_t initial_cwnd_pkts; /* 0: 10 (RFC 6928) */
	uint32_t ack_every_pkts; /* stretched ACKs: at most one ACK for so many
				    packets; 0: 2 */
	uint64_t min_rto_ns;     /* 0: 200 ms (Linux; RFC 6298 says 1 s) */
	uint64_t delayed_ack_ns; /* longest wait; 0: 40 ms and as Linux adapts
				    it */
	uint64_t rmem_max_bytes; /* tcp_rmem[2]; 0: 6 MiB */
	uint64_t wmem_max_bytes; /* tcp_wmem[2]; 0: 4 MiB */
	uint16_t window_share_x256; /* of the receive buffer that is window; 0:
				       128, as tcp_adv_win_scale has it up to
				       Linux 6.5. Later kernels take what they
				       see: 170 behind the lab's TUN */
	uint16_t clock_hz;          /* CONFIG_HZ; 0: 250 */
	bool has_ecn;               /* negotiated (RFC 3168) */
	bool holds_more; /* the receive buffer grows by what waits beyond a
			    hole, too, as since Linux 6.16 */
};

enum fp_sim_source_kind {
	FP_SIM_BULK,     /* always has data */
	FP_SIM_TRANSFER, /* bytes, then done */
	FP_SIM_REQUESTS, /* sends bytes for each request of the peer, which asks
			    again off_ns after it has all of them */
	FP_SIM_ON_OFF,   /* always has data for on_ns, none for off_ns, … */
	FP_SIM_STREAM,   /* rate_bps of data, evenly */
};

struct fp_sim_source {
	enum fp_sim_source_kind kind;
	uint64_t bytes; /* TRANSFER: in all, REQUESTS: each reply, in whole
			   packets */
	uint64_t request_bytes; /* REQUESTS: 0: 100 */
	uint64_t on_ns, off_ns;
	uint64_t rate_bps;
};

struct fp_sim_flow {
	struct fp_cc_config cc;
	struct fp_sim_source source;
	uint64_t start_ns; /* of its SYN */
	uint64_t stop_ns;  /* the source ends; 0: never */
	bool starts_open;  /* no handshake: both ends know each other and the
			      path's empty RTT at start_ns, as the lab's flows
			      do, which wait for each other before they send */
};

/* --- What is seen while it runs --------------------------------------------
 */

enum fp_sim_side { FP_SIM_SENDER, FP_SIM_RECEIVER };

/* TCP flags of a packet (RFC 9293, 3.1). */
#define FP_SIM_FIN 0x01u
#define FP_SIM_SYN 0x02u
#define FP_SIM_PSH 0x08u
#define FP_SIM_ACK 0x10u
#define FP_SIM_ECE 0x40u
#define FP_SIM_CWR 0x80u

/* One TCP packet, as one side sees it go or come. Sequences are bytes of the
 * stream, 0 is the SYN. */
struct fp_sim_packet {
	uint64_t time_ns;
	uint32_t flow;
	enum fp_sim_side side; /* who sees it */
	bool is_sent;          /* by that side; else it arrives there */
	bool is_corrupted;     /* damaged on the way: TCP does not see it */
	uint8_t flags, ecn;
	uint64_t seq_bytes, ack_bytes;
	uint32_t payload_bytes, window_bytes; /* as it is, unscaled */
	uint32_t len_bytes;                   /* of the IP packet */
	uint32_t tsval_ms, tsecr_ms;          /* RFC 7323 */
	uint32_t sack_count;                  /* 0 … 3 */
	uint64_t sack_bytes[3][2]; /* start, end; RFC 2018, 2883 order */
};

enum fp_sim_event_kind {
	FP_SIM_EVENT_SENT,     /* packet: transport:packet_sent */
	FP_SIM_EVENT_ACK,      /* after an ACK: recovery:metrics_updated */
	FP_SIM_EVENT_LOST,     /* given up: recovery:packet_lost */
	FP_SIM_EVENT_DROPPED,  /* by a stage of the path */
	FP_SIM_EVENT_CA_STATE, /* recovery:congestion_state_updated */
	FP_SIM_EVENT_CC_STATE, /* the algorithm's own */
	FP_SIM_EVENT_TIMER,    /* recovery:loss_timer_updated, expired */
	FP_SIM_EVENT_UNDO,     /* a loss was none */
	FP_SIM_EVENT_WINDOW,   /* the peer's window changed to or from 0 */
	FP_SIM_EVENT_START,    /* of a flow, of its application */
	FP_SIM_EVENT_END,
};

/* One event of a flow's sender. What does not apply is 0 or NULL; words are
 * constant. */
struct fp_sim_event {
	uint64_t time_ns;
	uint32_t flow;
	enum fp_sim_event_kind kind;
	uint64_t seq_pkts; /* SENT, LOST, DROPPED: which packet, from 0 */
	uint32_t pkts;     /* how many in a row */
	bool is_retrans;
	const char *reason;   /* LOST: rack, dupack, rto; TIMER: rto, tlp, rack,
				 pace, persist; UNDO: eifel, dsack, frto;
				 DROPPED: model, queue, policer, overrun */
	uint32_t stage;       /* DROPPED: number of the stage */
	uint32_t way;         /* DROPPED: 0 forward, 1 back */
	const char *ca_state; /* open, disorder, cwr, recovery, loss */
	const char *cc_state; /* fp_cc_state_name() */
	uint32_t cwnd_pkts, ssthresh_pkts, inflight_pkts;
	uint64_t pacing_rate_bytes_per_s;
	uint32_t srtt_us, min_rtt_us, rtt_us; /* rtt: of this ACK; 0: none */
	struct fp_cc_ack sample;  /* ACK: what the algorithm was told */
	struct fp_cc_model model; /* ACK, CC_STATE */
};

/* Called in order of time, while it runs. NULL: not wanted. */
struct fp_sim_watch {
	void (*packet)(void *context, const struct fp_sim_packet *packet);
	void (*event)(void *context, const struct fp_sim_event *event);
	void *context;
};

/* --- A scenario and its result ---------------------------------------------
 */

struct fp_sim_config {
	/* 0: data; 1: ACKs. capacity_pkts 0: chosen here. merge_ns as given. */
	struct fp_path_config way[2];
	uint32_t mtu_bytes; /* 576 … 65535 */
	bool is_ipv6;       /* 20 bytes more a packet */
	struct fp_sim_tcp tcp;
	const struct fp_sim_flow *flows; /* the caller's */
	uint32_t flow_count;             /* 1 … FP_SIM_FLOWS_MAX */
	uint64_t warmup_ns;              /* left out of the means */
	uint64_t duration_ns; /* measured after it, > 0; ends early when every
				 flow is done */
	uint64_t sample_ns;   /* a look at each sender; 0: none are kept, and
				 RTTs and windows are counted at every ACK */
	struct fp_sim_watch watch;
};

/* One look at a sender, with the words of TCP_INFO. */
struct fp_sim_sample {
	uint32_t flow;
	uint64_t time_ns;
	uint32_t cwnd_pkts, ssthresh_pkts, rtt_us, rttvar_us, min_rtt_us;
	uint32_t inflight_pkts, lost_pkts;
	uint64_t retrans_pkts;
	uint64_t delivery_rate_bps, pacing_rate_bps;
	uint64_t bytes_acked, bytes_sent, bytes_retransmitted, received_bytes;
	struct fp_cc_model model;
};

struct fp_sim_flow_result {
	uint64_t received_bytes; /* in order, in all */
	uint64_t measured_bytes; /* of these, after warm-up */
	uint64_t goodput_bps;    /* measured_bytes in the measured
				    time; of a transfer that completed:
				    its bytes over completion_ns */
	uint64_t sent_bytes, retransmitted_bytes; /* payload, in all */
	uint64_t sent_pkts, retransmitted_pkts, lost_pkts, spurious_pkts;
	uint64_t timeouts, recoveries, undos, tail_probes;
	uint64_t completion_ns; /* TRANSFER: SYN to last byte read; 0: not
				   complete */
	uint64_t requests;      /* REQUESTS: completed */
	uint64_t busy_us, rwnd_limited_us, sndbuf_limited_us;
	/* after warm-up; 0: not one was measured */
	uint32_t rtt_p50_us, rtt_p99_us, min_rtt_us;
	uint32_t cwnd_mean_pkts, snd_wnd_max_bytes, mss_bytes;
	bool is_stalled; /* ended with data outstanding and nothing delivered
			    for the last 10 s or more */
};

struct fp_sim_way_result {
	struct fp_stage_counters stages[FP_PATH_STAGES_MAX];
	uint64_t packets, bytes; /* that entered */
	uint64_t delivered, lost_by_model, lost_by_queue, lost_by_policer,
	    lost_by_overrun, duplicated, marked;
	uint64_t inflight; /* still inside at the end */
};

struct fp_sim_result {
	struct fp_sim_way_result way[2];
	uint64_t end_ns; /* virtual time when it ended */
	uint64_t measured_ns;
	uint64_t events; /* packets that came or went, timers that fired */
	uint32_t flow_count;
	struct fp_sim_flow_result *flows; /* owned */
	uint32_t sample_count;
	struct fp_sim_sample *samples; /* owned, by time */
};

/* Checks a scenario. Returns NULL when it can run and can move data, else a
 * constant sentence that says what is wrong. */
const char *fp_sim_check(const struct fp_sim_config *config);

/* Runs it. Returns 0; -EINVAL where fp_sim_check() complains; -ENOMEM. On
 * failure ret_result is untouched. */
int fp_sim_run(const struct fp_sim_config *config,
	       struct fp_sim_result *ret_result);

/* Releases what a result owns. */
void fp_sim_result_fini(struct fp_sim_result *result);

#endif
