/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --both: one path, measured with the kernel's TCP and simulated. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/algorithm.h"
#include "cmd/command.h"
#include "cmd/compare.h"
#include "cmd/compare_capture.h"
#include "out/table.h"
#include "sys/error.h"

#define LABEL_COLUMNS 10
#define LIST_BYTES    (LAB_GROUPS_MAX * (OUT_NAME_BYTES + 1))

struct row { /* one algorithm in both worlds */
	const char *label, *algorithm;
	struct out_spread kernel, sim; /* goodput, or of a transfer its time */
	struct out_spread kernel_us, sim_us;
	double difference; /* (sim - kernel) / kernel, of the medians */
	char difference_text[FP_FORMAT_BYTES + 1]; /* "+4.20 %" */
	const char *signed_difference;             /* what points to it */
};

#define PART(key, unit, member, part)                                          \
	{                                                                      \
		key, unit,                                                     \
		    offsetof(struct row, member) +                             \
			offsetof(struct out_spread, part)                      \
	}
#define SPREAD(key, unit, member)                                              \
	PART(key ".median", unit, member, median),                             \
	    PART(key ".min", unit, member, min),                               \
	    PART(key ".max", unit, member, max)
#define SPREADS                                                                \
	SPREAD("kernel_bps", FP_UNIT_RATE_BPS, kernel),                        \
	    SPREAD("sim_bps", FP_UNIT_RATE_BPS, sim),                          \
	    SPREAD("kernel_us", FP_UNIT_TIME_US, kernel_us),                   \
	    SPREAD("sim_us", FP_UNIT_TIME_US, sim_us)

static const struct out_field fields[] = {
	OUT_FIELD(row, "algorithm", FP_UNIT_TEXT, algorithm),
	OUT_FIELD(row, "label", FP_UNIT_TEXT, label),
	SPREADS,
	OUT_FIELD(row, "difference_share", FP_UNIT_SHARE, difference),
	OUT_FIELDS_END,
};

/* For people: what differs has a sign. */
static const struct out_field text_fields[] = {
	OUT_FIELD(row, "label", FP_UNIT_TEXT, label),
	SPREADS,
	OUT_FIELD(row, "difference", FP_UNIT_TEXT, signed_difference),
	OUT_FIELDS_END,
};

static const struct out_column rate_columns[] = {
	{ "algorithm", OUT_VALUE, { "label" } },
	{ "kernel (min-max)",
	  OUT_SPREAD,
	  { "kernel_bps.median", "kernel_bps.min", "kernel_bps.max" } },
	{ "simulated (min-max)",
	  OUT_SPREAD,
	  { "sim_bps.median", "sim_bps.min", "sim_bps.max" } },
	{ "difference", OUT_VALUE, { "difference" } },
	{ NULL, OUT_VALUE, { NULL } },
};

static const struct out_column time_columns[] = {
	{ "algorithm", OUT_VALUE, { "label" } },
	{ "kernel (min-max)",
	  OUT_SPREAD,
	  { "kernel_us.median", "kernel_us.min", "kernel_us.max" } },
	{ "simulated (min-max)",
	  OUT_SPREAD,
	  { "sim_us.median", "sim_us.min", "sim_us.max" } },
	{ "difference", OUT_VALUE, { "difference" } },
	{ NULL, OUT_VALUE, { NULL } },
};

struct world {
	struct compare_options options;
	char cc[LIST_BYTES];
	struct compare_plan plan;
	struct out_report report;
	bool has_plan, has_report;
};

struct both {
	const struct compare_options *options;
	struct world kernel, sim;
	struct row rows[2 * LAB_GROUPS_MAX];
	uint32_t row_count;
};

/* --- Who takes part where ------------------------------------------------- */

static void add_name(struct world *world, const char *name)
{
	size_t used = strlen(world->cc);

	(void)snprintf(world->cc + used, sizeof(world->cc) - used, "%s%s",
		       used ? "," : "", name);
}

/* An algorithm takes part in the worlds that have it. */
static int add_algorithm(struct both *both, const char *name,
			 struct fp_error *error)
{
	struct fp_cc_config config;
	struct fp_error of_kernel;
	bool is_simulated = cmd_algorithm_parse(name, &config, error) == 0;
	bool is_known = strchr(name, ':') == NULL &&
			lab_check_algorithm(name, &of_kernel) == 0;

	if (!is_simulated && !is_known) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "'%s' is neither in this kernel nor in the "
				   "simulator",
				   name);
		fp_error_hint(error, "the simulator has reno, cubic, bbr and "
				     "bbr3; 'sysctl "
				     "net.ipv4.tcp_available_congestion_"
				     "control' tells the kernel's");
		return -EINVAL;
	}
	if (is_known)
		add_name(&both->kernel, name);
	if (is_simulated)
		add_name(&both->sim, name);
	return 0;
}

