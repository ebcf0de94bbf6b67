// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay_internal.h"

/* Its whole state is a counter in struct tcp_sock. */
static void import(struct fp_cc *cc, const struct oracle_state *state)
{
	cc->reno.cnt_pkts = state->cwnd_cnt_pkts;
}

static void compare(const struct fp_cc *cc, const struct oracle_record *record,
		    const struct oracle_state *state,
		    struct comparison *comparison)
{
	if (record->op == ORACLE_CONG_AVOID)
		comparison_add(comparison, "snd_cwnd_cnt", state->cwnd_cnt_pkts,
			       cc->reno.cnt_pkts);
}

static uint32_t see(const struct oracle_record *record)
{
	if (record->op == ORACLE_CONG_AVOID &&
	    record->after.cwnd_pkts > record->after.ssthresh_pkts)
		return 1u << ORACLE_SAW_AVOIDANCE;
	return 0;
}

const struct mapping mapping_reno = {
	.name = "reno",
	.import = import,
	.compare = compare,
	.see = see,
};
