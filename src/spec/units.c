/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Digits after the point that are kept; more would overflow 10^n. */
#define FRACTION_DIGITS_MAX 15

struct unit {
	const char *name; /* lower case; "" stands for no unit */
	uint64_t scale;   /* of one in the base unit */
};

#define K UINT64_C(1000)
static const struct unit time_units[] = {
	{ "ms", K *K },      { "s", K *K *K },      { "us", K },
	{ "ns", 1 },         { "m", 60 * K *K *K }, { "h", 3600 * K *K *K },
	{ "msec", K *K },    { "msecs", K *K },     { "sec", K *K *K },
	{ "secs", K *K *K }, { "usec", K },         { "usecs", K },
	{ "nsec", 1 },       { "nsecs", 1 },        { "min", 60 * K *K *K },
	{ "\xc2\xb5s", K }, /* U+00B5, micro sign */
	{ "\xce\xbcs", K }, /* U+03BC, Greek mu */
	{ NULL, 0 },
};

/* tc-lib: "bps" is bytes per second. */
#define KI UINT64_C(1024)
static const struct unit rate_units[] = {
	{ "bit", 1 },
	{ "kbit", K },
	{ "mbit", K *K },
	{ "gbit", K *K *K },
	{ "tbit", K *K *K *K },
	{ "kibit", KI },
	{ "mibit", KI *KI },
	{ "gibit", KI *KI *KI },
	{ "tibit", KI *KI *KI *KI },
	{ "bps", 8 },
	{ "kbps", 8 * K },
	{ "mbps", 8 * K *K },
	{ "gbps", 8 * K *K *K },
	{ "tbps", 8 * K *K *K *K },
	{ "kibps", 8 * KI },
	{ "mibps", 8 * KI *KI },
	{ "gibps", 8 * KI *KI *KI },
	{ "tibps", 8 * KI *KI *KI *KI },
	{ NULL, 0 },
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "b", 1 },
	{ "k", KI },
	{ "kb", KI },
	{ "kib", KI },
	{ "m", KI *KI },
	{ "mb", KI *KI },
	{ "mib", KI *KI },
	{ "g", KI *KI *KI },
	{ "gb", KI *KI *KI },
	{ "gib", KI *KI *KI },
	{ "t", KI *KI *KI *KI },
	{ "tb", KI *KI *KI *KI },
	{ "tib", KI *KI *KI *KI },
	{ NULL, 0 },
};

static const struct unit percent_units[] = { { "%", 10 * K },
					     { "", 10 * K },
					     { NULL, 0 } };

static const struct unit share_units[] = { { "%", 10 * K },
					   { "", K *K },
					   { NULL, 0 } };

/* A number as written: whole + fraction / 10^digits. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t power; /* 10^digits of the fraction */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int append_digit(uint64_t *value, char digit)
{
	if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
	    __builtin_add_overflow(*value, (uint64_t)(digit - '0'), value))
		return -ERANGE;
	return 0;
}

/* Reads the digits after the point, but for trailing zeros. */
static int read_fraction(const char **cursor, struct decimal *number)
{
	const char *first = *cursor;
	size_t digits = 0;
	size_t used = 0;

	for (; is_digit(first[digits]); digits++) {
		if (first[digits] != '0')
			used = digits + 1;
	}
	*cursor = first + digits;
	if (digits == 0)
		return -EINVAL;
	if (used > FRACTION_DIGITS_MAX)
		return -ERANGE;
	for (size_t i = 0; i < used; i++) {
		(void)append_digit(&number->fraction, first[i]); /* 15 fit */
		number->power *= 10;
	}
	return 0;
}

/* Reads "12" or "12.5" and leaves *cursor behind it. */
static int read_decimal(const char **cursor, struct decimal *ret_number)
{
	struct decimal number = { .power = 1 };
	const char *c = *cursor;
	bool is_too_large = false;
	int result = 0;

	if (!is_digit(*c))
		return -EINVAL;
	for (; is_digit(*c); c++)
		is_too_large |= append_digit(&number.whole, *c) != 0;
	if (*c == '.') {
		c++;
		result = read_fraction(&c, &number);
	}
	if (result == 0 && is_too_large)
		result = -ERANGE;
	*cursor = c;
	*ret_number = number;
	return result;
}

