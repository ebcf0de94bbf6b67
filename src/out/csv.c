/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES 128

static void put_text(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		(void)fputs(text, file);
		return;
	}
	(void)fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', file);
		(void)fputc(*text, file);
	}
	(void)fputc('"', file);
}

/* The value of a dotted key; NULL where there is none. */
static const json_t *find(const json_t *object, const char *key)
{
	char name[KEY_BYTES];
	const char *dot;

	while (object && (dot = strchr(key, '.'))) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - key),
			       key);
		object = json_object_get(object, name);
		key = dot + 1;
	}
	return json_object_get(object, key);
}

static void put_value(FILE *file, const json_t *value)
{
	if (json_is_string(value))
		put_text(file, json_string_value(value));
	else if (value && !json_is_null(value))
		(void)json_dumpf(value, file,
				 JSON_ENCODE_ANY |
				     JSON_REAL_PRECISION(OUT_REAL_DIGITS));
}

/* object NULL: the names. */
static char *line_of(const struct out_field *fields, const json_t *object)
{
	char *line = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&line, &bytes);
	const struct out_field *field;

	if (!file)
		return NULL;
	for (field = fields; field->key; field++) {
		if (field != fields)
			(void)fputc(',', file);
		if (object)
			put_value(file, find(object, field->key));
		else
			put_text(file, field->key);
	}
	if (fclose(file) == 0)
		return line;
	free(line);
	return NULL;
}

char *out_csv_head(const struct out_field *fields)
{
	return line_of(fields, NULL);
}

char *out_csv_row(const struct out_field *fields, const json_t *object)
{
	return line_of(fields, object);
}
