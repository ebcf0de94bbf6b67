/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion control algorithms, as one pure core: Reno, CUBIC, BBRv1, BBRv3.
 *
 * A transport (a QUIC stack, a simulator, a test bench) keeps one struct fp_cc
 * a connection, in memory of its own:
 *
 *	fp_cc_parse(&config, "bbr3", …);
 *	fp_cc_init(&cc, &config, &conn, &control);
 *	…
 *	fp_cc_on_event(&cc, &conn, FP_CC_TX_START, &control);	idle ended
 *	fp_cc_on_lost(&cc, &conn, &lost, &control);	each packet given up
 *	fp_cc_on_congestion(&cc, &conn, &control);	recovery begins
 *	fp_cc_on_state(&cc, &conn, FP_CA_RECOVERY, &control);
 *	fp_cc_on_rtt(&cc, &conn, rtt_us, &control);	each RTT measured
 *	fp_cc_on_ack(&cc, &conn, &ack, &control);	each ACK, last
 *
 * and then sends while its flight is below control.cwnd_pkts, no faster than
 * control.pacing_rate_bytes_per_s. fullpipe/cc/event.h has the events,
 * fullpipe/cc/rate.h the sampler that fills in struct fp_cc_ack, and
 * examples/quic.c the whole of it in one page.
 *
 * Nothing here reads a clock, allocates, or keeps state but in struct fp_cc.
 * Every function is total: any input is taken, out of range it is clamped.
 * The kernel runs the same algorithms, without this header: its glue calls
 * fp_bbr3_on_ack() and the like (fullpipe/cc/bbr3.h) directly.
 *
 * C++ takes the headers inside of extern "C" { … }.
 */
#ifndef FULLPIPE_CC_H
#define FULLPIPE_CC_H

#include "fullpipe/cc/bbr.h"
#include "fullpipe/cc/bbr3.h"
#include "fullpipe/cc/cubic.h"
#include "fullpipe/cc/event.h"
#include "fullpipe/cc/rate.h"
#include "fullpipe/cc/reno.h"

#define FP_CC_NAME_BYTES 64

enum fp_cc_kind {
	FP_CC_RENO,  /* RFC 5681, as Linux */
	FP_CC_CUBIC, /* RFC 9438, or as Linux */
	FP_CC_BBR,   /* BBRv1, as Linux */
	FP_CC_BBR3,  /* BBRv3, as Google's branch or the IETF draft */
};

/* An algorithm with its profile. */
struct fp_cc_config {
	enum fp_cc_kind kind;
	char name[FP_CC_NAME_BYTES];  /* as fp_cc_parse() was given it */
	struct fp_cubic_config cubic; /* kind FP_CC_CUBIC */
	struct fp_bbr3_config bbr3;   /* kind FP_CC_BBR3 */
};

struct fp_cc;

/* What an algorithm does at each event; the functions that end on the same word
 * below say more. NULL: nothing. */
struct fp_cc_ops {
	bool has_own_recovery;  /* Linux's cong_control: on_ack() is called for
				   every ACK and says the window in recovery
				   too; else the transport does PRR (RFC 6937)
				   and calls on_ack() only when the window may
				   grow */
	bool wants_pacing;      /* asks the transport to pace */
	uint32_t sndbuf_expand; /* the send buffer holds so many windows */
	void (*init)(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     struct fp_cc_control *control);
	void (*on_rtt)(struct fp_cc *cc, const struct fp_cc_conn *conn,
		       uint32_t rtt_us, struct fp_cc_control *control);
	void (*on_ack)(struct fp_cc *cc, const struct fp_cc_conn *conn,
		       const struct fp_cc_ack *ack,
		       struct fp_cc_control *control);
	void (*on_congestion)(struct fp_cc *cc, const struct fp_cc_conn *conn,
			      struct fp_cc_control *control);
	void (*on_undo)(struct fp_cc *cc, const struct fp_cc_conn *conn,
			struct fp_cc_control *control);
	void (*on_state)(struct fp_cc *cc, const struct fp_cc_conn *conn,
			 enum fp_ca_state next, struct fp_cc_control *control);
	void (*on_event)(struct fp_cc *cc, const struct fp_cc_conn *conn,
			 enum fp_cc_event event, struct fp_cc_control *control);
	void (*on_lost)(struct fp_cc *cc, const struct fp_cc_conn *conn,
			const struct fp_cc_lost *lost,
			struct fp_cc_control *control);
	const char *(*state_name)(const struct fp_cc *cc,
				  const struct fp_cc_control *control);
};