static const struct unit *find_unit(const struct unit *units, const char *name,
				    size_t length)
{
	for (const struct unit *unit = units; unit->name; unit++) {
		size_t i = 0;

		while (i < length && to_lower(name[i]) == unit->name[i])
			i++;
		if (i == length && unit->name[i] == '\0')
			return unit;
	}
	return NULL;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* number x scale. ret_is_exact: nothing was rounded down. */
static int scale_decimal(const struct decimal *number, uint64_t scale,
			 uint64_t *ret_value, bool *ret_is_exact)
{
	uint64_t divisor = greatest_divisor(scale, number->power);
	uint64_t power = number->power / divisor;
	uint64_t part;
	uint64_t value;

	if (power == 0) /* not a decimal that read_decimal() made */
		return -EINVAL;
	if (__builtin_mul_overflow(number->whole, scale, &value) ||
	    __builtin_mul_overflow(number->fraction, scale / divisor, &part) ||
	    __builtin_add_overflow(value, part / power, &value))
		return -ERANGE;
	*ret_is_exact = part % power == 0;
	*ret_value = value;
	return 0;
}

/* Reads a number and its unit, and no more. suffix: what may follow the unit,
 * or "". */
static int read_quantity(const char *text, const struct unit *units,
			 const char *suffix, struct decimal *ret_number,
			 const struct unit **ret_unit)
{
	size_t suffix_length = strlen(suffix);
	const char *c = text;
	int result = read_decimal(&c, ret_number);
	size_t length;

	if (result == -EINVAL)
		return result;
	while (*c == ' ')
		c++;
	length = strlen(c);
	if (suffix_length > 0 && length > suffix_length &&
	    strcmp(c + length - suffix_length, suffix) == 0)
		length -= suffix_length;
	*ret_unit = find_unit(units, c, length);
	return *ret_unit ? result : -EINVAL;
}

static int parse_exact(const char *text, const struct unit *units,
		       const char *suffix, uint64_t *ret_value)
{
	const struct unit *unit;
	struct decimal number;
	bool is_exact;
	uint64_t value;
	int result = read_quantity(text, units, suffix, &number, &unit);

	if (result == 0)
		result = scale_decimal(&number, unit->scale, &value, &is_exact);
	if (result == 0 && !is_exact)
		result = -ERANGE;
	if (result == 0)
		*ret_value = value;
	return result;
}

int fp_parse_time_ns(const char *text, uint64_t *ret_ns)
{
	if (strcmp(text, "0") == 0) {
		*ret_ns = 0;
		return 0;
	}
	return parse_exact(text, time_units, "", ret_ns);
}

int fp_parse_rate_bps(const char *text, uint64_t *ret_bps)
{
	return parse_exact(text, rate_units, "/s", ret_bps);
}

static int parse_ppm(const char *text, const struct unit *units,
		     uint32_t *ret_ppm)
{
	uint64_t ppm;
	int result = parse_exact(text, units, "", &ppm);

	if (result == 0 && ppm > 1000000)
		result = -ERANGE;
	if (result == 0)
		*ret_ppm = (uint32_t)ppm;
	return result;
}

int fp_parse_share_ppm(const char *text, uint32_t *ret_ppm)
{
	const struct unit *unit;
	struct decimal number;
	int result = read_quantity(text, share_units, "", &number, &unit);

	if (result == 0 && unit->name[0] == '\0' && number.whole > 0)
		return -EINVAL;
	return parse_ppm(text, share_units, ret_ppm);
}

int fp_parse_percent_ppm(const char *text, uint32_t *ret_ppm)
{
	return parse_ppm(text, percent_units, ret_ppm);
}

int fp_parse_size_bytes(const char *text, uint64_t *ret_bytes)
{
	const struct unit *unit;
	struct decimal number;
	bool is_exact;
	uint64_t bytes;
	int result = read_quantity(text, size_units, "", &number, &unit);

	if (result == 0)
		result = scale_decimal(&number, unit->scale, &bytes, &is_exact);
	if (result == 0 && unit->scale == 1 && !is_exact)
		result = -ERANGE;
	if (result == 0)
		*ret_bytes = bytes;
	return result;
}

int fp_parse_factor_ppm(const char *text, uint64_t *ret_ppm)
{
	static const struct unit bare[] = { { "", K * K }, { NULL, 0 } };

	return parse_exact(text, bare, "", ret_ppm);
}

static int hex_digit(char c)
{
	int lower = to_lower(c);

	if (is_digit(c))
		return c - '0';
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static int parse_hex(const char *digits, uint64_t *ret_count)
{
	uint64_t count = 0;
	const char *c = digits;

	for (; hex_digit(*c) >= 0; c++) {
		if (count >> 60)
			return -ERANGE;
		count = count << 4 | (uint64_t)hex_digit(*c);
	}
	if (c == digits || *c != '\0')
		return -EINVAL;
	*ret_count = count;
	return 0;
}

int fp_parse_count(const char *text, uint64_t *ret_count)
{
	uint64_t count = 0;
	const char *c = text;
	int result = 0;

	if (text[0] == '0' && to_lower(text[1]) == 'x')
		return parse_hex(text + 2, ret_count);
	for (; is_digit(*c); c++) {
		if (result == 0)
			result = append_digit(&count, *c);
	}
	if (c == text || *c != '\0')
		return -EINVAL;
	if (result == 0)
		*ret_count = count;
	return result;
}

int fp_parse_signed(const char *text, int32_t *ret_value)
{
	bool is_negative = text[0] == '-';
	uint64_t magnitude;
	int result = fp_parse_count(text + is_negative, &magnitude);

	if (result < 0)
		return result;
	if (magnitude > INT32_MAX)
		return -ERANGE;
	*ret_value = is_negative ? -(int32_t)magnitude : (int32_t)magnitude;
	return 0;
}

/* Writes value / scale, exactly, with suffix. scale is a power of ten. */
static void format_decimal(uint64_t value, uint64_t scale, const char *suffix,
			   char *ret_text)
{
	uint64_t rest = value % scale;
	int used =
	    snprintf(ret_text, FP_UNITS_TEXT_BYTES, "%" PRIu64, value / scale);
	char *end = ret_text + used;

	if (rest != 0)
		*end++ = '.';
	while (rest != 0) {
		scale /= 10;
		*end++ = (char)('0' + rest / scale);
		rest %= scale;
	}
	(void)snprintf(end, (size_t)(ret_text + FP_UNITS_TEXT_BYTES - end),
		       "%s", suffix);
}

struct step {
	uint64_t scale;
	const char *suffix;
};

/* steps: falling, the last with scale 1 takes what is left. */
static void format_steps(uint64_t value, const struct step *steps,
			 char *ret_text)
{
	while (steps->scale > 1 && value < steps->scale)
		steps++;
	format_decimal(value, steps->scale, steps->suffix, ret_text);
}

void fp_format_time(uint64_t ns, char ret_text[FP_UNITS_TEXT_BYTES])
{
	static const struct step steps[] = {
		{ K * K * K, "s" }, { K * K, "ms" }, { K, "us" }, { 1, "ns" }
	};

	if (ns == 0)
		(void)snprintf(ret_text, FP_UNITS_TEXT_BYTES, "0ms");
	else
		format_steps(ns, steps, ret_text);
}

void fp_format_rate(uint64_t bps, char ret_text[FP_UNITS_TEXT_BYTES])
{
	static const struct step steps[] = { { K * K * K, "gbit" },
					     { K * K, "mbit" },
					     { K, "kbit" },
					     { 1, "bit" } };

	format_steps(bps, steps, ret_text);
}

void fp_format_share(uint32_t ppm, char ret_text[FP_UNITS_TEXT_BYTES])
{
	format_decimal(ppm, 10 * K, "%", ret_text);
}

void fp_format_size(uint64_t bytes, char ret_text[FP_UNITS_TEXT_BYTES])
{
	static const char *const suffixes[] = { "b", "k", "M", "G" };
	unsigned int power = 0;

	while (power < 3 && bytes != 0 && bytes % KI == 0) {
		bytes /= KI;
		power++;
	}
	(void)snprintf(ret_text, FP_UNITS_TEXT_BYTES, "%" PRIu64 "%s", bytes,
		       suffixes[power]);
}
