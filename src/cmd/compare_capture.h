/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Captures of a comparison: of round 1 of each algorithm. */
#ifndef CMD_COMPARE_CAPTURE_H
#define CMD_COMPARE_CAPTURE_H

#include "cmd/capture.h"
#include "cmd/compare.h"
#include "cmd/sim_capture.h"

struct compare_captures {
	struct cmd_capture each[LAB_GROUPS_MAX]; /* of round number … */
	uint32_t count;                          /* 0: none wanted */
	struct fp_error error;     /* of the first that is not there; status 0:
				      all are */
	char note[OUT_NOTE_BYTES]; /* or empty */
};

/* Starts the files that --pcap asks for, and lets the plan's first rounds write
 * to them: run.sender.pcap, or run.cubic.sender.pcap and so on where each of
 * several algorithms has a round of its own, and run.sim.cubic.sender.pcap
 * where there are two worlds. Returns 0 or a negative errno with error. */
int compare_captures_open(struct compare_plan *plan, struct fp_error *error);

/* Tells where a round (its number of all, from 0) is to be written to; NULL:
 * nowhere. captures may be NULL. */
const struct lab_capture *
compare_capture_files(const struct compare_captures *captures, uint32_t round);

/* Gives names to the files of a round (its number of all, from 0) where they
 * are whole, and keeps in error why they are not there. Nothing where the round
 * is not captured; captures may be NULL. */
void compare_capture_publish(struct compare_captures *captures, uint32_t round,
			     const struct lab_result *result);

/* Tells what there is of an algorithm. captures may be NULL. */
struct out_capture compare_capture_row(const struct compare_captures *captures,
				       uint32_t algorithm);

void compare_captures_free(struct compare_captures *captures); /* or NULL */

#endif
