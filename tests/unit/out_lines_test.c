/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "out/csv.h"
#include "out/lines.h"

#define HEAD "{\"head\":1}"

static char name[64];

static int make_name(void **state)
{
	int fd;

	(void)snprintf(name, sizeof(name), "/tmp/fullpipe-lines-XXXXXX");
	fd = mkstemp(name);
	return fd < 0 || close(fd) < 0;
}

static int remove_name(void **state)
{
	(void)unlink(name);
	return 0;
}

static void write_file(const char *text, size_t bytes)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *text)
{
	char seen[512];
	FILE *file = fopen(name, "r");
	size_t bytes;

	assert_non_null(file);
	bytes = fread(seen, 1, sizeof(seen) - 1, file);
	seen[bytes] = '\0';
	assert_int_equal(fclose(file), 0);
	assert_string_equal(seen, text);
}

/* What a resumed file told. */
struct told {
	char text[256];
	uint64_t stops_at; /* UINT64_MAX: never */
};

static int read_line(void *context, uint64_t number, char *line,
		     struct fp_error *error)
{
	struct told *told = context;
	size_t used = strlen(told->text);

	(void)snprintf(told->text + used, sizeof(told->text) - used, "%d:%s;",
		       (int)number, line);
	line[0] = '!'; /* it may be changed */
	return number == told->stops_at ? -EBADMSG : 0;
}

static int resume(struct out_lines *lines, struct told *told,
		  struct fp_error *error)
{
	const struct out_lines_reader reader = { read_line, told };

	told->text[0] = '\0';
	return out_lines_resume(lines, name, HEAD, &reader, error);
}

static void lines_are_in_the_file_once_they_are_added(void **state)
{
	struct out_lines lines;
	struct fp_error error;

	assert_int_equal(out_lines_new(&lines, name, false, HEAD, &error), 0);
	assert_content(HEAD "\n");
	assert_int_equal(out_lines_add(&lines, "one", &error), 0);
	assert_int_equal(out_lines_add(&lines, "two", &error), 0);
	assert_content(HEAD "\none\ntwo\n");
	assert_int_equal(out_lines_close(&lines, &error), 0);
	assert_int_equal(out_lines_close(&lines, &error), 0);
	assert_content(HEAD "\none\ntwo\n");
}

static void a_file_with_something_in_it_is_not_begun(void **state)
{
	struct out_lines lines;
	struct fp_error error;

	write_file("precious", 8);
	assert_int_equal(out_lines_new(&lines, name, false, HEAD, &error),
			 -EEXIST);
	assert_int_equal(lines.fd, -1);
	assert_content("precious");
	assert_int_equal(out_lines_new(&lines, name, true, HEAD, &error), 0);
	assert_int_equal(out_lines_close(&lines, &error), 0);
	assert_content(HEAD "\n");
	assert_int_equal(
	    out_lines_new(&lines, "/nowhere/x", false, HEAD, &error), -ENOENT);
	assert_non_null(strstr(error.text, "cannot open '/nowhere/x'"));
}

static void a_second_writer_is_refused(void **state)
{
	struct told told = { .stops_at = UINT64_MAX };
	struct out_lines first, second;
	struct fp_error error;

	assert_int_equal(out_lines_new(&first, name, false, HEAD, &error), 0);
	assert_int_equal(resume(&second, &told, &error), -EBUSY);
	assert_int_equal(out_lines_new(&second, name, true, HEAD, &error),
			 -EBUSY);
	assert_content(HEAD "\n");
	assert_int_equal(out_lines_close(&first, &error), 0);
	assert_int_equal(resume(&second, &told, &error), 0);
	assert_int_equal(out_lines_close(&second, &error), 0);
}

/* Wherever a kill cuts the file, what is whole stays, and only that. */
static void a_resumed_file_keeps_its_whole_lines(void **state)
{
	static const char whole[] = HEAD "\none\ntwo\n";
	static const struct {
		size_t bytes;
		const char *told;
	} rows[] = {
		{ 0, "" },
		{ 1, "" },
		{ sizeof(HEAD) - 1, "" },
		{ sizeof(HEAD), "0:" HEAD ";" },
		{ sizeof(HEAD) + 2, "0:" HEAD ";" },
		{ sizeof(HEAD) + 4, "0:" HEAD ";1:one;" },
		{ sizeof(HEAD) + 7, "0:" HEAD ";1:one;" },
		{ sizeof(whole) - 1, "0:" HEAD ";1:one;2:two;" },
	};
	struct told told = { .stops_at = UINT64_MAX };
	struct out_lines lines;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_file(whole, rows[i].bytes);
		assert_int_equal(resume(&lines, &told, &error), 0);
		assert_string_equal(told.text, rows[i].told);
		if (!strstr(told.text, "one"))
			(void)out_lines_add(&lines, "one", &error);
		if (!strstr(told.text, "two"))
			(void)out_lines_add(&lines, "two", &error);
		assert_int_equal(out_lines_close(&lines, &error), 0);
		assert_content(whole);
	}
}

