/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/plan.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static int parse(char *text, size_t bytes, struct spec_arena *arena,
		 struct spec_wish *wish, struct fp_error *error)
{
	const struct spec_file file = { "a.tr", text, bytes };

	return spec__parse_trace(&file, arena, wish, error);
}

static void traces_are_read_line_by_line(void **state)
{
	static const char *const texts[] = {
		"0\n3\n3\n10\n",
		"0\n3\n3\n10",           /* no newline at the end */
		"0\r\n3\r\n3\r\n10\r\n", /* from another system */
		"00\n03\n3\n10\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		static const uint32_t expected[] = { 0, 3, 3, 10 };
		struct spec_arena arena = { NULL };
		struct spec_wish wish = { 0 };
		struct fp_error error = { 0 };
		char *text = spec_arena_copy(&arena, texts[i], SIZE_MAX);

		assert_int_equal(
		    parse(text, strlen(text), &arena, &wish, &error), 0);
		assert_int_equal(wish.rate.trace_count, 4);
		assert_memory_equal(wish.rate.trace_ms, expected,
				    sizeof(expected));
		assert_string_equal(wish.trace_name, "a.tr");
		spec_arena_fini(&arena);
	}
}

static void bad_lines_are_named(void **state)
{
	static const char *const rows[][2] = {
		{ "", "a.tr:1: empty" },
		{ "0\n", "a.tr:1: the last time is 0" },
		{ "0\n0\n", "a.tr:2: the last time is 0" },
		{ "5\n4\n", "a.tr:2: '4' is earlier than the line before" },
		{ "5\n-4\n", "a.tr:2: '-4' is not a whole number of ms" },
		{ "5\n\n6\n", "a.tr:2: '' is not a whole number of ms" },
		{ "1.5\n", "a.tr:1: '1.5' is not a whole number" },
		{ "0x5\n", "a.tr:1: '0x5' is not a whole number" },
		{ "1 2\n", "a.tr:1: '1 2' is not a whole number" },
		{ "1\nabc", "a.tr:2: 'abc' is not a whole number" },
		{ "4294967296\n", "a.tr:1: '4294967296' is above" },
		/* 40 digits are quoted of a longer line */
		{ "11111111111111111111111111111111111111111111111",
		  "a.tr:1: '1111111111111111111111111111111111111111' is not" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spec_arena arena = { NULL };
		struct spec_wish wish = { 0 };
		struct fp_error error = { 0 };
		char *text = spec_arena_copy(&arena, rows[i][0], SIZE_MAX);

		assert_int_not_equal(
		    parse(text, strlen(text), &arena, &wish, &error), 0);
		if (!strstr(error.text, rows[i][1]) || error.status != 2)
			fail_msg("'%s' for '%s'", error.text, rows[i][0]);
		assert_int_equal(wish.said, 0);
		spec_arena_fini(&arena);
	}
}

static void a_nul_byte_is_no_end(void **state)
{
	char text[] = { '1', '\n', '\0', '\n', '5', '\n' };
	struct spec_arena arena = { NULL };
	struct spec_wish wish = { 0 };
	struct fp_error error = { 0 };

	assert_int_not_equal(parse(text, sizeof(text), &arena, &wish, &error),
			     0);
	assert_non_null(strstr(error.text, "a.tr:2"));
	spec_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_are_read_line_by_line),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(a_nul_byte_is_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
