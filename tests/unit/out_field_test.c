/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One table of fields feeds text and JSON; both must say the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "out/field.h"
#include "out/plot.h"
#include "out/report.h"
#include "out/table.h"

struct car {
	const char *name;
	double speed_bps, low_bps, high_bps, share, seen, wait_us, idle;
};

static const struct out_field fields[] = {
	OUT_FIELD(car, "name", FP_UNIT_TEXT, name),
	OUT_FIELD(car, "speed_bps.median", FP_UNIT_RATE_BPS, speed_bps),
	OUT_FIELD(car, "speed_bps.min", FP_UNIT_RATE_BPS, low_bps),
	OUT_FIELD(car, "speed_bps.max", FP_UNIT_RATE_BPS, high_bps),
	OUT_FIELD(car, "share", FP_UNIT_SHARE, share),
	OUT_FIELD(car, "seen", FP_UNIT_FLAG, seen),
	OUT_FIELD(car, "wait_us", FP_UNIT_TIME_US, wait_us),
	OUT_FIELD(car, "idle", FP_UNIT_COUNT, idle),
	OUT_FIELDS_END,
};

static const struct out_column columns[] = {
	{ "name", OUT_VALUE, { "name" } },
	{ "speed",
	  OUT_SPREAD,
	  { "speed_bps.median", "speed_bps.min", "speed_bps.max" } },
	{ "share", OUT_VALUE, { "share" } },
	{ "idle", OUT_VALUE, { "idle" } },
	{ NULL, OUT_VALUE, { NULL } },
};

static const struct car cars[] = {
	{ "red", 1.14e6, 0.9e6, 1.3e6, 0.0114, 1, 104000, NAN },
	{ "blue", 77.5e6, 70e6, 80e6, 0.775, 0, NAN, NAN },
};

static void json_keeps_the_order_and_the_kinds(void **state)
{
	json_t *object = json_object();
	char *text;

	out_fields_to_json(fields, &cars[0], object);
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	assert_string_equal(
	    text, "{\"name\":\"red\",\"speed_bps\":{\"median\":1140000,"
		  "\"min\":900000,\"max\":1300000},\"share\":0.0114,"
		  "\"seen\":true,\"wait_us\":104000,\"idle\":null}");
	free(text);
	json_decref(object);
}

static void table_aligns_and_leaves_out_what_nobody_knows(void **state)
{
	const struct out_rows rows = { fields, cars, sizeof(cars[0]), 2 };
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	out_table_print(file, columns, &rows);
	(void)fclose(file);
	/* Names left, numbers right (23 columns wide); the range is in the
	 * median's unit. */
	assert_string_equal(text, "name                    speed   share\n"
				  "red   1.14 Mbit/s (0.90-1.30)  1.14 %\n"
				  "blue  77.5 Mbit/s (70.0-80.0)  77.5 %\n");
	free(text);
}

static void paragraphs_wrap_under_their_label(void **state)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	char words[201];
	int i;

	for (i = 0; i < 200; i += 10)
		memcpy(words + i, "ninechars ", 10);
	words[200] = '\0';
	assert_non_null(file);
	out_paragraph_print(file, "label", 10, words);
	(void)fclose(file);
	/* 70 columns are left: 7 words of 9 letters and a space fit exactly. */
	assert_int_equal(strchr(text, '\n') - text, 10 + 7 * 10 - 1);
	assert_memory_equal(strchr(text, '\n') + 1, "          ninechars", 19);
	free(text);
}

static void bars_fill_from_the_bottom(void **state)
{
	/* Half of the greatest value on four lines: two full, two empty. */
	assert_int_equal(out_plot_level(50, 100, 0, 8), 8);
	assert_int_equal(out_plot_level(50, 100, 1, 8), 8);
	assert_int_equal(out_plot_level(50, 100, 2, 8), 0);
	/* 1/32 of it is one eighth of the lowest line; a trace still shows */
	assert_int_equal(out_plot_level(100.0 / 32, 100, 0, 8), 1);
	assert_int_equal(out_plot_level(0.1, 100, 0, 8), 1);
	assert_int_equal(out_plot_level(0, 100, 0, 8), 0);
	assert_int_equal(out_plot_level(NAN, 100, 0, 8), 0);
}

/* Three looks at a flow of 1 Mbit/s over one second: 62500 bytes in each half.
 * Each curve is flat, at its greatest, and has no gaps. */
static void curves_join_what_was_seen(void **state)
{
	struct out_sample samples[] = {
		{ .time_ms = 0, .cwnd_pkts = 10, .rtt_us = 1000 },
		{ .time_ms = 500,
		  .cwnd_pkts = 10,
		  .rtt_us = 1000,
		  .received_bytes = 62500 },
		{ .time_ms = 1000,
		  .cwnd_pkts = 10,
		  .rtt_us = 1000,
		  .received_bytes = 125000 },
	};
	struct out_flow flow = { 0 };
	struct out_round round = { .number = 1,
				   .flows = &flow,
				   .flow_count = 1,
				   .samples = samples,
				   .sample_count = 3 };
	struct out_result result = { .label = "cubic",
				     .rounds = &round,
				     .round_count = 1 };
	const struct out_report report = { .results = &result,
					   .result_count = 1 };
	char full[OUT_PLOT_COLUMNS + 3], *text = NULL, *line;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	int lines = 0;

	assert_non_null(file);
	out_timeline_print(file, &report, false);
	(void)fclose(file);
	assert_non_null(strstr(text, "rate  1.00 Mbit/s |"));
	full[0] = '|';
	memset(full + 1, '#', OUT_PLOT_COLUMNS);
	strcpy(full + 1 + OUT_PLOT_COLUMNS, "\n");
	for (line = text; (line = strstr(line, full)); line++)
		lines++;
	assert_int_equal(lines, 3 * OUT_PLOT_LINES);
	free(text);
}

/* A transfer may be over before the clock has moved by a millisecond. */
static void a_moment_is_drawn_too(void **state)
{
	struct out_flow flow = { .number = 0 };
	struct out_sample sample = { .cwnd_pkts = 10, .rtt_us = 50 };
	struct out_round round = { .number = 1,
				   .flows = &flow,
				   .flow_count = 1,
				   .samples = &sample,
				   .sample_count = 1 };
	struct out_result result = { .label = "reno",
				     .rounds = &round,
				     .round_count = 1 };
	const struct out_report report = { .results = &result,
					   .result_count = 1 };
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	out_timeline_print(file, &report, false);
	(void)fclose(file);
	assert_non_null(strstr(text, "50.0 us |#"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_keeps_the_order_and_the_kinds),
		cmocka_unit_test(table_aligns_and_leaves_out_what_nobody_knows),
		cmocka_unit_test(paragraphs_wrap_under_their_label),
		cmocka_unit_test(bars_fill_from_the_bottom),
		cmocka_unit_test(curves_join_what_was_seen),
		cmocka_unit_test(a_moment_is_drawn_too),
	};

	return cmocka_run_group_tests_name("out/field", tests, NULL, NULL);
}
