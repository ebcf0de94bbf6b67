/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sim_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/error.h"

#define BUFFER_BYTES  (1u << 16)
#define LINE_BYTES    1024 /* longer than any event */
#define DIGITS_MAX    20   /* of 2^64 */
#define TCP_IP4_BYTES 52   /* IPv4, TCP and its timestamps */
#define TCP_IP6_BYTES 72
#define NS_PER_US     1000u
#define US_PER_MS     1000u

struct flow { /* what the event before said */
	const char *ca_state, *cc_state;
};

struct cmd_trace {
	struct fp_newfile file;
	int errnum; /* of the first write that failed */
	uint32_t mss_bytes;
	uint32_t flow_count;
	struct flow *flows;
	bool has_members; /* of the object that is being written */
	size_t used;
	char buffer[BUFFER_BYTES];
};

/* --- Writing -------------------------------------------------------------- */

static void flush(struct cmd_trace *trace)
{
	size_t done = 0;
	ssize_t count;

	while (done < trace->used && !trace->errnum) {
		count = write(trace->file.fd, trace->buffer + done,
			      trace->used - done);
		if (count >= 0)
			done += (size_t)count;
		else if (errno != EINTR)
			trace->errnum = errno;
	}
	trace->used = 0;
}

static void put(struct cmd_trace *trace, const char *text, size_t bytes)
{
	memcpy(trace->buffer + trace->used, text, bytes);
	trace->used += bytes;
}

static void put_text(struct cmd_trace *trace, const char *text)
{
	put(trace, text, strlen(text));
}

static void put_number(struct cmd_trace *trace, uint64_t number)
{
	char digits[DIGITS_MAX], *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	put(trace, first, (size_t)(digits + sizeof(digits) - first));
}

static void put_name(struct cmd_trace *trace, const char *name)
{
	put_text(trace, trace->has_members ? ",\"" : "\"");
	put_text(trace, name);
	put_text(trace, "\":");
	trace->has_members = true;
}

static void member(struct cmd_trace *trace, const char *name, uint64_t number)
{
	put_name(trace, name);
	put_number(trace, number);
}

/* Words are constants of ours: nothing in them is to be escaped. */
static void member_word(struct cmd_trace *trace, const char *name,
			const char *word)
{
	put_name(trace, name);
	put_text(trace, word ? "\"" : "null");
	if (word) {
		put_text(trace, word);
		put_text(trace, "\"");
	}
}

/* Microseconds as milliseconds: 1234 is 1.234. */
static void member_ms(struct cmd_trace *trace, const char *name,
		      uint32_t time_us)
{
	uint32_t rest = time_us % US_PER_MS;
	char digits[] = { '.', (char)('0' + rest / 100),
			  (char)('0' + rest / 10 % 10),
			  (char)('0' + rest % 10) };

	member(trace, name, time_us / US_PER_MS);
	if (rest > 0)
		put(trace, digits, sizeof(digits));
}

static void member_bytes(struct cmd_trace *trace, const char *name,
			 uint32_t pkts)
{
	member(trace, name, (uint64_t)pkts * trace->mss_bytes);
}

/* --- Events --------------------------------------------------------------- */

static void put_packets(struct cmd_trace *trace,
			const struct fp_sim_event *event)
{
	put_name(trace, "header");
	put_text(trace, "{\"packet_number\":");
	put_number(trace, event->seq_pkts);
	put_text(trace, "}");
	member(trace, "count", event->pkts);
}

static void put_sent(struct cmd_trace *trace, const struct fp_sim_event *event)
{
	put_packets(trace, event);
	put_name(trace, "is_retransmission");
	put_text(trace, event->is_retrans ? "true" : "false");
}

/* The words of qlog for what made loss detection give a packet up. */
static const char *trigger_of(const char *reason)
{
	if (!reason)
		return NULL;
	if (strcmp(reason, "rack") == 0)
		return "time_threshold";
	if (strcmp(reason, "dupack") == 0)
		return "reordering_threshold";
	return strcmp(reason, "rto") == 0 ? "pto_expired" : reason;
}

static void put_lost(struct cmd_trace *trace, const struct fp_sim_event *event)
{
	put_packets(trace, event);
	member_word(trace, "trigger", trigger_of(event->reason));
	member_word(trace, "reason", event->reason);
}

