/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Delivery-rate samples: what each is, worked out by hand from the rules of
 * Linux's net/ipv4/tcp_rate.c. Times in microseconds. "Flaw n": number n in the
 * list of what others got wrong, with its source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "fullpipe/cc/rate.h"

#define PKTS 64

/* A sender that keeps the counts a transport keeps. */
struct flow {
	struct fp_rate rate;
	struct fp_rate_pkt pkts[PKTS];
	struct fp_cc_ack ack;
	uint32_t first_end;   /* end of packet 0 in sequence space */
	uint32_t packets_out; /* sent and not acknowledged */
	uint32_t inflight;
	uint32_t newly;
	uint32_t min_rtt_us;
};

static struct flow fresh(void)
{
	struct flow flow;

	memset(&flow, 0, sizeof(flow));
	flow.first_end = 1;
	return flow;
}

static void send_at(struct flow *flow, uint64_t now_us, uint32_t number)
{
	struct fp_rate_send send = {
		.now_us = now_us,
		.packets_out_pkts = flow->packets_out,
		.inflight_pkts = flow->inflight + 1,
	};

	fp_rate_on_send(&flow->rate, &flow->pkts[number], &send);
	flow->packets_out++;
	flow->inflight++;
}

static void resend_at(struct flow *flow, uint64_t now_us, uint32_t number)
{
	struct fp_rate_send send = {
		.now_us = now_us,
		.packets_out_pkts = flow->packets_out,
		.inflight_pkts = flow->inflight + 1,
		.is_retrans = true,
	};

	fp_rate_on_send(&flow->rate, &flow->pkts[number], &send);
	flow->inflight++;
}

static void lose(struct flow *flow, uint32_t pkts)
{
	flow->rate.lost_pkts += pkts;
	flow->inflight -= pkts;
}

static void start_ack(struct flow *flow)
{
	fp_rate_on_ack_start(&flow->rate, &flow->ack);
	flow->newly = 0;
}

static void deliver(struct flow *flow, uint32_t number)
{
	fp_rate_on_delivered(&flow->rate, &flow->pkts[number],
			     flow->first_end + number, &flow->ack);
	flow->newly++;
	flow->packets_out--;
	flow->inflight--;
}

static const struct fp_cc_ack *end_ack(struct flow *flow, uint64_t now_us)
{
	struct fp_rate_end end = {
		.now_us = now_us,
		.acked_sacked_pkts = flow->newly,
		.min_rtt_us = flow->min_rtt_us,
	};

	fp_rate_on_ack_end(&flow->rate, &end, &flow->ack);
	return &flow->ack;
}

static void assert_sample(const struct fp_cc_ack *ack, int32_t delivered_pkts,
			  int32_t interval_us)
{
	assert_int_equal(ack->delivered_pkts, delivered_pkts);
	assert_int_equal(ack->interval_us, interval_us);
}

/* Four packets leave at 1000, their ACKs come 10 ms later, 1 ms apart. The
 * first flight: all snapshots are delivered 0 at 1000, the send phase is 0, so
 * the sample after packet k is k + 1 packets in 10 + k ms. */
static void counts_what_arrives_from_departure_to_ack(void **state)
{
	struct flow flow = fresh();

	for (uint32_t i = 0; i < 4; i++)
		send_at(&flow, 1000, i);
	for (uint32_t i = 0; i < 4; i++) {
		start_ack(&flow);
		deliver(&flow, i);
		assert_sample(end_ack(&flow, 11000 + 1000 * i), (int32_t)i + 1,
			      10000 + 1000 * (int32_t)i);
		assert_int_equal(flow.ack.acked_sacked_pkts, 1);
		assert_int_equal(flow.ack.prior_ns, 1000000);
		assert_int_equal(flow.ack.prior_delivered_pkts, 0);
		assert_int_equal(flow.ack.tx_in_flight_pkts, i + 1);
	}
}

