/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --preset all: what was published, measured again. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/compare.h"
#include "out/table.h"
#include "sys/error.h"

#define PRESETS_MAX   16
#define REMARKS_MAX   (PRESETS_MAX * 16) /* notes of a report, at most */
#define ROWS_MAX      (PRESETS_MAX * LAB_GROUPS_MAX)
#define LABEL_COLUMNS 18

struct row { /* one algorithm on one preset */
	const char *preset, *label, *limited_by;
	struct out_spread goodput_bps;
	double published_bps, model_bps;
	char label_text[OUT_LABEL_BYTES];
};

static const struct out_field fields[] = {
	OUT_FIELD(row, "preset", FP_UNIT_TEXT, preset),
	OUT_FIELD(row, "algorithm", FP_UNIT_TEXT, label),
	OUT_FIELD(row, "median", FP_UNIT_RATE_BPS, goodput_bps.median),
	OUT_FIELD(row, "min", FP_UNIT_RATE_BPS, goodput_bps.min),
	OUT_FIELD(row, "max", FP_UNIT_RATE_BPS, goodput_bps.max),
	OUT_FIELD(row, "published", FP_UNIT_RATE_BPS, published_bps),
	OUT_FIELD(row, "model", FP_UNIT_RATE_BPS, model_bps),
	OUT_FIELD(row, "limited_by", FP_UNIT_TEXT, limited_by),
	OUT_FIELDS_END,
};

struct remark { /* an oddity of one preset's run */
	const char *preset;
	char text[256];
};

struct gathering {
	const struct compare_options *options;
	struct row rows[ROWS_MAX];
	uint32_t row_count;
	struct remark remarks[REMARKS_MAX];
	uint32_t remark_count;
	json_t *documents;
	int status;          /* the worst exit status so far */
	bool is_interrupted; /* what was seen until then is shown */
};

static double published_of(const struct spec_preset *preset,
			   const char *algorithm)
{
	uint64_t bps = 0;

	if (strcmp(algorithm, "cubic") == 0)
		bps = preset->published_bps[0];
	else if (strcmp(algorithm, "bbr") == 0)
		bps = preset->published_bps[1];
	return bps ? (double)bps : NAN;
}

static void add_rows(struct gathering *all, const struct spec_preset *preset,
		     const struct out_report *report)
{
	const struct out_result *result = report->results;
	struct row *row;
	uint32_t i;

	for (i = 0; i < report->result_count && all->row_count < ROWS_MAX;
	     i++, result++) {
		row = &all->rows[all->row_count++];
		row->preset = preset->name;
		row->limited_by = result->limited_by;
		row->goodput_bps = result->goodput_bps;
		row->published_bps = published_of(preset, result->algorithm);
		row->model_bps = report->mathis_bps;
		(void)snprintf(row->label_text, sizeof(row->label_text), "%s",
			       result->label);
		row->label = row->label_text;
	}
}

static void add_remark(struct gathering *all, const struct spec_preset *preset,
		       const char *text)
{
	struct remark *remark;

	if (all->remark_count == REMARKS_MAX)
		return;
	remark = &all->remarks[all->remark_count++];
	remark->preset = preset->name;
	(void)snprintf(remark->text, sizeof(remark->text), "%.*s",
		       (int)sizeof(remark->text) - 1, text);
}

static void add_remarks(struct gathering *all, const struct spec_preset *preset,
			const struct out_report *report)
{
	uint32_t i;

	for (i = 0; i < report->note_count; i++)
		add_remark(all, preset, report->notes[i]);
}

static json_t *rate_or_null(uint64_t bps)
{
	return bps ? json_integer((json_int_t)bps) : json_null();
}

static void add_document(struct gathering *all,
			 const struct spec_preset *preset,
			 const struct out_report *report)
{
	json_t *object = json_object(), *published = json_object();

	(void)json_object_set_new(object, "name", json_string(preset->name));
	(void)json_object_set_new(object, "about", json_string(preset->about));
	(void)json_object_set_new(published, "cubic",
				  rate_or_null(preset->published_bps[0]));
	(void)json_object_set_new(published, "bbr",
				  rate_or_null(preset->published_bps[1]));
	(void)json_object_set_new(object, "published_bps", published);
	(void)json_object_set_new(object, "wrong",
				  preset->wrong ? json_string(preset->wrong)
						: json_null());
	(void)json_object_set_new(object, "compare", out_report_json(report));
	(void)json_array_append_new(all->documents, object);
}

