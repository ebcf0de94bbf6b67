/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real packets: two anonymous network namespaces joined by the emulator, TCP
 * flows of the running kernel through it, and what was seen.
 *
 * One round is one process tree of its own (fresh namespaces, so no metrics
 * cache or autotuning carries over): the world (PID 1 of a PID namespace where
 * that is allowed, it runs the emulator), a sender and a receiver in their
 * namespaces. Nothing has a name and nothing is in the file system; every
 * process dies with its parent, so kill -9 of any of them leaves nothing.
 */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include <sys/types.h>

#include "base/error.h"
#include "fullpipe/link.h"

#define LAB_ALGORITHM_BYTES 16 /* TCP_CA_NAME_MAX */
#define LAB_GROUPS_MAX      8
#define LAB_PROGRESS_FLOWS  8 /* whose own rates a progress line can show */
#define LAB_FLOWS_MAX       1000
#define LAB_SAMPLES_MAX     1000000 /* samples of one round, over all flows */

enum lab_side { LAB_SENDER, LAB_RECEIVER, LAB_SIDES };

/* Fixed and documented: the addresses and names of both sides. */
#define LAB_SENDER_IPV4    "10.201.0.1"
#define LAB_RECEIVER_IPV4  "10.201.0.2"
#define LAB_SENDER_IPV6    "fd00:f011:b1be::1"
#define LAB_RECEIVER_IPV6  "fd00:f011:b1be::2"
#define LAB_SENDER_NAME    "fp-sender"
#define LAB_RECEIVER_NAME  "fp-receiver"
#define LAB_PORT           5201
/* A flow is known by the port that its sender binds: this plus its number. The
 * namespaces are fresh, so every port is free. */
#define LAB_FLOW_PORT_BASE 20000

enum lab_backend {
	LAB_BACKEND_AUTO, /* TUN where /dev/net/tun opens, else packet sockets
			   */
	LAB_BACKEND_TUN,
	LAB_BACKEND_PACKET, /* AF_PACKET with virtio-net headers on veth pairs
			     */
	LAB_BACKEND_DIRECT, /* a veth pair, no emulator */
};

/* Files that take a capture of what each side's device sent and got (pcap). */
struct lab_capture {
	int fd[LAB_SIDES]; /* open for writing */
};

/* How to lay the path. */
struct lab_path {
	struct fp_path_config way[2]; /* 0: sender to receiver, 1: back */
	enum lab_backend backend;     /* DIRECT ignores way */
	uint32_t mtu_bytes;           /* 576 … 65535 */
	bool is_ipv6; /* the flows use IPv6; both families are always configured
		       */
	bool is_offload_off; /* no TSO, no coalescing: each segment alone (a
				baseline) */
	bool is_precise;     /* spin before each release */
	char algorithm[LAB_ALGORITHM_BYTES]; /* what sockets of both sides use
						unless told; "": the host's */
	uint64_t rmem_max_bytes, wmem_max_bytes; /* tcp_rmem[2], tcp_wmem[2]; 0:
						    as the kernel has them */
	const struct lab_capture *capture; /* the caller's; NULL: none. Not with
					      DIRECT */
};

struct lab_group { /* flows of one algorithm */
	char algorithm[LAB_ALGORITHM_BYTES];
	uint32_t flows;
};

/* One round: a path and what runs over it. */
struct lab_round {
	struct lab_path path;
	struct lab_group
	    groups[LAB_GROUPS_MAX]; /* several: together on one bottleneck */
	uint32_t group_count;
	uint64_t warmup_ns;   /* left out of the means */
	uint64_t duration_ns; /* measured time after warm-up; with bytes: the
				 limit */
	uint64_t bytes;       /* finite transfer, each flow; 0: none */
	uint64_t sample_ns;   /* 50 ms */
	bool is_reverse;      /* the receiver's side sends: data takes way[1] */
	bool with_iperf3;     /* real iperf3 on both ends */
};

/* One look at one sending socket (TCP_INFO). A field that this kernel does not
 * have is 0 and said in has_…. */
struct lab_sample {
	uint32_t flow;    /* number of the flow */
	uint32_t time_ms; /* since the round's start */
	uint32_t cwnd_pkts, ssthresh_pkts;
	uint32_t rtt_us, rttvar_us, min_rtt_us;
	/* on their way, held for lost now, retransmitted in all */
	uint32_t inflight_pkts, lost_pkts, retrans_pkts;
	uint64_t delivery_rate_bps, pacing_rate_bps;
	uint64_t bytes_acked, bytes_sent, bytes_retransmitted;
	uint64_t received_bytes; /* read by the receiver until then */
	bool has_bbr;
	uint64_t bbr_bw_bps;
	uint32_t bbr_min_rtt_us, bbr_pacing_gain_x256, bbr_cwnd_gain_x256;
};

