/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The whole simulator where the answer follows from arithmetic. A packet of
 * 1448 bytes of payload is 1500 of IP and 1514 on the link; headers with
 * timestamps are 52 bytes, a SYN is 60.
 */
#include "near.h"
#include "sim_world_driver.h"

static struct scenario it;

static const struct fp_sim_flow_result *first(void)
{
	return &it.result.flows[0];
}

static void make_transfer(uint64_t bytes)
{
	it.flows[0].source.kind = FP_SIM_TRANSFER;
	it.flows[0].source.bytes = bytes;
}

/* --- Time ------------------------------------------------------------------
 */

/* mahimahi's test: 1 + 2 + … + 13 = 91 ms a way, and nothing else takes time,
 * so no RTT is anything but 182 ms. */
static void thirteen_delays_add_up(void **state)
{
	scenario_init(&it, "reno");
	for (uint64_t i = 1; i <= 13; i++) {
		add_delay(&it, FORWARD, i * MS);
		add_delay(&it, BACK, i * MS);
	}
	it.config.tcp.without = FP_SIM_DELAYED_ACK;
	run(&it);
	assert_int_equal(first()->min_rtt_us, 182000);
	assert_near(first()->rtt_p50_us, 182000, 182000 / 128.0);
	assert_near(first()->rtt_p99_us, 182000, 182000 / 128.0);
	finish(&it);
}

/* Half a round trip for the SYN, one for its answer and the first ten packets,
 * which arrive together (RFC 6928): 1.5 round trips. The eleventh goes when the
 * first are acknowledged: one more. */
static void a_transfer_takes_its_round_trips(void **state)
{
	scenario_init(&it, "reno");
	add_delay(&it, FORWARD, 50 * MS);
	add_delay(&it, BACK, 50 * MS);
	make_transfer(10 * MSS);
	run(&it);
	assert_int_equal(first()->completion_ns, 150 * MS);
	assert_int_equal(first()->goodput_bps, 10 * MSS * 8 * S / (150 * MS));
	assert_int_equal(first()->received_bytes, 10 * MSS);
	/* over when its last ACK is in, half a round trip later */
	assert_int_equal(it.result.end_ns, 200 * MS);
	make_transfer(10 * MSS + 1);
	run(&it);
	assert_int_equal(first()->completion_ns, 250 * MS);
	assert_int_equal(first()->received_bytes, 10 * MSS + 1);
	/* an open connection needs no handshake */
	it.flows[0].starts_open = true;
	it.flows[0].start_ns = 3 * S;
	run(&it);
	assert_int_equal(first()->completion_ns, 150 * MS);
	finish(&it);
}

/* On a link of 12.112 Mbit/s a full packet takes 1 ms, a SYN of 74 bytes 48877
 * ns. Open, ten packets: the last one is sent at 10 ms, and 20 ms later it is
 * there. */
static void a_link_takes_its_time(void **state)
{
	scenario_init(&it, "reno");
	add_link(&it, FORWARD, 12112000, 100);
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	make_transfer(10 * MSS);
	it.flows[0].starts_open = true;
	run(&it);
	assert_int_equal(first()->completion_ns, 30 * MS);
	it.flows[0].starts_open = false;
	run(&it);
	assert_int_equal(first()->completion_ns, (40 + 30) * MS + 48877);
	finish(&it);
}

/* --- Rate ------------------------------------------------------------------
 */

/* 10 Mbit/s x 1448 / 1514, without a packet lost: the queue holds what a
 * window of 64 kB at 20 ms of RTT brings and more. */
static void a_link_carries_its_payload(void **state)
{
	const double want_bps = 1e7 * MSS / WIRE;

	scenario_init(&it, "reno");
	add_link(&it, FORWARD, 10000000, 10000);
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	it.config.warmup_ns = 2 * S;
	run(&it);
	assert_near((double)first()->goodput_bps, want_bps, want_bps / 1000);
	assert_int_equal(it.result.measured_ns, 10 * S);
	assert_int_equal(it.result.end_ns, 12 * S);
	assert_true(first()->received_bytes > first()->measured_bytes);
	assert_int_equal(first()->lost_pkts, 0);
	assert_int_equal(first()->mss_bytes, MSS);
	finish(&it);
}

