/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From options to rounds, and from what the lab saw to the document that other
 * programs read. Nothing runs here: the lab's results are made up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/bottleneck.h"
#include "cmd/compare.h"
#include "cmd/measured.h"
#include "cmd/seed.h"
#include "near.h"

#define SECOND_NS 1000000000ull
#define ROUNDS    2

struct fixture {
	struct compare_options options;
	struct spec_builder *path;
	struct compare_plan plan;
};

/* reno is in every kernel; twice it stands for any two. */
static void plan_for(struct fixture *fixture, const char *expect)
{
	struct fp_error error = { 0 };

	compare_options_init(&fixture->options);
	fixture->options.cc = "reno,reno";
	fixture->options.rounds = ROUNDS;
	if (expect)
		fixture->options.expect.values[0] = expect;
	fixture->options.expect.count = expect ? 1 : 0;
	fixture->path = spec_builder_new();
	assert_non_null(fixture->path);
	assert_int_equal(compare_plan_init(&fixture->plan, &fixture->options,
					   fixture->path, &error),
			 0);
}

static void drop(struct fixture *fixture)
{
	compare_plan_fini(&fixture->plan);
	spec_builder_free(fixture->path);
}

static uint64_t seed_of(const struct fixture *fixture, uint32_t round)
{
	return fixture->plan.rounds[round].path.way[0].seed;
}

static void algorithms_meet_the_same_loss_in_a_round(void **state)
{
	struct fixture fixture;

	plan_for(&fixture, NULL);
	assert_int_equal(fixture.plan.round_count, 2 * ROUNDS);
	/* round 1 of both, round 2 of both */
	assert_int_equal(seed_of(&fixture, 0), seed_of(&fixture, 1));
	assert_int_equal(seed_of(&fixture, 2), seed_of(&fixture, 3));
	assert_int_not_equal(seed_of(&fixture, 0), seed_of(&fixture, 2));
	/* ways draw apart by their number, not by their seed */
	assert_int_equal(fixture.plan.rounds[0].path.way[1].direction, 1);
	drop(&fixture);
}

/* What the path says stands for --seed, which wins where both are given. A
 * line says it for both ways: they draw apart by their number. */
static void a_path_says_its_seed(void **state)
{
	static const struct {
		const char *line, *back;
		uint64_t option, forward, backward;
	} rows[] = {
		{ "delay 5ms", NULL, CMD_SEED_AUTO, 1, 1 },
		{ "delay 5ms", NULL, 0, 0, 0 },
		{ "delay 5ms", NULL, 42, 42, 42 },
		{ "loss 1% seed 42", NULL, CMD_SEED_AUTO, 42, 42 },
		{ "loss 1% seed 42", "loss 1% seed 7", CMD_SEED_AUTO, 42, 7 },
		{ "loss 1%", "loss 1% seed 7", CMD_SEED_AUTO, 7, 7 },
		{ "loss 1% seed 42", NULL, 9, 9, 9 },
		{ "loss 1% seed 42", NULL, 0, 0, 0 },
	};
	struct spec_builder *path;
	struct spec_path built;
	struct fp_error error;
	uint64_t seeds[SPEC_WAYS];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		path = spec_builder_new();
		assert_int_equal(
		    spec_builder_set(path, "path", rows[i].line, &error), 0);
		if (rows[i].back)
			assert_int_equal(spec_builder_set(path, "path-back",
							  rows[i].back, &error),
					 0);
		assert_int_equal(spec_builder_build(path, &built, &error), 0);
		cmd_seed_choose(rows[i].option, &built, seeds);
		assert_int_equal(seeds[SPEC_FORWARD], rows[i].forward);
		assert_int_equal(seeds[SPEC_BACK], rows[i].backward);
		spec_path_fini(&built);
		spec_builder_free(path);
	}
}

static void rounds_draw_from_the_paths_seed(void **state)
{
	struct fixture with_option, with_line;
	struct fp_error error;

	plan_for(&with_option, NULL);
	compare_plan_fini(&with_option.plan);
	with_option.options.seed = 42;
	assert_int_equal(compare_plan_init(&with_option.plan,
					   &with_option.options,
					   with_option.path, &error),
			 0);
	plan_for(&with_line, NULL);
	assert_int_not_equal(seed_of(&with_line, 2), seed_of(&with_option, 2));
	compare_plan_fini(&with_line.plan);
	assert_int_equal(spec_builder_set(with_line.path, "path",
					  "loss 2% rate 100mbit seed 42",
					  &error),
			 0);
	assert_int_equal(compare_plan_init(&with_line.plan, &with_line.options,
					   with_line.path, &error),
			 0);
	assert_int_equal(seed_of(&with_line, 0), seed_of(&with_option, 0));
	assert_int_equal(seed_of(&with_line, 2), seed_of(&with_option, 2));
	drop(&with_option);
	drop(&with_line);
}

