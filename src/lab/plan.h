/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arithmetic of lab_plan(), apart from the machine. */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include <sched.h>
#include <stdint.h>

#include "lab/lab.h"

/* Cost of a round in cores, emulator and both ends, measured on 2 cores of an
 * EPYC with other work beside it: 0.06 at 10 Mbit/s (a packet wakes all three
 * when it comes alone), 0.09 at 100 Mbit/s, 0.17 at 500 Mbit/s; 1000 flows on
 * 100 Mbit/s took 0.13 more. */
#define LAB_PLAN_CORES_BASE     0.06
#define LAB_PLAN_CORES_PER_GBPS 0.25
#define LAB_PLAN_CORES_PER_FLOW 0.00013
/* Part of the machine that is given away; the rest takes up bursts. */
#define LAB_PLAN_SHARE          0.5

/* Up to here a round runs better on one processor than on several: its
 * processes wake each other thousands of times a second, and each time across
 * processors costs an interrupt, in a virtual machine some 10 us. */
#define LAB_PLAN_ONE_CPU_CORES 0.4

/* Returns the highest rate that a link of this kind has; 0: no limit. */
uint64_t lab_plan_rate_bps(const struct fp_rate_config *rate);

/* Returns the most that a way lets through; 0: no limit. */
uint64_t lab_plan_way_bps(const struct fp_path_config *way);

/* Returns the cores that a round is expected to take when it fills its path; 0:
 * as many as there are, because nothing limits its rate or because it spins. */
double lab_plan_round_cores(const struct lab_round *round);

/* Returns the processor of allowed that round number slot of those at once
 * should stay on, or -1 where it should not be bound to one. Neighbours get
 * different ones. */
int lab_plan_cpu(const struct lab_round *round, uint32_t slot,
		 const cpu_set_t *allowed);

/* lab_plan() on a machine with so many cores. */
uint32_t lab_plan_for(const struct lab_round *rounds, uint32_t count,
		      uint32_t cores, char *ret_reason, size_t reason_bytes);

#endif
