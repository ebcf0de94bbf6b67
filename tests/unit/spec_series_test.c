/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "spec/series.h"

/* All values, with blanks between. */
static const char *joined(const struct spec_series *series)
{
	static char text[4096];
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i < series->count; i++)
		used +=
		    (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
				     i ? " " : "", series->values[i]);
	return text;
}

/* Each row by the header's grammar; what a range makes is in the canonical
 * form of its unit (spec/units.h), what stands alone as it was written. */
static void lists_and_ranges_become_values(void **state)
{
	static const struct {
		enum spec_quantity kind;
		const char *text, *values;
	} rows[] = {
		{ SPEC_TIME, "10ms", "10ms" },
		{ SPEC_TIME, "10ms, 1 s,0", "10ms 1 s 0" },
		/* 10 20 40 80 160, then 320 is past the end: the end is in */
		{ SPEC_TIME, "10ms:300ms:x2",
		  "10ms 20ms 40ms 80ms 160ms 300ms" },
		{ SPEC_TIME, "10ms:160ms:x2", "10ms 20ms 40ms 80ms 160ms" },
		{ SPEC_TIME, "0.5ms:2ms:x2", "500us 1ms 2ms" },
		/* 100 150 225 337.5 */
		{ SPEC_RATE, "100mbit:300mbit:x1.5",
		  "100mbit 150mbit 225mbit 300mbit" },
		/* 3, then 4.5 rounded up, then 7.5 */
		{ SPEC_COUNT, "3:8:x1.5", "3 5 8" },
		{ SPEC_TIME, "0ms:100ms:+40ms", "0ms 40ms 80ms 100ms" },
		{ SPEC_SHARE, "1%:2%:+0.5%", "1% 1.5% 2%" },
		{ SPEC_SHARE, "0.01:0.02:+0.01", "1% 2%" },
		{ SPEC_TIME, "7ms:7ms:x2", "7ms" },
		{ SPEC_TIME, "7ms..7ms", "7ms" },
		{ SPEC_SHARE, "0.01%..20%",
		  "0.01% 0.02% 0.05% 0.1% 0.2% 0.5% 1% 2% 5% 10% 20%" },
		{ SPEC_SHARE, "0,0.5%..3%", "0 0.5% 1% 2% 3%" },
		{ SPEC_TIME, "3ms..40ms", "3ms 5ms 10ms 20ms 40ms" },
		{ SPEC_TIME, "900us..1s",
		  "900us 1ms 2ms 5ms 10ms 20ms 50ms 100ms 200ms 500ms 1s" },
		{ SPEC_RATE, "10mbit..1gbit",
		  "10mbit 20mbit 50mbit 100mbit 200mbit 500mbit 1gbit" },
		{ SPEC_COUNT, "1..12", "1 2 5 10 12" },
		/* bytes double */
		{ SPEC_SIZE, "64k..384k", "64k 128k 256k 384k" },
		{ SPEC_QUEUE, "64k..128k,1p..3p", "64k 128k 1p 2p 3p" },
		{ SPEC_QUEUE, "0.25bdp..4bdp",
		  "0.25bdp 0.5bdp 1bdp 2bdp 4bdp" },
		{ SPEC_QUEUE, "0.25bdp:4bdp:x4", "0.25bdp 1bdp 4bdp" },
		{ SPEC_QUEUE, "100p:200p:+50p", "100p 150p 200p" },
		{ SPEC_QUEUE, "5ms..20ms", "5ms 10ms 20ms" },
		/* equal numbers of different units are different queues */
		{ SPEC_QUEUE, "1p,1bdp", "1p 1bdp" },
		/* what is no range is not looked into */
		{ SPEC_SHARE, "1%,gemodel 1% 10%", "1% gemodel 1% 10%" },
		{ SPEC_WORDS, "cubic,bbr3:draft:-drain_timeout",
		  "cubic bbr3:draft:-drain_timeout" },
		{ SPEC_WORDS, "codel:target=5ms,ecn;red",
		  "codel:target=5ms,ecn red" },
		{ SPEC_WORDS, "codel:target=5ms,ecn;", "codel:target=5ms,ecn" },
		{ SPEC_WHOLE, "0s:1mbit,5s:2mbit", "0s:1mbit,5s:2mbit" },
		{ SPEC_WHOLE, "a..b,c.trace; d", "a..b,c.trace d" },
	};
	struct spec_series series;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (spec_series_read(rows[i].kind, rows[i].text, &series,
				     &error) < 0)
			fail_msg("%s: %s", rows[i].text, error.text);
		assert_string_equal(joined(&series), rows[i].values);
		spec_series_fini(&series);
	}
}

