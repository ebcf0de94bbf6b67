/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/series.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/arena.h"
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#define ONE_PPM   1000000u
#define QUOTE_MAX "60" /* characters of an item that an error repeats */

/* A number with its unit: how to read it and to write it back. */
struct quantity {
	enum spec_quantity kind;
	enum spec_queue_unit unit; /* of SPEC_QUEUE */
	uint64_t value;
};

/* A series while it is read. */
struct reader {
	enum spec_quantity kind;
	struct spec_arena *arena;
	/* both with room for SPEC_SERIES_MAX */
	const char **values;
	struct quantity *quantities; /* kind SPEC_WORDS: none */
	uint32_t count;
};

/* --- Quantities ----------------------------------------------------------- */

static bool parse_share(const char *text, uint64_t *ret_value)
{
	uint32_t ppm;

	if (fp_parse_share_ppm(text, &ppm) < 0)
		return false;
	*ret_value = ppm;
	return true;
}

static bool parse_queue(const char *text, struct quantity *quantity)
{
	struct spec_queue queue = { .unit = SPEC_QUEUE_PKTS };

	if (!spec__parse_queue(text, &queue))
		return false;
	quantity->unit = queue.unit;
	quantity->value = queue.amount;
	return true;
}

/* Reads text as one quantity of kind. */
static bool parse(enum spec_quantity kind, const char *text,
		  struct quantity *ret_quantity)
{
	*ret_quantity = (struct quantity){ .kind = kind };
	switch (kind) {
	case SPEC_TIME:
		return fp_parse_time_ns(text, &ret_quantity->value) == 0;
	case SPEC_RATE:
		return fp_parse_rate_bps(text, &ret_quantity->value) == 0;
	case SPEC_SHARE:
		return parse_share(text, &ret_quantity->value);
	case SPEC_SIZE:
		return fp_parse_size_bytes(text, &ret_quantity->value) == 0;
	case SPEC_COUNT:
		return fp_parse_count(text, &ret_quantity->value) == 0;
	case SPEC_QUEUE:
		return parse_queue(text, ret_quantity);
	case SPEC_WORDS:
	case SPEC_WHOLE:
		return false;
	}
	return false;
}

/* Millionths of a BDP: "0.25bdp". */
static void format_bdp(uint64_t ppm, char *text)
{
	int used = snprintf(text, FP_UNITS_TEXT_BYTES, "%" PRIu64 ".%06" PRIu64,
			    ppm / ONE_PPM, ppm % ONE_PPM);

	while (text[used - 1] == '0')
		used--;
	if (text[used - 1] == '.')
		used--;
	(void)snprintf(text + used, (size_t)(FP_UNITS_TEXT_BYTES - used),
		       "bdp");
}

static void format_queue(const struct quantity *quantity, char *text)
{
	switch (quantity->unit) {
	case SPEC_QUEUE_PKTS:
		(void)snprintf(text, FP_UNITS_TEXT_BYTES, "%" PRIu64 "p",
			       quantity->value);
		break;
	case SPEC_QUEUE_BYTES:
		fp_format_size(quantity->value, text);
		break;
	case SPEC_QUEUE_NS:
		fp_format_time(quantity->value, text);
		break;
	case SPEC_QUEUE_BDP:
		format_bdp(quantity->value, text);
		break;
	}
}

/* The text that parse() turns back into the same quantity. */
static void format(const struct quantity *quantity, char *text)
{
	switch (quantity->kind) {
	case SPEC_TIME:
		fp_format_time(quantity->value, text);
		break;
	case SPEC_RATE:
		fp_format_rate(quantity->value, text);
		break;
	case SPEC_SHARE:
		fp_format_share((uint32_t)quantity->value, text);
		break;
	case SPEC_SIZE:
		fp_format_size(quantity->value, text);
		break;
	case SPEC_QUEUE:
		format_queue(quantity, text);
		break;
	case SPEC_COUNT:
	case SPEC_WORDS:
	case SPEC_WHOLE:
		(void)snprintf(text, FP_UNITS_TEXT_BYTES, "%" PRIu64,
			       quantity->value);
		break;
	}
}

/* --- Adding values -------------------------------------------------------- */

static int add_text(struct reader *reader, const char *text, size_t length,
		    struct fp_error *error)
{
	char *copy = spec_arena_copy(reader->arena, text, length);
	struct quantity *quantity;

	if (!copy)
		return fp_error_errno(error, ENOMEM, "cannot hold a list");
	if (reader->count == SPEC_SERIES_MAX)
		return fp_error_set(error, FP_EXIT_USAGE, "more than %d values",
				    SPEC_SERIES_MAX);
	quantity = &reader->quantities[reader->count];
	if (!parse(reader->kind, copy, quantity))
		quantity->kind = SPEC_WORDS;
	reader->values[reader->count++] = copy;
	return 0;
}

static int add(struct reader *reader, const struct quantity *like,
	       uint64_t value, struct fp_error *error)
{
	struct quantity quantity = *like;
	char text[FP_UNITS_TEXT_BYTES];

	quantity.value = value;
	format(&quantity, text);
	return add_text(reader, text, strlen(text), error);
}

