/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which scenarios are refused, and with which words. */
#include "sim/scenario.h"
#include "sim_world_driver.h"

#include <errno.h>

static struct scenario it;

/* A scenario that runs: 10 Mbit/s and 20 ms each way. */
static void good(void)
{
	scenario_init(&it, "cubic");
	add_link(&it, FORWARD, 10000000, 100);
	add_delay(&it, FORWARD, 20 * MS);
	add_delay(&it, BACK, 20 * MS);
	assert_null(fp_sim_check(&it.config));
}

/* Checks that it is refused by words that hold this, and neither runs nor
 * touches the result. */
static void expect(const char *part)
{
	const char *wrong = fp_sim_check(&it.config);
	struct fp_sim_result result = { .end_ns = 77 };

	if (!wrong || !strstr(wrong, part))
		fail_msg("'%s' is not about '%s'", wrong ? wrong : "(good)",
			 part);
	assert_int_equal(fp_sim_run(&it.config, &result), -EINVAL);
	assert_int_equal(result.end_ns, 77);
}

static struct fp_stage_config *one_more(int way, enum fp_stage_kind kind)
{
	good();
	return add_stage(&it, way, kind);
}

static void a_path_that_lets_nothing_through(void **state)
{
	struct fp_loss_config *loss;

	loss = &one_more(FORWARD, FP_STAGE_LOSS)->loss;
	loss->random.probability_ppm = FP_PPM_ONE;
	expect("loses every packet");
	loss->marks_ecn = true; /* data is marked instead, if it may be */
	expect("loses every packet");
	it.config.tcp.has_ecn = true;
	assert_null(fp_sim_check(&it.config));
	loss->marks_ecn = false;
	loss->random.probability_ppm = FP_PPM_ONE - 1;
	assert_null(fp_sim_check(&it.config));
	loss = &one_more(BACK, FP_STAGE_LOSS)->loss;
	loss->model = FP_LOSS_PERIODIC;
	loss->periodic.every_pkts = 1;
	expect("loses every packet");
	loss->periodic.every_pkts = 2;
	assert_null(fp_sim_check(&it.config));
	loss->model = FP_LOSS_GEMODEL;
	loss->gemodel.p_ppm = 10;
	loss->gemodel.r_ppm = 10;
	loss->gemodel.h_loss_ppm = FP_PPM_ONE;
	loss->gemodel.k_loss_ppm = FP_PPM_ONE;
	expect("loses every packet");
	loss->gemodel.k_loss_ppm = 0;
	assert_null(fp_sim_check(&it.config));
	one_more(BACK, FP_STAGE_CORRUPT)->chance.probability_ppm = FP_PPM_ONE;
	expect("damages every packet");
}

/* A full packet is 1514 bytes, and takes 1.2112 ms at 10 Mbit/s. */
static void a_queue_or_a_bucket_below_one_packet(void **state)
{
	struct fp_policer_config *policer;
	struct fp_queue_config *queue;

	good();
	queue = &it.config.way[FORWARD].stages[0].link.queue;
	queue->limit_bytes = 1513;
	expect("queue below one packet");
	queue->limit_bytes = 1514;
	assert_null(fp_sim_check(&it.config));
	queue->limit_ns = 1211199;
	expect("queue below one packet");
	queue->limit_ns = 1211200;
	assert_null(fp_sim_check(&it.config));
	policer = &one_more(FORWARD, FP_STAGE_POLICER)->policer;
	policer->rate_bps = 1000000;
	policer->burst_bytes = 1513;
	expect("burst is below one packet");
	policer->burst_bytes = 1514;
	assert_null(fp_sim_check(&it.config));
	/* ACKs are smaller: 52 bytes, 28 of blocks, 14 of Ethernet */
	policer = &one_more(BACK, FP_STAGE_POLICER)->policer;
	policer->rate_bps = 1000000;
	policer->burst_bytes = 93;
	expect("burst is below one packet");
	policer->burst_bytes = 94;
	assert_null(fp_sim_check(&it.config));
}

static void a_window_below_one_packet(void **state)
{
	good();
	it.config.tcp.rmem_max_bytes = 2 * MSS - 2;
	expect("receive window below one packet");
	it.config.tcp.rmem_max_bytes = 2 * MSS;
	assert_null(fp_sim_check(&it.config));
	it.config.tcp.window_share_x256 = 127;
	expect("receive window below one packet");
	good();
	it.config.tcp.wmem_max_bytes = MSS - 1;
	expect("send buffer below one packet");
}

