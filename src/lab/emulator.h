/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The datapath: moves super-packets between the two sides of a world, each way
 * through its own struct fp_path, one decision for each packet of the wire.
 * One thread, one epoll loop, no allocation once it runs.
 */
#ifndef LAB_EMULATOR_H
#define LAB_EMULATOR_H

#include "base/error.h"
#include "lab/lab.h"
#include "lab/world.h"

struct emulator;

/* Makes an emulator for an open world (backend TUN or PACKET). Both ways of
 * path are copied; the arrays that they point to and world must outlive the
 * emulator. The caller sets seed, direction and stages; merge_ns and
 * capacity_pkts are set here. The world's devices stay the world's. Returns
 * NULL with error when a way is not usable (text of fp_path_check()) or memory
 * is short. */
struct emulator *emulator_new(const struct lab_world *world,
			      const struct lab_path *path,
			      struct fp_error *error);

/* Forwards until stop_fd is readable (or at its end). Must run in the process
 * that opened the world, on one thread; where allowed it takes the lowest
 * real-time priority (the highest nice value where no link keeps it far below
 * one processor), so that computing neighbours do not delay packets.
 * Returns 0, or a negative errno with error when a device fails for good. Costs
 * no CPU while nothing moves. */
int emulator_run(struct emulator *emulator, int stop_fd,
		 struct fp_error *error);

/* Fills what the emulator knows: way[], lateness_…, releases, captured,
 * emulator_cpu_s.
 * Where a packet was lost outside the models, is_valid becomes false and note
 * says where; otherwise both are left as they are. */
void emulator_get_result(struct emulator *emulator, struct lab_result *result);

void emulator_free(struct emulator *emulator); /* accepts NULL */

#endif
