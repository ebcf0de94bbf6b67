/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line on stderr while rounds run, where stderr is a terminal. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include "lab/lab.h"

struct cmd_progress {
	const struct lab_round *rounds; /* names of what runs, or NULL */
	uint32_t columns;               /* of the terminal; 0: say nothing */
};

/* Finds out whether and how wide to speak. */
void cmd_progress_init(struct cmd_progress *progress,
		       const struct lab_round *rounds, bool is_quiet);

/* For lab_run_options.progress; context is a struct cmd_progress. */
void cmd_progress_show(const struct lab_progress *seen, void *context);

/* Shows "12 of 30 rounds". */
void cmd_progress_count(const struct cmd_progress *progress, uint64_t done,
			uint64_t count);

/* Clears the line. */
void cmd_progress_fini(struct cmd_progress *progress);

#endif
