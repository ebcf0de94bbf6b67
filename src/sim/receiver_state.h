/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_RECEIVER_STATE_H
#define SIM_RECEIVER_STATE_H

/*
 * What the files of the receiver share. receiver.c takes packets, and
 * receiver_ack.c says when an ACK goes. Names in brackets are those of Linux
 * 6.1, net/ipv4/tcp_input.c and tcp_output.c.
 */

#include "sim/reassembly.h"
#include "sim/receiver.h"
#include "sim/window.h"

#define NS_PER_US           UINT64_C(1000)
#define NS_PER_S            UINT64_C(1000000000)
/* TCP_ATO_MIN and TCP_DELACK_MIN; HZ / 2: the longest wait */
#define RECEIVER_ATO_NS     UINT64_C(40000000)
#define RECEIVER_ATO_MAX_NS UINT64_C(500000000)
/* TCP_MAX_QUICKACKS; after a mark of congestion */
#define RECEIVER_QUICK_MAX  16u
#define RECEIVER_QUICK_CE   2u

enum receiver_state { RECEIVER_LISTENS, RECEIVER_ANSWERED, RECEIVER_OPEN };

struct sim_receiver {
	struct sim_receiver_config config;
	struct sim_reassembly set;
	struct sim_window window;
	enum receiver_state state;
	/* the stream */
	uint64_t next_bytes;   /* position of set.next */
	uint64_t short_seq;    /* a packet below the MSS: only the last one */
	uint64_t short_bytes;  /* what it lacks; 0: none was seen */
	uint64_t fin_seq;      /* end of the stream; UINT64_MAX: not known */
	uint64_t acked_seq;    /* set.next of the last ACK (rcv_wup) */
	uint64_t acked_bytes;  /* the same as a position */
	uint64_t ts_recent_us; /* what the next ACK echoes */
	/* when to say it */
	uint64_t delayed_at_ns;  /* icsk_delack_timer; FP_TIME_NEVER: not set */
	uint64_t ato_ns;         /* how long an ACK may wait; 0: no data yet */
	uint64_t received_ns;    /* last data in order (lrcvtime) */
	uint64_t handshake_us;   /* RTT of the handshake; 0: not known */
	uint64_t compress_at_ns; /* compressed_ack_timer */
	uint64_t compress_seq;   /* compressed_ack_rcv_nxt */
	uint32_t compressed;     /* ACKs that wait for it */
	uint32_t dupacks;        /* dup_ack_counter */
	uint32_t quick;          /* ACKs that are yet to be sent at once */
	bool is_due, is_due_now; /* ICSK_ACK_SCHED, ICSK_ACK_NOW */
	bool is_pushed;          /* ICSK_ACK_PUSHED */
	bool has_ect, has_ce;    /* TCP_ECN_SEEN, TCP_ECN_DEMAND_CWR */
	/* what it sends itself */
	uint64_t resend_at_ns; /* SYN-ACK or request once more */
	uint64_t resend_ns;    /* after so long */
	uint64_t request_seq;  /* set.next when the request was made */
	uint32_t requests;
};

static inline bool receiver_has(const struct sim_receiver *receiver,
				enum fp_sim_part part)
{
	return !(receiver->config.tcp.without & part);
}

/* Memory that waits behind a hole, as payload. */
static inline uint64_t receiver_held_bytes(const struct sim_receiver *receiver)
{
	return (uint64_t)receiver->set.held * receiver->config.mss_bytes;
}

/* Sends what every packet of this side says, with what segment adds; the ACK
 * counters and timers start anew. */
void receiver__send(struct sim_receiver *receiver, struct sim_segment *segment,
		    uint64_t now_ns);
void receiver__send_synack(struct sim_receiver *receiver, uint64_t now_ns);
void receiver__send_ack(struct sim_receiver *receiver, uint64_t now_ns);

/* The next ACKs, at most so many, go at once (tcp_incr_quickack()). */
void receiver__add_quick(struct sim_receiver *receiver, uint32_t most);
/* Something is wrong, and the sender wants to know now
 * (tcp_enter_quickack_mode()). */
void receiver__be_quick(struct sim_receiver *receiver, uint32_t most);
/* How long an ACK may wait follows the gaps between arrivals. */
void receiver__adapt_ato(struct sim_receiver *receiver, uint64_t now_ns);
/* Sends an ACK that is due, or says when (__tcp_ack_snd_check()). */
void receiver__check_ack(struct sim_receiver *receiver, uint64_t now_ns);
/* The application reads, which can make an ACK due (tcp_rcv_space_adjust(),
 * tcp_cleanup_rbuf()). */
void receiver__read(struct sim_receiver *receiver, uint64_t now_ns);

#endif
