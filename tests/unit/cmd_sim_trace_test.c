/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events to JSON lines: each is valid, and says what the event said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cmd/compare_trace.h"
#include "cmd/sim_trace.h"

#define PATH_BYTES 128

static char folder[] = "/tmp/fullpipe-trace.XXXXXX";

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	return rmdir(folder);
}

/* Writes events to a file and reads its lines back. MTU 1500 is an MSS of 1448
 * with IPv4 and timestamps. */
static json_t *trace_of(const struct fp_sim_event *events, size_t count)
{
	const struct fp_sim_config config = { .mtu_bytes = 1500,
					      .flow_count = 2 };
	json_t *head = json_pack("{s:s}", "algorithm", "bbr");
	json_t *lines = json_array(), *line;
	char path[PATH_BYTES], *text = NULL;
	struct cmd_trace *trace;
	struct fp_error error;
	size_t bytes = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/t.jsonl", folder);
	trace = cmd_trace_open(path, head, &config, &error);
	json_decref(head);
	assert_non_null(trace);
	assert_int_not_equal(access(path, F_OK), 0); /* not before its end */
	for (size_t i = 0; i < count; i++)
		cmd_trace_event(trace, &events[i]);
	assert_int_equal(cmd_trace_publish(trace, &error), 0);
	cmd_trace_free(trace);
	file = fopen(path, "re");
	assert_non_null(file);
	while (getline(&text, &bytes, file) > 0) {
		line = json_loads(text, 0, NULL);
		assert_non_null(line);
		(void)json_array_append_new(lines, line);
	}
	free(text);
	(void)fclose(file);
	(void)unlink(path);
	return lines;
}

static void assert_data(json_t *line, const char *name, const char *data)
{
	json_t *want = json_loads(data, 0, NULL);

	assert_non_null(want);
	assert_string_equal(json_string_value(json_object_get(line, "name")),
			    name);
	if (!json_equal(json_object_get(line, "data"), want))
		fail_msg("%s", json_dumps(line, 0));
	json_decref(want);
}

static void the_first_line_says_what_follows(void **state)
{
	json_t *lines = trace_of(NULL, 0), *head = json_array_get(lines, 0);

	assert_int_equal(json_array_size(lines), 1);
	assert_string_equal(json_string_value(json_object_get(head, "schema")),
			    "fullpipe.trace/1");
	assert_string_equal(
	    json_string_value(json_object_get(head, "algorithm")), "bbr");
	assert_int_equal(json_integer_value(json_object_get(head, "mss_bytes")),
			 1448);
	json_decref(lines);
}

/* 10 packets of 1448 bytes are 14480; 125,000 bytes a second 10^6 bits. 20
 * packets delivered in 100 ms are 20 * 1448 * 8 / 0.1 = 2316800 bit/s. */
