/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sweep does besides simulating: its grid, its files, its shards. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/meter.h"
#include "cmd/seed.h"
#include "cmd/sweep.h"

#define FILES_MAX   64
#define OPTIONS_MAX 8
#define TEXT_BYTES  4096

static char place[] = "/tmp/fullpipe-sweep-XXXXXX";

static int make_place(void **state)
{
	return !mkdtemp(place);
}

static int remove_place(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", place);
	return system(command);
}

/* A name inside the place; the same pointer for the same file. */
static char *name_of(const char *file)
{
	static char names[FILES_MAX][64];
	char name[64];
	size_t i = 0;

	(void)snprintf(name, sizeof(name), "%s/%s", place, file);
	while (names[i][0] && strcmp(names[i], name) != 0)
		i++;
	assert_true(i < FILES_MAX);
	memcpy(names[i], name, sizeof(name));
	return names[i];
}

static void write_text(const char *file, const char *text)
{
	FILE *out = fopen(name_of(file), "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static const char *read_text(const char *file)
{
	static char texts[2][TEXT_BYTES];
	static unsigned next;
	char *text = texts[next++ % 2];
	FILE *in = fopen(name_of(file), "r");
	size_t bytes;

	assert_non_null(in);
	bytes = fread(text, 1, TEXT_BYTES - 1, in);
	text[bytes] = '\0';
	assert_int_equal(fclose(in), 0);
	return text;
}

/* --- Grids ---------------------------------------------------------------- */

/* Adds "name value" to a grid, as the command line does. */
static int say(struct sweep_grid *grid, const char *name, const char *value,
	       struct fp_error *error)
{
	const struct cmd_option option = { .name = name };

	return sweep_grid_take(grid, &option, value, error);
}

/* The values of a point, "10ms 1% cubic". */
static const char *values_of(const struct sweep_grid *grid, uint64_t point)
{
	static char text[256];
	uint32_t index[SWEEP_AXES_MAX], i;
	size_t used = 0;

	sweep_grid_at(grid, point, index);
	for (i = 0; i < grid->axis_count; i++)
		used += (size_t)snprintf(
		    text + used, sizeof(text) - used, "%s%s", i ? " " : "",
		    grid->axes[i].is_switch
			? grid->axes[i].name
			: grid->axes[i].values.values[index[i]]);
	return text;
}

static void the_option_that_came_last_moves_fastest(void **state)
{
	static const char *const points[] = {
		"10ms ecn 1% cubic", "10ms ecn 1% reno",  "10ms ecn 2% cubic",
		"10ms ecn 2% reno",  "20ms ecn 1% cubic", "20ms ecn 1% reno",
		"20ms ecn 2% cubic", "20ms ecn 2% reno",
	};
	struct sweep_grid grid = { .axis_count = 0 };
	struct fp_error error;
	uint64_t i;

	assert_int_equal(say(&grid, "rtt", "10ms:20ms:x2", &error), 0);
	assert_int_equal(say(&grid, "ecn", NULL, &error), 0);
	assert_int_equal(say(&grid, "loss", "1%,2%", &error), 0);
	assert_int_equal(say(&grid, "cc", "cubic,reno", &error), 0);
	assert_int_equal(sweep_grid_finish(&grid, &error), 0);
	assert_int_equal(grid.points, 8);
	for (i = 0; i < grid.points; i++)
		assert_string_equal(values_of(&grid, i), points[i]);
	sweep_grid_fini(&grid);
}

/* As of any option, the last word counts, and it stands where it was said. */
static void what_is_said_again_replaces(void **state)
{
	struct sweep_grid grid = { .axis_count = 0 };
	struct fp_error error;

	assert_int_equal(say(&grid, "rtt", "10ms,20ms", &error), 0);
	assert_int_equal(say(&grid, "loss", "1%", &error), 0);
	assert_int_equal(say(&grid, "rtt", "30ms", &error), 0);
	assert_int_equal(sweep_grid_finish(&grid, &error), 0);
	/* compare's algorithms where none are said */
	assert_int_equal(grid.points, 2);
	assert_string_equal(values_of(&grid, 0), "1% 30ms cubic");
	assert_string_equal(values_of(&grid, 1), "1% 30ms bbr");
	assert_null(sweep_grid_find(&grid, "queue"));
	sweep_grid_fini(&grid);
}

/* How each kind of option is split; the values themselves are the series'. */
static void options_are_lists_of_their_kind(void **state)
{
	static const struct {
		const char *name, *value;
		uint32_t count;
	} rows[] = {
		{ "delay-back", "1ms:4ms:x2", 3 },
		{ "loss-back", "0,1%..5%", 4 },
		{ "rate", "1mbit..10mbit", 4 },
		{ "queue-back", "0.25bdp:1bdp:x2", 3 },
		{ "flows", "1..10", 4 },
		{ "mtu", "1500,9000", 2 },
		{ "bytes", "64k..256k", 3 },
		{ "buffers", "auto,default,6M", 3 },
		{ "duration", "1s:3s:+1s", 3 },
		{ "min-rto", "1ms,200ms", 2 },
		{ "policer", "10mbit:64k,20mbit:64k", 2 },
		{ "aqm", "droptail,codel", 2 },
		{ "aqm", "codel:target=5ms,ecn;red", 2 },
		{ "rate-steps", "0s:1mbit,5s:2mbit", 1 },
		{ "rate-steps-back", "0s:1mbit,5s:2mbit;0s:3mbit", 2 },
		{ "without", "sack,rack", 1 },
		{ "without", "sack;sack,rack", 2 },
		{ "scenario", "a,b.yaml", 1 },
		{ "source", "bulk,stream 5mbit", 2 },
	};
	struct sweep_grid grid = { .axis_count = 0 };
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (say(&grid, rows[i].name, rows[i].value, &error) < 0)
			fail_msg("%s", error.text);
		if (sweep_grid_find(&grid, rows[i].name)->values.count !=
		    rows[i].count)
			fail_msg("%s %s", rows[i].name, rows[i].value);
	}
	assert_int_equal(say(&grid, "rtt", "9ms..1ms", &error), -EINVAL);
	assert_non_null(strstr(error.text, "--rtt: item 1, '9ms..1ms':"));
	assert_null(sweep_grid_find(&grid, "rtt"));
	sweep_grid_fini(&grid);
}

/* Of the articles' presets one is a veth pair without emulator. */
static void all_presets_are_those_with_a_path(void **state)
{
	struct sweep_grid grid = { .axis_count = 0 };
	const struct sweep_axis *axis;
	struct fp_error error;
	uint32_t i, presets = 0;

	while (spec_preset_at(presets))
		presets++;
	assert_int_equal(say(&grid, "preset", "all", &error), 0);
	axis = sweep_grid_find(&grid, "preset");
	assert_int_equal(axis->values.count, presets - 1);
	for (i = 0; i < axis->values.count; i++) {
		assert_non_null(spec_preset_find(axis->values.values[i]));
		assert_string_not_equal(axis->values.values[i], "bbr-clean");
	}
	sweep_grid_fini(&grid);
}

/* 10^4 x 10^4 x 10 is at the limit, 20 at its place above. */
static void a_grid_that_is_too_large_is_refused(void **state)
{
	struct sweep_grid grid = { .axis_count = 0 };
	struct fp_error error;

	assert_int_equal(say(&grid, "cc", "cubic", &error), 0);
	assert_int_equal(say(&grid, "mtu", "1:10000:+1", &error), 0);
	assert_int_equal(say(&grid, "flows", "1:10000:+1", &error), 0);
	assert_int_equal(say(&grid, "ack-every", "1:10:+1", &error), 0);
	assert_int_equal(sweep_grid_finish(&grid, &error), 0);
	assert_int_equal(grid.points, SWEEP_POINTS_MAX);
	assert_int_equal(say(&grid, "ack-every", "1:20:+1", &error), 0);
	assert_int_equal(sweep_grid_finish(&grid, &error), -EINVAL);
	assert_non_null(strstr(error.text, "more than 1000000000 points"));
	sweep_grid_fini(&grid);
}

static void shards_are_read(void **state)
{
	static const char *const bad[] = { "",      "1",    "/2",       "1/",
					   "0/2",   "3/2",  "1/0",      "a/2",
					   "1/2/3", "-1/2", "1/1000001" };
	uint64_t shard = 7, shards = 7;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
		    sweep_shard_parse(bad[i], &shard, &shards, &error),
		    -EINVAL);
	assert_int_equal(shard, 7);
	assert_int_equal(sweep_shard_parse("2/8", &shard, &shards, &error), 0);
	assert_int_equal(shard, 1);
	assert_int_equal(shards, 8);
}

