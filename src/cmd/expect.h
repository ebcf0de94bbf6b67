/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Expectations on a comparison:
 *
 *	ALG [METRIC] OP NUMBER x ALG	bbr >= 5 x cubic
 *	ALG [METRIC] OP PERCENT of link	bbr >= 60% of link
 *	ALG [METRIC] OP VALUE		bbr rtt p99 <= 150ms
 *
 * METRIC: goodput (the default), rtt [p50|p99], retransmitted, time, cpu;
 * OP: >= <= > <.
 */
#ifndef CMD_EXPECT_H
#define CMD_EXPECT_H

#include "base/error.h"
#include "out/report.h"

enum cmd_expect_kind {
	CMD_EXPECT_TIMES, /* number times what other has */
	CMD_EXPECT_LINK,  /* number (a share) of the link's rate */
	CMD_EXPECT_VALUE, /* number itself, in the metric's unit */
};

struct cmd_expect {
	const char *text; /* as given; the caller's */
	char algorithm[OUT_NAME_BYTES], other[OUT_NAME_BYTES];
	const struct out_field *field; /* of a result */
	const char *op;                /* constant */
	enum cmd_expect_kind kind;
	double number;
};

/* Reads one expectation. Returns 0 or a negative errno with error: status 2
 * and the grammar in its hint. */
int cmd_expect_parse(const char *text, struct cmd_expect *ret_expect,
		     struct fp_error *error);

/* Judges it by the medians of a report. link_bps: rate of the bottleneck, 0:
 * none. What was not measured does not hold. */
void cmd_expect_judge(const struct cmd_expect *expect,
		      const struct out_report *report, double link_bps,
		      struct out_expectation *ret_judged);

#endif
