/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words for the limit of a queue.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define QUEUE_MAX_PKTS 10000000
#define QUEUE_MAX_NS   (60 * SPEC_S)
#define QUEUE_MAX_BDP  1000

static const char queue_forms[] =
    "1bdp, 100p (packets), 64k (bytes, with their unit) or 20ms";

/* Length of text without suffix; 0: it does not end so. */
static size_t length_before(const char *text, const char *suffix)
{
	size_t length = strlen(text);
	size_t suffix_length = strlen(suffix);

	if (length <= suffix_length ||
	    strcmp(text + length - suffix_length, suffix) != 0)
		return 0;
	return length - suffix_length;
}

/* Reads a number that is followed by one of suffixes. */
static bool parse_suffixed(const char *word, const char *const suffixes[],
			   int (*parse)(const char *, uint64_t *),
			   uint64_t *ret_amount)
{
	for (; *suffixes; suffixes++) {
		char number[32];
		size_t length = length_before(word, *suffixes);

		if (length == 0 || length >= sizeof(number))
			continue;
		memcpy(number, word, length);
		number[length] = '\0';
		if (parse(number, ret_amount) == 0)
			return true;
	}
	return false;
}

bool spec__parse_queue(const char *word, struct spec_queue *ret_queue)
{
	static const char *const pkts[] = { "p",      "pkt",     "pkts",
					    "packet", "packets", NULL };
	static const char *const bdp[] = { "bdp", "BDP", NULL };
	static const char *const bare[] = { "", NULL };
	uint64_t count;

	if (parse_suffixed(word, bdp, fp_parse_factor_ppm,
			   &ret_queue->amount)) {
		ret_queue->unit = SPEC_QUEUE_BDP;
		return true;
	}
	if (parse_suffixed(word, pkts, fp_parse_count, &ret_queue->amount)) {
		ret_queue->unit = SPEC_QUEUE_PKTS;
		return true;
	}
	if (fp_parse_count(word, &count) == 0) /* of what? 0 says it all */
		return count == 0 && parse_suffixed(word, bare, fp_parse_count,
						    &ret_queue->amount);
	/* "20m" is a size, not minutes */
	if (fp_parse_size_bytes(word, &ret_queue->amount) == 0) {
		ret_queue->unit = SPEC_QUEUE_BYTES;
		return true;
	}
	ret_queue->unit = SPEC_QUEUE_NS;
	return fp_parse_time_ns(word, &ret_queue->amount) == 0;
}

/* Greatest amount, by unit. */
static const uint64_t queue_max[] = {
	[SPEC_QUEUE_PKTS] = QUEUE_MAX_PKTS,
	[SPEC_QUEUE_BYTES] = SPEC_QUEUE_MAX_BYTES,
	[SPEC_QUEUE_NS] = QUEUE_MAX_NS,
	[SPEC_QUEUE_BDP] = UINT64_C(1000000) * QUEUE_MAX_BDP,
};

static int refuse_queue(const char *word, struct fp_error *error)
{
	uint64_t count;

	if (word && fp_parse_count(word, &count) == 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' of what? A queue is %s", word,
				    queue_forms);
	return fp_error_set(error, FP_EXIT_USAGE,
			    "'%.60s' is not a queue: %s; at most 1000bdp, "
			    "10000000p, 1024G or 60s",
			    word ? word : "", queue_forms);
}

int spec__set_queue(struct spec_wish *wish, struct spec_words *words,
		    struct fp_error *error)
{
	static const char *const plural[] = { "packets", "packet", "pkts",
					      NULL };
	const char *word = spec__take(words);
	struct spec_queue queue = { .unit = SPEC_QUEUE_PKTS };
	bool is_pkts = false;

	for (uint32_t i = 0; word && !is_pkts && plural[i]; i++)
		is_pkts = spec__take_if(words, plural[i]);
	if (!word || !(is_pkts ? fp_parse_count(word, &queue.amount) == 0
			       : spec__parse_queue(word, &queue)))
		return refuse_queue(word, error);
	if (queue.amount == 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s': a queue of zero would drop every "
				    "packet that finds the link busy; the "
				    "least is one packet (1p)",
				    word);
	if (queue.amount > queue_max[queue.unit])
		return refuse_queue(word, error);
	wish->queue = queue;
	wish->said |= SAID_QUEUE;
	return 0;
}

int spec__set_limit(struct spec_wish *wish, struct spec_words *words,
		    struct fp_error *error)
{
	const struct spec_range range = { 1, QUEUE_MAX_PKTS };

	wish->queue.unit = SPEC_QUEUE_PKTS;
	wish->said |= SAID_QUEUE;
	return spec__take_count(words, range, &wish->queue.amount, error);
}
