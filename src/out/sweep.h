/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A point of a sweep: one path, one algorithm, some seeds. */
#ifndef OUT_SWEEP_H
#define OUT_SWEEP_H

#include "out/report.h"
#include "out/table.h"

#define OUT_SWEEP_AXES_MAX 64

/* Numbers are NaN, texts NULL, where there is none. */
struct out_sweep_row {
	double point; /* from 1 */
	/* values of the options that vary, as --help has them */
	const char *axes[OUT_SWEEP_AXES_MAX];
	double rtt_us, loss_ppm, rate_bps, queue_bytes, mtu_bytes;
	const char *path, *path_back; /* in netem's words; of the data first */
	double flows, bytes, duration_s, warmup_s, seeds;
	const char *algorithm;
	struct out_spread goodput_bps, completion_us; /* over seeds */
	double share_of_link, retransmitted_share;
	double rtt_p50_us, rtt_p99_us; /* as TCP measures it */
	double queue_mean_us,
	    queue_max_us; /* wait of a packet for the data's links */
	double timeouts;  /* of all flows and seeds */
	double jain;      /* of the flows, mean over seeds */
	double loss_share, queue_loss_share; /* of the data's packets */
	const char *limited_by;
};

/* The fields of a row, made for the names of its axes. */
struct out_sweep_fields {
	struct out_field fields[OUT_SWEEP_AXES_MAX + 48];
	char keys[OUT_SWEEP_AXES_MAX][40];
};

/* names: of the axes that vary, the caller's; count of them, at most
 * OUT_SWEEP_AXES_MAX. */
void out_sweep_fields_init(struct out_sweep_fields *fields,
			   const char *const *names, uint32_t count);

/* Makes a line of JSON from a row, without newline; to be freed. NULL: no
 * memory. */
char *out_sweep_line(const struct out_sweep_fields *fields,
		     const struct out_sweep_row *row);

/* Prints rows as a table: the axes, then what was seen. */
void out_sweep_print(FILE *file, const struct out_sweep_fields *fields,
		     const struct out_sweep_row *rows, uint32_t count);

#endif
