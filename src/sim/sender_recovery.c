/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loss recovery's states. Linux: tcp_fastretrans_alert() and what it calls.
 *
 *	OPEN ---- SACK, dupack ----> DISORDER ---- loss ----> RECOVERY
 *	  |  \------- ECE ---> CWR -------------- loss -------^  |
 *	  |<----- high_seq acknowledged, or undone --------------/
 *	any ---- RTO ----> LOSS ---- high_seq acknowledged, undone ----> OPEN
 *
 * Undo: by timestamps (Eifel, RFC 3522 and 4015), by D-SACKs of all that was
 * retransmitted (RFC 3708), and of timeouts by F-RTO with SACK (RFC 5682).
 */
#include "sim/sender_state.h"

static bool has_sack(const struct sim_sender *sender)
{
	return sender__has(sender, FP_SIM_SACK);
}

/* Linux: tcp_any_retrans_done(). */
static bool any_retrans(const struct sim_sender *sender)
{
	return sender->retrans_out ||
	       (sender->snd_una < sender->snd_nxt &&
		sender__pkt(sender, sender->snd_una)->flags & SENDER_EVER);
}

/* Linux: tcp_packet_delayed(): what was acknowledged left before the first
 * retransmission, or nothing was retransmitted yet. Without SACK the stamp may
 * have been cleared at high_seq. */
static bool was_delayed(const struct sim_sender *sender,
			const struct sender_ack *ack)
{
	if (sender->retrans_stamp_us)
		return sender__ecr_before(ack, sender->retrans_stamp_us);
	return has_sack(sender) || sender->snd_una < sender->high_seq;
}

/* Linux: tcp_may_undo(). NULL: no. */
static const char *may_undo(const struct sim_sender *sender,
			    const struct sender_ack *ack)
{
	if (!sender->has_undo_marker || !sender__has(sender, FP_SIM_UNDO))
		return NULL;
	if (!sender->undo_retrans)
		return "dsack";
	return was_delayed(sender, ack) ? "eifel" : NULL;
}

/* Linux: tcp_init_undo(). */
static void init_undo(struct sim_sender *sender)
{
	sender->has_undo_marker = true;
	sender->undo_marker = sender->snd_una;
	sender->undo_retrans =
	    sender->retrans_out ? (int32_t)sender->retrans_out : -1;
}

void sender__enter_recovery(struct sim_sender *sender, bool is_ece)
{
	sender->counters.recoveries++;
	sender->prior_ssthresh_pkts = 0;
	init_undo(sender);
	if (!sender__in_reduction(sender)) {
		if (!is_ece)
			sender->prior_ssthresh_pkts =
			    sender__current_ssthresh(sender);
		sender__init_reduction(sender);
	}
	sender__cc_set_state(sender, FP_CA_RECOVERY);
}

/* Linux: tcp_enter_loss(). */
void sender__enter_loss(struct sim_sender *sender)
{
	bool is_new = sender->ca_state < FP_CA_RECOVERY;

	sender__mark_timeout(sender);
	/* once a window */
	if (sender->ca_state <= FP_CA_DISORDER ||
	    sender->high_seq <= sender->snd_una ||
	    (sender->ca_state == FP_CA_LOSS && !sender->retransmits)) {
		sender->prior_ssthresh_pkts = sender__current_ssthresh(sender);
		sender->prior_cwnd_pkts = sender->control.cwnd_pkts;
		sender__cc_congestion(sender);
		sender__cc_event(sender, FP_CC_LOSS);
		init_undo(sender);
	}
	sender->control.cwnd_pkts = sender__inflight(sender) + 1;
	sender->cwnd_stamp_ns = sender->now_ns;
	if (sender->ca_state <= FP_CA_DISORDER &&
	    sender->sacked_out >= SENDER_REORDERING &&
	    sender->reordering > SENDER_REORDERING)
		sender->reordering = SENDER_REORDERING;
	sender__cc_set_state(sender, FP_CA_LOSS);
	sender->high_seq = sender->snd_nxt;
	sender->owes_cwr = sender->tcp.has_ecn;
	sender->has_frto =
	    sender__has(sender, FP_SIM_FRTO) && (is_new || sender->retransmits);
}

