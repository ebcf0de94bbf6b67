/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the sender share.
 *
 * Packets in flight live in a ring, by number. A packet is on at most one list:
 * the sent list, by time of its last departure (Linux: tsorted_sent_queue),
 * which RACK looks at from the old end; or the lost list, by number, of what is
 * to be sent again. A run of SACKed packets is on none: its first packet knows
 * the run's end and its last one the start, so no SACK block is walked twice.
 *
 * Names, order and flags follow Linux 6.x net/ipv4/tcp_{input,output,recovery,
 * timer,rate}.c, so that both can be read side by side.
 */
#ifndef SIM_SENDER_STATE_H
#define SIM_SENDER_STATE_H

#include "base/prng.h"
#include "sim/sender.h"

/* Times in µs start there, so that 0 can mean "none" as in Linux. */
#define SENDER_EPOCH_US    SIM_EPOCH_US
#define SENDER_EPOCH_NS    (SENDER_EPOCH_US * 1000)
#define SENDER_NS_PER_S    UINT64_C(1000000000)
#define SENDER_US_PER_S    1000000u
/* Linux: TCP_RTO_MAX, TCP_TIMEOUT_INIT, TCP_TIMEOUT_MIN_US. */
#define SENDER_RTO_MAX_S   120u
#define SENDER_RTO_INIT_S  1u
#define SENDER_TIMEOUT_US  2000u
/* net.ipv4.tcp_reordering and tcp_max_reordering. */
#define SENDER_REORDERING  3u
#define SENDER_REORDER_MAX 300u
/* sk_gso_max_size: 65536 less room for headers (MAX_TCP_HEADER + 1). */
#define SENDER_GSO_BYTES   65215u

/* struct sender_pkt.flags; Linux: TCPCB_SACKED_ACKED and so on. */
#define SENDER_SACKED  0x01u
#define SENDER_LOST    0x02u
#define SENDER_RETRANS 0x04u /* a retransmission is in flight */
#define SENDER_EVER    0x08u /* was sent more than once */
#define SENDER_ON_SENT 0x10u /* on the sent list */
#define SENDER_ON_LOST 0x20u /* on the lost list */
#define SENDER_PUSH    0x40u /* ended a burst: leaves with PSH */

struct sender_pkt {
	struct fp_rate_pkt rate;
	uint32_t prev, next; /* low bits of packet numbers: of the list it is
				on, or of the ends of its run */
	uint32_t unit;       /* the burst (skb) that it left in */
	uint8_t flags;       /* SENDER_… */
};
_Static_assert(sizeof(struct sender_pkt) <= 64, "a packet is a cache line");

struct sender_list {
	uint32_t head, tail; /* low bits; no meaning while count is 0 */
	uint32_t count;
};

/* What the one retransmission timer is set for (Linux: icsk_pending). */
enum sender_timer {
	SENDER_TIMER_NONE,
	SENDER_TIMER_RTO,     /* RFC 6298 */
	SENDER_TIMER_PROBE,   /* tail loss probe, RFC 8985, 7 */
	SENDER_TIMER_REORDER, /* RACK's, RFC 8985, 6.3 */
	SENDER_TIMER_PERSIST, /* zero window, RFC 9293, 3.8.6.1 */
};

/* Linux: tcp_chrono. */
enum sender_chrono {
	SENDER_IDLE,
	SENDER_BUSY,
	SENDER_RWND_LIMITED,
	SENDER_SNDBUF_LIMITED,
};

/* Windowed minimum (Linux: lib/win_minmax.c): best, second and third best. */
struct sender_min_rtt {
	uint64_t at_us[3];
	uint32_t rtt_us[3];
};

struct sender_rack {
	uint64_t sent_us; /* of the packet delivered that left last */
	uint64_t end;     /* its number + 1 */
	uint32_t unit;    /* its burst */
	uint32_t rtt_us;
	uint32_t last_delivered; /* at the last change of steps */
	uint8_t steps;           /* of min_rtt / 4 in the reordering window */
	uint8_t persist;         /* recoveries that steps survive */
	bool has_advanced;
	bool has_dsack;
};

