/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fullpipe/sim.h"

/* By number of the bit of enum fp_sim_part. */
static const char *const names[FP_SIM_PARTS] = {
	"sack",
	"rack",
	"tlp",
	"prr",
	"frto",
	"undo",
	"limited-transmit",
	"pacing",
	"tso",
	"cwv",
	"idle-restart",
	"app-limited",
	"autotuning",
	"delayed-ack",
	"gro",
	"quickack",
};

const char *fp_sim_part_name(uint32_t number)
{
	return number < FP_SIM_PARTS ? names[number] : NULL;
}