/* IPv6 has 20 bytes more of headers: 1428 of 1514. */
static void six_carries_twenty_less(void **state)
{
	const double want_bps = 1e7 * 1428 / WIRE;

	scenario_init(&it, "reno");
	it.config.is_ipv6 = true;
	add_link(&it, FORWARD, 10000000, 10000);
	add_delay(&it, BACK, 20 * MS);
	it.config.warmup_ns = 2 * S;
	run(&it);
	assert_near((double)first()->goodput_bps, want_bps, want_bps / 1000);
	finish(&it);
}

/* The window is the limit: 3 MiB each 200 ms are 125.8 Mbit/s. Packets are
 * whole: 2172 of them. */
static void a_window_a_round_trip(void **state)
{
	const double want_bps = 2172.0 * MSS * 8 / 0.2;

	scenario_init(&it, "reno");
	add_delay(&it, FORWARD, 100 * MS);
	add_delay(&it, BACK, 100 * MS);
	it.config.warmup_ns = 10 * S;
	it.config.tcp.wmem_max_bytes = 64 << 20; /* is no limit */
	it.flows[0].starts_open = true;
	run(&it);
	assert_int_equal(first()->snd_wnd_max_bytes, 3 << 20);
	assert_near((double)first()->goodput_bps, want_bps, want_bps / 100);
	/* most of the time */
	assert_true(first()->rwnd_limited_us > 10000000);
	finish(&it);
}

/* Four flows of equal rights share: together the link, each something. */
static void flows_share_a_link(void **state)
{
	double sum_bps = 0;

	scenario_init(&it, "cubic");
	it.config.flow_count = 4;
	add_link(&it, FORWARD, 20000000, 60);
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	it.config.warmup_ns = 2 * S;
	run(&it);
	for (int i = 0; i < 4; i++) {
		assert_true(it.result.flows[i].goodput_bps > 1000000);
		sum_bps += (double)it.result.flows[i].goodput_bps;
	}
	assert_near(sum_bps, 2e7 * MSS / WIRE, 2e5);
	finish(&it);
}

/* --- Sources ---------------------------------------------------------------
 */

/* A request takes 20 ms, its answer of three packets 20 more, and the pause 10:
 * one each 50 ms, from the ACK of the handshake at 60 ms on. Those that are
 * made at 60 + 50 k are answered by 10 s for k = 0 … 197, for 60 + 50 x 198 +
 * 40 is the end itself, which counts. */
static void requests_take_a_round_trip_and_a_pause(void **state)
{
	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	it.flows[0].source = (struct fp_sim_source){
		.kind = FP_SIM_REQUESTS,
		.bytes = 3 * MSS,
		.off_ns = 10 * MS,
	};
	run(&it);
	assert_int_equal(first()->requests, 199);
	assert_int_equal(first()->received_bytes, 199 * 3 * MSS);
	finish(&it);
}

/* Every third packet of the way back is lost, requests with them. */
static void lost_requests_are_made_again(void **state)
{
	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 20 * MS);
	add_stage(&it, BACK, FP_STAGE_LOSS)->loss = (struct fp_loss_config){
		.model = FP_LOSS_PERIODIC,
		.periodic.every_pkts = 3,
	};
	add_delay(&it, BACK, 20 * MS);
	it.flows[0].source = (struct fp_sim_source){
		.kind = FP_SIM_REQUESTS,
		.bytes = 3 * MSS,
		.off_ns = 10 * MS,
	};
	run(&it);
	assert_true(first()->requests > 30);
	assert_int_equal(first()->received_bytes, first()->requests * 3 * MSS);
	finish(&it);
}

/* 2 Mbit/s for the 10 s less the 20 ms that the last packets are on their way:
 * 9.98 s x 2e6 / 8 / 1448 = 1723.06 packets, from an open connection. */
static void a_stream_arrives_as_it_is_made(void **state)
{
	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	it.flows[0].starts_open = true;
	it.flows[0].source = (struct fp_sim_source){
		.kind = FP_SIM_STREAM,
		.rate_bps = 2000000,
	};
	run(&it);
	assert_int_equal(first()->received_bytes, 1723 * MSS);
	assert_int_equal(first()->retransmitted_pkts, 0);
	finish(&it);
}

