/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/units.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* Left in the result where a parser must not touch it. */
#define UNTOUCHED UINT64_C(0xfeedfeed)

struct row {
	const char *text;
	uint64_t value;
	int result;
};

static int parse_share(const char *text, uint64_t *ret_value)
{
	uint32_t ppm = (uint32_t)*ret_value;
	int result = fp_parse_share_ppm(text, &ppm);

	*ret_value = ppm;
	return result;
}

static int parse_percent(const char *text, uint64_t *ret_value)
{
	uint32_t ppm = (uint32_t)*ret_value;
	int result = fp_parse_percent_ppm(text, &ppm);

	*ret_value = ppm;
	return result;
}

static void check_rows(const struct row *rows, size_t count,
		       int (*parse)(const char *, uint64_t *))
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = UNTOUCHED;
		int result = parse(rows[i].text, &value);
		uint64_t expected = rows[i].result ? UNTOUCHED : rows[i].value;

		if (result != rows[i].result || value != expected)
			fail_msg("'%s': result %d, value %ju", rows[i].text,
				 result, (uintmax_t)value);
	}
}

#define CHECK_ROWS(rows, parse)                                                \
	check_rows(rows, sizeof(rows) / sizeof((rows)[0]), parse)

static void times_are_exact(void **state)
{
	static const struct row rows[] = {
		{ "10ms", 10000000, 0 },
		{ "1.5s", 1500000000, 0 },
		{ "200us", 200000, 0 },
		{ "200\xc2\xb5s", 200000, 0 },
		{ "3ns", 3, 0 },
		{ "2m", 120000000000, 0 },
		{ "1h", 3600000000000, 0 },
		{ "0", 0, 0 },
		{ "0ms", 0, 0 },
		{ "10 ms", 10000000, 0 },
		{ "10MS", 10000000, 0 },
		{ "0.000000001s", 1, 0 },
		{ "1.5000000000000000000000s", 1500000000, 0 },
		/* 2^64 ns = 18446744073.709551616 s */
		{ "18446744073.709551615s", UINT64_MAX, 0 },
		{ "18446744073.709551616s", 0, -ERANGE },
		{ "99999999999999999999s", 0, -ERANGE },
		{ "0.5ns", 0, -ERANGE },
		{ "0.0000000001s", 0, -ERANGE },
		{ "10", 0, -EINVAL },
		{ "", 0, -EINVAL },
		{ "ms", 0, -EINVAL },
		{ "-1ms", 0, -EINVAL },
		{ "+1ms", 0, -EINVAL },
		{ " 1ms", 0, -EINVAL },
		{ "1ms ", 0, -EINVAL },
		{ "1.ms", 0, -EINVAL },
		{ ".5ms", 0, -EINVAL },
		{ "1,5ms", 0, -EINVAL },
		{ "1e3ms", 0, -EINVAL },
		{ "0x10ms", 0, -EINVAL },
		{ "nan", 0, -EINVAL },
		{ "10mss", 0, -EINVAL },
		{ "10mbit", 0, -EINVAL },
	};

	CHECK_ROWS(rows, fp_parse_time_ns);
}

static void rates_need_a_unit(void **state)
{
	static const struct row rows[] = {
		{ "100mbit", 100000000, 0 },
		{ "1.5gbit", 1500000000, 0 },
		{ "0.1gbit", 100000000, 0 },
		{ "10kbit", 10000, 0 },
		{ "5bit", 5, 0 },
		{ "2tbit", 2000000000000, 0 },
		{ "100mbit/s", 100000000, 0 },
		{ "100Mbit/s", 100000000, 0 },
		{ "10mbps", 80000000, 0 },   /* bytes/s x 8 */
		{ "1gibit", 1073741824, 0 }, /* 2^30 */
		{ "1kibps", 8192, 0 },       /* 1024 x 8 */
		{ "0.1bit", 0, -ERANGE },
		{ "0.1gibit", 0, -ERANGE }, /* 107374182.4 */
		{ "18446744073709551616bit", 0, -ERANGE },
		{ "10", 0, -EINVAL },
		{ "0", 0, -EINVAL },
		{ "10mb", 0, -EINVAL },
		{ "10mbit/", 0, -EINVAL },
		{ "10/s", 0, -EINVAL },
		{ "mbit", 0, -EINVAL },
	};

	CHECK_ROWS(rows, fp_parse_rate_bps);
}

static void shares_end_at_one(void **state)
{
	static const struct row rows[] = {
		{ "2%", 20000, 0 },
		{ "0.01%", 100, 0 },
		{ "0.0001%", 1, 0 },
		{ "100%", 1000000, 0 },
		{ "0%", 0, 0 },
		{ "0", 0, 0 },
		{ "0.02", 20000, 0 },
		{ "12.5 %", 125000, 0 },
		{ "0.00001%", 0, -ERANGE },
		{ "100.0001%", 0, -ERANGE },
		{ "200%", 0, -ERANGE },
		{ "1", 0, -EINVAL },
		{ "2", 0, -EINVAL },
		{ "-1%", 0, -EINVAL },
		{ "%", 0, -EINVAL },
		{ "2%%", 0, -EINVAL },
		{ "inf", 0, -EINVAL },
	};

	CHECK_ROWS(rows, parse_share);
}

