/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/option.h"

struct values {
	bool help, loud;
	uint64_t count, time_ns, size_bytes;
	const char *text;
	uint32_t choice;
	struct cmd_list list;
};

#define ROW(name, type, metavar, range, member, min, max)                      \
	{                                                                      \
		name, type, metavar, range, "",                                \
		    offsetof(struct values, member), min, max                  \
	}

static const struct cmd_option table[] = {
	ROW("loud", CMD_SWITCH, NULL, NULL, loud, 0, 0),
	ROW("count", CMD_COUNT, "N", "1 … 1000", count, 1, 1000),
	ROW("time", CMD_TIME, "TIME", "0 … 1s", time_ns, 0, 1000000000),
	ROW("size", CMD_SIZE, "SIZE", "1 … 1m", size_bytes, 1, 1 << 20),
	ROW("text", CMD_TEXT, "TEXT", "any text", text, 0, 0),
	ROW("choice", CMD_CHOICE, "WORD", "auto|tun|packet", choice, 0, 0),
	ROW("list", CMD_LIST, "TEXT", "any text", list, 0, 0),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};

static const struct cmd_options options = { { table, NULL } };

static int parse(struct values *values, char **argv, struct cmd_target *target,
		 struct fp_error *error)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(values, 0, sizeof(*values));
	*target = (struct cmd_target){ .values = values };
	return cmd_options_parse(&options, argc, argv, target, error);
}

static void every_type_is_read(void **state)
{
	char *argv[] = { "--loud", "--count=42", "--time",   "5ms", "--size",
			 "2k",     "--text=a=b", "--choice", "tun", "--list",
			 "one",    "--list=two", NULL };
	struct cmd_target target;
	struct fp_error error;
	struct values values;

	assert_int_equal(parse(&values, argv, &target, &error), 0);
	assert_true(values.loud);
	assert_int_equal(values.count, 42);
	assert_int_equal(values.time_ns, 5000000);
	assert_int_equal(values.size_bytes, 2048); /* k is 1024 */
	assert_string_equal(values.text, "a=b");
	assert_int_equal(values.choice, 1);
	assert_int_equal(values.list.count, 2);
	assert_string_equal(values.list.values[1], "two");
	assert_int_equal(target.argc, 0);
}

static void two_dashes_end_the_options(void **state)
{
	char *argv[] = { "--loud", "--", "--count", "x", NULL };
	char *plain[] = { "word", "--loud", NULL };
	struct cmd_target target;
	struct fp_error error;
	struct values values;

	assert_int_equal(parse(&values, argv, &target, &error), 0);
	assert_int_equal(target.argc, 2);
	assert_string_equal(target.argv[0], "--count");
	assert_int_equal(parse(&values, plain, &target, &error), 0);
	assert_int_equal(target.argc, 2);
	assert_false(values.loud); /* it belongs to what follows "word" */
}

static void bad_words_name_the_option_and_its_range(void **state)
{
	static const struct {
		const char *words[3];
		const char *text, *hint; /* parts */
	} rows[] = {
		{ { "--count", "0" }, "'0' for --count", "1 … 1000" },
		{ { "--count", "10000" }, "'10000' for --count", "1 … 1000" },
		{ { "--count=-1" }, "'-1' for --count", "1 … 1000" },
		{ { "--time", "10" }, "'10' for --time", "0 … 1s" },
		{ { "--time", "2s" }, "'2s' for --time", "0 … 1s" },
		{ { "--size", "lots" }, "'lots' for --size", "1 … 1m" },
		{ { "--choice", "tu" }, "'tu' for --choice", "auto|tun" },
		{ { "--text" }, "--text needs a value", "any text" },
		{ { "--loud=1" }, "--loud takes no value", "" },
		{ { "--conut", "1" }, "unknown option '--conut'", "--count" },
		{ { "--zzzzzzzz" }, "unknown option", "--help" },
		{ { "-x" }, "unknown option", "--help" },
	};
	struct cmd_target target;
	struct fp_error error;
	struct values values;
	char *argv[4];
	size_t i, word;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (word = 0; rows[i].words[word]; word++)
			argv[word] = (char *)(uintptr_t)rows[i].words[word];
		argv[word] = NULL;
		assert_true(parse(&values, argv, &target, &error) < 0);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.text, rows[i].text));
		assert_non_null(strstr(error.hint, rows[i].hint));
	}
}

static void a_list_has_an_end(void **state)
{
	char *argv[CMD_LIST_MAX + 2];
	struct cmd_target target;
	struct fp_error error;
	struct values values;
	int i;

	for (i = 0; i <= CMD_LIST_MAX; i++)
		argv[i] = "--list=x";
	argv[i] = NULL;
	assert_true(parse(&values, argv, &target, &error) < 0);
	assert_int_equal(error.status, 2);
}

static void path_options_go_to_the_builder(void **state)
{
	const struct cmd_options with_path = { { table, cmd_path_options,
						 NULL } };
	char *argv[] = { "--rtt", "40ms", "--loss=1%", "--ipv6", NULL };
	struct cmd_target target = { .values = NULL };
	struct fp_error error;
	struct spec_path path;

	target.path = spec_builder_new();
	assert_non_null(target.path);
	assert_int_equal(
	    cmd_options_parse(&with_path, 4, argv, &target, &error), 0);
	assert_int_equal(spec_builder_build(target.path, &path, &error), 0);
	assert_int_equal(path.rtt_ns, 40000000);
	assert_int_equal(path.way[SPEC_FORWARD].loss_ppm, 10000);
	assert_true(path.is_ipv6);
	spec_path_fini(&path);
	spec_builder_free(target.path);
}

/* Rows that spec does not know would fail only when somebody uses them. */
static void spec_knows_every_path_option(void **state)
{
	struct spec_builder *builder = spec_builder_new();
	const struct cmd_option *option;
	struct fp_error error;

	assert_non_null(builder);
	for (option = cmd_path_options; option->name; option++) {
		memset(&error, 0, sizeof(error));
		(void)spec_builder_set(builder, option->name,
				       option->type == CMD_PATH ? "?" : NULL,
				       &error);
		if (strstr(error.text, "no such option"))
			fail_msg("--%s: %s", option->name, error.text);
	}
	assert_true(spec_builder_set(builder, "rtx", "1ms", &error) < 0);
	assert_non_null(strstr(error.text, "no such option"));
	spec_builder_free(builder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(bad_words_name_the_option_and_its_range),
		cmocka_unit_test(a_list_has_an_end),
		cmocka_unit_test(path_options_go_to_the_builder),
		cmocka_unit_test(spec_knows_every_path_option),
	};

	return cmocka_run_group_tests_name("cmd/option", tests, NULL, NULL);
}
