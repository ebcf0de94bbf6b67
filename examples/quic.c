/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The core in a toy QUIC: a bulk flow over a link that loses a packet of 2000.
 * Each has an ACK of its own, and is lost when one sent three later is acknow-
 * ledged (RFC 9002, 6.1.1); a probe goes where nothing comes back (6.2). */
#include <fullpipe/cc.h>
#include <stdio.h>

#define NS_PER_S  UINT64_C(1000000000)
#define PKT_BYTES 1450
#define DELAY_NS  UINT64_C(40000000) /* there and back; and of a full queue */
#define RING      8192               /* packets that are remembered */

struct quic {
	struct fp_cc cc;
	struct fp_cc_conn conn;
	struct fp_cc_control control;
	struct fp_rate rate;
	struct fp_rate_pkt sent[RING]; /* the sampler's snapshots */
	uint64_t ack_ns[RING];         /* when their ACKs come; 0: never */
	uint32_t next, oldest; /* packet to send, packet whose fate is open */
	uint32_t recovery_end; /* the first packet after a loss */
	uint64_t now_ns, paced_ns, link_ns; /* pacer and link are free then */
};

/* Tells the algorithm what the connection is like. */
static const struct fp_cc_conn *look(struct quic *q)
{
	fp_cc_conn_set_now(&q->conn, q->now_ns);
	fp_rate_get_conn(&q->rate, &q->conn);
	q->conn.edt_ns = q->paced_ns;
	q->conn.snd_una_pkts = q->oldest;
	q->conn.snd_nxt_pkts = q->next;
	q->conn.packets_out_pkts = q->conn.inflight_pkts;
	q->conn.random = (uint32_t)q->now_ns * 2654435761u;
	return &q->conn;
}

static void send_packet(struct quic *q)
{
	uint64_t rate = q->control.pacing_rate_bytes_per_s;
	uint32_t out = q->conn.inflight_pkts++, slot = q->next % RING;
	struct fp_rate_send send = { q->now_ns / 1000, out, out + 1, false };

	fp_rate_on_send(&q->rate, &q->sent[slot], &send);
	q->ack_ns[slot] = 0;
	q->link_ns = q->link_ns > q->now_ns ? q->link_ns : q->now_ns;
	if (++q->next % 2000 && q->link_ns - q->now_ns < DELAY_NS) {
		q->link_ns += PKT_BYTES * UINT64_C(160); /* 50 Mbit/s */
		q->ack_ns[slot] = q->link_ns + DELAY_NS;
	}
	q->paced_ns = q->now_ns + (rate ? PKT_BYTES * NS_PER_S / rate : 0);
}

/* A packet is given up; the first one of a window is a sign of congestion. */
static void give_up(struct quic *q, uint32_t number)
{
	const struct fp_rate_pkt *pkt = &q->sent[number % RING];
	struct fp_cc_lost lost = { 1, pkt->tx_in_flight_pkts, 0, false };

	q->conn.inflight_pkts--;
	lost.lost_since_pkts = ++q->rate.lost_pkts - pkt->lost_pkts;
	fp_cc_on_lost(&q->cc, look(q), &lost, &q->control);
	if (number < q->recovery_end)
		return;
	q->recovery_end = q->next;
	q->conn.prior_cwnd_pkts = q->control.cwnd_pkts;
	fp_cc_on_congestion(&q->cc, look(q), &q->control);
	fp_cc_on_state(&q->cc, look(q), FP_CA_RECOVERY, &q->control);
	q->conn.ca_state = FP_CA_RECOVERY;
	if (!q->cc.ops->has_own_recovery)
		q->control.cwnd_pkts = q->control.ssthresh_pkts;
}

static void receive_ack(struct quic *q, uint32_t number)
{
	struct fp_rate_end end = { q->now_ns / 1000, 1, 0, 0, false };
	struct fp_rate_pkt *pkt = &q->sent[number % RING];
	struct fp_cc_ack ack;

	fp_rate_on_ack_start(&q->rate, &ack);
	fp_rate_on_delivered(&q->rate, pkt, number + 1, &ack);
	ack.rtt_us = (int32_t)(end.now_us - pkt->sent_us);
	ack.prior_inflight_pkts = q->conn.inflight_pkts;
	q->conn.is_cwnd_limited =
	    q->conn.inflight_pkts-- >= q->control.cwnd_pkts;
	for (; q->oldest + 3 <= number; q->oldest++)
		if (q->ack_ns[q->oldest % RING] == 0)
			give_up(q, q->oldest);
	if (q->conn.ca_state != FP_CA_OPEN && number >= q->recovery_end) {
		fp_cc_on_state(&q->cc, look(q), FP_CA_OPEN, &q->control);
		q->conn.ca_state = FP_CA_OPEN;
	}
	q->conn.srtt_us = (uint32_t)ack.rtt_us;
	if (q->conn.min_rtt_us > q->conn.srtt_us)
		q->conn.min_rtt_us = q->conn.srtt_us;
	end.min_rtt_us = q->conn.min_rtt_us;
	fp_rate_on_ack_end(&q->rate, &end, &ack);
	fp_cc_on_rtt(&q->cc, look(q), q->conn.srtt_us, &q->control);
	q->control.marks_app_limited = false;
	if (q->cc.ops->has_own_recovery || q->conn.ca_state == FP_CA_OPEN)
		fp_cc_on_ack(&q->cc, look(q), &ack, &q->control);
	if (q->control.marks_app_limited)
		fp_rate_mark_app_limited(&q->rate, q->conn.inflight_pkts);
}

/* Sends when window and pacer allow it, and hears what comes back. */
static void run(struct quic *q)
{
	/* heard: the next packet that may be acknowledged */
	for (uint32_t heard = 0; q->now_ns < 20 * NS_PER_S;) {
		bool may_send = q->conn.inflight_pkts < q->control.cwnd_pkts;
		uint64_t ack_ns = q->now_ns + NS_PER_S;

		while (heard != q->next && !q->ack_ns[heard % RING])
			heard++; /* lost */
		if (heard != q->next)
			ack_ns = q->ack_ns[heard % RING];
		may_send &= q->paced_ns < ack_ns;
		if (!may_send || q->now_ns < q->paced_ns)
			q->now_ns = may_send ? q->paced_ns : ack_ns;
		if (may_send || heard == q->next)
			send_packet(q); /* the latter: a probe */
		else
			receive_ack(q, heard++);
	}
}

int main(void)
{
	const char *const names[] = { "reno", "cubic", "bbr", "bbr3" };
	static struct quic all[4];

	for (struct quic *q = all; q < all + 4; q++) {
		struct fp_cc_config config;

		fp_cc_conn_init(&q->conn, PKT_BYTES);
		q->control.cwnd_pkts = 10;
		q->control.ssthresh_pkts = FP_CC_SSTHRESH_NONE;
		if (fp_cc_parse(names[q - all], &config))
			return 1;
		fp_cc_init(&q->cc, &config, look(q), &q->control);
		run(q);
		printf("%-5s %4.1f Mbit/s, %u of %u packets lost\n",
		       names[q - all],
		       q->rate.delivered_pkts * PKT_BYTES * 8 / 20e6,
		       q->rate.lost_pkts, q->next);
	}
	return 0;
}
