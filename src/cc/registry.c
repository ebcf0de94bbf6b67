/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Algorithms by name, and their words. */
#include "cc/registry.h"

#define KINDS (FP_CC_BBR3 + 1)

/* An algorithm that is not here cannot be asked for. */
static const struct cc_row *const rows[KINDS] = {
	[FP_CC_RENO] = &cc__row_reno,
	[FP_CC_CUBIC] = &cc__row_cubic,
	[FP_CC_BBR] = &cc__row_bbr,
	[FP_CC_BBR3] = &cc__row_bbr3,
};

/* A part of a text. */
struct span {
	const char *at;
	size_t bytes;
};

static const struct cc_row *row_of(enum fp_cc_kind kind)
{
	return (uint32_t)kind < KINDS ? rows[kind] : NULL;
}

static bool span_is(const struct span *span, const char *word)
{
	size_t i = 0;

	while (i < span->bytes && word[i] != '\0' && word[i] == span->at[i])
		i++;
	return i == span->bytes && word[i] == '\0';
}

/* Takes what comes before the next colon; *text is moved past it, or to NULL
 * where there is none. */
static struct span next_span(const char **text)
{
	struct span span = { *text, 0 };

	while (span.at[span.bytes] != '\0' && span.at[span.bytes] != ':')
		span.bytes++;
	*text = span.at[span.bytes] == ':' ? span.at + span.bytes + 1 : NULL;
	return span;
}

static bool has_name(const struct cc_row *row, const struct span *name)
{
	for (uint32_t i = 0; i < 3 && row->names[i]; i++)
		if (span_is(name, row->names[i]))
			return true;
	return false;
}

static bool find_kind(const struct span *name, enum fp_cc_kind *ret_kind)
{
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		if (!rows[kind] || !has_name(rows[kind], name))
			continue;
		*ret_kind = (enum fp_cc_kind)kind;
		return true;
	}
	return false;
}

static const struct cc_word *find_word(const struct cc_row *row,
				       const struct span *name)
{
	for (uint32_t i = 0; i < row->word_count; i++)
		if (span_is(name, row->words[i].name))
			return &row->words[i];
	return NULL;
}

/* Lets one word act on the switches. Returns what is wrong with it, or NULL. */
static const char *apply_word(const struct cc_row *row, struct span word,
			      uint32_t *switches)
{
	const struct cc_word *found;
	bool is_off = word.bytes > 0 && word.at[0] == '-';

	if (is_off) {
		word.at++;
		word.bytes--;
	}
	found = find_word(row, &word);
	if (!found)
		return "the algorithm has no such profile or switch";
	if (is_off && found->is_profile)
		return "a profile cannot be turned off, only replaced";
	*switches &= ~found->clears;
	if (!is_off)
		*switches |= found->sets;
	return NULL;
}

static const char *apply_words(const struct cc_row *row, const char *text,
			       struct fp_cc_config *config)
{
	uint32_t none = 0;
	uint32_t *switches = row->switches ? row->switches(config) : &none;
	const char *wrong = NULL;

	*switches = row->default_switches;
	while (text && !wrong)
		wrong = apply_word(row, next_span(&text), switches);
	return wrong;
}

static const char *copy_name(const char *text, char name[FP_CC_NAME_BYTES])
{
	for (uint32_t i = 0; i < FP_CC_NAME_BYTES; i++) {
		name[i] = text[i];
		if (text[i] == '\0')
			return NULL;
	}
	return "the name of an algorithm is at most 63 characters long";
}

const char *fp_cc_parse(const char *text, struct fp_cc_config *ret_config)
{
	struct fp_cc_config config = { 0 };
	const char *wrong = copy_name(text, config.name);
	struct span name = next_span(&text);

	if (wrong)
		return wrong;
	if (!find_kind(&name, &config.kind))
		return "there is no such algorithm";
	wrong = apply_words(rows[config.kind], text, &config);
	if (!wrong)
		*ret_config = config;
	return wrong;
}

const char *fp_cc_word_at(enum fp_cc_kind kind, uint32_t number,
			  const char **ret_about)
{
	const struct cc_row *row = row_of(kind);

	if (!row || number >= row->word_count)
		return NULL;
	*ret_about = row->words[number].about;
	return row->words[number].name;
}

void fp_cc_init(struct fp_cc *cc, const struct fp_cc_config *config,
		const struct fp_cc_conn *conn, struct fp_cc_control *control)
{
	const struct cc_row *row = row_of(config->kind);
	/* config may be part of *cc */
	const struct fp_cc fresh = {
		.ops = (row ? row : &cc__row_reno)->ops,
		.config = *config,
	};

	*cc = fresh;
	cc->ops->init(cc, conn, control);
}

void fp_cc_get_model(const struct fp_cc *cc, const struct fp_cc_conn *conn,
		     struct fp_cc_model *ret_model)
{
	const struct fp_cc_model none = { 0 };
	const struct cc_row *row = row_of(cc->config.kind);

	*ret_model = none;
	if (row && row->get_model)
		row->get_model(cc, conn, ret_model);
}
