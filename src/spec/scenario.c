/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scenario files: YAML, read by libcyaml against a schema. The schema knows
 * keys and shapes; values are texts that the parsers of the options read.
 */
#include "spec/plan.h"
#include "spec/scenario.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SCENARIO_BYTES_MAX (1 << 20)
#define VALUE_BYTES_MAX    4096

struct stage_yaml {
	char *value[WAY_KEY_COUNT];
};

struct way_yaml {
	char *value[WAY_KEY_COUNT];
	struct stage_yaml *stages;
	uint32_t stages_count;
};

struct scenario_yaml {
	char *value[PATH_KEY_COUNT];
	struct way_yaml *forward, *back;
};

/* A text is kept as it stands in the file, whatever YAML would make of it. */
#define TEXT_FIELD(offset, name)                                               \
	{                                                                      \
		.key = (name),                                                 \
		.data_offset = (offset),                                       \
		.value = { CYAML_VALUE_STRING(CYAML_FLAG_POINTER |             \
						  CYAML_FLAG_OPTIONAL,         \
					      char *, 0, VALUE_BYTES_MAX) },   \
	},
#define AS_STAGE_FIELD(id, name)                                               \
	TEXT_FIELD(offsetof(struct stage_yaml, value[KEY_##id]), name)
#define AS_WAY_FIELD(id, name)                                                 \
	TEXT_FIELD(offsetof(struct way_yaml, value[KEY_##id]), name)
#define AS_PATH_FIELD(id, name)                                                \
	TEXT_FIELD(offsetof(struct scenario_yaml, value[KEY_##id]), name)

static const cyaml_schema_field_t stage_fields[] = { WAY_KEYS(AS_STAGE_FIELD)
							 CYAML_FIELD_END };

static const cyaml_schema_value_t stage_schema = { CYAML_VALUE_MAPPING(
    CYAML_FLAG_DEFAULT, struct stage_yaml, stage_fields) };

static const cyaml_schema_field_t way_fields[] = {
	WAY_KEYS(AS_WAY_FIELD) CYAML_FIELD_SEQUENCE(
	    "stages", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct way_yaml,
	    stages, &stage_schema, 1, FP_PATH_STAGES_MAX),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t scenario_fields[] = {
	PATH_KEYS(AS_PATH_FIELD)
	    CYAML_FIELD_MAPPING_PTR("forward", CYAML_FLAG_OPTIONAL,
				    struct scenario_yaml, forward, way_fields),
	CYAML_FIELD_MAPPING_PTR("back", CYAML_FLAG_OPTIONAL,
				struct scenario_yaml, back, way_fields),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t scenario_schema = { CYAML_VALUE_MAPPING(
    CYAML_FLAG_POINTER, struct scenario_yaml, scenario_fields) };

/* --- From YAML to a plan -------------------------------------------------- */

struct loader {
	const struct spec_file *file;
	struct spec_plan *plan;
	struct spec_arena *arena;
	struct fp_error *error;
};

/* The name of a trace is relative to the scenario's folder. */
static const char *near_scenario(const struct loader *loader, const char *name)
{
	const char *slash = strrchr(loader->file->name, '/');
	size_t folder = slash ? (size_t)(slash + 1 - loader->file->name) : 0;
	size_t bytes = folder + strlen(name) + 1;
	char *joined;

	if (name[0] == '/' || folder == 0)
		return name;
	joined = spec_arena_alloc(loader->arena, bytes, 1);
	if (joined)
		(void)snprintf(joined, bytes, "%.*s%s", (int)folder,
			       loader->file->name, name);
	return joined;
}

static int load_value(const struct loader *loader, struct spec_wish *wish,
		      enum way_key key, const char *value)
{
	const struct spec_word *word =
	    spec__word_find(spec__way_keys[key], IN_OPTION);

	if (!word)
		return fp_error_set(loader->error, FP_EXIT_USAGE, "no word");
	if (key == KEY_ECN && strcmp(value, "false") == 0)
		return 0;
	if (key == KEY_ECN && strcmp(value, "true") != 0)
		return fp_error_set(loader->error, FP_EXIT_USAGE,
				    "'%.60s' is neither true nor false", value);
	if (key == KEY_ECN)
		value = "";
	if (key == KEY_RATE_TRACE)
		value = near_scenario(loader, value);
	if (!value)
		return spec__no_memory(loader->error);
	return spec__set_value(wish, word, value, loader->arena, loader->error);
}

static int load_values(const struct loader *loader, struct spec_wish *wish,
		       char *const values[WAY_KEY_COUNT],
		       const struct place *place)
{
	for (int key = 0; key < WAY_KEY_COUNT; key++) {
		struct place at = *place;

		at.key = spec__way_keys[key];
		if (values[key] && load_value(loader, wish, (enum way_key)key,
					      values[key]) < 0)
			return spec__scenario_fail_at(loader->file, &at,
						      loader->error);
	}
	return 0;
}

static int load_list(const struct loader *loader, const struct way_yaml *yaml,
		     struct spec_way_plan *plan, struct place place)
{
	place.key = "stages";
	for (int key = 0; key < WAY_KEY_COUNT; key++) {
		if (!yaml->value[key])
			continue;
		(void)fp_error_set(loader->error, FP_EXIT_USAGE,
				   "a list of stages says it all; '%s' beside "
				   "it has no place in it",
				   spec__way_keys[key]);
		return spec__scenario_fail_at(loader->file, &place,
					      loader->error);
	}
	if (plan->item_count) { /* by rtt */
		(void)fp_error_set(loader->error, FP_EXIT_USAGE,
				   "a list of stages says its own delay; rtt "
				   "has no place in it");
		return spec__scenario_fail_at(loader->file, &place,
					      loader->error);
	}
	plan->is_list = true;
	plan->item_count = yaml->stages_count;
	for (uint32_t i = 0; i < yaml->stages_count; i++) {
		place.stage = i + 1;
		if (load_values(loader, &plan->items[i], yaml->stages[i].value,
				&place) < 0)
			return -EINVAL;
	}
	return 0;
}

static int load_way(const struct loader *loader, const struct way_yaml *yaml,
		    enum spec_way way)
{
	struct spec_way_plan *plan = &loader->plan->way[way];
	const struct place place = { .way = way == SPEC_BACK ? "back"
							     : "forward" };

	if (!yaml)
		return 0;
	if (yaml->stages)
		return load_list(loader, yaml, plan, place);
	plan->item_count = 1;
	return load_values(loader, &plan->items[0], yaml->value, &place);
}

static int load_seed(const struct loader *loader, const char *value)
{
	uint64_t seed;

	if (fp_parse_count(value, &seed) < 0 || seed == 0 ||
	    seed > SPEC_SEED_MAX)
		return fp_error_set(loader->error, FP_EXIT_USAGE,
				    "'%.60s' is not a whole number from 1 to "
				    "9007199254740992 (2^53)",
				    value);
	for (int way = 0; way < SPEC_WAYS; way++)
		loader->plan->way[way].seed = seed;
	return 0;
}

static int load_path(const struct loader *loader,
		     const struct scenario_yaml *yaml)
{
	for (int key = 0; key < PATH_KEY_COUNT; key++) {
		const struct place at = { .key = spec__path_keys[key] };
		const char *value = yaml->value[key];
		int result = 0;

		if (value && key == KEY_SEED)
			result = load_seed(loader, value);
		else if (value)
			result =
			    spec__plan_set(loader->plan, spec__path_keys[key],
					   value, loader->arena, loader->error);
		if (result < 0)
			return spec__scenario_fail_at(loader->file, &at,
						      loader->error);
	}
	if (load_way(loader, yaml->forward, SPEC_FORWARD) < 0)
		return -EINVAL;
	return load_way(loader, yaml->back, SPEC_BACK);
}

int spec__parse_scenario(struct spec_plan *plan, const struct spec_file *file,
			 struct spec_arena *arena, struct fp_error *error)
{
	struct complaint complaint = { .line = 0 };
	const cyaml_config_t config = { .log_fn = spec__scenario_log,
					.log_ctx = &complaint,
					.log_level = CYAML_LOG_WARNING,
					.mem_fn = cyaml_mem,
					.flags = CYAML_CFG_NO_ALIAS };
	const struct loader loader = { file, plan, arena, error };
	struct scenario_yaml *yaml = NULL;
	cyaml_err_t status =
	    cyaml_load_data((const uint8_t *)file->text, file->bytes, &config,
			    &scenario_schema, (cyaml_data_t **)&yaml, NULL);
	int result = 0;

	if (status != CYAML_OK)
		return spec__scenario_report(file, &complaint, status, error);
	if (complaint.what[0] != '\0') /* "Ignoring documents after first" */
		result = fp_error_set(error, FP_EXIT_USAGE,
				      "%.80s:1: expected one document, found "
				      "several (---)",
				      file->name);
	else if (!yaml)
		result = fp_error_set(error, FP_EXIT_USAGE,
				      "%.80s:1: empty; expected rtt, mtu, "
				      "ipv6, loss-unit, seed, forward or back",
				      file->name);
	else
		result = load_path(&loader, yaml);
	if (yaml)
		(void)cyaml_free(&config, &scenario_schema, yaml, 0);
	return result;
}

int spec__load_scenario(struct spec_plan *plan, const char *name,
			struct spec_arena *arena, struct fp_error *error)
{
	struct spec_file file = { .name = name };
	struct spec_arena memory = { NULL };
	int result = spec__read_file(&file, SCENARIO_BYTES_MAX, &memory, error);

	if (result == 0)
		result = spec__parse_scenario(plan, &file, arena, error);
	spec_arena_fini(&memory);
	return result;
}
