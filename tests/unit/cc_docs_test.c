/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* docs/cc.md has the tables of switches as the program has the switches. When
 * one is missing the test prints how it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc_driver.h"

#define TEXT_BYTES 65536

static const char *const names[] = { "reno", "cubic", "bbr", "bbr3" };

static uint32_t switches_of(enum fp_cc_kind kind, const char *words)
{
	struct fp_cc_config config;
	char name[FP_CC_NAME_BYTES];

	(void)snprintf(name, sizeof(name), "%s:%s", names[kind], words);
	assert_null(fp_cc_parse(name, &config));
	return kind == FP_CC_CUBIC ? config.cubic.switches
				   : config.bbr3.switches;
}

/* A word that "-" cannot turn off is a profile. */
static bool is_profile(enum fp_cc_kind kind, const char *word)
{
	struct fp_cc_config config;
	char name[FP_CC_NAME_BYTES];

	(void)snprintf(name, sizeof(name), "%s:-%s", names[kind], word);
	return fp_cc_parse(name, &config) != NULL;
}

/* Does the profile have the word? Then nothing changes when it is said as well.
 */
static const char *mark(enum fp_cc_kind kind, const char *profile,
			const char *word)
{
	char with[FP_CC_NAME_BYTES];

	(void)snprintf(with, sizeof(with), "%s:%s", profile, word);
	return switches_of(kind, with) == switches_of(kind, profile) ? "x"
								     : " ";
}

static void append(char *text, const char *more)
{
	assert_true(strlen(text) + strlen(more) < TEXT_BYTES);
	memcpy(text + strlen(text), more, strlen(more) + 1);
}

static uint32_t head(enum fp_cc_kind kind, const char *profiles[4], char *text)
{
	const char *word, *about;
	uint32_t count = 0;

	append(text, "| word |");
	for (uint32_t i = 0; (word = fp_cc_word_at(kind, i, &about)); i++) {
		if (!is_profile(kind, word))
			continue;
		assert_in_range(count, 0, 3);
		profiles[count++] = word;
		append(text, " ");
		append(text, word);
		append(text, " |");
	}
	append(text, " what it does |\n|---|");
	for (uint32_t i = 0; i < count; i++)
		append(text, "---|");
	append(text, "---|\n");
	return count;
}

static void write_table(enum fp_cc_kind kind, char *text)
{
	const char *profiles[4], *word, *about;
	uint32_t count;

	text[0] = '\0';
	count = head(kind, profiles, text);
	for (uint32_t i = 0; (word = fp_cc_word_at(kind, i, &about)); i++) {
		if (is_profile(kind, word))
			continue;
		append(text, "| `");
		append(text, word);
		append(text, "` |");
		for (uint32_t k = 0; k < count; k++) {
			append(text, " ");
			append(text, mark(kind, profiles[k], word));
			append(text, " |");
		}
		append(text, " ");
		append(text, about);
		append(text, " |\n");
	}
}

static void read_page(char *text)
{
	const char *top = getenv("FULLPIPE_TOP");
	char path[4096];
	FILE *file;
	size_t bytes;

	assert_non_null(top);
	(void)snprintf(path, sizeof(path), "%s/docs/cc.md", top);
	file = fopen(path, "r");
	assert_non_null(file);
	bytes = fread(text, 1, TEXT_BYTES - 1, file);
	text[bytes] = '\0';
	assert_int_equal(fclose(file), 0);
}

static void the_page_has_the_programs_switches(void **state)
{
	static char page[TEXT_BYTES], table[TEXT_BYTES];
	const enum fp_cc_kind kinds[] = { FP_CC_CUBIC, FP_CC_BBR3 };

	read_page(page);
	for (size_t i = 0; i < 2; i++) {
		write_table(kinds[i], table);
		if (strstr(page, table))
			continue;
		(void)fprintf(stderr, "docs/cc.md should have:\n%s", table);
		fail();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_the_programs_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
