/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths and counters as the lab has them, to the rows that are reported. */
#include "cmd/measured.h"

#include <math.h>
#include <stdio.h>

#include "cmd/seed.h"

#define LATE_RTT_SHARE 0.01 /* RTT p50 and p99 are read to about a percent */
#define LATE_LEAST_NS  1e5  /* what a timer of a busy kernel may well take */

static double known_or_nan(double value)
{
	return value > 0 ? value : NAN;
}

static void add_stages(const struct lab_way_result *way,
		       struct out_measured *seen)
{
	uint32_t i;

	for (i = 0; i < way->stage_count; i++) {
		seen->reordered += (double)way->stages[i].reordered;
		seen->duplicated += (double)way->stages[i].duplicated;
		seen->corrupted += (double)way->stages[i].corrupted;
		seen->queue_max_bytes =
		    fmax(seen->queue_max_bytes,
			 (double)way->stages[i].queue_max_bytes);
	}
}

static void add_way(const struct lab_way_result *way, struct out_measured *seen)
{
	seen->packets += (double)way->packets;
	seen->bytes += (double)way->bytes;
	seen->lost_by_model += (double)way->lost_by_model;
	seen->lost_by_queue += (double)way->lost_by_queue;
	seen->lost_by_policer += (double)way->lost_by_policer;
	seen->lost_outside += (double)way->lost_outside;
	seen->marked += (double)way->marked;
	add_stages(way, seen);
	if (seen->packets > 0) {
		seen->model_loss_share = seen->lost_by_model / seen->packets;
		seen->queue_loss_share = seen->lost_by_queue / seen->packets;
	}
}

void cmd_path_fill(const struct spec_path *spec, uint64_t seed_option,
		   struct out_path *ret_path)
{
	uint64_t seeds[SPEC_WAYS];
	const struct spec_direction *from;
	struct out_way *way;
	uint32_t i;

	*ret_path = (struct out_path){
		.rtt_us = (double)spec->rtt_ns / 1e3,
		.mtu_bytes = spec->mtu_bytes,
		.is_direct = spec->is_direct,
		.loss_unit =
		    spec->loss_unit == FP_LOSS_UNIT_SKB ? "skb" : "packet",
	};
	cmd_seed_choose(seed_option, spec, seeds);
	for (i = 0; i < SPEC_WAYS; i++) {
		from = &spec->way[i];
		way = &ret_path->way[i];
		way->text = spec->is_direct ? "direct" : from->text;
		way->seed = (double)seeds[i];
		way->delay_us = (double)from->delay_ns / 1e3;
		way->loss_ppm = from->loss_ppm;
		way->rate_bps = known_or_nan((double)from->rate_bps);
		way->queue_bytes = known_or_nan((double)from->queue_bytes);
	}
}

void cmd_path_add(const struct lab_result *result, struct out_path *path)
{
	uint32_t i;

	for (i = 0; i < SPEC_WAYS; i++)
		add_way(&result->way[i], &path->way[i].measured);
}

void cmd_accuracy_add(const struct lab_result *result,
		      struct out_accuracy *accuracy)
{
	/* a sum until cmd_accuracy_finish() */
	accuracy->lateness_mean_ns +=
	    (double)result->lateness_mean_ns * (double)result->releases;
	accuracy->releases += (double)result->releases;
	accuracy->lateness_p99_ns =
	    fmax(accuracy->lateness_p99_ns, (double)result->lateness_p99_ns);
	accuracy->lateness_max_ns =
	    fmax(accuracy->lateness_max_ns, (double)result->lateness_max_ns);
	accuracy->lost_outside +=
	    (double)(result->way[0].lost_outside + result->way[1].lost_outside);
}

void cmd_accuracy_finish(struct out_accuracy *accuracy)
{
	if (accuracy->releases > 0) {
		accuracy->lateness_mean_ns /= accuracy->releases;
		return;
	}
	accuracy->lateness_mean_ns = NAN; /* no emulator, nothing released */
	accuracy->lateness_p99_ns = NAN;
	accuracy->lateness_max_ns = NAN;
}

bool cmd_accuracy_note(const struct out_accuracy *accuracy, double rtt_us,
		       char *ret_note, size_t bytes)
{
	double limit_ns = fmax(LATE_LEAST_NS, rtt_us * 1e3 * LATE_RTT_SHARE);
	char late[FP_FORMAT_BYTES], limit[FP_FORMAT_BYTES];

	if (!(accuracy->lateness_p99_ns > limit_ns))
		return false;
	fp_format(late, sizeof(late), FP_UNIT_TIME_NS,
		  accuracy->lateness_p99_ns);
	fp_format(limit, sizeof(limit), FP_UNIT_TIME_NS, limit_ns);
	(void)snprintf(ret_note, bytes,
		       "releases were late: %s at p99, above %s, which TCP "
		       "takes for jitter: this machine was busy, results are "
		       "coarse",
		       late, limit);
	return true;
}
