/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "out/report.h"
#include "out/table.h"

#define LABEL_COLUMNS 10
#define NUMBER        FP_FORMAT_BYTES

static const struct out_column rate_columns[] = {
	{ "algorithm", OUT_VALUE, { "label" } },
	{ "goodput (min-max)",
	  OUT_SPREAD,
	  { "goodput_bps.median", "goodput_bps.min", "goodput_bps.max" } },
	{ "of link", OUT_VALUE, { "share_of_link" } },
	{ "of total", OUT_VALUE, { "share_of_total" } },
	{ "ratio", OUT_VALUE, { "ratio_to_first" } },
	{ "resent", OUT_VALUE, { "retransmitted_share" } },
	{ "RTT p50 / p99", OUT_PAIR, { "rtt_us.p50", "rtt_us.p99" } },
	{ "CPU/GB", OUT_VALUE, { "cpu_per_gb_s" } },
	{ "limited by", OUT_VALUE, { "limited_by" } },
	{ NULL, OUT_VALUE, { NULL } },
};

static const struct out_column time_columns[] = {
	{ "algorithm", OUT_VALUE, { "label" } },
	{ "time (min-max)",
	  OUT_SPREAD,
	  { "completion_us.median", "completion_us.min",
	    "completion_us.max" } },
	{ "goodput", OUT_VALUE, { "goodput_bps.median" } },
	{ "ratio", OUT_VALUE, { "ratio_to_first" } },
	{ "resent", OUT_VALUE, { "retransmitted_share" } },
	{ "RTT p50 / p99", OUT_PAIR, { "rtt_us.p50", "rtt_us.p99" } },
	{ "CPU/GB", OUT_VALUE, { "cpu_per_gb_s" } },
	{ "limited by", OUT_VALUE, { "limited_by" } },
	{ NULL, OUT_VALUE, { NULL } },
};

static const char *number(char *text, enum fp_unit unit, double value)
{
	return fp_format(text, NUMBER, unit, value);
}

void out_path_print(FILE *file, const struct out_path *path)
{
	bool is_skb = strcmp(path->loss_unit, "skb") == 0;
	char rtt[NUMBER], line[160];

	(void)snprintf(line, sizeof(line), "RTT %s, MTU %.0f, loss drawn %s",
		       number(rtt, FP_UNIT_TIME_US, path->rtt_us),
		       path->mtu_bytes,
		       is_skb ? "per super-packet (skb), as netem does"
			      : "per packet of the wire");
	if (path->is_direct > 0)
		(void)snprintf(line, sizeof(line),
			       "a veth pair without emulator, MTU %.0f",
			       path->mtu_bytes);
	out_paragraph_print(file, "path", LABEL_COLUMNS, line);
	if (path->is_direct > 0)
		return;
	out_paragraph_print(file, "forward", LABEL_COLUMNS, path->way[0].text);
	out_paragraph_print(file, "back", LABEL_COLUMNS, path->way[1].text);
}

static bool is_simulated(const struct out_run *run)
{
	return strcmp(run->world, "sim") == 0;
}

/* "3 rounds of 8 s after 3 s of warm-up" */
static void write_rounds(char *line, size_t bytes, const struct out_run *run)
{
	const char *word = is_simulated(run) ? "simulated round" : "round";
	const char *plural = run->rounds > 1 ? "s" : "";
	char size[NUMBER];

	number(size, FP_UNIT_BYTES, run->bytes);
	if (run->bytes > 0)
		(void)snprintf(line, bytes, "%.0f %s%s of %s (at most %g s)",
			       run->rounds, word, plural, size,
			       run->duration_s);
	else
		(void)snprintf(
		    line, bytes, "%.0f %s%s of %g s after %g s of warm-up",
		    run->rounds, word, plural, run->duration_s, run->warmup_s);
}

static void print_known(FILE *file, const char *label, const char *text)
{
	if (text)
		out_paragraph_print(file, label, LABEL_COLUMNS, text);
}