/* Packets given up together, told to the algorithm as one. */
struct sender_lost_run {
	uint64_t start;
	uint32_t pkts, unit;
	struct fp_cc_lost cc;
	const char *reason;
};

struct sender_counters {
	uint64_t sent_bytes, retrans_bytes;
	uint64_t sent_pkts, retrans_pkts, spurious_pkts;
	uint64_t timeouts, recoveries, undos, tail_probes;
};

struct sim_sender {
	/* what each ACK touches */
	uint64_t now_ns, now_us; /* of the running event; µs from the epoch */
	uint64_t ts_recent_us;   /* the peer's latest, to echo (RFC 7323, 4.3)
				  */
	struct sender_pkt *ring;
	uint32_t mask; /* packets in the ring - 1 */
	uint32_t mss_bytes;
	uint64_t snd_una, snd_nxt; /* packets */
	uint64_t written;          /* the application's data in the socket */
	uint64_t wnd_end_bytes, snd_wnd_bytes, max_window_bytes;
	uint32_t sacked_out, lost_out, retrans_out;
	struct sender_list sent, lost;
	uint64_t fack;        /* after the highest SACKed packet */
	uint64_t lost_finger; /* where the lost list grew last */
	struct fp_rate rate;
	struct sender_rack rack;
	const struct sender_ack *ack; /* that is being worked off, until its
					 deliveries are counted; else NULL */
	/* loss recovery */
	enum fp_ca_state ca_state;
	uint64_t high_seq, undo_marker, tlp_high_seq;
	uint64_t retrans_stamp_us; /* of the first retransmission; 0: none */
	uint32_t prior_ssthresh_pkts, prior_cwnd_pkts;
	uint32_t prr_delivered, prr_out;
	int32_t undo_retrans;
	uint32_t reordering, reord_seen, dsack_dups;
	uint64_t lost_hint; /* without RACK: marked up to here */
	uint32_t lost_hint_sacked;
	bool has_lost_hint, has_undo_marker, is_tlp_retrans, has_frto;
	bool has_reneged, owes_cwr;
	struct sender_lost_run lost_run;
	/* round trips and timers */
	struct sender_min_rtt min_rtt;
	uint32_t srtt_us_x8, mdev_us_x4, mdev_max_us_x4, rttvar_us_x4;
	uint32_t rto_min_us;
	uint64_t rtt_seq;
	uint32_t rto_jiffies, backoff, retransmits;
	uint32_t jiffy_us;
	uint64_t jiffies_per_us_shl46;
	uint64_t jiffy_ns, jiffies, jiffies_until_ns; /* the tick that runs */
	enum sender_timer timer;
	uint64_t timer_ns; /* when it is due */
	uint64_t armed_ns; /* <= timer_ns: what wake_ns tells */
	uint64_t pace_ns;  /* the pacer holds packets until then */
	/* departure */
	uint64_t edt_ns;  /* earliest departure of the next packet */
	uint64_t sent_ns; /* of the last data (Linux: lsndtime) */
	uint32_t sent_ticks;
	uint64_t segs_out;
	uint32_t next_unit;
	uint32_t goal_pkts; /* length of an skb that the application fills */
	uint64_t max_packets_seq;
	uint32_t max_packets_out, cwnd_used_pkts;
	uint64_t cwnd_stamp_ns;
	bool is_cwnd_limited, is_paced;
	/* the socket's buffer */
	struct sim_supply supply;
	uint64_t sndbuf_bytes;
	uint32_t sndbuf_pkts; /* window that it was made for */
	uint32_t skb_bytes;   /* what a packet counts for in that */
	uint32_t burst_pkts;  /* of the last burst */
	bool has_no_space;
	enum sender_chrono chrono;
	uint64_t chrono_start_ns, chrono_ns[4];
	/* the algorithm */
	struct fp_cc cc;
	struct fp_cc_conn conn;
	struct fp_cc_control control;
	uint64_t default_pacing_bytes_per_s;
	struct fp_prng prng;
	const struct fp_cc_config *cc_config;
	/* the rest */
	struct fp_sim_tcp tcp;
	struct sim_port port;
	const struct fp_sim_watch *watch; /* NULL: nobody looks at events */
	const char *cc_state;             /* as last told */
	struct sender_counters counters;
	uint32_t flow, start_pkts;
	uint64_t rate_delivered, rate_interval_us; /* of the last good sample */
	uint64_t seed, open_window_bytes;
	uint32_t open_rtt_us;
	bool starts_open, is_open, is_syn_sent, has_no_memory;
};

