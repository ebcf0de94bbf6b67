/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/option.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#define NAME_BYTES 32
#define NAMES_MAX  128

const struct cmd_option *cmd_option_find(const struct cmd_options *options,
					 const char *name)
{
	const struct cmd_option *option;
	size_t table;

	for (table = 0; options->tables[table]; table++) {
		for (option = options->tables[table]; option->name; option++) {
			if (strcmp(option->name, name) == 0)
				return option;
		}
	}
	return NULL;
}

static const char *nearest_name(const struct cmd_options *options,
				const char *name)
{
	const char *names[NAMES_MAX + 1];
	const struct cmd_option *option;
	size_t table, count = 0;

	for (table = 0; options->tables[table]; table++) {
		for (option = options->tables[table];
		     option->name && count < NAMES_MAX; option++)
			names[count++] = option->name;
	}
	names[count] = NULL;
	return fp_nearest(name, names);
}

static int fail_unknown(const struct cmd_options *options, const char *name,
			struct fp_error *error)
{
	const char *near = nearest_name(options, name);
	int status =
	    fp_error_set(error, FP_EXIT_USAGE, "unknown option '--%s'", name);

	if (near)
		fp_error_hint(error, "did you mean '--%s'?", near);
	else
		fp_error_hint(error, "--help lists the options");
	return status;
}

static int fail_short(const char *word, struct fp_error *error)
{
	int status =
	    fp_error_set(error, FP_EXIT_USAGE, "unknown option '%s'", word);

	fp_error_hint(error, "options are words (--json); --help lists them");
	return status;
}

static int fail_value(const struct cmd_option *option, const char *value,
		      struct fp_error *error)
{
	int status =
	    fp_error_set(error, FP_EXIT_USAGE, "cannot use '%s' for --%s",
			 value, option->name);

	fp_error_hint(error, "--%s takes %s", option->name, option->range);
	return status;
}

static int parse_number(const struct cmd_option *option, const char *value,
			uint64_t *ret_number)
{
	if (option->type == CMD_TIME)
		return fp_parse_time_ns(value, ret_number);
	if (option->type == CMD_SIZE)
		return fp_parse_size_bytes(value, ret_number);
	return fp_parse_count(value, ret_number);
}

static int set_number(const struct cmd_option *option, const char *value,
		      void *member, struct fp_error *error)
{
	uint64_t number = 0;

	if (parse_number(option, value, &number) < 0 || number < option->min ||
	    number > option->max)
		return fail_value(option, value, error);
	*(uint64_t *)member = number;
	return 0;
}

static int set_choice(const struct cmd_option *option, const char *value,
		      void *member, struct fp_error *error)
{
	const char *word = option->range;
	uint32_t number = 0;
	size_t length;

	for (;; number++) {
		length = strcspn(word, "|");
		if (strlen(value) == length &&
		    strncmp(word, value, length) == 0)
			break;
		if (!word[length])
			return fail_value(option, value, error);
		word += length + 1;
	}
	*(uint32_t *)member = number;
	return 0;
}

static int add_value(const struct cmd_option *option, const char *value,
		     struct cmd_list *list, struct fp_error *error)
{
	if (list->count == CMD_LIST_MAX)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "--%s is given more than %d times",
				    option->name, CMD_LIST_MAX);
	list->values[list->count++] = value;
	return 0;
}

static int set_option(const struct cmd_option *option, const char *value,
		      struct cmd_target *target, struct fp_error *error)
{
	void *member = (char *)target->values + option->offset;

	switch (option->type) {
	case CMD_SWITCH:
		*(bool *)member = true;
		return 0;
	case CMD_COUNT:
	case CMD_TIME:
	case CMD_SIZE:
		return set_number(option, value, member, error);
	case CMD_TEXT:
		*(const char **)member = value;
		return 0;
	case CMD_CHOICE:
		return set_choice(option, value, member, error);
	case CMD_LIST:
		return add_value(option, value, member, error);
	case CMD_PATH:
	case CMD_PATH_SWITCH:
		if (!target->take)
			return spec_builder_set(target->path, option->name,
						value, error);
		return target->take(target->context, option, value, error);
	case CMD_AXIS:
	case CMD_AXIS_SWITCH:
		return target->take(target->context, option, value, error);
	}
	return -EINVAL;
}

static bool takes_value(const struct cmd_option *option)
{
	return option->type != CMD_SWITCH && option->type != CMD_PATH_SWITCH &&
	       option->type != CMD_AXIS_SWITCH;
}

/* Reads one option at argv[0]; ret_used tells how many words it took. */
static int parse_one(const struct cmd_options *options, char **argv,
		     struct cmd_target *target, int *ret_used,
		     struct fp_error *error)
{
	char name[NAME_BYTES];
	const char *text = argv[0] + 2;
	const char *value = strchr(text, '=');
	const struct cmd_option *option;

	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="),
		       text);
	option = cmd_option_find(options, name);
	if (!option)
		return fail_unknown(options, name, error);
	if (!takes_value(option) && value)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "--%s takes no value, not '%s'", name,
				    value + 1);
	*ret_used = takes_value(option) && !value ? 2 : 1;
	value = value ? value + 1 : argv[1];
	if (takes_value(option) && !value) {
		(void)fp_error_set(error, FP_EXIT_USAGE, "--%s needs a value",
				   name);
		fp_error_hint(error, "--%s takes %s", name, option->range);
		return -EINVAL;
	}
	return set_option(option, takes_value(option) ? value : NULL, target,
			  error);
}

int cmd_options_parse(const struct cmd_options *options, int argc, char **argv,
		      struct cmd_target *target, struct fp_error *error)
{
	static char help[] = "--help";
	int i = 0, used = 0, result;

	if (argc > 0 && strcmp(argv[0], "-h") == 0)
		argv[0] = help; /* what everybody types */
	while (i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
		result = parse_one(options, argv + i, target, &used, error);
		if (result < 0)
			return result;
		i += used;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	else if (i < argc && argv[i][0] == '-' && argv[i][1])
		return fail_short(argv[i], error);
	target->argc = argc - i;
	target->argv = argv + i;
	return 0;
}
