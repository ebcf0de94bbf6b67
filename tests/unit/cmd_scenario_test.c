/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A round of the lab as a scenario of the simulator, and back. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/scenario.h"
#include "spec/spec.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/* Ways of one delay each, so that they can be told apart. */
static void make_round(struct lab_round *round, uint64_t forward_ns,
		       uint64_t back_ns)
{
	const uint64_t delays_ns[2] = { forward_ns, back_ns };

	*round = (struct lab_round){
		.path = { .mtu_bytes = 1500 },
		.groups = { { .flows = 2 }, { .flows = 1 } },
		.group_count = 2,
		.warmup_ns = 2 * SECOND_NS,
		.duration_ns = 8 * SECOND_NS,
		.sample_ns = 50 * MS_NS,
	};
	for (uint32_t i = 0; i < 2; i++) {
		struct fp_path_config *way = &round->path.way[i];

		way->stage_count = 2;
		way->direction = i;
		way->seed = 100 + i;
		way->stages[0].kind = FP_STAGE_LINK;
		way->stages[0].link.rate.kind = FP_RATE_CONSTANT;
		way->stages[0].link.rate.rate_bps = 10000000;
		way->stages[0].link.queue.limit_pkts = 100;
		way->stages[1].kind = FP_STAGE_DELAY;
		way->stages[1].delay.delay_ns = delays_ns[i];
	}
}

static const struct fp_cc_config algorithms[2] = {
	{ .kind = FP_CC_RENO, .name = "reno" },
	{ .kind = FP_CC_BBR, .name = "bbr" },
};

static void init(struct cmd_scenario *scenario, struct fp_sim_config *config)
{
	struct fp_error error;

	if (cmd_scenario_init(scenario, config, &error) < 0)
		fail_msg("%s", error.text);
}

/* 30 and 10 ms: a tenth of the round trip is 4 ms, so 1 ms, the most. */
static void the_path_is_the_labs(void **state)
{
	struct lab_round round;
	struct cmd_scenario scenario = { .round = &round,
					 .algorithms = algorithms };
	struct fp_sim_config config;

	make_round(&round, 30 * MS_NS, 10 * MS_NS);
	init(&scenario, &config);
	assert_int_equal(config.way[0].seed, 100);
	assert_int_equal(config.way[1].seed, 101);
	assert_int_equal(config.way[0].merge_ns, MS_NS);
	assert_int_equal(config.way[1].merge_ns, MS_NS);
	assert_int_equal(config.warmup_ns, 2 * SECOND_NS);
	assert_int_equal(config.duration_ns, 8 * SECOND_NS);
	assert_int_equal(config.sample_ns, 50 * MS_NS);
	assert_int_equal(config.tcp.without, 0);
	assert_false(config.tcp.has_ecn);
	cmd_scenario_fini(&config);

	round.is_reverse = true; /* the data takes the way back */
	round.path.is_offload_off = true;
	round.path.way[0].stages[0].link.queue.marks_ecn = true;
	round.path.way[0].stages[0].link.queue.qdisc = FP_QDISC_CODEL;
	init(&scenario, &config);
	assert_int_equal(config.way[0].seed, 101);
	assert_int_equal(config.way[0].direction, 1);
	assert_int_equal(config.way[1].seed, 100);
	assert_int_equal(config.way[0].merge_ns, 0);
	assert_int_equal(config.tcp.without, FP_SIM_TSO | FP_SIM_GRO);
	assert_true(config.tcp.has_ecn);
	cmd_scenario_fini(&config);
}

static void groups_become_flows_in_order(void **state)
{
	struct lab_round round;
	struct cmd_scenario scenario = { .round = &round,
					 .algorithms = algorithms };
	struct fp_sim_config config;

	make_round(&round, MS_NS, MS_NS);
	init(&scenario, &config);
	assert_int_equal(config.flow_count, 3);
	assert_string_equal(config.flows[1].cc.name, "reno");
	assert_string_equal(config.flows[2].cc.name, "bbr");
	assert_int_equal(config.flows[2].source.kind, FP_SIM_BULK);
	assert_true(config.flows[0].starts_open);
	assert_int_equal(config.flows[2].start_ns, 0);
	assert_int_equal(config.flows[2].stop_ns, 0);
	cmd_scenario_fini(&config);

	/* a transfer is timed from its SYN, and has no warm-up */
	round.bytes = 5000;
	init(&scenario, &config);
	assert_int_equal(config.flows[2].source.kind, FP_SIM_TRANSFER);
	assert_int_equal(config.flows[2].source.bytes, 5000);
	assert_false(config.flows[2].starts_open);
	assert_int_equal(config.warmup_ns, 0);
	cmd_scenario_fini(&config);
}

static void flows_start_and_stop_as_told(void **state)
{
	struct lab_round round;
	struct cmd_scenario scenario = { .round = &round,
					 .algorithms = algorithms };
	struct fp_sim_config config;

	scenario.hosts.stagger_ns = 3 * SECOND_NS;
	scenario.hosts.lifetime_ns = 2 * SECOND_NS;
	scenario.hosts.source.kind = FP_SIM_STREAM;
	scenario.hosts.source.rate_bps = 1000000;
	scenario.hosts.tcp.without = FP_SIM_TLP;
	make_round(&round, MS_NS, MS_NS);
	init(&scenario, &config);
	assert_int_equal(config.flows[0].start_ns, 0);
	assert_int_equal(config.flows[0].stop_ns, 2 * SECOND_NS);
	assert_int_equal(config.flows[2].start_ns, 6 * SECOND_NS);
	assert_int_equal(config.flows[2].stop_ns, 8 * SECOND_NS);
	assert_int_equal(config.flows[2].source.rate_bps, 1000000);
	assert_int_equal(config.tcp.without, FP_SIM_TLP);
	cmd_scenario_fini(&config);
}

