/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * netem's words for one direction: delay, jitter, loss, reordering,
 * duplication, corruption. Order of arguments and defaults: tc-netem(8).
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <string.h>

static const struct spec_range delay_range = { 0, SPEC_DELAY_MAX_NS };

/* Takes a correlation where one follows. */
static int take_correlation(struct spec_words *words, uint32_t *ret_ppm,
			    struct fp_error *error)
{
	*ret_ppm = 0;
	if (!spec__next_is_number(words))
		return 0;
	return spec__take_share(words, ret_ppm, error);
}

int spec__set_jitter(struct spec_wish *wish, struct spec_words *words,
		     struct fp_error *error)
{
	uint64_t jitter_ns;
	uint32_t correlation_ppm;

	if (spec__take_time(words, delay_range, &jitter_ns, error) < 0 ||
	    take_correlation(words, &correlation_ppm, error) < 0)
		return -EINVAL;
	wish->jitter_ns = jitter_ns;
	wish->jitter_correlation_ppm = correlation_ppm;
	wish->said |= SAID_JITTER;
	return 0;
}

int spec__set_delay(struct spec_wish *wish, struct spec_words *words,
		    struct fp_error *error)
{
	uint64_t delay_ns;

	if (spec__take_time(words, delay_range, &delay_ns, error) < 0)
		return -EINVAL;
	wish->delay_ns = delay_ns;
	wish->said |= SAID_DELAY;
	if (spec__next_is_number(words))
		return spec__set_jitter(wish, words, error);
	return 0;
}

int spec__set_distribution(struct spec_wish *wish, struct spec_words *words,
			   struct fp_error *error)
{
	/* in the order of enum fp_dist */
	static const char *const names[] = { "uniform", "normal", "pareto",
					     "paretonormal", NULL };
	const char *word = spec__take(words);

	for (uint32_t i = 0; word && names[i]; i++) {
		if (strcmp(word, names[i]) != 0)
			continue;
		wish->dist = (enum fp_dist)i;
		wish->said |= SAID_DISTRIBUTION;
		return 0;
	}
	return fp_error_set(error, FP_EXIT_USAGE,
			    "'%.60s' is not a distribution (uniform, normal, "
			    "pareto, paretonormal)",
			    word ? word : "");
}

/* Takes up to count shares into shares; those that do not follow stay as they
 * are. The first must follow. */
static int take_shares(struct spec_words *words, uint32_t *shares[],
		       uint32_t count, struct fp_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0 && !spec__next_is_number(words))
			return 0;
		if (spec__take_share(words, shares[i], error) < 0)
			return -EINVAL;
	}
	return 0;
}

static int take_random(struct fp_loss_config *loss, struct spec_words *words,
		       struct fp_error *error)
{
	uint32_t *shares[] = { &loss->random.probability_ppm,
			       &loss->random.correlation_ppm };

	loss->model = FP_LOSS_RANDOM;
	return take_shares(words, shares, 2, error);
}

/* tc's defaults make "gemodel p" Bernoulli's model and "gemodel p r" the simple
 * Gilbert one: r = 1 - p, 1-h = 100 %, 1-k = 0. */
static int take_gemodel(struct fp_loss_config *loss, struct spec_words *words,
			struct fp_error *error)
{
	uint32_t *p_ppm = &loss->gemodel.p_ppm;
	uint32_t *others[] = { &loss->gemodel.r_ppm, &loss->gemodel.h_loss_ppm,
			       &loss->gemodel.k_loss_ppm };

	loss->model = FP_LOSS_GEMODEL;
	if (spec__take_share(words, p_ppm, error) < 0)
		return -EINVAL;
	loss->gemodel.r_ppm = FP_PPM_ONE - *p_ppm;
	loss->gemodel.h_loss_ppm = FP_PPM_ONE;
	if (!spec__next_is_number(words))
		return 0;
	return take_shares(words, others, 3, error);
}

/* tc's defaults: p31 = 1 - p13, p32 = 0, p23 = 100 %, p14 = 0. */
static int take_state(struct fp_loss_config *loss, struct spec_words *words,
		      struct fp_error *error)
{
	uint32_t *p13_ppm = &loss->state.p13_ppm;
	uint32_t *others[] = { &loss->state.p31_ppm, &loss->state.p32_ppm,
			       &loss->state.p23_ppm, &loss->state.p14_ppm };

	loss->model = FP_LOSS_STATE;
	if (spec__take_share(words, p13_ppm, error) < 0)
		return -EINVAL;
	loss->state.p31_ppm = FP_PPM_ONE - *p13_ppm;
	loss->state.p23_ppm = FP_PPM_ONE;
	if (spec__next_is_number(words) &&
	    take_shares(words, others, 4, error) < 0)
		return -EINVAL;
	if (*p13_ppm + loss->state.p14_ppm > FP_PPM_ONE)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "p13 and p14 add up to more than 100%%");
	if (loss->state.p31_ppm + loss->state.p32_ppm > FP_PPM_ONE)
		return fp_error_set(
		    error, FP_EXIT_USAGE,
		    "p31 and p32 add up to more than 100%% (p31 is 100%% - p13 "
		    "where it is not said)");
	return 0;
}