static void enter_cwr(struct sim_sender *sender)
{
	sender->prior_ssthresh_pkts = 0; /* congestion is proven: no undo */
	if (sender->ca_state < FP_CA_CWR) {
		sender->has_undo_marker = false;
		sender__init_reduction(sender);
		sender__cc_set_state(sender, FP_CA_CWR);
	}
}

void sender__try_keep_open(struct sim_sender *sender)
{
	enum fp_ca_state state = FP_CA_OPEN;

	if (sender->sacked_out + sender->lost_out || any_retrans(sender))
		state = FP_CA_DISORDER;
	if (sender->ca_state != state) {
		sender__cc_set_state(sender, state);
		sender->high_seq = sender->snd_nxt;
	}
}

static void try_to_open(struct sim_sender *sender, bool is_ece)
{
	if (!any_retrans(sender))
		sender->retrans_stamp_us = 0;
	if (is_ece)
		enter_cwr(sender);
	if (sender->ca_state != FP_CA_CWR)
		sender__try_keep_open(sender);
}

/* Linux: tcp_is_non_sack_preventing_reopen(): RFC 6582, 3.2: the state holds
 * until something above high_seq is acknowledged. */
static bool holds_for_newreno(struct sim_sender *sender)
{
	if (sender->snd_una != sender->high_seq || has_sack(sender))
		return false;
	if (!any_retrans(sender))
		sender->retrans_stamp_us = 0;
	return true;
}

/* Linux: tcp_try_undo_recovery(). Returns true where the state holds. */
static bool try_undo_recovery(struct sim_sender *sender,
			      const struct sender_ack *ack)
{
	const char *reason = may_undo(sender, ack);

	if (reason)
		sender__undo_reduction(sender, false, reason);
	else if (sender->rack.persist)
		sender->rack.persist--;
	if (holds_for_newreno(sender))
		return true;
	sender__cc_set_state(sender, FP_CA_OPEN);
	sender->has_reneged = false;
	return false;
}

static bool try_undo_dsack(struct sim_sender *sender)
{
	if (!sender->has_undo_marker || sender->undo_retrans ||
	    !sender__has(sender, FP_SIM_UNDO))
		return false;
	if (sender->rack.persist < 16)
		sender->rack.persist++;
	sender__undo_reduction(sender, false, "dsack");
	return true;
}

static bool try_undo_loss(struct sim_sender *sender,
			  const struct sender_ack *ack, bool is_frto)
{
	const char *reason = is_frto ? "frto" : may_undo(sender, ack);

	if (!reason)
		return false;
	sender__undo_reduction(sender, true, reason);
	sender->retransmits = 0;
	if (holds_for_newreno(sender))
		return true;
	if (is_frto || has_sack(sender)) {
		sender__cc_set_state(sender, FP_CA_OPEN);
		sender->has_reneged = false;
	}
	return true;
}

/* Linux: tcp_try_undo_partial(). Returns true where nothing more is to be
 * marked or sent again for now. */
static bool try_undo_partial(struct sim_sender *sender,
			     const struct sender_ack *ack, bool *is_losing)
{
	if (!sender->has_undo_marker || !was_delayed(sender, ack) ||
	    !sender__has(sender, FP_SIM_UNDO)) {
		*is_losing =
		    sender__fack(sender) > sender->snd_una + sender->reordering;
		return false;
	}
	sender__saw_reordering(sender, ack->prior_una);
	if (sender->retrans_out)
		return true;
	if (!any_retrans(sender))
		sender->retrans_stamp_us = 0;
	sender__undo_reduction(sender, true, "eifel");
	sender__try_keep_open(sender);
	return false;
}

/* Linux: tcp_check_reno_reordering(): more duplicate ACKs than packets that
 * could have caused them came of reordering. */
static void check_reno_reordering(struct sim_sender *sender, uint32_t addend)
{
	uint32_t packets_out = sender__packets_out(sender);
	uint32_t holes = sender->lost_out ? sender->lost_out : 1;
	uint32_t most = packets_out + addend;

	if (holes > packets_out)
		holes = packets_out;
	if (sender->sacked_out + holes <= packets_out)
		return;
	sender->sacked_out = packets_out - holes;
	sender->reordering =
	    most < SENDER_REORDER_MAX ? most : SENDER_REORDER_MAX;
	sender->reord_seen++;
}