/* The first ACK samples packet 1: sent 900 us after the first of the flight, it
 * is heard of 1905 us after. Packet 3 notes that departure (1000) and this
 * delivery (2005); it leaves 1006 us after the one and is heard of 3 us after
 * the other: the ACKs came compressed, and the longer phase counts. */
static void takes_the_longer_phase(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 100, 0);
	send_at(&flow, 1000, 1);
	send_at(&flow, 2000, 2);
	start_ack(&flow);
	deliver(&flow, 0);
	deliver(&flow, 1);
	assert_sample(end_ack(&flow, 2005), 2, 1905);
	send_at(&flow, 2006, 3);
	start_ack(&flow);
	deliver(&flow, 2);
	deliver(&flow, 3);
	assert_sample(end_ack(&flow, 2008), 2, 1006);
}

/* Flaw 8 (Linux b253a0680cea, "tcp_rate: fix wrong packet chosen"): of packets
 * that left in the same microsecond the highest sequence is the latest one,
 * in whatever order the ACK names them. */
static void of_one_burst_the_highest_sequence_counts(void **state)
{
	/* the second first_end lets the sequence wrap within the burst */
	const uint32_t first_ends[] = { 1, UINT32_MAX - 1, INT32_MAX - 1 };

	for (size_t i = 0; i < 3; i++) {
		struct flow flow = fresh();

		flow.first_end = first_ends[i];
		for (uint32_t k = 0; k < 4; k++)
			send_at(&flow, 500, k);
		start_ack(&flow);
		deliver(&flow, 2);
		deliver(&flow, 3);
		deliver(&flow, 1);
		(void)end_ack(&flow, 900);
		assert_int_equal(flow.ack.tx_in_flight_pkts, 4);
	}
}

/* A packet that is sent later counts for more than one of higher sequence. */
static void a_retransmission_is_the_latest(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 500, 0);
	send_at(&flow, 500, 1);
	lose(&flow, 1);
	resend_at(&flow, 700, 0);
	start_ack(&flow);
	deliver(&flow, 0);
	deliver(&flow, 1);
	(void)end_ack(&flow, 1000);
	assert_true(flow.ack.is_retrans);
	/* lost before it left: none since */
	assert_int_equal(flow.ack.lost_pkts, 0);
	assert_sample(&flow.ack, 2, 500);
}

/* Linux's rs->losses: what a timer gave up is not the next ACK's loss. BBRv1
 * takes it off the window, and a timeout has done that already. */
static void an_ack_tells_its_own_losses(void **state)
{
	struct flow flow = fresh();

	for (uint32_t k = 0; k < 4; k++)
		send_at(&flow, 500, k);
	lose(&flow, 1);
	start_ack(&flow);
	deliver(&flow, 2);
	lose(&flow, 2);
	assert_int_equal(end_ack(&flow, 1000)->newly_lost_pkts, 2);
	start_ack(&flow);
	assert_int_equal(end_ack(&flow, 1001)->newly_lost_pkts, 0);
}

/* Flaw 37 (google/quiche c0963a87f): a packet that was given up and then
 * arrives is counted once; SACKed, then acknowledged, likewise. */
static void a_packet_counts_once(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 500, 0);
	send_at(&flow, 600, 1);
	start_ack(&flow);
	deliver(&flow, 1); /* SACK */
	assert_sample(end_ack(&flow, 1000), 1, 500);
	start_ack(&flow);
	fp_rate_on_delivered(&flow.rate, &flow.pkts[1], 2, &flow.ack);
	assert_sample(end_ack(&flow, 1100), -1, -1);
	assert_int_equal(flow.rate.delivered_pkts, 1);
}

/* An ACK of nothing new: no sample, nothing counted, and the time of the last
 * delivery stays. */
