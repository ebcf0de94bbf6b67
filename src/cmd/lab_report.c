/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/lab_report.h"

#include <errno.h>

#include "cmd/measured.h"
#include "lab/world.h"
#include "out/report.h"
#include "out/table.h"
#include "sys/error.h"
#include "sys/kernel.h"

#define LABEL_COLUMNS 10
#define KERNEL_BYTES  65

struct lab_document { /* the fields before the path */
	const char *kernel, *backend, *note;
	double seed, status, is_user_namespace, is_valid;
};

static const struct out_field document_fields[] = {
	OUT_FIELD(lab_document, "kernel", FP_UNIT_TEXT, kernel),
	OUT_FIELD(lab_document, "seed", FP_UNIT_COUNT, seed),
	OUT_FIELD(lab_document, "backend", FP_UNIT_TEXT, backend),
	OUT_FIELD(lab_document, "user_namespace", FP_UNIT_FLAG,
		  is_user_namespace),
	OUT_FIELD(lab_document, "command_status", FP_UNIT_COUNT, status),
	OUT_FIELD(lab_document, "valid", FP_UNIT_FLAG, is_valid),
	OUT_FIELD(lab_document, "note", FP_UNIT_TEXT, note),
	OUT_FIELDS_END,
};

void lab_report_print(FILE *file, const struct lab_outcome *outcome)
{
	const struct lab_result *result = outcome->result;
	const struct out_capture capture = cmd_capture_row(outcome->capture);
	struct out_accuracy accuracy = { 0 };
	char late[OUT_NOTE_BYTES];
	struct out_path path;

	cmd_path_fill(outcome->spec, outcome->options->seed, &path);
	cmd_path_add(result, &path);
	cmd_accuracy_add(result, &accuracy);
	cmd_accuracy_finish(&accuracy);
	out_path_print(file, &path);
	if (!outcome->spec->is_direct) {
		out_counted_print(file, &path);
		out_accuracy_print(file, &accuracy);
	}
	out_capture_print(file, &capture);
	if (outcome->capture_note[0])
		out_paragraph_print(file, "note", LABEL_COLUMNS,
				    outcome->capture_note);
	if (result->note[0])
		out_paragraph_print(file, "note", LABEL_COLUMNS, result->note);
	if (cmd_accuracy_note(&accuracy, path.rtt_us, late, sizeof(late)))
		out_paragraph_print(file, "note", LABEL_COLUMNS, late);
	if (!result->is_valid)
		out_paragraph_print(file, "INVALID", LABEL_COLUMNS,
				    "what was measured over this path must "
				    "not be used: the note says why");
}

static json_t *make_document(const struct lab_outcome *outcome)
{
	const struct lab_result *result = outcome->result;
	const struct out_capture capture = cmd_capture_row(outcome->capture);
	struct out_accuracy accuracy = { 0 };
	char kernel[KERNEL_BYTES];
	struct lab_document row = {
		.kernel = kernel,
		.backend = lab_backend_name(result->backend),
		.note = result->note[0] ? result->note : NULL,
		.status = outcome->status,
		.is_user_namespace = result->is_user_namespace,
		.is_valid = result->is_valid,
	};
	json_t *document = json_object();
	struct out_path path;

	fp_kernel_release(kernel, sizeof(kernel));
	cmd_path_fill(outcome->spec, outcome->options->seed, &path);
	row.seed = path.way[SPEC_FORWARD].seed;
	cmd_path_add(result, &path);
	cmd_accuracy_add(result, &accuracy);
	cmd_accuracy_finish(&accuracy);
	(void)json_object_set_new(document, "schema",
				  json_string("fullpipe.lab/1"));
	out_fields_to_json(document_fields, &row, document);
	(void)json_object_set_new(document, "path", out_path_json(&path));
	(void)json_object_set_new(
	    document, "accuracy",
	    out_object_json(out_accuracy_fields, &accuracy));
	(void)json_object_set_new(document, "capture",
				  out_capture_json(&capture));
	return document;
}

int lab_report_write(const struct lab_outcome *outcome, struct fp_error *error)
{
	const char *name = outcome->options->report;
	FILE *file = fopen(name, "we");
	json_t *document;

	if (!file)
		return fp_error_errno(error, errno, "cannot write '%s'", name);
	document = make_document(outcome);
	out_json_print(file, document);
	json_decref(document);
	if (fclose(file) != 0)
		return fp_error_errno(error, errno, "cannot write '%s'", name);
	return 0;
}