/* Linux: tcp_add_reno_sack(): a duplicate ACK stands for one that left. */
static void add_reno_sack(struct sim_sender *sender, struct sender_ack *ack)
{
	uint32_t prior = sender->sacked_out;

	if (!ack->dupacks)
		return;
	sender->sacked_out += ack->dupacks;
	check_reno_reordering(sender, 0);
	if (sender->sacked_out > prior)
		ack->delivered += sender->sacked_out - prior;
}

void sender__remove_reno_sacks(struct sim_sender *sender,
			       struct sender_ack *ack)
{
	uint32_t acked = ack->acked_pkts;

	if (acked) {
		/* One filled a hole, the rest had told of themselves. */
		ack->delivered += acked > sender->sacked_out + 1
				      ? acked - sender->sacked_out
				      : 1;
		sender->sacked_out -= acked - 1 >= sender->sacked_out
					  ? sender->sacked_out
					  : acked - 1;
	}
	check_reno_reordering(sender, acked);
}

/* Linux: tcp_identify_packet_loss(). */
static void identify_loss(struct sim_sender *sender, struct sender_ack *ack)
{
	uint32_t prior_retrans = sender->retrans_out;

	if (sender->snd_una == sender->snd_nxt)
		return;
	if (!has_sack(sender)) {
		sender__newreno_mark(sender,
				     ack->flags & SENDER_ACK_UNA_ADVANCED);
		return;
	}
	if (!sender__has(sender, FP_SIM_RACK))
		return;
	if (sender__rack_mark(sender))
		ack->flags &= ~SENDER_ACK_SET_TIMER;
	if (prior_retrans > sender->retrans_out)
		ack->flags |= SENDER_ACK_LOST_RETRANS;
}

/* Linux: tcp_time_to_recover(). */
static bool is_time_to_recover(const struct sim_sender *sender)
{
	return sender->lost_out ||
	       (!sender__has(sender, FP_SIM_RACK) &&
		sender->sacked_out + 1 > sender->reordering);
}

/* F-RTO, RFC 5682, 3.1, SACK-enhanced. Returns true where it decided. */
static bool process_frto(struct sim_sender *sender, struct sender_ack *ack,
			 bool is_recovered)
{
	if (ack->flags & SENDER_ACK_ORIG &&
	    try_undo_loss(sender, ack, true)) /* step 3.b: spurious */
		return true;
	if (sender->snd_nxt > sender->high_seq) {
		if (ack->flags & SENDER_ACK_DATA_SACKED || ack->dupacks)
			sender->has_frto = false; /* step 3.a: real */
		return false;
	}
	if (!(ack->flags & SENDER_ACK_UNA_ADVANCED) || is_recovered)
		return false;
	sender->high_seq = sender->snd_nxt;
	if (sender->snd_nxt < sender->written &&
	    sender__fits_window(sender, sender->snd_nxt)) {
		ack->rexmit = SENDER_REXMIT_NEW; /* step 2.b */
		return true;
	}
	sender->has_frto = false;
	return false;
}

/* Linux: tcp_process_loss(). */
static void process_loss(struct sim_sender *sender, struct sender_ack *ack)
{
	bool is_recovered = sender->snd_una >= sender->high_seq;

	if (ack->flags & SENDER_ACK_UNA_ADVANCED &&
	    try_undo_loss(sender, ack, false))
		return;
	if (sender->has_frto && process_frto(sender, ack, is_recovered))
		return;
	if (is_recovered) {
		(void)try_undo_recovery(sender, ack);
		return;
	}
	if (!has_sack(sender)) {
		if (sender->snd_nxt > sender->high_seq && ack->dupacks)
			add_reno_sack(sender, ack);
		else if (ack->flags & SENDER_ACK_UNA_ADVANCED)
			sender->sacked_out = 0;
	}
	ack->rexmit = SENDER_REXMIT_LOST;
}

/* Linux: tcp_check_sack_reneging(). A SACK seems to be taken back: the RTO is
 * to decide, soon. */
