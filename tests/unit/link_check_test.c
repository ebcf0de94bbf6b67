/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every bad configuration is refused with words that name its stage. */
#include "link_driver.h"

static const uint64_t falling[] = { 5, 4 };
static const uint32_t trace_back[] = { 5, 4 };
static const uint32_t trace_zero[] = { 0, 0 };
static const struct fp_rate_step steps_back[] = { { 5, 1 }, { 5, 2 } };

static void refuses(struct fp_stage_config stage, const char *word)
{
	struct fp_path_config config = { .capacity_pkts = 1, .stage_count = 1 };
	const char *wrong;

	config.stages[0] = stage;
	wrong = fp_path_check(&config);
	assert_non_null(wrong);
	assert_non_null(strstr(wrong, word));
	assert_int_equal(fp_path_size_bytes(&config), 0);
}

static void accepts(struct fp_stage_config stage)
{
	struct fp_path_config config = { .capacity_pkts = 1, .stage_count = 1 };

	config.stages[0] = stage;
	assert_null(fp_path_check(&config));
}

#define STAGE(kind_, ...)                                                      \
	((struct fp_stage_config){ .kind = kind_, __VA_ARGS__ })
#define MORE_THAN_ONE (FP_PPM_ONE + 1)

static void bad_draws_are_refused(void **state)
{
	refuses(STAGE(FP_STAGE_DUPLICATE, .chance = { MORE_THAN_ONE, 0 }),
		"duplicate");
	refuses(STAGE(FP_STAGE_CORRUPT, .chance = { 0, MORE_THAN_ONE }),
		"corrupt");
	refuses(STAGE(FP_STAGE_REORDER, .reorder = { MORE_THAN_ONE, 0, 0 }),
		"reorder");
	refuses(STAGE(FP_STAGE_REORDER, .reorder = { 0, MORE_THAN_ONE, 0 }),
		"reorder");
	accepts(
	    STAGE(FP_STAGE_REORDER, .reorder = { FP_PPM_ONE, FP_PPM_ONE, 0 }));
}

static void bad_losses_are_refused(void **state)
{
	struct fp_stage_config stage = STAGE(FP_STAGE_LOSS);

	stage.loss.random.probability_ppm = MORE_THAN_ONE;
	refuses(stage, "loss: a probability");
	stage.loss.random.probability_ppm = FP_PPM_ONE;
	accepts(stage);
	stage.loss.unit = (enum fp_loss_unit)7;
	refuses(stage, "unit");
	stage = STAGE(FP_STAGE_LOSS, .loss.model = FP_LOSS_PERIODIC);
	refuses(stage, "period");
	stage = STAGE(FP_STAGE_LOSS, .loss.model = FP_LOSS_GEMODEL);
	stage.loss.gemodel.r_ppm = MORE_THAN_ONE;
	refuses(stage, "Gilbert");
	stage = STAGE(FP_STAGE_LOSS, .loss.model = FP_LOSS_STATE);
	stage.loss.state.p13_ppm = 600000;
	stage.loss.state.p14_ppm = 400001;
	refuses(stage, "p13 and p14");
	stage.loss.state.p14_ppm = 400000;
	accepts(stage);
	stage = STAGE(FP_STAGE_LOSS, .loss.model = FP_LOSS_LIST);
	stage.loss.list.numbers = falling;
	stage.loss.list.count = 2;
	refuses(stage, "ascend");
	stage.loss.model = (enum fp_loss_model)9;
	refuses(stage, "model");
}

static void bad_links_are_refused(void **state)
{
	struct fp_stage_config stage = STAGE(FP_STAGE_LINK);

	accepts(stage);
	stage.link.rate.kind = FP_RATE_CONSTANT;
	refuses(stage, "rate: 0");
	stage.link.rate.rate_bps = UINT64_C(10000000000001);
	refuses(stage, "10 Tbit/s");
	stage.link.rate.rate_bps = 1;
	accepts(stage);
	stage.link.rate.kind = FP_RATE_STEPS;
	refuses(stage, "no steps");
	stage.link.rate.steps = steps_back;
	stage.link.rate.step_count = 2;
	refuses(stage, "ascend");
	stage.link.rate.kind = FP_RATE_TRACE;
	refuses(stage, "no line");
	stage.link.rate.trace_count = 2;
	stage.link.rate.trace_ms = trace_back;
	refuses(stage, "backwards");
	stage.link.rate.trace_ms = trace_zero;
	refuses(stage, "last time");
}

static void bad_queues_are_refused(void **state)
{
	struct fp_stage_config stage = STAGE(FP_STAGE_LINK);

	stage.link.queue.qdisc = FP_QDISC_RED;
	stage.link.queue.red_min_bytes = 2;
	stage.link.queue.red_max_bytes = 1;
	refuses(stage, "below its minimum");
	stage.link.queue.qdisc = FP_QDISC_FQ_CODEL;
	stage.link.queue.flow_queues = 65537;
	refuses(stage, "flow queues");
	stage.link.queue.interval_ns = UINT64_C(1) << 32;
	refuses(stage, "interval");
}

static void bad_paths_are_refused(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 1 };

	assert_null(fp_path_check(&config));
	config.stage_count = 17;
	assert_non_null(strstr(fp_path_check(&config), "16 stages"));
	config.stage_count = 0;
	config.capacity_pkts = 0;
	assert_non_null(strstr(fp_path_check(&config), "capacity"));
	refuses(STAGE(FP_STAGE_DELAY, .delay.delay_ns = UINT64_MAX), "delay");
	refuses(STAGE(FP_STAGE_DELAY, .delay.jitter_ns = UINT64_MAX), "jitter");
	refuses(STAGE(FP_STAGE_DELAY, .delay.dist = (enum fp_dist)4), "distr");
	refuses(STAGE(FP_STAGE_POLICER, .policer = { 0, 1500 }), "policer");
	refuses(STAGE(FP_STAGE_POLICER, .policer = { 1, 0 }), "burst");
	refuses(STAGE((enum fp_stage_kind)42), "kind of stage");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_draws_are_refused),
		cmocka_unit_test(bad_losses_are_refused),
		cmocka_unit_test(bad_links_are_refused),
		cmocka_unit_test(bad_queues_are_refused),
		cmocka_unit_test(bad_paths_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