static void what_cannot_be_simulated_is_refused(void **state)
{
	struct lab_round round;
	struct cmd_scenario scenario = { .round = &round,
					 .algorithms = algorithms };
	struct fp_sim_config config;
	struct fp_error error;

	make_round(&round, MS_NS, MS_NS);
	round.path.backend = LAB_BACKEND_DIRECT;
	assert_int_equal(cmd_scenario_init(&scenario, &config, &error),
			 -EOPNOTSUPP);
	make_round(&round, MS_NS, MS_NS);
	round.path.rmem_max_bytes = 100; /* no packet fits into its window */
	assert_int_equal(cmd_scenario_init(&scenario, &config, &error),
			 -EINVAL);
	assert_int_equal(error.status, 2);
	assert_non_null(strstr(error.hint, "--buffers"));
}

/* Way 0 of the simulator is the data's: the lab's way back when reversed. */
static void results_are_in_the_labs_words(void **state)
{
	struct fp_sim_flow_result flows[3] = {
		{ .goodput_bps = 1000,
		  .received_bytes = 7,
		  .completion_ns = 5,
		  .rtt_p50_us = 11,
		  .mss_bytes = 1448 },
		{ .requests = 3 },
		{ .goodput_bps = 9000,
		  .rtt_p50_us = 99000,
		  .is_stalled = true },
	};
	struct fp_sim_sample samples[2] = {
		{ .flow = 2,
		  .time_ns = 2500 * MS_NS,
		  .cwnd_pkts = 4,
		  .rtt_us = 100100,
		  .model = { .bbr_version = 1,
			     .bw_bytes_per_s = 1000,
			     .pacing_gain_x256 = 256 } },
		{ .flow = 1, .time_ns = 2500 * MS_NS, .rtt_us = 100000 },
	};
	const struct fp_sim_result seen = {
		.way = { { .packets = 100, .lost_by_queue = 4 },
			 { .packets = 50, .lost_by_model = 2 } },
		.end_ns = 10 * SECOND_NS,
		.flow_count = 3,
		.flows = flows,
		.sample_count = 2,
		.samples = samples,
	};
	struct lab_round round;
	const struct cmd_scenario scenario = { .round = &round,
					       .algorithms = algorithms };
	struct lab_result result;

	make_round(&round, MS_NS, MS_NS);
	round.is_reverse = true;
	assert_int_equal(cmd_scenario_result(&scenario, &seen, &result), 0);
	assert_true(result.is_valid);
	assert_int_equal(result.way[1].packets, 100);
	assert_int_equal(result.way[1].lost_by_queue, 4);
	assert_int_equal(result.way[0].lost_by_model, 2);
	assert_int_equal(result.way[0].kinds[1], FP_STAGE_DELAY);
	assert_int_equal(result.flow_count, 3);
	assert_int_equal(result.flows[0].goodput_bps, 1000);
	assert_int_equal(result.flows[0].received_bytes, 7);
	assert_int_equal(result.flows[0].completion_ns, 5);
	assert_int_equal(result.flows[0].rtt_p50_us, 11); /* no look at it */
	assert_int_equal(result.flows[0].bbr_version, 0);
	assert_int_equal(result.flows[1].requests, 3);
	assert_int_equal(result.flows[1].group, 0);
	assert_int_equal(result.flows[1].rtt_p50_us, 0); /* not measured */
	assert_int_equal(result.flows[2].group, 1);
	assert_int_equal(result.flows[2].bbr_version, 1);
	assert_true(result.flows[2].is_stalled);
	assert_int_equal(result.flows[2].rtt_p50_us, 100100);
	assert_int_equal(result.flows[2].cwnd_mean_pkts, 4);
	assert_int_equal(result.samples[0].time_ms, 2500);
	assert_int_equal(result.samples[0].bbr_bw_bps, 8000);
	assert_true(result.samples[0].has_bbr);
	/* all of it was seen: 10 s or a little more */
	assert_true(result.wall_s >= 10 && result.wall_s < 10.001);
	lab_result_fini(&result);
}

static void losses_for_want_of_room_are_no_result(void **state)
{
	struct fp_sim_flow_result flows[3] = { { 0 } };
	const struct fp_sim_result seen = {
		.way = { { .lost_by_overrun = 1 } },
		.flow_count = 3,
		.flows = flows,
	};
	struct lab_round round;
	const struct cmd_scenario scenario = { .round = &round,
					       .algorithms = algorithms };
	struct lab_result result;

	make_round(&round, MS_NS, MS_NS);
	assert_int_equal(cmd_scenario_result(&scenario, &seen, &result), 0);
	assert_false(result.is_valid);
	assert_int_equal(result.way[0].lost_outside, 1);
	assert_non_null(strstr(result.note, "want of room"));
	lab_result_fini(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_is_the_labs),
		cmocka_unit_test(groups_become_flows_in_order),
		cmocka_unit_test(flows_start_and_stop_as_told),
		cmocka_unit_test(what_cannot_be_simulated_is_refused),
		cmocka_unit_test(results_are_in_the_labs_words),
		cmocka_unit_test(losses_for_want_of_room_are_no_result),
	};

	return cmocka_run_group_tests_name("cmd/scenario", tests, NULL, NULL);
}
