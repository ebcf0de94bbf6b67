/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compare.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/algorithm.h"
#include "cmd/command.h"
#include "cmd/compare_capture.h"
#include "cmd/compare_trace.h"
#include "cmd/progress.h"
#include "out/table.h"
#include "sys/clock.h"
#include "sys/error.h"

#define PUBLISHED_COLUMNS 10

/* When no round ran there is nothing to report but why. */
static int first_error(const struct compare_plan *plan,
		       const struct lab_result *results, struct fp_error *error)
{
	uint32_t i;

	for (i = 0; i < plan->round_count; i++) {
		if (results[i].error.status == 0)
			return 0;
	}
	*error = results[0].error;
	if (results[0].is_interrupted)
		(void)fp_error_set(error, FP_EXIT_FAILED,
				   "interrupted before anything was seen");
	return -EIO;
}

/* Runs the rounds in the lab. */
static int measure(const struct compare_plan *plan, struct compare_tally *tally,
		   struct fp_error *error)
{
	struct lab_result *results =
	    calloc(plan->round_count, sizeof(*results));
	struct cmd_progress progress;
	const struct lab_run_options options = {
		.concurrency = plan->concurrency,
		.progress = cmd_progress_show,
		.context = &progress,
	};
	uint32_t i;
	int result;

	if (!results)
		return fp_error_errno(error, ENOMEM, "cannot keep %u results",
				      plan->round_count);
	cmd_progress_init(&progress, plan->rounds, plan->options->quiet);
	result =
	    lab_run(plan->rounds, plan->round_count, &options, results, error);
	cmd_progress_fini(&progress);
	if (result == 0)
		result = first_error(plan, results, error);
	for (i = 0; i < plan->round_count; i++) {
		if (result == 0)
			compare_tally_add(tally, &results[i]);
		lab_result_fini(&results[i]);
	}
	free(results);
	return result;
}

int compare_measure(const struct compare_plan *plan,
		    struct out_report *ret_report, struct fp_error *error)
{
	uint64_t started_ns = fp_clock_ns();
	struct compare_tally tally;
	int result;

	compare_tally_begin(&tally, plan, ret_report);
	if (plan->is_sim)
		result = compare_simulate(plan, &tally, error);
	else
		result = measure(plan, &tally, error);
	if (result < 0) {
		compare_tally_cancel(&tally);
		return result;
	}
	result = compare_tally_end(&tally, error);
	if (result == 0 && !plan->is_sim)
		ret_report->run.wall_s =
		    (double)(fp_clock_ns() - started_ns) / 1e9;
	return result;
}

int compare_exit_status(const struct out_report *report)
{
	if (strcmp(report->status, "failed") == 0 ||
	    strcmp(report->status, "invalid") == 0)
		return FP_EXIT_BAD;
	if (strcmp(report->status, "interrupted") == 0)
		return FP_EXIT_FAILED;
	return FP_EXIT_DONE;
}