void out_run_print(FILE *file, const struct out_run *run)
{
	char line[640];
	size_t used;

	write_rounds(line, sizeof(line), run);
	used = strlen(line);
	(void)snprintf(
	    line + used, sizeof(line) - used,
	    ", %.0f flow%s of each%s%s%s%s%s%s", run->flows,
	    run->flows > 1 ? "s" : "",
	    run->is_together > 0 ? ", all together" : "",
	    run->is_ipv6 > 0 ? ", over IPv6" : "",
	    strcmp(run->direction, "back") == 0 ? ", sent back" : "",
	    run->backend ? ", " : "", run->backend ? run->backend : "",
	    run->is_user_namespace > 0 ? " in a user namespace (no root)" : "");
	out_paragraph_print(file, "run", LABEL_COLUMNS, line);
	print_known(file, "order", run->arrangement);
	print_known(file, "hosts", run->hosts);
	print_known(file, "source", run->source);
	print_known(file, "buffers", run->buffers);
}

void out_header_print(FILE *file, const struct out_report *report)
{
	const struct out_way *way = report->path.way;
	const struct out_run *run = &report->run;

	if (is_simulated(run))
		(void)fprintf(file, "fullpipe %s, simulated, seed %.0f",
			      run->program_version, run->seed);
	else
		(void)fprintf(file, "fullpipe %s on Linux %s, seed %.0f",
			      run->program_version, run->kernel, run->seed);
	if (way[0].seed != way[1].seed)
		(void)fprintf(file, " (forward %.0f, back %.0f)", way[0].seed,
			      way[1].seed);
	(void)fputc('\n', file);
	out_path_print(file, &report->path);
	out_run_print(file, run);
	(void)fputc('\n', file);
}

static size_t write_way(char *line, size_t bytes, const char *name,
			const struct out_measured *seen)
{
	const struct {
		double count;
		const char *fate;
	} others[] = {
		{ seen->lost_by_policer, "by the policer" },
		{ seen->marked, "marked" },
		{ seen->reordered, "reordered" },
		{ seen->duplicated, "duplicated" },
		{ seen->corrupted, "damaged" },
	};
	char model[NUMBER], queue[NUMBER];
	size_t i, used;

	number(model, FP_UNIT_SHARE, seen->model_loss_share);
	number(queue, FP_UNIT_SHARE, seen->queue_loss_share);
	(void)snprintf(line, bytes,
		       "%.0f packets %s, %s lost by the loss model, %s by "
		       "the queue",
		       seen->packets, name, model, queue);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		used = strlen(line);
		if (others[i].count > 0)
			(void)snprintf(line + used, bytes - used, ", %.0f %s",
				       others[i].count, others[i].fate);
	}
	return strlen(line);
}

void out_counted_print(FILE *file, const struct out_path *path)
{
	char line[640];
	size_t used;

	used = write_way(line, sizeof(line), "forward", &path->way[0].measured);
	used += (size_t)snprintf(line + used, sizeof(line) - used, "; ");
	(void)write_way(line + used, sizeof(line) - used, "back",
			&path->way[1].measured);
	out_paragraph_print(file, "counted", LABEL_COLUMNS, line);
}

void out_accuracy_print(FILE *file, const struct out_accuracy *accuracy)
{
	char mean[NUMBER], p99[NUMBER], line[320];

	number(mean, FP_UNIT_TIME_NS, accuracy->lateness_mean_ns);
	number(p99, FP_UNIT_TIME_NS, accuracy->lateness_p99_ns);
	if (accuracy->lost_outside > 0)
		(void)snprintf(line, sizeof(line),
			       "%.0f packets were lost outside the model",
			       accuracy->lost_outside);
	else if (!(accuracy->releases > 0))
		(void)snprintf(line, sizeof(line), "no packet was released");
	else
		(void)snprintf(line, sizeof(line),
			       "released %s late on average, %s at p99; no "
			       "packet lost outside the model",
			       mean, p99);
	out_paragraph_print(file, "accuracy", LABEL_COLUMNS, line);
}

void out_capture_print(FILE *file, const struct out_capture *capture)
{
	char line[2 * PATH_MAX + 64];

	if (!capture->sender)
		return;
	(void)snprintf(line, sizeof(line), "%s (%.0f packets), %s (%.0f)",
		       capture->sender, capture->sender_packets,
		       capture->receiver, capture->receiver_packets);
	out_paragraph_print(file, "capture", LABEL_COLUMNS, line);
}

void out_captures_print(FILE *file, const struct out_report *report)
{
	uint32_t i;

	for (i = 0; i < report->result_count; i++) {
		const struct out_capture *one = &report->results[i].capture;

		/* together they have one */
		if (i == 0 || one->sender != report->results[0].capture.sender)
			out_capture_print(file, one);
	}
}

