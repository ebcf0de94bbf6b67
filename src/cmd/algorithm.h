/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Algorithms that the simulator has, by their names: "cubic", "bbr3:draft". */
#ifndef CMD_ALGORITHM_H
#define CMD_ALGORITHM_H

#include <stdio.h>

#include "base/error.h"
#include "fullpipe/cc.h"

/* Reads a name with its profile. Returns 0, or -EINVAL with error: status 2,
 * what is wrong with it and, in its hint, the nearest that exists and what
 * else does. */
int cmd_algorithm_parse(const char *text, struct fp_cc_config *ret_config,
			struct fp_error *error);

/* The names without a profile, NULL-ended; by enum fp_cc_kind. */
extern const char *const cmd_algorithm_names[];

/* Prints every name, and the words that may follow it with what they mean. */
void cmd_algorithm_list(FILE *file);

/* Tells the version that a report puts behind the name: 1 or 3 of BBR, 0 of
 * others. */
uint32_t cmd_algorithm_bbr_version(const struct fp_cc_config *config);

/* Checks that a list has no empty name: "cubic,,bbr". Returns 0, or -EINVAL
 * with error. */
int cmd_algorithm_check_list(const char *list, struct fp_error *error);

/* Checks that this kernel has an algorithm, as lab_check_algorithm(); the hint
 * tells where the simulator has it. */
int cmd_algorithm_check_kernel(const char *name, struct fp_error *error);

#endif
