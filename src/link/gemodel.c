/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Gilbert-Elliott: a good and a bad state, each with its own probability of
 * loss; netem's "gemodel p r 1-h 1-k" (loss_gilb_ell() in sch_netem.c).
 *
 *	       p
 *	  ----------->
 *	good         bad        loss in good: 1-k, in bad: 1-h
 *	  <-----------
 *	       r
 *
 * In the long run a share p / (p + r) of the packets meets the bad state, in
 * bursts of 1 / r packets. As in netem a packet is judged by the state that it
 * finds; the state after it is drawn beside that.
 */
#include "base/prng.h"
#include "link/link_internal.h"

void gemodel__init(struct link_gemodel *model,
		   const struct fp_loss_config *config, uint64_t key)
{
	model->p_x32 = chance__threshold_x32(config->gemodel.p_ppm);
	model->r_x32 = chance__threshold_x32(config->gemodel.r_ppm);
	model->h_loss_x32 = chance__threshold_x32(config->gemodel.h_loss_ppm);
	model->k_loss_x32 = chance__threshold_x32(config->gemodel.k_loss_ppm);
	model->key = key;
	model->is_bad = false;
}

bool gemodel__at(struct link_gemodel *model, uint64_t number)
{
	/* Both halves of one draw: state and loss are independent. */
	uint64_t bits = fp_prng_at(model->key, number);
	uint64_t move = bits >> 32;
	uint64_t loss = bits & UINT32_MAX;

	if (model->is_bad) {
		model->is_bad = move >= model->r_x32;
		return loss < model->h_loss_x32;
	}
	model->is_bad = move < model->p_x32;
	return loss < model->k_loss_x32;
}
