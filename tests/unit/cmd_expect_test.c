/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/expect.h"
#include "near.h"

#define LINK_BPS 100e6
#define EXACT    1e-9

static struct out_result results[] = {
	{ .algorithm = "cubic",
	  .goodput_bps = { .median = 1.5e6 },
	  .rtt_p50_us = 101e3,
	  .rtt_p99_us = 110e3,
	  .retransmitted_share = 0.025,
	  .completion_us = { .median = NAN } },
	{ .algorithm = "bbr",
	  .goodput_bps = { .median = 75e6 },
	  .rtt_p50_us = 104e3,
	  .rtt_p99_us = 121e3,
	  .retransmitted_share = 0.03,
	  .completion_us = { .median = 4e6 } },
};

static const struct out_report report = { .results = results,
					  .result_count = 2 };

static void expectations_are_read_and_judged(void **state)
{
	static const struct {
		const char *text;
		bool holds;
		double measured;
	} rows[] = {
		/* 75 / 1.5 = 50 */
		{ "bbr >= 5 x cubic", true, 50 },
		{ "bbr >= 50x cubic", true, 50 },
		{ "bbr > 50 x cubic", false, 50 },
		{ "bbr goodput < 51 x cubic", true, 50 },
		/* 75 / 100 */
		{ "bbr >= 60% of link", true, 0.75 },
		{ "bbr >= 75% of link", true, 0.75 },
		{ "bbr >= 0.8 of link", false, 0.75 },
		{ "cubic <= 2mbit", true, 1.5e6 },
		{ "bbr rtt <= 104ms", true, 104e3 },
		{ "bbr rtt p99 <= 120ms", false, 121e3 },
		{ "bbr rtt p50 <= 2 x cubic", true, 104.0 / 101 },
		{ "bbr retransmitted < 3.1%", true, 0.03 },
		{ "bbr time <= 4s", true, 4e6 },
	};
	struct out_expectation judged;
	struct cmd_expect expect;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
		    cmd_expect_parse(rows[i].text, &expect, &error), 0);
		cmd_expect_judge(&expect, &report, LINK_BPS, &judged);
		assert_int_equal(judged.holds > 0, rows[i].holds);
		assert_near(judged.measured, rows[i].measured, EXACT);
		assert_string_equal(judged.text, rows[i].text);
	}
}

static void what_was_not_measured_does_not_hold(void **state)
{
	static const char *const texts[] = { "cubic time >= 0", "reno >= 1mbit",
					     "cubic time < 5 x bbr" };
	struct out_expectation judged;
	struct cmd_expect expect;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(cmd_expect_parse(texts[i], &expect, &error),
				 0);
		cmd_expect_judge(&expect, &report, LINK_BPS, &judged);
		assert_false(judged.holds > 0);
		assert_true(isnan(judged.measured));
	}
}

static void bad_grammar_shows_the_grammar(void **state)
{
	static const char *const texts[] = {
		"",
		"bbr",
		"bbr >=",
		"bbr is fast",
		"bbr >= lots",
		"bbr >= 5",
		"bbr >= 5 x",
		"bbr >= 5 times cubic",
		"bbr >= -5 x cubic",
		"bbr rtt p75 <= 1ms",
		"bbr rtt <= 5mbit",
		"bbr rtt <= 60% of link",
		"bbr >= 120% of link",
		"bbr >= 5 x cubic and more",
		"a b c d e f g h i j k l",
	};
	struct cmd_expect expect;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_true(cmd_expect_parse(texts[i], &expect, &error) < 0);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.hint, "NUMBER x ALG"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expectations_are_read_and_judged),
		cmocka_unit_test(what_was_not_measured_does_not_hold),
		cmocka_unit_test(bad_grammar_shows_the_grammar),
	};

	return cmocka_run_group_tests_name("cmd/expect", tests, NULL, NULL);
}
