/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One row a number that is reported: its key in JSON, its unit, its place. */
#include "out/report.h"

#define RUN(key, unit, member)      OUT_FIELD(out_run, key, unit, member)
#define PATH(key, unit, member)     OUT_FIELD(out_path, key, unit, member)
#define WAY(key, unit, member)      OUT_FIELD(out_way, key, unit, member)
#define MEASURED(key, unit, member) OUT_FIELD(out_measured, key, unit, member)
#define ACCURACY(key, unit, member) OUT_FIELD(out_accuracy, key, unit, member)
#define RESULT(key, unit, member)   OUT_FIELD(out_result, key, unit, member)
#define CAPTURE(key, unit, member)  OUT_FIELD(out_capture, key, unit, member)
#define ROUND(key, unit, member)    OUT_FIELD(out_round, key, unit, member)
#define FLOW(key, unit, member)     OUT_FIELD(out_flow, key, unit, member)
#define SAMPLE(key, unit, member)   OUT_FIELD(out_sample, key, unit, member)
#define EXPECT(key, unit, member)   OUT_FIELD(out_expectation, key, unit, member)

const struct out_field out_run_fields[] = {
	RUN("kernel", FP_UNIT_TEXT, kernel),
	RUN("seed", FP_UNIT_COUNT, seed),
	RUN("world", FP_UNIT_TEXT, world),
	RUN("fullpipe", FP_UNIT_TEXT, program_version),
	RUN("run.backend", FP_UNIT_TEXT, backend),
	RUN("run.user_namespace", FP_UNIT_FLAG, is_user_namespace),
	RUN("run.sender", FP_UNIT_TEXT, sender),
	RUN("run.direction", FP_UNIT_TEXT, direction),
	RUN("run.rounds", FP_UNIT_COUNT, rounds),
	RUN("run.flows", FP_UNIT_COUNT, flows),
	RUN("run.duration_s", FP_UNIT_TIME_S, duration_s),
	RUN("run.warmup_s", FP_UNIT_TIME_S, warmup_s),
	RUN("run.bytes", FP_UNIT_BYTES, bytes),
	RUN("run.sample_ms", FP_UNIT_COUNT, sample_ms),
	RUN("run.together", FP_UNIT_FLAG, is_together),
	RUN("run.ipv6", FP_UNIT_FLAG, is_ipv6),
	RUN("run.offload", FP_UNIT_FLAG, is_offload),
	RUN("run.precise", FP_UNIT_FLAG, is_precise),
	RUN("run.buffers", FP_UNIT_TEXT, buffers),
	RUN("run.rmem_max_bytes", FP_UNIT_BYTES, rmem_bytes),
	RUN("run.wmem_max_bytes", FP_UNIT_BYTES, wmem_bytes),
	RUN("run.concurrency", FP_UNIT_COUNT, concurrency),
	RUN("run.arrangement", FP_UNIT_TEXT, arrangement),
	RUN("run.wall_s", FP_UNIT_TIME_S, wall_s),
	RUN("run.hosts", FP_UNIT_TEXT, hosts),
	RUN("run.source", FP_UNIT_TEXT, source),
	RUN("run.without", FP_UNIT_TEXT, without),
	RUN("run.ack_every_pkts", FP_UNIT_COUNT, ack_every_pkts),
	RUN("run.min_rto_us", FP_UNIT_TIME_US, min_rto_us),
	RUN("run.initial_cwnd_pkts", FP_UNIT_COUNT, initial_cwnd_pkts),
	RUN("run.stagger_us", FP_UNIT_TIME_US, stagger_us),
	RUN("run.lifetime_us", FP_UNIT_TIME_US, lifetime_us),
	OUT_FIELDS_END,
};

const struct out_field out_path_fields[] = {
	PATH("rtt_us", FP_UNIT_TIME_US, rtt_us),
	PATH("direct", FP_UNIT_FLAG, is_direct),
	PATH("loss_unit", FP_UNIT_TEXT, loss_unit),
	PATH("mtu_bytes", FP_UNIT_COUNT, mtu_bytes),
	OUT_FIELDS_END,
};

const struct out_field out_way_fields[] = {
	WAY("text", FP_UNIT_TEXT, text),
	WAY("seed", FP_UNIT_COUNT, seed),
	WAY("delay_us", FP_UNIT_TIME_US, delay_us),
	WAY("loss_ppm", FP_UNIT_PPM, loss_ppm),
	WAY("rate_bps", FP_UNIT_RATE_BPS, rate_bps),
	WAY("queue_bytes", FP_UNIT_BYTES, queue_bytes),
	OUT_FIELDS_END,
};

