/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From what was said to a path that can run: puts the stages in netem's order,
 * and sums up.
 */
#include "spec/resolve.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MTU_MIN_IPV6 1280 /* RFC 8200, section 5 */
#define MTU_DEFAULT  1500

static bool is_loss_free(const struct fp_loss_config *loss)
{
	return loss->model == FP_LOSS_RANDOM &&
	       loss->random.probability_ppm == 0;
}

static int set_loss(const struct resolver *resolver,
		    const struct spec_wish *wish, struct fp_loss_config *loss)
{
	*loss = wish->loss;
	loss->unit = resolver->plan->loss_unit;
	loss->marks_ecn = wish->marks_ecn;
	if (loss->model != FP_LOSS_LIST)
		return 0;
	loss->list.numbers =
	    spec__copy_array(resolver, loss->list.numbers, loss->list.count,
			     sizeof(loss->list.numbers[0]));
	return loss->list.numbers ? 0 : spec__no_memory(resolver->error);
}

/* Tells which stages a wish needs, as bits 1 << kind. */
static uint32_t needed_stages(const struct spec_wish *wish)
{
	uint32_t kinds = 0;

	if ((wish->said & SAID_DUPLICATE) && wish->duplicate.probability_ppm)
		kinds |= 1u << FP_STAGE_DUPLICATE;
	if ((wish->said & SAID_LOSS) && !is_loss_free(&wish->loss))
		kinds |= 1u << FP_STAGE_LOSS;
	if ((wish->said & SAID_CORRUPT) && wish->corrupt.probability_ppm)
		kinds |= 1u << FP_STAGE_CORRUPT;
	if (wish->said & SAID_POLICER)
		kinds |= 1u << FP_STAGE_POLICER;
	if (wish->said & SAID_LINK)
		kinds |= 1u << FP_STAGE_LINK;
	if ((wish->said & SAID_REORDER) && wish->reorder.probability_ppm)
		kinds |= 1u << FP_STAGE_REORDER;
	if ((wish->said & SAID_DELAY) && (wish->delay_ns || wish->jitter_ns))
		kinds |= 1u << FP_STAGE_DELAY;
	return kinds;
}

static int set_stage(const struct resolver *resolver,
		     const struct spec_wish *wish, bool is_line,
		     struct fp_stage_config *stage)
{
	switch (stage->kind) {
	case FP_STAGE_DUPLICATE:
		stage->chance = wish->duplicate;
		return 0;
	case FP_STAGE_LOSS:
		return set_loss(resolver, wish, &stage->loss);
	case FP_STAGE_CORRUPT:
		stage->chance = wish->corrupt;
		return 0;
	case FP_STAGE_POLICER:
		stage->policer = wish->policer;
		return 0;
	case FP_STAGE_LINK:
		return spec__set_link(resolver, wish, is_line, &stage->link);
	case FP_STAGE_REORDER:
		stage->reorder = wish->reorder;
		return 0;
	case FP_STAGE_DELAY:
		stage->delay = (struct fp_delay_config){
			.delay_ns = wish->delay_ns,
			.jitter_ns = wish->jitter_ns,
			.correlation_ppm = wish->jitter_correlation_ppm,
			.dist = wish->dist,
			/* netem's jitter overtakes, but not with a rate */
			.keeps_order = (wish->said & SAID_LINK) != 0,
		};
		return 0;
	}
	return 0;
}

static int add_item(const struct resolver *resolver,
		    const struct spec_wish *wish, bool is_line,
		    struct spec_direction *direction)
{
	struct fp_path_config *config = &direction->config;
	uint32_t kinds = needed_stages(wish);
	uint32_t first = config->stage_count;

	if (spec__check_wish(wish, is_line, resolver->error) < 0)
		return -EINVAL;
	for (uint32_t kind = 0; kind <= FP_STAGE_DELAY; kind++) {
		struct fp_stage_config *stage =
		    &config->stages[config->stage_count];

		if (!(kinds & 1u << kind))
			continue;
		if (config->stage_count == FP_PATH_STAGES_MAX)
			return fp_error_set(resolver->error, FP_EXIT_USAGE,
					    "more than %d stages",
					    FP_PATH_STAGES_MAX);
		stage->kind = (enum fp_stage_kind)kind;
		if (set_stage(resolver, wish, is_line, stage) < 0)
			return -EINVAL;
		config->stage_count++;
	}
	if (wish->said & SAID_SEED)
		config->seed = wish->seed;
	spec__write_stages(config, first, config->stage_count, wish->trace_name,
			   direction->text);
	return 0;
}

