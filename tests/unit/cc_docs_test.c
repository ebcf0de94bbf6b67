/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* docs/cc.md has the tables of switches as the program has the switches: the
 * same ones, in order, with the same words, in the same profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cc_driver.h"

#define PAGE_BYTES 65536
#define LINE_BYTES 512

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
	assert_true(strlen(text) + strlen(more) < LINE_BYTES);
	memcpy(text + strlen(text), more, strlen(more) + 1);
}

/* "word | linux | rfc9438 | what it does |". */
static void write_head(enum fp_cc_kind kind, const char *profiles[4],
		       char *text)
{
	const char *word, *about;
	uint32_t count = 0;

	append(text, "word |");
	for (uint32_t i = 0; (word = fp_cc_word_at(kind, i, &about)); i++) {
		if (!is_profile(kind, word))
			continue;
		assert_in_range(count, 0, 3);
		profiles[count++] = word;
		append(text, " ");
		append(text, word);
		append(text, " |");
	}
	append(text, " what it does |");
}

static void write_row(enum fp_cc_kind kind, const char *const profiles[4],
		      uint32_t number, char *text)
{
	const char *about;
	const char *word = fp_cc_word_at(kind, number, &about);

	append(text, "`");
	append(text, word);
	append(text, "` |");
	for (uint32_t i = 0; i < 4 && profiles[i]; i++) {
		append(text, " ");
		append(text, mark(kind, profiles[i], word));
		append(text, " |");
	}
	append(text, " ");
	append(text, about);
	append(text, " |");
}

/* The next line of the page must end so; what is before it, as a number, is the
 * page's. Moves *page past the line. */
static void expect_line(const char **page, const char *end)
{
	size_t bytes = strcspn(*page, "\n");
	size_t ends = strlen(end);

	if (bytes < ends || memcmp(*page + bytes - ends, end, ends) != 0) {
		(void)fprintf(stderr, "docs/cc.md has\n%.*s\nnot\n%s\n",
			      (int)bytes, *page, end);
		fail();
	}
	*page += bytes + ((*page)[bytes] == '\n');
}

static void check_table(enum fp_cc_kind kind, const char *page)
{
	const char *profiles[4] = { NULL }, *word, *about;
	char line[LINE_BYTES] = "";

	write_head(kind, profiles, line);
	page = strstr(page, line);
	if (!page)
		fail_msg("docs/cc.md has no table '%s'", line);
	expect_line(&page, line);
	expect_line(&page, "|---|");
	for (uint32_t i = 0; (word = fp_cc_word_at(kind, i, &about)); i++) {
		if (is_profile(kind, word))
			continue;
		line[0] = '\0';
		write_row(kind, profiles, i, line);
		expect_line(&page, line);
	}
	/* and no more */
	assert_int_not_equal(page[0], '|');
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
	bytes = fread(text, 1, PAGE_BYTES - 1, file);
	text[bytes] = '\0';
	assert_int_equal(fclose(file), 0);
}

static void the_page_has_the_programs_switches(void **state)
{
	static char page[PAGE_BYTES];

	read_page(page);
	check_table(FP_CC_CUBIC, page);
	check_table(FP_CC_BBR3, page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_the_programs_switches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
