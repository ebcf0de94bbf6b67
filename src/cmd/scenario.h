/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A round of the lab in virtual time: the same path, flows, buffers and times
 * as a scenario of the simulator, and what that saw in the lab's words, so that
 * one code adds up, judges and prints both.
 */
#ifndef CMD_SCENARIO_H
#define CMD_SCENARIO_H

#include "base/error.h"
#include "fullpipe/sim.h"
#include "lab/lab.h"

/* What only simulated hosts can be told. Zeroed: as the lab's. */
struct cmd_hosts {
	struct fp_sim_tcp tcp; /* buffers and has_ecn are the round's; without
				  is beside what its path leaves out */
	struct fp_sim_source source; /* BULK: as the round says */
	uint64_t stagger_ns;  /* flow i starts i times this after the first */
	uint64_t lifetime_ns; /* its source ends so long after; 0: never */
};

struct cmd_scenario {
	const struct lab_round *round;
	const struct fp_cc_config *algorithms; /* one for each of its groups;
						  the groups' names are not
						  looked at */
	struct cmd_hosts hosts;
};

/*
 * Makes the simulator's scenario. Data takes way[0] of it: the round's way back
 * where it is reversed. Buffers of 0 are Linux's defaults, not this kernel's.
 * ret_config points into the round's arrays, which must outlive it; release it
 * with cmd_scenario_fini(). Returns 0, or a negative errno with error:
 * -EOPNOTSUPP for a path without emulator, -EINVAL for what fp_sim_check()
 * complains about.
 */
int cmd_scenario_init(const struct cmd_scenario *scenario,
		      struct fp_sim_config *ret_config, struct fp_error *error);
void cmd_scenario_fini(struct fp_sim_config *config);

/* Writes what a simulation saw as the lab would have. Processor times and
 * lateness are 0; wall_s is virtual. Release it with lab_result_fini(). Returns
 * 0 or -ENOMEM. */
int cmd_scenario_result(const struct cmd_scenario *scenario,
			const struct fp_sim_result *seen,
			struct lab_result *ret_result);

#endif
