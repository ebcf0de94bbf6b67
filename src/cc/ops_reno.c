/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cc/registry.h"

#include "cc/window.h"

static void init(struct fp_cc *cc, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control)
{
	fp_reno_init(&cc->reno, conn, control);
}

static void on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	fp_reno_on_ack(&cc->reno, conn, ack, control);
}

static void on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control)
{
	fp_reno_on_congestion(&cc->reno, conn, control);
}

static void on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control)
{
	fp_reno_on_undo(&cc->reno, conn, control);
}

static void on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control)
{
	fp_reno_on_state(&cc->reno, conn, next, control);
}

static const char *state_name(const struct fp_cc *cc,
			      const struct fp_cc_control *control)
{
	return cc__is_in_slow_start(control) ? "slow_start"
					     : "congestion_avoidance";
}

static const struct fp_cc_ops ops = {
	.sndbuf_expand = 2, /* tcp_sndbuf_expand() */
	.init = init,
	.on_ack = on_ack,
	.on_congestion = on_congestion,
	.on_undo = on_undo,
	.on_state = on_state,
	.state_name = state_name,
};

const struct cc_row cc__row_reno = {
	.names = { "reno" },
	.ops = &ops,
};