/* Of one ACK; Linux: the locals of tcp_ack() and struct tcp_sacktag_state. */
struct sender_ack {
	const struct sim_segment *segment;
	uint64_t to; /* what it acknowledges */
	uint64_t prior_una, prior_fack;
	uint32_t prior_sacked, prior_lost;
	uint64_t reord; /* lowest packet that came out of order */
	uint64_t first_sack_us, last_sack_us, first_ack_us, last_ack_us;
	uint32_t flags;      /* SENDER_ACK_… */
	uint32_t delivered;  /* newly */
	uint32_t acked_pkts; /* by moving snd_una */
	uint32_t dupacks;
	enum {
		SENDER_REXMIT_NONE,
		SENDER_REXMIT_LOST,
		SENDER_REXMIT_NEW
	} rexmit;
	struct fp_cc_ack cc;
};

/* struct sender_ack.flags; Linux: FLAG_… */
#define SENDER_ACK_DATA         0x0001u
#define SENDER_ACK_WIN_UPDATE   0x0002u
#define SENDER_ACK_DATA_ACKED   0x0004u
#define SENDER_ACK_RETRANS      0x0008u /* FLAG_RETRANS_DATA_ACKED */
#define SENDER_ACK_DATA_SACKED  0x0010u
#define SENDER_ACK_ECE          0x0020u
#define SENDER_ACK_LOST_RETRANS 0x0040u
#define SENDER_ACK_ORIG         0x0080u /* FLAG_ORIG_SACK_ACKED */
#define SENDER_ACK_UNA_ADVANCED 0x0100u
#define SENDER_ACK_DSACK        0x0200u /* FLAG_DSACKING_ACK */
#define SENDER_ACK_SET_TIMER    0x0400u
#define SENDER_ACK_RENEGING     0x0800u
#define SENDER_ACK_DELAYED      0x1000u
#define SENDER_ACK_DSACK_TLP    0x2000u
#define SENDER_ACK_NOT_DUP                                                     \
	(SENDER_ACK_DATA | SENDER_ACK_WIN_UPDATE | SENDER_ACK_DATA_ACKED)
#define SENDER_ACK_ALERT                                                       \
	(SENDER_ACK_DATA_SACKED | SENDER_ACK_ECE | SENDER_ACK_DSACK)
#define SENDER_ACK_PROGRESS (SENDER_ACK_DATA_ACKED | SENDER_ACK_DATA_SACKED)

static inline struct sender_pkt *sender__pkt(const struct sim_sender *sender,
					     uint64_t seq)
{
	return &sender->ring[(uint32_t)seq & sender->mask];
}

/* The packet number whose low bits are these, in the window. */
static inline uint64_t sender__seq(const struct sim_sender *sender,
				   uint32_t low)
{
	return sender->snd_una + (uint32_t)(low - (uint32_t)sender->snd_una);
}

static inline bool sender__has(const struct sim_sender *sender,
			       enum fp_sim_part part)
{
	return !(sender->tcp.without & (uint32_t)part);
}

static inline uint32_t sender__packets_out(const struct sim_sender *sender)
{
	return (uint32_t)(sender->snd_nxt - sender->snd_una);
}

/* RFC 6675 "pipe"; Linux: tcp_packets_in_flight(). */
static inline uint32_t sender__inflight(const struct sim_sender *sender)
{
	return sender__packets_out(sender) -
	       (sender->sacked_out + sender->lost_out) + sender->retrans_out;
}

static inline uint64_t sender__fack(const struct sim_sender *sender)
{
	return sender->sacked_out ? sender->fack : sender->snd_una;
}

static inline uint32_t sender__min_rtt_us(const struct sim_sender *sender)
{
	return sender->min_rtt.rtt_us[0];
}

static inline bool sender__in_reduction(const struct sim_sender *sender)
{
	return sender->ca_state == FP_CA_CWR ||
	       sender->ca_state == FP_CA_RECOVERY;
}