static void a_link_that_stands_still(void **state)
{
	static struct fp_rate_step steps[2] = { { 1 * S, 0 }, { 2 * S, 0 } };
	struct fp_rate_config *rate;

	good();
	rate = &it.config.way[FORWARD].stages[0].link.rate;
	rate->kind = FP_RATE_STEPS;
	rate->rate_bps = 0;
	rate->steps = steps;
	rate->step_count = 2;
	expect("rate is always 0");
	steps[1].rate_bps = 1000;
	assert_null(fp_sim_check(&it.config));
	rate->kind = FP_RATE_CONSTANT;
	expect("rate: 0"); /* the path's own words */
}

/* Nothing that takes time: a window would go round for ever in one instant. */
static void a_path_without_time(void **state)
{
	struct fp_stage_config *stage;

	scenario_init(&it, "cubic");
	expect("time would stand still");
	add_delay(&it, BACK, 0);
	expect("time would stand still");
	add_delay(&it, BACK, 1);
	assert_null(fp_sim_check(&it.config));
	/* every packet is sent ahead of its delay */
	scenario_init(&it, "cubic");
	add_stage(&it, FORWARD, FP_STAGE_REORDER)->reorder.probability_ppm =
	    FP_PPM_ONE;
	add_delay(&it, FORWARD, 5 * MS);
	expect("time would stand still");
	add_delay(&it, FORWARD, 5 * MS);
	assert_null(fp_sim_check(&it.config));
	/* a link that charges nothing for a packet */
	scenario_init(&it, "cubic");
	add_link(&it, FORWARD, 1000000, 10);
	assert_null(fp_sim_check(&it.config));
	stage = &it.config.way[FORWARD].stages[0];
	stage->link.rate.overhead_bytes = -1514;
	expect("time would stand still");
}

static void sizes_and_times(void **state)
{
	good();
	it.config.mtu_bytes = 575;
	expect("MTU");
	it.config.mtu_bytes = 65536;
	expect("MTU");
	good();
	it.config.duration_ns = 0;
	expect("duration of 0");
	good();
	it.config.flow_count = 0;
	expect("no flow");
	it.config.flow_count = FP_SIM_FLOWS_MAX + 1;
	expect("more than 100000 flows");
	good();
	/* 10 s in looks of 10 us are a million and no more */
	it.config.sample_ns = 10000;
	assert_null(fp_sim_check(&it.config));
	it.config.sample_ns = 9999;
	expect("samples");
	good();
	it.config.tcp.clock_hz = 60;
	expect("clock");
	good();
	it.config.tcp.without = 1u << FP_SIM_PARTS;
	expect("unknown part");
	good();
	it.config.tcp.delayed_ack_ns = 501 * MS;
	expect("delayed ACK");
}

static void flows_that_make_no_sense(void **state)
{
	good();
	it.flows[0].start_ns = 10 * S;
	expect("starts when all is over");
	it.flows[0].start_ns = 5 * S;
	it.flows[0].stop_ns = 5 * S;
	expect("stops before it starts");
	good();
	it.flows[0].source.kind = FP_SIM_TRANSFER;
	expect("transfer of nothing");
	it.flows[0].source.kind = FP_SIM_REQUESTS;
	expect("requests for nothing");
	it.flows[0].source.bytes = 1;
	it.flows[0].source.request_bytes = MSS + 1;
	expect("request above one packet");
	it.flows[0].source.kind = FP_SIM_ON_OFF;
	expect("never on");
	it.flows[0].source.kind = FP_SIM_STREAM;
	expect("stream of 0");
	it.flows[0].source.kind = (enum fp_sim_source_kind)99;
	expect("unknown kind of source");
	good();
	it.config.flow_count = 2; /* the second one counts too */
	it.flows[1].start_ns = 10 * S;
	expect("starts when all is over");
}

/* RTT of a handshake on the empty path: 20 + 20 ms, and a SYN of 60 + 14 bytes
 * at 10 Mbit/s, 59.2 us. */
static void the_empty_paths_round_trip(void **state)
{
	good();
	assert_int_equal(sim_scenario_rtt_us(&it.config), 40059);
	it.config.is_ipv6 = true; /* 20 bytes more: 75.2 us */
	assert_int_equal(sim_scenario_rtt_us(&it.config), 40075);
	assert_int_equal(sim_scenario_mss_bytes(&it.config), 1428);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_that_lets_nothing_through),
		cmocka_unit_test(a_queue_or_a_bucket_below_one_packet),
		cmocka_unit_test(a_window_below_one_packet),
		cmocka_unit_test(a_link_that_stands_still),
		cmocka_unit_test(a_path_without_time),
		cmocka_unit_test(sizes_and_times),
		cmocka_unit_test(flows_that_make_no_sense),
		cmocka_unit_test(the_empty_paths_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
