/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "out/plot.h"
#include "out/report.h"

#define COLUMNS OUT_PLOT_COLUMNS

/* At least 1: what is over within a millisecond has a width too. */
static double end_ms(const struct out_round *round)
{
	double end = 1;
	uint32_t i;

	for (i = 0; i < round->sample_count; i++)
		end = fmax(end, round->samples[i].time_ms);
	return end;
}

static int column_of(const struct out_sample *sample, double end)
{
	int column = (int)(sample->time_ms / end * COLUMNS);

	return column < COLUMNS ? column : COLUMNS - 1;
}

/* Mean of a member (at offset of a sample) in each column of time; a column
 * without a sample is as the one before it. */
static void mean_over_time(const struct out_round *round, size_t offset,
			   double *ret_values)
{
	double sums[COLUMNS] = { 0 }, counts[COLUMNS] = { 0 };
	double end = end_ms(round);
	const char *sample;
	uint32_t i;
	int column;

	for (i = 0; i < round->sample_count; i++) {
		sample = (const char *)&round->samples[i];
		column = column_of(&round->samples[i], end);
		sums[column] +=
		    *(const double *)(const void *)(sample + offset);
		counts[column]++;
	}
	for (i = 0; i < COLUMNS; i++) {
		ret_values[i] = i > 0 ? ret_values[i - 1] : NAN;
		if (counts[i] > 0)
			ret_values[i] = sums[i] / counts[i];
	}
}

/* Adds the mean rate between two looks to the columns that lie between them,
 * each by the share of it that does. */
static void add_rate(const struct out_sample *from, const struct out_sample *to,
		     double end, double *rates)
{
	double first = from->time_ms / end * COLUMNS;
	double last = to->time_ms / end * COLUMNS;
	double bits = 8 * (to->received_bytes - from->received_bytes);
	double rate = bits / (to->time_ms - from->time_ms) * 1e3;
	int i;

	for (i = (int)first; i < COLUMNS && i < last; i++)
		rates[i] += rate * (fmin(i + 1, last) - fmax(i, first));
}

/* What the receivers of all flows read in each column of time. */
static void rate_over_time(const struct out_round *round, double *ret_values)
{
	const struct out_sample start = { 0 }, *before, *sample;
	double end = end_ms(round);
	uint32_t flow, i;

	memset(ret_values, 0, COLUMNS * sizeof(*ret_values));
	for (flow = 0; flow < round->flow_count; flow++) {
		before = &start;
		for (i = 0; i < round->sample_count; i++) {
			sample = &round->samples[i];
			if (sample->flow != round->flows[flow].number ||
			    !(sample->time_ms > before->time_ms))
				continue;
			add_rate(before, sample, end, ret_values);
			before = sample;
		}
	}
}

static void print_round(FILE *file, const struct out_round *round, bool is_utf8)
{
	struct out_plot plot = { .title = "rate", .unit = FP_UNIT_RATE_BPS };
	char end[FP_FORMAT_BYTES];

	rate_over_time(round, plot.values);
	out_plot_print(file, &plot, is_utf8);
	plot.title = "cwnd";
	plot.unit = FP_UNIT_COUNT;
	mean_over_time(round, offsetof(struct out_sample, cwnd_pkts),
		       plot.values);
	out_plot_print(file, &plot, is_utf8);
	plot.title = "RTT";
	plot.unit = FP_UNIT_TIME_US;
	mean_over_time(round, offsetof(struct out_sample, rtt_us), plot.values);
	out_plot_print(file, &plot, is_utf8);
	fp_format(end, sizeof(end), FP_UNIT_TIME_S, end_ms(round) / 1e3);
	(void)fprintf(file, "%18s 0%*s\n", "", COLUMNS - 1, end);
}

void out_timeline_print(FILE *file, const struct out_report *report,
			bool is_utf8)
{
	const struct out_result *result;
	uint32_t i;

	for (i = 0; i < report->result_count; i++) {
		result = &report->results[i];
		if (result->round_count == 0 ||
		    result->rounds[0].sample_count == 0)
			continue;
		(void)fprintf(file, "\n%s, round %.0f\n", result->label,
			      result->rounds[0].number);
		print_round(file, &result->rounds[0], is_utf8);
	}
}
