/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far a long run is and how long it will take, on stderr: a bar where that
 * is a terminal, else a line now and then. */
#ifndef CMD_METER_H
#define CMD_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cmd_meter {
	bool is_quiet;
	uint32_t columns; /* of the terminal; 0: none, lines are written */
	uint64_t next_ns; /* of elapsed time: when to write the next line */
	bool has_bar;     /* that must be cleared */
};

struct cmd_meter_state {
	const char *what; /* "points" */
	uint64_t done, count;
	double share; /* of the work that is done, 0 … 1 */
	uint64_t elapsed_ns;
};

void cmd_meter_init(struct cmd_meter *meter, bool is_quiet);

/* May be called often. Says nothing in the first half second, and of the time
 * that is left nothing before a hundredth is done. */
void cmd_meter_show(struct cmd_meter *meter,
		    const struct cmd_meter_state *state);

/* Clears the bar. */
void cmd_meter_fini(struct cmd_meter *meter);

/* Writes a time to wait as people say it: "40 s", "3 min 20 s", "2 h 5 min",
 * "4 days". Returns ret_text. */
char *cmd_meter_time(char *ret_text, size_t bytes, double time_s);

#endif
