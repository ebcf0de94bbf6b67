/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/field.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *field_string(const struct out_field *field, const void *row)
{
	const char *const *text =
	    (const void *)((const char *)row + field->offset);

	return *text;
}

double out_field_number(const struct out_field *field, const void *row)
{
	const double *number =
	    (const void *)((const char *)row + field->offset);

	return field->unit == FP_UNIT_TEXT ? NAN : *number;
}

static bool is_whole(enum fp_unit unit)
{
	return unit != FP_UNIT_SHARE && unit != FP_UNIT_RATIO &&
	       unit != FP_UNIT_TIME_S;
}

static json_t *field_json(const struct out_field *field, const void *row)
{
	double number = out_field_number(field, row);

	if (field->unit == FP_UNIT_TEXT)
		return field_string(field, row)
			   ? json_string(field_string(field, row))
			   : json_null();
	if (isnan(number) || isinf(number))
		return json_null();
	if (field->unit == FP_UNIT_FLAG)
		return json_boolean(number > 0);
	return is_whole(field->unit) ? json_integer(llround(number))
				     : json_real(number);
}

/* The object that a dotted key is set in; ret_last is what follows the dot. */
static json_t *parent_of(json_t *object, const char *key, const char **ret_last)
{
	const char *dot = strchr(key, '.');
	char name[64];
	json_t *child;

	*ret_last = key;
	if (!dot)
		return object;
	*ret_last = dot + 1;
	(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
	child = json_object_get(object, name);
	if (child)
		return child;
	child = json_object();
	(void)json_object_set_new(object, name, child);
	return child;
}

void out_fields_to_json(const struct out_field *fields, const void *row,
			json_t *object)
{
	const char *last;
	json_t *parent;

	for (; fields->key; fields++) {
		parent = parent_of(object, fields->key, &last);
		(void)json_object_set_new(parent, last,
					  field_json(fields, row));
	}
}

const struct out_field *out_field_find(const struct out_field *fields,
				       const char *key)
{
	for (; fields->key; fields++) {
		if (strcmp(fields->key, key) == 0)
			return fields;
	}
	return NULL;
}

char *out_field_text(const struct out_field *field, const void *row,
		     char *ret_text, size_t bytes)
{
	const char *text;

	if (field->unit != FP_UNIT_TEXT)
		return fp_format(ret_text, bytes, field->unit,
				 out_field_number(field, row));
	text = field_string(field, row);
	(void)snprintf(ret_text, bytes, "%s", text ? text : "-");
	return ret_text;
}
