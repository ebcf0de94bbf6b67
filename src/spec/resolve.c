/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From what was said to a path that can run: checks that the words fit
 * together, puts the stages in netem's order, gives each link its queue, and
 * sums up.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* mahimahi's MTU of the Ethernet frame: what one slot of a trace carries. */
#define TRACE_SLOT_BYTES       1504
/* A queue that was not said holds at least a first flight (RFC 6928). */
#define DEFAULT_QUEUE_MIN_PKTS 10
/* A queue in BDP holds at least two packets. */
#define BDP_QUEUE_MIN_PKTS     2
#define MTU_MIN_IPV6           1280 /* RFC 8200, section 5 */
#define MTU_DEFAULT            1500
#define NS_BITS_PER_BYTE_S     UINT64_C(8000000000)

struct resolver {
	const struct spec_plan *plan;
	struct spec_path *path;
	struct spec_arena *arena; /* of the path */
	struct fp_error *error;
};

/* a x b / c, rounded down, without overflow in between; c below 2^63. */
static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t quotient = 0;
	uint64_t rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		quotient <<= 1;
		rest <<= 1;
		if (b >> bit & 1) {
			quotient += a / c;
			rest += a % c;
		}
		quotient += rest / c;
		rest %= c;
	}
	return quotient;
}

static uint64_t packet_bytes(const struct resolver *resolver)
{
	return resolver->path->mtu_bytes + SPEC_L2_BYTES;
}

/* --- Do the words fit together? ------------------------------------------- */

struct rule {
	uint32_t if_said;    /* any of these … */
	uint32_t needs_said; /* … needs one of these */
	const char *text;
};

static const struct rule rules[] = {
	{ SAID_JITTER, SAID_DELAY,
	  "jitter: needs a delay that it varies (like delay 50ms 5ms)" },
	{ SAID_DISTRIBUTION, SAID_JITTER,
	  "distribution: needs a jitter whose shape it tells" },
	{ SAID_REORDER, SAID_DELAY,
	  "reorder: needs a delay; a reordered packet skips it" },
	{ SAID_GAP, SAID_REORDER, "gap: needs reorder" },
	{ SAID_ECN, SAID_LOSS | SAID_AQM,
	  "ecn: needs a loss model or an AQM that marks instead of dropping" },
	{ SAID_QUEUE, SAID_LINK,
	  "queue: needs a rate; without one no packet ever waits" },
	{ SAID_AQM, SAID_LINK,
	  "aqm: needs a rate; without one no packet ever waits" },
	{ SAID_OVERHEAD, SAID_LINK, "overhead: needs a rate" },
};

/* netem takes a limit without a rate (its queue holds the delay too); ours
 * would have nothing to do, so it is ignored there, as written lines have
 * it. */
static uint32_t said_by(const struct spec_wish *wish, bool is_line)
{
	uint32_t said = wish->said & ~wish->shared;

	if (is_line && !(wish->said & SAID_LINK) &&
	    wish->queue.unit == SPEC_QUEUE_PKTS)
		said &= ~(uint32_t)SAID_QUEUE;
	return said;
}

static int check_link(const struct spec_wish *wish, struct fp_error *error)
{
	if ((wish->said & SAID_TRACE) &&
	    (wish->said & (SAID_RATE | SAID_STEPS)))
		return fp_error_set(error, FP_EXIT_USAGE,
				    "trace: a trace is the rate; give no other "
				    "rate with it");
	if ((wish->said & SAID_STEPS) && !(wish->said & SAID_RATE) &&
	    wish->rate.steps[0].at_ns > 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "rate-steps: the first step must be at 0s, "
				    "or a rate must say what comes before it");
	return 0;
}

static int check_wish(const struct spec_wish *wish, bool is_line,
		      struct fp_error *error)
{
	uint32_t said = said_by(wish, is_line);

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if ((said & rules[i].if_said) &&
		    !(wish->said & rules[i].needs_said))
			return fp_error_set(error, FP_EXIT_USAGE, "%s",
					    rules[i].text);
	}
	return check_link(wish, error);
}