static void percentages_may_be_bare(void **state)
{
	static const struct row rows[] = {
		{ "2%", 20000, 0 },    { "2", 20000, 0 },
		{ "0.02", 200, 0 },    { "100", 1000000, 0 },
		{ "101", 0, -ERANGE }, { "2ms", 0, -EINVAL },
	};

	CHECK_ROWS(rows, parse_percent);
}

static void sizes_are_1024_based(void **state)
{
	static const struct row rows[] = {
		{ "1500", 1500, 0 },
		{ "1500b", 1500, 0 },
		{ "64k", 65536, 0 },
		{ "64kB", 65536, 0 },
		{ "5M", 5242880, 0 },       /* 5 x 2^20 */
		{ "128MiB", 134217728, 0 }, /* 2^27 */
		{ "1gib", 1073741824, 0 },  /* 2^30 */
		{ "0.1M", 104857, 0 },      /* 104857.6 rounded down */
		{ "0", 0, 0 },
		/* (2^24 - 1/2) x 2^40 = 2^64 - 2^39 */
		{ "16777215.5t", UINT64_MAX - (UINT64_C(1) << 39) + 1, 0 },
		{ "16777216t", 0, -ERANGE }, /* 2^24 x 2^40 */
		{ "1.5", 0, -ERANGE },
		{ "-5", 0, -EINVAL },
		{ "5x", 0, -EINVAL },
	};

	CHECK_ROWS(rows, fp_parse_size_bytes);
}

static void counts_are_decimal_or_hex(void **state)
{
	static const struct row rows[] = {
		{ "42", 42, 0 },
		{ "0x2a", 42, 0 },
		{ "0X2A", 42, 0 },
		{ "0", 0, 0 },
		{ "18446744073709551615", UINT64_MAX, 0 },
		{ "0xffffffffffffffff", UINT64_MAX, 0 },
		{ "18446744073709551616", 0, -ERANGE },
		{ "0x10000000000000000", 0, -ERANGE },
		{ "0x", 0, -EINVAL },
		{ "", 0, -EINVAL },
		{ "4 2", 0, -EINVAL },
		{ "-1", 0, -EINVAL },
		{ "1.0", 0, -EINVAL },
		{ "0xg", 0, -EINVAL },
	};

	CHECK_ROWS(rows, fp_parse_count);
}

static void signed_numbers_may_be_negative(void **state)
{
	int32_t value = 0;

	assert_int_equal(fp_parse_signed("-14", &value), 0);
	assert_int_equal(value, -14);
	assert_int_equal(fp_parse_signed("20", &value), 0);
	assert_int_equal(value, 20);
	assert_int_equal(fp_parse_signed("2147483648", &value), -ERANGE);
	assert_int_equal(fp_parse_signed("--1", &value), -EINVAL);
	assert_int_equal(fp_parse_signed("-", &value), -EINVAL);
	assert_int_equal(value, 20);
}

static void texts_are_the_shortest_exact_ones(void **state)
{
	char text[FP_UNITS_TEXT_BYTES];

	fp_format_time(1500000, text);
	assert_string_equal(text, "1.5ms");
	fp_format_time(0, text);
	assert_string_equal(text, "0ms");
	fp_format_time(3600000000000, text);
	assert_string_equal(text, "3600s");
	fp_format_rate(100000000, text);
	assert_string_equal(text, "100mbit");
	fp_format_rate(1073741824, text);
	assert_string_equal(text, "1.073741824gbit");
	fp_format_share(20000, text);
	assert_string_equal(text, "2%");
	fp_format_share(100, text);
	assert_string_equal(text, "0.01%");
	fp_format_size(65536, text);
	assert_string_equal(text, "64k");
	fp_format_size(1250000, text);
	assert_string_equal(text, "1250000b");
}

/* Any value survives text and back; values spread over all magnitudes. */
static void texts_parse_back(void **state)
{
	uint64_t value = 1;

	for (int i = 0; i < 2000; i++) {
		char text[FP_UNITS_TEXT_BYTES];
		uint64_t back;
		uint32_t ppm;

		/* Knuth's MMIX generator, cut to a varying width */
		value = value * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		uint64_t v = value >> (i % 64);

		fp_format_time(v, text);
		assert_int_equal(fp_parse_time_ns(text, &back), 0);
		assert_true(back == v);
		fp_format_rate(v, text);
		assert_int_equal(fp_parse_rate_bps(text, &back), 0);
		assert_true(back == v);
		fp_format_size(v, text);
		assert_int_equal(fp_parse_size_bytes(text, &back), 0);
		assert_true(back == v);
		fp_format_share((uint32_t)(v % 1000001), text);
		assert_int_equal(fp_parse_share_ppm(text, &ppm), 0);
		assert_int_equal(ppm, v % 1000001);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_exact),
		cmocka_unit_test(rates_need_a_unit),
		cmocka_unit_test(shares_end_at_one),
		cmocka_unit_test(percentages_may_be_bare),
		cmocka_unit_test(sizes_are_1024_based),
		cmocka_unit_test(counts_are_decimal_or_hex),
		cmocka_unit_test(signed_numbers_may_be_negative),
		cmocka_unit_test(texts_are_the_shortest_exact_ones),
		cmocka_unit_test(texts_parse_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
