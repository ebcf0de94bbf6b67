/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/expect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/units.h"
#include "sys/error.h"

#define WORDS_MAX  9
#define TEXT_BYTES 128

struct words {
	char text[TEXT_BYTES];
	char *word[WORDS_MAX + 1]; /* the last one is "" */
	uint32_t count;
};

static const struct {
	const char *word, *second; /* "rtt" "p99" */
	const char *key;           /* of a result */
} metrics[] = {
	{ "goodput", "", "goodput_bps.median" },
	{ "rtt", "p99", "rtt_us.p99" },
	{ "rtt", "p50", "rtt_us.p50" },
	{ "rtt", "", "rtt_us.p50" },
	{ "retransmitted", "", "retransmitted_share" },
	{ "time", "", "completion_us.median" },
	{ "cpu", "", "cpu_per_gb_s" },
};

static const char *const operators[] = { ">=", "<=", ">", "<" };

static int fail(const char *text, struct fp_error *error)
{
	int status = fp_error_set(error, FP_EXIT_USAGE,
				  "cannot use '%s' for --expect", text);

	fp_error_hint(error,
		      "ALG [goodput | rtt [p50|p99] | retransmitted | time | "
		      "cpu] >=|<=|>|< NUMBER x ALG, PERCENT of link, or a "
		      "value: 'bbr >= 5 x cubic', 'bbr rtt p99 <= 150ms'");
	return status;
}

/* Splits at spaces, and "5x" into "5" and "x". */
static bool split(const char *text, struct words *ret_words)
{
	static char nothing[] = "";
	char *save = NULL, *word;
	uint32_t i;

	if (strlen(text) >= TEXT_BYTES)
		return false;
	memset(ret_words, 0, sizeof(*ret_words));
	(void)snprintf(ret_words->text, TEXT_BYTES, "%s", text);
	for (word = strtok_r(ret_words->text, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (ret_words->count == WORDS_MAX)
			return false;
		ret_words->word[ret_words->count++] = word;
	}
	for (i = ret_words->count; i <= WORDS_MAX; i++)
		ret_words->word[i] = nothing;
	return ret_words->count > 0;
}

/* Tells how many words the metric takes; 0 words are goodput. */
static uint32_t find_metric(char *const *word, struct cmd_expect *expect)
{
	const char *key = metrics[0].key;
	uint32_t used = 0;
	size_t i;

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !used; i++) {
		if (strcmp(word[0], metrics[i].word) != 0)
			continue;
		if (metrics[i].second[0] &&
		    strcmp(word[1], metrics[i].second) != 0)
			continue;
		key = metrics[i].key;
		used = metrics[i].second[0] ? 2 : 1;
	}
	expect->field = out_field_find(out_result_fields, key);
	return used;
}

static const char *find_operator(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (strcmp(word, operators[i]) == 0)
			return operators[i];
	}
	return NULL;
}

static bool parse_value(enum fp_unit unit, const char *word, double *ret_value)
{
	uint64_t whole = 0;
	uint32_t ppm = 0;
	int result;

	if (unit == FP_UNIT_SHARE) {
		result = fp_parse_share_ppm(word, &ppm);
		*ret_value = ppm / 1e6;
	} else if (unit == FP_UNIT_RATE_BPS) {
		result = fp_parse_rate_bps(word, &whole);
		*ret_value = (double)whole;
	} else {
		result = fp_parse_time_ns(word, &whole);
		*ret_value =
		    (double)whole / (unit == FP_UNIT_TIME_US ? 1e3 : 1e9);
	}
	return result == 0;
}

/* "5 x cubic", "5x cubic" */
static bool parse_times(char *const *word, uint32_t count,
			struct cmd_expect *expect)
{
	char *end = NULL;

	expect->number = strtod(word[0], &end);
	if (end == word[0] || !(expect->number >= 0))
		return false;
	expect->kind = CMD_EXPECT_TIMES;
	if (count == 2 && strcmp(end, "x") == 0)
		word++;
	else if (count == 3 && !*end && strcmp(word[1], "x") == 0)
		word += 2;
	else
		return false;
	(void)snprintf(expect->other, sizeof(expect->other), "%s", word[0]);
	return true;
}

static bool parse_right_side(char *const *word, uint32_t count,
			     struct cmd_expect *expect)
{
	if (count == 1) {
		expect->kind = CMD_EXPECT_VALUE;
		return parse_value(expect->field->unit, word[0],
				   &expect->number);
	}
	if (count == 3 && strcmp(word[1], "of") == 0 &&
	    strcmp(word[2], "link") == 0) {
		expect->kind = CMD_EXPECT_LINK;
		return expect->field->unit == FP_UNIT_RATE_BPS &&
		       parse_value(FP_UNIT_SHARE, word[0], &expect->number);
	}
	return parse_times(word, count, expect);
}

int cmd_expect_parse(const char *text, struct cmd_expect *ret_expect,
		     struct fp_error *error)
{
	struct cmd_expect expect = { .text = text };
	struct words words;
	uint32_t at = 1;

	if (!split(text, &words))
		return fail(text, error);
	(void)snprintf(expect.algorithm, sizeof(expect.algorithm), "%s",
		       words.word[0]);
	at += find_metric(words.word + at, &expect);
	expect.op = find_operator(words.word[at]);
	if (!expect.op || at + 1 >= words.count)
		return fail(text, error);
	at++;
	if (!parse_right_side(words.word + at, words.count - at, &expect))
		return fail(text, error);
	*ret_expect = expect;
	return 0;
}

static double metric_of(const struct cmd_expect *expect,
			const struct out_report *report, const char *algorithm)
{
	uint32_t i;

	for (i = 0; i < report->result_count; i++) {
		if (strcmp(report->results[i].algorithm, algorithm) == 0)
			return out_field_number(expect->field,
						&report->results[i]);
	}
	return NAN;
}

static bool holds(const char *op, double left, double right)
{
	if (isnan(left) || isnan(right))
		return false;
	if (op[0] == '>')
		return op[1] ? left >= right : left > right;
	return op[1] ? left <= right : left < right;
}

void cmd_expect_judge(const struct cmd_expect *expect,
		      const struct out_report *report, double link_bps,
		      struct out_expectation *ret_judged)
{
	double value = metric_of(expect, report, expect->algorithm);
	char left[FP_FORMAT_BYTES], right[FP_FORMAT_BYTES];

	fp_format(left, sizeof(left), expect->field->unit, value);
	ret_judged->text = expect->text;
	ret_judged->measured = value;
	(void)snprintf(ret_judged->words, sizeof(ret_judged->words), "%s: %s",
		       expect->algorithm, left);
	if (expect->kind == CMD_EXPECT_TIMES) {
		ret_judged->measured =
		    value / metric_of(expect, report, expect->other);
		fp_format_number(right, sizeof(right), ret_judged->measured);
		(void)snprintf(ret_judged->words, sizeof(ret_judged->words),
			       "%s: %s, %s x %s", expect->algorithm, left,
			       right, expect->other);
	} else if (expect->kind == CMD_EXPECT_LINK) {
		ret_judged->measured = link_bps > 0 ? value / link_bps : NAN;
		fp_format(right, sizeof(right), FP_UNIT_SHARE,
			  ret_judged->measured);
		(void)snprintf(ret_judged->words, sizeof(ret_judged->words),
			       "%s: %s, %s of the link", expect->algorithm,
			       left, right);
	}
	ret_judged->holds =
	    holds(expect->op, ret_judged->measured, expect->number);
}
