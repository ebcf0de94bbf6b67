/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scenario texts -> canonical lines of both ways, or the error. */
#include "spec/plan.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dirent.h>
#include <cmocka.h>

struct row {
	const char *yaml;
	const char *forward; /* canonical line; NULL: an error */
	const char *back;    /* canonical line, or what the error contains */
};

static void check_row(const struct row *row)
{
	struct spec_arena arena = { NULL };
	struct spec_plan *plan = calloc(1, sizeof(*plan));
	struct spec_path *path = calloc(1, sizeof(*path));
	struct fp_error error = { 0 };
	char *text = strdup(row->yaml);
	const struct spec_file file = { "s.yaml", text, strlen(text) };
	int result = spec__parse_scenario(plan, &file, &arena, &error);

	if (result == 0)
		result = spec__resolve(plan, path, &arena, &error);
	if (!row->forward && (result == 0 || error.status != 2 ||
			      !strstr(error.text, row->back)))
		fail_msg("'%s': result %d, '%s', expected '%s'", row->yaml,
			 result, error.text, row->back);
	if (row->forward && result != 0)
		fail_msg("'%s': %s", row->yaml, error.text);
	if (row->forward) {
		assert_string_equal(path->way[SPEC_FORWARD].text, row->forward);
		assert_string_equal(path->way[SPEC_BACK].text, row->back);
	}
	spec_arena_fini(&arena);
	free(text);
	free(path);
	free(plan);
}