static void put_dropped(struct cmd_trace *trace,
			const struct fp_sim_event *event)
{
	put_packets(trace, event);
	member_word(trace, "way", event->way ? "back" : "forward");
	member(trace, "stage", event->stage);
	member_word(trace, "reason", event->reason);
}

static void put_model(struct cmd_trace *trace, const struct fp_cc_model *model)
{
	if (!model->bbr_version)
		return;
	member(trace, "bandwidth", model->bw_bytes_per_s * 8);
	member_ms(trace, "model_min_rtt", model->min_rtt_us);
	member(trace, "pacing_gain_x256", model->pacing_gain_x256);
	member(trace, "cwnd_gain_x256", model->cwnd_gain_x256);
	if (model->bbr_version < 3)
		return;
	member(trace, "max_bandwidth", model->max_bw_bytes_per_s * 8);
	if (model->inflight_longterm_pkts < UINT32_MAX)
		member(trace, "inflight_longterm_packets",
		       model->inflight_longterm_pkts);
	if (model->inflight_shortterm_pkts < UINT32_MAX)
		member(trace, "inflight_shortterm_packets",
		       model->inflight_shortterm_pkts);
}

static void put_sample(struct cmd_trace *trace, const struct fp_cc_ack *sample)
{
	member(trace, "newly_acked_packets", sample->acked_sacked_pkts);
	member(trace, "newly_lost_packets", sample->newly_lost_pkts);
	if (sample->delivered_pkts < 0 || sample->interval_us <= 0)
		return;
	member(trace, "delivery_rate",
	       (uint64_t)sample->delivered_pkts * trace->mss_bytes * 8 *
		   1000000 / (uint64_t)sample->interval_us);
	put_name(trace, "is_app_limited");
	put_text(trace, sample->is_app_limited ? "true" : "false");
}

static void put_metrics(struct cmd_trace *trace,
			const struct fp_sim_event *event)
{
	member_ms(trace, "smoothed_rtt", event->srtt_us);
	member_ms(trace, "min_rtt", event->min_rtt_us);
	if (event->rtt_us)
		member_ms(trace, "latest_rtt", event->rtt_us);
	member_bytes(trace, "congestion_window", event->cwnd_pkts);
	member_bytes(trace, "bytes_in_flight", event->inflight_pkts);
	member(trace, "packets_in_flight", event->inflight_pkts);
	if (event->ssthresh_pkts < FP_CC_SSTHRESH_NONE)
		member_bytes(trace, "ssthresh", event->ssthresh_pkts);
	if (event->pacing_rate_bytes_per_s)
		member(trace, "pacing_rate",
		       event->pacing_rate_bytes_per_s * 8);
	member_word(trace, "congestion_state", event->ca_state);
	member_word(trace, "algorithm_state", event->cc_state);
	put_sample(trace, &event->sample);
	put_model(trace, &event->model);
}

static void put_ca_state(struct cmd_trace *trace,
			 const struct fp_sim_event *event)
{
	struct flow *flow = &trace->flows[event->flow];

	member_word(trace, "old", flow->ca_state);
	member_word(trace, "new", event->ca_state);
	flow->ca_state = event->ca_state;
}

static void put_cc_state(struct cmd_trace *trace,
			 const struct fp_sim_event *event)
{
	struct flow *flow = &trace->flows[event->flow];

	member_word(trace, "old", flow->cc_state);
	member_word(trace, "new", event->cc_state);
	flow->cc_state = event->cc_state;
	put_model(trace, &event->model);
}

static void put_timer(struct cmd_trace *trace, const struct fp_sim_event *event)
{
	member_word(trace, "timer_type", event->reason);
	member_word(trace, "event_type", "expired");
}

static void put_reason(struct cmd_trace *trace,
		       const struct fp_sim_event *event)
{
	member_word(trace, "reason", event->reason);
}

static void put_nothing(struct cmd_trace *trace,
			const struct fp_sim_event *event)
{
	(void)trace;
	(void)event;
}

