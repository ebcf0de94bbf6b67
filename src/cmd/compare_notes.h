/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is odd about a run, each oddity said once. */
#ifndef CMD_COMPARE_NOTES_H
#define CMD_COMPARE_NOTES_H

#include "cmd/compare.h"

/* Makes room for the notes of a report. Returns 0 or -ENOMEM. */
int compare_notes_begin(struct out_report *report);

/* Notes what a round says of itself. */
void compare_notes_add(struct out_report *report,
		       const struct lab_result *result);

/* Notes what only all rounds together show; the results are filled in. */
void compare_notes_end(const struct compare_tally *tally);

/* Tells the longest time that a round's sender did not look at its sockets,
 * where that is worth a note; else 0. */
double compare_longest_pause_ms(const struct lab_result *result);

#endif
