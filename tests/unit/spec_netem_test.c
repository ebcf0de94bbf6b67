/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Netem lines -> stages as configured, and the long-run share of each model. */
#include "spec/plan.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One line, resolved; the caller releases path. */
static int build(const char *line, struct spec_path *ret_path,
		 struct fp_error *error)
{
	struct spec_builder *builder = spec_builder_new();
	int result;

	assert_non_null(builder);
	result = spec_builder_set(builder, "path", line, error);
	if (result == 0)
		result = spec_builder_build(builder, ret_path, error);
	spec_builder_free(builder);
	return result;
}

static void build_ok(const char *line, struct spec_path *ret_path)
{
	struct fp_error error = { 0 };

	if (build(line, ret_path, &error) != 0)
		fail_msg("'%s': %s", line, error.text);
}

static void lines_mean_what_tc_means(void **state)
{
	static const struct {
		const char *line, *text;
	} rows[] = {
		/* tc: a bare number is a percentage */
		{ "loss 2", "loss 2%" },
		{ "loss 0.02", "loss 0.02%" },
		{ "loss random 2% 25%", "loss 2% 25%" },
		{ "drop 2%", "loss 2%" },
		{ "latency 5ms", "delay 5ms" },
		/* tc-netem(8): r = 1-p, 1-h = 1, 1-k = 0 */
		{ "loss gemodel 1%", "loss gemodel 1% 99% 100% 0%" },
		{ "loss gemodel 1% 10%", "loss gemodel 1% 10% 100% 0%" },
		{ "loss gemodel 1 10 70 0.1", "loss gemodel 1% 10% 70% 0.1%" },
		/* tc-netem(8): p31 = 1-p13, p32 = 0, p23 = 1, p14 = 0; the
		 * arguments are p13 p31 p32 p23 p14 */
		{ "loss state 1%", "loss state 1% 99% 0% 100% 0%" },
		{ "loss state 1% 20% 5% 80% 2%",
		  "loss state 1% 20% 5% 80% 2%" },
		{ "loss 2% ecn", "loss 2% ecn" },
		{ "ecn loss 2%", "loss 2% ecn" },
		{ "loss periodic 50", "loss periodic 50" },
		{ "loss list 1,5,9", "loss list 1,5,9" },
		{ "distribution normal delay 5ms 1ms 25%",
		  "delay 5ms 1ms 25% distribution normal" },
		{ "delay 5ms reorder 25% gap 5",
		  "delay 5ms reorder 25% gap 5" },
		{ "delay 5ms gap 5 reorder 25%",
		  "delay 5ms reorder 25% gap 5" },
		{ "rate 5kbit 20 100 5 limit 7",
		  "rate 5kbit overhead 20 100 5 limit 7" },
		{ "rate 5kbit -14", "rate 5kbit overhead -14 limit 1000" },
		/* without a rate nothing waits; netem's limit is accepted */
		{ "delay 5ms limit 1000", "delay 5ms" },
		{ "steps 0s:10mbit,5s:1mbit queue 20ms",
		  "steps 0ms:10mbit,5s:1mbit queue 20ms" },
		{ "rate 5mbit steps 5s:1mbit",
		  "rate 5mbit steps 5s:1mbit limit 1000" },
		{ "policer 10mbit burst 64k", "policer 10mbit burst 64k" },
		{ "rate 1mbit aqm fq_codel:flows=64,quantum=300",
		  "rate 1mbit limit 1000 aqm fq_codel:flows=64,quantum=300b" },
		{ "  delay\t5ms\n", "delay 5ms" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spec_path path;

		build_ok(rows[i].line, &path);
		assert_string_equal(path.way[SPEC_FORWARD].text, rows[i].text);
		spec_path_fini(&path);
	}
}

static void errors_tell_position_and_word(void **state)
{
	static const char *const rows[][2] = {
		{ "delay 5ms los 2%", "word 3: unknown word 'los'" },
		{ "delay 5ms loss 200%", "word 3, loss: '200%'" },
		{ "delay", "word 1, delay: a time with its unit" },
		{ "delay 5", "word 1, delay: '5' is not a time" },
		{ "slot 1ms", "word 1, slot: netem's slots are not emulated" },
		{ "limit 0",
		  "word 1, limit: '0' is not a whole number from 1" },
		{ "loss state 1% 20% 90%", "p31 and p32 add up" },
		{ "loss state 60% 20% 10% 5% 60%", "p13 and p14 add up" },
		{ "loss list 5,5", "'5' is not the number of a packet" },
		{ "loss list 0,5", "'0' is not the number of a packet" },
		{ "loss list 1,,5", "'' is not the number of a packet" },
		{ "loss list", "the numbers of the packets are missing" },
		{ "loss periodic 0", "from 1 to 4294967295" },
		{ "reorder 5%", "reorder: needs a delay" },
		{ "delay 5ms gap 5", "gap: needs reorder" },
		{ "distribution normal", "distribution: needs a jitter" },
		{ "ecn", "ecn: needs a loss model or an AQM" },
		{ "queue 5ms", "queue: needs a rate" },
		{ "aqm codel", "aqm: needs a rate" },
		{ "rate 1mbit queue 1bdp", "needs a rate and an RTT above 0" },
		{ "trace /dev/null", "/dev/null:1: empty" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spec_path path;
		struct fp_error error = { 0 };

		assert_int_not_equal(build(rows[i][0], &path, &error), 0);
		assert_int_equal(error.status, 2);
		if (!strstr(error.text, rows[i][1]))
			fail_msg("'%s': '%s'", rows[i][0], error.text);
	}
}

static void stages_stand_in_netems_order(void **state)
{
	static const enum fp_stage_kind expected[] = {
		FP_STAGE_DUPLICATE, FP_STAGE_LOSS, FP_STAGE_CORRUPT,
		FP_STAGE_POLICER,   FP_STAGE_LINK, FP_STAGE_REORDER,
		FP_STAGE_DELAY
	};
	const struct fp_path_config *config;
	struct spec_path path;

	build_ok("delay 5ms 1ms rate 1mbit reorder 1% policer 1mbit burst 64k "
		 "corrupt 1% loss 1% duplicate 1%",
		 &path);
	config = &path.way[SPEC_FORWARD].config;
	assert_int_equal(config->stage_count, 7);
	for (int i = 0; i < 7; i++)
		assert_int_equal(config->stages[i].kind, expected[i]);
	/* netem's rate keeps jitter from overtaking */
	assert_true(config->stages[6].delay.keeps_order);
	spec_path_fini(&path);
	build_ok("delay 5ms 1ms", &path);
	assert_false(path.way[SPEC_FORWARD].config.stages[0].delay.keeps_order);
	spec_path_fini(&path);
}

static void a_seed_may_be_said(void **state)
{
	struct spec_path path;

	build_ok("loss 1% seed 42", &path);
	assert_int_equal(path.way[SPEC_FORWARD].config.seed, 42);
	assert_int_equal(path.way[SPEC_BACK].config.seed, 0);
	spec_path_fini(&path);
}

static void long_run_loss_is_the_models(void **state)
{
	static const struct {
		const char *line;
		uint32_t loss_ppm;
	} rows[] = {
		{ "loss 2%", 20000 },
		{ "loss periodic 3", 333333 },
		{ "loss list 1,2,3", 0 },
		/* bad 1/(1+9) of the time, always lost there */
		{ "loss gemodel 1% 9%", 100000 },
		/* 0.1 x 70 % + 0.9 x 10 % */
		{ "loss gemodel 1% 9% 70% 10%", 160000 },
		/* never bad: only 1-k */
		{ "loss gemodel 0% 0% 100% 3%", 30000 },
		/* Bernoulli: p13 = 2 %, back with 98 % */
		{ "loss state 2%", 20000 },
		/* pi1 : pi2 : pi3 : pi4 = 1 : p13 p32 / (p31 p23) : p13/p31 :
		 * p14 = 1 : 0.0125 : 0.1 : 0.05, lost 0.15 of 1.1625 */
		{ "loss state 2% 20% 10% 80% 5%", 129032 },
		/* only alone: p14 / (1 + p14) */
		{ "loss state 0% 100% 0% 100% 25%", 200000 },
		/* never out of the burst */
		{ "loss state 1% 0%", 1000000 },
		/* swallowed by state 2, where nothing is lost */
		{ "loss state 1% 10% 5% 0%", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spec_path path;

		build_ok(rows[i].line, &path);
		if (path.way[SPEC_FORWARD].loss_ppm != rows[i].loss_ppm)
			fail_msg("'%s': %u ppm", rows[i].line,
				 path.way[SPEC_FORWARD].loss_ppm);
		spec_path_fini(&path);
	}
}

/* The 4-state formula against the core that draws: 10^6 packets; the bound is
 * five standard deviations of as many independent draws, times the mean burst
 * (at most 1/0.2 = 5 packets). */
static void long_run_loss_is_what_the_core_drops(void **state)
{
	static const char *const lines[] = { "loss state 2% 20% 10% 80% 5%",
					     "loss gemodel 1% 20% 70% 1%" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct spec_path path;
		struct fp_path_config *config;
		struct fp_stage_counters counters;
		struct fp_pkt pkt = { .len_bytes = 1500 };
		struct fp_path *core;
		size_t bytes;
		void *memory;

		build_ok(lines[i], &path);
		config = &path.way[SPEC_FORWARD].config;
		config->capacity_pkts = 16;
		config->seed = 1;
		bytes = fp_path_size_bytes(config);
		memory = malloc(bytes);
		core = fp_path_init(memory, bytes, config);
		assert_non_null(core);
		for (uint32_t n = 0; n < 1000000; n++) {
			struct fp_pkt out;

			pkt.time_ns = n;
			pkt.unit = n;
			fp_path_push(core, &pkt);
			while (fp_path_pop(core, n, &out))
				;
		}
		fp_path_get_counters(core, 0, &counters);
		/* 5 x sqrt(0.13 x 0.87 x 10^6) x 5 = 8400 at most */
		assert_in_range(counters.lost,
				path.way[SPEC_FORWARD].loss_ppm - 8400,
				path.way[SPEC_FORWARD].loss_ppm + 8400);
		free(memory);
		spec_path_fini(&path);
	}
}

static void long_lines_are_cut(void **state)
{
	char line[1200] = "loss list 1";
	struct spec_path path;
	const char *text = path.way[SPEC_FORWARD].text;

	for (int i = 2; i < 200; i++) {
		size_t used = strlen(line);

		(void)snprintf(line + used, sizeof(line) - used, ",%d", i);
	}
	build_ok(line, &path);
	assert_int_equal(strlen(text), 255);
	assert_string_equal(text + 252, "...");
	spec_path_fini(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_mean_what_tc_means),
		cmocka_unit_test(errors_tell_position_and_word),
		cmocka_unit_test(stages_stand_in_netems_order),
		cmocka_unit_test(a_seed_may_be_said),
		cmocka_unit_test(long_run_loss_is_the_models),
		cmocka_unit_test(long_run_loss_is_what_the_core_drops),
		cmocka_unit_test(long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