/* A word for both ways must be of use to one of them. */
static int check_shared(const struct spec_plan *plan, struct fp_error *error)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		uint32_t shared = 0;
		uint32_t used = 0;

		for (int way = 0; way < SPEC_WAYS; way++) {
			const struct spec_wish *wish = &plan->way[way].items[0];

			shared |= wish->shared & rules[i].if_said;
			used |= wish->said & rules[i].needs_said;
		}
		if (shared && !used)
			return fp_error_set(error, FP_EXIT_USAGE, "%s",
					    rules[i].text);
	}
	return 0;
}

/* --- Rates and queues ----------------------------------------------------- */

/* The rate that a link has first; of a trace, its mean. 0: stands still. */
static uint64_t first_rate_bps(const struct fp_rate_config *rate)
{
	uint32_t period_ms;

	switch (rate->kind) {
	case FP_RATE_UNLIMITED:
		return 0;
	case FP_RATE_CONSTANT:
		return rate->rate_bps;
	case FP_RATE_STEPS:
		return rate->steps[0].at_ns > 0 ? rate->rate_bps
						: rate->steps[0].rate_bps;
	case FP_RATE_TRACE:
		period_ms = rate->trace_ms[rate->trace_count - 1];
		return rate->trace_count * UINT64_C(8000) * TRACE_SLOT_BYTES /
		       period_ms;
	}
	return 0;
}

/* What a queue in BDP is measured by: a link that begins standing still counts
 * with the first rate that it gets. */
static uint64_t bdp_rate_bps(const struct fp_rate_config *rate)
{
	uint64_t rate_bps = first_rate_bps(rate);

	for (uint32_t i = 0; rate_bps == 0 && i < rate->step_count; i++)
		rate_bps = rate->steps[i].rate_bps;
	return rate_bps;
}

static int set_bdp_limit(const struct resolver *resolver,
			 const struct fp_link_config *link, uint64_t factor_ppm,
			 uint64_t *ret_limit_bytes)
{
	uint64_t rate_bps = bdp_rate_bps(&link->rate);
	uint64_t rtt_ns = resolver->path->rtt_ns;
	uint64_t least_bytes = BDP_QUEUE_MIN_PKTS * packet_bytes(resolver);
	uint64_t bytes;

	if (rate_bps == 0 || rtt_ns == 0)
		return fp_error_set(resolver->error, FP_EXIT_USAGE,
				    "queue: a queue in BDP needs a rate and an "
				    "RTT above 0 (say it in packets, bytes or "
				    "time)");
	bytes = mul_div(mul_div(rate_bps, rtt_ns, NS_BITS_PER_BYTE_S),
			factor_ppm, FP_PPM_ONE);
	*ret_limit_bytes = bytes > least_bytes ? bytes : least_bytes;
	return 0;
}

static int set_said_limit(const struct resolver *resolver,
			  const struct spec_queue *queue,
			  struct fp_link_config *link)
{
	switch (queue->unit) {
	case SPEC_QUEUE_PKTS:
		link->queue.limit_pkts = (uint32_t)queue->amount;
		return 0;
	case SPEC_QUEUE_NS:
		link->queue.limit_ns = queue->amount;
		return 0;
	case SPEC_QUEUE_BDP:
		return set_bdp_limit(resolver, link, queue->amount,
				     &link->queue.limit_bytes);
	case SPEC_QUEUE_BYTES:
		break;
	}
	link->queue.limit_bytes = queue->amount;
	if (queue->amount < packet_bytes(resolver))
		return fp_error_set(resolver->error, FP_EXIT_USAGE,
				    "queue: less than one packet (MTU + %d "
				    "bytes of Ethernet header) could wait",
				    SPEC_L2_BYTES);
	return 0;
}

static void set_default_limit(const struct resolver *resolver, bool is_line,
			      struct fp_link_config *link)
{
	uint64_t least_bytes = DEFAULT_QUEUE_MIN_PKTS * packet_bytes(resolver);
	uint64_t bdp_bytes =
	    mul_div(bdp_rate_bps(&link->rate), resolver->path->rtt_ns,
		    NS_BITS_PER_BYTE_S);

