/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures of a simulated round, as the lab's are: two files, sender and
 * receiver. Virtual time 0 is 2000-01-01 00:00 UTC. A flow that begins
 * connected gets a handshake two round trips before its start, so that readers
 * know its options, as the lab's flows have theirs before they start.
 */
#ifndef CMD_SIM_CAPTURE_H
#define CMD_SIM_CAPTURE_H

#include "base/error.h"
#include "fullpipe/sim.h"
#include "lab/lab.h"

#define SIM_CAPTURE_EPOCH_NS (UINT64_C(946684800) * 1000000000)

struct sim_capture;

/* Starts captures of what config runs, into files; its flows must outlive them.
 * is_reverse: the data goes
 * from the lab's receiver to its sender, and the files are named by these.
 * Returns NULL with error. */
struct sim_capture *sim_capture_new(const struct fp_sim_config *config,
				    const struct lab_capture *files,
				    bool is_reverse, struct fp_error *error);

/* Adds a packet: packet() of struct fp_sim_watch. */
void sim_capture_packet(void *context, const struct fp_sim_packet *packet);

/* Writes what is buffered and says how it went. */
void sim_capture_finish(struct sim_capture *capture,
			struct lab_captured *ret_done);

void sim_capture_free(struct sim_capture *capture); /* accepts NULL */

#endif
