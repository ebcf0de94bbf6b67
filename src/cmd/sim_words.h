/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a person says about simulated hosts and their applications. */
#ifndef CMD_SIM_WORDS_H
#define CMD_SIM_WORDS_H

#include "base/error.h"
#include "fullpipe/sim.h"

/* Reads --without: parts of TCP by their words (fp_sim_part_name()), by commas.
 * ret_parts: bits of enum fp_sim_part. Returns 0, or -EINVAL with error: status
 * 2, the nearest word or all of them. */
int cmd_without_parse(const char *text, uint32_t *ret_parts,
		      struct fp_error *error);

/*
 * Reads --source:
 *
 *	bulk
 *	requests SIZE [every TIME]	"requests 20k every 50ms"
 *	on-off TIME TIME		"on-off 1s 2s"
 *	stream RATE			"stream 5mbit"
 *
 * Returns 0, or -EINVAL with error: status 2 and the grammar in its hint.
 */
int cmd_source_parse(const char *text, struct fp_sim_source *ret_source,
		     struct fp_error *error);

#endif
