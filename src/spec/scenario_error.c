/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/scenario.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const spec__way_keys[] = { WAY_KEYS(AS_NAME) "stages", NULL };
const char *const spec__path_keys[] = { PATH_KEYS(AS_NAME) "forward", "back",
					NULL };

/* Tells whether the line at text holds key and a colon. */
static bool line_has_key(const char *text, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(text, key, length) != 0)
		return false;
	text += length;
	while (*text == ' ')
		text++;
	return *text == ':';
}

static const char *next_line(const char *text)
{
	const char *newline = strchr(text, '\n');

	return newline ? newline + 1 : NULL;
}

/* Finds the line of a key in block style. Returns the line of its way where
 * the key is not to be found, and 0 where that is not either. */
static uint32_t find_line(const char *text, const struct place *place)
{
	bool is_inside = place->way == NULL;
	uint32_t way_line = 0;
	uint32_t stage = 0;

	for (uint32_t line = 1; text; line++, text = next_line(text)) {
		const char *c = text + strspn(text, " ");
		bool is_top = c == text && *c != '#' && *c != '-';

		if (*c == '-' && is_inside) {
			stage++;
			c += 1 + strspn(c + 1, " ");
		}
		if (place->way && is_top && *c != '\n' && *c != '\0') {
			is_inside = line_has_key(c, place->way);
			way_line = is_inside ? line : way_line;
			stage = 0;
		}
		if (is_inside && (place->way || is_top) &&
		    (place->stage == 0 || place->stage == stage) &&
		    line_has_key(c, place->key))
			return line;
	}
	return way_line;
}

int spec__scenario_fail_at(const struct spec_file *file,
			   const struct place *place, struct fp_error *error)
{
	uint32_t line = find_line(file->text, place);
	char where[64] = "";

	if (place->stage)
		(void)snprintf(where, sizeof(where), "%s.stages[%u].",
			       place->way, place->stage);
	else if (place->way)
		(void)snprintf(where, sizeof(where), "%s.", place->way);
	spec__error_prefix(error, "%.80s:%u: %s%s", file->name, line ? line : 1,
			   where, place->key);
	return -EINVAL;
}

/* --- What libcyaml has to say --------------------------------------------- */

/* Reads "  in mapping field 'forward' (line: 3, column: 3)". */
static void note_frame(struct complaint *complaint, const char *frame)
{
	const char *name = strchr(frame, '\'');
	const char *line = strstr(frame, "(line: ");
	char path[sizeof(complaint->path)];
	uint64_t number = 0;
	char digits[12];

	if (line && complaint->line == 0) {
		size_t length = strspn(line + 7, "0123456789");

		(void)snprintf(digits, sizeof(digits), "%.*s", (int)length,
			       line + 7);
		(void)fp_parse_count(digits, &number);
		complaint->line = (uint32_t)number;
	}
	if (!name)
		return;
	memcpy(path, complaint->path, sizeof(path));
	if (strstr(frame, "sequence entry"))
		(void)snprintf(complaint->path, sizeof(complaint->path),
			       "[%.*s]", (int)strcspn(name + 1, "'"), name + 1);
	else
		(void)snprintf(complaint->path, sizeof(complaint->path),
			       "%.*s%s%.60s", (int)strcspn(name + 1, "'"),
			       name + 1, path[0] && path[0] != '[' ? "." : "",
			       path);
}

void spec__scenario_log(cyaml_log_t level, void *context, const char *format,
			va_list args)
{
	struct complaint *complaint = context;
	char text[256];
	const char *what = text;

	if (level < CYAML_LOG_WARNING)
		return;
	(void)vsnprintf(text, sizeof(text), format, args);
	text[strcspn(text, "\n")] = '\0';
	if (strncmp(text, "Load: ", 6) == 0)
		what += 6;
	if (strncmp(what, "  in ", 5) == 0)
		note_frame(complaint, what);
	else if (strncmp(what, "Backtrace", 9) != 0 && !complaint->what[0])
		(void)snprintf(complaint->what, sizeof(complaint->what),
			       "%.150s", what);
}