static void what_is_wrong_is_told_with_its_item(void **state)
{
	static const struct {
		enum spec_quantity kind;
		const char *text, *message;
	} rows[] = {
		{ SPEC_TIME, "", "item 1 is empty" },
		{ SPEC_TIME, "1ms,,2ms", "item 2 is empty" },
		{ SPEC_TIME, "1ms,2ms,", "item 3 is empty" },
		{ SPEC_TIME, "1ms,300ms:10ms:x2",
		  "item 2, '300ms:10ms:x2': a range goes upwards: '300ms' is "
		  "above '10ms'" },
		{ SPEC_TIME, "5ms..1ms", "'5ms' is above '1ms'" },
		{ SPEC_TIME, "10ms:300ms:2",
		  "item 1, '10ms:300ms:2': not a "
		  "range" },
		{ SPEC_TIME, "10ms:300ms", "not a range" },
		{ SPEC_TIME, "1ms:2ms:x2:x3", "not a range" },
		{ SPEC_TIME, "1ms:2ms:x1", "not a factor above 1" },
		{ SPEC_TIME, "1ms:2ms:x0.5", "not a factor above 1" },
		{ SPEC_TIME, "1ms:2ms:x", "not a factor above 1" },
		{ SPEC_TIME, "1ms:2ms:x2ms", "not a factor above 1" },
		{ SPEC_TIME, "1ms:2ms:+0", "not a step above 0" },
		{ SPEC_TIME, "1ms:2ms:+1", "not a step above 0" },
		{ SPEC_TIME, "1ms:2ms:+1mbit", "not a step above 0" },
		{ SPEC_QUEUE, "1p:9p:+1bdp", "not a step above 0" },
		{ SPEC_QUEUE, "1p..9bdp", "both ends in one unit" },
		{ SPEC_TIME, "10..300ms", "'10' cannot be an end" },
		{ SPEC_RATE, "1mbit..2ms", "'2ms' cannot be an end" },
		{ SPEC_SHARE, "0.1%..200%", "'200%' cannot be an end" },
		{ SPEC_SHARE, "..1%", "'' cannot be an end" },
		{ SPEC_SHARE, "0..1%", "cannot start at 0" },
		{ SPEC_SHARE, "0:1%:x2", "cannot start at 0" },
		/* 1 ppm times 1.1 is 1 ppm */
		{ SPEC_SHARE, "0.0001%:1%:x1.1", "too small to move" },
		{ SPEC_SHARE, "1%,0.5%..2%",
		  "item 2, '0.5%..2%': '1%' stands twice" },
		{ SPEC_SHARE, "0.01,1%", "'1%' stands twice" },
		{ SPEC_WORDS, "cubic,bbr,cubic",
		  "item 3, 'cubic': 'cubic' stands twice" },
		/* 0, 1, … 10000 */
		{ SPEC_COUNT, "0:10000:+1", "more than 10000 values" },
	};
	struct spec_series series = { .count = 77 };
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&error, 0, sizeof(error));
		if (spec_series_read(rows[i].kind, rows[i].text, &series,
				     &error) == 0)
			fail_msg("'%s' was taken: %s", rows[i].text,
				 joined(&series));
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s': %s", rows[i].text, error.text);
		assert_int_equal(error.status, 2);
		assert_int_equal(series.count, 77);
	}
}

/* 1, 2, … 10000: as many as fit. */
static void the_longest_list_fits(void **state)
{
	struct spec_series series;
	struct fp_error error;

	assert_int_equal(
	    spec_series_read(SPEC_COUNT, "1:10000:+1", &series, &error), 0);
	assert_int_equal(series.count, SPEC_SERIES_MAX);
	assert_string_equal(series.values[0], "1");
	assert_string_equal(series.values[SPEC_SERIES_MAX - 1], "10000");
	spec_series_fini(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_become_values),
		cmocka_unit_test(what_is_wrong_is_told_with_its_item),
		cmocka_unit_test(the_longest_list_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
