/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Input: a trace file. Whatever is accepted must be a rate that the core
 * takes. */
#include "spec/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_trace(const struct spec_wish *wish)
{
	struct fp_path_config config = { .capacity_pkts = 1, .stage_count = 1 };
	struct fp_stage_config *stage = &config.stages[0];
	const char *wrong;

	stage->kind = FP_STAGE_LINK;
	stage->link.rate = wish->rate;
	stage->link.rate.kind = FP_RATE_TRACE;
	wrong = fp_path_check(&config);
	if (!wrong)
		return;
	(void)fprintf(stderr, "broken: %s\n", wrong);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct spec_arena arena = { NULL };
	struct spec_wish wish = { 0 };
	struct fp_error error = { 0 };
	/* exactly as long as the file: reading beyond it is found */
	char *text = malloc(bytes ? bytes : 1);
	const struct spec_file file = { "a.tr", text, bytes };

	if (!text)
		abort();
	memcpy(text, data, bytes);
	if (spec__parse_trace(&file, &arena, &wish, &error) == 0)
		check_trace(&wish);
	else if (strncmp(error.text, "a.tr:", 5) != 0)
		abort();
	spec_arena_fini(&arena);
	free(text);
	return 0;
}
