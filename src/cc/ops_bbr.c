/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cc/registry.h"

static void init(struct fp_cc *cc, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control)
{
	fp_bbr_init(&cc->bbr, conn, control);
}

static void on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	fp_bbr_on_ack(&cc->bbr, conn, ack, control);
}

static void on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control)
{
	fp_bbr_on_congestion(&cc->bbr, conn, control);
}

static void on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control)
{
	fp_bbr_on_undo(&cc->bbr, conn, control);
}

static void on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control)
{
	fp_bbr_on_state(&cc->bbr, conn, next, control);
}

static void on_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_cc_event event, struct fp_cc_control *control)
{
	fp_bbr_on_event(&cc->bbr, conn, event, control);
}

static const char *state_name(const struct fp_cc *cc,
			      const struct fp_cc_control *control)
{
	return fp_bbr_state_name(&cc->bbr);
}

static void get_model(const struct fp_cc *cc, const struct fp_cc_conn *conn,
		      struct fp_cc_model *ret_model)
{
	struct fp_bbr_model model;

	fp_bbr_get_model(&cc->bbr, conn, &model);
	ret_model->bw_bytes_per_s = model.bw_bytes_per_s;
	ret_model->max_bw_bytes_per_s = model.max_bw_bytes_per_s;
	ret_model->min_rtt_us = model.min_rtt_us;
	ret_model->pacing_gain_x256 = model.pacing_gain_x256;
	ret_model->cwnd_gain_x256 = model.cwnd_gain_x256;
	ret_model->extra_acked_pkts = model.extra_acked_pkts;
	ret_model->inflight_longterm_pkts = UINT32_MAX;
	ret_model->inflight_shortterm_pkts = UINT32_MAX;
	ret_model->bbr_version = 1;
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
	.state_name = state_name,
};

const struct cc_row cc__row_bbr = {
	.names = { "bbr", "bbr1" },
	.ops = &ops,
	.get_model = get_model,
};
