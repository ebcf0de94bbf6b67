/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"
#include "sys/error.h"
#include "sys/nearest.h"

#define COMMANDS_MAX 32

static int fail_unknown(const char *word)
{
	const char *names[COMMANDS_MAX + 1];
	const char *near;
	struct fp_error error;
	size_t count;

	for (count = 0; count < COMMANDS_MAX && cmd_commands[count].name;
	     count++)
		names[count] = cmd_commands[count].name;
	names[count] = NULL;
	near = fp_nearest(word, names);
	(void)fp_error_set(&error, FP_EXIT_USAGE, "unknown %s '%s'",
			   word[0] == '-' ? "option" : "command", word);
	if (near)
		fp_error_hint(&error, "did you mean '%s'?", near);
	else
		fp_error_hint(&error, "'fullpipe --help' lists the commands");
	return cmd_fail(&error);
}

static int print_completion(const char *shell)
{
	struct fp_error error;

	if (shell && cmd_completion_print(stdout, shell))
		return FP_EXIT_DONE;
	(void)fp_error_set(&error, FP_EXIT_USAGE,
			   "cannot complete for shell '%s'",
			   shell ? shell : "");
	fp_error_hint(&error, "--completion takes bash, zsh or fish");
	return cmd_fail(&error);
}

/* What stands before any command. Returns the exit status, or -1 when word is
 * none of it. */
static int run_global(const char *word, const char *next)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		cmd_help_print(stdout, NULL);
	else if (strcmp(word, "--version") == 0)
		(void)puts("fullpipe " FP_VERSION);
	else if (strcmp(word, "--list-options") == 0)
		cmd_options_list(stdout);
	else if (strcmp(word, "--completion") == 0)
		return print_completion(next);
	else
		return -1;
	return FP_EXIT_DONE;
}

static int run(int argc, char **argv)
{
	const struct cmd_command *command;
	int status;

	if (argc < 2) {
		cmd_help_print(stderr, NULL);
		return FP_EXIT_USAGE;
	}
	status = run_global(argv[1], argv[2]);
	if (status >= 0)
		return status;
	command = cmd_command_find(argv[1]);
	if (!command)
		return fail_unknown(argv[1]);
	return command->run(command, argc - 2, argv + 2);
}

/* A result that could not be written is none, whatever was measured. */
static int finish_output(int status)
{
	struct fp_error error;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	(void)fp_error_errno(&error, errno, "cannot write the output");
	return cmd_fail(&error);
}

int main(int argc, char **argv)
{
	return finish_output(run(argc, argv));
}
