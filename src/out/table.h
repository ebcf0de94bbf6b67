/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Aligned text: tables whose cells are fields, and wrapped paragraphs. */
#ifndef OUT_TABLE_H
#define OUT_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "out/field.h"

#define OUT_LINE_COLUMNS 80

enum out_shape {
	OUT_VALUE,  /* "2.03 %" */
	OUT_SPREAD, /* median, min, max: "1.14 Mbit/s (1.07-1.21)" */
	OUT_PAIR,   /* two of one unit: "104 / 121 ms" */
};

/* A column shows one to three fields. Tables of columns end with a NULL
 * heading. */
struct out_column {
	const char *heading;
	enum out_shape shape;
	const char *keys[3]; /* of the fields */
};

/* Rows of equal size, side by side in memory. */
struct out_rows {
	const struct out_field *fields;
	const void *first;
	size_t row_bytes;
	uint32_t count;
};

/* Writes one cell. Returns ret_text. */
char *out_column_text(const struct out_column *column,
		      const struct out_field *fields, const void *row,
		      char *ret_text, size_t bytes);

/* Prints heading and rows; texts are aligned left, numbers right. Columns that
 * are unknown in every row are left out. */
void out_table_print(FILE *file, const struct out_column *columns,
		     const struct out_rows *rows);

/* Prints text wrapped at OUT_LINE_COLUMNS, after a label of label_columns
 * ("" and 0: none). Continuation lines are indented as far. */
void out_paragraph_print(FILE *file, const char *label, int label_columns,
			 const char *text);

#endif
