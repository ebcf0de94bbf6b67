/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a comparison found, as plain rows for the field tables of
 * report_fields.c. Numbers are doubles, NaN where not known; texts are NULL
 * where there is none. Who fills a report owns every array and text in it.
 */
#ifndef OUT_REPORT_H
#define OUT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "out/field.h"

#define OUT_NAME_BYTES  64 /* "bbr3:draft:-drain_timeout" */
#define OUT_LABEL_BYTES 72 /* with " (v3)" */
#define OUT_NOTE_BYTES  256

struct out_spread {
	double median, min, max;
};

struct out_sample { /* one look at one sending socket */
	double time_ms, flow, cwnd_pkts, ssthresh_pkts, rtt_us, min_rtt_us;
	double inflight_pkts, lost_pkts, retrans_pkts;
	double delivery_rate_bps, pacing_rate_bps, received_bytes;
	double bytes_acked, bytes_sent, bytes_retransmitted;
	double bbr_bw_bps, bbr_min_rtt_us, bbr_pacing_gain, bbr_cwnd_gain;
};

struct out_flow { /* one flow of a round */
	double number, goodput_bps, received_bytes, sent_bytes;
	double retransmitted_bytes, completion_us, rtt_p50_us, rtt_p99_us;
	double min_rtt_us, mss_bytes, cwnd_mean_pkts, snd_wnd_max_bytes;
	double is_stalled, has_failed, requests;
	const char *limited_by;
};

struct out_round {     /* one algorithm in one round, its flows added up */
	double number; /* from 1 */
	double goodput_bps, received_bytes, sent_bytes, retransmitted_bytes;
	double retransmitted_share, share_of_link, completion_us;
	double rtt_p50_us, rtt_p99_us, min_rtt_us, cwnd_mean_pkts;
	double cpu_s, sender_cpu_s, receiver_cpu_s, emulator_cpu_s, wall_s;
	double rwnd_limited_share, sndbuf_limited_share, rwnd_ceiling_bps;
	double packets, lost_by_model, lost_by_queue, lost_outside;
	double lateness_mean_ns, lateness_p99_ns;
	double is_valid;
	const char *limited_by, *note;
	int limit;                      /* the caller's; not shown */
	char note_text[OUT_NOTE_BYTES]; /* what note points to */
	struct out_flow *flows;
	uint32_t flow_count;
	struct out_sample *samples;
	uint32_t sample_count;
};

struct out_capture { /* what each side saw, as pcap; NULL: no capture */
	const char *sender, *receiver;           /* files */
	double sender_packets, receiver_packets; /* super-packets are one */
};

struct out_result {            /* one algorithm */
	const char *algorithm; /* as read back from the sockets */
	const char *label;     /* "bbr (v1)" */
	double version;        /* of BBR; NaN: has none */
	struct out_spread goodput_bps, completion_us;
	double share_of_link, ratio_to_first, retransmitted_share;
	double rtt_p50_us, rtt_p99_us, cpu_per_gb_s, rwnd_ceiling_bps;
	double share_of_total; /* together: of all that was carried */
	const char *limited_by;
	struct out_capture capture; /* of round 1 */
	char *trace; /* file of its events, of round 1; NULL: none */
	int limit;   /* the caller's number of limited_by; not shown */
	struct out_round *rounds;
	uint32_t round_count;
	char label_text[OUT_LABEL_BYTES], name_text[OUT_NAME_BYTES];
};

struct out_measured { /* one direction, all rounds, as counted */
	double packets, bytes, lost_by_model, lost_by_queue, lost_by_policer;
	double lost_outside, marked, reordered, duplicated, corrupted;
	double model_loss_share, queue_loss_share, queue_max_bytes;
};

struct out_way {          /* one direction, as asked for */
	const char *text; /* in netem's words */
	double seed, delay_us, loss_ppm, rate_bps, queue_bytes;
	struct out_measured measured;
};

