/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 4-state Markov model of netem's "loss state" (Salsano, Ludovici, Ordine:
 * "Definition of a general and intuitive loss model for packet networks", 2009;
 * loss_4state() in sch_netem.c):
 *
 *	1  received in a gap	-> 3 with p13, -> 4 with p14
 *	2  received in a burst	-> 3 with p23
 *	3  lost in a burst	-> 1 with p31, -> 2 with p32
 *	4  lost alone in a gap	-> 1 always
 *
 * A packet has the fate of the state that it leads to.
 */
#include "base/prng.h"
#include "link/link_internal.h"

void loss_state__init(struct link_loss_state *model,
		      const struct fp_loss_config *config, uint64_t key)
{
	model->p13_x32 = chance__threshold_x32(config->state.p13_ppm);
	model->p31_x32 = chance__threshold_x32(config->state.p31_ppm);
	model->p32_x32 = chance__threshold_x32(config->state.p32_ppm);
	model->p14_x32 = chance__threshold_x32(config->state.p14_ppm);
	model->p23_x32 = chance__threshold_x32(config->state.p23_ppm);
	model->key = key;
	model->state = LOSS_STATE_GAP_RECEIVED;
}

static enum link_loss_states
loss_state_next(const struct link_loss_state *model, uint64_t bits)
{
	switch (model->state) {
	case LOSS_STATE_GAP_RECEIVED:
		if (bits < model->p14_x32)
			return LOSS_STATE_GAP_LOST;
		return bits < model->p14_x32 + model->p13_x32
			   ? LOSS_STATE_BURST_LOST
			   : LOSS_STATE_GAP_RECEIVED;
	case LOSS_STATE_BURST_RECEIVED:
		return bits < model->p23_x32 ? LOSS_STATE_BURST_LOST
					     : LOSS_STATE_BURST_RECEIVED;
	case LOSS_STATE_BURST_LOST:
		if (bits < model->p32_x32)
			return LOSS_STATE_BURST_RECEIVED;
		return bits < model->p32_x32 + model->p31_x32
			   ? LOSS_STATE_GAP_RECEIVED
			   : LOSS_STATE_BURST_LOST;
	case LOSS_STATE_GAP_LOST:
		break;
	}
	return LOSS_STATE_GAP_RECEIVED;
}

bool loss_state__at(struct link_loss_state *model, uint64_t number)
{
	model->state =
	    loss_state_next(model, fp_prng_at(model->key, number) >> 32);
	return model->state == LOSS_STATE_BURST_LOST ||
	       model->state == LOSS_STATE_GAP_LOST;
}
