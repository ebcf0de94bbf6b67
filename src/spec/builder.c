/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Three layers, the later over the earlier: a scenario or preset (the last one
 * given), netem lines (each replaces its whole direction), options (each
 * overrides one thing). Where only options were given they stand on the default
 * path instead.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct spec_builder {
	struct spec_arena arena; /* arrays and names of all layers */
	bool has_base, has_lines;
	uint32_t set_count;
	struct spec_plan base;    /* scenario or preset */
	struct spec_plan lines;   /* --path, --path-back */
	struct spec_plan options; /* all else */
};

struct spec_builder *spec_builder_new(void)
{
	return calloc(1, sizeof(struct spec_builder));
}

void spec_builder_free(struct spec_builder *builder)
{
	if (!builder)
		return;
	spec_arena_fini(&builder->arena);
	free(builder);
}

static int set_line(struct spec_builder *builder, enum spec_way way,
		    const char *line, struct fp_error *error)
{
	struct spec_way_plan *plan = &builder->lines.way[way];
	struct spec_wish wish;
	bool is_direct = strcmp(line, "direct") == 0;

	if (is_direct && way == SPEC_BACK)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "'direct' is for both ways: say --path "
				    "direct");
	if (is_direct)
		wish = (struct spec_wish){ 0 };
	else if (spec__parse_line(&wish, line, &builder->arena, error) < 0)
		return -EINVAL;
	if (way == SPEC_FORWARD)
		builder->lines.is_direct = is_direct;
	plan->items[0] = wish;
	plan->item_count = 1;
	plan->is_line = true;
	builder->has_lines = true;
	return 0;
}

static int set_preset(struct spec_builder *builder, const char *name,
		      struct fp_error *error)
{
	const struct spec_preset *preset = spec_preset_find(name);
	const char *names[33] = { NULL };
	const char *meant;
	struct spec_plan plan = { 0 };

	for (uint32_t i = 0; i < 32 && spec_preset_at(i); i++)
		names[i] = spec_preset_at(i)->name;
	if (!preset) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "'%.60s' is not a preset (cc-30, bbr-2pct, "
				   "bbr-5pct, bbr-clean, transcontinental, "
				   "longhaul-16pct)",
				   name);
		meant = fp_nearest(name, names);
		if (meant)
			fp_error_hint(error, "did you mean '%s'?", meant);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < 16 && preset->options[i][0]; i++) {
		const char *const *option = preset->options[i];

		if (strcmp(option[0], "path") == 0)
			plan.is_direct = true;
		else if (spec__plan_set(&plan, option[0], option[1],
					&builder->arena, error) < 0)
			return -EINVAL;
	}
	builder->base = plan;
	builder->has_base = true;
	return 0;
}

static int set_scenario(struct spec_builder *builder, const char *file,
			struct fp_error *error)
{
	struct spec_plan plan = { 0 };

	if (spec__load_scenario(&plan, file, &builder->arena, error) < 0)
		return -EINVAL;
	builder->base = plan;
	builder->has_base = true;
	return 0;
}

static int set_option(struct spec_builder *builder, const char *name,
		      const char *value, struct fp_error *error)
{
	struct spec_plan plan = builder->options;
	int result = spec__plan_set(&plan, name, value, &builder->arena, error);

	if (result == 0)
		builder->options = plan;
	return result;
}

int spec_builder_set(struct spec_builder *builder, const char *name,
		     const char *value, struct fp_error *error)
{
	int result;

	if (value && strcmp(name, "path") == 0)
		result = set_line(builder, SPEC_FORWARD, value, error);
	else if (value && strcmp(name, "path-back") == 0)
		result = set_line(builder, SPEC_BACK, value, error);
	else if (value && strcmp(name, "preset") == 0)
		result = set_preset(builder, value, error);
	else if (value && strcmp(name, "scenario") == 0)
		result = set_scenario(builder, value, error);
	else
		result = set_option(builder, name, value, error);
	if (result == 0)
		builder->set_count++;
	else if (strcmp(name, "scenario") != 0) /* it names its file */
		spec__error_prefix(error, "--%s", name);
	return result;
}

uint32_t spec_builder_count(const struct spec_builder *builder)
{
	return builder->set_count;
}

bool spec_builder_has_base(const struct spec_builder *builder)
{
	return builder->has_base;
}

/* --- Merging -------------------------------------------------------------- */

/* What each bit of said stands for; rates are apart. */
struct part {
	uint32_t said;
	size_t offset, bytes;
};

#define PART(bit, field)                                                       \
	{                                                                      \
		bit, offsetof(struct spec_wish, field),                        \
		    sizeof(((struct spec_wish *)NULL)->field)                  \
	}
static const struct part parts[] = {
	PART(SAID_DELAY, delay_ns),
	PART(SAID_JITTER, jitter_ns),
	PART(SAID_JITTER, jitter_correlation_ppm),
	PART(SAID_DISTRIBUTION, dist),
	PART(SAID_LOSS, loss),
	PART(SAID_ECN, marks_ecn),
	PART(SAID_REORDER, reorder),
	PART(SAID_DUPLICATE, duplicate),
	PART(SAID_CORRUPT, corrupt),
	PART(SAID_POLICER, policer),
	PART(SAID_QUEUE, queue),
	PART(SAID_AQM, aqm),
};
#undef PART

