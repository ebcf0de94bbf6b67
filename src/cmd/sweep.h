/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A grid of simulated paths, on all processors.
 *
 * The result is a file of JSON lines: a head that says what the sweep is, then
 * one line for each point, in the order of the grid, whatever order they were
 * worked off in. So a file that was cut short is continued where it ends, and
 * files of shards are merged by taking lines in turn, to the bytes that one run
 * would have written. docs/sweep.md has it all.
 */
#ifndef CMD_SWEEP_H
#define CMD_SWEEP_H

#include "cmd/sweep_grid.h"
#include "out/lines.h"
#include "out/sweep.h"

#define SWEEP_SEEDS_MAX 10000
#define SWEEP_SHARD_MAX 1000000

/* What the user asked for; offsets of sweep_option_table. */
struct sweep_options {
	bool help; /* first: cmd_common_options */
	bool plan, table, resume, merge, yes, quiet;
	uint64_t seed; /* CMD_SEED_AUTO */
	uint64_t seeds, workers;
	const char *out, *csv, *shard;
};

extern const struct cmd_option sweep_option_table[];

struct sweep {
	struct sweep_options options;
	struct sweep_grid grid;
	uint64_t shard, shards; /* which one this is, from 0, of how many */
	uint64_t count;         /* points of this shard */
	uint32_t varied[SWEEP_AXES_MAX]; /* axes of more than one value,
					    but for cc */
	uint32_t varied_count;
	struct out_sweep_fields fields;
	char *head; /* first line of the file */
};

/* Completes a sweep whose options and grid were read. Release with
 * sweep_fini(). Returns 0 or a negative errno with error. */
int sweep_init(struct sweep *sweep, struct fp_error *error);
void sweep_fini(struct sweep *sweep);

/* Reads "2/8": this one, from 1, of how many. Returns 0 or -EINVAL with error.
 */
int sweep_shard_parse(const char *text, uint64_t *ret_shard,
		      uint64_t *ret_shards, struct fp_error *error);

/* Tells the number in the grid, from 0, of point number of this shard. */
static inline uint64_t sweep_point_of(const struct sweep *sweep,
				      uint64_t number)
{
	return sweep->shard + number * sweep->shards;
}

/* --- sweep_head.c: the first line ------------------------------------------
 */

/* Makes it; to be freed. NULL with error: no memory, or a file that the sweep
 * reads cannot be read. */
char *sweep_head_new(const struct sweep *sweep, struct fp_error *error);

/* Checks that a file's first line is head. Returns 0, or -EINVAL with an error
 * that says what differs. */
int sweep_head_check(const char *name, const char *line, const char *head,
		     struct fp_error *error);

/* What merging needs to know of a first line. */
struct sweep_head {
	uint64_t points;        /* of the whole grid */
	uint64_t shard, shards; /* from 0 */
	char *whole;            /* as if one run had made all; to be freed */
	/* axes that vary, but for cc */
	char names[SWEEP_AXES_MAX][40];
	uint32_t name_count;
};

/* Reads it. name: of the file. Returns 0 or a negative errno with error. */
int sweep_head_read(const char *name, const char *line,
		    struct sweep_head *ret_head, struct fp_error *error);

/* --- sweep_files.c: where lines go -----------------------------------------
 */

struct sweep_files {
	const struct sweep *sweep; /* the caller's */
	struct out_lines json, csv;
	bool has_json, has_csv;
	uint64_t have; /* points that a continued file has already */
};

/* Opens what --out and --csv say, or standard output; with --resume reads what
 * is there. Returns 0 or a negative errno with error. */
int sweep_files_open(struct sweep_files *files, const struct sweep *sweep,
		     struct fp_error *error);

/* Adds the line of the next point. Returns 0 or a negative errno with error. */
int sweep_files_add(struct sweep_files *files, const char *line,
		    struct fp_error *error);

/* Returns 0 or a negative errno with error. */
int sweep_files_close(struct sweep_files *files, struct fp_error *error);

/* Reads the number of a point, from 0, at the start of its line. Returns false
 * where there is none, or where the line does not end as one. */
bool sweep_line_point(const char *line, uint64_t *ret_point);

/* --- The rest --------------------------------------------------------------
 */

/* Says how large a sweep is and how long it will take (--plan), or refuses one
 * that takes too long without --yes. Returns the exit status; ret_goes_on tells
 * whether to run it. */
int sweep_plan(const struct sweep *sweep, bool *ret_goes_on);

/* Runs it. Returns the exit status. */
int sweep_run(const struct sweep *sweep);

/* Merges the files of shards. Returns the exit status. */
int sweep_merge(const struct sweep_options *options, char **names,
		uint32_t count);

#endif
