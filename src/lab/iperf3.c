/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The real iperf3 on both ends, and its document read into our results. */
#include "lab/round.h"

#include "lab/program.h"
#include "lab/sample.h"
#include "sys/error.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLOWS_MAX      128 /* MAX_STREAMS of iperf3 */
#define ARGS_MAX       24
#define NS_PER_S       1000000000ull
#define NS_PER_MS      1000000u
#define LISTEN_LIMIT_S 10
#define ROW_BYTES      512
#define TEXT(x)        #x
#define DIGITS(x)      TEXT(x)

int lab_iperf3_check(const struct lab_round *round, struct fp_error *error)
{
	if (round->group_count > 1)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "iperf3 runs one algorithm at a time, not "
				    "%u together",
				    round->group_count);
	if (round->groups[0].flows > FLOWS_MAX)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "iperf3 takes at most %d flows, not %u",
				    FLOWS_MAX, round->groups[0].flows);
	if (lab_program_exists("iperf3"))
		return 0;
	(void)fp_error_set(error, FP_EXIT_IMPOSSIBLE, "cannot find 'iperf3'");
	fp_error_hint(error, "install it: apt-get install iperf3 (dnf, apk: "
			     "the same name)");
	return -ENOENT;
}

/* --- Running it -------------------------------------------------------------
 */

/* For the progress line alone: what the server's device has moved, headers
 * included. A row of /proc/net/dev has the name, 8 numbers of what came in and
 * 8 of what went out; bytes are the first of each. */
static void look_at_device(void *context)
{
	struct lab_round_run *run = context;
	FILE *file = fopen("/proc/self/net/dev", "re");
	unsigned long long in_bytes, out_bytes;
	char row[ROW_BYTES];

	while (file && fgets(row, sizeof(row), file)) {
		if (sscanf(row, " fp0: %llu %*u %*u %*u %*u %*u %*u %*u %llu",
			   &in_bytes, &out_bytes) != 2)
			continue;
		atomic_store(&run->shared->flows[0].received_bytes,
			     run->round->is_reverse ? out_bytes : in_bytes);
	}
	if (file)
		(void)fclose(file); /* was only read */
}

int lab_iperf3_serve(void *context, struct fp_error *error)
{
	static char *const argv[] = { "iperf3",         "-s", "-1", "-p",
				      DIGITS(LAB_PORT), NULL };
	struct lab_round_run *run = context;
	struct lab_server server = {
		.argv = argv,
		.port = LAB_PORT,
		.limit_ns = LISTEN_LIMIT_S * NS_PER_S,
		.output_fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
		.listening_fd = run->listening_fd,
		.stop_fd = run->tree.stop_fd,
		.look = look_at_device,
		.context = run,
	};

	return lab_server_run(&server, error) < 0 ? FP_EXIT_FAILED : 0;
}

/* The words of a command line, and the numbers in them. */
struct arguments {
	char *argv[ARGS_MAX + 1];
	uint32_t count;
	char text[ARGS_MAX][24];
};

static void add(struct arguments *arguments, const char *option)
{
	uint32_t place = arguments->count;

	if (place == ARGS_MAX)
		return;
	(void)snprintf(arguments->text[place], sizeof(arguments->text[place]),
		       "%s", option);
	arguments->argv[place] = arguments->text[place];
	arguments->count++;
}

static void add_number(struct arguments *arguments, const char *option,
		       uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	add(arguments, option);
	add(arguments, text);
}

static uint64_t whole_seconds(uint64_t time_ns)
{
	return (time_ns + NS_PER_S - 1) / NS_PER_S;
}

static void build_arguments(const struct lab_round_run *run,
			    struct arguments *arguments)
{
	const struct lab_round *round = run->round;
	uint32_t flows = round->groups[0].flows;

