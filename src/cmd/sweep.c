/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/command.h"
#include "cmd/seed.h"
#include "spec/units.h"
#include "sys/error.h"

#define SEEDS            3
#define GRAMMAR_COLUMN   26
#define TABLE_MOST       1000
#define SHARD_POINTS_MAX 10000000 /* costs and head fit in memory */

int sweep_shard_parse(const char *text, uint64_t *ret_shard,
		      uint64_t *ret_shards, struct fp_error *error)
{
	const char *slash = strchr(text, '/');
	uint64_t shard = 0, shards = 0;
	char first[32];

	(void)snprintf(first, sizeof(first), "%.*s",
		       (int)(slash ? slash - text : 0), text);
	if (slash && fp_parse_count(first, &shard) == 0 &&
	    fp_parse_count(slash + 1, &shards) == 0 && shard >= 1 &&
	    shard <= shards && shards <= SWEEP_SHARD_MAX) {
		*ret_shard = shard - 1;
		*ret_shards = shards;
		return 0;
	}
	(void)fp_error_set(error, FP_EXIT_USAGE, "cannot use '%s' for --shard",
			   text);
	fp_error_hint(error, "--shard takes I/N: 1/8, 2/8, … 8/8");
	return -EINVAL;
}

/* --- What fits together --------------------------------------------------- */

static int complain(const char *what, const char *hint, struct fp_error *error)
{
	(void)fp_error_set(error, FP_EXIT_USAGE, "%s", what);
	fp_error_hint(error, "%s", hint);
	return -EINVAL;
}

static int check_size(const struct sweep *sweep, struct fp_error *error)
{
	if (sweep->count > SHARD_POINTS_MAX) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "%" PRIu64 " points are more than one "
				   "process takes",
				   sweep->count);
		fp_error_hint(error,
			      "--shard I/N spreads them; at most %d of "
			      "one",
			      SHARD_POINTS_MAX);
		return -EINVAL;
	}
	if (sweep->options.table && sweep->count > TABLE_MOST) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--table cannot show %" PRIu64 " points",
				   sweep->count);
		fp_error_hint(error, "at most %d; --csv writes all",
			      TABLE_MOST);
		return -EINVAL;
	}
	return 0;
}

