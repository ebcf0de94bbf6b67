/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/plan.h"

/* part / whole in parts per million, rounded; whole above 0, both below 2^44 */
static uint32_t share_ppm(uint64_t part, uint64_t whole)
{
	return (uint32_t)((part * FP_PPM_ONE + whole / 2) / whole);
}

/* Two states; the bad one holds p / (p + r) of the time. A chain that never
 * leaves the good state starts there. */
static uint32_t gemodel_ppm(const struct fp_loss_config *loss)
{
	uint64_t p = loss->gemodel.p_ppm;
	uint64_t r = loss->gemodel.r_ppm;

	if (p == 0)
		return loss->gemodel.k_loss_ppm;
	return (uint32_t)((p * loss->gemodel.h_loss_ppm +
			   r * loss->gemodel.k_loss_ppm + (p + r) / 2) /
			  (p + r));
}

/*
 * netem's four states: 1 good, 2 good within a burst, 3 lost in a burst, 4 lost
 * alone (always back to 1). In balance
 *	pi1 p13 = pi3 p31,  pi3 p32 = pi2 p23,  pi4 = pi1 p14,
 * so with pi1 = p31 p23 the others are integers too. A packet is lost when the
 * new state is 3 or 4.
 */
static uint32_t state_ppm(const struct fp_loss_config *loss)
{
	uint64_t p13 = loss->state.p13_ppm;
	uint64_t p31 = loss->state.p31_ppm;
	uint64_t p32 = loss->state.p32_ppm;
	/* state 2 is never entered without p32 */
	uint64_t p23 = p32 ? loss->state.p23_ppm : FP_PPM_ONE;
	uint64_t p14 = loss->state.p14_ppm;
	uint64_t one = p31 * p23;
	uint64_t two = p13 * p32;
	uint64_t three = p13 * p23;
	uint64_t four = one * p14 / FP_PPM_ONE;

	if (p13 == 0) /* only 1 and 4 are ever seen */
		return share_ppm(p14, FP_PPM_ONE + p14);
	if (one + two + three == 0) /* cannot be: p32 = 0 makes p23 one */
		return 0;
	return share_ppm(three + four, one + two + three + four);
}

uint32_t spec__loss_share_ppm(const struct fp_loss_config *loss)
{
	switch (loss->model) {
	case FP_LOSS_RANDOM:
		/* netem's correlated draws are not uniform, so the true share
		 * is lower; the nominal one is what tc shows too */
		return loss->random.probability_ppm;
	case FP_LOSS_PERIODIC:
		return share_ppm(1, loss->periodic.every_pkts);
	case FP_LOSS_GEMODEL:
		return gemodel_ppm(loss);
	case FP_LOSS_STATE:
		return state_ppm(loss);
	case FP_LOSS_LIST:
		return 0; /* a finite number of packets */
	}
	return 0;
}