/* --- sender_list.c: the ring and its lists ---------------------------------
 */

/* Makes room for count more packets. Returns false without memory. */
bool sender__reserve(struct sim_sender *sender, uint32_t count);
/* Takes a packet off the list it is on. */
void sender__unlink(struct sim_sender *sender, struct sender_pkt *pkt);
/* Puts it to the young end of the sent list. */
void sender__link_sent(struct sim_sender *sender, uint64_t seq);
/* Puts it into the lost list by its number. */
void sender__link_lost(struct sim_sender *sender, uint64_t seq);
/* Makes it part of a run of SACKed packets, and tells where a run that starts
 * at seq ends (seq itself: none does). */
void sender__join_run(struct sim_sender *sender, uint64_t seq);
uint64_t sender__run_end(const struct sim_sender *sender, uint64_t seq);
/* snd_una has cut into a run. */
void sender__cut_run(struct sim_sender *sender);

/* --- sender_ack.c ----------------------------------------------------------
 */

void sender__process_ack(struct sim_sender *sender,
			 const struct sim_segment *segment);

/* --- sender_sack.c: what an ACK covers -------------------------------------
 */

void sender__sack(struct sim_sender *sender, struct sender_ack *ack);
void sender__clean(struct sim_sender *sender, struct sender_ack *ack);
void sender__saw_reordering(struct sim_sender *sender, uint64_t low);

/* --- sender_loss.c: what is held for lost ----------------------------------
 */

/* Gives one packet up. sender__tell_lost() must follow a batch of these. */
void sender__mark_lost(struct sim_sender *sender, uint64_t seq,
		       const char *reason);
void sender__tell_lost(struct sim_sender *sender);
/* Linux: tcp_timeout_mark_lost() */
void sender__mark_timeout(struct sim_sender *sender);
void sender__unmark_lost(struct sim_sender *sender);
/* Without RACK: RFC 6675 and RFC 6582. */
void sender__update_scoreboard(struct sim_sender *sender, bool is_fast);
void sender__newreno_mark(struct sim_sender *sender, bool is_una_advanced);
bool sender__ecr_before(const struct sender_ack *ack, uint64_t sent_us);

/* --- sender_rack.c: RFC 8985 ------------------------------------------------
 */

void sender__rack_advance(struct sim_sender *sender,
			  const struct sender_pkt *pkt, uint64_t seq);
/* Returns true when it set the timer. */
bool sender__rack_mark(struct sim_sender *sender);
/* µs until a packet that left then is lost; <= 0: it is. */
int64_t sender__rack_left_us(const struct sim_sender *sender, uint64_t sent_us,
			     uint32_t window_us);
void sender__rack_update_window(struct sim_sender *sender,
				const struct sender_ack *ack);
void sender__rack_timeout(struct sim_sender *sender);
bool sender__schedule_probe(struct sim_sender *sender, bool is_advancing);
void sender__send_probe(struct sim_sender *sender);
void sender__process_probe_ack(struct sim_sender *sender,
			       struct sender_ack *ack);

/* --- sender_recovery.c: the state machine ----------------------------------
 */

void sender__alert(struct sim_sender *sender, struct sender_ack *ack);
void sender__enter_recovery(struct sim_sender *sender, bool is_ece);
void sender__enter_loss(struct sim_sender *sender);
void sender__try_keep_open(struct sim_sender *sender);
/* Without SACK: duplicate ACKs stood for acked_pkts. */
void sender__remove_reno_sacks(struct sim_sender *sender,
			       struct sender_ack *ack);

/* --- sender_window.c: how far the window opens -----------------------------
 */

void sender__init_reduction(struct sim_sender *sender);
void sender__reduce(struct sim_sender *sender, uint32_t newly_acked,
		    uint32_t newly_lost, uint32_t flags);
void sender__end_reduction(struct sim_sender *sender);
void sender__undo_reduction(struct sim_sender *sender, bool unmarks_loss,
			    const char *reason);
uint32_t sender__current_ssthresh(const struct sim_sender *sender);
void sender__validate_cwnd(struct sim_sender *sender, bool is_cwnd_limited);
void sender__check_idle(struct sim_sender *sender);