/* A link of 10 Mbit/s is busy for 100 ms of each second but for what the queue
 * held then: with 10 packets of 1.2 ms, 12 ms at most. */
static void an_on_off_source_rests(void **state)
{
	const double second_bytes = 1e7 / 8 * MSS / WIRE;

	scenario_init(&it, "cubic");
	add_link(&it, FORWARD, 10000000, 10);
	add_delay(&it, FORWARD, 2 * MS);
	add_delay(&it, BACK, 2 * MS);
	it.flows[0].source = (struct fp_sim_source){
		.kind = FP_SIM_ON_OFF,
		.on_ns = 100 * MS,
		.off_ns = 900 * MS,
	};
	it.config.tcp.without = FP_SIM_IDLE_RESTART;
	run(&it);
	assert_true((double)first()->received_bytes <
		    10 * 0.112 * second_bytes);
	assert_true((double)first()->received_bytes > 10 * 0.08 * second_bytes);
	finish(&it);
}

/* What was sent by 1 s arrives, and the run ends. */
static void a_flow_stops_and_the_run_with_it(void **state)
{
	scenario_init(&it, "cubic");
	add_link(&it, FORWARD, 10000000, 100);
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	it.flows[0].stop_ns = 1 * S;
	run(&it);
	assert_true(it.result.end_ns > 1 * S);
	assert_true(it.result.end_ns < 1200 * MS);
	assert_false(first()->is_stalled);
	/* a flow that starts when another has gone */
	it.config.flow_count = 2;
	it.flows[1].start_ns = 5 * S;
	run(&it);
	assert_int_equal(it.result.end_ns, 10 * S);
	assert_near((double)it.result.flows[1].received_bytes,
		    5.0 * 1e7 / 8 * MSS / WIRE, 5e5);
	finish(&it);
}

/* --- What a path does ------------------------------------------------------
 */

/* The SYN is number 1 and the first flight 2 … 11: two of it are lost, which no
 * timeout has to tell. */
static void a_lost_packet_is_sent_again(void **state)
{
	static const uint64_t numbers[] = { 5, 8 };

	scenario_init(&it, "cubic");
	add_stage(&it, FORWARD, FP_STAGE_LOSS)->loss = (struct fp_loss_config){
		.model = FP_LOSS_LIST,
		.list = { .numbers = numbers, .count = 2 },
	};
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	make_transfer(100 * MSS);
	it.config.tcp.without = FP_SIM_DELAYED_ACK;
	run(&it);
	assert_int_equal(first()->received_bytes, 100 * MSS);
	assert_int_equal(it.result.way[FORWARD].lost_by_model, 2);
	assert_int_equal(first()->retransmitted_pkts, 2);
	assert_int_equal(first()->lost_pkts, 2);
	assert_int_equal(first()->recoveries, 1);
	assert_int_equal(first()->timeouts, 0);
	assert_int_equal(first()->spurious_pkts, 0);
	/* duplicate ACKs echo old timestamps: they are no round trips */
	assert_near(first()->rtt_p99_us, 40000, 40000 / 128.0);
	finish(&it);
}

/* Damaged packets reach the host and not TCP. */
static void damage_is_loss_to_tcp(void **state)
{
	scenario_init(&it, "cubic");
	add_stage(&it, FORWARD, FP_STAGE_CORRUPT)->chance.probability_ppm =
	    50000;
	add_delay(&it, FORWARD, 5 * MS);
	add_delay(&it, BACK, 5 * MS);
	make_transfer(2000 * MSS);
	it.config.duration_ns = 100 * S;
	run(&it);
	assert_int_equal(first()->received_bytes, 2000 * MSS);
	assert_true(it.result.way[FORWARD].stages[0].corrupted > 80);
	assert_true(first()->retransmitted_pkts >=
		    it.result.way[FORWARD].stages[0].corrupted);
	assert_int_equal(it.result.way[FORWARD].delivered,
			 it.result.way[FORWARD].packets);
	finish(&it);
}

