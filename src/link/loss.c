/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loss. Draws are numbered from 1; a draw is made for each packet, or for each
 * super-packet where the unit is the skb, as netem does (netem_enqueue() draws
 * before anything is segmented).
 */
#include "link/link_internal.h"

static void loss_init_model(struct link_loss *loss,
			    const struct fp_loss_config *from, uint64_t key)
{
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		chance__init(&loss->chance, key, from->random.probability_ppm,
			     from->random.correlation_ppm);
		return;
	case FP_LOSS_PERIODIC:
		loss->every_pkts = from->periodic.every_pkts;
		return;
	case FP_LOSS_GEMODEL:
		gemodel__init(&loss->gemodel, from, key);
		return;
	case FP_LOSS_STATE:
		loss_state__init(&loss->state, from, key);
		return;
	case FP_LOSS_LIST:
		loss->list.numbers = from->list.numbers;
		loss->list.count = from->list.count;
		loss->list.at = 0;
		return;
	}
}

void loss__init(struct link_stage *stage, const struct fp_path_config *config)
{
	const struct fp_loss_config *from = &config->stages[stage->number].loss;
	struct link_loss *loss = &stage->loss;

	loss->model = from->model;
	loss->unit = from->unit;
	loss->marks_ecn = from->marks_ecn;
	loss->number = 0;
	loss->has_unit = false;
	loss->is_unit_lost = false;
	loss->is_unit_touched = false;
	loss_init_model(loss, from, path__draw_key(config, stage->number, 0));
}

static bool loss_list_at(struct link_loss_list *list, uint64_t number)
{
	if (list->at == list->count || list->numbers[list->at] != number)
		return false;
	list->at++;
	return true;
}

/* Draws for packet or super-packet loss->number. */
static bool loss_draw(struct link_loss *loss)
{
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		return chance__at(&loss->chance, loss->number);
	case FP_LOSS_PERIODIC:
		return loss->number % loss->every_pkts == 0;
	case FP_LOSS_GEMODEL:
		return gemodel__at(&loss->gemodel, loss->number);
	case FP_LOSS_STATE:
		return loss_state__at(&loss->state, loss->number);
	case FP_LOSS_LIST:
		return loss_list_at(&loss->list, loss->number);
	}
	return false;
}

static bool loss_is_new_unit(struct link_stage *stage, uint32_t unit)
{
	struct link_loss *loss = &stage->loss;

	if (loss->has_unit && loss->last_unit == unit)
		return false;
	loss->has_unit = true;
	loss->last_unit = unit;
	loss->is_unit_touched = false;
	stage->counters.units_in++;
	return true;
}

enum link_verdict loss__accept(struct link_stage *stage, struct fp_pkt *pkt)
{
	struct link_loss *loss = &stage->loss;
	bool is_new = loss_is_new_unit(stage, pkt->unit);

	if (is_new || loss->unit == FP_LOSS_UNIT_PACKET) {
		loss->number++;
		loss->is_unit_lost = loss_draw(loss);
	}
	if (!loss->is_unit_lost)
		return LINK_PASS;
	if (loss->marks_ecn && link_mark_ce(stage, pkt))
		return LINK_PASS;
	if (!loss->is_unit_touched)
		stage->counters.units_touched++;
	loss->is_unit_touched = true;
	return LINK_LOST;
}
