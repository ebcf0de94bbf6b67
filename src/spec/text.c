/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A direction in words again: the canonical netem line. What it prints for one
 * item, spec__parse_line() turns back into the same stages.
 */
#include "spec/plan.h"
#include "spec/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_BYTES sizeof(((struct spec_direction *)NULL)->text)

struct writer {
	char *text; /* TEXT_BYTES long */
	const char *trace_name;
};

/* Appends; what does not fit ends in "...". */
static void put(struct writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...)
{
	size_t used = strlen(writer->text);
	size_t room = TEXT_BYTES - used;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(writer->text + used, room, format, args);
	va_end(args);
	if (length >= 0 && (size_t)length >= room)
		memcpy(writer->text + TEXT_BYTES - 4, "...", 4);
}

static void put_word(struct writer *writer, const char *word)
{
	if (writer->text[0] != '\0')
		put(writer, " ");
	put(writer, "%s", word);
}

static void put_time(struct writer *writer, uint64_t ns)
{
	char text[FP_UNITS_TEXT_BYTES];

	fp_format_time(ns, text);
	put(writer, "%s", text);
}

static void put_rate(struct writer *writer, uint64_t bps)
{
	char text[FP_UNITS_TEXT_BYTES];

	fp_format_rate(bps, text);
	put(writer, "%s", text);
}

static void put_size(struct writer *writer, uint64_t bytes)
{
	char text[FP_UNITS_TEXT_BYTES];

	fp_format_size(bytes, text);
	put(writer, "%s", text);
}

static void put_share(struct writer *writer, uint32_t ppm)
{
	char text[FP_UNITS_TEXT_BYTES];

	fp_format_share(ppm, text);
	put(writer, " %s", text);
}

static void put_chance(struct writer *writer, const char *word,
		       uint32_t probability_ppm, uint32_t correlation_ppm)
{
	put_word(writer, word);
	put_share(writer, probability_ppm);
	if (correlation_ppm)
		put_share(writer, correlation_ppm);
}

static void put_delay(struct writer *writer,
		      const struct fp_delay_config *delay)
{
	static const char *const dists[] = { "uniform", "normal", "pareto",
					     "paretonormal" };

	put_word(writer, "delay ");
	put_time(writer, delay->delay_ns);
	if (delay->jitter_ns == 0)
		return;
	put(writer, " ");
	put_time(writer, delay->jitter_ns);
	if (delay->correlation_ppm)
		put_share(writer, delay->correlation_ppm);
	if (delay->dist != FP_DIST_UNIFORM)
		put(writer, " distribution %s", dists[delay->dist]);
}

static void put_loss(struct writer *writer, const struct fp_loss_config *loss)
{
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		put_chance(writer, "loss", loss->random.probability_ppm,
			   loss->random.correlation_ppm);
		break;
	case FP_LOSS_PERIODIC:
		put_word(writer, "loss periodic");
		put(writer, " %u", loss->periodic.every_pkts);
		break;
	case FP_LOSS_GEMODEL:
		put_word(writer, "loss gemodel");
		put_share(writer, loss->gemodel.p_ppm);
		put_share(writer, loss->gemodel.r_ppm);
		put_share(writer, loss->gemodel.h_loss_ppm);
		put_share(writer, loss->gemodel.k_loss_ppm);
		break;
	case FP_LOSS_STATE:
		put_word(writer, "loss state");
		put_share(writer, loss->state.p13_ppm);
		put_share(writer, loss->state.p31_ppm);
		put_share(writer, loss->state.p32_ppm);
		put_share(writer, loss->state.p23_ppm);
		put_share(writer, loss->state.p14_ppm);
		break;
	case FP_LOSS_LIST:
		put_word(writer, "loss list ");
		for (uint32_t i = 0; i < loss->list.count; i++)
			put(writer, "%s%" PRIu64, i ? "," : "",
			    loss->list.numbers[i]);
		break;
	}
	if (loss->marks_ecn)
		put(writer, " ecn");
}

static void put_rates(struct writer *writer, const struct fp_rate_config *rate)
{
	if (rate->kind == FP_RATE_CONSTANT ||
	    (rate->kind == FP_RATE_STEPS && rate->steps[0].at_ns > 0)) {
		put_word(writer, "rate ");
		put_rate(writer, rate->rate_bps);
	}
	if (rate->kind == FP_RATE_STEPS)
		put_word(writer, "steps ");
	for (uint32_t i = 0;
	     rate->kind == FP_RATE_STEPS && i < rate->step_count; i++) {
		put(writer, "%s", i ? "," : "");
		put_time(writer, rate->steps[i].at_ns);
		put(writer, ":");
		put_rate(writer, rate->steps[i].rate_bps);
	}
	if (rate->kind == FP_RATE_TRACE) {
		put_word(writer, "trace ");
		for (const char *c = writer->trace_name; c && *c; c++)
			put(writer, "%c", *c > ' ' && *c <= '~' ? *c : '?');
	}
	if (rate->overhead_bytes || rate->cell_bytes)
		put(writer, " overhead %d", rate->overhead_bytes);
	if (rate->cell_bytes)
		put(writer, " %u %d", rate->cell_bytes,
		    rate->cell_overhead_bytes);
}