static void an_empty_ack_is_no_sample(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 500, 0);
	start_ack(&flow);
	assert_sample(end_ack(&flow, 900), -1, -1);
	assert_int_equal(flow.ack.prior_ns, 0);
	assert_int_equal(flow.ack.acked_sacked_pkts, 0);
	assert_int_equal(flow.rate.delivered_us, 500);
}

/* SACK reneging: what was SACKed may be counted again, so no sample. */
static void reneging_spoils_the_sample(void **state)
{
	struct flow flow = fresh();
	struct fp_rate_end end = { .now_us = 900,
				   .acked_sacked_pkts = 1,
				   .has_reneged = true };

	send_at(&flow, 500, 0);
	start_ack(&flow);
	deliver(&flow, 0);
	fp_rate_on_ack_end(&flow.rate, &end, &flow.ack);
	assert_sample(&flow.ack, -1, -1);
	assert_int_equal(flow.rate.delivered_pkts, 1);
}

/* Flaw 33 (cloudflare/quiche a56ec1ec) and 45 (ns-3 90634468b): a sample over
 * less than the least round trip has no valid interval; its count stands. Of
 * exactly the least round trip it is valid. */
static void shorter_than_a_round_trip_is_not_valid(void **state)
{
	struct flow flow = fresh();

	flow.min_rtt_us = 400;
	send_at(&flow, 500, 0);
	send_at(&flow, 500, 1);
	start_ack(&flow);
	deliver(&flow, 0);
	assert_sample(end_ack(&flow, 900), 1, 400);
	start_ack(&flow);
	flow.min_rtt_us = 402;
	deliver(&flow, 1);
	assert_sample(end_ack(&flow, 901), 2, -1);
}

/* Flaw 48 (freenet 2706): the sampler is reset when nothing is out, not when
 * nothing is thought to be in flight. A timeout gives up both packets: in
 * flight 0, but packets_out 2, so the retransmission keeps the time of the
 * last delivery and its sample is not over a short time. */
static void a_timeout_does_not_restart_the_sample(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 1000, 0);
	send_at(&flow, 1000, 1);
	lose(&flow, 2);
	assert_int_equal(flow.inflight, 0);
	resend_at(&flow, 201000, 0);
	start_ack(&flow);
	deliver(&flow, 0);
	assert_sample(end_ack(&flow, 202000), 1, 201000);
}

/* After nothing was out the sample begins with the next departure, so idle
 * time is not in it. */
static void idle_time_is_not_counted(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 1000, 0);
	start_ack(&flow);
	deliver(&flow, 0);
	assert_sample(end_ack(&flow, 2000), 1, 1000);
	send_at(&flow, 900000, 1);
	start_ack(&flow);
	deliver(&flow, 1);
	assert_sample(end_ack(&flow, 901000), 1, 1000);
}

/* The mark ends strictly after what was in flight is delivered (tcp_rate_gen:
 * after(delivered, app_limited)). Two in flight at 0 delivered: mark 2. */
static void app_limited_ends_past_the_flight(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 1000, 0);
	send_at(&flow, 1000, 1);
	fp_rate_mark_app_limited(&flow.rate, flow.inflight);
	assert_int_equal(flow.rate.app_limited_pkts, 2);
	send_at(&flow, 1500, 2);
	send_at(&flow, 1500, 3);
	for (uint32_t i = 0; i < 4; i++) {
		start_ack(&flow);
		deliver(&flow, i);
		(void)end_ack(&flow, 3000 + i);
		assert_int_equal(flow.ack.is_app_limited, i >= 2);
		assert_int_equal(flow.rate.app_limited_pkts, i < 2 ? 2 : 0);
	}
}

/* (delivered + inflight) or 1, also where the sum wraps to 0. */
static void the_mark_is_never_zero(void **state)
{
	struct flow flow = fresh();

	fp_rate_mark_app_limited(&flow.rate, 0);
	assert_int_equal(flow.rate.app_limited_pkts, 1);
	flow.rate.delivered_pkts = UINT32_MAX - 9;
	fp_rate_mark_app_limited(&flow.rate, 10);
	assert_int_equal(flow.rate.app_limited_pkts, 1);
	fp_rate_mark_app_limited(&flow.rate, 9);
	assert_int_equal(flow.rate.app_limited_pkts, UINT32_MAX);
}

