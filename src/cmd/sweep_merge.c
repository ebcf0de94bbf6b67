/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shard i of n has points i, i + n, i + 2n, …, so the whole is one line of each
 * in turn. All files are looked through first: nothing is written unless every
 * point is there once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/command.h"
#include "cmd/sweep.h"
#include "sys/error.h"

#define SPARE_FDS 32

struct merge {
	const struct sweep_options *options;
	char **names; /* of the files, as given */
	uint32_t count;
	struct sweep_head head;         /* of the first of them */
	char **file_of;                 /* by shard; NULL: none */
	struct out_lines_input *inputs; /* by shard, while lines are taken */
	struct sweep whole; /* as if one run had made it, for its files */
};

/* One descriptor a file; more than the usual 1024 where that is allowed. */
static void allow_files(uint64_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	    limit.rlim_cur >= count + SPARE_FDS)
		return;
	limit.rlim_cur = limit.rlim_max < count + SPARE_FDS ? limit.rlim_max
							    : count + SPARE_FDS;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* opening says if too low */
}

/* --- Looking through ------------------------------------------------------ */

static uint64_t points_of(const struct sweep_head *head)
{
	return (head->points + head->shards - 1 - head->shard) / head->shards;
}

/* Reads all lines of a file behind its head. Tells how many points it has. */
static int count_points(struct out_lines_input *input,
			const struct sweep_head *head, uint64_t *ret_count,
			struct fp_error *error)
{
	uint64_t count = 0, point;
	int result;

	while ((result = out_lines_next(input, error)) > 0) {
		if (!sweep_line_point(input->line, &point) ||
		    point != head->shard + count * head->shards ||
		    point >= head->points)
			return fp_error_set(
			    error, FP_EXIT_FAILED,
			    "'%s' is damaged: line %" PRIu64
			    " is not the point that belongs there",
			    input->name, input->number + 1);
		count++;
	}
	*ret_count = count;
	return result;
}

static int check_complete(const char *name, const struct sweep_head *head,
			  uint64_t count, struct fp_error *error)
{
	uint64_t all = points_of(head);

	if (count == all)
		return 0;
	(void)fp_error_set(error, FP_EXIT_FAILED,
			   "points are missing: '%s' has %" PRIu64
			   " of %" PRIu64 ", and not point %" PRIu64,
			   name, count, all,
			   head->shard + count * head->shards + 1);
	fp_error_hint(error,
		      "shard %" PRIu64 "/%" PRIu64 " is not finished: "
		      "continue it with --resume",
		      head->shard + 1, head->shards);
	return -ENODATA;
}

static int check_same(const struct merge *merge, const char *name,
		      const struct sweep_head *head, struct fp_error *error)
{
	int result =
	    sweep_head_check(name, head->whole, merge->head.whole, error);

	if (result < 0)
		fp_error_hint(error, "'%s' is the first of the files",
			      merge->names[0]);
	else if (head->shards != merge->head.shards)
		result = fp_error_set(
		    error, FP_EXIT_FAILED,
		    "'%s' is one of %" PRIu64 " shards, '%s' one of %" PRIu64,
		    name, head->shards, merge->names[0], merge->head.shards);
	return result;
}

static int take_shard(struct merge *merge, char *name,
		      const struct sweep_head *head, struct fp_error *error)
{
	char **place = &merge->file_of[head->shard];

	if (*place)
		return fp_error_set(error, FP_EXIT_FAILED,
				    "points stand twice: '%s' and '%s' are "
				    "both shard %" PRIu64 "/%" PRIu64,
				    *place, name, head->shard + 1,
				    head->shards);
	*place = name;
	return 0;
}

/* The first file says what all must be. */
static int take_first(struct merge *merge, const struct sweep_head *head,
		      struct fp_error *error)
{
	merge->head = *head;
	merge->head.whole = strdup(head->whole);
	merge->file_of = calloc(head->shards, sizeof(*merge->file_of));
	if (!merge->head.whole || !merge->file_of)
		return fp_error_errno(error, ENOMEM, "cannot merge");
	return 0;
}

static int look_at_lines(struct merge *merge, struct out_lines_input *input,
			 char *name, struct fp_error *error)
{
	struct sweep_head head;
	uint64_t count = 0;
	int result = out_lines_next(input, error);

	if (result == 0)
		return fp_error_set(error, FP_EXIT_FAILED, "'%s' is empty",
				    name);
	if (result > 0)
		result = sweep_head_read(name, input->line, &head, error);
	if (result < 0)
		return result;
	if (!merge->file_of)
		result = take_first(merge, &head, error);
	if (result == 0)
		result = check_same(merge, name, &head, error);
	if (result == 0)
		result = take_shard(merge, name, &head, error);
	if (result == 0)
		result = count_points(input, &head, &count, error);
	if (result == 0)
		result = check_complete(name, &head, count, error);
	free(head.whole);
	return result;
}