static void defaults_fit_the_path(void **state)
{
	struct fixture fixture;

	plan_for(&fixture, NULL);
	/* 30 RTT of 100 ms */
	assert_int_equal(fixture.plan.warmup_ns, 3 * SECOND_NS);
	assert_int_equal(fixture.plan.duration_ns, 8 * SECOND_NS);
	/* 8 products of 100 Mbit/s * 100 ms = 1.25 MB, or the kernel's own 4
	 * to 32 MiB */
	assert_in_range(fixture.plan.rmem_bytes, 8 * 1250000, 32 << 20);
	assert_in_range(fixture.plan.wmem_bytes, 8 * 1250000, 32 << 20);
	drop(&fixture);
}

/* 1 % of 100 ms is 1 ms; of 1 ms only 10 us, which 100 us stand for. */
static void late_releases_are_said(void **state)
{
	static const struct {
		double p99_ns, rtt_us;
		bool is_said;
	} rows[] = {
		{ 990e3, 100e3, false }, { 1010e3, 100e3, true },
		{ 90e3, 1e3, false },    { 110e3, 1e3, true },
		{ 110e3, 0, true },      { NAN, 100e3, false },
	};
	struct out_accuracy accuracy = { 0 };
	char note[OUT_NOTE_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		note[0] = '\0';
		accuracy.lateness_p99_ns = rows[i].p99_ns;
		assert_int_equal(cmd_accuracy_note(&accuracy, rows[i].rtt_us,
						   note, sizeof(note)),
				 rows[i].is_said);
		assert_int_equal(strstr(note, "were late") != NULL,
				 rows[i].is_said);
	}
}

/* A flow of the first (slow) or the second (fast) of the pair. */
static void make_result(struct lab_result *result, struct lab_flow_result *flow,
			uint64_t goodput_bps)
{
	*flow = (struct lab_flow_result){
		.algorithm = "reno",
		.goodput_bps = goodput_bps,
		.received_bytes = 1000000000,
		.sent_bytes = 1000000,
		.retransmitted_bytes = 20000,
		.rtt_p50_us = 101000,
		.rtt_p99_us = 120000,
		.mss_bytes = 1448,
		.busy_us = 10000000,
	};
	*result = (struct lab_result){
		.backend = LAB_BACKEND_TUN,
		.is_valid = true,
		.lateness_mean_ns = 30000,
		.releases = 1000,
		.sender_cpu_s = 0.5,
		.receiver_cpu_s = 0.25,
		.wall_s = 10,
		.flow_count = 1,
		.flows = flow,
	};
	result->way[0].packets = 1000;
	result->way[0].lost_by_model = 20;
}

struct run {
	struct lab_result results[2 * ROUNDS];
	struct lab_flow_result flows[2 * ROUNDS];
};

/* 1 and 3 Mbit/s against 60 and 80 Mbit/s: medians 2 and 70. */
static void make_run(struct run *run)
{
	static const uint64_t rates[] = { 1000000, 60000000, 3000000,
					  80000000 };
	int i;

	for (i = 0; i < 2 * ROUNDS; i++)
		make_result(&run->results[i], &run->flows[i], rates[i]);
}

static double at(json_t *node, const char *path)
{
	char copy[96], *save = NULL, *word;

	(void)snprintf(copy, sizeof(copy), "%s", path);
	for (word = strtok_r(copy, ".", &save); word;
	     word = strtok_r(NULL, ".", &save))
		node = word[0] >= '0' && word[0] <= '9'
			   ? json_array_get(node, (size_t)(word[0] - '0'))
			   : json_object_get(node, word);
	assert_true(json_is_number(node));
	return json_number_value(node);
}

