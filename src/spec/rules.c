/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/resolve.h"
#include "sys/error.h"

#include <errno.h>

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
		return fp_error_set(
		    error, FP_EXIT_USAGE,
		    "rate-trace: a trace is the rate; give no other "
		    "rate with it");
	if ((wish->said & SAID_STEPS) && !(wish->said & SAID_RATE) &&
	    wish->rate.steps[0].at_ns > 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "rate-steps: the first step must be at 0s, "
				    "or a rate must say what comes before it");
	return 0;
}

int spec__check_wish(const struct spec_wish *wish, bool is_line,
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
int spec__check_shared(const struct spec_plan *plan, struct fp_error *error)
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