static bool is_utf8(void)
{
	(void)setlocale(LC_CTYPE, ""); /* no locale: "C" stays, and ASCII */
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* What an article says about the same path, and what it has wrong. */
static void print_published(const struct spec_preset *preset)
{
	char cubic[FP_FORMAT_BYTES], bbr[FP_FORMAT_BYTES], line[128];

	if (!preset || !preset->published_bps[0])
		return;
	fp_format(cubic, sizeof(cubic), FP_UNIT_RATE_BPS,
		  (double)preset->published_bps[0]);
	fp_format(bbr, sizeof(bbr), FP_UNIT_RATE_BPS,
		  (double)preset->published_bps[1]);
	(void)snprintf(line, sizeof(line), "cubic %s, bbr %s", cubic, bbr);
	(void)putchar('\n');
	out_paragraph_print(stdout, "published", PUBLISHED_COLUMNS, line);
	if (preset->wrong)
		out_paragraph_print(stdout, "but", PUBLISHED_COLUMNS,
				    preset->wrong);
}

static void print_report(const struct compare_plan *plan, bool is_own_path,
			 const struct out_report *report)
{
	const struct compare_options *options = plan->options;
	json_t *document;

	if (options->json) {
		document = out_report_json(report);
		out_json_print(stdout, document);
		json_decref(document);
		return;
	}
	out_report_print(stdout, report);
	if (is_own_path)
		print_published(plan->preset);
	if (options->timeline)
		out_timeline_print(stdout, report, is_utf8());
}

static int compare_path(const struct compare_options *options,
			const struct spec_builder *path)
{
	struct out_report report = { .status = "invalid" };
	/* the preset alone: nothing of its path was changed */
	bool is_own_path = spec_builder_count(path) == 1;
	struct compare_plan plan;
	struct fp_error error;
	int status;

	if (compare_plan_init(&plan, options, path, &error) < 0)
		return cmd_fail(&error);
	if (compare_captures_open(&plan, &error) < 0 ||
	    compare_measure(&plan, &report, &error) < 0) {
		status = cmd_fail(&error);
	} else {
		print_report(&plan, is_own_path, &report);
		status = compare_exit_status(&report);
		if (plan.captures && plan.captures->error.status)
			status = cmd_fail(&plan.captures->error);
		compare_report_fini(&report);
	}
	compare_plan_fini(&plan);
	return status;
}

int compare_set_preset(const char *preset, struct spec_builder *path,
		       struct fp_error *error)
{
	bool is_all = strcmp(preset, "all") == 0;

	if (is_all && spec_builder_count(path) > 0) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--preset all takes no options of the path");
		fp_error_hint(error, "each preset is measured as it is; one "
				     "by its name can be changed");
		return -EINVAL;
	}
	if (spec_builder_has_base(path)) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "--preset and --scenario each say a whole "
				   "path");
		fp_error_hint(error, "give one of them");
		return -EINVAL;
	}
	return is_all ? 0 : spec_builder_set(path, "preset", preset, error);
}

static int parse(const struct cmd_command *command, int argc, char **argv,
		 struct compare_options *options, struct spec_builder *path)
{
	struct cmd_target target = { .values = options, .path = path };
	struct fp_error error;

	compare_options_init(options);
	if (cmd_options_parse(&command->options, argc, argv, &target, &error) <
	    0)
		return cmd_fail(&error);
	if (target.argc > 0) {
		(void)fp_error_set(&error, FP_EXIT_USAGE,
				   "cannot use '%s': compare takes options "
				   "only",
				   target.argv[0]);
		fp_error_hint(&error, "'fullpipe compare --help' lists them");
		return cmd_fail(&error);
	}
	if (options->pcap && options->preset &&
	    strcmp(options->preset, "all") == 0) {
		(void)fp_error_set(&error, FP_EXIT_USAGE,
				   "--preset all takes no --pcap");
		fp_error_hint(&error, "give one preset by its name");
		return cmd_fail(&error);
	}
	if (!options->help && (compare_check_worlds(options, &error) < 0 ||
			       compare_trace_check(options, &error) < 0))
		return cmd_fail(&error);
	if (options->preset &&
	    compare_set_preset(options->preset, path, &error) < 0)
		return cmd_fail(&error);
	return FP_EXIT_DONE;
}

int cmd_compare(const struct cmd_command *command, int argc, char **argv)
{
	struct spec_builder *path = spec_builder_new();
	struct compare_options options;
	struct fp_error error;
	int status;

	if (!path) {
		(void)fp_error_errno(&error, ENOMEM, "cannot describe a path");
		return cmd_fail(&error);
	}
	status = parse(command, argc, argv, &options, path);
	if (status == FP_EXIT_DONE) {
		if (options.help)
			cmd_help_print(stdout, command);
		else if ((options.sim || options.both) &&
			 strcmp(options.cc, "help") == 0)
			cmd_algorithm_list(stdout);
		else if (options.preset && strcmp(options.preset, "all") == 0)
			status = compare_presets(&options);
		else if (options.both)
			status = compare_both(&options, path);
		else
			status = compare_path(&options, path);
	}
	spec_builder_free(path);
	return status;
}