/* --- Heads ---------------------------------------------------------------- */

struct wish {
	const char *options[OPTIONS_MAX][2];
	const char *out, *csv, *shard;
	uint64_t seeds;
	bool resume;
};

static const struct wish usual = {
	.options = { { "rtt", "10ms,20ms,30ms" }, { "cc", "cubic,reno" } },
	.seeds = 3,
};

static int try_make(struct sweep *sweep, const struct wish *wish,
		    struct fp_error *error)
{
	uint32_t i;
	int result = 0;

	memset(sweep, 0, sizeof(*sweep));
	sweep->options = (struct sweep_options){ .seed = CMD_SEED_AUTO,
						 .seeds = wish->seeds,
						 .resume = wish->resume,
						 .out = wish->out,
						 .csv = wish->csv,
						 .shard = wish->shard };
	for (i = 0; wish->options[i][0] && result == 0; i++)
		result = say(&sweep->grid, wish->options[i][0],
			     wish->options[i][1], error);
	return result ? result : sweep_init(sweep, error);
}

static void make(struct sweep *sweep, const struct wish *wish)
{
	struct fp_error error;

	if (try_make(sweep, wish, &error) < 0)
		fail_msg("%s", error.text);
}

static void equal_sweeps_have_equal_heads(void **state)
{
	struct wish other = usual;
	struct sweep one, two;
	struct fp_error error;

	make(&one, &usual);
	make(&two, &usual);
	assert_string_equal(one.head, two.head);
	assert_ptr_equal(strstr(one.head, "{\"schema\":\"fullpipe.sweep/1\""),
			 one.head);
	assert_null(strchr(one.head, '\n'));
	assert_int_equal(sweep_head_check("f", two.head, one.head, &error), 0);
	sweep_fini(&two);
	other.shard = "2/3";
	make(&two, &other);
	/* of 6 points those with the numbers 1 and 4 */
	assert_int_equal(two.count, 2);
	assert_int_equal(sweep_point_of(&two, 1), 4);
	assert_true(sweep_head_check("f", two.head, one.head, &error) < 0);
	assert_non_null(strstr(error.text, "\"shard\" is 2, not 1"));
	sweep_fini(&two);
	sweep_fini(&one);
}