/* Of files that are there, whatever they are called. */
static bool is_same_file(const char *one, const char *other)
{
	struct stat first, second;

	if (strcmp(one, other) == 0)
		return true;
	return stat(one, &first) == 0 && stat(other, &second) == 0 &&
	       S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static int check_outputs(const struct sweep_options *options,
			 struct fp_error *error)
{
	if (options->out && options->csv &&
	    is_same_file(options->out, options->csv))
		return complain("--out and --csv name the same file",
				"give each a file of its own", error);
	return 0;
}

static int check_options(const struct sweep_options *options,
			 struct fp_error *error)
{
	if (options->resume && !options->out)
		return complain("--resume needs --out",
				"the file that it continues", error);
	if (options->table && options->resume)
		return complain("--table cannot show what --resume continues",
				"--csv has all of it", error);
	return check_outputs(options, error);
}

/* What varies becomes fields of each line; the algorithm is one anyway. */
static void find_varied(struct sweep *sweep)
{
	const char *names[SWEEP_AXES_MAX];
	uint32_t i;

	for (i = 0; i < sweep->grid.axis_count; i++) {
		if (sweep->grid.axes[i].values.count < 2 ||
		    strcmp(sweep->grid.axes[i].name, "cc") == 0)
			continue;
		names[sweep->varied_count] = sweep->grid.axes[i].name;
		sweep->varied[sweep->varied_count++] = i;
	}
	out_sweep_fields_init(&sweep->fields, names, sweep->varied_count);
}

int sweep_init(struct sweep *sweep, struct fp_error *error)
{
	int result = check_options(&sweep->options, error);

	sweep->shards = 1;
	if (result == 0 && sweep->options.shard)
		result = sweep_shard_parse(sweep->options.shard, &sweep->shard,
					   &sweep->shards, error);
	if (result == 0)
		result = sweep_grid_finish(&sweep->grid, error);
	if (result < 0)
		return result;
	sweep->count = (sweep->grid.points + sweep->shards - 1 - sweep->shard) /
		       sweep->shards;
	result = check_size(sweep, error);
	if (result < 0)
		return result;
	find_varied(sweep);
	sweep->head = sweep_head_new(sweep, error);
	return sweep->head ? 0 : -EINVAL;
}

void sweep_fini(struct sweep *sweep)
{
	sweep_grid_fini(&sweep->grid);
	free(sweep->head);
	sweep->head = NULL;
}

static void print_help(const struct cmd_command *command)
{
	static const char *const grammar[][2] = {
		{ "  A,B,C", "these" },
		{ "  A:B:xF", "from A on, each F times the one before, and B" },
		{ "  A:B:+S",
		  "from A on, each S more than the one before, and B" },
		{ "  A..B", "A, all of 1, 2, 5, 10, 20, 50, … between, and B; "
			    "sizes in bytes double instead" },
		{ "  A,B..C", "items of a list can be ranges: 0,0.01%..20%" },
		{ "  A;B", "with a semicolon anywhere, semicolons separate: "
			   "values may hold commas then" },
	};
	size_t i;

	cmd_help_print(stdout, command);
	(void)puts("\nValues, of each option of a path and each LIST:");
	for (i = 0; i < sizeof(grammar) / sizeof(grammar[0]); i++)
		out_paragraph_print(stdout, grammar[i][0], GRAMMAR_COLUMN,
				    grammar[i][1]);
}

/* --- The command ---------------------------------------------------------- */

/* Words that are no options: the files to merge. Options may follow them. */
struct operands {
	char **words;
	uint32_t count;
};

static int parse(const struct cmd_command *command, int argc, char **argv,
		 struct sweep *sweep, struct operands *operands)
{
	struct cmd_target target = { .values = &sweep->options,
				     .take = sweep_grid_take,
				     .context = &sweep->grid };
	struct fp_error error;

	target.argc = argc;
	target.argv = argv;
	for (;;) {
		if (cmd_options_parse(&command->options, target.argc,
				      target.argv, &target, &error) < 0)
			return cmd_fail(&error);
		if (target.argc == 0)
			return FP_EXIT_DONE;
		operands->words[operands->count++] = *target.argv++;
		target.argc--;
	}
}

static int fail_operand(const char *word)
{
	struct fp_error error;

	(void)fp_error_set(&error, FP_EXIT_USAGE,
			   "cannot use '%s': sweep takes options only", word);
	fp_error_hint(&error, "files are for --merge; 'fullpipe sweep --help' "
			      "lists the options");
	return cmd_fail(&error);
}

/* Points, seeds and shards are what the files say; and a file that is replaced
 * might be one of those that are read. */
static int merge(const struct sweep *sweep, const struct operands *operands)
{
	const struct sweep_options *options = &sweep->options;
	bool is_told = options->seed != CMD_SEED_AUTO || options->seeds ||
		       options->workers || options->shard || options->plan ||
		       options->table || options->resume;
	struct fp_error error;

	if (is_told || sweep->grid.axis_count > 0) {
		(void)complain("--merge takes no option but --out and --csv",
			       "what was swept is what the files say", &error);
		return cmd_fail(&error);
	}
	if (check_outputs(options, &error) < 0)
		return cmd_fail(&error);
	return sweep_merge(options, operands->words, operands->count);
}

static int sweep(struct sweep *sweep)
{
	struct fp_error error;
	bool goes_on = false;
	int status;

	if (!sweep->options.seeds)
		sweep->options.seeds = SEEDS;
	if (sweep_init(sweep, &error) < 0)
		return cmd_fail(&error);
	status = sweep_plan(sweep, &goes_on);
	return goes_on ? sweep_run(sweep) : status;
}

int cmd_sweep(const struct cmd_command *command, int argc, char **argv)
{
	struct sweep all = { .options = { .seed = CMD_SEED_AUTO } };
	struct operands operands = { 0 };
	struct fp_error error;
	int status;

	operands.words = calloc((size_t)argc + 1, sizeof(*operands.words));
	if (!operands.words) {
		(void)fp_error_errno(&error, ENOMEM, "cannot read options");
		return cmd_fail(&error);
	}
	status = parse(command, argc, argv, &all, &operands);
	if (status == FP_EXIT_DONE && all.options.help)
		print_help(command);
	else if (status == FP_EXIT_DONE && all.options.merge)
		status = merge(&all, &operands);
	else if (status == FP_EXIT_DONE && operands.count > 0)
		status = fail_operand(operands.words[0]);
	else if (status == FP_EXIT_DONE)
		status = sweep(&all);
	sweep_fini(&all);
	free(operands.words);
	return status;
}