static void the_document_says_what_was_seen(void **state)
{
	static const struct {
		const char *path;
		double value;
	} rows[] = {
		{ "seed", 1 },
		{ "path.rtt_us", 100000 },
		{ "path.loss_ppm", 20000 },
		{ "path.rate_bps", 100e6 },
		{ "path.queue_bytes", 1250000 },
		{ "path.mtu_bytes", 1500 },
		{ "path.back.loss_ppm", 0 },
		{ "path.measured.packets", 4000 }, /* four rounds of 1000 */
		{ "path.measured.lost_by_model", 80 },
		{ "path.measured.lost_by_queue", 0 },
		/* 1.22 * 1448 * 8 / (0.1 * sqrt(0.02)) */
		{ "model.mathis_bps", 999317 },
		{ "results.0.goodput_bps.median", 2e6 },
		{ "results.0.goodput_bps.min", 1e6 },
		{ "results.0.goodput_bps.max", 3e6 },
		{ "results.0.ratio_to_first", 1 },
		{ "results.1.goodput_bps.median", 70e6 },
		{ "results.1.ratio_to_first", 35 },
		{ "results.1.share_of_link", 0.7 },
		{ "results.1.retransmitted_share", 0.02 },
		{ "results.1.cpu_per_gb_s", 0.75 }, /* 0.5 + 0.25, for 1 GB */
		{ "results.1.rounds.1.goodput_bps", 80e6 },
		{ "results.1.rounds.1.retransmitted_bytes", 20000 },
		{ "results.1.rounds.1.sent_bytes", 1000000 },
		{ "results.1.rounds.1.rtt_us.p50", 101000 },
		{ "results.1.rounds.1.rtt_us.p99", 120000 },
		{ "results.1.rounds.1.cpu_s", 0.75 },
		{ "accuracy.lateness_ns.mean", 30000 },
	};
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;
	json_t *document;
	size_t i;

	plan_for(&fixture, NULL);
	make_run(&run);
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	document = out_report_json(&report);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(at(document, rows[i].path), rows[i].value,
			    fabs(rows[i].value) * 1e-6 + 1e-9);
	assert_string_equal(
	    json_string_value(json_object_get(document, "schema")),
	    "fullpipe.compare/1");
	assert_string_equal(
	    json_string_value(json_object_get(document, "status")), "measured");
	json_decref(document);
	compare_report_fini(&report);
	drop(&fixture);
}

/* Two flows share a 100 Mbit/s link that carries 100e6 * 1448 / 1514 = 95.6
 * Mbit/s: one has its half of it, the other 2 %, and the path lost 2 %. */
static void each_flow_has_its_own_limit(void **state)
{
	struct lab_flow_result flows[2];
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;

	plan_for(&fixture, NULL);
	make_run(&run);
	make_result(&run.results[1], &flows[0], 88000000);
	make_result(&run.results[1], &flows[1], 2000000);
	run.results[1].flows = flows;
	run.results[1].flow_count = 2;
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	assert_string_equal(report.results[1].rounds[0].flows[0].limited_by,
			    "link");
	assert_string_equal(report.results[1].rounds[0].flows[1].limited_by,
			    "loss");
	compare_report_fini(&report);
	drop(&fixture);
}

/* What limited a round of two flows on the same link: one that stalled, beside
 * one that is as given. */
static void assert_two_flows(const struct lab_flow_result *other,
			     const char *word)
{
	struct lab_flow_result flows[2];
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;

	plan_for(&fixture, NULL);
	make_run(&run);
	make_result(&run.results[0], &flows[1], 0);
	flows[0] = *other;
	flows[1].is_stalled = true;
	run.results[0].flows = flows;
	run.results[0].flow_count = 2;
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	assert_string_equal(report.results[0].rounds[0].limited_by, word);
	assert_string_equal(report.results[0].rounds[0].flows[1].limited_by,
			    "stalled");
	compare_report_fini(&report);
	drop(&fixture);
}

/* 88 of 95.6 Mbit/s are 92 % of the link. */
static void a_round_stalls_with_its_last_flow(void **state)
{
	struct lab_result result;
	struct lab_flow_result flow;

	make_result(&result, &flow, 88000000);
	assert_two_flows(&flow, "link");
	flow.is_stalled = true;
	assert_two_flows(&flow, "stalled");
	flow.is_stalled = false;
	flow.completion_ns = SECOND_NS;
	assert_two_flows(&flow, "stalled");
}

/* What limited the first algorithm on a path, at this goodput. */
static void assert_limit(struct run *run, const char *path, const char *word)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;

	plan_for(&fixture, NULL);
	compare_plan_fini(&fixture.plan);
	assert_int_equal(spec_builder_set(fixture.path, "path", path, &error),
			 0);
	assert_int_equal(compare_plan_init(&fixture.plan, &fixture.options,
					   fixture.path, &error),
			 0);
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run->results, &error),
	    0);
	assert_string_equal(report.results[0].rounds[0].limited_by, word);
	compare_report_fini(&report);
	drop(&fixture);
}