static int split_algorithms(struct both *both, struct fp_error *error)
{
	char name[OUT_NAME_BYTES];
	const char *text = both->options->cc;
	int result = cmd_algorithm_check_list(text, error);
	uint32_t count = 0;
	size_t length;

	if (result < 0)
		return result;
	for (;; text += length + 1, count++) {
		length = strcspn(text, ",");
		if (length >= sizeof(name) || count == LAB_GROUPS_MAX) {
			(void)fp_error_set(error, FP_EXIT_USAGE,
					   "cannot use '%.200s' for --cc",
					   both->options->cc);
			fp_error_hint(error, "--cc takes 1 … %d algorithms",
				      LAB_GROUPS_MAX);
			return -EINVAL;
		}
		(void)snprintf(name, sizeof(name), "%.*s", (int)length, text);
		result = add_algorithm(both, name, error);
		if (result < 0 || !text[length])
			return result;
	}
}

static int check_worlds(const struct both *both, struct fp_error *error)
{
	if (!both->sim.cc[0]) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "the simulator has none of '%s'",
				   both->options->cc);
		fp_error_hint(error, "leave --both out to measure them");
		return -EINVAL;
	}
	if (both->kernel.cc[0])
		return 0;
	(void)fp_error_set(error, FP_EXIT_IMPOSSIBLE,
			   "this kernel has none of '%s'", both->options->cc);
	fp_error_hint(error, "take --sim to simulate them");
	return -ENOENT;
}

/* --- Running -------------------------------------------------------------- */

/* --expect, --rounds, --pcap and the lab's own belong to the kernel; --seeds,
 * what hosts do without and --trace to the simulator. */
static void divide_options(struct both *both)
{
	struct compare_options *kernel = &both->kernel.options;
	struct compare_options *sim = &both->sim.options;

	*kernel = *sim = *both->options;
	kernel->cc = both->kernel.cc;
	sim->cc = both->sim.cc;
	sim->sim = true;
	sim->rounds = COMPARE_AUTO;
	sim->expect.count = 0;
	sim->concurrency = 0;
}

static int run_world(struct world *world, struct fp_error *error)
{
	int result = compare_captures_open(&world->plan, error);

	if (result == 0)
		result = compare_measure(&world->plan, &world->report, error);
	world->has_report = result == 0;
	return result;
}

/* Both are planned before one of them runs: what is wrong is said at once. */
static int run_worlds(struct both *both, const struct spec_builder *path,
		      struct fp_error *error)
{
	struct world *worlds[] = { &both->sim, &both->kernel };
	int result = split_algorithms(both, error);
	uint32_t i;

	if (result == 0)
		result = check_worlds(both, error);
	divide_options(both);
	for (i = 0; i < 2 && result == 0; i++) {
		result = compare_plan_init(&worlds[i]->plan,
					   &worlds[i]->options, path, error);
		worlds[i]->has_plan = result == 0;
	}
	for (i = 0; i < 2 && result == 0; i++)
		result = run_world(worlds[i], error);
	return result;
}

/* --- What came of it ------------------------------------------------------ */

static const struct out_spread unknown = { NAN, NAN, NAN };

/* The nth of that name; NULL: none. */
static const struct out_result *find_result(const struct world *world,
					    const char *name, uint32_t nth)
{
	uint32_t i;

	for (i = 0; i < world->plan.algorithm_count; i++) {
		if (strcmp(world->plan.algorithms[i], name) == 0 && nth-- == 0)
			return &world->report.results[i];
	}
	return NULL;
}

static void add_row(struct both *both, const char *name, uint32_t nth)
{
	struct row *row = &both->rows[both->row_count++];
	const struct out_result *kernel = find_result(&both->kernel, name, nth);
	const struct out_result *sim = find_result(&both->sim, name, nth);
	const struct out_result *any = kernel ? kernel : sim;
	bool has_time = both->options->bytes > 0;
	char share[FP_FORMAT_BYTES];

	*row = (struct row){
		.label = any->label,
		.algorithm = any->algorithm,
		.kernel = kernel ? kernel->goodput_bps : unknown,
		.sim = sim ? sim->goodput_bps : unknown,
		.kernel_us = kernel ? kernel->completion_us : unknown,
		.sim_us = sim ? sim->completion_us : unknown,
	};
	row->difference = has_time
			      ? row->sim_us.median / row->kernel_us.median - 1
			      : row->sim.median / row->kernel.median - 1;
	fp_format(share, sizeof(share), FP_UNIT_SHARE, row->difference);
	(void)snprintf(row->difference_text, sizeof(row->difference_text),
		       "%s%s", row->difference > 0 ? "+" : "", share);
	row->signed_difference = row->difference_text;
}

/* In the order that was asked for. */
static void fill_rows(struct both *both)
{
	char list[LIST_BYTES], *save = NULL, *name;
	char names[LAB_GROUPS_MAX][OUT_NAME_BYTES];
	uint32_t count = 0, nth, i;

	(void)snprintf(list, sizeof(list), "%s", both->options->cc);
	for (name = strtok_r(list, ",", &save); name && count < LAB_GROUPS_MAX;
	     name = strtok_r(NULL, ",", &save)) {
		for (i = 0, nth = 0; i < count; i++)
			nth += strcmp(names[i], name) == 0;
		(void)snprintf(names[count++], OUT_NAME_BYTES, "%s", name);
		add_row(both, name, nth);
	}
}

