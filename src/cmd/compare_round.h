/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_COMPARE_ROUND_H
#define CMD_COMPARE_ROUND_H

#include "cmd/compare.h"
#include "diag/limit.h"

/* One algorithm's part in one round that the lab ran. */
struct compare_part {
	const struct compare_plan *plan;
	const struct lab_result *result;
	uint32_t group; /* its number in the round */
};

/* Adds up the flows of a part. flows and samples of ret_round are allocated
 * (samples only where has_samples) and owned by it. Returns 0 or -ENOMEM. */
int compare_round_fill(const struct compare_part *part, bool has_samples,
		       struct out_round *ret_round);
void compare_round_fini(struct out_round *round);

/* Tells what limited flow number (0 … round->flow_count - 1) of a part, by its
 * own times and goodput; loss is the round's. */
enum diag_limit compare_flow_limit(const struct compare_part *part,
				   const struct out_round *round,
				   uint32_t number);

/* Tells what limited a part, its flows taken together. */
enum diag_limit compare_round_limit(const struct compare_part *part,
				    const struct out_round *round);

/* Makes room for rounds_each rounds; each of them is released with
 * compare_round_fini(), then the array. Returns 0 or -ENOMEM. */
int compare_result_begin(const struct compare_plan *plan,
			 struct out_result *result);

/* Adds the next round of an algorithm. Returns 0 or -ENOMEM. */
int compare_result_add(const struct compare_part *part,
		       struct out_result *result);

/* Adds up the rounds; asked: the name that it was asked for by. */
void compare_result_end(const char *asked, struct out_result *result);

#endif
