/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completions for shells, from the option tables. */
#include <string.h>

#include "cmd/command.h"

/* What can stand after an option, for a shell. */
enum words { WORDS_NONE, WORDS_ANY, WORDS_FILE, WORDS_LIST };

static enum words words_after(const struct cmd_option *option)
{
	if (!option->metavar)
		return WORDS_NONE;
	if (strcmp(option->metavar, "FILE") == 0)
		return WORDS_FILE;
	if (strcmp(option->name, "preset") == 0 || strchr(option->range, '|'))
		return WORDS_LIST;
	return WORDS_ANY;
}

/* The words of a WORDS_LIST option, with spaces between. */
static void print_words(FILE *file, const struct cmd_option *option)
{
	const struct spec_preset *preset;
	const char *letter;
	uint32_t i;

	if (strcmp(option->name, "preset") != 0) {
		for (letter = option->range; *letter; letter++)
			(void)fputc(*letter == '|' ? ' ' : *letter, file);
		return;
	}
	for (i = 0; (preset = spec_preset_at(i)); i++)
		(void)fprintf(file, "%s%s", i ? " " : "", preset->name);
	if (option->type != CMD_PATH)
		(void)fputs(" all", file);
}

/* A text inside single quotes of a shell, without what zsh would take for
 * syntax. */
static void print_quoted(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			(void)fputs("\"", file);
		else if (strchr("[]:", *text))
			(void)fputc(' ', file);
		else
			(void)fputc(*text, file);
	}
}

typedef void option_printer(FILE *file, const struct cmd_command *command,
			    const struct cmd_option *option);

static void for_each_option(FILE *file, const struct cmd_command *command,
			    option_printer *print)
{
	const struct cmd_option *option;
	size_t table;

	for (table = 0; command->options.tables[table]; table++) {
		for (option = command->options.tables[table]; option->name;
		     option++)
			print(file, command, option);
	}
}

static void bash_name(FILE *file, const struct cmd_command *command,
		      const struct cmd_option *option)
{
	(void)fprintf(file, " --%s", option->name);
}

static void bash_words(FILE *file, const struct cmd_command *command,
		       const struct cmd_option *option)
{
	enum words words = words_after(option);

	if (words == WORDS_NONE)
		return;
	(void)fprintf(file, "\t%s:--%s) ", command->name, option->name);
	if (words == WORDS_FILE) {
		(void)fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
			    file);
	} else if (words == WORDS_LIST) {
		(void)fputs("mapfile -t COMPREPLY < <(compgen -W '", file);
		print_words(file, option);
		(void)fputs("' -- \"$cur\")", file);
	} else {
		(void)fputs("COMPREPLY=()", file);
	}
	(void)fputs("; return ;;\n", file);
}

static void print_bash(FILE *file)
{
	const struct cmd_command *command;

	(void)fputs("# bash completion for fullpipe\n"
		    "_fullpipe() {\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
		    "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
		    "\tlocal words='--help --version",
		    file);
	for (command = cmd_commands; command->name; command++)
		(void)fprintf(file, " %s", command->name);
	(void)fputs("'\n\tcase ${COMP_WORDS[1]}:$prev in\n", file);
	for (command = cmd_commands; command->name; command++)
		for_each_option(file, command, bash_words);
	(void)fputs("\tesac\n\tcase ${COMP_WORDS[1]} in\n", file);
	for (command = cmd_commands; command->name; command++) {
		(void)fprintf(file, "\t%s) words='", command->name);
		for_each_option(file, command, bash_name);
		(void)fputs("' ;;\n", file);
	}
	(void)fputs("\tesac\n"
		    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
		    "\"$cur\")\n"
		    "}\n"
		    "complete -F _fullpipe fullpipe\n",
		    file);
}

static void zsh_option(FILE *file, const struct cmd_command *command,
		       const struct cmd_option *option)
{
	enum words words = words_after(option);

	(void)fprintf(file, " \\\n\t\t\t'%s--%s[",
		      option->type == CMD_LIST ? "*" : "", option->name);
	print_quoted(file, option->help);
	(void)fputs("]", file);
	if (words != WORDS_NONE) {
		(void)fputs(":", file);
		print_quoted(file, option->metavar);
		(void)fputs(":", file);
	}
	if (words == WORDS_FILE) {
		(void)fputs("_files", file);
	} else if (words == WORDS_LIST) {
		(void)fputs("(", file);
		print_words(file, option);
		(void)fputs(")", file);
	}
	(void)fputs("'", file);
}

static void print_zsh(FILE *file)
{
	const struct cmd_command *command;

	(void)fputs("#compdef fullpipe\n"
		    "if (( CURRENT == 2 )); then\n"
		    "\tlocal -a commands=(\n",
		    file);
	for (command = cmd_commands; command->name; command++) {
		(void)fprintf(file, "\t\t'%s:", command->name);
		print_quoted(file, command->sentence);
		(void)fputs("'\n", file);
	}
	(void)fputs("\t)\n"
		    "\t_describe command commands\n"
		    "else\n"
		    "\tcase $words[2] in\n",
		    file);
	for (command = cmd_commands; command->name; command++) {
		(void)fprintf(file, "\t%s)\n\t\t_arguments", command->name);
		for_each_option(file, command, zsh_option);
		(void)fputs(" \\\n\t\t\t'*:: :_normal' ;;\n", file);
	}
	(void)fputs("\tesac\nfi\n", file);
}

static void fish_option(FILE *file, const struct cmd_command *command,
			const struct cmd_option *option)
{
	enum words words = words_after(option);

	(void)fprintf(file,
		      "complete -c fullpipe -n '__fish_seen_subcommand_from "
		      "%s' -l %s",
		      command->name, option->name);
	if (words == WORDS_FILE) {
		(void)fputs(" -r -F", file);
	} else if (words == WORDS_LIST) {
		(void)fputs(" -x -a '", file);
		print_words(file, option);
		(void)fputs("'", file);
	} else if (words == WORDS_ANY) {
		(void)fputs(" -x", file);
	}
	(void)fputs(" -d '", file);
	print_quoted(file, option->help);
	(void)fputs("'\n", file);
}

static void print_fish(FILE *file)
{
	const struct cmd_command *command;

	(void)fputs("complete -c fullpipe -f\n", file);
	for (command = cmd_commands; command->name; command++) {
		(void)fprintf(file,
			      "complete -c fullpipe -n "
			      "'__fish_use_subcommand' -a %s -d '",
			      command->name);
		print_quoted(file, command->sentence);
		(void)fputs("'\n", file);
	}
	for (command = cmd_commands; command->name; command++)
		for_each_option(file, command, fish_option);
}

bool cmd_completion_print(FILE *file, const char *shell)
{
	static const struct {
		const char *shell;
		void (*print)(FILE *file);
	} shells[] = {
		{ "bash", print_bash },
		{ "zsh", print_zsh },
		{ "fish", print_fish },
	};
	size_t i;

	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shell, shells[i].shell) == 0) {
			shells[i].print(file);
			return true;
		}
	}
	return false;
}