void out_traces_print(FILE *file, const struct out_report *report)
{
	const char *last = "", *trace;
	uint32_t i;

	for (i = 0; i < report->result_count; i++) {
		trace = report->results[i].trace;
		/* together they have one */
		if (!trace || strcmp(trace, last) == 0)
			continue;
		out_paragraph_print(file, "trace", LABEL_COLUMNS, trace);
		last = trace;
	}
}

void out_judged_print(FILE *file, const struct out_report *report)
{
	const struct out_expectation *one = report->expectations;
	char line[512];
	uint32_t i;

	for (i = 0; i < report->expectation_count; i++, one++) {
		(void)snprintf(line, sizeof(line), "'%s': %s (%s)", one->text,
			       one->holds > 0 ? "holds" : "DOES NOT HOLD",
			       one->words);
		out_paragraph_print(file, "expected", LABEL_COLUMNS, line);
	}
}

void out_notes_print(FILE *file, const struct out_report *report)
{
	uint32_t i;

	for (i = 0; i < report->note_count; i++)
		out_paragraph_print(file, "note", LABEL_COLUMNS,
				    report->notes[i]);
	if (strcmp(report->status, "invalid") == 0)
		out_paragraph_print(file, "INVALID", LABEL_COLUMNS,
				    "this result must not be used: the notes "
				    "say why");
}

#define LIMITS 16 /* more than there are */

struct limit_count {
	const char *word;
	uint32_t flows;
};

static void count_limit(struct limit_count *counts, const char *word)
{
	uint32_t i = 0;

	while (i < LIMITS - 1 && counts[i].word &&
	       strcmp(counts[i].word, word) != 0)
		i++;
	counts[i].word = word;
	counts[i].flows++;
}

/* "bbr (v1) 11 by link, 1 by loss": flows of all rounds, where a round has
 * several. */
static void print_flow_limits(FILE *file, const struct out_result *result)
{
	struct limit_count counts[LIMITS] = { 0 };
	char line[512];
	size_t used;
	uint32_t i, j;

	if (!result->round_count || result->rounds[0].flow_count < 2)
		return;
	for (i = 0; i < result->round_count; i++)
		for (j = 0; j < result->rounds[i].flow_count; j++)
			count_limit(counts,
				    result->rounds[i].flows[j].limited_by);
	used = (size_t)snprintf(line, sizeof(line), "%s", result->label);
	for (i = 0; i < LIMITS && counts[i].word && used < sizeof(line); i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
					 "%s %u limited by: %s", i ? "," : "",
					 counts[i].flows, counts[i].word);
	out_paragraph_print(file, "flows", LABEL_COLUMNS, line);
}

/* What stands between table and verdict. Returns whether anything does. */
static bool print_facts(FILE *file, const struct out_report *report)
{
	char jain[NUMBER], line[128];
	uint32_t i;

	for (i = 0; i < report->result_count; i++)
		print_flow_limits(file, &report->results[i]);
	if (!isnan(report->jain)) {
		fp_format_number(jain, sizeof(jain), report->jain);
		(void)snprintf(line, sizeof(line),
			       "Jain's index %s (1: all flows equal)", jain);
		out_paragraph_print(file, "fairness", LABEL_COLUMNS, line);
	}
	if (!(report->path.is_direct > 0)) {
		out_counted_print(file, &report->path);
		if (!is_simulated(&report->run)) /* which is exact */
			out_accuracy_print(file, &report->accuracy);
	}
	out_captures_print(file, report);
	out_traces_print(file, report);
	out_judged_print(file, report);
	out_notes_print(file, report);
	return !isnan(report->jain) || !(report->path.is_direct > 0) ||
	       report->run.flows > 1 || report->expectation_count > 0 ||
	       report->note_count > 0;
}

void out_report_print(FILE *file, const struct out_report *report)
{
	const struct out_rows rows = { out_result_fields, report->results,
				       sizeof(*report->results),
				       report->result_count };

	out_header_print(file, report);
	out_table_print(
	    file, report->run.bytes > 0 ? time_columns : rate_columns, &rows);
	(void)fputc('\n', file);
	if (print_facts(file, report))
		(void)fputc('\n', file);
	out_paragraph_print(file, "", 0, report->verdict);
}