/* Counters wrap within a sample and within a mark. */
static void counters_may_wrap(void **state)
{
	const uint32_t bases[] = { UINT32_MAX - 1, INT32_MAX - 1 };

	for (size_t i = 0; i < 2; i++) {
		struct flow flow = fresh();

		flow.rate.delivered_pkts = bases[i];
		flow.rate.delivered_ce_pkts = bases[i];
		flow.rate.lost_pkts = bases[i];
		for (uint32_t k = 0; k < 4; k++)
			send_at(&flow, 1000, k);
		fp_rate_mark_app_limited(&flow.rate, 4);
		start_ack(&flow);
		flow.rate.lost_pkts += 3;
		for (uint32_t k = 0; k < 4; k++)
			deliver(&flow, k);
		assert_sample(end_ack(&flow, 3000), 4, 2000);
		assert_int_equal(flow.ack.prior_delivered_pkts, bases[i]);
		assert_int_equal(flow.ack.lost_pkts, 3);
		assert_int_equal(flow.ack.newly_lost_pkts, 3);
		assert_int_equal(flow.rate.app_limited_pkts, bases[i] + 4);
	}
}

/* One ACK for 1, 2, 45 and 10,000 packets: all of them, in one interval. */
static void one_ack_may_cover_many(void **state)
{
	const uint32_t counts[] = { 1, 2, 45, 10000 };

	for (size_t i = 0; i < 4; i++) {
		struct flow flow = fresh();
		struct fp_rate_pkt pkt = { 0 };

		start_ack(&flow);
		for (uint32_t k = 0; k < counts[i]; k++) {
			struct fp_rate_send send = { .now_us = 1000 + k,
						     .packets_out_pkts = k,
						     .inflight_pkts = k + 1 };

			fp_rate_on_send(&flow.rate, &pkt, &send);
		}
		/* only the last one is asked for */
		fp_rate_on_delivered(&flow.rate, &pkt, counts[i], &flow.ack);
		flow.newly = counts[i];
		assert_sample(end_ack(&flow, 21000), (int32_t)counts[i], 20000);
		assert_int_equal(flow.ack.tx_in_flight_pkts, counts[i]);
	}
}

/* CE marks between departure and now; "newly" ones are counted up. */
static void counts_congestion_marks(void **state)
{
	struct flow flow = fresh();
	struct fp_rate_end end = { .now_us = 2000,
				   .acked_sacked_pkts = 2,
				   .newly_ce_pkts = 2 };

	for (uint32_t i = 0; i < 3; i++)
		send_at(&flow, 1000, i);
	start_ack(&flow);
	deliver(&flow, 0);
	deliver(&flow, 1);
	fp_rate_on_ack_end(&flow.rate, &end, &flow.ack);
	assert_int_equal(flow.ack.delivered_ce_pkts, 2);
	start_ack(&flow);
	deliver(&flow, 2);
	(void)end_ack(&flow, 2500);
	assert_int_equal(flow.ack.delivered_ce_pkts, 2);
}

/* Time from the origin 0, time that goes back, and a sample over more than 31
 * bits of microseconds. */
static void takes_any_time(void **state)
{
	struct flow flow = fresh();

	send_at(&flow, 0, 0);
	start_ack(&flow);
	deliver(&flow, 0);
	assert_sample(end_ack(&flow, 10), 1, 9); /* 0 is taken for 1 */
	send_at(&flow, 1000, 1);
	start_ack(&flow);
	deliver(&flow, 1);
	assert_sample(end_ack(&flow, 500), 1, 0);
	send_at(&flow, 1000, 2);
	start_ack(&flow);
	deliver(&flow, 2);
	assert_sample(end_ack(&flow, UINT64_C(1) << 40), 1, INT32_MAX);
}

