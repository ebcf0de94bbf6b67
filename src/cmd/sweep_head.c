/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The first line: the grid, the seeds, and a hash of all that decides what the
 * lines below say, files that are read among it. Two runs with equal first
 * lines write equal lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/seed.h"
#include "cmd/sweep.h"
#include "sys/error.h"

#define SCHEMA     "fullpipe.sweep/1"
#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY)
/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
#define FNV_BASIS  0xcbf29ce484222325ull
#define FNV_PRIME  0x100000001b3ull
#define HASH_BYTES 17

/* --- Hash ----------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	while (count-- > 0)
		hash = (hash ^ *byte++) * FNV_PRIME;
	return hash;
}

static int hash_file(const char *name, uint64_t *hash, struct fp_error *error)
{
	struct stat status;
	char buffer[4096];
	FILE *file = fopen(name, "re");
	size_t bytes;
	int result = 0;

	if (!file)
		return fp_error_errno(error, errno, "cannot open '%s'", name);
	if (fstat(fileno(file), &status) == 0 && !S_ISREG(status.st_mode)) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "'%s' is no regular file: a sweep reads it "
				   "again for every point",
				   name);
		result = -EINVAL;
	}
	while (result == 0 &&
	       (bytes = fread(buffer, 1, sizeof(buffer), file)) > 0)
		*hash = hash_bytes(*hash, buffer, bytes);
	if (result == 0 && ferror(file))
		result = fp_error_errno(error, EIO, "cannot read '%s'", name);
	(void)fclose(file); /* it was only read */
	return result;
}

static bool names_files(const struct sweep_axis *axis)
{
	return strcmp(axis->name, "scenario") == 0 ||
	       strncmp(axis->name, "rate-trace", strlen("rate-trace")) == 0;
}

static int hash_files(const struct sweep *sweep, uint64_t *hash,
		      struct fp_error *error)
{
	uint32_t i, k;
	int result = 0;

	for (i = 0; i < sweep->grid.axis_count && result == 0; i++) {
		const struct sweep_axis *axis = &sweep->grid.axes[i];

		for (k = 0;
		     names_files(axis) && k < axis->values.count && result == 0;
		     k++)
			result = hash_file(axis->values.values[k], hash, error);
	}
	return result;
}

/* --- Making it ------------------------------------------------------------ */

static json_t *values_json(const struct sweep_axis *axis)
{
	json_t *values = json_array();
	uint32_t i;

	if (axis->is_switch)
		(void)json_array_append_new(values, json_true());
	for (i = 0; i < axis->values.count; i++)
		(void)json_array_append_new(
		    values, json_string(axis->values.values[i]));
	return values;
}

static json_t *axes_json(const struct sweep_grid *grid)
{
	json_t *axes = json_object();
	uint32_t i;

	for (i = 0; i < grid->axis_count; i++)
		(void)json_object_set_new(axes, grid->axes[i].name,
					  values_json(&grid->axes[i]));
	return axes;
}

/* All but hash and shard. */
static json_t *what_is_swept(const struct sweep *sweep)
{
	const struct sweep_options *options = &sweep->options;
	json_t *head = json_object();

	(void)json_object_set_new(head, "schema", json_string(SCHEMA));
	(void)json_object_set_new(head, "fullpipe", json_string(FP_VERSION));
	(void)json_object_set_new(head, "points",
				  json_integer((json_int_t)sweep->grid.points));
	(void)json_object_set_new(head, "seeds",
				  json_integer((json_int_t)options->seeds));
	(void)json_object_set_new(
	    head, "seed",
	    options->seed == CMD_SEED_AUTO
		? json_null()
		: json_integer((json_int_t)options->seed));
	(void)json_object_set_new(head, "axes", axes_json(&sweep->grid));
	return head;
}

static void set_shard(json_t *head, uint64_t shard, uint64_t shards)
{
	(void)json_object_set_new(head, "shard",
				  json_integer((json_int_t)shard + 1));
	(void)json_object_set_new(head, "shards",
				  json_integer((json_int_t)shards));
}