static const struct {
	const char *name;
	void (*put)(struct cmd_trace *trace, const struct fp_sim_event *event);
} kinds[] = {
	[FP_SIM_EVENT_SENT] = { "transport:packet_sent", put_sent },
	[FP_SIM_EVENT_ACK] = { "recovery:metrics_updated", put_metrics },
	[FP_SIM_EVENT_LOST] = { "recovery:packet_lost", put_lost },
	[FP_SIM_EVENT_DROPPED] = { "path:packet_dropped", put_dropped },
	[FP_SIM_EVENT_CA_STATE] = { "recovery:congestion_state_updated",
				    put_ca_state },
	[FP_SIM_EVENT_CC_STATE] = { "algorithm:state_updated", put_cc_state },
	[FP_SIM_EVENT_TIMER] = { "recovery:loss_timer_updated", put_timer },
	[FP_SIM_EVENT_UNDO] = { "recovery:loss_undone", put_reason },
	[FP_SIM_EVENT_WINDOW] = { "transport:peer_window_updated",
				  put_nothing },
	[FP_SIM_EVENT_START] = { "connectivity:connection_started",
				 put_nothing },
	[FP_SIM_EVENT_END] = { "connectivity:connection_closed", put_nothing },
};

/* Timers that have nothing to do with losses have no name in qlog. */
static const char *name_of(const struct fp_sim_event *event)
{
	if (event->kind == FP_SIM_EVENT_TIMER && event->reason &&
	    (strcmp(event->reason, "pace") == 0 ||
	     strcmp(event->reason, "persist") == 0))
		return "transport:timer_expired";
	return kinds[event->kind].name;
}

void cmd_trace_event(void *context, const struct fp_sim_event *event)
{
	struct cmd_trace *trace = context;

	if ((size_t)event->kind >= sizeof(kinds) / sizeof(kinds[0]) ||
	    event->flow >= trace->flow_count)
		return;
	if (trace->used + LINE_BYTES > sizeof(trace->buffer))
		flush(trace);
	put_text(trace, "{\"time_us\":");
	put_number(trace, event->time_ns / NS_PER_US);
	put_text(trace, ",\"flow\":");
	put_number(trace, event->flow);
	put_text(trace, ",\"name\":\"");
	put_text(trace, name_of(event));
	put_text(trace, "\",\"data\":{");
	trace->has_members = false;
	kinds[event->kind].put(trace, event);
	put_text(trace, "}}\n");
}

/* --- The file ------------------------------------------------------------- */

/* The first line may be longer than the buffer. */
static int write_head(struct cmd_trace *trace, const json_t *head)
{
	json_t *line = json_object();
	char *text = NULL;
	size_t at, bytes;

	(void)json_object_set_new(line, "schema",
				  json_string("fullpipe.trace/1"));
	(void)json_object_set_new(line, "mss_bytes",
				  json_integer(trace->mss_bytes));
	(void)json_object_update(line, (json_t *)(uintptr_t)head);
	text = json_dumps(line, JSON_COMPACT);
	json_decref(line);
	if (!text)
		return -ENOMEM;
	for (at = 0; text[at]; at += bytes) {
		bytes = strnlen(text + at, LINE_BYTES);
		put(trace, text + at, bytes);
		flush(trace);
	}
	put(trace, "\n", 1);
	free(text);
	return 0;
}

struct cmd_trace *cmd_trace_open(const char *path, const json_t *head,
				 const struct fp_sim_config *config,
				 struct fp_error *error)
{
	struct cmd_trace *trace = calloc(1, sizeof(*trace));
	uint32_t i;

	if (trace) {
		trace->file = (struct fp_newfile)FP_NEWFILE_NONE;
		trace->flows =
		    calloc(config->flow_count, sizeof(*trace->flows));
	}
	if (!trace || !trace->flows) {
		(void)fp_error_errno(error, ENOMEM, "cannot trace");
		cmd_trace_free(trace);
		return NULL;
	}
	trace->flow_count = config->flow_count;
	trace->mss_bytes = config->mtu_bytes -
			   (config->is_ipv6 ? TCP_IP6_BYTES : TCP_IP4_BYTES);
	for (i = 0; i < trace->flow_count; i++)
		trace->flows[i].ca_state = "open";
	if (fp_newfile_open(&trace->file, path, error) < 0) {
		cmd_trace_free(trace);
		return NULL;
	}
	if (write_head(trace, head) < 0)
		trace->errnum = ENOMEM;
	return trace;
}

int cmd_trace_publish(struct cmd_trace *trace, struct fp_error *error)
{
	flush(trace);
	if (trace->errnum)
		return fp_error_errno(error, trace->errnum, "cannot write '%s'",
				      trace->file.path);
	return fp_newfile_publish(&trace->file, error);
}

void cmd_trace_free(struct cmd_trace *trace)
{
	if (!trace)
		return;
	fp_newfile_discard(&trace->file);
	free(trace->flows);
	free(trace);
}