/* 5 points are 2, 2 and 1; of 2 points, shards 3 to 9 have none. */
static void every_point_is_in_one_shard(void **state)
{
	static const struct {
		const char *rtts, *shard;
		uint64_t count;
	} rows[] = {
		{ "1ms:5ms:+1ms", "1/3", 2 }, { "1ms:5ms:+1ms", "2/3", 2 },
		{ "1ms:5ms:+1ms", "3/3", 1 }, { "1ms,2ms", "2/9", 1 },
		{ "1ms,2ms", "3/9", 0 },      { "1ms,2ms", "9/9", 0 },
	};
	struct sweep sweep;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wish wish = {
			.options = { { "rtt", rows[i].rtts },
				     { "cc", "cubic" } },
			.seeds = 1,
			.shard = rows[i].shard,
		};

		make(&sweep, &wish);
		assert_int_equal(sweep.count, rows[i].count);
		sweep_fini(&sweep);
	}
}

static void a_head_tells_what_differs(void **state)
{
	static const struct {
		struct wish wish;
		const char *message;
	} rows[] = {
		{ { .options = { { "rtt", "10ms,20ms,30ms" },
				 { "cc", "cubic,reno" } },
		    .seeds = 5 },
		  "its \"seeds\" is 3, not 5" },
		{ { .options = { { "rtt", "10ms,20ms,40ms" },
				 { "cc", "cubic,reno" } },
		    .seeds = 3 },
		  "its \"axes\" is {\"rtt\":[\"10ms\",\"20ms\",\"30ms\"]" },
		{ { .options = { { "rtt", "10ms,20ms" }, { "cc", "cubic" } },
		    .seeds = 3 },
		  "its \"points\" is 6, not 2" },
		/* the same values in another order are other points */
		{ { .options = { { "cc", "cubic,reno" },
				 { "rtt", "10ms,20ms,30ms" } },
		    .seeds = 3 },
		  "is of another sweep" },
	};
	struct sweep was, is;
	struct fp_error error;
	size_t i;

	make(&was, &usual);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&is, &rows[i].wish);
		assert_true(sweep_head_check("f", was.head, is.head, &error) <
			    0);
		if (!strstr(error.text, rows[i].message))
			fail_msg("%s", error.text);
		assert_int_equal(error.status, 2);
		sweep_fini(&is);
	}
	assert_true(sweep_head_check("f", "{}", was.head, &error) < 0);
	assert_non_null(strstr(error.text, "'f' is not a file of fullpipe"));
	assert_true(sweep_head_check("f", "rtt,loss", was.head, &error) < 0);
	sweep_fini(&was);
}

