/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers show three significant digits and the unit in which they lie between
 * 1 and 999 (docs/units.md). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sys/format.h"

static void numbers_show_three_digits_and_their_unit(void **state)
{
	static const struct {
		enum fp_unit unit;
		double value;
		const char *text;
	} rows[] = {
		{ FP_UNIT_RATE_BPS, 1140000, "1.14 Mbit/s" },
		{ FP_UNIT_RATE_BPS, 100e6, "100 Mbit/s" },
		{ FP_UNIT_RATE_BPS, 16.84e9, "16.8 Gbit/s" },
		{ FP_UNIT_RATE_BPS, 999.6e3, "1.00 Mbit/s" },
		{ FP_UNIT_RATE_BPS, 9.996e6, "10.0 Mbit/s" },
		{ FP_UNIT_RATE_BPS, 99.96e6, "100 Mbit/s" },
		{ FP_UNIT_RATE_BPS, 0, "0 bit/s" },
		{ FP_UNIT_RATE_BPS, NAN, "-" },
		{ FP_UNIT_TIME_US, 104000, "104 ms" },
		{ FP_UNIT_TIME_US, 31, "31.0 us" },
		{ FP_UNIT_TIME_S, 1.2, "1.20 s" },
		{ FP_UNIT_TIME_S, 0.0045, "4.50 ms" },
		{ FP_UNIT_TIME_NS, 31000, "31.0 us" },
		{ FP_UNIT_FLAG, 1, "yes" },
		{ FP_UNIT_TIME_S, 64, "64.0 s" },
		{ FP_UNIT_BYTES, 1250000, "1.25 MB" },
		{ FP_UNIT_BYTES, 512, "512 B" },
		{ FP_UNIT_SHARE, 0.0203, "2.03 %" },
		{ FP_UNIT_SHARE, 1, "100 %" },
		{ FP_UNIT_SHARE, 0, "0 %" },
		{ FP_UNIT_SHARE, 0.00004, "0.004 %" },
		{ FP_UNIT_SHARE, 1e-8, "<0.001 %" },
		{ FP_UNIT_PPM, 20000, "2.00 %" },
		{ FP_UNIT_RATIO, 66.84, "66.8x" },
		{ FP_UNIT_COUNT, 1234567, "1234567" },
	};
	char text[FP_FORMAT_BYTES];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    fp_format(text, sizeof(text), rows[i].unit, rows[i].value),
		    rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_show_three_digits_and_their_unit),
	};

	return cmocka_run_group_tests_name("sys/format", tests, NULL, NULL);
}