static void metrics_have_the_units_of_qlog(void **state)
{
	const struct fp_sim_event events[] = {
		{ .time_ns = 1234567,
		  .flow = 1,
		  .kind = FP_SIM_EVENT_ACK,
		  .srtt_us = 100050,
		  .min_rtt_us = 100000,
		  .rtt_us = 7,
		  .cwnd_pkts = 10,
		  .inflight_pkts = 4,
		  .ssthresh_pkts = FP_CC_SSTHRESH_NONE,
		  .pacing_rate_bytes_per_s = 125000,
		  .ca_state = "open",
		  .cc_state = "startup",
		  .sample = { .acked_sacked_pkts = 2,
			      .delivered_pkts = 20,
			      .interval_us = 100000 },
		  .model = { .bbr_version = 1,
			     .bw_bytes_per_s = 1000,
			     .min_rtt_us = 100000,
			     .pacing_gain_x256 = 739,
			     .cwnd_gain_x256 = 739 } },
		{ .kind = FP_SIM_EVENT_ACK,
		  .ssthresh_pkts = 5,
		  .sample = { .delivered_pkts = -1, .interval_us = -1 } },
	};
	json_t *lines = trace_of(events, 2), *line = json_array_get(lines, 1);

	assert_int_equal(json_integer_value(json_object_get(line, "time_us")),
			 1234);
	assert_int_equal(json_integer_value(json_object_get(line, "flow")), 1);
	assert_data(line, "recovery:metrics_updated",
		    "{\"smoothed_rtt\":100.05,\"min_rtt\":100,"
		    "\"latest_rtt\":0.007,\"congestion_window\":14480,"
		    "\"bytes_in_flight\":5792,\"packets_in_flight\":4,"
		    "\"pacing_rate\":1000000,\"congestion_state\":\"open\","
		    "\"algorithm_state\":\"startup\","
		    "\"newly_acked_packets\":2,\"newly_lost_packets\":0,"
		    "\"delivery_rate\":2316800,\"is_app_limited\":false,"
		    "\"bandwidth\":8000,\"model_min_rtt\":100,"
		    "\"pacing_gain_x256\":739,\"cwnd_gain_x256\":739}");
	assert_data(json_array_get(lines, 2), "recovery:metrics_updated",
		    "{\"smoothed_rtt\":0,\"min_rtt\":0,"
		    "\"congestion_window\":0,\"bytes_in_flight\":0,"
		    "\"packets_in_flight\":0,\"ssthresh\":7240,"
		    "\"congestion_state\":null,\"algorithm_state\":null,"
		    "\"newly_acked_packets\":0,\"newly_lost_packets\":0}");
	json_decref(lines);
}

static void every_kind_has_its_words(void **state)
{
	static const struct {
		struct fp_sim_event event;
		const char *name, *data;
	} rows[] = {
		{ { .kind = FP_SIM_EVENT_SENT, .seq_pkts = 17, .pkts = 2 },
		  "transport:packet_sent",
		  "{\"header\":{\"packet_number\":17},\"count\":2,"
		  "\"is_retransmission\":false}" },
		{ { .kind = FP_SIM_EVENT_LOST,
		    .seq_pkts = 3,
		    .pkts = 1,
		    .reason = "rack" },
		  "recovery:packet_lost",
		  "{\"header\":{\"packet_number\":3},\"count\":1,"
		  "\"trigger\":\"time_threshold\",\"reason\":\"rack\"}" },
		{ { .kind = FP_SIM_EVENT_DROPPED,
		    .seq_pkts = UINT64_MAX >> 12,
		    .pkts = 1,
		    .way = 1,
		    .stage = 2,
		    .reason = "queue" },
		  "path:packet_dropped",
		  "{\"header\":{\"packet_number\":4503599627370495},"
		  "\"count\":1,\"way\":\"back\",\"stage\":2,"
		  "\"reason\":\"queue\"}" },
		{ { .kind = FP_SIM_EVENT_CA_STATE, .ca_state = "recovery" },
		  "recovery:congestion_state_updated",
		  "{\"old\":\"open\",\"new\":\"recovery\"}" },
		{ { .kind = FP_SIM_EVENT_CA_STATE, .ca_state = "open" },
		  "recovery:congestion_state_updated",
		  "{\"old\":\"recovery\",\"new\":\"open\"}" },
		{ { .kind = FP_SIM_EVENT_CC_STATE, .cc_state = "startup" },
		  "algorithm:state_updated",
		  "{\"old\":null,\"new\":\"startup\"}" },
		{ { .kind = FP_SIM_EVENT_CC_STATE,
		    .flow = 1,
		    .cc_state = "drain" },
		  "algorithm:state_updated",
		  "{\"old\":null,\"new\":\"drain\"}" },
		{ { .kind = FP_SIM_EVENT_TIMER, .reason = "tlp" },
		  "recovery:loss_timer_updated",
		  "{\"timer_type\":\"tlp\",\"event_type\":\"expired\"}" },
		{ { .kind = FP_SIM_EVENT_TIMER, .reason = "pace" },
		  "transport:timer_expired",
		  "{\"timer_type\":\"pace\",\"event_type\":\"expired\"}" },
		{ { .kind = FP_SIM_EVENT_UNDO, .reason = "eifel" },
		  "recovery:loss_undone",
		  "{\"reason\":\"eifel\"}" },
		{ { .kind = FP_SIM_EVENT_WINDOW },
		  "transport:peer_window_updated",
		  "{}" },
		{ { .kind = FP_SIM_EVENT_START },
		  "connectivity:connection_started",
		  "{}" },
		{ { .kind = FP_SIM_EVENT_END },
		  "connectivity:connection_closed",
		  "{}" },
	};
	struct fp_sim_event events[sizeof(rows) / sizeof(*rows)];
	json_t *lines;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		events[i] = rows[i].event;
	lines = trace_of(events, i);
	assert_int_equal(json_array_size(lines), i + 1);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_data(json_array_get(lines, i + 1), rows[i].name,
			    rows[i].data);
	json_decref(lines);
}

