/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delivery-rate sampling: how fast packets arrive, measured over one flight
 * (draft-cheng-iccrg-delivery-rate-estimation-02; Linux net/ipv4/tcp_rate.c).
 *
 *	fp_rate_on_send(rate, pkt, &send);	each packet, each time it goes
 *	fp_rate_on_ack_start(rate, ack);
 *	fp_rate_on_delivered(rate, pkt, ack);	each packet newly (S)ACKed
 *	fp_rate_on_ack_end(rate, &end, ack);	then ack goes to the algorithm
 *
 * Times are whole microseconds, as Linux keeps them: two packets of one burst
 * have the same time, and the higher sequence wins. They must not be 0, which
 * means "none"; 0 is taken for 1.
 *
 * Differs from Linux: "no packet sampled yet" is asked of the packet's time,
 * not of its count of delivered packets, which is 0 in a first flight and when
 * it wraps.
 */
#ifndef FULLPIPE_CC_RATE_H
#define FULLPIPE_CC_RATE_H

#include "fullpipe/cc/event.h"

/* Of one connection. Zeroed memory is a fresh one. */
struct fp_rate {
	uint64_t first_tx_us;  /* send time of the packet sampled last */
	uint64_t delivered_us; /* of the last delivery */
	uint32_t delivered_pkts, delivered_ce_pkts; /* in all; may wrap */
	uint32_t lost_pkts;        /* in all; the transport counts it up */
	uint32_t app_limited_pkts; /* 0: not marked */
	/* what the running ACK has seen; fp_rate_on_ack_start() clears it */
	uint64_t prior_us; /* delivered_us of the sampled packet; 0: none */
	uint64_t send_us;  /* its send phase */
	uint32_t prior_delivered_ce_pkts;
	uint32_t prior_lost_pkts;
	uint32_t last_end_pkts;   /* its end in sequence space */
	uint32_t start_lost_pkts; /* lost_pkts before it */
};

/* The snapshot that each packet in flight carries. */
struct fp_rate_pkt {
	uint64_t sent_us;      /* when it was last sent */
	uint64_t first_tx_us;  /* of the connection when it was sent */
	uint64_t delivered_us; /* likewise; 0: sampled already, or never sent */
	uint32_t delivered_pkts, delivered_ce_pkts;
	uint32_t tx_in_flight_pkts; /* with itself */
	uint32_t lost_pkts;         /* of the connection then */
	bool is_app_limited, is_retrans;
};

/* One departure. */
struct fp_rate_send {
	uint64_t now_us;
	uint32_t packets_out_pkts; /* sent and not acknowledged, without this */
	uint32_t inflight_pkts;    /* with this packet */
	bool is_retrans;
};

/* What the transport knows at the end of an ACK. */
struct fp_rate_end {
	uint64_t now_us;
	uint32_t acked_sacked_pkts; /* newly delivered */
	uint32_t newly_ce_pkts;     /* of these, with CE marks */
	uint32_t min_rtt_us; /* least RTT of the transport; a sample over a
				shorter time is not valid; UINT32_MAX: none */
	bool has_reneged;    /* the receiver took a SACK back */
};

/* Takes the snapshot for a packet that goes now. */
void fp_rate_on_send(struct fp_rate *rate, struct fp_rate_pkt *pkt,
		     const struct fp_rate_send *send);

/* Begins an ACK: clears ret_ack and the state of the ACK before. */
void fp_rate_on_ack_start(struct fp_rate *rate, struct fp_cc_ack *ret_ack);

/* Tells of one packet that the ACK newly covers; end_pkts is the sequence after
 * it (may wrap). The latest one sent so far becomes the sampled packet. A
 * packet counts once. */
void fp_rate_on_delivered(struct fp_rate *rate, struct fp_rate_pkt *pkt,
			  uint32_t end_pkts, struct fp_cc_ack *ack);

/* Counts what was delivered, ends a mark of app_limited_pkts that it passed and
 * fills in now_ns, delivered_pkts, interval_us, prior_…, delivered_ce_pkts,
 * acked_sacked_pkts, newly_lost_pkts, tx_in_flight_pkts, lost_pkts,
 * is_app_limited and is_retrans. Without a sample, or after reneging,
 * delivered_pkts and interval_us are -1; where the interval is shorter than
 * min_rtt_us, interval_us alone is. The rest of ack is the transport's. */
void fp_rate_on_ack_end(struct fp_rate *rate, const struct fp_rate_end *end,
			struct fp_cc_ack *ack);

/* Tells a connection what the sampler counts: delivered_ns, delivered_pkts,
 * delivered_ce_pkts, lost_pkts and app_limited_pkts. */
void fp_rate_get_conn(const struct fp_rate *rate, struct fp_cc_conn *conn);

/* Marks the time until what is in flight is delivered as "the application had
 * nothing to send": app_limited_pkts = (delivered + inflight) or 1. */
void fp_rate_mark_app_limited(struct fp_rate *rate, uint32_t inflight_pkts);

#endif
