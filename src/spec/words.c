/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 128

int spec__no_memory(struct fp_error *error)
{
	return fp_error_errno(error, ENOMEM, "cannot read the path");
}

void spec__error_prefix(struct fp_error *error, const char *format, ...)
{
	char text[sizeof(((struct fp_error *)NULL)->text)];
	char prefix[160];
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	(void)vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	memcpy(text, error->text, sizeof(text));
	(void)snprintf(error->text, sizeof(error->text), "%s: %.220s", prefix,
		       text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int spec__words_init(struct spec_words *words, struct spec_arena *arena,
		     const char *text, struct fp_error *error)
{
	char *c = spec_arena_copy(arena, text, strlen(text));
	char **word = spec_arena_alloc(arena, WORDS_MAX, sizeof(*word));
	uint32_t count = 0;

	if (!c || !word)
		return spec__no_memory(error);
	while (*c != '\0') {
		if (is_blank(*c)) {
			*c++ = '\0';
			continue;
		}
		if (count == WORDS_MAX)
			return fp_error_set(error, FP_EXIT_USAGE,
					    "more than %d words", WORDS_MAX);
		word[count++] = c;
		while (*c != '\0' && !is_blank(*c))
			c++;
	}
	*words =
	    (struct spec_words){ .arena = arena, .word = word, .count = count };
	return 0;
}

int spec__words_init_whole(struct spec_words *words, struct spec_arena *arena,
			   const char *text, struct fp_error *error)
{
	char **word = spec_arena_alloc(arena, 1, sizeof(*word));

	if (!word)
		return spec__no_memory(error);
	*word = spec_arena_copy(arena, text, strlen(text));
	if (!*word)
		return spec__no_memory(error);
	*words =
	    (struct spec_words){ .arena = arena, .word = word, .count = 1 };
	return 0;
}

const char *spec__peek(const struct spec_words *words)
{
	return words->next < words->count ? words->word[words->next] : NULL;
}

const char *spec__take(struct spec_words *words)
{
	const char *word = spec__peek(words);

	if (word)
		words->next++;
	return word;
}

bool spec__take_if(struct spec_words *words, const char *word)
{
	const char *next = spec__peek(words);

	if (!next || strcmp(next, word) != 0)
		return false;
	words->next++;
	return true;
}

bool spec__next_is_number(const struct spec_words *words)
{
	const char *word = spec__peek(words);

	if (!word)
		return false;
	if (*word == '-' || *word == '.')
		word++;
	return *word >= '0' && *word <= '9';
}

char *spec__cut(char *text, char sep)
{
	char *end = strchr(text, sep);

	if (!end)
		return NULL;
	*end = '\0';
	return end + 1;
}

/* Fails for a word that is no quantity of this kind, or is missing. */
static int refuse(const char *word, const char *what, const char *like,
		  struct fp_error *error)
{
	if (!word)
		return fp_error_set(error, FP_EXIT_USAGE, "%s is missing%s",
				    what, like);
	return fp_error_set(error, FP_EXIT_USAGE, "'%.60s' is not %s%s", word,
			    what, like);
}

int spec__take_time(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_ns, struct fp_error *error)
{
	const char *word = spec__take(words);
	char min[FP_UNITS_TEXT_BYTES], max[FP_UNITS_TEXT_BYTES];
	char what[128];
	uint64_t ns;

	if (word && fp_parse_time_ns(word, &ns) == 0 && ns >= range.min &&
	    ns <= range.max) {
		*ret_ns = ns;
		return 0;
	}
	fp_format_time(range.min, min);
	fp_format_time(range.max, max);
	(void)snprintf(what, sizeof(what), "a time with its unit from %s to %s",
		       min, max);
	return refuse(word, what, " (like 10ms or 1.5s)", error);
}

int spec__take_rate(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_bps, struct fp_error *error)
{
	const char *word = spec__take(words);
	char min[FP_UNITS_TEXT_BYTES], max[FP_UNITS_TEXT_BYTES];
	char what[128];
	uint64_t bps;

	if (word && fp_parse_rate_bps(word, &bps) == 0 && bps >= range.min &&
	    bps <= range.max) {
		*ret_bps = bps;
		return 0;
	}
	fp_format_rate(range.min, min);
	fp_format_rate(range.max, max);
	(void)snprintf(what, sizeof(what), "a rate with its unit from %s to %s",
		       min, max);
	return refuse(word, what, " (like 100mbit or 1.5gbit)", error);
}

int spec__take_share(struct spec_words *words, uint32_t *ret_ppm,
		     struct fp_error *error)
{
	const char *word = spec__take(words);
	int result = -EINVAL;

	if (word)
		result = words->is_tc ? fp_parse_percent_ppm(word, ret_ppm)
				      : fp_parse_share_ppm(word, ret_ppm);
	if (result == 0)
		return 0;
	return refuse(word, "a share from 0% to 100% in steps of 0.0001%",
		      " (like 2% or 0.01%)", error);
}

int spec__take_size(struct spec_words *words, struct spec_range range,
		    uint64_t *ret_bytes, struct fp_error *error)
{
	const char *word = spec__take(words);
	char min[FP_UNITS_TEXT_BYTES], max[FP_UNITS_TEXT_BYTES];
	char what[128];
	uint64_t bytes;

	if (word && fp_parse_size_bytes(word, &bytes) == 0 &&
	    bytes >= range.min && bytes <= range.max) {
		*ret_bytes = bytes;
		return 0;
	}
	fp_format_size(range.min, min);
	fp_format_size(range.max, max);
	(void)snprintf(what, sizeof(what), "a size from %s to %s", min, max);
	return refuse(word, what, " (like 64k or 1500b)", error);
}

int spec__take_count(struct spec_words *words, struct spec_range range,
		     uint64_t *ret_count, struct fp_error *error)
{
	const char *word = spec__take(words);
	char what[128];
	uint64_t count;

	if (word && fp_parse_count(word, &count) == 0 && count >= range.min &&
	    count <= range.max) {
		*ret_count = count;
		return 0;
	}
	(void)snprintf(what, sizeof(what),
		       "a whole number from %" PRIu64 " to %" PRIu64, range.min,
		       range.max);
	return refuse(word, what, "", error);
}

int spec__take_signed(struct spec_words *words, struct spec_range magnitude,
		      int32_t *ret_value, struct fp_error *error)
{
	const char *word = spec__take(words);
	char what[128];
	int32_t value;

	if (word && fp_parse_signed(word, &value) == 0 &&
	    value >= -(int64_t)magnitude.min &&
	    value <= (int64_t)magnitude.max) {
		*ret_value = value;
		return 0;
	}
	(void)snprintf(what, sizeof(what),
		       "a whole number from -%" PRIu64 " to %" PRIu64,
		       magnitude.min, magnitude.max);
	return refuse(word, what, "", error);
}