const struct out_field out_measured_fields[] = {
	MEASURED("packets", FP_UNIT_COUNT, packets),
	MEASURED("bytes", FP_UNIT_BYTES, bytes),
	MEASURED("lost_by_model", FP_UNIT_COUNT, lost_by_model),
	MEASURED("lost_by_queue", FP_UNIT_COUNT, lost_by_queue),
	MEASURED("lost_by_policer", FP_UNIT_COUNT, lost_by_policer),
	MEASURED("lost_outside", FP_UNIT_COUNT, lost_outside),
	MEASURED("marked", FP_UNIT_COUNT, marked),
	MEASURED("reordered", FP_UNIT_COUNT, reordered),
	MEASURED("duplicated", FP_UNIT_COUNT, duplicated),
	MEASURED("corrupted", FP_UNIT_COUNT, corrupted),
	MEASURED("model_loss_share", FP_UNIT_SHARE, model_loss_share),
	MEASURED("queue_loss_share", FP_UNIT_SHARE, queue_loss_share),
	MEASURED("queue_max_bytes", FP_UNIT_BYTES, queue_max_bytes),
	OUT_FIELDS_END,
};

const struct out_field out_accuracy_fields[] = {
	ACCURACY("lateness_ns.mean", FP_UNIT_TIME_NS, lateness_mean_ns),
	ACCURACY("lateness_ns.p99", FP_UNIT_TIME_NS, lateness_p99_ns),
	ACCURACY("lateness_ns.max", FP_UNIT_TIME_NS, lateness_max_ns),
	ACCURACY("releases", FP_UNIT_COUNT, releases),
	ACCURACY("lost_outside", FP_UNIT_COUNT, lost_outside),
	OUT_FIELDS_END,
};

const struct out_field out_result_fields[] = {
	RESULT("algorithm", FP_UNIT_TEXT, algorithm),
	RESULT("version", FP_UNIT_COUNT, version),
	RESULT("label", FP_UNIT_TEXT, label),
	RESULT("goodput_bps.median", FP_UNIT_RATE_BPS, goodput_bps.median),
	RESULT("goodput_bps.min", FP_UNIT_RATE_BPS, goodput_bps.min),
	RESULT("goodput_bps.max", FP_UNIT_RATE_BPS, goodput_bps.max),
	RESULT("completion_us.median", FP_UNIT_TIME_US, completion_us.median),
	RESULT("completion_us.min", FP_UNIT_TIME_US, completion_us.min),
	RESULT("completion_us.max", FP_UNIT_TIME_US, completion_us.max),
	RESULT("share_of_link", FP_UNIT_SHARE, share_of_link),
	RESULT("share_of_total", FP_UNIT_SHARE, share_of_total),
	RESULT("ratio_to_first", FP_UNIT_RATIO, ratio_to_first),
	RESULT("retransmitted_share", FP_UNIT_SHARE, retransmitted_share),
	RESULT("rtt_us.p50", FP_UNIT_TIME_US, rtt_p50_us),
	RESULT("rtt_us.p99", FP_UNIT_TIME_US, rtt_p99_us),
	RESULT("cpu_per_gb_s", FP_UNIT_TIME_S, cpu_per_gb_s),
	RESULT("rwnd_ceiling_bps", FP_UNIT_RATE_BPS, rwnd_ceiling_bps),
	RESULT("limited_by", FP_UNIT_TEXT, limited_by),
	RESULT("trace", FP_UNIT_TEXT, trace),
	OUT_FIELDS_END,
};

const struct out_field out_capture_fields[] = {
	CAPTURE("sender", FP_UNIT_TEXT, sender),
	CAPTURE("receiver", FP_UNIT_TEXT, receiver),
	CAPTURE("sender_packets", FP_UNIT_COUNT, sender_packets),
	CAPTURE("receiver_packets", FP_UNIT_COUNT, receiver_packets),
	OUT_FIELDS_END,
};

const struct out_field out_round_fields[] = {
	ROUND("round", FP_UNIT_COUNT, number),
	ROUND("goodput_bps", FP_UNIT_RATE_BPS, goodput_bps),
	ROUND("share_of_link", FP_UNIT_SHARE, share_of_link),
	ROUND("received_bytes", FP_UNIT_BYTES, received_bytes),
	ROUND("sent_bytes", FP_UNIT_BYTES, sent_bytes),
	ROUND("retransmitted_bytes", FP_UNIT_BYTES, retransmitted_bytes),
	ROUND("retransmitted_share", FP_UNIT_SHARE, retransmitted_share),
	ROUND("completion_us", FP_UNIT_TIME_US, completion_us),
	ROUND("rtt_us.p50", FP_UNIT_TIME_US, rtt_p50_us),
	ROUND("rtt_us.p99", FP_UNIT_TIME_US, rtt_p99_us),
	ROUND("rtt_us.min", FP_UNIT_TIME_US, min_rtt_us),
	ROUND("cwnd_mean_pkts", FP_UNIT_COUNT, cwnd_mean_pkts),
	ROUND("cpu_s", FP_UNIT_TIME_S, cpu_s),
	ROUND("sender_cpu_s", FP_UNIT_TIME_S, sender_cpu_s),
	ROUND("receiver_cpu_s", FP_UNIT_TIME_S, receiver_cpu_s),
	ROUND("emulator_cpu_s", FP_UNIT_TIME_S, emulator_cpu_s),
	ROUND("wall_s", FP_UNIT_TIME_S, wall_s),
	ROUND("limited_by", FP_UNIT_TEXT, limited_by),
	ROUND("rwnd_limited_share", FP_UNIT_SHARE, rwnd_limited_share),
	ROUND("sndbuf_limited_share", FP_UNIT_SHARE, sndbuf_limited_share),
	ROUND("rwnd_ceiling_bps", FP_UNIT_RATE_BPS, rwnd_ceiling_bps),
	ROUND("packets", FP_UNIT_COUNT, packets),
	ROUND("lost_by_model", FP_UNIT_COUNT, lost_by_model),
	ROUND("lost_by_queue", FP_UNIT_COUNT, lost_by_queue),
	ROUND("lost_outside", FP_UNIT_COUNT, lost_outside),
	ROUND("lateness_ns.mean", FP_UNIT_TIME_NS, lateness_mean_ns),
	ROUND("lateness_ns.p99", FP_UNIT_TIME_NS, lateness_p99_ns),
	ROUND("valid", FP_UNIT_FLAG, is_valid),
	ROUND("note", FP_UNIT_TEXT, note),
	OUT_FIELDS_END,
};

