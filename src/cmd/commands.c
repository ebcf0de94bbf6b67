/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command table. */
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/compare.h"
#include "cmd/lab_options.h"
#include "cmd/sweep.h"
#include "sys/error.h"

const struct cmd_option cmd_common_options[] = {
	{ "help", CMD_SWITCH, NULL, NULL, "prints this text", 0, 0, 0 },
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};

#define NEEDS_LAB                                                              \
	"root, or user namespaces (then /dev/net/tun or packet sockets)"

const struct cmd_command cmd_commands[] = {
	{ "compare",
	  "Runs TCP of this kernel over an emulated path, once with each "
	  "congestion control algorithm, and says which is faster and why; "
	  "with --sim in a simulator instead.",
	  "",
	  NEEDS_LAB "; with --sim nothing",
	  { { compare_option_table, compare_sim_option_table, cmd_path_options,
	      cmd_common_options, NULL } },
	  cmd_compare },
	{ "lab",
	  "Runs a command of yours on the sender's side of an emulated path; "
	  "FULLPIPE_PEER tells it the other side's address.",
	  "-- COMMAND [ARG]...",
	  NEEDS_LAB,
	  { { lab_option_table, cmd_path_options, cmd_common_options, NULL } },
	  cmd_lab },
	{ "sweep",
	  "Simulates a grid of paths on all processors: options of a path, each "
	  "with many values.",
	  "[--merge FILE...]",
	  "nothing",
	  { { sweep_option_table, cmd_path_options, cmd_common_options,
	      NULL } },
	  cmd_sweep },
	{ NULL, NULL, NULL, NULL, { { NULL } }, NULL },
};

const struct cmd_command *cmd_command_find(const char *name)
{
	const struct cmd_command *command;

	for (command = cmd_commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}

int cmd_fail(const struct fp_error *error)
{
	(void)fprintf(stderr, "fullpipe: %s\n", error->text);
	if (error->hint[0])
		(void)fprintf(stderr, "hint: %s\n", error->hint);
	return error->status ? error->status : FP_EXIT_FAILED;
}

static void list_table(FILE *file, const char *name,
		       const struct cmd_option *option)
{
	for (; option->name; option++)
		(void)fprintf(file, "%s --%s\n", name, option->name);
}

/* Tables that several commands share are listed once, by their own name. */
static bool is_shared(const struct cmd_option *table)
{
	return table == cmd_path_options || table == cmd_common_options;
}

void cmd_options_list(FILE *file)
{
	const struct cmd_command *command;
	const struct cmd_option *const *table;

	for (command = cmd_commands; command->name; command++) {
		for (table = command->options.tables; *table; table++) {
			if (!is_shared(*table))
				list_table(file, command->name, *table);
		}
	}
	list_table(file, "path", cmd_path_options);
	list_table(file, "common", cmd_common_options);
}
