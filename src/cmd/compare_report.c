/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adds up rounds to results, and results to the report. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bottleneck.h"
#include "cmd/compare_capture.h"
#include "cmd/compare_notes.h"
#include "cmd/compare_round.h"
#include "cmd/compare_trace.h"
#include "cmd/measured.h"
#include "diag/predict.h"
#include "diag/stats.h"
#include "diag/verdict.h"
#include "lab/world.h"
#include "sys/error.h"
#include "sys/kernel.h"

#define TCP_IP4_BYTES 52 /* IPv4, TCP and its timestamps */
#define TCP_IP6_BYTES 72
#define KERNEL_BYTES  65

static double known_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

static void compare_results(struct out_report *report, bool is_together)
{
	double first_bps = known_or_nan(report->results[0].goodput_bps.median);
	double total_bps = 0;
	struct out_result *one;

	for (one = report->results;
	     one < report->results + report->result_count; one++)
		total_bps += isnan(one->goodput_bps.median)
				 ? 0
				 : one->goodput_bps.median;
	for (one = report->results;
	     one < report->results + report->result_count; one++) {
		one->ratio_to_first = one->goodput_bps.median / first_bps;
		one->share_of_total =
		    is_together ? one->goodput_bps.median / total_bps : NAN;
	}
}

/* What there is of a real run only: the rest is not known of a simulation. */
static void fill_machine(const struct compare_plan *plan, struct out_run *run)
{
	static char kernel[KERNEL_BYTES];
	const struct compare_options *options = plan->options;

	fp_kernel_release(kernel, sizeof(kernel));
	run->world = "kernel";
	run->kernel = kernel;
	run->sender = options->with == COMPARE_IPERF3 ? "iperf3" : "builtin";
	run->arrangement = plan->arrangement;
	run->is_precise = options->precise;
	run->concurrency = plan->concurrency;
}

/* Nothing of the machine: the same seed gives the same report anywhere. */
static void fill_simulation(const struct compare_plan *plan,
			    struct out_run *run)
{
	const struct cmd_hosts *hosts = &plan->hosts;

	run->world = "sim";
	run->hosts = plan->hosts_text;
	run->source = plan->source_text[0] ? plan->source_text : NULL;
	run->without = plan->options->without;
	run->ack_every_pkts = known_or_nan(hosts->tcp.ack_every_pkts);
	run->min_rto_us = known_or_nan((double)hosts->tcp.min_rto_ns / 1e3);
	run->initial_cwnd_pkts = known_or_nan(hosts->tcp.initial_cwnd_pkts);
	run->stagger_us = known_or_nan((double)hosts->stagger_ns / 1e3);
	run->lifetime_us = known_or_nan((double)hosts->lifetime_ns / 1e3);
}

static void fill_run(const struct compare_plan *plan, struct out_run *run)
{
	const struct compare_options *options = plan->options;

	*run = (struct out_run){
		.program_version = FP_VERSION,
		.direction = options->reverse ? "back" : "forward",
		.buffers = plan->buffers_text,
		.seed = (double)plan->seeds[compare_data_way(plan)],
		.rounds = plan->rounds_each,
		.flows = (double)options->flows,
		.duration_s = (double)plan->duration_ns / 1e9,
		.warmup_s = (double)plan->warmup_ns / 1e9,
		.bytes = known_or_nan((double)options->bytes),
		.sample_ms = (double)options->sample_ns / 1e6,
		.rmem_bytes = known_or_nan((double)plan->rmem_bytes),
		.wmem_bytes = known_or_nan((double)plan->wmem_bytes),
		.is_offload = options->offload == COMPARE_ON,
		.is_together = options->together,
		.is_ipv6 = plan->path.is_ipv6,
		.is_precise = NAN,
		.is_user_namespace = NAN,
		.concurrency = NAN,
		.wall_s = NAN,
		.ack_every_pkts = NAN,
		.min_rto_us = NAN,
		.initial_cwnd_pkts = NAN,
		.stagger_us = NAN,
		.lifetime_us = NAN,
	};
	if (plan->is_sim)
		fill_simulation(plan, run);
	else
		fill_machine(plan, run);
}

static double mathis_of(const struct compare_plan *plan)
{
	const struct spec_direction *way =
	    &plan->path.way[compare_data_way(plan)];
	const struct diag_path path = {
		.rtt_us = (double)plan->path.rtt_ns / 1e3,
		.loss = way->loss_ppm / 1e6,
		.mss_bytes =
		    plan->path.mtu_bytes -
		    (plan->path.is_ipv6 ? TCP_IP6_BYTES : TCP_IP4_BYTES),
	};

	return diag_mathis_bps(&path);
}