/* ATM: 1500 + 14 + 18 bytes take 32 cells of 48 + 5, 1696 bytes, so 1448 are
 * 85.4 % of the link; 84.6 % are 99 % of that, but 88 % of 1448 / 1514. */
static void overhead_is_a_part_of_a_full_link(void **state)
{
	struct run run;

	make_run(&run);
	run.flows[0].goodput_bps = 846000;
	run.results[0].way[0].lost_by_model = 0;
	assert_limit(&run, "delay 10ms rate 1mbit 18 48 5", "link");
	assert_limit(&run, "delay 10ms rate 1mbit", "not clear");
	/* cells of 48 that take no more than 8 less than nothing: never full */
	assert_limit(&run, "delay 10ms rate 1mbit 0 48 -56", "not clear");
}

/* Measured from 2.02 s (RTT and warm-up) on, for 8 s: 3 s at 10 Mbit/s, 2 s at
 * none and 3 s at 2 Mbit/s are 36 Mbit, 4.5 Mbit/s in the mean. A transfer of 2
 * s, from the beginning on, meets 1 s at 90 and 1 s at 10 Mbit/s. */
static void a_stepping_link_counts_with_its_mean(void **state)
{
	static const char steps[] = "1s:10mbit,5020ms:0bit,7020ms:2mbit";
	struct fixture fixture;
	struct fp_error error;

	plan_for(&fixture, NULL);
	compare_plan_fini(&fixture.plan);
	assert_int_equal(spec_builder_set(fixture.path, "rtt", "20ms", &error),
			 0);
	assert_int_equal(
	    spec_builder_set(fixture.path, "rate", "90mbit", &error), 0);
	assert_int_equal(
	    spec_builder_set(fixture.path, "rate-steps", steps, &error), 0);
	assert_int_equal(compare_plan_init(&fixture.plan, &fixture.options,
					   fixture.path, &error),
			 0);
	assert_near(compare_bottleneck(&fixture.plan, NAN).mean_bps, 4.5e6, 1);
	fixture.options.bytes = 1;
	assert_near(compare_bottleneck(&fixture.plan, 2e6).mean_bps, 50e6, 1);
	drop(&fixture);
}

/* Of two that share a link only the first has flows that connected. */
static void who_carried_all_has_all(void **state)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;

	make_run(&run);
	plan_for(&fixture, NULL);
	compare_plan_fini(&fixture.plan);
	fixture.options.together = true;
	assert_int_equal(compare_plan_init(&fixture.plan, &fixture.options,
					   fixture.path, &error),
			 0);
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	assert_near(report.results[0].share_of_total, 1, 0);
	assert_true(isnan(report.results[1].share_of_total));
	compare_report_fini(&report);
	drop(&fixture);
}

static void marks_are_not_blamed_on_who_ignores_them(void **state)
{
	struct run run;

	make_run(&run);
	run.results[0].way[0].lost_by_model = 0;
	run.results[0].way[0].marked = 100;
	assert_limit(&run, "delay 10ms rate 100mbit", "ECN marks");
	run.flows[0].bbr_version = 1;
	assert_limit(&run, "delay 10ms rate 100mbit", "not clear");
}

/* The lab's results are gone when the report is read. */
static void a_report_outlives_the_results(void **state)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;

	plan_for(&fixture, NULL);
	make_run(&run);
	(void)snprintf(run.results[0].note, sizeof(run.results[0].note),
		       "an oddity");
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	memset(&run, 0x55, sizeof(run));
	assert_string_equal(report.results[0].rounds[0].note, "an oddity");
	assert_string_equal(report.notes[0], "an oddity");
	assert_string_equal(report.results[0].algorithm, "reno");
	assert_null(report.results[1].rounds[0].note);
	compare_report_fini(&report);
	drop(&fixture);
}

static const char *status_of(const char *expect, bool is_valid)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;
	const char *status;

	plan_for(&fixture, expect);
	make_run(&run);
	run.results[2].is_valid = is_valid;
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	status = report.status; /* constant */
	assert_int_equal(compare_exit_status(&report),
			 strcmp(status, "failed") == 0 ||
			     strcmp(status, "invalid") == 0);
	compare_report_fini(&report);
	drop(&fixture);
	return status;
}

static void the_status_follows_expectations_and_validity(void **state)
{
	/* "reno" is the first of that name: 2 Mbit/s, 2 % of the link */
	assert_string_equal(status_of("reno >= 1mbit", true), "verified");
	assert_string_equal(status_of("reno >= 3% of link", true), "failed");
	assert_string_equal(status_of(NULL, true), "measured");
	assert_string_equal(status_of("reno >= 1mbit", false), "invalid");
}