/* --- Ranges --------------------------------------------------------------- */

/* Both ends, in one unit. */
struct range {
	struct quantity from, to;
};

static int read_ends(enum spec_quantity kind, const char *from, const char *to,
		     struct range *ret_range, struct fp_error *error)
{
	const char *bad = NULL;

	if (!parse(kind, from, &ret_range->from))
		bad = from;
	else if (!parse(kind, to, &ret_range->to))
		bad = to;
	if (bad)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%." QUOTE_MAX "s' cannot be an end of a "
				    "range: it is no quantity, or has no unit",
				    bad);
	if (ret_range->from.unit != ret_range->to.unit)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "a range needs both ends in one unit");
	if (ret_range->from.value > ret_range->to.value)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "a range goes upwards: '%." QUOTE_MAX
				    "s' is above '%." QUOTE_MAX "s'",
				    from, to);
	return 0;
}

static int refuse_zero(struct fp_error *error)
{
	(void)fp_error_set(error, FP_EXIT_USAGE,
			   "a range that multiplies cannot start at 0");
	fp_error_hint(error, "put the 0 before it: 0,A..B");
	return -EINVAL;
}

/* Rounded to the nearest whole unit; past all ranges where it overflows. */
static uint64_t times(uint64_t value, uint64_t factor_ppm)
{
	uint64_t product;

	if (__builtin_mul_overflow(value, factor_ppm, &product) ||
	    product > UINT64_MAX - ONE_PPM)
		return UINT64_MAX;
	return (product + ONE_PPM / 2) / ONE_PPM;
}

static int add_geometric(struct reader *reader, const struct range *range,
			 const char *factor, struct fp_error *error)
{
	uint64_t factor_ppm = 0, value = range->from.value, next;
	int result = 0;

	if (fp_parse_factor_ppm(factor, &factor_ppm) < 0 ||
	    factor_ppm <= ONE_PPM)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'x%." QUOTE_MAX "s' is not a factor above "
				    "1, like x2 or x1.5",
				    factor);
	if (value == 0)
		return refuse_zero(error);
	for (; result == 0 && value < range->to.value; value = next) {
		next = times(value, factor_ppm);
		if (next == value)
			return fp_error_set(error, FP_EXIT_USAGE,
					    "a factor of %." QUOTE_MAX
					    "s is too small to move its start",
					    factor);
		result = add(reader, &range->from, value, error);
	}
	return result < 0 ? result
			  : add(reader, &range->to, range->to.value, error);
}

static int add_arithmetic(struct reader *reader, const struct range *range,
			  const char *text, struct fp_error *error)
{
	uint64_t value = range->from.value;
	struct quantity step;
	int result = 0;

	if (!parse(range->from.kind, text, &step) || step.value == 0 ||
	    step.unit != range->from.unit)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'+%." QUOTE_MAX "s' is not a step above 0 "
				    "in the unit of the range",
				    text);
	while (result == 0 && value < range->to.value) {
		result = add(reader, &range->from, value, error);
		if (__builtin_add_overflow(value, step.value, &value))
			value = UINT64_MAX;
	}
	return result < 0 ? result
			  : add(reader, &range->to, range->to.value, error);
}

/* "A:B:xF" or "A:B:+S" */
static int add_steps(struct reader *reader, char *item, struct fp_error *error)
{
	char *to = spec__cut(item, ':');
	char *step = to ? spec__cut(to, ':') : NULL;
	struct range range;
	int result;

	if (!step || strchr(step, ':') || (*step != 'x' && *step != '+')) {
		(void)fp_error_set(error, FP_EXIT_USAGE, "not a range");
		fp_error_hint(error, "ranges are A:B:xF, each F times the one "
				     "before, A:B:+S, each S more, or A..B");
		return -EINVAL;
	}
	result = read_ends(reader->kind, item, to, &range, error);
	if (result < 0)
		return result;
	return *step == 'x' ? add_geometric(reader, &range, step + 1, error)
			    : add_arithmetic(reader, &range, step + 1, error);
}

/* Whether steps double: bytes count in powers of two. */
static bool doubles(const struct quantity *quantity)
{
	return quantity->kind == SPEC_SIZE ||
	       (quantity->kind == SPEC_QUEUE &&
		quantity->unit == SPEC_QUEUE_BYTES);
}

/* The next of 1, 2, 5, 10, 20, 50, … above value. */
static uint64_t next_step(uint64_t value)
{
	static const uint64_t steps[] = { 1, 2, 5 };
	uint64_t power = 1;
	size_t i = 0;

	while (steps[i] * power <= value) {
		i = (i + 1) % 3;
		if (i == 0 &&
		    __builtin_mul_overflow(power, UINT64_C(10), &power))
			return UINT64_MAX;
		if (power > UINT64_MAX / 5)
			return UINT64_MAX;
	}
	return steps[i] * power;
}