/* Whether a difference may be chance: the kernel's median is one that the
 * simulated rounds had too. */
static bool is_within(const struct both *both, const struct row *row)
{
	const struct out_spread *sim =
	    both->options->bytes > 0 ? &row->sim_us : &row->sim;
	double kernel = both->options->bytes > 0 ? row->kernel_us.median
						 : row->kernel.median;

	return kernel >= sim->min && kernel <= sim->max;
}

static void write_verdict(const struct both *both, char *ret_text, size_t bytes)
{
	const struct row *worst = NULL, *row;
	char share[FP_FORMAT_BYTES];

	for (row = both->rows; row < both->rows + both->row_count; row++) {
		if (isnan(row->difference))
			continue;
		if (!worst || fabs(row->difference) > fabs(worst->difference))
			worst = row;
	}
	if (!worst) {
		(void)snprintf(ret_text, bytes,
			       "No algorithm has figures in both worlds.");
		return;
	}
	fp_format(share, sizeof(share), FP_UNIT_SHARE, fabs(worst->difference));
	(void)snprintf(ret_text, bytes,
		       "Kernel and simulator differ by at most %s on this "
		       "path (%s; the kernel's median lies %s the simulated "
		       "rounds).",
		       share, worst->algorithm,
		       is_within(both, worst) ? "among" : "outside");
}

static json_t *agreement_json(const struct both *both)
{
	json_t *rows = json_array();
	uint32_t i;

	for (i = 0; i < both->row_count; i++)
		(void)json_array_append_new(
		    rows, out_object_json(fields, &both->rows[i]));
	return rows;
}

static void print_json(const struct both *both)
{
	json_t *document = json_object();
	char verdict[256];

	write_verdict(both, verdict, sizeof(verdict));
	(void)json_object_set_new(document, "schema",
				  json_string("fullpipe.both/1"));
	(void)json_object_set_new(document, "agreement", agreement_json(both));
	(void)json_object_set_new(document, "kernel",
				  out_report_json(&both->kernel.report));
	(void)json_object_set_new(document, "sim",
				  out_report_json(&both->sim.report));
	(void)json_object_set_new(document, "verdict", json_string(verdict));
	(void)json_object_set_new(document, "status",
				  json_string(both->kernel.report.status));
	out_json_print(stdout, document);
	json_decref(document);
}

static void print_text(const struct both *both)
{
	const struct out_rows rows = { text_fields, both->rows,
				       sizeof(both->rows[0]), both->row_count };
	char verdict[256];

	write_verdict(both, verdict, sizeof(verdict));
	out_header_print(stdout, &both->kernel.report);
	out_run_print(stdout, &both->sim.report.run);
	(void)putchar('\n');
	out_table_print(stdout,
			both->options->bytes > 0 ? time_columns : rate_columns,
			&rows);
	(void)putchar('\n');
	out_accuracy_print(stdout, &both->kernel.report.accuracy);
	out_captures_print(stdout, &both->kernel.report);
	out_captures_print(stdout, &both->sim.report);
	out_traces_print(stdout, &both->sim.report);
	out_judged_print(stdout, &both->kernel.report);
	out_notes_print(stdout, &both->sim.report);
	out_paragraph_print(stdout, "kernel", LABEL_COLUMNS,
			    both->kernel.report.verdict);
	out_paragraph_print(stdout, "simulated", LABEL_COLUMNS,
			    both->sim.report.verdict);
	(void)putchar('\n');
	out_paragraph_print(stdout, "", 0, verdict);
}

/* What was expected is judged by the kernel's figures; a simulation adds only
 * that it is not whole. */
static int exit_status(const struct both *both)
{
	int kernel = compare_exit_status(&both->kernel.report);
	int sim = compare_exit_status(&both->sim.report);

	return kernel > sim ? kernel : sim;
}

/* The status, or that of a capture that could not be written. */
static int tell_captures(const struct world *world, int status)
{
	const struct compare_captures *captures = world->plan.captures;

	return captures && captures->error.status ? cmd_fail(&captures->error)
						  : status;
}

static void drop_world(struct world *world)
{
	if (world->has_report)
		compare_report_fini(&world->report);
	if (world->has_plan)
		compare_plan_fini(&world->plan);
}

int compare_both(const struct compare_options *options,
		 const struct spec_builder *path)
{
	struct both *both = calloc(1, sizeof(*both));
	struct fp_error error;
	int status;

	if (!both) {
		(void)fp_error_errno(&error, ENOMEM, "cannot keep results");
		return cmd_fail(&error);
	}
	both->options = options;
	if (run_worlds(both, path, &error) < 0) {
		status = cmd_fail(&error);
	} else {
		fill_rows(both);
		if (options->json)
			print_json(both);
		else
			print_text(both);
		status = tell_captures(&both->sim, exit_status(both));
		status = tell_captures(&both->kernel, status);
	}
	drop_world(&both->kernel);
	drop_world(&both->sim);
	free(both);
	return status;
}
