/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The words for the discipline of a queue: codel, fq_codel, red, threshold.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CODEL_TIME_MAX_NS (4 * SPEC_S)
#define RED_BYTES_MAX     (UINT32_C(1) << 30)

enum aqm_value { AQM_TIME, AQM_SIZE, AQM_SHARE, AQM_COUNT };

struct aqm_key {
	const char *name;
	enum fp_qdisc qdisc; /* CODEL: fq_codel's too */
	enum aqm_value kind;
	struct spec_range range;
	size_t offset; /* of the field in struct fp_queue_config */
	bool is_wide;  /* the field has 64 bits, else 32 */
};

#define FIELD(name) offsetof(struct fp_queue_config, name)
static const struct aqm_key aqm_keys[] = {
	{ "target",
	  FP_QDISC_CODEL,
	  AQM_TIME,
	  { 1000, CODEL_TIME_MAX_NS },
	  FIELD(target_ns),
	  true },
	{ "interval",
	  FP_QDISC_CODEL,
	  AQM_TIME,
	  { 1000, CODEL_TIME_MAX_NS },
	  FIELD(interval_ns),
	  true },
	{ "ce_threshold",
	  FP_QDISC_CODEL,
	  AQM_TIME,
	  { 1000, CODEL_TIME_MAX_NS },
	  FIELD(ce_threshold_ns),
	  true },
	{ "flows",
	  FP_QDISC_FQ_CODEL,
	  AQM_COUNT,
	  { 1, 65536 },
	  FIELD(flow_queues),
	  false },
	{ "quantum",
	  FP_QDISC_FQ_CODEL,
	  AQM_SIZE,
	  { 256, 1 << 20 },
	  FIELD(quantum_bytes),
	  false },
	{ "min",
	  FP_QDISC_RED,
	  AQM_SIZE,
	  { 1, RED_BYTES_MAX },
	  FIELD(red_min_bytes),
	  false },
	{ "max",
	  FP_QDISC_RED,
	  AQM_SIZE,
	  { 1, RED_BYTES_MAX },
	  FIELD(red_max_bytes),
	  false },
	{ "p",
	  FP_QDISC_RED,
	  AQM_SHARE,
	  { 0, 0 },
	  FIELD(red_probability_ppm),
	  false },
	{ "weight",
	  FP_QDISC_RED,
	  AQM_COUNT,
	  { 0, 30 },
	  FIELD(red_weight_shift),
	  false },
};
#undef FIELD

static const struct aqm_key *find_aqm_key(const char *name, enum fp_qdisc qdisc)
{
	for (size_t i = 0; i < sizeof(aqm_keys) / sizeof(aqm_keys[0]); i++) {
		const struct aqm_key *key = &aqm_keys[i];
		bool is_codel =
		    key->qdisc == FP_QDISC_CODEL && qdisc == FP_QDISC_FQ_CODEL;

		if ((key->qdisc == qdisc || is_codel) &&
		    strcmp(key->name, name) == 0)
			return key;
	}
	return NULL;
}

static int take_aqm_value(const struct aqm_key *key, struct spec_words *words,
			  uint64_t *ret_value, struct fp_error *error)
{
	uint32_t ppm = 0;
	int result;

	switch (key->kind) {
	case AQM_TIME:
		return spec__take_time(words, key->range, ret_value, error);
	case AQM_SIZE:
		return spec__take_size(words, key->range, ret_value, error);
	case AQM_COUNT:
		return spec__take_count(words, key->range, ret_value, error);
	case AQM_SHARE:
		result = spec__take_share(words, &ppm, error);
		*ret_value = ppm;
		return result;
	}
	return -EINVAL;
}

/* Reads one "key=value" or "ecn" into config. */
static int set_aqm_key(struct fp_queue_config *config, char *text,
		       struct spec_arena *arena, struct fp_error *error)
{
	char *value = spec__cut(text, '=');
	const struct aqm_key *key = find_aqm_key(text, config->qdisc);
	struct spec_words one = { .arena = arena, .word = &value, .count = 1 };
	char *field = (char *)config;
	uint64_t number;

