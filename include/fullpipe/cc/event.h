/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a transport tells a congestion control algorithm, and what it is told.
 *
 * An algorithm is a pure state machine: events in, decisions out. The
 * transport owns time, randomness, memory and loss detection. At each event it
 * fills in struct fp_cc_conn (what the connection is like now), calls one
 * function of the algorithm, and obeys struct fp_cc_control, which both write.
 *
 * Volumes are in packets of one MSS. Counters of packets are 32 bits wide and
 * may wrap: they are compared by their difference. Times are of one monotonic
 * clock of the caller, from any origin.
 */
#ifndef FULLPIPE_CC_EVENT_H
#define FULLPIPE_CC_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "No threshold yet" (Linux: TCP_INFINITE_SSTHRESH). */
#define FP_CC_SSTHRESH_NONE UINT32_C(0x7fffffff)
/* Largest window, in packets: no product of two volumes overflows 64 bits. */
#define FP_CC_CWND_MAX_PKTS (UINT32_C(1) << 24)

/* Where loss recovery stands (Linux: enum tcp_ca_state). */
enum fp_ca_state {
	FP_CA_OPEN,     /* nothing dubious */
	FP_CA_DISORDER, /* SACKs or duplicate ACKs, nothing held for lost */
	FP_CA_CWR, /* reducing after ECN or a tail loss that was repaired */
	FP_CA_RECOVERY, /* fast recovery (RFC 6675, RFC 8985) */
	FP_CA_LOSS,     /* after a retransmission timeout (RFC 6298) */
};

/* What the connection is like at an event. The transport fills it in; the
 * algorithm reads it only. */
struct fp_cc_conn {
	uint64_t now_ns;       /* time of this event */
	uint64_t delivered_ns; /* when a packet was last delivered, or when the
				  first of a flight was sent (Linux:
				  delivered_mstamp) */
	uint64_t edt_ns; /* earliest departure time of the next packet: when the
			    pacer lets it go; <= now_ns where it may go now */
	uint32_t snd_una_pkts;     /* first packet not yet cumulatively
				      acknowledged; may wrap */
	uint32_t snd_nxt_pkts;     /* next new packet to send; may wrap */
	uint32_t inflight_pkts;    /* sent - SACKed - lost + retransmitted (RFC
				      6675 "pipe") */
	uint32_t packets_out_pkts; /* sent and not cumulatively acknowledged */
	uint32_t max_packets_out_pkts; /* most of the last round (RFC 7661) */
	uint32_t delivered_pkts;       /* all that arrived; may wrap */
	uint32_t delivered_ce_pkts;    /* of these, with CE mark; may wrap */
	uint32_t lost_pkts;            /* all ever held for lost; may wrap */
	uint32_t prior_cwnd_pkts;      /* window before the reduction that runs;
					  0: none */
	uint32_t cwnd_clamp_pkts;      /* most that the caller allows */
	uint32_t app_limited_pkts; /* delivered_pkts at which the mark of "the
				      application had nothing to send" ends; 0:
				      not marked (Linux: app_limited) */
	uint32_t mss_bytes;        /* payload of a full packet, >= 1 */
	uint32_t srtt_us;          /* smoothed RTT (RFC 6298); 0: none yet */
	uint32_t min_rtt_us; /* least RTT that the transport knows; UINT32_MAX:
				none yet */
	uint32_t gso_max_bytes; /* largest super-packet; 1 MSS without
				   segmentation offload */
	uint32_t random;        /* 32 uniform bits, fresh at each event */
	uint32_t now_ticks; /* this event on the coarse clock that Linux's CUBIC
			       and BBR stamp with; may wrap. Linux: jiffies,
			       which is not now_ns divided: a tick comes when
			       its interrupt does. Elsewhere: now_ns x clock_hz
			       / 10^9 */
	uint32_t last_sent_ticks; /* now_ticks when data was sent last (Linux:
				     lsndtime); FP_CC_TX_START comes before
				     the packet that it announces counts */
	uint16_t clock_hz;    /* ticks of now_ticks a second (CONFIG_HZ): 100,
				 250, 300 or 1000 */
	uint8_t pacing_shift; /* a burst is pacing_rate >> this (Linux: 10) */
	uint8_t min_tso_pkts; /* least burst of the host
				 (net.ipv4.tcp_min_tso_segs: 2) */
	enum fp_ca_state ca_state;
	bool is_cwnd_limited;      /* the window held back the last flight */
	bool is_paced;             /* the transport paces */
	bool has_sack;             /* the peer sends SACK (QUIC: always) */
	bool was_tail_app_limited; /* at FP_CC_TLP_RECOVERY: the tail that was
				      lost had been sent within a mark of
				      app_limited_pkts (Google's Linux:
				      tlp_orig_data_app_limited) */
	uint64_t max_pacing_rate_bytes_per_s; /* cap; UINT64_MAX: none */
	uint64_t pacing_rate_bytes_per_s; /* in force, or what it would be if
					     the transport paced (Linux:
					     sk_pacing_rate, tcp_update_
					     pacing_rate()); 0: unknown.
					     HyStart allows for bursts by it */
};

