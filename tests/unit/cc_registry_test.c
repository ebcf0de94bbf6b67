/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of algorithms, and the words behind them. */
#include <stdio.h>
#include <string.h>

#include "cc_driver.h"

static uint32_t cubic_switches(const char *name)
{
	struct fp_cc_config config;
	const char *wrong = fp_cc_parse(name, &config);

	if (wrong)
		fail_msg("%s: %s", name, wrong);
	assert_int_equal(config.kind, FP_CC_CUBIC);
	assert_string_equal(config.name, name);
	return config.cubic.switches;
}

static void knows_the_profiles(void **state)
{
	assert_int_equal(cubic_switches("cubic"), FP_CUBIC_LINUX);
	assert_int_equal(cubic_switches("cubic:linux"), FP_CUBIC_LINUX);
	assert_int_equal(cubic_switches("cubic:rfc9438"), FP_CUBIC_RFC9438);
	/* a profile is the whole set: words before it are without effect */
	assert_int_equal(cubic_switches("cubic:fraction:linux"),
			 FP_CUBIC_LINUX);
	assert_int_equal(cubic_switches("cubic:rfc9438:linux"), FP_CUBIC_LINUX);
}

static void a_word_is_one_switch(void **state)
{
	assert_int_equal(cubic_switches("cubic:fraction"),
			 FP_CUBIC_LINUX | FP_CUBIC_FRACTION);
	assert_int_equal(cubic_switches("cubic:rfc9438:-fraction"),
			 FP_CUBIC_RFC9438 & ~(uint32_t)FP_CUBIC_FRACTION);
	assert_int_equal(cubic_switches("cubic:-fraction"), FP_CUBIC_LINUX);
	assert_int_equal(cubic_switches("cubic:fraction:-fraction"),
			 FP_CUBIC_LINUX);
}

/* One way out of slow start or none. */
static void the_two_hystarts_exclude_each_other(void **state)
{
	const uint32_t both = (uint32_t)FP_CUBIC_HYSTART | FP_CUBIC_HYSTARTPP;

	assert_int_equal(cubic_switches("cubic") & both, FP_CUBIC_HYSTART);
	assert_int_equal(cubic_switches("cubic:rfc9438") & both,
			 FP_CUBIC_HYSTARTPP);
	assert_int_equal(cubic_switches("cubic:hystart++") & both,
			 FP_CUBIC_HYSTARTPP);
	assert_int_equal(cubic_switches("cubic:rfc9438:hystart") & both,
			 FP_CUBIC_HYSTART);
	assert_int_equal(cubic_switches("cubic:-hystart") & both, 0);
	assert_int_equal(cubic_switches("cubic:rfc9438:-hystart") & both, 0);
	assert_int_equal(cubic_switches("cubic:rfc9438:-hystart++") & both, 0);
}

/* Every word that is listed can be said, and says what it does. */
static void every_listed_word_is_known(void **state)
{
	const char *const names[] = { "reno", "cubic", "bbr", "bbr3" };
	uint32_t words = 0;

	for (uint32_t kind = 0; kind < 4; kind++) {
		const char *about = NULL;
		const char *word;

		for (uint32_t i = 0;
		     (word = fp_cc_word_at((enum fp_cc_kind)kind, i, &about));
		     i++) {
			struct fp_cc_config config;
			char name[FP_CC_NAME_BYTES];

			(void)snprintf(name, sizeof(name), "%s:%s", names[kind],
				       word);
			assert_null(fp_cc_parse(name, &config));
			assert_int_equal(config.kind, kind);
			assert_in_range(strlen(about), 10, 75);
			words++;
		}
	}
	assert_in_range(words, 17, 100); /* CUBIC's alone are 17 */
}

static void refuses_what_it_does_not_know(void **state)
{
	const char *const wrong[] = {
		"",
		":",
		"renos",
		"ren",
		"RENO",
		" reno",
		"vegas",
		"reno:linux", /* it has no profiles */
		"cubic:",
		"cubic::linux",
		"cubic:linux:",
		"cubic:linu",
		"cubic:linuxx",
		"cubic:google",
		"cubic:-",
		"cubic:--fraction",
		"cubic:-linux", /* what would it be then? */
		"cubic:-rfc9438",
		"cubic rfc9438",
		/* 64 characters, all of them right */
		("cubic:linux:linux:linux:linux:hystart:hystart:fraction:"
		 "-fraction"),
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fp_cc_config config = { .name = "as it was" };

		if (!fp_cc_parse(wrong[i], &config))
			fail_msg("took '%s'", wrong[i]);
		assert_string_equal(config.name, "as it was");
	}
}

/* 63 characters are the most. */
static void takes_the_longest_name(void **state)
{
	const char *name = "cubic:linux:linux:linux:linux:linux:linux:linux:"
			   "linux:-fraction";
	struct fp_cc_config config;

	assert_int_equal(strlen(name), FP_CC_NAME_BYTES - 1);
	assert_null(fp_cc_parse(name, &config));
	assert_string_equal(config.name, name);
}

/* Out of range is answered, not followed. */
static void an_unknown_kind_is_reno(void **state)
{
	const struct fp_cc_config config = { .kind = (enum fp_cc_kind)77 };
	struct fp_cc_model model = { .bbr_version = 9 };
	const char *about;
	struct cc_driver driver;

	cc_begin(&driver, "reno", 10, 5);
	fp_cc_init(&driver.cc, &config, &driver.conn, &driver.control);
	assert_int_equal(cc_ack(&driver, 10), 11);
	fp_cc_get_model(&driver.cc, &driver.conn, &model);
	assert_int_equal(model.bbr_version, 0);
	assert_null(fp_cc_word_at((enum fp_cc_kind)77, 0, &about));
}

/* An algorithm may be changed in the middle of a connection: it begins with the
 * window that it finds. */
static void begins_with_the_window_it_finds(void **state)
{
	struct cc_driver driver;
	struct fp_cc_config config;

	cc_begin(&driver, "reno", 37, 20);
	assert_int_equal(cc_ack(&driver, 37), 38);
	assert_null(fp_cc_parse("cubic", &config));
	fp_cc_init(&driver.cc, &config, &driver.conn, &driver.control);
	assert_int_equal(driver.control.cwnd_pkts, 38);
	assert_int_equal(driver.control.ssthresh_pkts, 20);
	assert_int_equal(cc_lose(&driver), 38 * 717 / 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_profiles),
		cmocka_unit_test(a_word_is_one_switch),
		cmocka_unit_test(the_two_hystarts_exclude_each_other),
		cmocka_unit_test(every_listed_word_is_known),
		cmocka_unit_test(refuses_what_it_does_not_know),
		cmocka_unit_test(takes_the_longest_name),
		cmocka_unit_test(an_unknown_kind_is_reno),
		cmocka_unit_test(begins_with_the_window_it_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
