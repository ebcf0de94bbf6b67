/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The algorithms that are compared, and what is expected of them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/algorithm.h"
#include "cmd/bottleneck.h"
#include "cmd/compare.h"
#include "sys/error.h"

/* A name becomes a part of commands that hints propose. */
#define NAME_LETTERS                                                           \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
#define CPU_KEY "cpu_per_gb_s"

static int add_simulated(struct compare_plan *plan, const char *name,
			 size_t length, struct fp_error *error)
{
	char *place = plan->algorithms[plan->algorithm_count];

	if (length >= sizeof(plan->algorithms[0]))
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.*s…' is too long for an algorithm's "
				    "name",
				    (int)sizeof(plan->algorithms[0]) - 1, name);
	(void)snprintf(place, sizeof(plan->algorithms[0]), "%.*s", (int)length,
		       name);
	return cmd_algorithm_parse(place, &plan->cc[plan->algorithm_count++],
				   error);
}

static int refuse_name(const char *name, size_t length, struct fp_error *error)
{
	char copy[FP_CC_NAME_BYTES];
	struct fp_cc_config config;

	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "'%.*s' is not an algorithm's name", (int)length,
			   name);
	(void)snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
	if (length < sizeof(copy) && !fp_cc_parse(copy, &config))
		fp_error_hint(error, "add --sim: profiles are the simulator's");
	else
		fp_error_hint(error, "--cc takes names of 1 … 15 letters, "
				     "separated by commas: 'cubic,bbr'");
	return -EINVAL;
}

static int add_algorithm(struct compare_plan *plan, const char *name,
			 size_t length, struct fp_error *error)
{
	char *place = plan->algorithms[plan->algorithm_count];

	if (plan->is_sim)
		return add_simulated(plan, name, length, error);
	if (length >= LAB_ALGORITHM_BYTES ||
	    strspn(name, NAME_LETTERS) < length)
		return refuse_name(name, length, error);
	memcpy(place, name, length);
	place[length] = '\0';
	plan->algorithm_count++;
	return cmd_algorithm_check_kernel(place, error);
}

int compare_read_algorithms(struct compare_plan *plan, struct fp_error *error)
{
	const char *text = plan->options->cc;
	int result = cmd_algorithm_check_list(text, error);
	size_t length;

	if (result < 0)
		return result;
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		if (plan->algorithm_count == LAB_GROUPS_MAX) {
			(void)fp_error_set(error, FP_EXIT_USAGE,
					   "cannot use '%s' for --cc",
					   plan->options->cc);
			fp_error_hint(error, "--cc takes 1 … %d algorithms",
				      LAB_GROUPS_MAX);
			return -EINVAL;
		}
		result = add_algorithm(plan, text, length, error);
		if (result < 0 || !text[length])
			return result;
	}
}

static bool is_compared(const struct compare_plan *plan, const char *name)
{
	uint32_t i;

	for (i = 0; i < plan->algorithm_count; i++) {
		if (strcmp(plan->algorithms[i], name) == 0)
			return true;
	}
	return false;
}

static int check_expect(const struct compare_plan *plan,
			const struct cmd_expect *expect, struct fp_error *error)
{
	const char *missing = NULL;

	if (!is_compared(plan, expect->algorithm))
		missing = expect->algorithm;
	else if (expect->kind == CMD_EXPECT_TIMES &&
		 !is_compared(plan, expect->other))
		missing = expect->other;
	if (missing) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--expect '%s' speaks of '%s', which is not "
				   "compared",
				   expect->text, missing);
		fp_error_hint(error, "--cc lists what is compared: %s",
			      plan->options->cc);
		return -EINVAL;
	}
	if (plan->is_sim && strcmp(expect->field->key, CPU_KEY) == 0) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--expect '%s' speaks of processor time, "
				   "which a simulation does not know",
				   expect->text);
		fp_error_hint(error, "leave --sim out to measure it");
		return -EINVAL;
	}
	if (expect->kind == CMD_EXPECT_LINK &&
	    !(compare_bottleneck(plan, NAN).mean_bps > 0)) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--expect '%s' speaks of the link, but this "
				   "path has no rate",
				   expect->text);
		fp_error_hint(error, "--rate sets one");
		return -EINVAL;
	}
	return 0;
}

int compare_read_expects(struct compare_plan *plan, struct fp_error *error)
{
	const struct cmd_list *list = &plan->options->expect;
	uint32_t i;
	int result;

	for (i = 0; i < list->count; i++) {
		result =
		    cmd_expect_parse(list->values[i], &plan->expects[i], error);
		if (result == 0)
			result = check_expect(plan, &plan->expects[i], error);
		if (result < 0)
			return result;
	}
	return 0;
}