/* A scenario is part of what was run, by what it says. */
static void the_hash_covers_the_files_that_are_read(void **state)
{
	const struct wish wish = {
		.options = { { "scenario", name_of("path.yaml") } },
		.seeds = 3,
	};
	const struct wish pipe = { .options = { { "scenario", "/dev/null" } },
				   .seeds = 3 };
	struct sweep was, is;
	struct fp_error error;

	write_text("path.yaml", "rtt: 10ms\n");
	make(&was, &wish);
	write_text("path.yaml", "rtt: 20ms\n");
	make(&is, &wish);
	assert_true(sweep_head_check("f", was.head, is.head, &error) < 0);
	assert_non_null(strstr(error.text, "a file that it reads has changed"));
	sweep_fini(&is);
	sweep_fini(&was);
	assert_true(try_make(&is, &pipe, &error) < 0);
	assert_non_null(strstr(error.text, "no regular file"));
	sweep_fini(&is);
}

/* --- Files ---------------------------------------------------------------- */

/* The line of a point, as far as files look at it. */
static char *line_of(uint64_t point)
{
	static char line[64];

	(void)snprintf(line, sizeof(line),
		       "{\"point\":%d,\"axes\":{\"rtt\":\"%dms\"}}",
		       (int)point + 1, (int)point * 10);
	return line;
}

/* Opens, adds what is missing up to count lines of the shard, closes. */
static int write_points(const struct wish *wish, uint64_t count,
			struct fp_error *error)
{
	struct sweep_files files;
	struct sweep sweep;
	uint64_t i;
	int result;

	make(&sweep, wish);
	result = sweep_files_open(&files, &sweep, error);
	for (i = files.have; result == 0 && i < count; i++)
		result = sweep_files_add(
		    &files, line_of(sweep_point_of(&sweep, i)), error);
	if (result == 0)
		result = sweep_files_close(&files, error);
	sweep_fini(&sweep);
	return result;
}

static void points_are_read_from_their_lines(void **state)
{
	static const char *const bad[] = {
		"",
		"{}",
		"{\"point\":}",
		"{\"point\":0,}",
		"{\"point\":-1,}",
		"{\"point\":1}",
		"{\"point\":1,\"axes\":{",
		" {\"point\":1,}",
	};
	uint64_t point = 99;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(sweep_line_point(bad[i], &point));
	assert_true(sweep_line_point(line_of(41), &point));
	assert_int_equal(point, 41);
}

/* Cut after any byte, with CSV that was ahead or behind: the same files. */
static void a_file_cut_anywhere_is_continued_to_the_same_bytes(void **state)
{
	struct wish wish = usual;
	char whole[TEXT_BYTES], csv[TEXT_BYTES];
	struct fp_error error;
	size_t cut;

	wish.out = name_of("one.jsonl");
	wish.csv = name_of("one.csv");
	assert_int_equal(write_points(&wish, 6, &error), 0);
	(void)snprintf(whole, sizeof(whole), "%s", read_text("one.jsonl"));
	(void)snprintf(csv, sizeof(csv), "%s", read_text("one.csv"));
	assert_non_null(strstr(csv, "point,axes.rtt,rtt_us,"));
	assert_non_null(strstr(csv, "\n6,50ms,"));
	wish.resume = true;
	for (cut = 0; cut < strlen(whole); cut += 1 + cut % 7) {
		assert_int_equal(truncate(wish.out, (off_t)cut), 0);
		write_text("one.csv", "point,axes\n1");
		if (write_points(&wish, 6, &error) < 0)
			fail_msg("%s", error.text);
		assert_string_equal(read_text("one.jsonl"), whole);
		assert_string_equal(read_text("one.csv"), csv);
	}
}

static void a_file_is_continued_by_its_own_sweep_only(void **state)
{
	struct wish wish = usual, other = usual;
	char text[TEXT_BYTES];
	struct fp_error error;

	wish.out = other.out = name_of("own.jsonl");
	assert_int_equal(write_points(&wish, 2, &error), 0);
	(void)snprintf(text, sizeof(text), "%s", read_text("own.jsonl"));
	/* not without --resume */
	assert_true(write_points(&wish, 6, &error) < 0);
	assert_non_null(strstr(error.hint, "--resume"));
	/* not with another seed */
	other.seeds = 4;
	other.resume = true;
	other.csv = name_of("own.csv");
	write_text("own.csv", "mine");
	assert_true(write_points(&other, 6, &error) < 0);
	assert_non_null(strstr(error.text, "another sweep"));
	assert_string_equal(read_text("own.jsonl"), text);
	assert_string_equal(read_text("own.csv"), "mine");
	/* not where a line is missing or one too many */
	(void)snprintf(text + strlen(text), 100, "%s\n", line_of(4));
	write_text("own.jsonl", text);
	wish.resume = true;
	assert_true(write_points(&wish, 6, &error) < 0);
	assert_non_null(strstr(error.text, "damaged: line 4"));
}

