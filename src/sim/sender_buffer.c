/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The socket's send buffer, and who holds the transfer back.
 *
 * The application always writes when it may: until the buffer is full, and then
 * again when a third of it is free (sk_stream_is_writeable()). The buffer grows
 * with the window up to tcp_wmem[2] (tcp_sndbuf_expand()).
 */
#include "sim/sender_state.h"

/* struct sk_buff, its head and its shared info, of each skb in the queue. */
#define SKB_OVERHEAD_BYTES 960
/* MAX_TCP_HEADER + shared info, then struct sk_buff, as tcp_sndbuf_expand()
 * counts them. */
#define SNDBUF_HEAD_BYTES  640
#define SNDBUF_SKB_BYTES   256
/* net.ipv4.tcp_wmem[1] */
#define SNDBUF_DEFAULT     16384

void sender__chrono_start(struct sim_sender *sender, enum sender_chrono type)
{
	if (type <= sender->chrono)
		return;
	sender->chrono_ns[sender->chrono] +=
	    sender->now_ns - sender->chrono_start_ns;
	sender->chrono_start_ns = sender->now_ns;
	sender->chrono = type;
}

void sender__chrono_stop(struct sim_sender *sender, enum sender_chrono type)
{
	enum sender_chrono next = SENDER_BUSY;

	if (sender->snd_una == sender->written)
		next = SENDER_IDLE;
	else if (type != sender->chrono)
		return;
	if (next == sender->chrono)
		return;
	sender->chrono_ns[sender->chrono] +=
	    sender->now_ns - sender->chrono_start_ns;
	sender->chrono_start_ns = sender->now_ns;
	sender->chrono = next;
}

static uint32_t round_up_to_power(uint32_t bytes)
{
	uint32_t power = 1;

	while (power < bytes)
		power *= 2;
	return power;
}

void sender__init_buffer(struct sim_sender *sender)
{
	sender->goal_pkts = SENDER_GSO_BYTES / sender->mss_bytes;
	if (!sender->goal_pkts)
		sender->goal_pkts = 1;
	sender->skb_bytes =
	    round_up_to_power(sender->mss_bytes + SNDBUF_HEAD_BYTES) +
	    SNDBUF_SKB_BYTES;
	sender->sndbuf_bytes = SNDBUF_DEFAULT;
}

/* Linux: tcp_sndbuf_expand(). */
void sender__expand_sndbuf(struct sim_sender *sender)
{
	uint32_t pkts = sender->control.cwnd_pkts;
	uint32_t expand = sender->cc.ops->sndbuf_expand;
	uint64_t bytes;

	if (pkts < 10)
		pkts = 10;
	if (pkts <= sender->reordering)
		pkts = sender->reordering + 1;
	if (pkts <= sender->sndbuf_pkts)
		return;
	sender->sndbuf_pkts = pkts;
	bytes = (uint64_t)pkts * sender->skb_bytes * (expand ? expand : 2);
	if (bytes > sender->tcp.wmem_max_bytes)
		bytes = sender->tcp.wmem_max_bytes;
	if (bytes > sender->sndbuf_bytes)
		sender->sndbuf_bytes = bytes;
}

/* What the queue takes (Linux: sk_wmem_queued). The application fills skbs of
 * goal_pkts; the bursts that they leave in have an overhead each. */
static uint64_t queued_bytes(const struct sim_sender *sender)
{
	uint64_t sent = sender__packets_out(sender);
	uint64_t unsent = sender->written - sender->snd_nxt;

	return (sent + unsent) * sender->mss_bytes +
	       (sent / sender->burst_pkts + unsent / sender->goal_pkts) *
		   SKB_OVERHEAD_BYTES;
}

/* Linux: tcp_rate_check_app_limited(), as the application begins to write. */
static void check_app_limited(struct sim_sender *sender)
{
	if (sender__has(sender, FP_SIM_APP_LIMITED) &&
	    sender->written == sender->snd_nxt &&
	    sender__inflight(sender) < sender->control.cwnd_pkts &&
	    sender->lost_out <= sender->retrans_out)
		fp_rate_mark_app_limited(&sender->rate,
					 sender__inflight(sender));
}

/* A full buffer: will the application be woken (tcp_check_space())? */
static bool has_new_space(struct sim_sender *sender)
{
	uint64_t bytes =
	    (sender->written - sender->snd_una) * sender->mss_bytes;

	/* tcp_should_expand_sndbuf() */
	if (sender__inflight(sender) < sender->control.cwnd_pkts)
		sender__expand_sndbuf(sender);
	return bytes * 3 <= sender->sndbuf_bytes * 2 &&
	       queued_bytes(sender) * 3 <= sender->sndbuf_bytes * 2;
}

void sender__fill(struct sim_sender *sender)
{
	uint64_t queued, pkts;

	if (sender->has_no_space && !has_new_space(sender))
		return;
	queued = queued_bytes(sender);
	if (queued >= sender->sndbuf_bytes)
		return;
	check_app_limited(sender);
	sender__check_idle(sender);
	/* The last skb may reach over the limit. */
	pkts = (sender->sndbuf_bytes - queued) / sender->mss_bytes +
	       sender->goal_pkts;
	if (pkts > sender->supply.end - sender->written)
		pkts = sender->supply.end - sender->written;
	sender->written += pkts;
	sender->has_no_space = sender->written < sender->supply.end;
	sender__chrono_start(sender, SENDER_BUSY);
	if (sender->chrono == SENDER_SNDBUF_LIMITED)
		sender__chrono_stop(sender, SENDER_SNDBUF_LIMITED);
}