static int measure_preset(struct gathering *all,
			  const struct spec_preset *preset,
			  struct spec_builder *path)
{
	struct compare_options options = *all->options;
	struct out_report report = { .status = "invalid" };
	struct compare_plan plan;
	struct fp_error error;
	int status;

	options.preset = preset->name;
	if (spec_builder_set(path, "preset", preset->name, &error) < 0)
		return cmd_fail(&error);
	status = compare_plan_init(&plan, &options, path, &error);
	if (status == -EOPNOTSUPP) {
		add_remark(all, preset, error.text);
		return FP_EXIT_DONE;
	}
	if (status < 0)
		return cmd_fail(&error);
	if (compare_measure(&plan, &report, &error) < 0) {
		status = cmd_fail(&error);
	} else {
		add_rows(all, preset, &report);
		add_remarks(all, preset, &report);
		add_document(all, preset, &report);
		status = compare_exit_status(&report);
		all->is_interrupted = strcmp(report.status, "interrupted") == 0;
		compare_report_fini(&report);
	}
	compare_plan_fini(&plan);
	return status;
}

static int measure_all(struct gathering *all)
{
	const struct spec_preset *preset;
	struct spec_builder *path;
	uint32_t i;
	int status;

	for (i = 0; (preset = spec_preset_at(i)); i++) {
		path = spec_builder_new();
		if (!path)
			return FP_EXIT_FAILED;
		if (!all->options->quiet)
			(void)fprintf(stderr, "%s: %s\n", preset->name,
				      preset->about);
		status = measure_preset(all, preset, path);
		spec_builder_free(path);
		if (status > FP_EXIT_BAD)
			return status; /* the rest would fare no better */
		all->status = status ? status : all->status;
	}
	return all->status;
}

static void print_rows(const struct gathering *all)
{
	const struct out_column columns[] = {
		{ "preset", OUT_VALUE, { "preset" } },
		{ "algorithm", OUT_VALUE, { "algorithm" } },
		{ all->options->sim ? "simulated (min-max)"
				    : "measured (min-max)",
		  OUT_SPREAD,
		  { "median", "min", "max" } },
		{ "published", OUT_VALUE, { "published" } },
		{ "Mathis", OUT_VALUE, { "model" } },
		{ "limited by", OUT_VALUE, { "limited_by" } },
		{ NULL, OUT_VALUE, { NULL } },
	};
	const struct out_rows rows = { fields, all->rows, sizeof(all->rows[0]),
				       all->row_count };

	out_table_print(stdout, columns, &rows);
}

static void print_table(const struct gathering *all)
{
	const struct spec_preset *preset;
	uint32_t i;

	print_rows(all);
	if (all->remark_count > 0)
		(void)puts("\nNotes on these runs:");
	for (i = 0; i < all->remark_count; i++)
		out_paragraph_print(stdout, all->remarks[i].preset,
				    LABEL_COLUMNS, all->remarks[i].text);
	(void)puts("\nWhat the articles have wrong:");
	for (i = 0; (preset = spec_preset_at(i)); i++) {
		if (preset->wrong)
			out_paragraph_print(stdout, preset->name, LABEL_COLUMNS,
					    preset->wrong);
	}
}

static void print_json(struct gathering *all)
{
	json_t *document = json_object();

	(void)json_object_set_new(document, "schema",
				  json_string("fullpipe.presets/1"));
	(void)json_object_set(document, "presets", all->documents);
	out_json_print(stdout, document);
	json_decref(document);
}

static void print(struct gathering *all)
{
	if (all->options->json)
		print_json(all);
	else
		print_table(all);
}

int compare_presets(const struct compare_options *options)
{
	struct gathering *all = calloc(1, sizeof(*all));
	struct fp_error error;
	int status;

	if (!all) {
		(void)fp_error_errno(&error, ENOMEM, "cannot keep results");
		return cmd_fail(&error);
	}
	all->options = options;
	all->documents = json_array();
	status = measure_all(all);
	if (status <= FP_EXIT_BAD || all->is_interrupted)
		print(all);
	json_decref(all->documents);
	free(all);
	return status;
}