static void scenarios_say_exactly_a_path(void **state)
{
	static const struct row rows[] = {
		/* no default path below it */
		{ "rtt: 100ms\n", "delay 50ms", "delay 50ms" },
		{ "forward:\n  loss: 2%\n", "loss 2%", "delay 0ms" },
		{ "rtt: 100ms\nforward:\n  delay: 30ms\n", "delay 30ms",
		  "delay 50ms" },
		/* 10 Mbit/s x 0.1 s / 8 */
		{ "rtt: 100ms\nforward: {rate: 10mbit, loss: 1% 25%}\n",
		  "delay 50ms loss 1% 25% rate 10mbit queue 125000b",
		  "delay 50ms" },
		{ "back:\n  delay: 5ms 1ms\n  distribution: pareto\n",
		  "delay 0ms", "delay 5ms 1ms distribution pareto" },
		{ "forward:\n  loss: gemodel 1% 10%\n  ecn: true\n",
		  "loss gemodel 1% 10% 100% 0% ecn", "delay 0ms" },
		{ "forward:\n  loss: 1%\n  ecn: false\n", "loss 1%",
		  "delay 0ms" },
		/* a list keeps its order, and may repeat */
		{ "forward:\n  stages:\n    - delay: 5ms\n    - loss: 1%\n    "
		  "- delay: 7ms\n",
		  "delay 5ms | loss 1% | delay 7ms", "delay 0ms" },
		{ "mtu: 9000\nforward: {rate: 1mbit, queue: 2p}\n",
		  "rate 1mbit limit 2", "delay 0ms" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

static void errors_tell_file_line_and_expectation(void **state)
{
	static const struct row rows[] = {
		{ "", NULL, "s.yaml:1: empty; expected rtt" },
		{ "# nothing\n", NULL, "s.yaml:1: empty" },
		{ "- a\n", NULL, "s.yaml:1: expected keys with values" },
		{ "rtt: 5\n", NULL, "s.yaml:1: rtt: '5' is not a time" },
		{ "rtt: [1, 2]\n", NULL, "s.yaml:1: rtt: expected one value" },
		{ "mtu: 1500\nforward:\n  delay: 5ms\n  loss: 200%\n", NULL,
		  "s.yaml:4: forward.loss: '200%' is not a share from 0% to "
		  "100%" },
		/* the back way's, though forward has the same key */
		{ "forward:\n  loss: 1%\nback:\n  loss: 2\n", NULL,
		  "s.yaml:4: back.loss: '2' is not" },
		{ "forward:\n  stages:\n    - loss: 1%\n    - loss: 1\n", NULL,
		  "s.yaml:4: forward.stages[2].loss: '1'" },
		{ "forward:\n  delay: 5ms\n  looss: 3%\n", NULL,
		  "s.yaml:3: unknown key 'looss' in forward; expected delay" },
		{ "rtt: 5ms\nloss: 3%\n", NULL,
		  "s.yaml:2: unknown key 'loss'; expected rtt" },
		{ "rtt: 5ms\nrtt: 6ms\n", NULL,
		  "s.yaml:2: key 'rtt' is there twice" },
		{ "forward: 5ms\n", NULL, "s.yaml:1: forward: expected keys" },
		{ "forward:\n\tdelay: 5ms\n", NULL, "s.yaml:2: not YAML" },
		{ "rtt: \"5\n", NULL, "s.yaml:1: not YAML" },
		{ "rtt: *a\n", NULL, "s.yaml:1: rtt: an alias" },
		{ "rtt: 5ms\n---\nrtt: 6ms\n", NULL, "expected one document" },
		{ "forward:\n  stages: []\n", NULL, "expected 1 to 16 stages" },
		{ "forward:\n  ecn: maybe\n", NULL,
		  "s.yaml:2: forward.ecn: 'maybe'" },
		{ "seed: 0\n", NULL, "s.yaml:1: seed: '0' is not a whole" },
		{ "seed: 9007199254740993\n", NULL,
		  "s.yaml:1: seed: '9007199254740993' is not a whole" },
		{ "rtt: 9ms\nforward:\n  stages:\n    - delay: 1ms\n", NULL,
		  "s.yaml:3: forward.stages: a list of stages says its own" },
		{ "forward:\n  loss: 1%\n  stages:\n    - delay: 1ms\n", NULL,
		  "'loss' beside it has no place" },
		{ "forward:\n  queue: 5p\n", NULL, "queue: needs a rate" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* Appends count items of two stages each. */
static void add_items(char yaml[2048], int count)
{
	for (int i = 0; i < count; i++) {
		size_t used = strlen(yaml);

		(void)snprintf(yaml + used, 2048 - used,
			       "    - {loss: 1%%, delay: 1ms}\n");
	}
}

static void lists_end_at_sixteen_stages(void **state)
{
	char yaml[2048] = "forward:\n  stages:\n";
	struct row row = { yaml, NULL, "more than 16 stages" };

	/* eight items of two stages fit, a ninth does not */
	add_items(yaml, 9);
	check_row(&row);
	/* seventeen items are refused by the schema */
	add_items(yaml, 8);
	row.back = "expected 1 to 16 stages";
	check_row(&row);
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A trace is looked for beside the scenario; options lie over both. */
static void files_are_found_and_overridden(void **state)
{
	char folder[] = "/tmp/spec_scenario_XXXXXX";
	char scenario[64], trace[64];
	struct spec_builder *builder = spec_builder_new();
	struct fp_error error = { 0 };
	struct spec_path path;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(scenario, sizeof(scenario), "%s/s.yaml", folder);
	(void)snprintf(trace, sizeof(trace), "%s/t.tr", folder);
	write_file(scenario,
		   "seed: 7\nforward:\n  delay: 9ms\n  rate-trace: t.tr\n");
	write_file(trace, "1\n2\n2\n4\n");
	assert_int_equal(spec_builder_set(builder, "loss", "3%", &error), 0);
	assert_int_equal(
	    spec_builder_set(builder, "scenario", scenario, &error), 0);
	(void)unlink(scenario);
	(void)unlink(trace);
	(void)rmdir(folder);
	assert_int_equal(spec_builder_build(builder, &path, &error), 0);
	spec_builder_free(builder);
	assert_int_equal(path.way[SPEC_FORWARD].loss_ppm, 30000);
	/* 4 slots of 1504 bytes in 4 ms */
	assert_int_equal(path.way[SPEC_FORWARD].rate_bps, 12032000);
	assert_int_equal(path.way[SPEC_FORWARD].config.seed, 7);
	assert_int_equal(path.way[SPEC_BACK].config.seed, 7);
	spec_path_fini(&path);
}

static void a_missing_file_is_said(void **state)
{
	struct spec_builder *builder = spec_builder_new();
	struct fp_error error = { 0 };

	assert_int_not_equal(
	    spec_builder_set(builder, "scenario", "/nonexistent.yaml", &error),
	    0);
	assert_int_equal(error.status, 3);
	assert_non_null(strstr(error.text, "'/nonexistent.yaml'"));
	spec_builder_free(builder);
}

/* Builds every example of the tree that this file stands in. */
static void every_example_builds(void **state)
{
	char folder[512], file[1024];
	struct dirent *entry;
	uint32_t count = 0;
	DIR *dir;

	(void)snprintf(folder, sizeof(folder), "%.*s/../../examples/scenarios",
		       (int)(strrchr(__FILE__, '/') - __FILE__), __FILE__);
	dir = opendir(folder);
	if (!dir) /* run from elsewhere */
		skip();
	while ((entry = readdir(dir)) != NULL) {
		struct spec_builder *builder = spec_builder_new();
		struct fp_error error = { 0 };
		struct spec_path path;

		(void)snprintf(file, sizeof(file), "%s/%s", folder,
			       entry->d_name);
		if (strstr(entry->d_name, ".yaml")) {
			if (spec_builder_set(builder, "scenario", file,
					     &error) != 0 ||
			    spec_builder_build(builder, &path, &error) != 0)
				fail_msg("%s", error.text);
			spec_path_fini(&path);
			count++;
		}
		spec_builder_free(builder);
	}
	(void)closedir(dir);
	assert_true(count >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenarios_say_exactly_a_path),
		cmocka_unit_test(errors_tell_file_line_and_expectation),
		cmocka_unit_test(lists_end_at_sixteen_stages),
		cmocka_unit_test(files_are_found_and_overridden),
		cmocka_unit_test(a_missing_file_is_said),
		cmocka_unit_test(every_example_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
