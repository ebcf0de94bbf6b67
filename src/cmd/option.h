/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options are rows of tables. One parser, --help, completions, man pages'
 * check and "did you mean" read the same rows.
 */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "spec/spec.h"

#define CMD_LIST_MAX 16

enum cmd_option_type {
	CMD_SWITCH,      /* bool; no value */
	CMD_COUNT,       /* uint64_t */
	CMD_TIME,        /* uint64_t, nanoseconds */
	CMD_SIZE,        /* uint64_t, bytes */
	CMD_TEXT,        /* const char * */
	CMD_CHOICE,      /* uint32_t: number of the word in range, from 0 */
	CMD_LIST,        /* struct cmd_list; may be given again */
	CMD_PATH,        /* goes to spec_builder_set() */
	CMD_PATH_SWITCH, /* the same, without a value */
	CMD_AXIS,        /* goes to struct cmd_target.take */
	CMD_AXIS_SWITCH, /* the same, without a value */
};

/* Values of a repeatable option, in the order given. */
struct cmd_list {
	const char *values[CMD_LIST_MAX];
	uint32_t count;
};

/* Tables end with a NULL name. */
struct cmd_option {
	const char *name; /* without dashes */
	enum cmd_option_type type;
	const char *metavar; /* "TIME"; NULL: switch */
	const char *range;   /* for people: "1 … 1000"; CHOICE: "a|b|c" */
	const char *help;    /* what it does, and its default */
	size_t offset;       /* of the member it sets */
	uint64_t min, max;   /* COUNT, TIME, SIZE */
};

/* Where values go. */
struct cmd_target {
	void *values;              /* the struct that offsets are in */
	struct spec_builder *path; /* or NULL: no path options */
	/* Or: takes the options of a path, and those of type CMD_AXIS. value is
	 * NULL for switches. Returns 0 or a negative errno with error. */
	int (*take)(void *context, const struct cmd_option *option,
		    const char *value, struct fp_error *error);
	void *context;
	int argc;    /* what followed the options, … */
	char **argv; /* … after "--" or not an option */
};

/* Options that describe a path: the same in every command that takes one. */
extern const struct cmd_option cmd_path_options[];

/* --help, in every command. */
extern const struct cmd_option cmd_common_options[];

/* Tables, NULL-ended: a command's own first, then those it shares. */
struct cmd_options {
	const struct cmd_option *tables[5];
};

/* Finds an option by name in all tables. NULL when there is none. */
const struct cmd_option *cmd_option_find(const struct cmd_options *options,
					 const char *name);

/* Reads argv[0 … argc - 1] ("--name value", "--name=value"; "--" or the first
 * word that is no option ends it). ret_help tells whether --help was there.
 * Returns 0 or a negative errno with error: status 2, the option, its value,
 * its range; for an unknown option the nearest one. */
int cmd_options_parse(const struct cmd_options *options, int argc, char **argv,
		      struct cmd_target *target, struct fp_error *error);

#endif