/* One connection's algorithm. Caller-owned; nothing to release. */
struct fp_cc {
	const struct fp_cc_ops *ops;
	struct fp_cc_config config;
	union {
		struct fp_reno reno;
		struct fp_cubic cubic;
		struct fp_bbr bbr;
		struct fp_bbr3 bbr3;
	};
};

/*
 * Reads an algorithm's name: "reno", "cubic", "bbr", "bbr3" ("bbr1" is "bbr"),
 * followed by any number of ":WORD", each a profile ("linux", "rfc9438",
 * "hystart", "hystart++", "google", "draft") or the name of one switch of a
 * profile, with a "-" before it to turn it off: "bbr3:draft:-drain_timeout".
 * Returns NULL, or a constant sentence that says what is wrong, with ret_config
 * untouched. Host only.
 */
const char *fp_cc_parse(const char *text, struct fp_cc_config *ret_config);

/* Lists the words that may follow a name, from 0; NULL past the last.
 * *ret_about is one sentence about it. */
const char *fp_cc_word_at(enum fp_cc_kind kind, uint32_t number,
			  const char **ret_about);

/* Makes a connection's algorithm. control must hold the initial window (RFC
 * 6928: 10) and threshold; a pacing rate is set where the algorithm has one. A
 * config that fp_cc_parse() did not make, of no kind, is Reno. config may be
 * cc->config: starts afresh. */
void fp_cc_init(struct fp_cc *cc, const struct fp_cc_config *config,
		const struct fp_cc_conn *conn, struct fp_cc_control *control);

/* A round trip was measured; before fp_cc_on_ack() of the same ACK. */
void fp_cc_on_rtt(struct fp_cc *cc, const struct fp_cc_conn *conn,
		  uint32_t rtt_us, struct fp_cc_control *control);

/* An ACK was worked off. Without has_own_recovery only outside of recovery and
 * CWR, and only when ack->acked_sacked_pkts moved (RFC 5681, 3.1). */
void fp_cc_on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		  const struct fp_cc_ack *ack, struct fp_cc_control *control);

/* A window's first sign of congestion: loss, ECN or timeout. Sets
 * ssthresh_pkts (Linux: ssthresh()); the transport then reduces the window. */
void fp_cc_on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			 struct fp_cc_control *control);

/* The congestion was none (RFC 3522, 5682): sets cwnd_pkts (Linux:
 * undo_cwnd()). The transport restores ssthresh_pkts. */
void fp_cc_on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   struct fp_cc_control *control);

/* Recovery is about to go from conn->ca_state to next. */
void fp_cc_on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    enum fp_ca_state next, struct fp_cc_control *control);

void fp_cc_on_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    enum fp_cc_event event, struct fp_cc_control *control);

/* A packet was given up; before on_congestion() of the same ACK. */
void fp_cc_on_lost(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_lost *lost,
		   struct fp_cc_control *control);

/* Names the state of the algorithm for a trace: "slow_start", "startup",
 * "probe_bw_up". Constant. */
const char *fp_cc_state_name(const struct fp_cc *cc,
			     const struct fp_cc_control *control);

/* What BBR thinks of the path; zeros for others. */
struct fp_cc_model {
	uint64_t bw_bytes_per_s;     /* bottleneck's, that it acts on */
	uint64_t max_bw_bytes_per_s; /* greatest of late, before bounds */
	uint32_t min_rtt_us;
	uint32_t pacing_gain_x256, cwnd_gain_x256;
	uint32_t extra_acked_pkts; /* aggregation of ACKs */
	/* bounds on what is in flight, of version 3; UINT32_MAX: none */
	uint32_t inflight_longterm_pkts, inflight_shortterm_pkts;
	uint32_t bbr_version; /* 1, 3; 0: not BBR */
};
void fp_cc_get_model(const struct fp_cc *cc, const struct fp_cc_conn *conn,
		     struct fp_cc_model *ret_model);

#endif
