/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file of lines is the one that counts; that of CSV is made from it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep.h"
#include "out/csv.h"
#include "sys/error.h"

#define POINT_START "{\"point\":"

bool sweep_line_point(const char *line, uint64_t *ret_point)
{
	size_t start = strlen(POINT_START), length = strlen(line);
	char *end;

	if (strncmp(line, POINT_START, start) != 0 || line[start] < '1' ||
	    line[start] > '9' || line[length - 1] != '}')
		return false;
	*ret_point = strtoull(line + start, &end, 10) - 1;
	return *end == ',';
}

static int open_csv(struct sweep_files *files, struct fp_error *error)
{
	const struct sweep_options *options = &files->sweep->options;
	char *head = out_csv_head(files->sweep->fields.fields);
	int result;

	if (!head)
		return fp_error_errno(error, ENOMEM, "cannot write '%s'",
				      options->csv);
	result = out_lines_new(&files->csv, options->csv, options->resume, head,
			       error);
	files->has_csv = result == 0;
	if (result == -EEXIST)
		fp_error_hint(error, "--csv names another file");
	free(head);
	return result;
}

static int add_csv(struct sweep_files *files, const char *line,
		   struct fp_error *error)
{
	json_t *object = json_loads(line, 0, NULL);
	char *row = out_csv_row(files->sweep->fields.fields, object);
	int result;

	if (object && row)
		result = out_lines_add(&files->csv, row, error);
	else
		result = fp_error_set(error, FP_EXIT_FAILED,
				      "'%s' is damaged: a line is no JSON",
				      files->sweep->options.out);
	json_decref(object);
	free(row);
	return result;
}

/* What a continued file has already. */
static int read_line(void *context, uint64_t number, char *line,
		     struct fp_error *error)
{
	struct sweep_files *files = context;
	const struct sweep *sweep = files->sweep;
	uint64_t point;
	int result;

	if (number == 0) {
		result = sweep_head_check(sweep->options.out, line, sweep->head,
					  error);
		return result == 0 && sweep->options.csv
			   ? open_csv(files, error)
			   : result;
	}
	if (number > sweep->count || !sweep_line_point(line, &point) ||
	    point != sweep_point_of(sweep, number - 1))
		return fp_error_set(error, FP_EXIT_FAILED,
				    "'%s' is damaged: line %" PRIu64
				    " is not the point that belongs there",
				    sweep->options.out, number + 1);
	files->have = number;
	return files->has_csv ? add_csv(files, line, error) : 0;
}

static int open_json(struct sweep_files *files, struct fp_error *error)
{
	const struct sweep *sweep = files->sweep;
	const struct sweep_options *options = &sweep->options;
	const struct out_lines_reader reader = { read_line, files };
	int result;

	if (options->resume)
		return out_lines_resume(&files->json, options->out, sweep->head,
					&reader, error);
	result = out_lines_new(&files->json, options->out, false, sweep->head,
			       error);
	if (result == -EEXIST)
		fp_error_hint(error, "%s--out names another file",
			      options->merge ? "" : "--resume continues it, ");
	return result;
}

static bool wants_json(const struct sweep_options *options)
{
	return options->out || (!options->csv && !options->table);
}

int sweep_files_open(struct sweep_files *files, const struct sweep *sweep,
		     struct fp_error *error)
{
	int result = 0;

	*files = (struct sweep_files){ .sweep = sweep,
				       .json = { .fd = -1 },
				       .csv = { .fd = -1 } };
	if (wants_json(&sweep->options)) {
		result = open_json(files, error);
		files->has_json = result == 0;
	}
	if (result == 0 && sweep->options.csv && !files->has_csv) {
		result = open_csv(files, error);
		if (result < 0) /* the file that it just began */
			out_lines_cancel(&files->json);
	}
	if (result < 0)
		(void)sweep_files_close(files, NULL); /* the first is told */
	return result;
}

int sweep_files_add(struct sweep_files *files, const char *line,
		    struct fp_error *error)
{
	int result = 0;

	if (files->has_json)
		result = out_lines_add(&files->json, line, error);
	if (result == 0 && files->has_csv)
		result = add_csv(files, line, error);
	return result;
}

int sweep_files_close(struct sweep_files *files, struct fp_error *error)
{
	int json = out_lines_close(&files->json, error);
	int csv = out_lines_close(&files->csv, json < 0 ? NULL : error);

	return json < 0 ? json : csv;
}
