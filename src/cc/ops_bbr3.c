/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cc/registry.h"

static void init(struct fp_cc *cc, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control)
{
	fp_bbr3_init(&cc->bbr3, &cc->config.bbr3, conn, control);
}

static void on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	fp_bbr3_on_ack(&cc->bbr3, conn, ack, control);
}

static void on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control)
{
	fp_bbr3_on_congestion(&cc->bbr3, conn, control);
}

static void on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control)
{
	fp_bbr3_on_undo(&cc->bbr3, conn, control);
}

static void on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control)
{
	fp_bbr3_on_state(&cc->bbr3, conn, next, control);
}

static void on_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_cc_event event, struct fp_cc_control *control)
{
	fp_bbr3_on_event(&cc->bbr3, conn, event, control);
}

static void on_lost(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    const struct fp_cc_lost *lost,
		    struct fp_cc_control *control)
{
	fp_bbr3_on_lost(&cc->bbr3, conn, lost, control);
}

static const char *state_name(const struct fp_cc *cc,
			      const struct fp_cc_control *control)
{
	return fp_bbr3_state_name(&cc->bbr3);
}

static void get_model(const struct fp_cc *cc, const struct fp_cc_conn *conn,
		      struct fp_cc_model *ret_model)
{
	struct fp_bbr3_model model;

	fp_bbr3_get_model(&cc->bbr3, conn, &model);
	ret_model->bw_bytes_per_s = model.bw_bytes_per_s;
	ret_model->max_bw_bytes_per_s = model.max_bw_bytes_per_s;
	ret_model->min_rtt_us = model.min_rtt_us;
	ret_model->pacing_gain_x256 = model.pacing_gain_x256;
	ret_model->cwnd_gain_x256 = model.cwnd_gain_x256;
	ret_model->extra_acked_pkts = model.extra_acked_pkts;
	ret_model->inflight_longterm_pkts = model.inflight_longterm_pkts;
	ret_model->inflight_shortterm_pkts = model.inflight_shortterm_pkts;
	ret_model->bbr_version = 3;
}

static const struct fp_cc_ops ops = {
	.has_own_recovery = true,
	.wants_pacing = true,
	.sndbuf_expand = 3, /* bbr_sndbuf_expand() */
	.init = init,
	.on_ack = on_ack,
	.on_congestion = on_congestion,
	.on_undo = on_undo,
	.on_state = on_state,
	.on_event = on_event,
	.on_lost = on_lost,
	.state_name = state_name,
};

static uint32_t *switches(struct fp_cc_config *config)
{
	return &config->bbr3.switches;
}

/* A profile leaves FP_BBR3_ECN_LOW, which is no part of one. */
#define PROFILE_BITS (FP_BBR3_DRAFT | (uint32_t)FP_BBR3_DRAIN_BOUND)

static const struct cc_word words[] = {
	{ "google", "as Google's Linux branch v3; the default", PROFILE_BITS,
	  FP_BBR3_GOOGLE, true },
	{ "draft", "as draft-ietf-ccwg-bbr of August 2026", PROFILE_BITS,
	  FP_BBR3_DRAFT, true },
	CC_SWITCH("bytes", FP_BBR3_BYTES,
		  "counts volumes in bytes, not in packets"),
	CC_SWITCH("drain_gain", FP_BBR3_DRAIN_GAIN,
		  "drains at 0.5 of the bandwidth, not at 0.344"),
	CC_SWITCH("drain_timeout", FP_BBR3_DRAIN_TIMEOUT,
		  "drains for no more than three rounds"),
	CC_SWITCH("plain_inflight", FP_BBR3_PLAIN_INFLIGHT,
		  "tests what is in flight, not what will be in the network"),
	CC_SWITCH("down_gain", FP_BBR3_DOWN_GAIN,
		  "goes down at 0.9 of the bandwidth, not at 0.906"),
	CC_SWITCH("exact_shares", FP_BBR3_EXACT_SHARES,
		  "beta 0.7, loss 2 %, headroom 15 %, not 256ths near them"),
	CC_SWITCH("round_growth", FP_BBR3_ROUND_GROWTH,
		  "tests for growth once a round, not at each ACK"),
	CC_SWITCH("loss_exit_now", FP_BBR3_LOSS_EXIT_NOW,
		  "a startup that ends by loss has found the pipe full now"),
	CC_SWITCH("no_sack", FP_BBR3_NO_SACK,
		  "takes any loss for too much where there is no SACK"),
	CC_SWITCH("per_packet", FP_BBR3_PER_PACKET,
		  "lowers the long-term bound for lost packets, not for ACKs"),
	CC_SWITCH("ce_as_loss", FP_BBR3_CE_AS_LOSS,
		  "takes an echo of congestion for a loss"),
	CC_SWITCH("long_aggregation", FP_BBR3_LONG_AGGREGATION,
		  "remembers aggregation for 10 rounds, without a cap"),
	CC_SWITCH("quantum", FP_BBR3_QUANTUM,
		  "sends bursts of 1 ms, whatever the RTT"),
	CC_SWITCH("delivered_growth", FP_BBR3_DELIVERED_GROWTH,
		  "grows freely until an initial window is delivered"),
	CC_SWITCH("undo_state", FP_BBR3_UNDO_STATE,
		  "a loss that was none returns to the search it ended"),
	CC_SWITCH("save_at_loss", FP_BBR3_SAVE_AT_LOSS,
		  "saves what to return to at a round's first loss, too"),
	CC_SWITCH("cruise_bound", FP_BBR3_CRUISE_BOUND,
		  "cruises without lowering the short-term bound"),
	CC_SWITCH("no_ecn_reprobe", FP_BBR3_NO_ECN_REPROBE,
		  "marks that cease start no probe"),
	CC_SWITCH("any_ack_rtt", FP_BBR3_ANY_ACK_RTT,
		  "a delayed ACK may replace an old RTT"),
	CC_SWITCH("no_tlp", FP_BBR3_NO_TLP,
		  "a lost tail that a probe repaired is no loss"),
	CC_SWITCH("probe_rtt_gain", FP_BBR3_PROBE_RTT_GAIN,
		  "the window gain is 0.5, not 1, while it probes the RTT"),
	CC_SWITCH("srtt_start", FP_BBR3_SRTT_START,
		  "starts from the smoothed RTT, not from the least"),
	CC_SWITCH("round_zero", FP_BBR3_ROUND_ZERO,
		  "ends the first round at once"),
	CC_SWITCH("no_fast_path", FP_BBR3_NO_FAST_PATH,
		  "updates all of the model at each ACK"),
	CC_SWITCH("drain_bound", FP_BBR3_DRAIN_BOUND,
		  "the long-term bound holds while it drains; in no profile"),
	CC_SWITCH("restore_cwnd", FP_BBR3_RESTORE_CWND,
		  "the window comes back after fast recovery, too"),
	CC_SWITCH("negative_prefix", FP_BBR3_NEGATIVE_PREFIX,
		  "too many losses before a packet lower the bound further"),
	CC_SWITCH("ecn_low", FP_BBR3_ECN_LOW,
		  "the path marks early, so marks are answered; no difference"),
};

const struct cc_row cc__row_bbr3 = {
	.names = { "bbr3" },
	.ops = &ops,
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
	.switches = switches,
	.default_switches = FP_BBR3_GOOGLE,
	.get_model = get_model,
};
