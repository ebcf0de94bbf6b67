/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options that describe a path: those of the whole path in a table here, those
 * of one direction by the table of words.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int set_rtt(struct spec_plan *plan, struct spec_words *words,
		   struct fp_error *error)
{
	const struct spec_range range = { 0, SPEC_RTT_MAX_NS };
	uint64_t rtt_ns;

	if (spec__take_time(words, range, &rtt_ns, error) < 0)
		return -EINVAL;
	for (int way = 0; way < SPEC_WAYS; way++) {
		struct spec_wish *wish = &plan->way[way].items[0];

		/* an odd ns goes forward */
		wish->delay_ns =
		    way == SPEC_FORWARD ? rtt_ns - rtt_ns / 2 : rtt_ns / 2;
		wish->said |= SAID_DELAY;
	}
	return 0;
}

static int set_mtu(struct spec_plan *plan, struct spec_words *words,
		   struct fp_error *error)
{
	const struct spec_range range = { SPEC_MTU_MIN, SPEC_MTU_MAX };
	uint64_t mtu_bytes;

	if (spec__take_count(words, range, &mtu_bytes, error) < 0)
		return -EINVAL;
	plan->mtu_bytes = (uint32_t)mtu_bytes;
	return 0;
}

static int take_bool(struct spec_words *words, bool *ret_value,
		     struct fp_error *error)
{
	const char *word = spec__take(words);

	if (word && strcmp(word, "true") != 0 && strcmp(word, "yes") != 0 &&
	    strcmp(word, "false") != 0 && strcmp(word, "no") != 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is neither true nor false", word);
	*ret_value = !word || word[0] == 't' || word[0] == 'y';
	return 0;
}

static int set_ipv6(struct spec_plan *plan, struct spec_words *words,
		    struct fp_error *error)
{
	plan->has_ipv6 = true;
	return take_bool(words, &plan->is_ipv6, error);
}

static int set_loss_unit(struct spec_plan *plan, struct spec_words *words,
			 struct fp_error *error)
{
	const char *word = spec__take(words);

	if (!word || (strcmp(word, "packet") != 0 && strcmp(word, "skb") != 0))
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is not a unit of loss (packet, "
				    "skb)",
				    word ? word : "");
	plan->has_loss_unit = true;
	plan->loss_unit =
	    word[0] == 's' ? FP_LOSS_UNIT_SKB : FP_LOSS_UNIT_PACKET;
	return 0;
}

struct path_option {
	const char *name;
	int (*set)(struct spec_plan *plan, struct spec_words *words,
		   struct fp_error *error);
	bool is_switch;
	const char *usage;
};

static const struct path_option path_options[] = {
	{ "rtt", set_rtt, false, "a time from 0ms to 1800s, half each way" },
	{ "mtu", set_mtu, false, "bytes, from 576 to 65535" },
	{ "ipv6", set_ipv6, true, "no value" },
	{ "loss-unit", set_loss_unit, false,
	  "packet (of the wire) or skb (as netem draws)" },
	{ NULL, NULL, false, NULL },
};

/* Names for suggestions: those with a way back are listed without it. */
static void suggest_option(const char *typed, struct fp_error *error)
{
	const char *names[48] = { "path", "scenario", "preset" };
	const char *meant;
	uint32_t count = 3;

	for (const struct path_option *o = path_options; o->name; o++)
		names[count++] = o->name;
	for (const struct spec_word *word = spec__words; word->name; word++) {
		if ((word->places & IN_OPTION) && count < 47)
			names[count++] = word->name;
	}
	meant = fp_nearest(typed, names);
	if (meant)
		fp_error_hint(error, "did you mean '%s'?", meant);
}

static int set_path_option(struct spec_plan *plan,
			   const struct path_option *option, const char *value,
			   struct spec_arena *arena, struct fp_error *error)
{
	struct spec_words words;
	const char *rest;

	if (spec__words_init(&words, arena, value, error) < 0)
		return -EINVAL;
	if (option->set(plan, &words, error) < 0)
		return -EINVAL;
	rest = spec__peek(&words);
	if (rest)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' has no meaning here", rest);
	return 0;
}

/* Splits "loss-back" into its word and direction. */
static const struct spec_word *find_way_option(const char *name,
					       enum spec_way *ret_way)
{
	static const char suffix[] = "-back";
	size_t length = strlen(name);
	size_t word_length = length - (sizeof(suffix) - 1);
	char word[32];
	const struct spec_word *found;

	*ret_way = SPEC_FORWARD;
	if (length < sizeof(suffix) || word_length >= sizeof(word) ||
	    strcmp(name + word_length, suffix) != 0)
		return spec__word_find(name, IN_OPTION);
	memcpy(word, name, word_length);
	word[word_length] = '\0';
	*ret_way = SPEC_BACK;
	found = spec__word_find(word, IN_OPTION);
	return found && (found->places & FOR_BOTH) ? NULL : found;
}

static int set_way_option(struct spec_plan *plan, const char *name,
			  const char *value, struct spec_arena *arena,
			  struct fp_error *error)
{
	enum spec_way way;
	const struct spec_word *word = find_way_option(name, &way);
	enum spec_way last = way;

	if (!word) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "no such option of a path");
		suggest_option(name, error);
		return -EINVAL;
	}
	if (!value && !(word->places & IS_SWITCH)) {
		(void)fp_error_set(error, FP_EXIT_USAGE, "a value is missing");
		fp_error_hint(error, "%s takes %s", name, word->usage);
		return -EINVAL;
	}
	if (word->places & FOR_BOTH)
		last = SPEC_BACK;
	for (; way <= last; way++) {
		struct spec_wish *wish = &plan->way[way].items[0];
		uint32_t before = wish->said;

		if (spec__set_value(wish, word, value ? value : "", arena,
				    error) < 0)
			return -EINVAL;
		if (word->places & FOR_BOTH)
			wish->shared |= wish->said & ~before;
	}
	return 0;
}

/* An option that says something of a way makes it one item. */
static void count_items(struct spec_plan *plan)
{
	for (int way = 0; way < SPEC_WAYS; way++) {
		if (plan->way[way].items[0].said && !plan->way[way].item_count)
			plan->way[way].item_count = 1;
	}
}

int spec__plan_set(struct spec_plan *plan, const char *name, const char *value,
		   struct spec_arena *arena, struct fp_error *error)
{
	const struct path_option *option = path_options;
	int result;

	while (option->name && strcmp(option->name, name) != 0)
		option++;
	if (!option->name) {
		result = set_way_option(plan, name, value, arena, error);
	} else if (!value && !option->is_switch) {
		result =
		    fp_error_set(error, FP_EXIT_USAGE, "a value is missing");
	} else {
		result = set_path_option(plan, option, value ? value : "",
					 arena, error);
	}
	if (result < 0 && option->name && error && error->hint[0] == '\0')
		fp_error_hint(error, "%s takes %s", option->name,
			      option->usage);
	count_items(plan);
	return result;
}