static double jain_of_round(const struct lab_result *result)
{
	double *rates = calloc(result->flow_count + 1ul, sizeof(*rates));
	double jain = NAN;
	uint32_t i;

	if (!rates)
		return NAN;
	for (i = 0; i < result->flow_count; i++)
		rates[i] = (double)result->flows[i].goodput_bps;
	if (result->flow_count > 1)
		jain = diag_jain(rates, result->flow_count);
	free(rates);
	return jain;
}

/* The link's rate while the results were measured; of transfers, while the
 * longest of them ran. */
static double link_of(const struct out_report *report,
		      const struct compare_plan *plan)
{
	double longest_us = NAN;
	uint32_t i;

	for (i = 0; i < report->result_count; i++)
		longest_us =
		    fmax(longest_us, report->results[i].completion_us.median);
	return compare_bottleneck(plan, longest_us).mean_bps;
}

static void judge(const struct compare_tally *tally)
{
	const struct compare_plan *plan = tally->plan;
	struct out_report *report = tally->report;
	double link_bps = link_of(report, plan);
	bool is_valid = true, do_all_hold = true;
	const struct out_result *one;
	uint32_t i;

	for (i = 0; i < report->expectation_count; i++) {
		cmd_expect_judge(&plan->expects[i], report, link_bps,
				 &report->expectations[i]);
		do_all_hold = do_all_hold && report->expectations[i].holds > 0;
	}
	for (one = report->results;
	     one < report->results + report->result_count; one++) {
		for (i = 0; i < one->round_count; i++)
			is_valid = is_valid && one->rounds[i].is_valid > 0;
	}
	report->status = report->expectation_count == 0 ? "measured"
			 : do_all_hold                  ? "verified"
							: "failed";
	if (!is_valid)
		report->status = "invalid";
	if (tally->is_interrupted) /* a part of what was asked for */
		report->status = "interrupted";
}

static double queue_loss_of(const struct out_result *result)
{
	double packets = 0, lost = 0;
	uint32_t i;

	for (i = 0; i < result->round_count; i++) {
		packets += result->rounds[i].packets;
		lost += result->rounds[i].lost_by_queue;
	}
	return packets > 0 ? lost / packets : 0;
}

static void conclude(struct out_report *report, const struct compare_plan *plan)
{
	uint32_t way = compare_data_way(plan), i;
	struct diag_contender contenders[LAB_GROUPS_MAX];
	const struct out_measured *seen = &report->path.way[way].measured;
	double packets = fmax(seen->packets, 1);
	const struct diag_case facts = {
		.loss = seen->model_loss_share,
		.damaged = seen->corrupted / packets,
		.policed = seen->lost_by_policer / packets,
		.mathis_bps = report->mathis_bps,
		.flows = (uint32_t)plan->options->flows,
		.link_bps = link_of(report, plan),
		.contenders = contenders,
		.count = report->result_count,
	};
	const struct out_result *one = report->results;

	for (i = 0; i < report->result_count; i++, one++)
		contenders[i] = (struct diag_contender){
			.name = one->algorithm,
			.goodput_bps = one->goodput_bps.median,
			.limit = (enum diag_limit)one->limit,
			.window_bps = one->rwnd_ceiling_bps,
			.time_s = one->completion_us.median / 1e6,
			.queue_loss = queue_loss_of(one),
			.ignores_drops = one->version == 1, /* only BBR's */
		};
	diag_verdict(&facts, report->verdict, sizeof(report->verdict));
}

void compare_report_fini(struct out_report *report)
{
	uint32_t i, round;

	for (i = 0; report->results && i < report->result_count; i++) {
		for (round = 0; round < report->results[i].round_count; round++)
			compare_round_fini(&report->results[i].rounds[round]);
		free(report->results[i].rounds);
		free(report->results[i].trace);
	}
	free(report->results);
	free(report->expectations);
	free(report->notes);
	memset(report, 0, sizeof(*report));
}

/* --- Round by round ---------------------------------------------------------
 */

void compare_tally_begin(struct compare_tally *tally,
			 const struct compare_plan *plan,
			 struct out_report *report)
{
	uint32_t i;

