/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A grid: options of compare --sim, each with one or many values. Its points
 * are counted from 0; the option that was given last moves fastest.
 */
#ifndef CMD_SWEEP_GRID_H
#define CMD_SWEEP_GRID_H

#include "cmd/option.h"
#include "spec/series.h"

#define SWEEP_AXES_MAX   64
#define SWEEP_POINTS_MAX 1000000000ull /* of a grid */

struct sweep_axis {
	const char *name;
	bool is_switch; /* has one value, which is none */
	struct spec_series values;
};

/* Zeroed: empty, one point. Release with sweep_grid_fini(). */
struct sweep_grid {
	struct sweep_axis axes[SWEEP_AXES_MAX];
	uint32_t axis_count;
	uint64_t points; /* set by sweep_grid_finish() */
};

/* Adds an option with its values; for struct cmd_target.take, context is the
 * grid. What was said of it before is replaced. "all" is every preset that can
 * be simulated. Returns 0, or a negative errno with error: the option, which
 * item, why. */
int sweep_grid_take(void *context, const struct cmd_option *option,
		    const char *value, struct fp_error *error);

/* Adds what is not said but needed (cc), and counts the points. Returns 0, or a
 * negative errno with error: more than SWEEP_POINTS_MAX, with their number. */
int sweep_grid_finish(struct sweep_grid *grid, struct fp_error *error);

void sweep_grid_fini(struct sweep_grid *grid);

/* Tells which value of each axis a point (0 … points - 1) has. ret_index has
 * room for all axes. */
void sweep_grid_at(const struct sweep_grid *grid, uint64_t point,
		   uint32_t *ret_index);

/* Finds an axis. NULL: nothing was said of it. */
const struct sweep_axis *sweep_grid_find(const struct sweep_grid *grid,
					 const char *name);

#endif
