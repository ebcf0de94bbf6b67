/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From what the seeds of a point saw to its row. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare_round.h"
#include "cmd/sweep_point.h"
#include "diag/stats.h"

static double known_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

int sweep_tally_begin(struct sweep_tally *tally, const struct sweep *sweep,
		      const struct sweep_point *point)
{
	*tally = (struct sweep_tally){ .sweep = sweep, .point = point };
	return compare_result_begin(&point->plan, &tally->result);
}

static void add_way(struct sweep_tally *tally, const struct lab_way_result *way)
{
	uint32_t i;

	tally->packets += (double)way->packets;
	tally->lost += (double)way->lost_by_model;
	tally->lost_by_queue += (double)way->lost_by_queue;
	for (i = 0; i < way->stage_count; i++) {
		const struct fp_stage_counters *stage = &way->stages[i];

		if (way->kinds[i] != FP_STAGE_LINK)
			continue;
		tally->wait_ns += (double)stage->wait_sum_ns;
		tally->waited += (double)stage->packets_out;
		tally->wait_max_ns =
		    fmax(tally->wait_max_ns, (double)stage->wait_max_ns);
	}
}

static int add_jain(struct sweep_tally *tally, const struct lab_result *seen)
{
	double *shares;
	uint32_t i;

	if (seen->flow_count < 2)
		return 0;
	shares = calloc(seen->flow_count, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	for (i = 0; i < seen->flow_count; i++)
		shares[i] = (double)seen->flows[i].goodput_bps;
	tally->jain += diag_jain(shares, seen->flow_count);
	free(shares);
	return 0;
}

int sweep_tally_add(struct sweep_tally *tally, const struct lab_result *seen,
		    uint64_t timeouts)
{
	const struct compare_plan *plan = &tally->point->plan;
	const struct compare_part part = { plan, seen, 0 };
	int result = compare_result_add(&part, &tally->result);

	tally->timeouts += timeouts;
	add_way(tally, &seen->way[compare_data_way(plan)]);
	return result < 0 ? result : add_jain(tally, seen);
}

static void fill_axes(const struct sweep_tally *tally,
		      struct out_sweep_row *row)
{
	const struct sweep *sweep = tally->sweep;
	uint32_t index[SWEEP_AXES_MAX], i;

	sweep_grid_at(&sweep->grid, tally->point->number, index);
	for (i = 0; i < sweep->varied_count; i++) {
		uint32_t axis = sweep->varied[i];

		row->axes[i] =
		    sweep->grid.axes[axis].values.values[index[axis]];
	}
	for (i = 0; i < sweep->grid.axis_count; i++) {
		if (strcmp(sweep->grid.axes[i].name, "cc") == 0)
			row->algorithm =
			    sweep->grid.axes[i].values.values[index[i]];
	}
}

static void fill_path(const struct compare_plan *plan,
		      struct out_sweep_row *row)
{
	uint32_t data = compare_data_way(plan);
	const struct spec_direction *way = &plan->path.way[data];

	row->rtt_us = (double)plan->path.rtt_ns / 1e3;
	row->loss_ppm = way->loss_ppm;
	row->rate_bps = known_or_nan((double)way->rate_bps);
	row->queue_bytes = known_or_nan((double)way->queue_bytes);
	row->mtu_bytes = plan->path.mtu_bytes;
	row->path = way->text;
	row->path_back = plan->path.way[!data].text;
	row->flows = (double)plan->options->flows;
	row->bytes = known_or_nan((double)plan->options->bytes);
	row->duration_s = (double)plan->duration_ns / 1e9;
	row->warmup_s = (double)plan->warmup_ns / 1e9;
	row->seeds = plan->rounds_each;
}

void sweep_tally_end(struct sweep_tally *tally, struct out_sweep_row *ret_row)
{
	const struct compare_plan *plan = &tally->point->plan;
	struct out_result *result = &tally->result;

	compare_result_end(plan->algorithms[0], result);
	*ret_row = (struct out_sweep_row){
		.point = (double)tally->point->number + 1,
		.goodput_bps = result->goodput_bps,
		.completion_us = result->completion_us,
		.share_of_link = result->share_of_link,
		.retransmitted_share = result->retransmitted_share,
		.rtt_p50_us = result->rtt_p50_us,
		.rtt_p99_us = result->rtt_p99_us,
		.queue_mean_us = tally->wait_ns / tally->waited / 1e3,
		.queue_max_us =
		    tally->waited > 0 ? tally->wait_max_ns / 1e3 : NAN,
		.timeouts = (double)tally->timeouts,
		.jain = plan->options->flows > 1
			    ? tally->jain / plan->rounds_each
			    : NAN,
		.loss_share = tally->lost / tally->packets,
		.queue_loss_share = tally->lost_by_queue / tally->packets,
		.limited_by = result->limited_by,
	};
	fill_axes(tally, ret_row);
	fill_path(plan, ret_row);
}

void sweep_tally_fini(struct sweep_tally *tally)
{
	uint32_t i;

	for (i = 0; i < tally->result.round_count; i++)
		compare_round_fini(&tally->result.rounds[i]);
	free(tally->result.rounds);
	tally->result.rounds = NULL;
	tally->result.round_count = 0;
}
