// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel_state.h"
#include "replay_internal.h"

#include <string.h>

#define HYSTART_SAMPLES 8

/* The kernel's field, the core's, and how far that is shifted: windows on the
 * curve are in 1/128 packets. */
#define EACH_FIELD(FIELD)                                                      \
	FIELD(cnt, every_pkts, 0)                                              \
	FIELD(last_max_cwnd, curve.last_max_pkts_x128, 7)                      \
	FIELD(last_cwnd, last_cwnd_pkts, 0)                                    \
	FIELD(last_time, last_time, 0)                                         \
	FIELD(bic_origin_point, curve.origin_pkts_x128, 7)                     \
	FIELD(bic_K, curve.k_1024ths, 0)                                       \
	FIELD(delay_min, delay_min_us, 0)                                      \
	FIELD(epoch_start, curve.epoch_start, 0)                               \
	FIELD(ack_cnt, ack_cnt_pkts, 0)                                        \
	FIELD(tcp_cwnd, curve.reno_pkts_x128, 7)                               \
	FIELD(sample_cnt, hystart.sample_cnt, 0)                               \
	FIELD(found, hystart.is_found, 0)                                      \
	FIELD(round_start, hystart.round_start_us, 0)                          \
	FIELD(end_seq, hystart.end_seq_pkts, 0)                                \
	FIELD(last_ack, hystart.last_ack_us, 0)                                \
	FIELD(curr_rtt, hystart.curr_rtt_us, 0)

static struct kernel_cubic get_kernel(const struct oracle_state *state)
{
	struct kernel_cubic kernel;

	memcpy(&kernel, state->private, sizeof(kernel));
	return kernel;
}

static void import(struct fp_cc *cc, const struct oracle_state *state)
{
	struct kernel_cubic kernel = get_kernel(state);

	cc->cubic.cnt_pkts = state->cwnd_cnt_pkts;
#define IMPORT(theirs, ours, shift) cc->cubic.ours = kernel.theirs << (shift);
	EACH_FIELD(IMPORT)
#undef IMPORT
}

static void compare(const struct fp_cc *cc, const struct oracle_record *record,
		    const struct oracle_state *state,
		    struct comparison *comparison)
{
	struct kernel_cubic kernel = get_kernel(state);

	if (record->op == ORACLE_CONG_AVOID)
		comparison_add(comparison, "snd_cwnd_cnt", state->cwnd_cnt_pkts,
			       cc->cubic.cnt_pkts);
#define COMPARE(theirs, ours, shift)                                           \
	comparison_add(comparison, #theirs, kernel.theirs << (shift),          \
		       cc->cubic.ours);
	EACH_FIELD(COMPARE)
#undef COMPARE
}

/* HyStart's delay test needs 8 samples before this one and an RTT that rose by
 * an eighth, at least 4 ms and at most 16; its other test is the ACK train. */
static uint32_t see_hystart(const struct kernel_cubic *before,
			    const struct kernel_cubic *after)
{
	uint32_t rise_us = after->delay_min / 8;

	if (before->found || !after->found)
		return 0;
	if (rise_us < 4000)
		rise_us = 4000;
	if (rise_us > 16000)
		rise_us = 16000;
	if (before->sample_cnt == HYSTART_SAMPLES &&
	    after->curr_rtt > after->delay_min + rise_us)
		return 1u << ORACLE_SAW_HYSTART_DELAY;
	return 1u << ORACLE_SAW_HYSTART_TRAIN;
}

static uint32_t see_curve(const struct kernel_cubic *after, uint32_t cwnd_pkts)
{
	uint32_t sights = 1u << ORACLE_SAW_AVOIDANCE;

	if (after->bic_K)
		sights |= 1u << ORACLE_SAW_EPOCH;
	if (after->bic_K && cwnd_pkts > after->bic_origin_point)
		sights |= 1u << ORACLE_SAW_CONVEX;
	if (after->tcp_cwnd > cwnd_pkts)
		sights |= 1u << ORACLE_SAW_FRIENDLY;
	return sights;
}

static uint32_t see(const struct oracle_record *record)
{
	struct kernel_cubic before = get_kernel(&record->before);
	struct kernel_cubic after = get_kernel(&record->after);
	uint32_t sights = see_hystart(&before, &after);

	if (record->op == ORACLE_CONG_AVOID && after.epoch_start)
		sights |= see_curve(&after, record->before.cwnd_pkts);
	if (record->op == ORACLE_SSTHRESH &&
	    record->before.cwnd_pkts < before.last_max_cwnd)
		sights |= 1u << ORACLE_SAW_CONVERGENCE;
	if (record->op == ORACLE_CWND_EVENT &&
	    before.epoch_start != after.epoch_start)
		sights |= 1u << ORACLE_SAW_RESTART;
	return sights;
}

const struct mapping mapping_cubic = {
	.name = "cubic:linux",
	.import = import,
	.compare = compare,
	.see = see,
};