/* "A..B", cut in two */
static int add_between(struct reader *reader, const char *from, const char *to,
		       struct fp_error *error)
{
	struct range range;
	uint64_t value;
	int result = read_ends(reader->kind, from, to, &range, error);

	if (result < 0)
		return result;
	value = range.from.value;
	if (value == 0)
		return refuse_zero(error);
	while (result == 0 && value < range.to.value) {
		result = add(reader, &range.from, value, error);
		value = doubles(&range.from) ? times(value, 2 * ONE_PPM)
					     : next_step(value);
	}
	return result < 0 ? result
			  : add(reader, &range.to, range.to.value, error);
}

/* --- Lists ---------------------------------------------------------------- */

static bool is_quantity(enum spec_quantity kind)
{
	return kind != SPEC_WORDS && kind != SPEC_WHOLE;
}

static int add_item(struct reader *reader, char *item, struct fp_error *error)
{
	char *dots = strstr(item, "..");

	if (!is_quantity(reader->kind))
		return add_text(reader, item, strlen(item), error);
	if (dots) {
		*dots = '\0';
		return add_between(reader, item, dots + 2, error);
	}
	if (strchr(item, ':'))
		return add_steps(reader, item, error);
	return add_text(reader, item, strlen(item), error);
}

static bool are_equal(const struct reader *reader, uint32_t a, uint32_t b)
{
	const struct quantity *left = &reader->quantities[a];
	const struct quantity *right = &reader->quantities[b];

	if (left->kind == SPEC_WORDS || right->kind == SPEC_WORDS)
		return strcmp(reader->values[a], reader->values[b]) == 0;
	return left->unit == right->unit && left->value == right->value;
}

/* first: of the values that the item added. */
static int check_twice(const struct reader *reader, uint32_t first,
		       struct fp_error *error)
{
	uint32_t i, k;

	for (i = first; i < reader->count; i++) {
		for (k = 0; k < i; k++) {
			if (are_equal(reader, k, i))
				return fp_error_set(error, FP_EXIT_USAGE,
						    "'%." QUOTE_MAX
						    "s' stands twice",
						    reader->values[i]);
		}
	}
	return 0;
}

static char *trim(char *item)
{
	char *end;

	while (*item == ' ')
		item++;
	end = item + strlen(item);
	while (end > item && end[-1] == ' ')
		*--end = '\0';
	return item;
}

static int read_item(struct reader *reader, const char *text, uint32_t number,
		     struct fp_error *error)
{
	char *copy = spec_arena_copy(reader->arena, text, strlen(text));
	uint32_t first = reader->count;
	int result;

	if (!copy)
		return fp_error_errno(error, ENOMEM, "cannot hold a list");
	if (*copy == '\0')
		return fp_error_set(error, FP_EXIT_USAGE,
				    "item %" PRIu32 " is empty", number);
	result = add_item(reader, copy, error);
	if (result == 0)
		result = check_twice(reader, first, error);
	if (result < 0)
		spec__error_prefix(error,
				   "item %" PRIu32 ", '%." QUOTE_MAX "s'",
				   number, text);
	return result;
}

static int read_items(struct reader *reader, const char *text,
		      struct fp_error *error)
{
	char *rest = spec_arena_copy(reader->arena, text, strlen(text));
	char sep = reader->kind == SPEC_WHOLE || strchr(text, ';') ? ';' : ',';
	uint32_t number = 0;
	char *item;
	int result = 0;

	if (!rest)
		return fp_error_errno(error, ENOMEM, "cannot hold a list");
	while (result == 0 && rest) {
		item = rest;
		rest = spec__cut(item, sep);
		/* "codel:target=5ms,ecn;" is one value */
		if (sep == ';' && number > 0 && !rest && *trim(item) == '\0')
			break;
		result = read_item(reader, trim(item), ++number, error);
	}
	return result;
}

int spec_series_read(enum spec_quantity kind, const char *text,
		     struct spec_series *ret_series, struct fp_error *error)
{
	struct spec_arena *arena = calloc(1, sizeof(*arena));
	struct reader reader = { .kind = kind, .arena = arena };
	int result = -ENOMEM;

	if (arena) {
		reader.values = spec_arena_alloc(arena, SPEC_SERIES_MAX,
						 sizeof(*reader.values));
		reader.quantities = spec_arena_alloc(
		    arena, SPEC_SERIES_MAX, sizeof(*reader.quantities));
	}
	if (!reader.values || !reader.quantities)
		(void)fp_error_errno(error, ENOMEM, "cannot hold a list");
	else
		result = read_items(&reader, text, error);
	if (result < 0) {
		if (arena)
			spec_arena_fini(arena);
		free(arena);
		return result;
	}
	*ret_series =
	    (struct spec_series){ reader.values, reader.count, arena };
	return 0;
}

void spec_series_fini(struct spec_series *series)
{
	struct spec_arena *arena = series->owned;

	if (arena)
		spec_arena_fini(arena);
	free(arena);
	*series = (struct spec_series){ 0 };
}
