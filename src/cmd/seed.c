/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/seed.h"

void cmd_seed_choose(uint64_t option, const struct spec_path *path,
		     uint64_t ret_seeds[SPEC_WAYS])
{
	uint64_t seed;
	uint32_t i;

	for (i = 0; i < SPEC_WAYS; i++) {
		seed = path->way[i].config.seed;
		if (seed == 0)
			seed = path->way[SPEC_WAYS - 1 - i].config.seed;
		if (seed == 0)
			seed = CMD_SEED_DEFAULT;
		ret_seeds[i] = option == CMD_SEED_AUTO ? seed : option;
	}
}
