/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define COLUMNS_MAX 16
#define CELL_BYTES  96

static double number_at(const struct out_column *column, int place,
			const struct out_field *fields, const void *row)
{
	const struct out_field *field =
	    out_field_find(fields, column->keys[place]);

	return field ? out_field_number(field, row) : NAN;
}

static void write_spread(const struct out_column *column,
			 const struct out_field *fields, const void *row,
			 char *ret_text, size_t bytes)
{
	const struct out_field *field = out_field_find(fields, column->keys[0]);
	double median = number_at(column, 0, fields, row);
	struct fp_scale scale = fp_scale_for(field->unit, median);
	char min[FP_FORMAT_BYTES], max[FP_FORMAT_BYTES];
	char middle[FP_FORMAT_BYTES];

	fp_format(middle, sizeof(middle), field->unit, median);
	fp_format_number(min, sizeof(min),
			 number_at(column, 1, fields, row) / scale.divisor);
	fp_format_number(max, sizeof(max),
			 number_at(column, 2, fields, row) / scale.divisor);
	if (isnan(median))
		(void)snprintf(ret_text, bytes, "-");
	else
		(void)snprintf(ret_text, bytes, "%s (%s-%s)", middle, min, max);
}

static void write_pair(const struct out_column *column,
		       const struct out_field *fields, const void *row,
		       char *ret_text, size_t bytes)
{
	const struct out_field *field = out_field_find(fields, column->keys[0]);
	double first = number_at(column, 0, fields, row);
	double second = number_at(column, 1, fields, row);
	struct fp_scale scale = fp_scale_for(field->unit, second);
	char left[FP_FORMAT_BYTES], right[FP_FORMAT_BYTES];

	fp_format_number(left, sizeof(left), first / scale.divisor);
	fp_format(right, sizeof(right), field->unit, second);
	if (isnan(first) && isnan(second))
		(void)snprintf(ret_text, bytes, "-");
	else
		(void)snprintf(ret_text, bytes, "%s / %s", left, right);
}

char *out_column_text(const struct out_column *column,
		      const struct out_field *fields, const void *row,
		      char *ret_text, size_t bytes)
{
	const struct out_field *field = out_field_find(fields, column->keys[0]);

	if (!field)
		(void)snprintf(ret_text, bytes, "?");
	else if (column->shape == OUT_SPREAD)
		write_spread(column, fields, row, ret_text, bytes);
	else if (column->shape == OUT_PAIR)
		write_pair(column, fields, row, ret_text, bytes);
	else
		out_field_text(field, row, ret_text, bytes);
	return ret_text;
}

static const void *row_at(const struct out_rows *rows, uint32_t number)
{
	return (const char *)rows->first + rows->row_bytes * number;
}

/* Width of a column; 0 when it has nothing to show. */
static int width_of(const struct out_column *column,
		    const struct out_rows *rows)
{
	int width = (int)strlen(column->heading), cell;
	bool is_known = false;
	char text[CELL_BYTES];
	uint32_t i;

	for (i = 0; i < rows->count; i++) {
		out_column_text(column, rows->fields, row_at(rows, i), text,
				sizeof(text));
		cell = (int)strlen(text);
		width = cell > width ? cell : width;
		is_known = is_known || strcmp(text, "-") != 0;
	}
	return is_known ? width : 0;
}

static bool is_left(const struct out_column *column,
		    const struct out_field *fields)
{
	const struct out_field *field = out_field_find(fields, column->keys[0]);

	return field && field->unit == FP_UNIT_TEXT;
}

/* Prints one line: headings where row is NULL. */
static void print_line(FILE *file, const struct out_column *columns,
		       const struct out_rows *rows, const int *widths,
		       const void *row)
{
	char line[COLUMNS_MAX * CELL_BYTES] = "", text[CELL_BYTES];
	size_t used = 0, i;
	int width;

	for (i = 0; columns[i].heading; i++) {
		if (widths[i] == 0)
			continue;
		if (row)
			out_column_text(&columns[i], rows->fields, row, text,
					sizeof(text));
		else
			(void)snprintf(text, sizeof(text), "%s",
				       columns[i].heading);
		width =
		    is_left(&columns[i], rows->fields) ? -widths[i] : widths[i];
		used +=
		    (size_t)snprintf(line + used, sizeof(line) - used, "%s%*s",
				     used ? "  " : "", width, text);
	}
	while (used > 0 && line[used - 1] == ' ')
		line[--used] = '\0';
	(void)fprintf(file, "%s\n", line);
}

void out_table_print(FILE *file, const struct out_column *columns,
		     const struct out_rows *rows)
{
	int widths[COLUMNS_MAX] = { 0 };
	uint32_t i;

	for (i = 0; i < COLUMNS_MAX && columns[i].heading; i++)
		widths[i] = width_of(&columns[i], rows);
	print_line(file, columns, rows, widths, NULL);
	for (i = 0; i < rows->count; i++)
		print_line(file, columns, rows, widths, row_at(rows, i));
}

void out_paragraph_print(FILE *file, const char *label, int label_columns,
			 const char *text)
{
	int column = label_columns, length;

	(void)fprintf(file, "%-*s", label_columns, label);
	while (*text) {
		length = (int)strcspn(text, " ");
		if (column > label_columns &&
		    column + 1 + length > OUT_LINE_COLUMNS) {
			(void)fprintf(file, "\n%*s", label_columns, "");
			column = label_columns;
		}
		column +=
		    fprintf(file, "%s%.*s", column > label_columns ? " " : "",
			    length, text);
		text += length;
		text += strspn(text, " ");
	}
	(void)fputc('\n', file);
}
