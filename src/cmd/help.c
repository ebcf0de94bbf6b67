/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "cmd/command.h"
#include "cmd/compare.h"
#include "out/table.h"

#define HELP_COLUMN 26

static void print_option(FILE *file, const struct cmd_option *option)
{
	char label[96], text[640];

	(void)snprintf(label, sizeof(label), "  --%s%s%s", option->name,
		       option->metavar ? " " : "",
		       option->metavar ? option->metavar : "");
	(void)snprintf(text, sizeof(text), "%s%s%s%s", option->help,
		       option->range ? " [" : "",
		       option->range ? option->range : "",
		       option->range ? "]" : "");
	if (strlen(label) + 2 <= HELP_COLUMN) {
		out_paragraph_print(file, label, HELP_COLUMN, text);
		return;
	}
	(void)fprintf(file, "%s\n", label);
	out_paragraph_print(file, "", HELP_COLUMN, text);
}

static const char *title_of(const struct cmd_option *table)
{
	if (table == cmd_path_options)
		return "Path (netem's words are known too):";
	if (table == compare_sim_option_table)
		return "With --sim or --both:";
	return table == cmd_common_options ? "Help:" : "Options:";
}

static void print_tables(FILE *file, const struct cmd_options *options)
{
	const struct cmd_option *option;
	size_t table;

	for (table = 0; options->tables[table]; table++) {
		(void)fprintf(file, "\n%s\n", title_of(options->tables[table]));
		for (option = options->tables[table]; option->name; option++)
			print_option(file, option);
	}
}

static void print_program(FILE *file)
{
	const struct cmd_command *command;
	char label[64];

	(void)fputs("usage: fullpipe COMMAND [OPTION]...\n\n"
		    "Finds out why a TCP transfer is slow and proves what "
		    "fixes it.\n\nCommands:\n",
		    file);
	for (command = cmd_commands; command->name; command++) {
		(void)snprintf(label, sizeof(label), "  %s", command->name);
		out_paragraph_print(file, label, 12, command->sentence);
	}
	(void)fputs(
	    "\n'fullpipe COMMAND --help' tells the options of a command, "
	    "'fullpipe --version'\nthe version. Exit status: 0 done; 1 done, "
	    "and the answer is bad; 2 wrong usage;\n3 could not do it; 77 not "
	    "possible on this machine.\n",
	    file);
}

void cmd_help_print(FILE *file, const struct cmd_command *command)
{
	char usage[160];

	if (!command) {
		print_program(file);
		return;
	}
	(void)snprintf(usage, sizeof(usage), "fullpipe %s [OPTION]...%s%s",
		       command->name, command->operands[0] ? " " : "",
		       command->operands);
	out_paragraph_print(file, "usage:", 7, usage);
	(void)fputc('\n', file);
	out_paragraph_print(file, "", 0, command->sentence);
	(void)fputc('\n', file);
	out_paragraph_print(file, "Needs", 7, command->needs);
	print_tables(file, &command->options);
}