static void every_packet_twice_is_no_harm(void **state)
{
	scenario_init(&it, "cubic");
	for (int way = 0; way < 2; way++) {
		add_stage(&it, way, FP_STAGE_DUPLICATE)
		    ->chance.probability_ppm = FP_PPM_ONE;
		add_delay(&it, way, 5 * MS);
	}
	make_transfer(500 * MSS);
	run(&it);
	assert_int_equal(first()->received_bytes, 500 * MSS);
	assert_true(first()->completion_ns != 0);
	for (int way = 0; way < 2; way++)
		assert_int_equal(it.result.way[way].duplicated,
				 it.result.way[way].packets);
	finish(&it);
}

/* RFC 3168: a queue that marks at 5 ms keeps a flow from losing anything. */
static void marks_take_the_place_of_losses(void **state)
{
	struct fp_queue_config *queue;

	scenario_init(&it, "reno");
	it.config.tcp.has_ecn = true;
	add_link(&it, FORWARD, 10000000, 1000);
	queue = &it.config.way[FORWARD].stages[0].link.queue;
	queue->qdisc = FP_QDISC_CODEL;
	queue->marks_ecn = true;
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	it.flows[0].starts_open = true;
	run(&it);
	assert_true(it.result.way[FORWARD].marked > 5);
	assert_int_equal(first()->lost_pkts, 0);
	assert_true(first()->goodput_bps > 7000000);
	finish(&it);
}

/* 200 % of a window of ten each 10 ms are 2.9 MB/s; a burst is 1/1024 of that,
 * 2828 bytes, and at least two packets. So five bursts leave, each comes as one
 * behind a delay alone, and quick ACKs tell of each; without GRO, of each
 * packet. */
static void what_leaves_together_is_acknowledged_together(void **state)
{
	scenario_init(&it, "reno");
	add_delay(&it, FORWARD, 5 * MS);
	add_delay(&it, BACK, 5 * MS);
	make_transfer(10 * MSS);
	it.flows[0].starts_open = true;
	run(&it);
	assert_int_equal(it.result.way[FORWARD].packets, 10);
	assert_int_equal(it.result.way[BACK].packets, 5);
	it.config.tcp.without = FP_SIM_GRO;
	run(&it);
	assert_int_equal(it.result.way[BACK].packets, 10);
	finish(&it);
}

/* Every second packet is marked: the two of a burst are no longer alike, and
 * come one by one. */
static void a_mark_divides_a_burst(void **state)
{
	struct fp_loss_config *loss;

	scenario_init(&it, "reno");
	it.config.tcp.has_ecn = true;
	loss = &add_stage(&it, FORWARD, FP_STAGE_LOSS)->loss;
	loss->model = FP_LOSS_PERIODIC;
	loss->periodic.every_pkts = 2;
	loss->marks_ecn = true;
	add_delay(&it, FORWARD, 5 * MS);
	add_delay(&it, BACK, 5 * MS);
	make_transfer(10 * MSS);
	it.flows[0].starts_open = true;
	run(&it);
	assert_int_equal(it.result.way[FORWARD].packets, 10);
	assert_int_equal(it.result.way[FORWARD].marked, 5);
	assert_int_equal(it.result.way[BACK].packets, 10);
	finish(&it);
}

/* Two flows send a burst of two packets each, at one time: to a loss stage that
 * draws for each super-packet, as netem does, they are two. */
static void bursts_of_two_flows_are_two(void **state)
{
	scenario_init(&it, "reno");
	it.config.flow_count = 2;
	add_stage(&it, FORWARD, FP_STAGE_LOSS)->loss.unit = FP_LOSS_UNIT_SKB;
	add_delay(&it, FORWARD, 5 * MS);
	add_delay(&it, BACK, 5 * MS);
	for (int i = 0; i < 2; i++) {
		it.flows[i].source.kind = FP_SIM_TRANSFER;
		it.flows[i].source.bytes = 2 * MSS;
		it.flows[i].starts_open = true;
	}
	run(&it);
	assert_int_equal(it.result.way[FORWARD].packets, 4);
	assert_int_equal(it.result.way[FORWARD].stages[0].units_in, 2);
	finish(&it);
}