/* Past the buffer of 64 KiB: 3000 lines of some 330 bytes, each with the
 * longest numbers; a kind or flow that does not exist is not written. */
static void long_traces_are_whole(void **state)
{
	enum { COUNT = 3000 };
	struct fp_sim_event *events = calloc(COUNT + 2, sizeof(*events));
	json_t *lines;

	assert_non_null(events);
	for (uint32_t i = 0; i < COUNT; i++)
		events[i] = (struct fp_sim_event){
			.time_ns = UINT64_MAX / 1000,
			.kind = FP_SIM_EVENT_ACK,
			.srtt_us = UINT32_MAX,
			.min_rtt_us = UINT32_MAX,
			.rtt_us = UINT32_MAX,
			.cwnd_pkts = FP_CC_CWND_MAX_PKTS,
			.inflight_pkts = UINT32_MAX,
			.pacing_rate_bytes_per_s = UINT32_MAX,
			.ca_state = "recovery",
			.cc_state = "probe_bw_cruise",
			.model = { .bbr_version = 3 },
		};
	events[COUNT].kind = FP_SIM_EVENT_END + 1;
	events[COUNT + 1].flow = 2;
	lines = trace_of(events, COUNT + 2);
	assert_int_equal(json_array_size(lines), COUNT + 1);
	json_decref(lines);
	free(events);
}

static void each_algorithm_has_its_file(void **state)
{
	static const struct {
		const char *file;
		uint32_t index;
		bool together;
		const char *name;
	} rows[] = {
		{ "run.jsonl", 0, false, "run.cubic.jsonl" },
		{ "run.jsonl", 1, false, "run.cubic-rfc9438.jsonl" },
		{ "run.jsonl", 2, false, "run.cubic-2.jsonl" },
		{ "a.b/run", 0, false, "a.b/run.cubic" },
		{ "a.b/.run", 0, false, "a.b/.run.cubic" },
		{ "run.jsonl", 0, true, "run.jsonl" },
	};
	struct compare_options options = { 0 };
	struct compare_plan plan = { .options = &options,
				     .algorithm_count = 3,
				     .algorithms = { "cubic", "cubic:rfc9438",
						     "cubic" } };
	char name[PATH_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		options.trace = rows[i].file;
		options.together = rows[i].together;
		assert_int_equal(compare_trace_name(&plan, rows[i].index, name,
						    sizeof(name)),
				 0);
		assert_string_equal(name, rows[i].name);
	}
	assert_true(compare_trace_wants(&plan, 0));
	assert_false(compare_trace_wants(&plan, 1)); /* together: round 2 */
	assert_true(compare_trace_name(&plan, 0, name, 9) < 0);
	plan.algorithm_count = 1;
	options.together = false;
	assert_int_equal(compare_trace_name(&plan, 0, name, sizeof(name)), 0);
	assert_string_equal(name, "run.jsonl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_says_what_follows),
		cmocka_unit_test(metrics_have_the_units_of_qlog),
		cmocka_unit_test(every_kind_has_its_words),
		cmocka_unit_test(long_traces_are_whole),
		cmocka_unit_test(each_algorithm_has_its_file),
	};

	return cmocka_run_group_tests_name("cmd/sim_trace", tests, make_folder,
					   drop_folder);
}
