/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/format.h"

#define LINE_BYTES 512

void cmd_progress_init(struct cmd_progress *progress,
		       const struct lab_round *rounds, bool is_quiet)
{
	struct winsize size = { 0 };

	progress->rounds = rounds;
	progress->columns = 0;
	if (is_quiet || !isatty(STDERR_FILENO))
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		size.ws_col = 80;
	progress->columns = size.ws_col;
	if (progress->columns > LINE_BYTES)
		progress->columns = LINE_BYTES;
}

/* The algorithm of a flow, by its number in the round. */
static const char *algorithm_of(const struct lab_round *round, uint32_t flow)
{
	uint32_t group = 0;

	while (group + 1 < round->group_count &&
	       flow >= round->groups[group].flows)
		flow -= round->groups[group++].flows;
	return round->groups[group].algorithm;
}

/* "bbr 24.1 Mbit/s + 23.7 Mbit/s": flow by flow. */
static size_t write_round(const struct lab_round *round,
			  const struct lab_progress_round *seen, char *text,
			  size_t bytes)
{
	char rate[FP_FORMAT_BYTES];
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < seen->flow_count && used < bytes; i++) {
		const char *name = algorithm_of(round, i);
		bool is_first = i == 0 || name != algorithm_of(round, i - 1);

		fp_format(rate, sizeof(rate), FP_UNIT_RATE_BPS,
			  (double)seen->flow_bps[i]);
		used += (size_t)snprintf(
		    text + used, bytes - used, "%s%s%s%s", i == 0 ? "" : " + ",
		    is_first ? name : "", is_first ? " " : "", rate);
	}
	return used;
}

/* "cubic 1.14 Mbit/s, bbr 38.1 Mbit/s + 38.3 Mbit/s" */
static void write_rates(const struct cmd_progress *progress,
			const struct lab_progress *seen, char *line,
			size_t bytes)
{
	size_t used = 0;
	uint32_t i;

	line[0] = '\0';
	for (i = 0; i < seen->running_count && used + 2 < bytes; i++) {
		const struct lab_progress_round *round = &seen->running[i];

		if (used)
			used +=
			    (size_t)snprintf(line + used, bytes - used, ", ");
		used += write_round(&progress->rounds[round->round], round,
				    line + used, bytes - used);
	}
}

void cmd_progress_show(const struct lab_progress *seen, void *context)
{
	const struct cmd_progress *progress = context;
	char rates[LINE_BYTES], line[2 * LINE_BYTES];
	double elapsed = 0, total = 0;

	if (progress->columns == 0)
		return;
	if (seen->running_count > 0) {
		elapsed = seen->running[0].elapsed_s;
		total = seen->running[0].total_s;
	}
	write_rates(progress, seen, rates, sizeof(rates));
	(void)snprintf(line, sizeof(line),
		       "%u of %u rounds, %.1f of %.0f s: %s", seen->rounds_done,
		       seen->rounds, elapsed, total, rates);
	(void)fprintf(stderr, "\r\033[K%.*s", (int)progress->columns - 1, line);
	(void)fflush(stderr);
}

void cmd_progress_count(const struct cmd_progress *progress, uint64_t done,
			uint64_t count)
{
	char line[LINE_BYTES];

	if (progress->columns == 0)
		return;
	(void)snprintf(line, sizeof(line), "%llu of %llu rounds",
		       (unsigned long long)done, (unsigned long long)count);
	(void)fprintf(stderr, "\r\033[K%.*s", (int)progress->columns - 1, line);
	(void)fflush(stderr);
}

void cmd_progress_fini(struct cmd_progress *progress)
{
	if (progress->columns > 0)
		(void)fputs("\r\033[K", stderr);
	progress->columns = 0;
}
