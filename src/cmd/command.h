/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <stdio.h>

#include "cmd/option.h"

struct cmd_command {
	const char *name;
	const char *sentence;       /* what it does, in one sentence */
	const char *operands;       /* after the options in the usage line */
	const char *needs;          /* of this machine, in words */
	struct cmd_options options; /* its own table first */
	/* Runs it; argv[0] is the first word after the command's name. Returns
	 * the exit status. */
	int (*run)(const struct cmd_command *command, int argc, char **argv);
};

/* All commands; ends with a NULL name. */
extern const struct cmd_command cmd_commands[];

int cmd_compare(const struct cmd_command *command, int argc, char **argv);
int cmd_lab(const struct cmd_command *command, int argc, char **argv);
int cmd_sweep(const struct cmd_command *command, int argc, char **argv);

/* Finds a command by name. NULL when there is none. */
const struct cmd_command *cmd_command_find(const char *name);

/* Prints error and its hint to stderr. Returns its exit status (3 where it has
 * none). */
int cmd_fail(const struct fp_error *error);

/* Prints the usage of one command, or of the whole program (command NULL). */
void cmd_help_print(FILE *file, const struct cmd_command *command);

/* Prints completions for shell (bash, zsh, fish). Returns false when the shell
 * is not known. */
bool cmd_completion_print(FILE *file, const char *shell);

/* Prints "TABLE --OPTION" for each row of all tables; scripts/check-man reads
 * it. */
void cmd_options_list(FILE *file);

#endif
