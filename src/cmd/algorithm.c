/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/algorithm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lab/lab.h"
#include "out/table.h"
#include "sys/error.h"
#include "sys/nearest.h"

#define WORDS_MAX     64
#define LABEL_COLUMNS 30

const char *const cmd_algorithm_names[] = {
	[FP_CC_RENO] = "reno",
	[FP_CC_CUBIC] = "cubic",
	[FP_CC_BBR] = "bbr",
	[FP_CC_BBR3] = "bbr3",
	NULL,
};

uint32_t cmd_algorithm_bbr_version(const struct fp_cc_config *config)
{
	if (config->kind == FP_CC_BBR)
		return 1;
	return config->kind == FP_CC_BBR3 ? 3 : 0;
}

/* The words that may follow a name, NULL-ended. */
static void list_words(enum fp_cc_kind kind, const char **words)
{
	const char *about;
	uint32_t i;

	for (i = 0; i < WORDS_MAX; i++) {
		words[i] = fp_cc_word_at(kind, i, &about);
		if (!words[i])
			return;
	}
	words[i] = NULL;
}

/* "linux, rfc9438": as many as there is room for. */
static void join(const char *const *words, char *ret_text, size_t bytes)
{
	size_t used = 0;

	ret_text[0] = '\0';
	for (; *words && used + strlen(*words) + 8 < bytes; words++)
		used += (size_t)snprintf(ret_text + used, bytes - used, "%s%s",
					 used ? ", " : "", *words);
	if (*words)
		(void)snprintf(ret_text + used, bytes - used, ", …");
}

static void hint_names(const char *name, struct fp_error *error)
{
	const char *near = fp_nearest(name, cmd_algorithm_names);
	char all[64];

	join(cmd_algorithm_names, all, sizeof(all));
	if (near)
		fp_error_hint(error, "did you mean '%s'? the simulator has: %s",
			      near, all);
	else
		fp_error_hint(error, "the simulator has: %s", all);
}

/* One word of a profile that does not exist, without its "-". */
static void hint_words(const char *name, enum fp_cc_kind kind, const char *word,
		       struct fp_error *error)
{
	const char *words[WORDS_MAX + 1], *near;
	char all[160];

	list_words(kind, words);
	join(words, all, sizeof(all));
	near = fp_nearest(word, words);
	if (near)
		fp_error_hint(error, "did you mean '%s:%s'?", name, near);
	else if (words[0])
		fp_error_hint(error,
			      "%s takes: %s; '--sim --cc help' tells "
			      "what they mean",
			      name, all);
	else
		fp_error_hint(error, "%s has no profiles", name);
}

static bool is_word(enum fp_cc_kind kind, const char *word)
{
	const char *words[WORDS_MAX + 1];
	uint32_t i;

	list_words(kind, words);
	for (i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return true;
	}
	return false;
}

/* Finds the part of a name that is not known, and what comes near it. */
static void hint(const char *text, struct fp_error *error)
{
	char copy[FP_CC_NAME_BYTES], *save = NULL, *name, *word;
	struct fp_cc_config known;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	name = strtok_r(copy, ":", &save);
	if (!name || fp_cc_parse(name, &known)) {
		hint_names(name ? name : "", error);
		return;
	}
	while ((word = strtok_r(NULL, ":", &save))) {
		word += word[0] == '-';
		if (!is_word(known.kind, word)) {
			hint_words(name, known.kind, word, error);
			return;
		}
	}
	hint_words(name, known.kind, "", error);
}

int cmd_algorithm_parse(const char *text, struct fp_cc_config *ret_config,
			struct fp_error *error)
{
	const char *complaint = fp_cc_parse(text, ret_config);

	if (!complaint)
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE, "cannot simulate '%s': %s",
			   text, complaint);
	hint(text, error);
	return -EINVAL;
}

int cmd_algorithm_check_list(const char *list, struct fp_error *error)
{
	size_t length = strlen(list);

	if (length > 0 && list[0] != ',' && list[length - 1] != ',' &&
	    !strstr(list, ",,"))
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "--cc '%.200s' has an empty name", list);
	fp_error_hint(error,
		      "names are separated by single commas: 'cubic,bbr'");
	return -EINVAL;
}

int cmd_algorithm_check_kernel(const char *name, struct fp_error *error)
{
	struct fp_cc_config config;
	int result = lab_check_algorithm(name, error);

	if (result < 0 && !fp_cc_parse(name, &config))
		fp_error_hint(error,
			      "the simulator has it: 'fullpipe compare --sim "
			      "--cc %s'; 'sysctl net.ipv4.tcp_available_"
			      "congestion_control' tells what this kernel has",
			      name);
	return result;
}

void cmd_algorithm_list(FILE *file)
{
	char label[FP_CC_NAME_BYTES];
	const char *word, *about;
	uint32_t kind, i;

	for (kind = 0; cmd_algorithm_names[kind]; kind++) {
		(void)fprintf(file, "%s\n", cmd_algorithm_names[kind]);
		for (i = 0;
		     (word = fp_cc_word_at((enum fp_cc_kind)kind, i, &about));
		     i++) {
			(void)snprintf(label, sizeof(label), "  :%s ", word);
			out_paragraph_print(file, label, LABEL_COLUMNS, about);
		}
	}
}