const struct out_field out_flow_fields[] = {
	FLOW("flow", FP_UNIT_COUNT, number),
	FLOW("goodput_bps", FP_UNIT_RATE_BPS, goodput_bps),
	FLOW("received_bytes", FP_UNIT_BYTES, received_bytes),
	FLOW("sent_bytes", FP_UNIT_BYTES, sent_bytes),
	FLOW("retransmitted_bytes", FP_UNIT_BYTES, retransmitted_bytes),
	FLOW("completion_us", FP_UNIT_TIME_US, completion_us),
	FLOW("rtt_us.p50", FP_UNIT_TIME_US, rtt_p50_us),
	FLOW("rtt_us.p99", FP_UNIT_TIME_US, rtt_p99_us),
	FLOW("rtt_us.min", FP_UNIT_TIME_US, min_rtt_us),
	FLOW("mss_bytes", FP_UNIT_COUNT, mss_bytes),
	FLOW("cwnd_mean_pkts", FP_UNIT_COUNT, cwnd_mean_pkts),
	FLOW("snd_wnd_max_bytes", FP_UNIT_BYTES, snd_wnd_max_bytes),
	FLOW("requests", FP_UNIT_COUNT, requests),
	FLOW("limited_by", FP_UNIT_TEXT, limited_by),
	FLOW("stalled", FP_UNIT_FLAG, is_stalled),
	FLOW("failed", FP_UNIT_FLAG, has_failed),
	OUT_FIELDS_END,
};

const struct out_field out_sample_fields[] = {
	SAMPLE("time_ms", FP_UNIT_COUNT, time_ms),
	SAMPLE("flow", FP_UNIT_COUNT, flow),
	SAMPLE("cwnd_pkts", FP_UNIT_COUNT, cwnd_pkts),
	SAMPLE("ssthresh_pkts", FP_UNIT_COUNT, ssthresh_pkts),
	SAMPLE("rtt_us", FP_UNIT_TIME_US, rtt_us),
	SAMPLE("min_rtt_us", FP_UNIT_TIME_US, min_rtt_us),
	SAMPLE("inflight_pkts", FP_UNIT_COUNT, inflight_pkts),
	SAMPLE("lost_pkts", FP_UNIT_COUNT, lost_pkts),
	SAMPLE("retrans_pkts", FP_UNIT_COUNT, retrans_pkts),
	SAMPLE("delivery_rate_bps", FP_UNIT_RATE_BPS, delivery_rate_bps),
	SAMPLE("pacing_rate_bps", FP_UNIT_RATE_BPS, pacing_rate_bps),
	SAMPLE("received_bytes", FP_UNIT_BYTES, received_bytes),
	SAMPLE("bytes_acked", FP_UNIT_BYTES, bytes_acked),
	SAMPLE("bytes_sent", FP_UNIT_BYTES, bytes_sent),
	SAMPLE("bytes_retransmitted", FP_UNIT_BYTES, bytes_retransmitted),
	SAMPLE("bbr.bw_bps", FP_UNIT_RATE_BPS, bbr_bw_bps),
	SAMPLE("bbr.min_rtt_us", FP_UNIT_TIME_US, bbr_min_rtt_us),
	SAMPLE("bbr.pacing_gain", FP_UNIT_RATIO, bbr_pacing_gain),
	SAMPLE("bbr.cwnd_gain", FP_UNIT_RATIO, bbr_cwnd_gain),
	OUT_FIELDS_END,
};

const struct out_field out_expectation_fields[] = {
	EXPECT("text", FP_UNIT_TEXT, text),
	EXPECT("holds", FP_UNIT_FLAG, holds),
	EXPECT("measured", FP_UNIT_RATIO, measured),
	OUT_FIELDS_END,
};
