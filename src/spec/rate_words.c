/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words for a rate: constant, in steps, policed.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OVERHEAD_MAX    65535
/* fp_policer_config keeps burst x 8e9 below 2^64. */
#define BURST_MAX_BYTES UINT64_C(0x7fffffff)

static const struct spec_range rate_range = { SPEC_RATE_MIN_BPS,
					      SPEC_RATE_MAX_BPS };

int spec__set_overhead(struct spec_wish *wish, struct spec_words *words,
		       struct fp_error *error)
{
	const struct spec_range overhead = { OVERHEAD_MAX, OVERHEAD_MAX };
	const struct spec_range cell = { 0, OVERHEAD_MAX };
	struct fp_rate_config *rate = &wish->rate;
	uint64_t cell_bytes = 0;

	rate->cell_bytes = 0;
	rate->cell_overhead_bytes = 0;
	wish->said |= SAID_OVERHEAD;
	if (spec__take_signed(words, overhead, &rate->overhead_bytes, error) <
	    0)
		return -EINVAL;
	if (!spec__next_is_number(words))
		return 0;
	if (spec__take_count(words, cell, &cell_bytes, error) < 0)
		return -EINVAL;
	rate->cell_bytes = (uint32_t)cell_bytes;
	if (!spec__next_is_number(words))
		return 0;
	return spec__take_signed(words, overhead, &rate->cell_overhead_bytes,
				 error);
}

int spec__set_rate(struct spec_wish *wish, struct spec_words *words,
		   struct fp_error *error)
{
	uint64_t rate_bps;

	if (spec__take_rate(words, rate_range, &rate_bps, error) < 0)
		return -EINVAL;
	wish->rate.rate_bps = rate_bps;
	wish->said |= SAID_RATE;
	if (spec__next_is_number(words))
		return spec__set_overhead(wish, words, error);
	return 0;
}

/* Reads one "5s:20mbit"; a rate of 0 stands still. */
static int parse_step(char *text, struct fp_rate_step *step,
		      const struct fp_rate_step *before, struct fp_error *error)
{
	char *rate = spec__cut(text, ':');

	if (!rate || fp_parse_time_ns(text, &step->at_ns) < 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is not a step (like 5s:20mbit)",
				    text);
	if (before && step->at_ns <= before->at_ns)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "the step at '%.60s' is not later than the "
				    "one before it",
				    text);
	if (fp_parse_rate_bps(rate, &step->rate_bps) < 0 ||
	    step->rate_bps > SPEC_RATE_MAX_BPS)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is not a rate with its unit from "
				    "0bit to 1000gbit (like 20mbit)",
				    rate);
	return 0;
}

int spec__set_steps(struct spec_wish *wish, struct spec_words *words,
		    struct fp_error *error)
{
	const char *word = spec__take(words);
	char *next =
	    word ? spec_arena_copy(words->arena, word, strlen(word)) : NULL;
	struct fp_rate_step *steps;
	uint32_t count = 0;

	if (!next)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "the steps are missing (like "
				    "0s:100mbit,5s:20mbit)");
	steps = spec_arena_alloc(words->arena, strlen(word) / 2 + 1,
				 sizeof(*steps));
	if (!steps)
		return spec__no_memory(error);
	while (next) {
		char *step = next;

		next = spec__cut(next, ',');
		if (parse_step(step, &steps[count],
			       count ? &steps[count - 1] : NULL, error) < 0)
			return -EINVAL;
		count++;
	}
	wish->rate.steps = steps;
	wish->rate.step_count = count;
	wish->said |= SAID_STEPS;
	return 0;
}

int spec__set_policer(struct spec_wish *wish, struct spec_words *words,
		      struct fp_error *error)
{
	const struct spec_range burst_range = { SPEC_MTU_MIN, BURST_MAX_BYTES };
	const char *word = spec__peek(words);
	const char *colon = word ? strchr(word, ':') : NULL;
	char *pair[2] = { NULL, NULL };
	struct spec_words both = { .arena = words->arena,
				   .word = pair,
				   .count = 2 };
	struct spec_words *source = words;

	if (colon) { /* RATE:BURST as one word */
		pair[0] = spec_arena_copy(words->arena, word, strlen(word));
		if (!pair[0])
			return spec__no_memory(error);
		pair[1] = spec__cut(pair[0], ':');
		(void)spec__take(words);
		source = &both;
	}
	if (spec__take_rate(source, rate_range, &wish->policer.rate_bps,
			    error) < 0)
		return -EINVAL;
	(void)spec__take_if(source, "burst");
	if (spec__take_size(source, burst_range, &wish->policer.burst_bytes,
			    error) < 0)
		return -EINVAL;
	wish->said |= SAID_POLICER;
	return 0;
}