	add(arguments, "iperf3");
	add(arguments, "-J");
	add(arguments, "-c");
	add(arguments,
	    round->path.is_ipv6 ? LAB_RECEIVER_IPV6 : LAB_RECEIVER_IPV4);
	add_number(arguments, "-p", LAB_PORT);
	add(arguments, "-C");
	add(arguments, round->groups[0].algorithm);
	add_number(arguments, "-P", flows);
	add_number(arguments, "--connect-timeout",
		   run->connect_limit_ns / NS_PER_MS);
	if (round->is_reverse)
		add(arguments, "-R");
	if (round->bytes) { /* of all streams together */
		add_number(arguments, "-n", round->bytes * flows);
		return;
	}
	add_number(arguments, "-t", whole_seconds(round->duration_ns));
	if (run->warmup_ns)
		add_number(arguments, "-O", whole_seconds(run->warmup_ns));
}

/* iperf3 tells the name of the algorithm, but not which BBR that is. */
static void note_version(const struct lab_round_run *run)
{
	const char *algorithm = run->round->groups[0].algorithm;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sock_bbr_info bbr;
	uint32_t i;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm,
		       (socklen_t)strnlen(algorithm, LAB_ALGORITHM_BYTES)) <
		0 ||
	    sock_bbr_info_get(fd, &bbr) < 0)
		return;
	for (i = 0; i < run->shared->flow_count; i++)
		run->shared->flows[i].result.bbr_version = bbr.version;
}

