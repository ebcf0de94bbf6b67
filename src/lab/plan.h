/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arithmetic of lab_plan(), apart from the machine. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include <stdint.h>

#include "lab/lab.h"

/* Cost of a round in cores; all three processes. */
#define LAB_PLAN_CORES_PER_GBPS 0.5
#define LAB_PLAN_CORES_PER_FLOW 0.0005 /* looks at its socket, 20 a second */
#define LAB_PLAN_CORES_IDLE     0.01   /* a round in which nothing moves */
/* Part of the machine that is given away; the rest takes up bursts. */
#define LAB_PLAN_SHARE          0.5

/* Returns the highest rate that a link of this kind has; 0: no limit. */
uint64_t lab_plan_rate_bps(const struct fp_rate_config *rate);

/* Returns the cores that a round is expected to take when it fills its path; 0:
 * as many as there are, because nothing limits its rate. */
double lab_plan_round_cores(const struct lab_round *round);

/* lab_plan() on a machine with so many cores. */
uint32_t lab_plan_for(const struct lab_round *rounds, uint32_t count,
		      uint32_t cores, char *ret_reason, size_t reason_bytes);

#endif