struct lab_flow_result {
	uint32_t group;
	char algorithm[LAB_ALGORITHM_BYTES]; /* read back from the sender's
						socket */
	uint32_t bbr_version;                /* 1, 3; 0: not BBR or unknown */
	/* Read by the receiver in the measured time, or bytes / completion_ns.
	 * TCP hands data on in order: what waited behind a lost packet when
	 * measuring began counts once that arrives, so a round can come out
	 * above its link by up to a receive window over the measured time. */
	uint64_t goodput_bps;
	uint64_t received_bytes;                  /* in all */
	uint64_t sent_bytes, retransmitted_bytes; /* TCP payload, in all */
	uint64_t completion_ns; /* finite transfer: connect to last byte read;
				   0: not complete */
	uint32_t rtt_p50_us, rtt_p99_us,
	    min_rtt_us; /* of the samples after warm-up */
	uint64_t busy_us, rwnd_limited_us,
	    sndbuf_limited_us;      /* tcpi_busy_time … */
	uint32_t snd_wnd_max_bytes; /* largest peer window seen; 0: not known */
	uint32_t mss_bytes;
	uint32_t cwnd_mean_pkts;
	uint64_t requests; /* answered; only simulated flows have them */
	bool is_stalled;   /* nothing arrived for the stall time: ended early */
	bool
	    has_failed; /* never connected, or reset; text in lab_result.note */
};

struct lab_way_result {
	uint32_t stage_count;
	enum fp_stage_kind kinds[FP_PATH_STAGES_MAX];
	struct fp_stage_counters stages[FP_PATH_STAGES_MAX];
	uint64_t packets, bytes; /* of the wire, that entered the path */
	uint64_t lost_by_model, lost_by_queue, lost_by_policer, marked;
	uint64_t
	    lost_outside; /* TUN's or the packet socket's own drops, overruns,
			     failed writes: any makes the round invalid */
	uint64_t frames_in, frames_out; /* super-packets read and written */
};

/* What became of a capture. */
struct lab_captured {
	bool is_whole; /* all of it was written; false where there was none */
	int errnum;    /* why not: of the first write that failed, or 0 */
	uint64_t packets[LAB_SIDES];
};

struct lab_result {
	struct fp_error error;    /* status 0: the round ran */
	enum lab_backend backend; /* what was used */
	bool is_user_namespace;   /* run as an ordinary user */
	bool is_valid;            /* false: note says why */
	bool is_interrupted; /* Ctrl-C or SIGTERM ended it, or came first */
	char note[256];      /* oddities worth saying, or empty */
	struct lab_way_result way[2];
	uint64_t lateness_mean_ns, lateness_p99_ns,
	    lateness_max_ns; /* of releases, against their due time */
	uint64_t releases;
	struct lab_captured captured;
	/* Processor time of the whole round, as received_bytes, user and
	 * system. A process pays for the kernel's work in its own calls: the
	 * receiving TCP runs where a packet is handed over, mostly in the
	 * emulator. */
	double sender_cpu_s, receiver_cpu_s, emulator_cpu_s;
	double wall_s; /* from the first fork to the last wait */
	uint32_t flow_count;
	struct lab_flow_result *flows; /* owned by the result */
	uint32_t sample_count;
	struct lab_sample *samples; /* owned, by time */
	char *iperf3_json;          /* iperf3's own document (owned), or NULL */
};

void lab_result_fini(struct lab_result *result);

/* What a progress line can show of a round that is running. */
struct lab_progress_round {
	uint32_t round; /* number */
	double elapsed_s, total_s;
	uint64_t rate_bps;   /* sum over its flows, of the last second */
	uint32_t flow_count; /* of flow_bps: the first flows */
	uint64_t flow_bps[LAB_PROGRESS_FLOWS];
};

struct lab_progress {
	uint32_t rounds, rounds_done;
	struct lab_progress_round running[64];
	uint32_t running_count;
};

struct lab_run_options {
	uint32_t concurrency; /* rounds at once; 0: lab_plan() decides */
	void (*progress)(const struct lab_progress *progress,
			 void *context); /* or NULL; about 5 a second */
	void *context;
};

/* Decides how many of these rounds can run side by side without disturbing each
 * other, and writes the reason ("6 rounds side by side: together about 0.3 of 2
 * cores" / "one after the other: no rate limit, each takes the whole machine").
 */
uint32_t lab_plan(const struct lab_round *rounds, uint32_t count,
		  char *ret_reason, size_t reason_bytes);

/* Runs count rounds and fills results (one each). Returns 0 when all were
 * tried; a round's own failure is in its result. Negative errno with error when
 * nothing can run here (status 77: no /dev/net/tun and no user namespaces, no
 * such algorithm in this kernel, …; status 2: a round that makes no sense).
 * Ctrl-C or SIGTERM ends the rounds early with what was seen, which the note
 * says; rounds that had not begun have an error. A second one kills them. */
int lab_run(const struct lab_round *rounds, uint32_t count,
	    const struct lab_run_options *options, struct lab_result *results,
	    struct fp_error *error);

/* Runs command (a NULL-ended argv) on the sender's side of a path, with
 * FULLPIPE_PEER set to the receiver's address, and server ("sh -c" text or
 * NULL) on the receiver's side before it. FULLPIPE_SELF and FULLPIPE_SIDE
 * ("sender", "receiver") are set on both sides. The command starts once the
 * server listens on any TCP port or has ended, at the latest after 5 s; the
 * server ends with the command. Terminal, signals and standard streams pass
 * through; SIGTERM to this process ends the command. ret_status is the
 * command's exit status (128 + n for signal n). Returns 0, or a negative errno
 * with error; a command that cannot be run is status 127 (not found) or 126
 * (not executable). */
int lab_command(const struct lab_path *path, char *const command[],
		const char *server, int *ret_status,
		struct lab_result *ret_result, struct fp_error *error);

/* Tells whether this kernel has the algorithm (loading the module where
 * allowed). On failure error has status 77 and, in its hint, what exists and
 * the nearest name. */
int lab_check_algorithm(const char *name, struct fp_error *error);

#endif