/* --- Summary -------------------------------------------------------------- */

static void sum_link(const struct resolver *resolver,
		     const struct fp_link_config *link,
		     struct spec_direction *direction)
{
	uint64_t rate_bps = spec__first_rate_bps(&link->rate);

	if (direction->rate_bps && direction->rate_bps <= rate_bps)
		return;
	direction->rate_bps = rate_bps;
	direction->queue_bytes = spec__queue_limit_bytes(resolver, link);
}

static void sum_direction(const struct resolver *resolver,
			  struct spec_direction *direction)
{
	const struct fp_path_config *config = &direction->config;
	uint64_t kept_ppm = FP_PPM_ONE;

	for (uint32_t i = 0; i < config->stage_count; i++) {
		const struct fp_stage_config *stage = &config->stages[i];

		if (stage->kind == FP_STAGE_LINK)
			sum_link(resolver, &stage->link, direction);
		if (stage->kind != FP_STAGE_LOSS)
			continue;
		kept_ppm *= FP_PPM_ONE - spec__loss_share_ppm(&stage->loss);
		kept_ppm = (kept_ppm + FP_PPM_ONE / 2) / FP_PPM_ONE;
	}
	direction->loss_ppm = (uint32_t)(FP_PPM_ONE - kept_ppm);
	if (config->stage_count == 0)
		(void)snprintf(direction->text, sizeof(direction->text), "%s",
			       resolver->path->is_direct ? "direct"
							 : "delay 0ms");
}

static int resolve_way(const struct resolver *resolver, int way)
{
	const struct spec_way_plan *plan = &resolver->plan->way[way];
	struct spec_direction *direction = &resolver->path->way[way];

	direction->config.direction = (uint32_t)way;
	direction->config.l2_bytes = SPEC_L2_BYTES;
	direction->config.seed = plan->seed;
	for (uint32_t i = 0; i < plan->item_count; i++) {
		if (add_item(resolver, &plan->items[i], plan->is_line,
			     direction) < 0) {
			spec__error_prefix(resolver->error, "%s",
					   way == SPEC_BACK ? "way back"
							    : "way forward");
			return -EINVAL;
		}
	}
	sum_direction(resolver, direction);
	return 0;
}

/* The core's own opinion; whatever it refuses should have been told better by
 * a parser. */
static int check_config(const struct fp_path_config *config,
			struct fp_error *error)
{
	struct fp_path_config usable = *config;
	const char *wrong;

	usable.capacity_pkts = 1; /* the world's to set */
	wrong = fp_path_check(&usable);
	if (wrong)
		return fp_error_set(error, FP_EXIT_USAGE, "%s", wrong);
	return 0;
}

static void sum_delays(const struct spec_plan *plan, struct spec_path *path)
{
	for (int way = 0; way < SPEC_WAYS; way++) {
		for (uint32_t i = 0; i < plan->way[way].item_count; i++) {
			const struct spec_wish *wish = &plan->way[way].items[i];

			if (wish->said & SAID_DELAY)
				path->way[way].delay_ns += wish->delay_ns;
		}
		path->rtt_ns += path->way[way].delay_ns;
	}
}

int spec__resolve(const struct spec_plan *plan, struct spec_path *path,
		  struct spec_arena *arena, struct fp_error *error)
{
	const struct resolver resolver = { plan, path, arena, error };

	path->is_direct = plan->is_direct;
	path->is_ipv6 = plan->is_ipv6;
	path->loss_unit = plan->loss_unit;
	path->mtu_bytes = plan->mtu_bytes ? plan->mtu_bytes : MTU_DEFAULT;
	if (path->is_ipv6 && path->mtu_bytes < MTU_MIN_IPV6)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "mtu: %u is below the 1280 bytes that IPv6 "
				    "needs",
				    path->mtu_bytes);
	sum_delays(plan, path);
	if (spec__check_shared(plan, error) < 0)
		return -EINVAL;
	for (int way = 0; way < SPEC_WAYS; way++) {
		if (resolve_way(&resolver, way) < 0)
			return -EINVAL;
	}
	for (int way = 0; way < SPEC_WAYS; way++) {
		if (check_config(&path->way[way].config, error) < 0)
			return -EINVAL;
	}
	path->bdp_bytes =
	    spec__bdp_bytes(path->way[SPEC_FORWARD].rate_bps, path->rtt_ns);
	return 0;
}