/* A link of 10 Mbit/s that stands still from 2 s on, 10 ms back. */
static void make_dying_link(void)
{
	static const struct fp_rate_step steps[] = { { 2 * S, 0 } };
	struct fp_rate_config *rate;

	scenario_init(&it, "cubic");
	add_link(&it, FORWARD, 10000000, 100);
	rate = &it.config.way[FORWARD].stages[0].link.rate;
	rate->kind = FP_RATE_STEPS;
	rate->steps = steps;
	rate->step_count = 1;
	add_delay(&it, BACK, 10 * MS);
}

static void a_dead_path_is_a_stall(void **state)
{
	make_dying_link();
	it.config.duration_ns = 11 * S;
	run(&it);
	assert_false(first()->is_stalled);
	it.config.duration_ns = 13 * S;
	run(&it);
	assert_true(first()->is_stalled);
	assert_true(first()->timeouts >= 3);
	assert_true(it.result.way[FORWARD].inflight > 0);
	finish(&it);
}

/* What a flow knew before, or was given when it began open, is
 * no RTT of the time that is measured: the first has none after 3 s of warm-up,
 * the second, which begins when nothing moves, has none at all. */
static void an_rtt_is_one_that_was_measured(void **state)
{
	make_dying_link();
	it.config.flow_count = 2;
	it.config.sample_ns = 100 * MS;
	it.config.duration_ns = 5 * S;
	it.flows[1].starts_open = true;
	it.flows[1].start_ns = 2500 * MS;
	run(&it);
	assert_true(first()->rtt_p50_us >= 10000);
	assert_true(first()->min_rtt_us >= 10000);
	assert_int_equal(it.result.flows[1].rtt_p50_us, 0);
	assert_int_equal(it.result.flows[1].min_rtt_us, 0);
	it.config.warmup_ns = 3 * S;
	run(&it);
	assert_int_equal(first()->rtt_p50_us, 0);
	assert_int_equal(first()->rtt_p99_us, 0);
	finish(&it);
}

/* A path that cannot hold what is sent says so. */
static void an_overrun_is_told(void **state)
{
	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 50 * MS);
	add_delay(&it, BACK, 50 * MS);
	it.config.way[FORWARD].capacity_pkts = 5;
	make_transfer(10 * MSS);
	run(&it);
	assert_int_equal(first()->received_bytes, 10 * MSS);
	assert_true(it.result.way[FORWARD].lost_by_overrun >= 5);
	finish(&it);
}

/* --- What is looked at ------------------------------------------------------
 */

/* Flows that have begun, each 100 ms: 100 looks at the first until 10 s, and at
 * the second, which starts with the 50th look, 51. */
static void samples_are_of_flows_that_run(void **state)
{
	uint32_t counts[2] = { 0, 0 };

	scenario_init(&it, "cubic");
	it.config.flow_count = 2;
	it.flows[1].start_ns = 5 * S;
	add_link(&it, FORWARD, 10000000, 100);
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	it.config.sample_ns = 100 * MS;
	it.config.warmup_ns = 2 * S;
	it.config.duration_ns = 8 * S;
	run(&it);
	assert_int_equal(it.result.sample_count, 151);
	for (uint32_t i = 0; i < it.result.sample_count; i++) {
		const struct fp_sim_sample *sample = &it.result.samples[i];

		assert_int_equal(sample->time_ns % (100 * MS), 0);
		assert_true(i == 0 || sample->time_ns >= sample[-1].time_ns);
		counts[sample->flow]++;
	}
	assert_int_equal(counts[0], 100);
	assert_true(first()->cwnd_mean_pkts > 10);
	assert_true(first()->rtt_p50_us >= 20000);
	assert_true(first()->rtt_p99_us >= first()->rtt_p50_us);
	finish(&it);
}

struct log {
	struct fp_sim_packet packets[64];
	struct fp_sim_event drops[8];
	uint32_t packet_count, drop_count;
};

static void log_packet(void *context, const struct fp_sim_packet *packet)
{
	struct log *log = context;

	if (log->packet_count < 64)
		log->packets[log->packet_count++] = *packet;
}

