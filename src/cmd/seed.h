/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_SEED_H
#define CMD_SEED_H

#include "spec/spec.h"

#define CMD_SEED_AUTO    UINT64_MAX /* no --seed was given */
#define CMD_SEED_DEFAULT 1

/* Chooses the seed of each way: --seed where it was given; else what the way's
 * netem line or scenario says; else what the other way says (ways draw apart by
 * their number, so one seed serves both); else the default. */
void cmd_seed_choose(uint64_t option, const struct spec_path *path,
		     uint64_t ret_seeds[SPEC_WAYS]);

#endif