/* Flaw 28 (ngtcp2 137f02df): a packet without a snapshot, as after a restart of
 * the sampler, is no sample. */
static void a_packet_without_snapshot_is_none(void **state)
{
	struct flow flow = fresh();
	struct fp_rate_pkt unknown = { .sent_us = 70, .delivered_pkts = 5 };

	start_ack(&flow);
	fp_rate_on_delivered(&flow.rate, &unknown, 9, &flow.ack);
	assert_sample(end_ack(&flow, 100), -1, -1);
	assert_int_equal(flow.ack.tx_in_flight_pkts, 0);
}

/* What the sampler counts is what a connection tells the algorithm. */
static void tells_a_connection_what_it_counts(void **state)
{
	const struct fp_rate rate = { .delivered_us = 7,
				      .delivered_pkts = 1,
				      .delivered_ce_pkts = 2,
				      .lost_pkts = 3,
				      .app_limited_pkts = 4 };
	struct fp_cc_conn conn = { .srtt_us = 5 };

	fp_rate_get_conn(&rate, &conn);
	assert_int_equal(conn.delivered_ns, 7000);
	assert_int_equal(conn.delivered_pkts, 1);
	assert_int_equal(conn.delivered_ce_pkts, 2);
	assert_int_equal(conn.lost_pkts, 3);
	assert_int_equal(conn.app_limited_pkts, 4);
	assert_int_equal(conn.srtt_us, 5);
}

/* Ticks are whole periods since the origin, at 300 Hz 3.33 ms each; for longer
 * than now_ns x clock_hz fits in 64 bits, and they wrap. */
static void both_clocks_of_a_connection_agree(void **state)
{
	struct fp_cc_conn conn;

	fp_cc_conn_init(&conn, 1400);
	assert_int_equal(conn.mss_bytes, 1400);
	fp_cc_conn_set_now(&conn, 1500000000);
	assert_int_equal(conn.now_ticks, 1500);
	conn.clock_hz = 300;
	fp_cc_conn_set_now(&conn, 1003333333);
	assert_int_equal(conn.now_ticks, 300);
	fp_cc_conn_set_now(&conn, 1003333334);
	assert_int_equal(conn.now_ticks, 301);
	conn.clock_hz = 1000;
	fp_cc_conn_set_now(&conn, UINT64_C(5000000) * 1000000000);
	assert_int_equal(conn.now_ticks, 5000000000u - (UINT64_C(1) << 32));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_arrives_from_departure_to_ack),
		cmocka_unit_test(takes_the_longer_phase),
		cmocka_unit_test(of_one_burst_the_highest_sequence_counts),
		cmocka_unit_test(a_retransmission_is_the_latest),
		cmocka_unit_test(an_ack_tells_its_own_losses),
		cmocka_unit_test(a_packet_counts_once),
		cmocka_unit_test(an_empty_ack_is_no_sample),
		cmocka_unit_test(reneging_spoils_the_sample),
		cmocka_unit_test(shorter_than_a_round_trip_is_not_valid),
		cmocka_unit_test(a_timeout_does_not_restart_the_sample),
		cmocka_unit_test(idle_time_is_not_counted),
		cmocka_unit_test(app_limited_ends_past_the_flight),
		cmocka_unit_test(the_mark_is_never_zero),
		cmocka_unit_test(counters_may_wrap),
		cmocka_unit_test(one_ack_may_cover_many),
		cmocka_unit_test(counts_congestion_marks),
		cmocka_unit_test(takes_any_time),
		cmocka_unit_test(a_packet_without_snapshot_is_none),
		cmocka_unit_test(tells_a_connection_what_it_counts),
		cmocka_unit_test(both_clocks_of_a_connection_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
