/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_BOTTLENECK_H
#define CMD_BOTTLENECK_H

#include "cmd/compare.h"

struct cmd_bottleneck {
	const struct fp_rate_config *rate; /* NULL: nothing limits the way */
	double mean_bps;                   /* 0 where there is none */
};

/* Finds the slowest link of a way, by its mean rate from from_ns to to_ns (at
 * least one later) since the path's first packet. */
struct cmd_bottleneck cmd_bottleneck_of(const struct fp_path_config *way,
					uint64_t from_ns, uint64_t to_ns);

/* The data way's, while a plan measures: a transfer from its beginning for
 * completion_us (NaN: to its limit), else from the end of the warm-up on. */
struct cmd_bottleneck compare_bottleneck(const struct compare_plan *plan,
					 double completion_us);

#endif
