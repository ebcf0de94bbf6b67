/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sweep_grid.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sys/error.h"

#define ALGORITHMS    "cubic,bbr" /* as compare has it */
#define PRESETS_BYTES 512

/* What the values of an option are; those of its "-back" too. Of others: words.
 */
static const struct {
	const char *name;
	enum spec_quantity kind;
} kinds[] = {
	{ "rtt", SPEC_TIME },         { "delay", SPEC_TIME },
	{ "jitter", SPEC_TIME },      { "duration", SPEC_TIME },
	{ "warmup", SPEC_TIME },      { "min-rto", SPEC_TIME },
	{ "stagger", SPEC_TIME },     { "lifetime", SPEC_TIME },
	{ "loss", SPEC_SHARE },       { "reorder", SPEC_SHARE },
	{ "duplicate", SPEC_SHARE },  { "corrupt", SPEC_SHARE },
	{ "rate", SPEC_RATE },        { "queue", SPEC_QUEUE },
	{ "bytes", SPEC_SIZE },       { "buffers", SPEC_SIZE },
	{ "mtu", SPEC_COUNT },        { "flows", SPEC_COUNT },
	{ "ack-every", SPEC_COUNT },  { "initial-cwnd", SPEC_COUNT },
	{ "rate-steps", SPEC_WHOLE }, { "rate-trace", SPEC_WHOLE },
	{ "path", SPEC_WHOLE },       { "scenario", SPEC_WHOLE },
	{ "without", SPEC_WHOLE },
};

static bool is_named(const char *option, const char *name)
{
	size_t length = strlen(name);

	return strncmp(option, name, length) == 0 &&
	       (option[length] == '\0' ||
		strcmp(option + length, "-back") == 0);
}

static enum spec_quantity kind_of(const char *option)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (is_named(option, kinds[i].name))
			return kinds[i].kind;
	}
	return SPEC_WORDS;
}

/* A veth pair without emulator is no path that could be simulated. */
static bool is_direct(const struct spec_preset *preset)
{
	uint32_t i;

	for (i = 0; i < 16 && preset->options[i][0]; i++) {
		if (strcmp(preset->options[i][0], "path") == 0 &&
		    strcmp(preset->options[i][1], "direct") == 0)
			return true;
	}
	return false;
}

static void list_presets(char *text, size_t bytes)
{
	const struct spec_preset *preset;
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; (preset = spec_preset_at(i)) && used < bytes; i++) {
		if (!is_direct(preset))
			used +=
			    (size_t)snprintf(text + used, bytes - used, "%s%s",
					     used ? "," : "", preset->name);
	}
}

const struct sweep_axis *sweep_grid_find(const struct sweep_grid *grid,
					 const char *name)
{
	uint32_t i;

	for (i = 0; i < grid->axis_count; i++) {
		if (strcmp(grid->axes[i].name, name) == 0)
			return &grid->axes[i];
	}
	return NULL;
}

/* Takes out what was said of an axis, so that it is said anew, and last. */
static void drop(struct sweep_grid *grid, const char *name)
{
	const struct sweep_axis *found = sweep_grid_find(grid, name);
	uint32_t i;

	if (!found)
		return;
	i = (uint32_t)(found - grid->axes);
	spec_series_fini(&grid->axes[i].values);
	grid->axis_count--;
	memmove(&grid->axes[i], &grid->axes[i + 1],
		(grid->axis_count - i) * sizeof(grid->axes[0]));
}

static int add(struct sweep_grid *grid, const char *name, const char *value,
	       struct fp_error *error)
{
	struct sweep_axis axis = { .name = name, .is_switch = !value };
	char text[sizeof(error->text)];
	int result = 0;

	drop(grid, name);
	if (grid->axis_count == SWEEP_AXES_MAX)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "more than %d options", SWEEP_AXES_MAX);
	if (value)
		result =
		    spec_series_read(kind_of(name), value, &axis.values, error);
	if (result == 0) {
		grid->axes[grid->axis_count++] = axis;
		return 0;
	}
	(void)snprintf(text, sizeof(text), "--%s: %.200s", name, error->text);
	memcpy(error->text, text, sizeof(text));
	return result;
}

int sweep_grid_take(void *context, const struct cmd_option *option,
		    const char *value, struct fp_error *error)
{
	char presets[PRESETS_BYTES];

	if (value && strcmp(option->name, "preset") == 0 &&
	    strcmp(value, "all") == 0) {
		list_presets(presets, sizeof(presets));
		value = presets;
	}
	return add(context, option->name, value, error);
}

static uint32_t values_of(const struct sweep_axis *axis)
{
	return axis->is_switch ? 1 : axis->values.count;
}

int sweep_grid_finish(struct sweep_grid *grid, struct fp_error *error)
{
	uint32_t i;
	int result = 0;

	if (!sweep_grid_find(grid, "cc"))
		result = add(grid, "cc", ALGORITHMS, error);
	if (result < 0)
		return result;
	grid->points = 1;
	for (i = 0; i < grid->axis_count; i++) {
		/* both are below 2^31: no overflow */
		grid->points *= values_of(&grid->axes[i]);
		if (grid->points <= SWEEP_POINTS_MAX)
			continue;
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "this grid has more than %" PRIu64 " points",
				   (uint64_t)SWEEP_POINTS_MAX);
		fp_error_hint(error, "take larger steps, or sweep parts of it");
		return -EINVAL;
	}
	return 0;
}

void sweep_grid_fini(struct sweep_grid *grid)
{
	while (grid->axis_count > 0)
		spec_series_fini(&grid->axes[--grid->axis_count].values);
}

void sweep_grid_at(const struct sweep_grid *grid, uint64_t point,
		   uint32_t *ret_index)
{
	uint32_t i = grid->axis_count;

	while (i-- > 0) {
		ret_index[i] = (uint32_t)(point % values_of(&grid->axes[i]));
		point /= values_of(&grid->axes[i]);
	}
}