static bool check_reneging(struct sim_sender *sender, struct sender_ack *ack)
{
	uint64_t us = sender->srtt_us_x8 >> 4;

	if (!(ack->flags & SENDER_ACK_RENEGING) ||
	    !(ack->flags & SENDER_ACK_UNA_ADVANCED))
		return false;
	sender__set_timer(sender, SENDER_TIMER_RTO,
			  sender__to_jiffies(sender, us > 10000 ? us : 10000));
	ack->flags &= ~SENDER_ACK_SET_TIMER;
	return true;
}

/* Step D of the kernel's function: states that end with high_seq. Returns true
 * where the state holds. */
static bool leave_state(struct sim_sender *sender, const struct sender_ack *ack)
{
	if (sender->ca_state == FP_CA_OPEN) {
		sender->retrans_stamp_us = 0;
		return false;
	}
	if (sender->snd_una < sender->high_seq)
		return false;
	if (sender->ca_state == FP_CA_CWR) {
		/* held until above high_seq, so that CWR arrives */
		if (sender->snd_una != sender->high_seq) {
			sender__end_reduction(sender);
			sender__cc_set_state(sender, FP_CA_OPEN);
		}
	} else if (sender->ca_state == FP_CA_RECOVERY) {
		if (!has_sack(sender))
			sender->sacked_out = 0;
		if (try_undo_recovery(sender, ack))
			return true;
		sender__end_reduction(sender);
	}
	return false;
}

/* In RECOVERY. Returns true where the ACK is done with. */
static bool process_recovery(struct sim_sender *sender, struct sender_ack *ack,
			     bool *is_losing)
{
	if (!(ack->flags & SENDER_ACK_UNA_ADVANCED)) {
		if (!has_sack(sender))
			add_reno_sack(sender, ack);
	} else if (try_undo_partial(sender, ack, is_losing)) {
		return true;
	}
	if (try_undo_dsack(sender))
		sender__try_keep_open(sender);
	identify_loss(sender, ack);
	if (sender->ca_state != FP_CA_RECOVERY) {
		if (!is_time_to_recover(sender))
			return true;
		/* undone, and yet something is lost: once more */
		sender__enter_recovery(sender, ack->flags & SENDER_ACK_ECE);
	}
	return false;
}

/* In OPEN, DISORDER or CWR. Returns true where no recovery begins. */
static bool process_open(struct sim_sender *sender, struct sender_ack *ack)
{
	if (!has_sack(sender)) {
		if (ack->flags & SENDER_ACK_UNA_ADVANCED)
			sender->sacked_out = 0;
		add_reno_sack(sender, ack);
	}
	if (sender->ca_state <= FP_CA_DISORDER)
		(void)try_undo_dsack(sender);
	identify_loss(sender, ack);
	if (!is_time_to_recover(sender)) {
		try_to_open(sender, ack->flags & SENDER_ACK_ECE);
		return true;
	}
	sender__enter_recovery(sender, ack->flags & SENDER_ACK_ECE);
	return false;
}

void sender__alert(struct sim_sender *sender, struct sender_ack *ack)
{
	bool is_losing =
	    ack->dupacks ||
	    (ack->flags & SENDER_ACK_DATA_SACKED &&
	     sender__fack(sender) > sender->snd_una + sender->reordering);
	bool is_fast = false;

	if (sender->snd_una == sender->snd_nxt)
		sender->sacked_out = 0;
	if (ack->flags & SENDER_ACK_ECE)
		sender->prior_ssthresh_pkts = 0;
	if (check_reneging(sender, ack) || leave_state(sender, ack))
		return;
	if (sender->ca_state == FP_CA_RECOVERY) {
		if (process_recovery(sender, ack, &is_losing))
			return;
	} else {
		if (sender->ca_state == FP_CA_LOSS) {
			process_loss(sender, ack);
			identify_loss(sender, ack);
			if (sender->ca_state != FP_CA_OPEN &&
			    !(ack->flags & SENDER_ACK_LOST_RETRANS))
				return;
		}
		if (process_open(sender, ack))
			return;
		is_fast = true;
	}
	if (!sender__has(sender, FP_SIM_RACK) && is_losing)
		sender__update_scoreboard(sender, is_fast);
	ack->rexmit = SENDER_REXMIT_LOST;
}