static int take_periodic(struct fp_loss_config *loss, struct spec_words *words,
			 struct fp_error *error)
{
	const struct spec_range range = { 1, UINT32_MAX };
	uint64_t every_pkts;

	if (spec__take_count(words, range, &every_pkts, error) < 0)
		return -EINVAL;
	loss->model = FP_LOSS_PERIODIC;
	loss->periodic.every_pkts = (uint32_t)every_pkts;
	return 0;
}

static int take_list(struct fp_loss_config *loss, struct spec_words *words,
		     struct fp_error *error)
{
	const char *word = spec__take(words);
	char *next =
	    word ? spec_arena_copy(words->arena, word, strlen(word)) : NULL;
	uint64_t *numbers;
	uint32_t count = 0;

	if (!next)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "the numbers of the packets are missing "
				    "(like 1,5,9)");
	numbers = spec_arena_alloc(words->arena, strlen(word) / 2 + 1,
				   sizeof(*numbers));
	if (!numbers)
		return spec__no_memory(error);
	while (next) {
		char *number = next;

		next = spec__cut(next, ',');
		if (fp_parse_count(number, &numbers[count]) < 0 ||
		    numbers[count] <= (count ? numbers[count - 1] : 0))
			return fp_error_set(
			    error, FP_EXIT_USAGE,
			    "'%.60s' is not the number of a packet: they "
			    "ascend from 1 (like 1,5,9)",
			    number);
		count++;
	}
	loss->model = FP_LOSS_LIST;
	loss->list.numbers = numbers;
	loss->list.count = count;
	return 0;
}

static int take_loss(struct fp_loss_config *loss, struct spec_words *words,
		     struct fp_error *error)
{
	static const char *const models[] = { "random",   "gemodel", "state",
					      "periodic", "list",    NULL };
	static int (*const takers[])(struct fp_loss_config *,
				     struct spec_words *, struct fp_error *) = {
		take_random, take_gemodel, take_state, take_periodic, take_list
	};
	const char *word = spec__peek(words);
	const char *meant;
	int result;

	for (uint32_t i = 0; models[i]; i++) {
		if (spec__take_if(words, models[i]))
			return takers[i](loss, words, error);
	}
	result = take_random(loss, words, error);
	meant = result < 0 && word ? fp_nearest(word, models) : NULL;
	if (meant)
		fp_error_hint(error, "did you mean '%s'?", meant);
	return result;
}

int spec__set_loss(struct spec_wish *wish, struct spec_words *words,
		   struct fp_error *error)
{
	struct fp_loss_config loss = { .unit = FP_LOSS_UNIT_PACKET };

	if (take_loss(&loss, words, error) < 0)
		return -EINVAL;
	wish->loss = loss;
	wish->said |= SAID_LOSS;
	if (spec__take_if(words, "ecn"))
		return spec__set_ecn(wish, words, error);
	return 0;
}

int spec__set_ecn(struct spec_wish *wish, struct spec_words *words,
		  struct fp_error *error)
{
	(void)words;
	(void)error;
	wish->marks_ecn = true;
	wish->said |= SAID_ECN;
	return 0;
}

int spec__set_gap(struct spec_wish *wish, struct spec_words *words,
		  struct fp_error *error)
{
	const struct spec_range range = { 1, UINT32_MAX };
	uint64_t gap_pkts;

	if (spec__take_count(words, range, &gap_pkts, error) < 0)
		return -EINVAL;
	wish->reorder.gap_pkts = (uint32_t)gap_pkts;
	wish->said |= SAID_GAP;
	return 0;
}

static int take_chance(struct spec_words *words, uint32_t *ret_probability_ppm,
		       uint32_t *ret_correlation_ppm, struct fp_error *error)
{
	if (spec__take_share(words, ret_probability_ppm, error) < 0)
		return -EINVAL;
	return take_correlation(words, ret_correlation_ppm, error);
}

int spec__set_reorder(struct spec_wish *wish, struct spec_words *words,
		      struct fp_error *error)
{
	if (wish->said & SAID_REORDER) /* said anew, so is its gap */
		wish->reorder.gap_pkts = 0;
	if (take_chance(words, &wish->reorder.probability_ppm,
			&wish->reorder.correlation_ppm, error) < 0)
		return -EINVAL;
	wish->said |= SAID_REORDER;
	if (spec__take_if(words, "gap"))
		return spec__set_gap(wish, words, error);
	return 0;
}

int spec__set_duplicate(struct spec_wish *wish, struct spec_words *words,
			struct fp_error *error)
{
	wish->said |= SAID_DUPLICATE;
	return take_chance(words, &wish->duplicate.probability_ppm,
			   &wish->duplicate.correlation_ppm, error);
}

int spec__set_corrupt(struct spec_wish *wish, struct spec_words *words,
		      struct fp_error *error)
{
	wish->said |= SAID_CORRUPT;
	return take_chance(words, &wish->corrupt.probability_ppm,
			   &wish->corrupt.correlation_ppm, error);
}

int spec__set_seed(struct spec_wish *wish, struct spec_words *words,
		   struct fp_error *error)
{
	const struct spec_range range = { 1, SPEC_SEED_MAX };

	wish->said |= SAID_SEED;
	return spec__take_count(words, range, &wish->seed, error);
}
