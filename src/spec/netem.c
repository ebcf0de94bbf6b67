/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table of words for one direction, and one netem line made of them.
 */
#include "spec/plan.h"
#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int refuse_slot(struct spec_wish *wish, struct spec_words *words,
		       struct fp_error *error)
{
	(void)wish;
	(void)words;
	return fp_error_set(error, FP_EXIT_USAGE,
			    "netem's slots are not emulated; 'trace FILE' "
			    "delivers in bursts, 'delay' with a jitter varies "
			    "the time");
}

#define LINE_AND_OPTION (IN_LINE | IN_OPTION)
#define CHANCE          "SHARE [CORRELATION]"

const struct spec_word spec__words[] = {
	{ "delay", spec__set_delay, LINE_AND_OPTION,
	  "TIME [JITTER [CORRELATION]], a time from 0ms to 900s" },
	{ "latency", spec__set_delay, IN_LINE,
	  "TIME [JITTER [CORRELATION]], a time from 0ms to 900s" },
	{ "jitter", spec__set_jitter, LINE_AND_OPTION,
	  "TIME [CORRELATION], a time from 0ms to 900s" },
	{ "distribution", spec__set_distribution, LINE_AND_OPTION | FOR_BOTH,
	  "uniform, normal, pareto or paretonormal" },
	{ "loss", spec__set_loss, LINE_AND_OPTION,
	  "[random] SHARE [CORRELATION], gemodel P [R [1-H [1-K]]], state P13 "
	  "[P31 [P32 [P23 [P14]]]], periodic N or list N,N,…" },
	{ "drop", spec__set_loss, IN_LINE, "as loss" },
	{ "ecn", spec__set_ecn, LINE_AND_OPTION | FOR_BOTH | IS_SWITCH,
	  "no value" },
	{ "reorder", spec__set_reorder, LINE_AND_OPTION,
	  "SHARE [CORRELATION] [gap N]" },
	{ "gap", spec__set_gap, IN_LINE, "N, at least 1" },
	{ "duplicate", spec__set_duplicate, LINE_AND_OPTION, CHANCE },
	{ "corrupt", spec__set_corrupt, LINE_AND_OPTION, CHANCE },
	{ "policer", spec__set_policer, LINE_AND_OPTION,
	  "RATE:BURST or RATE burst BURST, like 10mbit:64k" },
	{ "rate", spec__set_rate, LINE_AND_OPTION,
	  "RATE [OVERHEAD [CELL [CELLOVERHEAD]]], a rate from 1kbit to "
	  "1000gbit" },
	{ "overhead", spec__set_overhead, LINE_AND_OPTION | FOR_BOTH,
	  "BYTES [CELL [CELLOVERHEAD]], from -65535 to 65535" },
	{ "steps", spec__set_steps, IN_LINE, "TIME:RATE,TIME:RATE,…" },
	{ "rate-steps", spec__set_steps, LINE_AND_OPTION,
	  "TIME:RATE,TIME:RATE,…, like 0s:100mbit,5s:20mbit" },
	{ "trace", spec__set_trace, IN_LINE | IS_WHOLE,
	  "FILE, in mahimahi's format" },
	{ "rate-trace", spec__set_trace, LINE_AND_OPTION | IS_WHOLE,
	  "FILE, in mahimahi's format" },
	{ "queue", spec__set_queue, LINE_AND_OPTION,
	  "1bdp, 100p (packets), 64k (bytes, with their unit) or 20ms" },
	{ "limit", spec__set_limit, IN_LINE, "PACKETS, from 1 to 10000000" },
	{ "aqm", spec__set_aqm, LINE_AND_OPTION,
	  "codel, fq_codel, red, threshold:SIZE or droptail, with parameters "
	  "like codel:target=5ms,interval=100ms,ecn" },
	{ "seed", spec__set_seed, IN_LINE,
	  "N, from 1 to 9007199254740992 (2^53)" },
	{ "slot", refuse_slot, IN_LINE, "" },
	{ NULL, NULL, 0, NULL },
};

const struct spec_word *spec__word_find(const char *name, uint32_t place)
{
	for (const struct spec_word *word = spec__words; word->name; word++) {
		if ((word->places & place) && strcmp(word->name, name) == 0)
			return word;
	}
	return NULL;
}

int spec__set_value(struct spec_wish *wish, const struct spec_word *word,
		    const char *value, struct spec_arena *arena,
		    struct fp_error *error)
{
	struct spec_words words;
	const char *rest;

	if ((word->places & IS_WHOLE && *value
		 ? spec__words_init_whole(&words, arena, value, error)
		 : spec__words_init(&words, arena, value, error)) < 0)
		return -EINVAL;
	if (word->set(wish, &words, error) < 0) {
		if (error && error->hint[0] == '\0')
			fp_error_hint(error, "%s takes %s", word->name,
				      word->usage);
		return -EINVAL;
	}
	rest = spec__peek(&words);
	if (!rest)
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE, "'%.60s' has no meaning here",
			   rest);
	fp_error_hint(error, "%s takes %s", word->name, word->usage);
	return -EINVAL;
}

static void suggest_word(const char *typed, struct fp_error *error)
{
	const char *names[40] = { NULL };
	const char *meant;
	uint32_t count = 0;

	for (const struct spec_word *word = spec__words; word->name; word++) {
		if ((word->places & IN_LINE) && count < 39)
			names[count++] = word->name;
	}
	meant = fp_nearest(typed, names);
	if (meant)
		fp_error_hint(error, "did you mean '%s'?", meant);
	else
		fp_error_hint(error, "words of a path: delay jitter "
				     "distribution loss ecn reorder duplicate "
				     "corrupt policer rate overhead steps "
				     "trace queue limit aqm seed");
}

/* Reads one word and its arguments. */
static int parse_word(struct spec_wish *wish, struct spec_words *words,
		      struct fp_error *error)
{
	uint32_t position = words->next + 1;
	const char *name = spec__take(words);
	const struct spec_word *word = spec__word_find(name, IN_LINE);

	if (!word) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "word %u: unknown word '%.60s'", position,
				   name);
		suggest_word(name, error);
		return -EINVAL;
	}
	if (word->set(wish, words, error) == 0)
		return 0;
	spec__error_prefix(error, "word %u, %s", position, name);
	if (error && error->hint[0] == '\0' && word->usage[0] != '\0')
		fp_error_hint(error, "%s takes %s", word->name, word->usage);
	return -EINVAL;
}

int spec__parse_line(struct spec_wish *wish, const char *line,
		     struct spec_arena *arena, struct fp_error *error)
{
	struct spec_words words;

	*wish = (struct spec_wish){ 0 };
	if (spec__words_init(&words, arena, line, error) < 0)
		return -EINVAL;
	words.is_tc = true;
	while (spec__peek(&words)) {
		if (parse_word(wish, &words, error) < 0)
			return -EINVAL;
	}
	return 0;
}
