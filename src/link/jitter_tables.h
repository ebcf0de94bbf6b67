/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LINK_JITTER_TABLES_H
#define LINK_JITTER_TABLES_H

#include <stdint.h>

/*
 * Inverse distribution functions, as tc loads them into netem: point i of 4096
 * is the quantile i / 4096 in units of the jitter / 8192. Made by
 * scripts/make-jitter-tables, which names the formulas. External, because BPF
 * tools do not take static tables.
 */
#define LINK_JITTER_POINTS      4096
#define LINK_JITTER_POINTS_LOG2 12
#define LINK_JITTER_SCALE       8192
/* The smallest number that a table can hold is -4 times the jitter. */
#define LINK_JITTER_LEAST       4

extern const int16_t link__jitter_normal[LINK_JITTER_POINTS];
extern const int16_t link__jitter_pareto[LINK_JITTER_POINTS];
extern const int16_t link__jitter_paretonormal[LINK_JITTER_POINTS];

#endif