static void files_of_shards_merge_to_the_whole(void **state)
{
	static const char *const shards[] = { "1/4", "2/4", "3/4", "4/4" };
	static const uint64_t counts[] = { 2, 2, 1, 1 }; /* of 6 points */
	char *names[] = { name_of("4"), name_of("1"), name_of("3"),
			  name_of("2") };
	struct wish wish = usual;
	struct sweep_options options = { .out = name_of("all.jsonl"),
					 .csv = name_of("all.csv") };
	struct fp_error error;
	size_t i;

	for (i = 0; i < 4; i++) {
		wish.shard = shards[i];
		wish.out = name_of((const char[]){ shards[i][0], '\0' });
		assert_int_equal(write_points(&wish, counts[i], &error), 0);
	}
	wish = usual;
	wish.out = name_of("whole.jsonl");
	wish.csv = name_of("whole.csv");
	assert_int_equal(write_points(&wish, 6, &error), 0);
	assert_int_equal(sweep_merge(&options, names, 4), 0);
	assert_string_equal(read_text("all.jsonl"), read_text("whole.jsonl"));
	assert_string_equal(read_text("all.csv"), read_text("whole.csv"));
}

/* Each of these would lose or repeat points, or mix two sweeps. */
static void a_merge_that_is_not_whole_writes_nothing(void **state)
{
	char *both[] = { name_of("1.jsonl"), name_of("2.jsonl") };
	char *twice[] = { both[0], both[0], both[1] };
	struct sweep_options options = { .out = name_of("none.jsonl") };
	struct wish wish = usual;
	struct fp_error error;

	wish.shard = "1/2";
	wish.out = both[0];
	assert_int_equal(write_points(&wish, 3, &error), 0);
	wish.shard = "2/2";
	wish.out = both[1];
	assert_int_equal(write_points(&wish, 2, &error), 0);
	assert_int_equal(sweep_merge(&options, both, 2), 3);  /* one missing */
	assert_int_equal(sweep_merge(&options, both, 1), 3);  /* no 2/2 */
	assert_int_equal(sweep_merge(&options, twice, 3), 3); /* 1/2 twice */
	assert_int_equal(sweep_merge(&options, both, 0), 2);
	assert_int_equal(unlink(both[1]), 0);
	wish.seeds = 9;
	assert_int_equal(write_points(&wish, 3, &error), 0);
	assert_int_equal(sweep_merge(&options, both, 2), 2); /* two sweeps */
	write_text("2.jsonl", "");
	assert_int_equal(sweep_merge(&options, both, 2), 3);
	assert_int_equal(access(options.out, F_OK), -1);
}

/* --- Times ---------------------------------------------------------------- */

static void times_to_wait_are_said_in_two_units(void **state)
{
	static const struct {
		double s;
		const char *text;
	} rows[] = {
		{ 0, "0 s" },          { 0.2, "1 s" },
		{ 59, "59 s" },        { 59.5, "1 min 0 s" },
		{ 200, "3 min 20 s" }, { 3600, "1 h 0 min" },
		{ 7500, "2 h 5 min" }, { 172799, "47 h 59 min" },
		{ 172800, "2 days" },  { 1e20, "for ever" },
	};
	char text[32];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    cmd_meter_time(text, sizeof(text), rows[i].s),
		    rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_that_came_last_moves_fastest),
		cmocka_unit_test(what_is_said_again_replaces),
		cmocka_unit_test(options_are_lists_of_their_kind),
		cmocka_unit_test(all_presets_are_those_with_a_path),
		cmocka_unit_test(a_grid_that_is_too_large_is_refused),
		cmocka_unit_test(shards_are_read),
		cmocka_unit_test(equal_sweeps_have_equal_heads),
		cmocka_unit_test(every_point_is_in_one_shard),
		cmocka_unit_test(a_head_tells_what_differs),
		cmocka_unit_test(the_hash_covers_the_files_that_are_read),
		cmocka_unit_test(points_are_read_from_their_lines),
		cmocka_unit_test(
		    a_file_cut_anywhere_is_continued_to_the_same_bytes),
		cmocka_unit_test(a_file_is_continued_by_its_own_sweep_only),
		cmocka_unit_test(files_of_shards_merge_to_the_whole),
		cmocka_unit_test(a_merge_that_is_not_whole_writes_nothing),
		cmocka_unit_test(times_to_wait_are_said_in_two_units),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