	*tally = (struct compare_tally){ .plan = plan, .report = report };
	memset(report, 0, sizeof(*report));
	report->expectation_count = plan->options->expect.count;
	report->has_samples = plan->options->samples;
	report->results = calloc(LAB_GROUPS_MAX, sizeof(*report->results));
	report->expectations =
	    calloc(CMD_LIST_MAX, sizeof(*report->expectations));
	tally->jain = calloc(plan->rounds_each, sizeof(*tally->jain));
	tally->status = compare_notes_begin(report);
	if (!report->results || !report->expectations || !tally->jain)
		tally->status = -ENOMEM;
	for (i = 0; i < plan->algorithm_count && tally->status == 0; i++) {
		report->result_count++;
		tally->status = compare_result_begin(plan, &report->results[i]);
	}
	fill_run(plan, &report->run);
	cmd_path_fill(&plan->path, plan->options->seed, &report->path);
}

static int add_parts(const struct compare_tally *tally,
		     const struct lab_result *result)
{
	const struct compare_plan *plan = tally->plan;
	bool is_together = plan->options->together;
	uint32_t first = is_together ? 0 : tally->count % plan->algorithm_count;
	uint32_t count = is_together ? plan->algorithm_count : 1;
	struct compare_part part = { plan, result, 0 };
	int status = 0;

	for (; part.group < count && status == 0; part.group++)
		status = compare_result_add(
		    &part, &tally->report->results[first + part.group]);
	return status;
}

/* Names the file that round number tally->count wrote, if it did. */
static int add_trace(const struct compare_tally *tally,
		     const struct lab_result *result)
{
	const struct compare_plan *plan = tally->plan;
	uint32_t index = tally->count, last = index;
	char name[PATH_MAX];

	if (!compare_trace_wants(plan, index) || result->error.status ||
	    compare_trace_name(plan, index, name, sizeof(name)) < 0)
		return 0;
	if (plan->options->together)
		last = plan->algorithm_count - 1;
	for (; index <= last; index++) {
		tally->report->results[index].trace = strdup(name);
		if (!tally->report->results[index].trace)
			return -ENOMEM;
	}
	return 0;
}

void compare_tally_add(struct compare_tally *tally,
		       const struct lab_result *result)
{
	struct out_report *report = tally->report;

	if (tally->status < 0)
		return;
	if (tally->count == 0 && !tally->plan->is_sim) {
		report->run.backend = lab_backend_name(result->backend);
		report->run.is_user_namespace = result->is_user_namespace;
	}
	cmd_path_add(result, &report->path);
	cmd_accuracy_add(result, &report->accuracy);
	if (tally->plan->options->together)
		tally->jain[tally->count] = jain_of_round(result);
	if (!tally->plan->is_sim)
		tally->pause_ms =
		    fmax(tally->pause_ms, compare_longest_pause_ms(result));
	tally->is_interrupted = tally->is_interrupted || result->is_interrupted;
	compare_capture_publish(tally->plan->captures, tally->count, result);
	compare_notes_add(report, result);
	tally->status = add_parts(tally, result);
	if (tally->status == 0)
		tally->status = add_trace(tally, result);
	tally->count++;
}

static void finish(const struct compare_tally *tally)
{
	const struct compare_plan *plan = tally->plan;
	struct out_report *report = tally->report;
	uint32_t i;

	cmd_accuracy_finish(&report->accuracy);
	report->mathis_bps = mathis_of(plan);
	report->jain = NAN;
	if (plan->options->together)
		report->jain = diag_spread_of(tally->jain, tally->count).median;
	for (i = 0; i < plan->algorithm_count; i++) {
		compare_result_end(plan->algorithms[i], &report->results[i]);
		report->results[i].capture =
		    compare_capture_row(plan->captures, i);
	}
	compare_results(report, plan->options->together);
	conclude(report, plan);
	compare_notes_end(tally);
	judge(tally);
}

int compare_tally_end(struct compare_tally *tally, struct fp_error *error)
{
	if (tally->status == 0)
		finish(tally);
	free(tally->jain);
	tally->jain = NULL;
	if (tally->status == 0)
		return 0;
	compare_report_fini(tally->report);
	return fp_error_errno(error, -tally->status, "cannot add up results");
}

void compare_tally_cancel(struct compare_tally *tally)
{
	free(tally->jain);
	tally->jain = NULL;
	compare_report_fini(tally->report);
}

int compare_report_init(struct out_report *report,
			const struct compare_plan *plan,
			const struct lab_result *results,
			struct fp_error *error)
{
	struct compare_tally tally;
	uint32_t i;

	compare_tally_begin(&tally, plan, report);
	for (i = 0; i < plan->round_count; i++)
		compare_tally_add(&tally, &results[i]);
	return compare_tally_end(&tally, error);
}