	if (!value && strcmp(text, "ecn") == 0) {
		config->marks_ecn = true;
		return 0;
	}
	if (!key || !value)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is no parameter of this AQM",
				    text);
	if (take_aqm_value(key, &one, &number, error) < 0) {
		spec__error_prefix(error, "%s", key->name);
		return -EINVAL;
	}
	if (key->is_wide) {
		memcpy(field + key->offset, &number, sizeof(number));
	} else {
		uint32_t narrow = (uint32_t)number;

		memcpy(field + key->offset, &narrow, sizeof(narrow));
	}
	return 0;
}

/* "threshold:65k[,ecn]": DCTCP's marking (RFC 8257), which is RED with both
 * thresholds at one point, probability 1 and no averaging. */
static int set_threshold(struct fp_queue_config *config, char *keys,
			 struct spec_words *words, struct fp_error *error)
{
	const struct spec_range range = { 1, 1 << 30 };
	char *rest = keys ? spec__cut(keys, ',') : NULL;
	struct spec_words one = { .arena = words->arena,
				  .word = &keys,
				  .count = keys ? 1 : 0 };
	uint64_t bytes;

	if (spec__take_size(&one, range, &bytes, error) < 0)
		return -EINVAL;
	if (rest && strcmp(rest, "ecn") != 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is no parameter of this AQM",
				    rest);
	config->qdisc = FP_QDISC_RED;
	config->marks_ecn = true;
	config->red_min_bytes = config->red_max_bytes = (uint32_t)bytes;
	config->red_probability_ppm = FP_PPM_ONE;
	return 0;
}

/* RED's defaults, by the advice of its authors (Floyd 1997, "RED: discussions
 * of setting parameters"): max = 3 x min, p = 10 %, weight 1/512. */
static int finish_red(struct fp_queue_config *config, struct fp_error *error)
{
	if (config->red_min_bytes == 0 && config->red_max_bytes == 0)
		config->red_min_bytes = 30 << 10;
	if (config->red_min_bytes == 0)
		config->red_min_bytes = (config->red_max_bytes + 2) / 3;
	if (config->red_max_bytes == 0)
		config->red_max_bytes =
		    config->red_min_bytes < RED_BYTES_MAX / 3
			? 3 * config->red_min_bytes
			: RED_BYTES_MAX;
	if (config->red_max_bytes < config->red_min_bytes)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "red: max is below min");
	return 0;
}

static int set_aqm(struct fp_queue_config *config, char *keys,
		   struct spec_words *words, struct fp_error *error)
{
	if (config->qdisc == FP_QDISC_RED) {
		config->red_probability_ppm = FP_PPM_ONE / 10;
		config->red_weight_shift = 9;
	}
	while (keys) {
		char *key = keys;

		keys = spec__cut(keys, ',');
		if (set_aqm_key(config, key, words->arena, error) < 0)
			return -EINVAL;
	}
	return config->qdisc == FP_QDISC_RED ? finish_red(config, error) : 0;
}

int spec__set_aqm(struct spec_wish *wish, struct spec_words *words,
		  struct fp_error *error)
{
	/* in the order of enum fp_qdisc */
	static const char *const names[] = { "droptail", "codel", "fq_codel",
					     "red", NULL };
	struct fp_queue_config config = { .qdisc = FP_QDISC_DROPTAIL };
	const char *word = spec__take(words);
	char *name = spec_arena_copy(words->arena, word ? word : "", 4096);
	char *keys = name ? spec__cut(name, ':') : NULL;
	uint32_t i = 0;
	int result;

	if (!name)
		return spec__no_memory(error);
	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	if (strcmp(name, "threshold") == 0) {
		result = set_threshold(&config, keys, words, error);
	} else if (!names[i]) {
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'%.60s' is not an AQM (codel, fq_codel, "
				    "red, threshold:SIZE, droptail)",
				    name);
	} else {
		config.qdisc = (enum fp_qdisc)i;
		result = set_aqm(&config, keys, words, error);
	}
	if (result < 0)
		return result;
	wish->aqm = config;
	wish->said |= SAID_AQM;
	return 0;
}