	if (is_line)
		link->queue.limit_pkts = SPEC_NETEM_LIMIT_PKTS;
	else
		link->queue.limit_bytes =
		    bdp_bytes > least_bytes ? bdp_bytes : least_bytes;
}

static void *copy_array(const struct resolver *resolver, const void *array,
			size_t count, size_t bytes)
{
	void *copy = spec_arena_alloc(resolver->arena, count, bytes);

	if (copy)
		memcpy(copy, array, count * bytes);
	return copy;
}

static int set_rate(const struct resolver *resolver,
		    const struct spec_wish *wish, struct fp_rate_config *rate)
{
	*rate = wish->rate;
	rate->kind = FP_RATE_CONSTANT;
	if (!(wish->said & SAID_OVERHEAD))
		rate->overhead_bytes = 0;
	if (wish->said & SAID_TRACE) {
		rate->kind = FP_RATE_TRACE;
		rate->trace_ms =
		    copy_array(resolver, rate->trace_ms, rate->trace_count, 4);
	} else {
		rate->trace_ms = NULL;
		rate->trace_count = 0;
	}
	if (wish->said & SAID_STEPS) {
		rate->kind = FP_RATE_STEPS;
		rate->steps =
		    copy_array(resolver, rate->steps, rate->step_count,
			       sizeof(rate->steps[0]));
	} else {
		rate->steps = NULL;
		rate->step_count = 0;
	}
	if ((rate->trace_count && !rate->trace_ms) ||
	    (rate->step_count && !rate->steps))
		return spec__no_memory(resolver->error);
	if (!(wish->said & SAID_RATE))
		rate->rate_bps = 0;
	return 0;
}

static int set_link(const struct resolver *resolver,
		    const struct spec_wish *wish, bool is_line,
		    struct fp_link_config *link)
{
	if (set_rate(resolver, wish, &link->rate) < 0)
		return -ENOMEM;
	if (wish->said & SAID_AQM)
		link->queue = wish->aqm;
	if (wish->marks_ecn && link->queue.qdisc != FP_QDISC_DROPTAIL)
		link->queue.marks_ecn = true;
	if (wish->said & SAID_QUEUE)
		return set_said_limit(resolver, &wish->queue, link);
	set_default_limit(resolver, is_line, link);
	return 0;
}

/* --- Stages --------------------------------------------------------------- */

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
	    copy_array(resolver, loss->list.numbers, loss->list.count,
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
		return set_link(resolver, wish, is_line, &stage->link);
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

	if (check_wish(wish, is_line, resolver->error) < 0)
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

static uint64_t queue_limit_bytes(const struct resolver *resolver,
				  const struct fp_link_config *link)
{
	const struct fp_queue_config *queue = &link->queue;

	if (queue->limit_pkts)
		return queue->limit_pkts * packet_bytes(resolver);
	if (queue->limit_ns)
		return mul_div(first_rate_bps(&link->rate), queue->limit_ns,
			       NS_BITS_PER_BYTE_S);
	return queue->limit_bytes;
}

static void sum_link(const struct resolver *resolver,
		     const struct fp_link_config *link,
		     struct spec_direction *direction)
{
	uint64_t rate_bps = first_rate_bps(&link->rate);

	if (direction->rate_bps && direction->rate_bps <= rate_bps)
		return;
	direction->rate_bps = rate_bps;
	direction->queue_bytes = queue_limit_bytes(resolver, link);
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
	if (check_shared(plan, error) < 0)
		return -EINVAL;
	for (int way = 0; way < SPEC_WAYS; way++) {
		if (resolve_way(&resolver, way) < 0)
			return -EINVAL;
	}
	path->bdp_bytes = mul_div(path->way[SPEC_FORWARD].rate_bps,
				  path->rtt_ns, NS_BITS_PER_BYTE_S);
	return 0;
}
