/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_SIM_WORLD_DRIVER_H
#define TESTS_UNIT_SIM_WORLD_DRIVER_H

/*
 * Scenarios for tests of the whole simulator: a path of stages that are added
 * one by one, flows of one algorithm, and one number for all that was seen.
 */
#include "fullpipe/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS       UINT64_C(1000000)
#define S        UINT64_C(1000000000)
#define MSS      1448u /* of an MTU of 1500 */
#define WIRE     1514u /* of a full packet, with 14 bytes of Ethernet */
#define FORWARD  0
#define BACK     1
#define FLOW_MAX 16

struct scenario {
	struct fp_sim_config config;
	struct fp_sim_flow flows[FLOW_MAX];
	struct fp_sim_result result;
};

static inline struct fp_stage_config *
add_stage(struct scenario *scenario, int way, enum fp_stage_kind kind)
{
	struct fp_path_config *path = &scenario->config.way[way];
	struct fp_stage_config *stage = &path->stages[path->stage_count++];

	assert_true(path->stage_count <= FP_PATH_STAGES_MAX);
	memset(stage, 0, sizeof(*stage));
	stage->kind = kind;
	return stage;
}

static inline void add_delay(struct scenario *scenario, int way,
			     uint64_t delay_ns)
{
	add_stage(scenario, way, FP_STAGE_DELAY)->delay.delay_ns = delay_ns;
}

static inline void add_link(struct scenario *scenario, int way,
			    uint64_t rate_bps, uint32_t limit_pkts)
{
	struct fp_stage_config *stage = add_stage(scenario, way, FP_STAGE_LINK);

	stage->link.rate.kind = FP_RATE_CONSTANT;
	stage->link.rate.rate_bps = rate_bps;
	stage->link.queue.limit_pkts = limit_pkts;
}

/* Both ways empty; one bulk flow of this algorithm for ten seconds. */
static inline void scenario_init(struct scenario *scenario, const char *cc)
{
	memset(scenario, 0, sizeof(*scenario));
	for (int way = 0; way < 2; way++) {
		scenario->config.way[way].seed = 1;
		scenario->config.way[way].direction = (uint32_t)way;
		scenario->config.way[way].l2_bytes = 14;
	}
	scenario->config.mtu_bytes = 1500;
	scenario->config.flows = scenario->flows;
	scenario->config.flow_count = 1;
	scenario->config.duration_ns = 10 * S;
	for (int i = 0; i < FLOW_MAX; i++)
		assert_null(fp_cc_parse(cc, &scenario->flows[i].cc));
}

static inline void expect_conservation(const struct fp_sim_way_result *way)
{
	assert_int_equal(way->packets + way->duplicated,
			 way->delivered + way->lost_by_model +
			     way->lost_by_queue + way->lost_by_policer +
			     way->lost_by_overrun + way->inflight);
}

/* Runs it, in place of what it gave before. */
static inline void run(struct scenario *scenario)
{
	const char *wrong = fp_sim_check(&scenario->config);

	if (wrong)
		fail_msg("refused: %s", wrong);
	fp_sim_result_fini(&scenario->result);
	assert_int_equal(fp_sim_run(&scenario->config, &scenario->result), 0);
	assert_int_equal(scenario->result.flow_count,
			 scenario->config.flow_count);
	for (int way = 0; way < 2; way++)
		expect_conservation(&scenario->result.way[way]);
}

static inline void finish(struct scenario *scenario)
{
	fp_sim_result_fini(&scenario->result);
}

#endif
