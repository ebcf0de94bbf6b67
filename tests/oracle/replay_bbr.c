// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel_state.h"
#include "replay_internal.h"

#include <string.h>

#define MODE_DRAIN     1
#define MODE_PROBE_BW  2
#define MODE_PROBE_RTT 3

/* The kernel's field, and the core's. */
#define EACH_FIELD(FIELD)                                                      \
	FIELD(min_rtt_us, min_rtt_us)                                          \
	FIELD(min_rtt_stamp, min_rtt_ticks)                                    \
	FIELD(probe_rtt_done_stamp, probe_rtt_done_ticks)                      \
	FIELD(bw[0].t, bw.best[0].time)                                        \
	FIELD(bw[0].v, bw.best[0].value)                                       \
	FIELD(bw[1].t, bw.best[1].time)                                        \
	FIELD(bw[1].v, bw.best[1].value)                                       \
	FIELD(bw[2].t, bw.best[2].time)                                        \
	FIELD(bw[2].v, bw.best[2].value)                                       \
	FIELD(rtt_cnt, rtt_cnt)                                                \
	FIELD(next_rtt_delivered, next_rtt_delivered)                          \
	FIELD(cycle_mstamp, cycle_us)                                          \
	FIELD(mode, mode)                                                      \
	FIELD(prev_ca_state, prev_ca_state)                                    \
	FIELD(packet_conservation, packet_conservation)                        \
	FIELD(round_start, round_start)                                        \
	FIELD(idle_restart, idle_restart)                                      \
	FIELD(probe_rtt_round_done, probe_rtt_round_done)                      \
	FIELD(lt_is_sampling, lt_is_sampling)                                  \
	FIELD(lt_rtt_cnt, lt_rtt_cnt)                                          \
	FIELD(lt_use_bw, lt_use_bw)                                            \
	FIELD(lt_bw, lt_bw)                                                    \
	FIELD(lt_last_delivered, lt_last_delivered)                            \
	FIELD(lt_last_stamp, lt_last_ms)                                       \
	FIELD(lt_last_lost, lt_last_lost)                                      \
	FIELD(pacing_gain, pacing_gain_x256)                                   \
	FIELD(cwnd_gain, cwnd_gain_x256)                                       \
	FIELD(full_bw_reached, full_bw_reached)                                \
	FIELD(full_bw_cnt, full_bw_cnt)                                        \
	FIELD(cycle_idx, cycle_idx)                                            \
	FIELD(has_seen_rtt, has_seen_rtt)                                      \
	FIELD(prior_cwnd, prior_cwnd_pkts)                                     \
	FIELD(full_bw, full_bw)                                                \
	FIELD(ack_epoch_mstamp, ack_epoch_us)                                  \
	FIELD(extra_acked[0], extra_acked_pkts[0])                             \
	FIELD(extra_acked[1], extra_acked_pkts[1])                             \
	FIELD(ack_epoch_acked, ack_epoch_acked)                                \
	FIELD(extra_acked_win_rtts, extra_acked_win_rtts)                      \
	FIELD(extra_acked_win_idx, extra_acked_win_idx)

static struct kernel_bbr get_kernel(const struct oracle_state *state)
{
	struct kernel_bbr kernel;

	memcpy(&kernel, state->private, sizeof(kernel));
	return kernel;
}

static void import(struct fp_cc *cc, const struct oracle_state *state)
{
	struct kernel_bbr kernel = get_kernel(state);

#define IMPORT(theirs, ours) cc->bbr.ours = kernel.theirs;
	EACH_FIELD(IMPORT)
#undef IMPORT
}

/* A connection's first ACK, the SYN's, comes before init(), on memory of
 * zeros; of what it leaves there, init() does not touch the gains. Nobody reads
 * them before the next ACK sets them. */
static void keep_at_init(struct fp_cc *cc, const struct oracle_state *state)
{
	struct kernel_bbr kernel = get_kernel(state);

	cc->bbr.pacing_gain_x256 = kernel.pacing_gain;
	cc->bbr.cwnd_gain_x256 = kernel.cwnd_gain;
}

static void compare(const struct fp_cc *cc, const struct oracle_record *record,
		    const struct oracle_state *state,
		    struct comparison *comparison)
{
	struct kernel_bbr kernel = get_kernel(state);

#define COMPARE(theirs, ours)                                                  \
	comparison_add(comparison, #theirs, kernel.theirs, cc->bbr.ours);
	EACH_FIELD(COMPARE)
#undef COMPARE
}

static uint32_t see_modes(const struct kernel_bbr *before,
			  const struct kernel_bbr *after)
{
	uint32_t sights = 0;

	if (after->mode == MODE_DRAIN)
		sights |= 1u << ORACLE_SAW_DRAIN;
	if (after->mode == MODE_PROBE_BW) {
		sights |= 1u << ORACLE_SAW_PROBE_BW;
		if (before->mode == MODE_PROBE_RTT)
			sights |= 1u << ORACLE_SAW_PROBE_RTT_END;
		if (before->cycle_idx != after->cycle_idx &&
		    after->cycle_idx == 1)
			sights |= 1u << ORACLE_SAW_CYCLE;
	}
	if (after->mode == MODE_PROBE_RTT)
		sights |= 1u << ORACLE_SAW_PROBE_RTT;
	return sights;
}

static uint32_t see(const struct oracle_record *record)
{
	struct kernel_bbr before = get_kernel(&record->before);
	struct kernel_bbr after = get_kernel(&record->after);
	uint32_t sights = see_modes(&before, &after);

	if (!after.rtt_cnt) /* also of the call before init() */
		return 0;

	if (after.packet_conservation)
		sights |= 1u << ORACLE_SAW_CONSERVATION;
	if (after.lt_use_bw)
		sights |= 1u << ORACLE_SAW_POLICER;
	if (before.lt_use_bw && !after.lt_use_bw)
		sights |= 1u << ORACLE_SAW_POLICER_END;
	if (after.extra_acked[0] || after.extra_acked[1])
		sights |= 1u << ORACLE_SAW_AGGREGATION;
	if (record->op == ORACLE_CWND_EVENT && after.idle_restart)
		sights |= 1u << (before.mode == MODE_PROBE_RTT
				     ? ORACLE_SAW_PROBE_RTT_IDLE
				     : ORACLE_SAW_RESTART);
	return sights;
}

const struct mapping mapping_bbr = {
	.name = "bbr",
	.sets_pacing_rate = true,
	.import = import,
	.keep_at_init = keep_at_init,
	.compare = compare,
	.see = see,
};
