/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A field says once what a number of a row is: its key in JSON, its unit, and
 * where it lies. Text and JSON are two renderers of the same fields, so they
 * cannot disagree.
 */
#ifndef OUT_FIELD_H
#define OUT_FIELD_H

#include <jansson.h>
#include <stddef.h>

#include "sys/format.h"

/* Significant digits of shares and seconds in JSON: more is noise. */
#define OUT_REAL_DIGITS 6

/* One member of a row. Numbers are doubles (NaN: not known), texts are const
 * char * (NULL: none). Tables end with a NULL key. */
struct out_field {
	const char *key; /* in JSON; "rtt_us.p50" is p50 in an object rtt_us */
	enum fp_unit unit;
	size_t offset; /* of the double or const char * in the row */
};

#define OUT_FIELD(type, key, unit, member)                                     \
	{                                                                      \
		key, unit, offsetof(struct type, member)                       \
	}
#define OUT_FIELDS_END                                                         \
	{                                                                      \
		NULL, FP_UNIT_TEXT, 0                                          \
	}

/* Adds each field of row to object, in order. What is not known is null;
 * rates, bytes, times in us, ppm and counts are whole numbers. */
void out_fields_to_json(const struct out_field *fields, const void *row,
			json_t *object);

/* Finds a field by its key. NULL when there is none. */
const struct out_field *out_field_find(const struct out_field *fields,
				       const char *key);

/* Reads a number of row; NaN when the field is a text. */
double out_field_number(const struct out_field *field, const void *row);

/* Writes a field of row as people read it. Returns ret_text. */
char *out_field_text(const struct out_field *field, const void *row,
		     char *ret_text, size_t bytes);

#endif
