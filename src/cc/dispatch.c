/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of fullpipe/cc.h that only call the algorithm's own. */
#include "fullpipe/cc.h"

void fp_cc_on_rtt(struct fp_cc *cc, const struct fp_cc_conn *conn,
		  uint32_t rtt_us, struct fp_cc_control *control)
{
	if (cc->ops->on_rtt)
		cc->ops->on_rtt(cc, conn, rtt_us, control);
}

void fp_cc_on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		  const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	cc->ops->on_ack(cc, conn, ack, control);
}

void fp_cc_on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			 struct fp_cc_control *control)
{
	cc->ops->on_congestion(cc, conn, control);
}

void fp_cc_on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   struct fp_cc_control *control)
{
	cc->ops->on_undo(cc, conn, control);
}

void fp_cc_on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    enum fp_ca_state next, struct fp_cc_control *control)
{
	if (cc->ops->on_state)
		cc->ops->on_state(cc, conn, next, control);
}

void fp_cc_on_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    enum fp_cc_event event, struct fp_cc_control *control)
{
	if (cc->ops->on_event)
		cc->ops->on_event(cc, conn, event, control);
}

void fp_cc_on_lost(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_lost *lost, struct fp_cc_control *control)
{
	if (cc->ops->on_lost)
		cc->ops->on_lost(cc, conn, lost, control);
}

const char *fp_cc_state_name(const struct fp_cc *cc,
			     const struct fp_cc_control *control)
{
	return cc->ops->state_name(cc, control);
}
