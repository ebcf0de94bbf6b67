/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/meter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SILENT_NS    500000000ull
#define LINE_NS      10000000000ull /* between lines */
#define SHARE_LEAST  0.01           /* before it the rest is a guess */
#define BAR_COLUMNS  20
#define LINE_COLUMNS 256
#define TIME_BYTES   32

void cmd_meter_init(struct cmd_meter *meter, bool is_quiet)
{
	struct winsize size = { 0 };

	*meter = (struct cmd_meter){ .is_quiet = is_quiet, .next_ns = LINE_NS };
	if (is_quiet || !isatty(STDERR_FILENO))
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		size.ws_col = 80;
	meter->columns = size.ws_col;
}

char *cmd_meter_time(char *ret_text, size_t bytes, double time_s)
{
	uint64_t s = time_s < 1e15 ? (uint64_t)ceil(fmax(time_s, 0)) : 0;

	if (time_s >= 1e15)
		(void)snprintf(ret_text, bytes, "for ever");
	else if (s < 60)
		(void)snprintf(ret_text, bytes, "%" PRIu64 " s", s);
	else if (s < 3600)
		(void)snprintf(ret_text, bytes, "%" PRIu64 " min %" PRIu64 " s",
			       s / 60, s % 60);
	else if (s < 48 * 3600)
		(void)snprintf(ret_text, bytes, "%" PRIu64 " h %" PRIu64 " min",
			       s / 3600, s % 3600 / 60);
	else
		(void)snprintf(ret_text, bytes, "%" PRIu64 " days", s / 86400);
	return ret_text;
}

/* "123 of 800 points, 3 min 20 s left" */
static void describe(const struct cmd_meter_state *state, char *text,
		     size_t bytes)
{
	char left[TIME_BYTES];
	double elapsed_s = (double)state->elapsed_ns / 1e9;
	int used = snprintf(text, bytes, "%" PRIu64 " of %" PRIu64 " %s",
			    state->done, state->count, state->what);

	if (state->share < SHARE_LEAST)
		return;
	(void)snprintf(
	    text + used, bytes - (size_t)used, ", %s left",
	    cmd_meter_time(left, sizeof(left),
			   elapsed_s * (1 - state->share) / state->share));
}

static void show_bar(struct cmd_meter *meter,
		     const struct cmd_meter_state *state, const char *text)
{
	char line[LINE_COLUMNS + 1];
	int full = (int)(BAR_COLUMNS * fmin(fmax(state->share, 0), 1));
	int columns = (int)meter->columns - 1;

	(void)snprintf(line, sizeof(line), "[%.*s%.*s] %s", full,
		       "####################", BAR_COLUMNS - full,
		       "....................", text);
	(void)fprintf(stderr, "\r\033[K%.*s", columns, line);
	(void)fflush(stderr);
	meter->has_bar = true;
}

void cmd_meter_show(struct cmd_meter *meter,
		    const struct cmd_meter_state *state)
{
	char text[LINE_COLUMNS - BAR_COLUMNS * 2 - 8];

	if (meter->is_quiet || state->elapsed_ns < SILENT_NS)
		return;
	if (!meter->columns && state->elapsed_ns < meter->next_ns)
		return;
	describe(state, text, sizeof(text));
	if (meter->columns) {
		show_bar(meter, state, text);
		return;
	}
	meter->next_ns = state->elapsed_ns + LINE_NS;
	(void)fprintf(stderr, "fullpipe: %s\n", text);
}

void cmd_meter_fini(struct cmd_meter *meter)
{
	if (meter->has_bar)
		(void)fputs("\r\033[K", stderr);
	meter->has_bar = false;
}
