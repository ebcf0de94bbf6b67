/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is odd about a run, each oddity said once. */
#ifndef CMD_COMPARE_NOTES_H
#define CMD_COMPARE_NOTES_H

#include "cmd/compare.h"

/* Tells whether a run ended before it had seen all that was asked for. */
bool compare_is_interrupted(const struct compare_plan *plan,
			    const struct lab_result *results);

/* Makes the notes of a report whose results are filled in. Returns 0 or
 * -ENOMEM. */
int compare_notes_fill(struct out_report *report,
		       const struct compare_plan *plan,
		       const struct lab_result *results);

#endif
