/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compare_notes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare_capture.h"
#include "cmd/measured.h"

#define NOTES_MAX   16
/* Looks at the sockets come late by less than this on a machine that works,
 * and by a few of their own distances where that is long. */
#define PAUSE_MS    200
#define PAUSE_LOOKS 3

static void add_note(struct out_report *report, const char *note)
{
	uint32_t i;

	for (i = 0; i < report->note_count; i++) {
		if (strcmp(report->notes[i], note) == 0)
			return;
	}
	if (note[0] && report->note_count < NOTES_MAX)
		(void)snprintf(report->notes[report->note_count++],
			       sizeof(*report->notes), "%s", note);
}

double compare_longest_pause_ms(const struct lab_result *result)
{
	double longest = 0, mean;
	uint32_t i;

	if (result->sample_count < 2)
		return 0;
	for (i = 1; i < result->sample_count; i++)
		longest = fmax(longest, (double)result->samples[i].time_ms -
					    result->samples[i - 1].time_ms);
	mean = (double)result->samples[i - 1].time_ms * result->flow_count /
	       result->sample_count;
	return longest > PAUSE_MS + PAUSE_LOOKS * mean ? longest : 0;
}

/* A sender that was not run cannot send: the machine's doing, not TCP's. */
static void note_pause(struct out_report *report, double longest_ms)
{
	char pause[FP_FORMAT_BYTES], note[sizeof(*report->notes)];

	if (!(longest_ms > 0))
		return;
	fp_format(pause, sizeof(pause), FP_UNIT_TIME_US, longest_ms * 1e3);
	(void)snprintf(note, sizeof(note),
		       "a sender stood still for %s: this machine was busy, "
		       "results are coarse",
		       pause);
	add_note(report, note);
}

/* Without a time there is nothing to compare: say how often. */
static void note_incomplete(struct out_report *report,
			    const struct compare_plan *plan)
{
	char note[sizeof(*report->notes)];
	const struct out_result *one;
	uint32_t i, missing;

	for (one = report->results;
	     one < report->results + report->result_count; one++) {
		for (i = 0, missing = 0; i < one->round_count; i++)
			missing += isnan(one->rounds[i].completion_us);
		if (missing == 0 || plan->options->bytes == 0)
			continue;
		(void)snprintf(note, sizeof(note),
			       "%s did not complete within %g s in %u of %u "
			       "rounds; a longer --duration lets it",
			       one->label, (double)plan->duration_ns / 1e9,
			       missing, one->round_count);
		add_note(report, note);
	}
}

/* Whether the data way's links have one rate, from beginning to end. */
static bool has_constant_rate(const struct compare_plan *plan)
{
	const struct fp_path_config *way =
	    &plan->path.way[compare_data_way(plan)].config;
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		if (way->stages[i].kind == FP_STAGE_LINK &&
		    way->stages[i].link.rate.kind > FP_RATE_CONSTANT)
			return false;
	}
	return true;
}

static void note_above_link(struct out_report *report,
			    const struct compare_plan *plan)
{
	char note[sizeof(*report->notes)];
	const struct out_result *one;

	if (!has_constant_rate(plan))
		return;
	for (one = report->results;
	     one < report->results + report->result_count; one++) {
		if (!(one->share_of_link > 1))
			continue;
		(void)snprintf(note, sizeof(note),
			       "%s came out above the link: what waited behind "
			       "a lost packet when measuring began counts once "
			       "that arrives; a longer --duration evens it out",
			       one->label);
		add_note(report, note);
	}
}

int compare_notes_begin(struct out_report *report)
{
	report->notes = calloc(NOTES_MAX, sizeof(*report->notes));
	return report->notes ? 0 : -ENOMEM;
}

void compare_notes_add(struct out_report *report,
		       const struct lab_result *result)
{
	add_note(report, result->note);
	if (result->error.status)
		add_note(report, result->error.text);
}

void compare_notes_end(const struct compare_tally *tally)
{
	struct out_report *report = tally->report;
	char late[sizeof(*report->notes)];

	if (tally->plan->captures)
		add_note(report, tally->plan->captures->note);
	if (cmd_accuracy_note(&report->accuracy, report->path.rtt_us, late,
			      sizeof(late)))
		add_note(report, late);
	note_pause(report, tally->pause_ms);
	if (!tally->is_interrupted)
		note_incomplete(report, tally->plan);
	note_above_link(report, tally->plan);
}