int lab_iperf3_call(void *context, struct fp_error *error)
{
	const struct lab_round_run *run = context;
	struct arguments arguments = { .count = 0 };

	build_arguments(run, &arguments);
	if (!lab_round_wait_listening(run))
		return FP_EXIT_FAILED;
	note_version(run);
	/* its troubles are in the document; stderr has our progress line */
	(void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	if (dup2(run->document_fd, STDOUT_FILENO) >= 0)
		(void)execvp(arguments.argv[0], arguments.argv);
	(void)fp_error_errno(error, errno, "cannot run 'iperf3'");
	return FP_EXIT_FAILED;
}

/* --- Reading its document ---------------------------------------------------
 */

static char *read_document(int fd, struct fp_error *error)
{
	struct stat status;
	ssize_t length;
	char *text;

	if (fstat(fd, &status) < 0) {
		(void)fp_error_errno(error, errno,
				     "cannot read iperf3's output");
		return NULL;
	}
	text = malloc((size_t)status.st_size + 1);
	length = text ? pread(fd, text, (size_t)status.st_size, 0) : -1;
	if (length < 0) {
		(void)fp_error_errno(error, errno,
				     "cannot read iperf3's output");
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

static uint64_t number_of(const json_t *object, const char *key)
{
	double value = json_number_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

/* Only at its end iperf3 hears what the other side received. Interrupted before
 * it has what it sent: more by what was on its way. */
static uint64_t received_by(const json_t *stream, bool is_interrupted)
{
	uint64_t bytes =
	    number_of(json_object_get(stream, "receiver"), "bytes");

	if (bytes || !is_interrupted)
		return bytes;
	return number_of(json_object_get(stream, "sender"), "bytes");
}

/* Streams are told apart by the number of their socket, in every list. */
static void read_stream(struct lab_round_run *run, uint32_t flow,
			const json_t *stream, const json_t *document)
{
	struct lab_round_shared *round = run->shared;
	struct lab_flow_shared *shared = &round->flows[flow];
	const json_t *sender = json_object_get(stream, "sender");
	const json_t *receiver = json_object_get(stream, "receiver");
	const json_t *start = json_object_get(document, "start");
	const json_t *end = json_object_get(document, "end");
	const char *algorithm =
	    json_string_value(json_object_get(end, "sender_tcp_congestion"));
	double seconds =
	    json_number_value(json_object_get(receiver, "seconds"));
	bool is_interrupted = json_object_get(document, "error") != NULL;

	(void)snprintf(shared->result.algorithm,
		       sizeof(shared->result.algorithm), "%s",
		       algorithm ? algorithm : "");
	shared->result.mss_bytes =
	    (uint32_t)number_of(start, "tcp_mss_default");
	shared->result.min_rtt_us = (uint32_t)number_of(sender, "min_rtt");
	shared->result.snd_wnd_max_bytes =
	    (uint32_t)number_of(sender, "max_snd_wnd");
	shared->result.sent_bytes = number_of(sender, "bytes");
	shared->result.retransmitted_bytes =
	    number_of(sender, "retransmits") * shared->result.mss_bytes;
	/* iperf3 counts what the program wrote, we what TCP sent */
	shared->result.sent_bytes += shared->result.retransmitted_bytes;
	shared->bytes_at_end = received_by(stream, is_interrupted);
	atomic_store(&shared->received_bytes, shared->bytes_at_end);
	round->measure_end_ns = (uint64_t)(seconds * 1e9);
	if (run->round->bytes && seconds > 0 && !is_interrupted)
		shared->result.completion_ns = (uint64_t)(seconds * 1e9);
}

static void read_interval_stream(struct lab_round_run *run, uint32_t flow,
				 const json_t *stream)
{
	struct lab_round_shared *shared = run->shared;
	uint32_t place = atomic_load(&shared->sample_count);
	uint32_t mss_bytes = shared->flows[flow].result.mss_bytes;
	struct lab_sample *sample = &run->samples[place];
	double end_s = json_number_value(json_object_get(stream, "end"));

	if (place >= shared->sample_capacity ||
	    json_is_true(json_object_get(stream, "omitted")))
		return;
	memset(sample, 0, sizeof(*sample));
	sample->flow = flow;
	/* iperf3's clock starts anew after what it omits */
	sample->time_ms =
	    (uint32_t)(run->warmup_ns / NS_PER_MS) + (uint32_t)(end_s * 1e3);
	sample->rtt_us = (uint32_t)number_of(stream, "rtt");
	sample->rttvar_us = (uint32_t)number_of(stream, "rttvar");
	if (mss_bytes)
		sample->cwnd_pkts =
		    (uint32_t)(number_of(stream, "snd_cwnd") / mss_bytes);
	sample->delivery_rate_bps = number_of(stream, "bits_per_second");
	atomic_store(&shared->sample_count, place + 1);
}

static void read_intervals(struct lab_round_run *run, const json_t *document)
{
	const json_t *intervals = json_object_get(document, "intervals");
	const json_t *interval, *stream;
	size_t i, flow;

	json_array_foreach(intervals, i, interval)
	{
		const json_t *streams = json_object_get(interval, "streams");

		json_array_foreach(streams, flow, stream)
		{
			if (flow < run->shared->flow_count)
				read_interval_stream(run, (uint32_t)flow,
						     stream);
		}
	}
}

static int read_flows(struct lab_round_run *run, const json_t *document,
		      struct fp_error *error)
{
	const json_t *end = json_object_get(document, "end");
	const json_t *streams = json_object_get(end, "streams");
	const json_t *stream;
	const char *trouble =
	    json_string_value(json_object_get(document, "error"));
	size_t flow;

	if (!json_array_size(streams))
		return fp_error_set(error, FP_EXIT_FAILED, "iperf3: %s",
				    trouble ? trouble : "it measured nothing");
	if (trouble) /* an interrupt: what it saw until then is there */
		(void)snprintf(
		    run->shared->note[LAB_ROLE_SENDER],
		    sizeof(run->shared->note[0]), "iperf3: %s%s", trouble,
		    run->round->is_reverse ? "" : "; goodput is what was sent");
	json_array_foreach(streams, flow, stream)
	{
		if (flow < run->shared->flow_count)
			read_stream(run, (uint32_t)flow, stream, document);
	}
	read_intervals(run, document);
	return 0;
}

char *lab_iperf3_read(struct lab_round_run *run, struct fp_error *error)
{
	char *text = read_document(run->document_fd, error);
	json_error_t json_error;
	json_t *document;
	int status;

	if (!text)
		return NULL;
	document = json_loads(text, 0, &json_error);
	if (!document) {
		(void)fp_error_set(error, FP_EXIT_FAILED,
				   "cannot read iperf3's output: %s",
				   text[0] ? json_error.text : "it is empty");
		free(text);
		return NULL;
	}
	status = read_flows(run, document, error);
	json_decref(document);
	if (status == 0)
		return text;
	free(text);
	return NULL;
}
