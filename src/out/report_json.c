/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>

#include "out/report.h"
#include "out/table.h"

json_t *out_object_json(const struct out_field *fields, const void *row)
{
	json_t *object = json_object();

	out_fields_to_json(fields, row, object);
	return object;
}

static json_t *array_of(const struct out_rows *rows)
{
	const char *row = rows->first;
	json_t *array = json_array();
	uint32_t i;

	for (i = 0; i < rows->count; i++, row += rows->row_bytes)
		(void)json_array_append_new(array,
					    out_object_json(rows->fields, row));
	return array;
}

json_t *out_path_json(const struct out_path *path)
{
	json_t *object = out_object_json(out_path_fields, path);
	json_t *back = out_object_json(out_way_fields, &path->way[1]);

	out_fields_to_json(out_way_fields, &path->way[0], object);
	(void)json_object_set_new(
	    back, "measured",
	    out_object_json(out_measured_fields, &path->way[1].measured));
	(void)json_object_set_new(object, "back", back);
	(void)json_object_set_new(
	    object, "measured",
	    out_object_json(out_measured_fields, &path->way[0].measured));
	return object;
}

static json_t *round_json(const struct out_round *round, bool has_samples)
{
	const struct out_rows flows = { out_flow_fields, round->flows,
					sizeof(*round->flows),
					round->flow_count };
	const struct out_rows samples = { out_sample_fields, round->samples,
					  sizeof(*round->samples),
					  round->sample_count };
	json_t *object = out_object_json(out_round_fields, round);

	(void)json_object_set_new(object, "flows", array_of(&flows));
	if (has_samples)
		(void)json_object_set_new(object, "samples",
					  array_of(&samples));
	return object;
}

json_t *out_capture_json(const struct out_capture *capture)
{
	return capture->sender ? out_object_json(out_capture_fields, capture)
			       : json_null();
}

static json_t *result_json(const struct out_result *result, bool has_samples)
{
	json_t *object = out_object_json(out_result_fields, result);
	json_t *rounds = json_array();
	uint32_t i;

	for (i = 0; i < result->round_count; i++)
		(void)json_array_append_new(
		    rounds, round_json(&result->rounds[i], has_samples));
	(void)json_object_set_new(object, "capture",
				  out_capture_json(&result->capture));
	(void)json_object_set_new(object, "rounds", rounds);
	return object;
}

static json_t *results_json(const struct out_report *report)
{
	json_t *array = json_array();
	uint32_t i;

	for (i = 0; i < report->result_count; i++)
		(void)json_array_append_new(
		    array,
		    result_json(&report->results[i], report->has_samples));
	return array;
}

static json_t *notes_json(const struct out_report *report)
{
	json_t *array = json_array();
	uint32_t i;

	for (i = 0; i < report->note_count; i++)
		(void)json_array_append_new(array,
					    json_string(report->notes[i]));
	return array;
}

static json_t *number_or_null(double value, bool is_whole)
{
	if (isnan(value))
		return json_null();
	return is_whole ? json_integer(llround(value)) : json_real(value);
}

json_t *out_report_json(const struct out_report *report)
{
	const struct out_rows expectations = { out_expectation_fields,
					       report->expectations,
					       sizeof(*report->expectations),
					       report->expectation_count };
	json_t *document = json_object(), *model = json_object();

	(void)json_object_set_new(document, "schema",
				  json_string("fullpipe.compare/1"));
	out_fields_to_json(out_run_fields, &report->run, document);
	(void)json_object_set_new(document, "path",
				  out_path_json(&report->path));
	(void)json_object_set_new(model, "mathis_bps",
				  number_or_null(report->mathis_bps, true));
	(void)json_object_set_new(document, "model", model);
	(void)json_object_set_new(document, "results", results_json(report));
	(void)json_object_set_new(document, "jain",
				  number_or_null(report->jain, false));
	(void)json_object_set_new(
	    document, "accuracy",
	    out_object_json(out_accuracy_fields, &report->accuracy));
	(void)json_object_set_new(document, "expectations",
				  array_of(&expectations));
	(void)json_object_set_new(document, "notes", notes_json(report));
	(void)json_object_set_new(document, "verdict",
				  json_string(report->verdict));
	(void)json_object_set_new(document, "status",
				  json_string(report->status));
	return document;
}

void out_json_print(FILE *file, const json_t *document)
{
	(void)json_dumpf(document, file,
			 JSON_INDENT(2) | JSON_REAL_PRECISION(OUT_REAL_DIGITS));
	(void)fputc('\n', file);
}