static int look_at(struct merge *merge, char *name, struct fp_error *error)
{
	struct out_lines_input input;
	int result = out_lines_open(&input, name, error);

	if (result < 0)
		return result;
	result = look_at_lines(merge, &input, name, error);
	out_lines_input_close(&input);
	return result;
}

/* A shard without points may stay away. */
static int check_shards(const struct merge *merge, struct fp_error *error)
{
	struct sweep_head head = merge->head;
	uint64_t missing = 0, first = 0;

	for (head.shard = 0; head.shard < head.shards; head.shard++) {
		if (merge->file_of[head.shard] || points_of(&head) == 0)
			continue;
		if (missing++ == 0)
			first = head.shard;
	}
	if (missing == 0)
		return 0;
	(void)fp_error_set(error, FP_EXIT_FAILED,
			   "points are missing: %" PRIu64 " of %" PRIu64
			   " shards are not there, shard %" PRIu64 "/%" PRIu64
			   " first",
			   missing, head.shards, first + 1, head.shards);
	fp_error_hint(error, "name the files of all shards");
	return -ENODATA;
}

/* --- Writing -------------------------------------------------------------- */

static int open_inputs(struct merge *merge, struct fp_error *error)
{
	uint64_t i;
	int result = 0;

	merge->inputs = calloc(merge->head.shards, sizeof(*merge->inputs));
	if (!merge->inputs)
		return fp_error_errno(error, ENOMEM, "cannot merge");
	for (i = 0; i < merge->head.shards && result >= 0; i++) {
		if (!merge->file_of[i])
			continue;
		result =
		    out_lines_open(&merge->inputs[i], merge->file_of[i], error);
		if (result == 0) /* the head */
			result = out_lines_next(&merge->inputs[i], error);
	}
	return result < 0 ? result : 0;
}

static int copy_lines(struct merge *merge, struct sweep_files *files,
		      struct fp_error *error)
{
	uint64_t point;
	int result = 0;

	for (point = 0; point < merge->head.points && result == 0; point++) {
		struct out_lines_input *input =
		    &merge->inputs[point % merge->head.shards];

		result = out_lines_next(input, error);
		if (result == 0)
			return fp_error_set(error, FP_EXIT_FAILED,
					    "'%s' became shorter while it was "
					    "read",
					    input->name);
		if (result > 0)
			result = sweep_files_add(files, input->line, error);
	}
	return result;
}

static int write_whole(struct merge *merge, struct fp_error *error)
{
	const char *names[SWEEP_AXES_MAX];
	struct sweep_files files;
	int result, closed;
	uint32_t i;

	for (i = 0; i < merge->head.name_count; i++)
		names[i] = merge->head.names[i];
	out_sweep_fields_init(&merge->whole.fields, names,
			      merge->head.name_count);
	merge->whole.options = *merge->options;
	merge->whole.head = merge->head.whole;
	result = sweep_files_open(&files, &merge->whole, error);
	if (result < 0)
		return result;
	result = open_inputs(merge, error);
	if (result == 0)
		result = copy_lines(merge, &files, error);
	closed = sweep_files_close(&files, result < 0 ? NULL : error);
	return result < 0 ? result : closed;
}

static int merge_all(struct merge *merge, struct fp_error *error)
{
	uint32_t i;
	int result = 0;

	for (i = 0; i < merge->count && result == 0; i++)
		result = look_at(merge, merge->names[i], error);
	if (result == 0)
		result = check_shards(merge, error);
	if (result == 0)
		result = write_whole(merge, error);
	return result;
}

static void merge_fini(struct merge *merge)
{
	uint64_t i;

	for (i = 0; merge->inputs && i < merge->head.shards; i++)
		out_lines_input_close(&merge->inputs[i]);
	free(merge->inputs);
	free(merge->file_of);
	free(merge->head.whole);
}

int sweep_merge(const struct sweep_options *options, char **names,
		uint32_t count)
{
	struct merge merge = { .options = options,
			       .names = names,
			       .count = count };
	struct fp_error error;
	int status = FP_EXIT_DONE;

	if (count == 0) {
		(void)fp_error_set(&error, FP_EXIT_USAGE,
				   "--merge needs the files of shards");
		fp_error_hint(&error, "fullpipe sweep --merge 1.jsonl 2.jsonl "
				      "--out all.jsonl");
		return cmd_fail(&error);
	}
	allow_files(count);
	if (merge_all(&merge, &error) < 0)
		status = cmd_fail(&error);
	merge_fini(&merge);
	return status;
}
