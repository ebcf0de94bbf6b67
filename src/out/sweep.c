/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/sweep.h"

#include <string.h>

#define ROW(key, unit, member) OUT_FIELD(out_sweep_row, key, unit, member)
#define AXES_KEY               "axes."

static const struct out_field first_fields[] = {
	ROW("point", FP_UNIT_COUNT, point),
	OUT_FIELDS_END,
};

static const struct out_field last_fields[] = {
	ROW("rtt_us", FP_UNIT_TIME_US, rtt_us),
	ROW("loss_ppm", FP_UNIT_PPM, loss_ppm),
	ROW("rate_bps", FP_UNIT_RATE_BPS, rate_bps),
	ROW("queue_bytes", FP_UNIT_BYTES, queue_bytes),
	ROW("mtu_bytes", FP_UNIT_COUNT, mtu_bytes),
	ROW("path", FP_UNIT_TEXT, path),
	ROW("path_back", FP_UNIT_TEXT, path_back),
	ROW("flows", FP_UNIT_COUNT, flows),
	ROW("bytes", FP_UNIT_BYTES, bytes),
	ROW("duration_s", FP_UNIT_TIME_S, duration_s),
	ROW("warmup_s", FP_UNIT_TIME_S, warmup_s),
	ROW("seeds", FP_UNIT_COUNT, seeds),
	ROW("algorithm", FP_UNIT_TEXT, algorithm),
	ROW("goodput_bps.median", FP_UNIT_RATE_BPS, goodput_bps.median),
	ROW("goodput_bps.min", FP_UNIT_RATE_BPS, goodput_bps.min),
	ROW("goodput_bps.max", FP_UNIT_RATE_BPS, goodput_bps.max),
	ROW("completion_us.median", FP_UNIT_TIME_US, completion_us.median),
	ROW("completion_us.min", FP_UNIT_TIME_US, completion_us.min),
	ROW("completion_us.max", FP_UNIT_TIME_US, completion_us.max),
	ROW("share_of_link", FP_UNIT_SHARE, share_of_link),
	ROW("retransmitted_share", FP_UNIT_SHARE, retransmitted_share),
	ROW("rtt_p50_us", FP_UNIT_TIME_US, rtt_p50_us),
	ROW("rtt_p99_us", FP_UNIT_TIME_US, rtt_p99_us),
	ROW("queue_delay_us.mean", FP_UNIT_TIME_US, queue_mean_us),
	ROW("queue_delay_us.max", FP_UNIT_TIME_US, queue_max_us),
	ROW("timeouts", FP_UNIT_COUNT, timeouts),
	ROW("jain", FP_UNIT_SHARE, jain),
	ROW("model_loss_share", FP_UNIT_SHARE, loss_share),
	ROW("queue_loss_share", FP_UNIT_SHARE, queue_loss_share),
	ROW("limited_by", FP_UNIT_TEXT, limited_by),
	OUT_FIELDS_END,
};

static const struct out_column last_columns[] = {
	{ "algorithm", OUT_VALUE, { "algorithm" } },
	{ "goodput",
	  OUT_SPREAD,
	  { "goodput_bps.median", "goodput_bps.min", "goodput_bps.max" } },
	{ "time",
	  OUT_SPREAD,
	  { "completion_us.median", "completion_us.min",
	    "completion_us.max" } },
	{ "of link", OUT_VALUE, { "share_of_link" } },
	{ "resent", OUT_VALUE, { "retransmitted_share" } },
	{ "RTT p50/p99", OUT_PAIR, { "rtt_p50_us", "rtt_p99_us" } },
	{ "limited by", OUT_VALUE, { "limited_by" } },
	{ NULL, OUT_VALUE, { NULL } },
};

static struct out_field *append(struct out_field *place,
				const struct out_field *fields)
{
	while (fields->key)
		*place++ = *fields++;
	return place;
}

void out_sweep_fields_init(struct out_sweep_fields *fields,
			   const char *const *names, uint32_t count)
{
	static const struct out_field end = OUT_FIELDS_END;
	struct out_field *place = append(fields->fields, first_fields);
	uint32_t i;

	for (i = 0; i < count; i++) {
		(void)snprintf(fields->keys[i], sizeof(fields->keys[i]),
			       AXES_KEY "%s", names[i]);
		*place++ =
		    (struct out_field){ fields->keys[i], FP_UNIT_TEXT,
					offsetof(struct out_sweep_row, axes) +
					    i * sizeof(const char *) };
	}
	place = append(place, last_fields);
	*place = end;
}

char *out_sweep_line(const struct out_sweep_fields *fields,
		     const struct out_sweep_row *row)
{
	json_t *object = out_object_json(fields->fields, row);
	char *line = json_dumps(
	    object, JSON_COMPACT | JSON_REAL_PRECISION(OUT_REAL_DIGITS));

	json_decref(object);
	return line;
}

void out_sweep_print(FILE *file, const struct out_sweep_fields *fields,
		     const struct out_sweep_row *rows, uint32_t count)
{
	struct out_column columns[OUT_SWEEP_AXES_MAX + 16];
	const struct out_rows all = { fields->fields, rows, sizeof(*rows),
				      count };
	const struct out_field *field;
	uint32_t used = 0, i;

	memset(columns, 0, sizeof(columns));
	for (field = fields->fields; field->key; field++) {
		if (strncmp(field->key, AXES_KEY, strlen(AXES_KEY)) != 0)
			continue;
		columns[used++] = (struct out_column){
			field->key + strlen(AXES_KEY), OUT_VALUE, { field->key }
		};
	}
	for (i = 0; last_columns[i].heading; i++)
		columns[used++] = last_columns[i];
	out_table_print(file, columns, &all);
}