/* The line that YAML itself stumbles over, where that is easy to see. */
static uint32_t find_bad_line(const char *text)
{
	for (uint32_t line = 1; text; line++, text = next_line(text)) {
		const char *c = text + strspn(text, " ");

		if (*c == '\t')
			return line;
		for (; *c && *c != '\n'; c++) {
			if ((unsigned char)*c < ' ' && *c != '\t' && *c != '\r')
				return line;
		}
	}
	return 0;
}

/* Line of the key that is wrong: libcyaml tells that of the value before. */
static uint32_t find_key_from(const char *text, const char *key, uint32_t from)
{
	for (uint32_t line = 1; text; line++, text = next_line(text)) {
		const char *c = text + strspn(text, " -");

		if (line >= from && line_has_key(c, key))
			return line;
	}
	return from;
}

static const char *after(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

static int unknown_key(const struct spec_file *file,
		       const struct complaint *complaint, const char *key,
		       struct fp_error *error)
{
	const char *const *names =
	    complaint->path[0] ? spec__way_keys : spec__path_keys;
	const char *meant = fp_nearest(key, names);
	uint32_t line =
	    find_key_from(file->text, key, complaint->line + !complaint->line);

	(void)fp_error_set(
	    error, FP_EXIT_USAGE, "%.80s:%u: unknown key '%.40s'%s%s; %s",
	    file->name, line, key, complaint->path[0] ? " in " : "",
	    complaint->path,
	    complaint->path[0]
		? "expected delay, jitter, distribution, loss, ecn, reorder, "
		  "duplicate, corrupt, policer, rate, rate-steps, rate-trace, "
		  "overhead, queue, aqm or stages"
		: "expected rtt, mtu, ipv6, loss-unit, seed, forward or back");
	if (!complaint->path[0] && spec__word_find(key, IN_OPTION))
		fp_error_hint(error, "'%s' belongs below forward or back", key);
	else if (meant)
		fp_error_hint(error, "did you mean '%s'?", meant);
	return -EINVAL;
}

/* What libcyaml calls things, and what they are. */
static const char *say_shape(const char *what)
{
	if (strstr(what, "Expecting MAPPING"))
		return "expected keys with values (key: value)";
	if (strstr(what, "Expecting SEQUENCE"))
		return "expected a list of stages (- key: value)";
	if (strstr(what, "Expecting STRING"))
		return "expected one value, not a list or keys";
	if (strstr(what, "entries"))
		return "expected 1 to 16 stages";
	return NULL;
}

int spec__scenario_report(const struct spec_file *file,
			  const struct complaint *complaint, cyaml_err_t status,
			  struct fp_error *error)
{
	const char *what = complaint->what;
	const char *key = after(what, "Unexpected key: ");
	const char *twice = after(what, "Mapping field already seen: ");
	const char *yaml = after(what, "libyaml: ");
	const char *shape = say_shape(what);
	uint32_t line = complaint->line ? complaint->line : 1;
	uint32_t bad_line = find_bad_line(file->text);

	if (key)
		return unknown_key(file, complaint, key, error);
	if (twice)
		return fp_error_set(
		    error, FP_EXIT_USAGE,
		    "%.80s:%u: key '%.40s' is there twice", file->name,
		    find_key_from(file->text, twice, line + 1), twice);
	if (yaml)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "%.80s:%u: not YAML: %s%s", file->name,
				    bad_line ? bad_line : line, yaml,
				    bad_line ? "" : " (at or after this line)");
	if (status == CYAML_ERR_ALIAS)
		what = "an alias (*name) has no meaning here";
	return fp_error_set(error, FP_EXIT_USAGE, "%.80s:%u: %s%s%s",
			    file->name, line, complaint->path,
			    complaint->path[0] ? ": " : "",
			    shape             ? shape
			    : what[0] != '\0' ? what
					      : cyaml_strerror(status));
}
