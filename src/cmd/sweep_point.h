/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One point of a sweep: what compare --sim does of one algorithm on one path.
 */
#ifndef CMD_SWEEP_POINT_H
#define CMD_SWEEP_POINT_H

#include "cmd/compare.h"
#include "cmd/sweep.h"

/* The plan points to options: a point stays where it was made. */
struct sweep_point {
	uint64_t number; /* in the grid, from 0 */
	struct compare_options options;
	struct compare_plan plan; /* of one algorithm */
};

/* Makes a point of the grid. Release with sweep_point_fini(). Any thread.
 * Returns 0, or a negative errno with error: which point, and what about it
 * cannot be simulated. */
int sweep_point_init(struct sweep_point *point, const struct sweep *sweep,
		     uint64_t number, struct fp_error *error);
void sweep_point_fini(struct sweep_point *point);

/* Tells about how many packets one seed of it sends: what the path carries, or
 * what loss leaves to algorithms that heed it. At least 1. */
double sweep_point_packets(const struct sweep_point *point);

/* Adds up the seeds of a point. */
struct sweep_tally {
	const struct sweep *sweep;
	const struct sweep_point *point;
	struct out_result result;
	uint64_t timeouts;
	double wait_ns, waited, wait_max_ns; /* in the data's queues */
	double packets, lost, lost_by_queue; /* of the data's way */
	double jain;                         /* sum over seeds */
};

/* Each returns 0 or -ENOMEM. seen is of the next seed. */
int sweep_tally_begin(struct sweep_tally *tally, const struct sweep *sweep,
		      const struct sweep_point *point);
int sweep_tally_add(struct sweep_tally *tally, const struct lab_result *seen,
		    uint64_t timeouts);

/* Fills in the row. Its texts are the sweep's, but for path and path_back,
 * which are the point's. */
void sweep_tally_end(struct sweep_tally *tally, struct out_sweep_row *ret_row);
void sweep_tally_fini(struct sweep_tally *tally);

#endif