static void a_missing_file_is_begun_when_resumed(void **state)
{
	struct told told = { .stops_at = UINT64_MAX };
	struct out_lines lines;
	struct fp_error error;

	assert_int_equal(unlink(name), 0);
	assert_int_equal(resume(&lines, &told, &error), 0);
	assert_int_equal(out_lines_close(&lines, &error), 0);
	assert_string_equal(told.text, "");
	assert_content(HEAD "\n");
}

/* A file of other options, and one that a crash of the machine filled with
 * NULs, stay as they are. */
static void a_file_that_is_refused_is_left_alone(void **state)
{
	static const char damaged[] = HEAD "\no\0e\ntorn";
	struct told told = { .stops_at = 1 };
	const struct out_lines_reader reader = { read_line, &told };
	struct out_lines lines;
	struct stat status;
	struct fp_error error;

	write_file(HEAD "\none\ntorn", sizeof(HEAD) + 8);
	assert_int_equal(resume(&lines, &told, &error), -EBADMSG);
	assert_int_equal(lines.fd, -1);
	assert_content(HEAD "\none\ntorn");
	told.stops_at = UINT64_MAX;
	write_file(damaged, sizeof(damaged) - 1);
	assert_true(resume(&lines, &told, &error) < 0);
	assert_non_null(strstr(error.text, "NUL in line 2"));
	assert_int_equal(stat(name, &status), 0);
	assert_int_equal(status.st_size, sizeof(damaged) - 1);
	assert_int_equal(
	    out_lines_resume(&lines, "/dev/null", HEAD, &reader, &error),
	    -ESPIPE);
}

/* Notes without a newline, and a binary file that begins with a NUL. */
static void what_is_no_torn_head_is_not_begun_anew(void **state)
{
	struct told told = { .stops_at = UINT64_MAX };
	struct out_lines lines;
	struct stat status;
	struct fp_error error;

	write_file("precious", 8);
	assert_true(resume(&lines, &told, &error) < 0);
	assert_int_equal(lines.fd, -1);
	assert_non_null(strstr(error.text, "it holds something else"));
	assert_content("precious");
	write_file("\0ELF", 4);
	assert_true(resume(&lines, &told, &error) < 0);
	assert_int_equal(stat(name, &status), 0);
	assert_int_equal(status.st_size, 4);
	/* more than a head, but no newline behind it */
	write_file(HEAD "x", sizeof(HEAD));
	assert_true(resume(&lines, &told, &error) < 0);
	assert_content(HEAD "x");
}

static void a_failing_medium_is_told(void **state)
{
	struct out_lines lines;
	struct fp_error error;

	assert_int_equal(
	    out_lines_new(&lines, "/dev/full", false, HEAD, &error), -ENOSPC);
	assert_non_null(strstr(error.text, "cannot write '/dev/full'"));
}

static const struct out_field fields[] = {
	{ "point", FP_UNIT_COUNT, 0 },
	{ "path", FP_UNIT_TEXT, 0 },
	{ "goodput_bps.median", FP_UNIT_RATE_BPS, 0 },
	{ "goodput_bps.max", FP_UNIT_RATE_BPS, 0 },
	{ "share", FP_UNIT_SHARE, 0 },
	OUT_FIELDS_END,
};

/* RFC 4180: a text with a comma, a quote or a newline is quoted, a quote
 * doubled. */
static void csv_says_what_json_says(void **state)
{
	static const struct {
		const char *json, *csv;
	} rows[] = {
		{ "{\"point\":1,\"path\":\"delay 5ms\",\"goodput_bps\":"
		  "{\"median\":1250000,\"max\":null},\"share\":0.125}",
		  "1,delay 5ms,1250000,,0.125" },
		{ "{\"path\":\"a,b\",\"share\":1e-7}", ",\"a,b\",,,1e-7" },
		{ "{\"path\":\"say \\\"x\\\"\",\"share\":1.0}",
		  ",\"say \"\"x\"\"\",,,1.0" },
		{ "{\"path\":\"two\\nlines\"}", ",\"two\nlines\",,," },
	};
	char *head = out_csv_head(fields), *line;
	json_t *object;
	size_t i;

	assert_string_equal(head,
			    "point,path,goodput_bps.median,goodput_bps.max,"
			    "share");
	free(head);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		object = json_loads(rows[i].json, 0, NULL);
		assert_non_null(object);
		line = out_csv_row(fields, object);
		assert_string_equal(line, rows[i].csv);
		free(line);
		json_decref(object);
	}
}

#define WITH_FILE(test)                                                        \
	cmocka_unit_test_setup_teardown(test, make_name, remove_name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILE(lines_are_in_the_file_once_they_are_added),
		WITH_FILE(a_file_with_something_in_it_is_not_begun),
		WITH_FILE(a_second_writer_is_refused),
		WITH_FILE(a_resumed_file_keeps_its_whole_lines),
		WITH_FILE(a_missing_file_is_begun_when_resumed),
		WITH_FILE(what_is_no_torn_head_is_not_begun_anew),
		WITH_FILE(a_file_that_is_refused_is_left_alone),
		WITH_FILE(a_failing_medium_is_told),
		cmocka_unit_test(csv_says_what_json_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