static void log_event(void *context, const struct fp_sim_event *event)
{
	struct log *log = context;

	if (event->kind == FP_SIM_EVENT_DROPPED && log->drop_count < 8)
		log->drops[log->drop_count++] = *event;
}

struct seen {
	uint64_t time_ms;
	enum fp_sim_side side;
	bool is_sent;
	uint8_t flags;
	uint32_t payload_bytes, len_bytes;
	uint64_t seq_bytes, ack_bytes;
};

/* A transfer of 1458 bytes over 10 ms each way, as each side sees it. SYN and
 * FIN count as a byte (RFC 9293, 3.4). A SYN is 60 bytes, an ACK 52. */
static void the_watch_sees_a_whole_connection(void **state)
{
	static const struct seen want[] = {
		{ 0, FP_SIM_SENDER, true, FP_SIM_SYN, 0, 60, 0, 0 },
		{ 10, FP_SIM_RECEIVER, false, FP_SIM_SYN, 0, 60, 0, 0 },
		{ 10, FP_SIM_RECEIVER, true, FP_SIM_SYN | FP_SIM_ACK, 0, 60, 0,
		  1 },
		{ 20, FP_SIM_SENDER, false, FP_SIM_SYN | FP_SIM_ACK, 0, 60, 0,
		  1 },
		{ 20, FP_SIM_SENDER, true, FP_SIM_ACK, MSS, 1500, 1, 1 },
		{ 20, FP_SIM_SENDER, true, FP_SIM_ACK | FP_SIM_PSH | FP_SIM_FIN,
		  10, 62, 1 + MSS, 1 },
		{ 30, FP_SIM_RECEIVER, false, FP_SIM_ACK, MSS, 1500, 1, 1 },
		{ 30, FP_SIM_RECEIVER, false,
		  FP_SIM_ACK | FP_SIM_PSH | FP_SIM_FIN, 10, 62, 1 + MSS, 1 },
		{ 30, FP_SIM_RECEIVER, true, FP_SIM_ACK | FP_SIM_FIN, 0, 52, 1,
		  1 + MSS + 10 + 1 },
		{ 40, FP_SIM_SENDER, false, FP_SIM_ACK | FP_SIM_FIN, 0, 52, 1,
		  1 + MSS + 10 + 1 },
	};
	struct log log = { .packet_count = 0 };

	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	make_transfer(MSS + 10);
	it.config.watch =
	    (struct fp_sim_watch){ .packet = log_packet, .context = &log };
	run(&it);
	assert_int_equal(log.packet_count, sizeof(want) / sizeof(want[0]));
	for (uint32_t i = 0; i < log.packet_count; i++) {
		const struct fp_sim_packet *got = &log.packets[i];

		assert_int_equal(got->time_ns, want[i].time_ms * MS);
		assert_int_equal(got->side, want[i].side);
		assert_int_equal(got->is_sent, want[i].is_sent);
		assert_int_equal(got->flags, want[i].flags);
		assert_int_equal(got->payload_bytes, want[i].payload_bytes);
		assert_int_equal(got->len_bytes, want[i].len_bytes);
		assert_int_equal(got->seq_bytes, want[i].seq_bytes);
		assert_int_equal(got->ack_bytes, want[i].ack_bytes);
	}
	finish(&it);
}

/* RFC 3168, 6.1.1: a SYN asks for ECN with ECE and CWR, the answer says ECE. */
static void the_watch_sees_ecn_negotiated(void **state)
{
	struct log log = { .packet_count = 0 };

	scenario_init(&it, "cubic");
	it.config.tcp.has_ecn = true;
	add_delay(&it, FORWARD, 10 * MS);
	add_delay(&it, BACK, 10 * MS);
	make_transfer(MSS);
	it.config.watch =
	    (struct fp_sim_watch){ .packet = log_packet, .context = &log };
	run(&it);
	assert_int_equal(log.packets[0].flags,
			 FP_SIM_SYN | FP_SIM_ECE | FP_SIM_CWR);
	assert_int_equal(log.packets[0].ecn, FP_ECN_NOT_ECT);
	assert_int_equal(log.packets[2].flags,
			 FP_SIM_SYN | FP_SIM_ACK | FP_SIM_ECE);
	assert_int_equal(log.packets[4].payload_bytes, MSS);
	assert_int_equal(log.packets[4].ecn, FP_ECN_ECT0);
	finish(&it);
}