struct out_path {
	double rtt_us, mtu_bytes, is_direct;
	const char *loss_unit;
	struct out_way way[2]; /* forward, back */
};

struct out_run { /* how it was measured */
	const char *kernel, *world, *backend, *arrangement, *buffers;
	const char *program_version, *sender, *direction;
	double seed, rounds, flows, duration_s, warmup_s, bytes, sample_ms;
	double rmem_bytes, wmem_bytes, is_user_namespace, is_offload;
	double is_precise, is_together, is_ipv6, wall_s, concurrency;
	/* world "sim" */
	const char *hosts, *source, *without;
	double ack_every_pkts, min_rto_us, initial_cwnd_pkts;
	double stagger_us, lifetime_us;
};

struct out_accuracy {
	double lateness_mean_ns, lateness_p99_ns, lateness_max_ns, releases;
	double lost_outside;
};

struct out_expectation {
	const char *text;
	double holds;
	double measured; /* in the right side's terms: times, share, value */
	char words[224]; /* what was measured, for people */
};

struct out_report {
	struct out_run run;
	struct out_path path;
	double mathis_bps;
	double jain; /* together: of the flows' goodput, median of rounds */
	struct out_accuracy accuracy;
	struct out_result *results;
	uint32_t result_count;
	struct out_expectation *expectations;
	uint32_t expectation_count;
	char (*notes)[OUT_NOTE_BYTES]; /* oddities, each said once */
	uint32_t note_count;
	char verdict[768];
	const char *status; /* measured, verified, failed, invalid,
			      interrupted */
	bool has_samples;   /* JSON holds them */
};

extern const struct out_field out_run_fields[], out_path_fields[],
    out_way_fields[], out_measured_fields[], out_accuracy_fields[],
    out_result_fields[], out_capture_fields[], out_round_fields[],
    out_flow_fields[], out_sample_fields[], out_expectation_fields[];

/* Makes the document of a report (schema fullpipe.compare/1). The caller owns
 * it. */
json_t *out_report_json(const struct out_report *report);

/* Makes the object "path" of a document: as asked for, both ways, as counted.
 */
json_t *out_path_json(const struct out_path *path);

/* Makes an object of a row's fields. */
json_t *out_object_json(const struct out_field *fields, const void *row);

/* Makes the object "capture" of a document; null where there is none. */
json_t *out_capture_json(const struct out_capture *capture);

/* Prints one document and a newline. */
void out_json_print(FILE *file, const json_t *document);

/* Print one labelled paragraph each: the path as asked for (two), as counted,
 * and how exact the emulator was. */
void out_path_print(FILE *file, const struct out_path *path);
void out_counted_print(FILE *file, const struct out_path *path);
void out_accuracy_print(FILE *file, const struct out_accuracy *accuracy);

/* Prints the files of a capture and what is in them; nothing where there is
 * none. */
void out_capture_print(FILE *file, const struct out_capture *capture);

/* The same for each algorithm of a report. */
void out_captures_print(FILE *file, const struct out_report *report);

/* Prints the files of traces; nothing where there is none. */
void out_traces_print(FILE *file, const struct out_report *report);
/* Prints how it was measured, a paragraph each: rounds, hosts, buffers. */
void out_run_print(FILE *file, const struct out_run *run);

/* Prints what stands above a table: program, seed, path and run. */
void out_header_print(FILE *file, const struct out_report *report);

/* Print a paragraph each for what was expected, and for the oddities. */
void out_judged_print(FILE *file, const struct out_report *report);
void out_notes_print(FILE *file, const struct out_report *report);

/* Prints the report for people. */
void out_report_print(FILE *file, const struct out_report *report);

/* Prints cwnd, RTT and rate over time, of the first round of each algorithm,
 * as small plots; in ASCII unless is_utf8. */
void out_timeline_print(FILE *file, const struct out_report *report,
			bool is_utf8);

#endif
