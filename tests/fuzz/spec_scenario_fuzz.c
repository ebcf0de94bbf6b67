/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input: a scenario file. Whatever is accepted must be a configuration that the
 * core takes; whatever is not must have an error that names the file.
 */
#include "spec/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void check_path(const struct spec_path *path)
{
	for (int way = 0; way < SPEC_WAYS; way++) {
		struct fp_path_config usable = path->way[way].config;
		const char *wrong;

		usable.capacity_pkts = 1;
		wrong = fp_path_check(&usable);
		require(wrong == NULL, wrong ? wrong : "");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct spec_plan *plan = calloc(1, sizeof(*plan));
	struct spec_path *path = calloc(1, sizeof(*path));
	struct spec_arena arena = { NULL };
	struct fp_error error = { 0 };
	char *text = malloc(bytes + 1);
	const struct spec_file file = { "s.yaml", text, bytes };

	if (!plan || !path || !text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (strstr(text, "trace")) /* would open files */
		goto out;
	if (spec__parse_scenario(plan, &file, &arena, &error) < 0)
		require(strncmp(error.text, "s.yaml:", 7) == 0, error.text);
	else if (spec__resolve(plan, path, &arena, &error) == 0)
		check_path(path);
out:
	spec_arena_fini(&arena);
	free(text);
	free(path);
	free(plan);
	return 0;
}
