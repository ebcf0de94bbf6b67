/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* First byte: the kind of value; the rest: a series of them. Each value of a
 * series that is taken, read again alone, is that value. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spec/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_alone(enum spec_quantity kind, const char *value)
{
	struct spec_series alone;
	struct fp_error error;

	if (strchr(value, ','))
		return; /* not alone without a ";" */
	if (spec_series_read(kind, value, &alone, &error) < 0 ||
	    alone.count != 1 || strcmp(alone.values[0], value) != 0)
		abort();
	spec_series_fini(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct spec_series series;
	struct fp_error error;
	enum spec_quantity kind;
	char text[256];
	uint32_t i;

	if (bytes == 0 || bytes > sizeof(text))
		return 0;
	kind = (enum spec_quantity)(data[0] % (SPEC_QUEUE + 1));
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	if (spec_series_read(kind, text, &series, &error) < 0)
		return 0;
	if (series.count < 1 || series.count > SPEC_SERIES_MAX)
		abort();
	for (i = 0; i < series.count && i < 16; i++)
		check_alone(kind, series.values[i]);
	spec_series_fini(&series);
	return 0;
}
