/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "diag/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sys/format.h"

#define SAME_RATIO  1.1 /* less is the spread of rounds, not a difference */
/* So many times the bound it says little of a flow: BBR does not back off as it
 * takes for granted. */
#define BOUND_TIMES 2
#define NUMBER      FP_FORMAT_BYTES

struct sentence {
	char *text;
	size_t bytes;
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *out,
						      const char *format, ...)
{
	size_t used = strlen(out->text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(out->text + used, out->bytes - used, format, args);
	va_end(args);
}

/* "The path lost 2.00 %, policed away 12.0 % of the packets" */
static void say_lost(struct sentence *out, const struct diag_case *facts)
{
	const struct {
		const char *verb;
		double share;
	} fates[] = {
		{ "lost", facts->loss },
		{ "damaged", facts->damaged },
		{ "policed away", facts->policed },
	};
	const char *before = "The path";
	char share[NUMBER];
	size_t i;

	for (i = 0; i < sizeof(fates) / sizeof(fates[0]); i++) {
		if (!(fates[i].share > 0))
			continue;
		fp_format(share, sizeof(share), FP_UNIT_SHARE, fates[i].share);
		say(out, "%s %s %s", before, fates[i].verb, share);
		before = ",";
	}
	say(out, "%s",
	    *before == ',' ? " of the packets"
			   : "The path itself lost no packet");
}

/* "cubic", or "bbr (the queue dropped 3.56 % of its packets)" */
static void say_name(struct sentence *out, const struct diag_contender *one)
{
	char share[NUMBER];

	say(out, "%s", one->name);
	if (!(one->queue_loss > 0))
		return;
	fp_format(share, sizeof(share), FP_UNIT_SHARE, one->queue_loss);
	say(out, " (the queue dropped %s of its packets)", share);
}

/* "1.14 Mbit/s", or "873 kbit/s (48.1 s)" */
static void say_rate(struct sentence *out, const struct diag_contender *one)
{
	char number[NUMBER];

	fp_format(number, sizeof(number), FP_UNIT_RATE_BPS, one->goodput_bps);
	say(out, "%s", number);
	if (isnan(one->time_s))
		return;
	fp_format(number, sizeof(number), FP_UNIT_TIME_S, one->time_s);
	say(out, " (%s)", number);
}

static void say_loss_bound(struct sentence *out, const struct diag_case *facts,
			   const struct diag_contender *one)
{
	double bound_bps = facts->mathis_bps * facts->flows;
	double ratio = one->goodput_bps / bound_bps;
	char bound[NUMBER], times[NUMBER];

	say_name(out, one);
	say(out, " is held back by that to ");
	say_rate(out, one);
	if (isnan(facts->mathis_bps))
		return;
	fp_format(bound, sizeof(bound), FP_UNIT_RATE_BPS, bound_bps);
	fp_format_number(times, sizeof(times), ratio);
	say(out,
	    ratio > BOUND_TIMES ? ", %s times what halving its window at each "
				  "loss would leave (the Mathis bound, %s"
				: ", %s times the Mathis bound of %s",
	    times, bound);
	if (facts->flows > 1)
		say(out, " for %u flows", facts->flows);
	say(out, "%s", ratio > BOUND_TIMES ? ")" : "");
}

static void say_window(struct sentence *out, const struct diag_contender *one)
{
	char ceiling[NUMBER];

	say_name(out, one);
	say(out, " waits for the receive window at ");
	say_rate(out, one);
	if (isnan(one->window_bps))
		return;
	fp_format(ceiling, sizeof(ceiling), FP_UNIT_RATE_BPS, one->window_bps);
	say(out, " (it allows %s)", ceiling);
}

/* The rest of "NAME … RATE", for limits that need no numbers of their own. */
static const char *plain_words(enum diag_limit limit)
{
	switch (limit) {
	case DIAG_LIMIT_LINK:
		return "fills the link at";
	case DIAG_LIMIT_SNDBUF:
		return "waits for its send buffer at";
	case DIAG_LIMIT_CPU:
		return "is held back by this machine's CPU at";
	case DIAG_LIMIT_QUEUE:
		return "backs off at the drops of the queue, to";
	case DIAG_LIMIT_POLICER:
		return "backs off at the drops of the policer, to";
	case DIAG_LIMIT_MARKS:
		return "backs off at ECN marks, to";
	case DIAG_LIMIT_RECEIVER:
		return "waits for its receiver to read at";
	case DIAG_LIMIT_APPLICATION:
		return "had too little to send, at";
	case DIAG_LIMIT_STARTUP:
		return "was over before it had found the rate, with";
	case DIAG_LIMIT_STALLED:
		return "stalled, at";
	case DIAG_LIMIT_UNKNOWN:
	case DIAG_LIMIT_FAILED:
	case DIAG_LIMIT_RWND:
	case DIAG_LIMIT_LOSS:
		break;
	}
	return "reaches";
}

/* The same of one that takes no drop for a sign to send less. */
static const char *unheeding_words(enum diag_limit limit)
{
	switch (limit) {
	case DIAG_LIMIT_QUEUE:
		return "fills the queue and loses there, at";
	case DIAG_LIMIT_POLICER:
		return "runs into the policer and loses there, at";
	default:
		return plain_words(limit);
	}
}

static void say_contender(struct sentence *out, const struct diag_case *facts,
			  const struct diag_contender *one)
{
	if (!(one->goodput_bps > 0)) {
		say_name(out, one);
		say(out, " carries nothing in the time measured");
	} else if (one->limit == DIAG_LIMIT_LOSS) {
		say_loss_bound(out, facts, one);
	} else if (one->limit == DIAG_LIMIT_RWND) {
		say_window(out, one);
	} else {
		say_name(out, one);
		say(out, " %s ",
		    one->ignores_drops ? unheeding_words(one->limit)
				       : plain_words(one->limit));
		say_rate(out, one);
	}
}

static void say_fastest(struct sentence *out, const struct diag_case *facts,
			const struct diag_contender *fast, double ratio)
{
	char times[NUMBER], share[NUMBER];

	if (fast->limit == DIAG_LIMIT_LOSS) {
		say_name(out, fast);
		say(out, " carries ");
		say_rate(out, fast);
		say(out, " in spite of it");
	} else {
		say_contender(out, facts, fast);
	}
	fp_format_number(times, sizeof(times), ratio);
	if (isfinite(ratio))
		say(out, ", %s times as much", times);
	if (facts->link_bps > 0) {
		fp_format(share, sizeof(share), FP_UNIT_SHARE,
			  fast->goodput_bps / facts->link_bps);
		say(out, "%s %s of the link", isfinite(ratio) ? " and" : ",",
		    share);
	}
}

static const struct diag_contender *extreme(const struct diag_case *facts,
					    double sign)
{
	const struct diag_contender *best = NULL, *one;

	for (one = facts->contenders; one < facts->contenders + facts->count;
	     one++) {
		if (isnan(one->goodput_bps))
			continue;
		if (!best || sign * one->goodput_bps > sign * best->goodput_bps)
			best = one;
	}
	return best;
}

void diag_verdict(const struct diag_case *facts, char *ret_text, size_t bytes)
{
	const struct diag_contender *slow = extreme(facts, -1);
	const struct diag_contender *fast = extreme(facts, 1);
	struct sentence out = { ret_text, bytes };
	double ratio;

	ret_text[0] = '\0';
	if (!slow || !(fast->goodput_bps > 0)) {
		say(&out, "No flow carried anything: nothing was measured.");
		return;
	}
	say_lost(&out, facts);
	say(&out, ": ");
	say_contender(&out, facts, slow);
	ratio = fast->goodput_bps / slow->goodput_bps;
	if (facts->count > 1 && ratio < SAME_RATIO) {
		say(&out, "; %s within 10 %%",
		    facts->count > 2 ? "the others do the same"
				     : "the other does the same");
	} else if (slow != fast) {
		say(&out, "; ");
		say_fastest(&out, facts, fast, ratio);
	}
	say(&out, ".");
}