/* A list of "key=value", begun by ':' and gone on by ','. */
struct keys {
	struct writer *writer;
	char sep;
};

static void put_key(struct keys *keys, const char *key)
{
	put(keys->writer, "%c%s", keys->sep, key);
	keys->sep = ',';
}

static void put_time_key(struct keys *keys, const char *key, uint64_t ns)
{
	if (ns == 0)
		return;
	put_key(keys, key);
	put_time(keys->writer, ns);
}

static void put_codel(struct writer *writer,
		      const struct fp_queue_config *queue)
{
	struct keys keys = { .writer = writer, .sep = ':' };

	put_word(writer,
		 queue->qdisc == FP_QDISC_CODEL ? "aqm codel" : "aqm fq_codel");
	put_time_key(&keys, "target=", queue->target_ns);
	put_time_key(&keys, "interval=", queue->interval_ns);
	put_time_key(&keys, "ce_threshold=", queue->ce_threshold_ns);
	if (queue->flow_queues) {
		put_key(&keys, "flows=");
		put(writer, "%u", queue->flow_queues);
	}
	if (queue->quantum_bytes) {
		put_key(&keys, "quantum=");
		put_size(writer, queue->quantum_bytes);
	}
	if (queue->marks_ecn)
		put_key(&keys, "ecn");
}

static bool is_threshold(const struct fp_queue_config *queue)
{
	return queue->red_min_bytes == queue->red_max_bytes &&
	       queue->red_probability_ppm == FP_PPM_ONE &&
	       queue->red_weight_shift == 0 && queue->marks_ecn;
}

static void put_red(struct writer *writer, const struct fp_queue_config *queue)
{
	struct keys keys = { .writer = writer, .sep = ':' };
	char share[FP_UNITS_TEXT_BYTES];

	if (is_threshold(queue)) {
		put_word(writer, "aqm threshold:");
		put_size(writer, queue->red_min_bytes);
		return;
	}
	fp_format_share(queue->red_probability_ppm, share);
	put_word(writer, "aqm red");
	put_key(&keys, "min=");
	put_size(writer, queue->red_min_bytes);
	put_key(&keys, "max=");
	put_size(writer, queue->red_max_bytes);
	put_key(&keys, "p=");
	put(writer, "%s", share);
	put_key(&keys, "weight=");
	put(writer, "%u", queue->red_weight_shift);
	if (queue->marks_ecn)
		put_key(&keys, "ecn");
}

static void put_queue(struct writer *writer,
		      const struct fp_queue_config *queue)
{
	if (queue->limit_pkts)
		put(writer, " limit %u", queue->limit_pkts);
	if (queue->limit_bytes) {
		put(writer, " queue ");
		put_size(writer, queue->limit_bytes);
	}
	if (queue->limit_ns) {
		put(writer, " queue ");
		put_time(writer, queue->limit_ns);
	}
	if (queue->qdisc == FP_QDISC_RED)
		put_red(writer, queue);
	else if (queue->qdisc != FP_QDISC_DROPTAIL)
		put_codel(writer, queue);
}

static void put_policer(struct writer *writer,
			const struct fp_policer_config *policer)
{
	put_word(writer, "policer ");
	put_rate(writer, policer->rate_bps);
	put(writer, " burst ");
	put_size(writer, policer->burst_bytes);
}

static void put_stage(struct writer *writer,
		      const struct fp_stage_config *stage)
{
	switch (stage->kind) {
	case FP_STAGE_DELAY:
		put_delay(writer, &stage->delay);
		break;
	case FP_STAGE_LOSS:
		put_loss(writer, &stage->loss);
		break;
	case FP_STAGE_DUPLICATE:
		put_chance(writer, "duplicate", stage->chance.probability_ppm,
			   stage->chance.correlation_ppm);
		break;
	case FP_STAGE_CORRUPT:
		put_chance(writer, "corrupt", stage->chance.probability_ppm,
			   stage->chance.correlation_ppm);
		break;
	case FP_STAGE_REORDER:
		put_chance(writer, "reorder", stage->reorder.probability_ppm,
			   stage->reorder.correlation_ppm);
		if (stage->reorder.gap_pkts)
			put(writer, " gap %u", stage->reorder.gap_pkts);
		break;
	case FP_STAGE_POLICER:
		put_policer(writer, &stage->policer);
		break;
	case FP_STAGE_LINK:
		put_rates(writer, &stage->link.rate);
		put_queue(writer, &stage->link.queue);
		break;
	}
}

void spec__write_stages(const struct fp_path_config *config, uint32_t first,
			uint32_t end, const char *trace_name, char text[256])
{
	/* the order in which people write a line */
	static const enum fp_stage_kind order[] = {
		FP_STAGE_DELAY,   FP_STAGE_LOSS,    FP_STAGE_DUPLICATE,
		FP_STAGE_CORRUPT, FP_STAGE_REORDER, FP_STAGE_POLICER,
		FP_STAGE_LINK
	};
	struct writer writer = { .text = text, .trace_name = trace_name };

	if (first > 0 && end > first)
		put(&writer, " |");
	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (uint32_t i = first; i < end; i++) {
			if (config->stages[i].kind == order[k])
				put_stage(&writer, &config->stages[i]);
		}
	}
}
