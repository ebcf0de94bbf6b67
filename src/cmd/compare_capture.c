/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compare_capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/error.h"

#define WORD_BYTES (OUT_NAME_BYTES + 24)

/* Rounds of one number: one of each algorithm, or one of all together. */
static uint32_t rounds_at_once(const struct compare_plan *plan)
{
	return plan->options->together ? 1 : plan->algorithm_count;
}

static void add_word(char *word, size_t bytes, const char *part)
{
	size_t used = strlen(word);

	(void)snprintf(word + used, bytes - used, "%s%s", used ? "." : "",
		       part);
}

/* "sim.cubic": the world where there are two, and the algorithm where there are
 * several; one that stands a second time is "cubic-2". */
static void name_round(const struct compare_plan *plan, uint32_t number,
		       char *ret_word, size_t bytes)
{
	const char *name = plan->algorithms[number];
	char nth[16];
	uint32_t i, times = 1;

	for (i = 0; i < number; i++)
		times += strcmp(plan->algorithms[i], name) == 0;
	ret_word[0] = '\0';
	if (plan->options->both)
		add_word(ret_word, bytes, plan->is_sim ? "sim" : "kernel");
	if (rounds_at_once(plan) > 1)
		add_word(ret_word, bytes, name);
	(void)snprintf(nth, sizeof(nth), "-%u", times);
	if (times > 1)
		(void)snprintf(ret_word + strlen(ret_word),
			       bytes - strlen(ret_word), "%s", nth);
}

static int open_each(struct compare_plan *plan,
		     struct compare_captures *captures, struct fp_error *error)
{
	uint32_t count = rounds_at_once(plan);
	char word[WORD_BYTES];
	uint32_t i;
	int result;

	for (i = 0; i < count; i++) {
		struct cmd_capture *one = &captures->each[i];

		name_round(plan, i, word, sizeof(word));
		result = cmd_capture_open(one, plan->options->pcap,
					  word[0] ? word : NULL, error);
		if (result < 0)
			return result;
		captures->count++;
		if (!plan->is_sim) /* its rounds are made as they run */
			plan->rounds[i].path.capture = &one->lab;
		(void)cmd_capture_note(one, captures->note,
				       sizeof(captures->note));
	}
	return 0;
}

int compare_captures_open(struct compare_plan *plan, struct fp_error *error)
{
	if (!plan->options->pcap)
		return 0;
	if (plan->path.is_direct) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--pcap needs the emulator, and '--path "
				   "direct' has none");
		fp_error_hint(error, "--rtt 0 says a path without delay");
		return -EINVAL;
	}
	plan->captures = calloc(1, sizeof(*plan->captures));
	if (!plan->captures)
		return fp_error_errno(error, ENOMEM, "cannot keep captures");
	return open_each(plan, plan->captures, error);
}

const struct lab_capture *
compare_capture_files(const struct compare_captures *captures, uint32_t round)
{
	if (!captures || round >= captures->count)
		return NULL;
	return &captures->each[round].lab;
}

void compare_capture_publish(struct compare_captures *captures, uint32_t round,
			     const struct lab_result *result)
{
	struct fp_error error;

	if (!captures || round >= captures->count)
		return;
	if (cmd_capture_publish(&captures->each[round], &result->captured,
				&error) < 0 &&
	    !captures->error.status)
		captures->error = error;
}

struct out_capture compare_capture_row(const struct compare_captures *captures,
				       uint32_t algorithm)
{
	if (!captures || !captures->count)
		return (struct out_capture){ 0 };
	if (captures->count == 1) /* of all together */
		return cmd_capture_row(&captures->each[0]);
	return cmd_capture_row(&captures->each[algorithm]);
}

void compare_captures_free(struct compare_captures *captures)
{
	uint32_t i;

	for (i = 0; captures && i < captures->count; i++)
		cmd_capture_fini(&captures->each[i]);
	free(captures);
}