/* What holds for the part that was seen is no proof. */
static bool is_noted(const struct run *run, const char *words)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	bool is_found = false;

	plan_for(&fixture, NULL);
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run->results, &error),
	    0);
	for (uint32_t i = 0; i < report.note_count; i++)
		is_found = is_found || strstr(report.notes[i], words);
	compare_report_fini(&report);
	drop(&fixture);
	return is_found;
}

/* Looks every 50 ms, but for one: 200 ms and three times the mean of 50 to 70
 * are forgiven. */
static void a_sender_that_stood_still_is_said(void **state)
{
	struct lab_sample samples[20] = { 0 };
	struct run run;

	make_run(&run);
	run.results[1].samples = samples;
	run.results[1].sample_count = 20;
	for (uint32_t i = 0; i < 20; i++)
		samples[i].time_ms = i * 50 + (i > 10 ? 250 : 0);
	assert_false(is_noted(&run, "stood still"));
	for (uint32_t i = 11; i < 20; i++)
		samples[i].time_ms += 250;
	assert_true(is_noted(&run, "stood still for 550 ms"));
}

/* Rounds of 60 and 150 Mbit/s: their median is 105 % of the link. */
static void more_than_the_link_is_explained(void **state)
{
	struct run run;

	make_run(&run);
	assert_false(is_noted(&run, "above the link"));
	run.flows[3].goodput_bps = 150000000;
	assert_true(is_noted(&run, "above the link"));
}

static void an_interrupted_run_proves_nothing(void **state)
{
	struct out_report report;
	struct fixture fixture;
	struct fp_error error;
	struct run run;

	make_run(&run);
	plan_for(&fixture, "reno >= 1mbit");
	run.results[2 * ROUNDS - 1].is_interrupted = true;
	assert_int_equal(
	    compare_report_init(&report, &fixture.plan, run.results, &error),
	    0);
	assert_string_equal(report.status, "interrupted");
	assert_int_equal(compare_exit_status(&report), 3);
	compare_report_fini(&report);
	drop(&fixture);
}

static void expectations_on_what_is_not_compared_are_refused(void **state)
{
	struct compare_options options;
	struct spec_builder *path = spec_builder_new();
	struct compare_plan plan;
	struct fp_error error;

	compare_options_init(&options);
	options.cc = "reno";
	options.expect.values[options.expect.count++] = "reno >= 2 x cubic";
	assert_non_null(path);
	assert_true(compare_plan_init(&plan, &options, path, &error) < 0);
	assert_int_equal(error.status, 2);
	assert_non_null(strstr(error.text, "'cubic'"));
	spec_builder_free(path);
}

static void names_of_algorithms_are_words(void **state)
{
	static const char *const lists[] = { "re no", "reno;true", "../reno",
					     "a_name_of_sixteen" };
	struct spec_builder *path = spec_builder_new();
	struct compare_options options;
	struct compare_plan plan;
	struct fp_error error;

	assert_non_null(path);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		compare_options_init(&options);
		options.cc = lists[i];
		assert_true(compare_plan_init(&plan, &options, path, &error) <
			    0);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.text, "an algorithm's name"));
	}
	spec_builder_free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(algorithms_meet_the_same_loss_in_a_round),
		cmocka_unit_test(a_path_says_its_seed),
		cmocka_unit_test(rounds_draw_from_the_paths_seed),
		cmocka_unit_test(defaults_fit_the_path),
		cmocka_unit_test(late_releases_are_said),
		cmocka_unit_test(the_document_says_what_was_seen),
		cmocka_unit_test(each_flow_has_its_own_limit),
		cmocka_unit_test(a_round_stalls_with_its_last_flow),
		cmocka_unit_test(overhead_is_a_part_of_a_full_link),
		cmocka_unit_test(a_stepping_link_counts_with_its_mean),
		cmocka_unit_test(who_carried_all_has_all),
		cmocka_unit_test(marks_are_not_blamed_on_who_ignores_them),
		cmocka_unit_test(a_report_outlives_the_results),
		cmocka_unit_test(the_status_follows_expectations_and_validity),
		cmocka_unit_test(a_sender_that_stood_still_is_said),
		cmocka_unit_test(more_than_the_link_is_explained),
		cmocka_unit_test(names_of_algorithms_are_words),
		cmocka_unit_test(an_interrupted_run_proves_nothing),
		cmocka_unit_test(
		    expectations_on_what_is_not_compared_are_refused),
	};

	return cmocka_run_group_tests_name("cmd/compare", tests, NULL, NULL);
}