char *sweep_head_new(const struct sweep *sweep, struct fp_error *error)
{
	json_t *head = what_is_swept(sweep);
	char *line = json_dumps(head, DUMP_FLAGS);
	uint64_t hash = FNV_BASIS;
	char text[HASH_BYTES];
	int result = -ENOMEM;

	if (line) {
		hash = hash_bytes(hash, line, strlen(line));
		result = hash_files(sweep, &hash, error);
		free(line);
		line = NULL;
	} else {
		(void)fp_error_errno(error, ENOMEM, "cannot describe a sweep");
	}
	if (result == 0) {
		(void)snprintf(text, sizeof(text), "%016" PRIx64, hash);
		(void)json_object_set_new(head, "hash", json_string(text));
		set_shard(head, sweep->shard, sweep->shards);
		line = json_dumps(head, DUMP_FLAGS);
		if (!line)
			(void)fp_error_errno(error, ENOMEM,
					     "cannot describe a sweep");
	}
	json_decref(head);
	return line;
}

/* --- Reading it ----------------------------------------------------------- */

static json_t *load(const char *name, const char *line, struct fp_error *error)
{
	json_t *head = json_loads(line, 0, NULL);
	const char *schema = json_string_value(json_object_get(head, "schema"));

	if (schema && strcmp(schema, SCHEMA) == 0)
		return head;
	json_decref(head);
	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "'%s' is not a file of fullpipe sweep", name);
	return NULL;
}

/* Tells the first thing in which two heads differ. */
static void tell_difference(const char *name, json_t *there, json_t *here,
			    struct fp_error *error)
{
	char *was = NULL, *is = NULL;
	const char *key;
	json_t *value;

	json_object_foreach(here, key, value)
	{
		if (json_equal(value, json_object_get(there, key)))
			continue;
		was = json_dumps(json_object_get(there, key), DUMP_FLAGS);
		is = json_dumps(value, DUMP_FLAGS);
		break;
	}
	if (was && is && strcmp(key, "hash") != 0)
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "'%s' is of another sweep: its \"%s\" is "
				   "%.60s, not %.60s",
				   name, key, was, is);
	else
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "'%s' is of another sweep: a file that it "
				   "reads has changed",
				   name);
	free(was);
	free(is);
}

int sweep_head_check(const char *name, const char *line, const char *head,
		     struct fp_error *error)
{
	json_t *there, *here;

	if (strcmp(line, head) == 0)
		return 0;
	there = load(name, line, error);
	if (!there)
		return -EINVAL;
	here = json_loads(head, 0, NULL);
	tell_difference(name, there, here, error);
	fp_error_hint(error, "give the options that it was begun with, or "
			     "another --out");
	json_decref(there);
	json_decref(here);
	return -EINVAL;
}

static void read_names(const json_t *head, struct sweep_head *ret_head)
{
	json_t *axes = json_object_get(head, "axes"), *values;
	const char *name;

	json_object_foreach(axes, name, values)
	{
		if (json_array_size(values) < 2 || strcmp(name, "cc") == 0 ||
		    ret_head->name_count == SWEEP_AXES_MAX)
			continue;
		(void)snprintf(ret_head->names[ret_head->name_count++],
			       sizeof(ret_head->names[0]), "%s", name);
	}
}

static uint64_t number_of(const json_t *head, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(head, key));

	return value > 0 ? (uint64_t)value : 0;
}

int sweep_head_read(const char *name, const char *line,
		    struct sweep_head *ret_head, struct fp_error *error)
{
	json_t *head = load(name, line, error);
	uint64_t shard;

	if (!head)
		return -EINVAL;
	memset(ret_head, 0, sizeof(*ret_head));
	shard = number_of(head, "shard");
	ret_head->shard = shard - 1;
	ret_head->shards = number_of(head, "shards");
	ret_head->points = number_of(head, "points");
	read_names(head, ret_head);
	set_shard(head, 0, 1);
	ret_head->whole = json_dumps(head, DUMP_FLAGS);
	json_decref(head);
	if (!ret_head->whole)
		return fp_error_errno(error, ENOMEM, "cannot read '%s'", name);
	if (shard >= 1 && shard <= ret_head->shards &&
	    ret_head->shards <= SWEEP_SHARD_MAX &&
	    ret_head->points <= SWEEP_POINTS_MAX)
		return 0;
	free(ret_head->whole);
	ret_head->whole = NULL;
	return fp_error_set(error, FP_EXIT_FAILED,
			    "'%s' is damaged: its first line has no shard",
			    name);
}