/* The third packet of data, number 2, is the fourth of the way: the SYN is the
 * first, and the handshake's ACK rides on data. The packets behind it come in
 * bursts of two, so blocks grow to 4, 6, 8 and 10, in bytes; each is seen when
 * it is sent and when it arrives. */
static void the_watch_sees_a_loss_and_its_block(void **state)
{
	static const uint64_t numbers[] = { 4 };
	struct log log = { .packet_count = 0 };
	uint64_t sent = 0, arrived = 0, end;

	scenario_init(&it, "cubic");
	add_delay(&it, FORWARD, 10 * MS);
	add_stage(&it, FORWARD, FP_STAGE_LOSS)->loss = (struct fp_loss_config){
		.model = FP_LOSS_LIST,
		.list = { .numbers = numbers, .count = 1 },
	};
	add_delay(&it, BACK, 10 * MS);
	make_transfer(10 * MSS);
	it.config.watch = (struct fp_sim_watch){ .packet = log_packet,
						 .event = log_event,
						 .context = &log };
	run(&it);
	assert_int_equal(log.drop_count, 1);
	assert_int_equal(log.drops[0].time_ns, 30 * MS);
	assert_int_equal(log.drops[0].seq_pkts, 2);
	assert_int_equal(log.drops[0].stage, 1);
	assert_int_equal(log.drops[0].way, FORWARD);
	assert_string_equal(log.drops[0].reason, "model");
	for (uint32_t i = 0; i < log.packet_count; i++) {
		const struct fp_sim_packet *got = &log.packets[i];

		if (got->sack_count == 0)
			continue;
		end = got->is_sent ? 4 + 2 * sent++ : 4 + 2 * arrived++;
		assert_int_equal(got->ack_bytes, 1 + 2 * MSS);
		assert_int_equal(got->sack_bytes[0][0], 1 + 3 * MSS);
		assert_int_equal(got->sack_bytes[0][1], 1 + end * MSS);
		assert_int_equal(got->len_bytes, 52 + 4 + 8);
	}
	assert_int_equal(sent, 4);
	assert_int_equal(arrived, 4);
	finish(&it);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirteen_delays_add_up),
		cmocka_unit_test(a_transfer_takes_its_round_trips),
		cmocka_unit_test(a_link_takes_its_time),
		cmocka_unit_test(a_link_carries_its_payload),
		cmocka_unit_test(six_carries_twenty_less),
		cmocka_unit_test(a_window_a_round_trip),
		cmocka_unit_test(flows_share_a_link),
		cmocka_unit_test(requests_take_a_round_trip_and_a_pause),
		cmocka_unit_test(lost_requests_are_made_again),
		cmocka_unit_test(a_stream_arrives_as_it_is_made),
		cmocka_unit_test(an_on_off_source_rests),
		cmocka_unit_test(a_flow_stops_and_the_run_with_it),
		cmocka_unit_test(a_lost_packet_is_sent_again),
		cmocka_unit_test(damage_is_loss_to_tcp),
		cmocka_unit_test(every_packet_twice_is_no_harm),
		cmocka_unit_test(marks_take_the_place_of_losses),
		cmocka_unit_test(what_leaves_together_is_acknowledged_together),
		cmocka_unit_test(a_mark_divides_a_burst),
		cmocka_unit_test(bursts_of_two_flows_are_two),
		cmocka_unit_test(a_dead_path_is_a_stall),
		cmocka_unit_test(an_rtt_is_one_that_was_measured),
		cmocka_unit_test(an_overrun_is_told),
		cmocka_unit_test(samples_are_of_flows_that_run),
		cmocka_unit_test(the_watch_sees_a_whole_connection),
		cmocka_unit_test(the_watch_sees_ecn_negotiated),
		cmocka_unit_test(the_watch_sees_a_loss_and_its_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
