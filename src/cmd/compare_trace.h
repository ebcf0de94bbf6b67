/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --trace: the first simulated round of each algorithm. */
#ifndef CMD_COMPARE_TRACE_H
#define CMD_COMPARE_TRACE_H

#include "cmd/compare.h"
#include "cmd/sim_trace.h"

/* Checks the name of the file. Returns 0, or -EINVAL with error. */
int compare_trace_check(const struct compare_options *options,
			struct fp_error *error);

/* Tells whether round number index is traced. */
bool compare_trace_wants(const struct compare_plan *plan, uint32_t index);

/* Starts the file of a round: FILE, or, where each of several algorithms has a
 * round of its own, FILE with the algorithm before its suffix. Returns NULL
 * with error. */
struct cmd_trace *compare_trace_open(const struct compare_plan *plan,
				     uint32_t index,
				     const struct fp_sim_config *config,
				     struct fp_error *error);

/* Writes the name of a round's file: of 'run.jsonl', run.cubic.jsonl; of an
 * algorithm that stands there again, run.cubic-2.jsonl. Colons become dashes.
 * Returns 0, or -ENAMETOOLONG where it does not fit. */
int compare_trace_name(const struct compare_plan *plan, uint32_t index,
		       char *ret_name, size_t bytes);

#endif