/* --- sender_timer.c: round trips and the timer -----------------------------
 */

void sender__init_timers(struct sim_sender *sender);
void sender__update_rtt(struct sim_sender *sender, uint32_t rtt_us);
void sender__update_min_rtt(struct sim_sender *sender, uint32_t rtt_us);
uint32_t sender__to_jiffies(const struct sim_sender *sender, uint64_t us);
/* Sets the timer so many ticks from now, at most TCP_RTO_MAX. */
void sender__set_timer(struct sim_sender *sender, enum sender_timer timer,
		       uint32_t jiffies);
/* The same ticks, counted from the departure of what waits for the pacer. */
uint32_t sender__paced(const struct sim_sender *sender, uint32_t jiffies);
void sender__clear_timer(struct sim_sender *sender);
void sender__rearm_rto(struct sim_sender *sender);
/* µs from now until the first packet's RTO; <= 0: it is over. */
int64_t sender__rto_left_us(const struct sim_sender *sender);
/* Nothing is in flight and the window is shut: it must be asked. */
void sender__check_persist(struct sim_sender *sender);
/* An ACK came while nothing was in flight. */
void sender__ack_persist(struct sim_sender *sender);
/* The timer is due. */
void sender__fire(struct sim_sender *sender);
uint32_t sender__ticks(struct sim_sender *sender);

/* --- sender_transmit.c: what leaves, and when ------------------------------
 */

/* Sends new data as window and pacer allow. */
void sender__push(struct sim_sender *sender);
/* Sends one packet whatever the window says. Returns whether it went. */
bool sender__push_probe(struct sim_sender *sender);
void sender__retransmit_queue(struct sim_sender *sender);
/* Retransmits up to count packets of one skb from seq on. Returns how many. */
uint32_t sender__retransmit(struct sim_sender *sender, uint64_t seq,
			    uint32_t count);
/* The same as a tail loss probe: not counted as in flight. */
bool sender__resend(struct sim_sender *sender, uint64_t seq);
/* A packet without data: SYN, ACK or window probe. */
void sender__send_empty(struct sim_sender *sender, bool is_syn);
bool sender__fits_window(const struct sim_sender *sender, uint64_t seq);
uint32_t sender__burst_pkts(const struct sim_sender *sender);
uint64_t sender__pacing_rate(const struct sim_sender *sender);
uint32_t sender__payload_bytes(const struct sim_sender *sender, uint64_t seq);

/* --- sender_buffer.c: the socket's buffer ----------------------------------
 */

void sender__init_buffer(struct sim_sender *sender);
/* The application, which has more, writes what fits. */
void sender__fill(struct sim_sender *sender);
void sender__expand_sndbuf(struct sim_sender *sender);
void sender__chrono_start(struct sim_sender *sender, enum sender_chrono type);
void sender__chrono_stop(struct sim_sender *sender, enum sender_chrono type);

/* --- sender_cc.c: the algorithm --------------------------------------------
 */

void sender__cc_init(struct sim_sender *sender);
void sender__cc_set_state(struct sim_sender *sender, enum fp_ca_state next);
void sender__cc_congestion(struct sim_sender *sender);
void sender__cc_undo(struct sim_sender *sender);
void sender__cc_event(struct sim_sender *sender, enum fp_cc_event event);
void sender__cc_lost(struct sim_sender *sender, const struct fp_cc_lost *lost);
void sender__cc_rtt(struct sim_sender *sender, const struct sender_ack *ack);
void sender__cc_ack(struct sim_sender *sender, const struct sender_ack *ack);
/* Linux: tcp_update_pacing_rate() */
void sender__update_pacing(struct sim_sender *sender);

/* --- sender_watch.c: what an observer sees ---------------------------------
 */

void sender__watch_sent(struct sim_sender *sender, uint64_t seq, uint32_t pkts,
			bool is_retrans);
void sender__watch_ack(struct sim_sender *sender, const struct sender_ack *ack);
void sender__watch_lost(struct sim_sender *sender,
			const struct sender_lost_run *run);
/* CA_STATE, TIMER, UNDO, WINDOW, START, END. */
void sender__watch(struct sim_sender *sender, enum fp_sim_event_kind kind,
		   const char *reason);

#endif
