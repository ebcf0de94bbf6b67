/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input: lines of "option value". Whatever is accepted must be a configuration
 * that the core takes, and its canonical lines must mean the same again. Words
 * that name files are left out.
 */
#include "spec/spec.h"

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

/* Gives each line to the builder. Returns 0 when all were taken. */
static int say_all(struct spec_builder *builder, char *text,
		   struct fp_error *error)
{
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, ' ');

		if (value)
			*value++ = '\0';
		if (strcmp(line, "scenario") == 0 || strstr(line, "trace") ||
		    (value && strstr(value, "trace")))
			return -1;
		if (spec_builder_set(builder, line, value, error) < 0)
			return -1;
	}
	return 0;
}

static void check_config(const struct fp_path_config *config)
{
	struct fp_path_config usable = *config;
	const char *wrong;

	usable.capacity_pkts = 1;
	wrong = fp_path_check(&usable);
	require(wrong == NULL, wrong ? wrong : "");
}

/* The canonical lines, said again, give themselves. */
static void check_again(const struct spec_path *path)
{
	struct spec_builder *builder = spec_builder_new();
	struct fp_error error = { 0 };
	struct spec_path again;
	char mtu[16];

	(void)snprintf(mtu, sizeof(mtu), "%u", path->mtu_bytes);
	require(spec_builder_set(builder, "mtu", mtu, &error) == 0, error.text);
	for (int way = 0; way < SPEC_WAYS; way++) {
		const char *text = path->way[way].text;

		if (strstr(text, "...") || (path->is_direct && way))
			continue;
		require(spec_builder_set(builder, way ? "path-back" : "path",
					 text, &error) == 0,
			error.text);
	}
	require(spec_builder_build(builder, &again, &error) == 0, error.text);
	for (int way = 0; way < SPEC_WAYS; way++)
		require(strstr(path->way[way].text, "...") ||
			    strcmp(path->way[way].text, again.way[way].text) ==
				0,
			path->way[way].text);
	spec_path_fini(&again);
	spec_builder_free(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct spec_builder *builder = spec_builder_new();
	struct fp_error error = { 0 };
	struct spec_path path;
	char *text = malloc(bytes + 1);

	if (!builder || !text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (say_all(builder, text, &error) == 0 &&
	    spec_builder_build(builder, &path, &error) == 0) {
		for (int way = 0; way < SPEC_WAYS; way++) {
			check_config(&path.way[way].config);
			require(path.way[way].loss_ppm <= FP_PPM_ONE,
				"loss above one");
		}
		check_again(&path);
		spec_path_fini(&path);
	} else {
		require(memchr(error.text, '\0', sizeof(error.text)) != NULL,
			"an endless error");
	}
	free(text);
	spec_builder_free(builder);
	return 0;
}
