/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sweep_point.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bottleneck.h"
#include "diag/predict.h"
#include "sys/error.h"

#define WORD_BYTES    40
#define HEADERS_BYTES 52   /* IPv4 and TCP with its time stamps */
#define LOSS_SLACK    2    /* start-up, and luck: above the mean of Mathis */
#define RTT_LEAST_US  100. /* where the path has none */
/* Handshake and timers, in packets. */
#define FLOW_PACKETS  10

/* The point's values as the words of a command line. */
struct words {
	char names[SWEEP_AXES_MAX][WORD_BYTES];
	char *argv[2 * SWEEP_AXES_MAX + 1];
	int argc;
};

static void fill_words(const struct sweep_grid *grid, uint64_t number,
		       struct words *words)
{
	uint32_t index[SWEEP_AXES_MAX], i;

	words->argc = 0;
	sweep_grid_at(grid, number, index);
	for (i = 0; i < grid->axis_count; i++) {
		const struct sweep_axis *axis = &grid->axes[i];

		(void)snprintf(words->names[i], WORD_BYTES, "--%s", axis->name);
		words->argv[words->argc++] = words->names[i];
		/* values of options are only read */
		if (!axis->is_switch)
			words->argv[words->argc++] =
			    (char *)(uintptr_t)axis->values.values[index[i]];
	}
	words->argv[words->argc] = NULL;
}

static int read_words(struct sweep_point *point, struct words *words,
		      struct spec_builder *path, struct fp_error *error)
{
	static const struct cmd_options options = {
		{ compare_option_table, compare_sim_option_table,
		  cmd_path_options, NULL }
	};
	struct cmd_target target = { .values = &point->options, .path = path };
	const char *preset;
	int result;

	result = cmd_options_parse(&options, words->argc, words->argv, &target,
				   error);
	if (result == 0)
		result = compare_check_worlds(&point->options, error);
	preset = point->options.preset;
	if (result == 0 && preset)
		result = compare_set_preset(preset, path, error);
	return result;
}

/* "point 17 (rtt 10ms, cc bbr): …" */
static void name_point(const struct sweep *sweep, uint64_t number,
		       struct fp_error *error)
{
	uint32_t index[SWEEP_AXES_MAX], i;
	char values[160], text[sizeof(error->text)];
	size_t used = 0;

	if (sweep->grid.points <= 1)
		return;
	values[0] = '\0';
	sweep_grid_at(&sweep->grid, number, index);
	for (i = 0; i < sweep->grid.axis_count && used < sizeof(values); i++) {
		const struct sweep_axis *axis = &sweep->grid.axes[i];

		if (axis->values.count < 2)
			continue;
		used +=
		    (size_t)snprintf(values + used, sizeof(values) - used,
				     "%s%s %s", used ? ", " : "", axis->name,
				     axis->values.values[index[i]]);
	}
	(void)snprintf(text, sizeof(text), "point %" PRIu64 " (%s): %.200s",
		       number + 1, values, error->text);
	memcpy(error->text, text, sizeof(text));
}

int sweep_point_init(struct sweep_point *point, const struct sweep *sweep,
		     uint64_t number, struct fp_error *error)
{
	struct spec_builder *path = spec_builder_new();
	struct words words;
	int result;

	if (!path)
		return fp_error_errno(error, ENOMEM, "cannot describe a path");
	point->number = number;
	compare_options_init(&point->options);
	point->options.sim = true;
	point->options.sample_ns = 0; /* RTTs are counted at every ACK */
	point->options.seed = sweep->options.seed;
	point->options.seeds = sweep->options.seeds;
	fill_words(&sweep->grid, number, &words);
	result = read_words(point, &words, path, error);
	if (result == 0)
		result = compare_plan_init(&point->plan, &point->options, path,
					   error);
	spec_builder_free(path);
	if (result < 0)
		name_point(sweep, number, error);
	return result;
}

void sweep_point_fini(struct sweep_point *point)
{
	compare_plan_fini(&point->plan);
}

/* --- What it costs -------------------------------------------------------- */

/* What loss leaves to the flows of an algorithm that heeds it. */
static double loss_bps(const struct compare_plan *plan)
{
	const struct spec_direction *way =
	    &plan->path.way[compare_data_way(plan)];
	const struct diag_path path = {
		.rtt_us = fmax((double)plan->path.rtt_ns / 1e3, RTT_LEAST_US),
		.loss = way->loss_ppm / 1e6,
		.mss_bytes = plan->path.mtu_bytes - HEADERS_BYTES,
	};
	enum fp_cc_kind kind = plan->cc[0].kind;

	if (kind != FP_CC_RENO && kind != FP_CC_CUBIC)
		return INFINITY;
	if (path.loss <= 0)
		return INFINITY;
	return LOSS_SLACK * diag_mathis_bps(&path) *
	       (double)plan->options->flows;
}

double sweep_point_packets(const struct sweep_point *point)
{
	const struct compare_plan *plan = &point->plan;
	const struct compare_options *options = plan->options;
	double total_s = (double)(plan->warmup_ns + plan->duration_ns) / 1e9;
	double rtt_us = fmax((double)plan->path.rtt_ns / 1e3, RTT_LEAST_US);
	double rate_bps = compare_bottleneck(plan, NAN).mean_bps;
	double flows = (double)options->flows, bits;

	if (!(rate_bps > 0)) /* half of a buffer is window */
		rate_bps =
		    diag_window_bps((double)plan->rmem_bytes / 2, rtt_us) *
		    flows;
	bits = fmin(rate_bps, loss_bps(plan)) * total_s;
	if (options->bytes > 0)
		bits = fmin(bits, 8 * (double)options->bytes * flows);
	return bits / (8.0 * plan->path.mtu_bytes) + FLOW_PACKETS * flows;
}