/* A new rate replaces the old one with its steps or trace; the overhead of its
 * packets stays unless said anew. */
static void overlay_rate(struct spec_wish *wish, const struct spec_wish *over)
{
	struct fp_rate_config before = wish->rate;
	const struct fp_rate_config *overhead =
	    over->said & SAID_OVERHEAD ? &over->rate : &before;

	if (over->said & SAID_LINK) {
		wish->said &= ~(uint32_t)SAID_LINK;
		wish->rate = over->rate;
		wish->trace_name = over->trace_name;
	}
	wish->rate.overhead_bytes = overhead->overhead_bytes;
	wish->rate.cell_bytes = overhead->cell_bytes;
	wish->rate.cell_overhead_bytes = overhead->cell_overhead_bytes;
}

/* Puts what over says over wish. */
static void overlay_wish(struct spec_wish *wish, const struct spec_wish *over)
{
	uint32_t own = over->said & ~over->shared;
	uint32_t said_before = wish->said;

	overlay_rate(wish, over);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (over->said & parts[i].said)
			memcpy((char *)wish + parts[i].offset,
			       (const char *)over + parts[i].offset,
			       parts[i].bytes);
	}
	/* a word of its own stays one where a shared word repeats it */
	wish->shared = (wish->shared & ~own) | (over->shared & ~said_before);
	wish->said |= over->said;
}

static int overlay_plan(struct spec_plan *plan, const struct spec_plan *over,
			struct fp_error *error)
{
	for (int way = 0; way < SPEC_WAYS; way++) {
		struct spec_way_plan *below = &plan->way[way];

		if (over->way[way].item_count == 0)
			continue;
		if (below->is_list)
			return fp_error_set(error, FP_EXIT_USAGE,
					    "an option cannot change a "
					    "scenario's list of stages: it "
					    "does not say which of them");
		overlay_wish(&below->items[0], &over->way[way].items[0]);
		if (below->item_count == 0)
			below->item_count = 1;
	}
	if (over->mtu_bytes)
		plan->mtu_bytes = over->mtu_bytes;
	if (over->has_ipv6)
		plan->is_ipv6 = over->is_ipv6;
	if (over->has_loss_unit)
		plan->loss_unit = over->loss_unit;
	return 0;
}

/* What a path is that nobody described: 100 ms, 2 %, 100 Mbit/s, 1 BDP. */
static void set_defaults(struct spec_plan *plan)
{
	struct spec_wish *forward = &plan->way[SPEC_FORWARD].items[0];
	struct spec_wish *back = &plan->way[SPEC_BACK].items[0];

	forward->said = SAID_DELAY | SAID_LOSS | SAID_RATE;
	forward->delay_ns = 50 * SPEC_MS;
	forward->loss.model = FP_LOSS_RANDOM;
	forward->loss.random.probability_ppm = 20000;
	forward->rate.rate_bps = 100000000;
	back->said = SAID_DELAY;
	back->delay_ns = 50 * SPEC_MS;
	plan->way[SPEC_FORWARD].item_count = 1;
	plan->way[SPEC_BACK].item_count = 1;
}

static int check_direct(const struct spec_builder *builder,
			const struct spec_plan *plan, struct fp_error *error)
{
	bool is_described = builder->lines.way[SPEC_BACK].item_count > 0;

	for (int way = 0; way < SPEC_WAYS; way++)
		is_described |= builder->options.way[way].item_count > 0;
	if (plan->is_direct && is_described)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "--path direct is a veth pair without "
				    "emulator: nothing but --mtu and --ipv6 "
				    "can change it");
	return 0;
}

static int merge(const struct spec_builder *builder, struct spec_plan *plan,
		 struct fp_error *error)
{
	*plan = builder->base;
	if (builder->has_lines)
		plan->is_direct = builder->lines.is_direct;
	for (int way = 0; way < SPEC_WAYS; way++) {
		if (builder->lines.way[way].item_count > 0)
			plan->way[way] = builder->lines.way[way];
	}
	if (builder->lines.is_direct) /* nothing of a preset's way back */
		memset(plan->way, 0, sizeof(plan->way));
	if (!builder->has_base && !builder->has_lines)
		set_defaults(plan);
	if (check_direct(builder, plan, error) < 0)
		return -EINVAL;
	return overlay_plan(plan, &builder->options, error);
}

int spec_builder_build(const struct spec_builder *builder,
		       struct spec_path *ret_path, struct fp_error *error)
{
	struct spec_plan *plan = calloc(1, sizeof(*plan));
	struct spec_path *path = calloc(1, sizeof(*path));
	struct spec_arena *arena = calloc(1, sizeof(*arena));
	int result;

	if (!plan || !path || !arena) {
		result = spec__no_memory(error);
		goto out;
	}
	result = merge(builder, plan, error);
	if (result == 0)
		result = spec__resolve(plan, path, arena, error);
	if (result < 0) {
		spec_arena_fini(arena);
		goto out;
	}
	path->owned = arena;
	arena = NULL;
	*ret_path = *path;
out:
	free(arena);
	free(path);
	free(plan);
	return result;
}

void spec_path_fini(struct spec_path *path)
{
	struct spec_arena *arena = path->owned;

	path->owned = NULL;
	if (!arena)
		return;
	spec_arena_fini(arena);
	free(arena);
}
