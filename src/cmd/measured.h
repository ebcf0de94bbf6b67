/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_MEASURED_H
#define CMD_MEASURED_H

#include "lab/lab.h"
#include "out/report.h"
#include "spec/spec.h"

/* Writes a path as asked for, with the seeds that --seed leaves it; its texts
 * stay the spec's. measured is zero. */
void cmd_path_fill(const struct spec_path *spec, uint64_t seed_option,
		   struct out_path *ret_path);

/* Adds what both ways of a path counted. */
void cmd_path_add(const struct lab_result *result, struct out_path *path);

/* Adds one result's lateness: means weighted by releases, the worst p99. Call
 * cmd_accuracy_finish() after the last. */
void cmd_accuracy_add(const struct lab_result *result,
		      struct out_accuracy *accuracy);
void cmd_accuracy_finish(struct out_accuracy *accuracy);

/* Writes a note where p99 of lateness is above 1 % of the RTT (and 100 us):
 * TCP takes that for jitter. Such a result is coarse, not wrong. Returns
 * whether it wrote one. */
bool cmd_accuracy_note(const struct out_accuracy *accuracy, double rtt_us,
		       char *ret_note, size_t bytes);

#endif
