/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sim_words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#define TEXT_BYTES   128
#define WORDS_MAX    5 /* one more than the longest takes */
#define SECOND_NS    1000000000ull
#define TIME_MAX_NS  (3600 * SECOND_NS)
#define SIZE_MAX_B   (1ull << 40)
#define RATE_MIN_BPS 1000ull
#define RATE_MAX_BPS 1000000000000ull

/* --- --without ------------------------------------------------------------ */

static uint32_t part_of(const char *word)
{
	uint32_t i;

	for (i = 0; i < FP_SIM_PARTS; i++) {
		if (strcmp(fp_sim_part_name(i), word) == 0)
			return 1u << i;
	}
	return 0;
}

static int fail_part(const char *word, struct fp_error *error)
{
	const char *names[FP_SIM_PARTS + 1];
	const char *near;
	char all[224];
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < FP_SIM_PARTS; i++) {
		names[i] = fp_sim_part_name(i);
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i ? ", " : "", names[i]);
	}
	names[i] = NULL;
	near = fp_nearest(word, names);
	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "cannot leave out '%s': no such part of TCP", word);
	if (near)
		fp_error_hint(error, "did you mean '%s'?", near);
	else
		fp_error_hint(error, "--without takes: %s", all);
	return -EINVAL;
}

int cmd_without_parse(const char *text, uint32_t *ret_parts,
		      struct fp_error *error)
{
	char word[TEXT_BYTES];
	uint32_t parts = 0, part;
	size_t length;

	for (;; text += length + 1) {
		length = strcspn(text, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)length, text);
		part = part_of(word);
		if (!part)
			return fail_part(word, error);
		parts |= part;
		if (!text[length])
			break;
	}
	*ret_parts = parts;
	return 0;
}

/* --- --source ------------------------------------------------------------- */

struct words {
	char text[TEXT_BYTES];
	const char *word[WORDS_MAX];
	uint32_t count;
};

static bool split(const char *text, struct words *ret_words)
{
	char *save = NULL, *word;

	memset(ret_words, 0, sizeof(*ret_words));
	if (strlen(text) >= TEXT_BYTES)
		return false;
	(void)snprintf(ret_words->text, TEXT_BYTES, "%s", text);
	for (word = strtok_r(ret_words->text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (ret_words->count == WORDS_MAX)
			return false;
		ret_words->word[ret_words->count++] = word;
	}
	return ret_words->count > 0;
}

static bool take_time(const char *word, uint64_t min_ns, uint64_t *ret_ns)
{
	return fp_parse_time_ns(word, ret_ns) == 0 && *ret_ns >= min_ns &&
	       *ret_ns <= TIME_MAX_NS;
}

static bool read_bulk(const struct words *words, struct fp_sim_source *source)
{
	source->kind = FP_SIM_BULK;
	return words->count == 1;
}

static bool read_requests(const struct words *words,
			  struct fp_sim_source *source)
{
	source->kind = FP_SIM_REQUESTS;
	if (words->count != 2 && words->count != 4)
		return false;
	if (words->count == 4 &&
	    (strcmp(words->word[2], "every") != 0 ||
	     !take_time(words->word[3], 0, &source->off_ns)))
		return false;
	return fp_parse_size_bytes(words->word[1], &source->bytes) == 0 &&
	       source->bytes > 0 && source->bytes <= SIZE_MAX_B;
}

static bool read_on_off(const struct words *words, struct fp_sim_source *source)
{
	source->kind = FP_SIM_ON_OFF;
	return words->count == 3 &&
	       take_time(words->word[1], 1, &source->on_ns) &&
	       take_time(words->word[2], 1, &source->off_ns);
}

static bool read_stream(const struct words *words, struct fp_sim_source *source)
{
	source->kind = FP_SIM_STREAM;
	return words->count == 2 &&
	       fp_parse_rate_bps(words->word[1], &source->rate_bps) == 0 &&
	       source->rate_bps >= RATE_MIN_BPS &&
	       source->rate_bps <= RATE_MAX_BPS;
}

static const struct {
	const char *word, *usage;
	bool (*read)(const struct words *words, struct fp_sim_source *source);
} sources[] = {
	{ "bulk", "bulk", read_bulk },
	{ "requests",
	  "requests SIZE [every TIME], at most 1tib and 1h: 'requests 20k "
	  "every 50ms'",
	  read_requests },
	{ "on-off",
	  "on-off TIME TIME, each above 0 and at most 1h: "
	  "'on-off 1s 2s'",
	  read_on_off },
	{ "stream", "stream RATE, 1kbit … 1000gbit: 'stream 5mbit'",
	  read_stream },
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static int fail_source(const char *text, struct fp_error *error)
{
	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "cannot use '%.100s' for "
			   "--source",
			   text);
	fp_error_hint(error, "--source takes bulk, 'requests SIZE [every "
			     "TIME]', 'on-off TIME TIME' or 'stream RATE'");
	return -EINVAL;
}

int cmd_source_parse(const char *text, struct fp_sim_source *ret_source,
		     struct fp_error *error)
{
	struct fp_sim_source source = { 0 };
	struct words words;
	size_t i;

	if (!split(text, &words))
		return fail_source(text, error);
	for (i = 0; i < SOURCES; i++) {
		if (strcmp(sources[i].word, words.word[0]) == 0)
			break;
	}
	if (i == SOURCES)
		return fail_source(text, error);
	if (!sources[i].read(&words, &source)) {
		(void)fail_source(text, error);
		fp_error_hint(error, "it takes %s", sources[i].usage);
		return -EINVAL;
	}
	*ret_source = source;
	return 0;
}