/* Fills in what a transport seldom has reason to change: no limits, no RTT yet,
 * SACK, single packets, a coarse clock of 1000 Hz; the rest is 0. */
void fp_cc_conn_init(struct fp_cc_conn *conn, uint32_t mss_bytes);

/* Sets now_ns, and now_ticks to the same time. */
void fp_cc_conn_set_now(struct fp_cc_conn *conn, uint64_t now_ns);

/* What both decide. The transport may change cwnd_pkts and ssthresh_pkts
 * itself where RFC or kernel says so (PRR, timeout, idle restart, undo); the
 * algorithm sees that at its next event. */
struct fp_cc_control {
	uint32_t cwnd_pkts;               /* congestion window, >= 1 */
	uint32_t ssthresh_pkts;           /* FP_CC_SSTHRESH_NONE: none yet */
	uint64_t pacing_rate_bytes_per_s; /* of payload + headers as Linux has
					     it: packets x MSS; 0: the transport
					     derives it from cwnd and srtt */
	uint32_t min_tso_pkts; /* least burst that the algorithm wants; 0: the
				  host's */
	uint32_t burst_pkts; /* the burst that it wants, whatever the transport
				would choose; not above gso_max_bytes. 0: the
				transport sizes it (Google's Linux: tso_segs(),
				the draft: C.send_quantum) */
	bool marks_app_limited; /* out, cleared by the transport before each
				   event: set app_limited_pkts to (delivered +
				   in flight) or 1 now (Linux BBR in PROBE_RTT)
				 */
};

/*
 * One acknowledgement, after the transport has worked it off: scoreboard, loss
 * detection, delivery-rate sample (fp_rate_…, which fills this in).
 */
struct fp_cc_ack {
	uint64_t now_ns;        /* arrival of the ACK */
	int32_t delivered_pkts; /* delivered between the sampled packet's send
				   and now; < 0: no valid sample */
	int32_t interval_us;    /* in this time, the longer of the send and the
				   ACK phase; <= 0: no valid sample */
	uint32_t prior_delivered_pkts; /* delivered_pkts of the connection when
					  the sampled packet was sent; may wrap
				       */
	uint64_t prior_ns; /* delivered_ns of the connection then; 0: no packet
			      was sampled */
	int32_t delivered_ce_pkts;    /* CE marks among delivered_pkts */
	uint32_t acked_sacked_pkts;   /* newly delivered by this ACK */
	uint32_t acked_pkts;          /* of these, by moving snd_una */
	uint32_t newly_lost_pkts;     /* held for lost by this ACK (Linux:
					 rs->losses); not by a timer, which only
					 fp_cc_on_lost() tells */
	uint32_t prior_inflight_pkts; /* in flight before this ACK */
	uint32_t tx_in_flight_pkts;   /* in flight just after the sampled packet
					 was sent, itself included; 0: unknown */
	uint32_t lost_pkts;  /* held for lost since the sampled packet was sent
			      */
	int32_t rtt_us;      /* of the packet sent last of those that this ACK
				covers; < 0: none (Karn) */
	bool is_app_limited; /* the sampled packet was sent within a mark of
				app_limited_pkts */
	bool is_retrans;     /* the sampled packet had been sent before */
	bool is_ack_delayed; /* one segment below the MSS, acknowledged alone:
				the receiver may have waited */
	bool is_ece;         /* this ACK echoes congestion (RFC 3168) */
	bool is_acking_tlp;  /* it covers a tail loss probe that was a
				retransmission (RFC 8985, 7.4) */
};

/* One packet that loss detection has just given up (Google BBRv3: the hook
 * skb_marked_lost). */
struct fp_cc_lost {
	uint32_t pkts; /* length of the run that is given up at once, >= 1 */
	uint32_t tx_in_flight_pkts; /* as in struct fp_cc_ack; 0: unknown */
	uint32_t lost_since_pkts; /* given up since it was sent, with itself */
	bool was_app_limited;     /* sent within a mark of app_limited_pkts */
};

/* Moments that are not ACKs (Linux: enum tcp_ca_event). */
enum fp_cc_event {
	FP_CC_TX_START,     /* sends after nothing was in flight; told before
			       the packet is counted */
	FP_CC_CWND_RESTART, /* the window was cut after idle time (RFC 5681,
			       4.1) */
	FP_CC_COMPLETE_CWR, /* a reduction is over */
	FP_CC_LOSS,         /* a retransmission timeout */
	FP_CC_TLP_RECOVERY, /* a tail loss probe repaired a loss */
};

#endif
