/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/round.h"

#include "lab/plan.h"

#include "lab/sample.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_S         1000000000ull
/* SYNs go out after 0, 1, 3 and 7 s: four tries, so a path that loses a
 * quarter of them fails once in 256 flows. */
#define CONNECT_LIMIT_NS (10 * NS_PER_S)
/* Longer than the first six retransmission timeouts of a path with 200 ms
 * (0.4 + 0.8 + … + 12.8 = 25.2 s): at 16 % loss CUBIC is silent for that long
 * once in 0.16^6, that is never; a path that is dead is noticed. */
#define STALL_NS         (30 * NS_PER_S)
#define STALL_RTT        20 /* and as many round trips, for paths to the Moon */
/* Past its own time a round has nothing more to do than to end. */
#define OVERTIME_NS      (5 * NS_PER_S)

unsigned lab_address(const struct lab_path *path, enum lab_side side,
		     uint16_t port, struct sockaddr_storage *ret_address)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (path->is_ipv6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		(void)inet_pton(AF_INET6,
				side == LAB_SENDER ? LAB_SENDER_IPV6
						   : LAB_RECEIVER_IPV6,
				&v6->sin6_addr); /* constants are valid */
		return sizeof(*v6);
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons(port);
	(void)inet_pton(
	    AF_INET, side == LAB_SENDER ? LAB_SENDER_IPV4 : LAB_RECEIVER_IPV4,
	    &v4->sin_addr); /* constants are valid */
	return sizeof(*v4);
}

void lab_raise_fd_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* opening says if too low */
}

bool lab_round_wait_listening(const struct lab_round_run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->listening_fd, .events = POLLIN },
		{ .fd = run->tree.stop_fd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !(fds[1].revents & POLLIN);
}

/* --- Times ------------------------------------------------------------------
 */

static void set_times(struct lab_round_run *run)
{
	const struct lab_path *path = &run->round->path;
	uint64_t rtt_ns = 0;

	if (path->backend != LAB_BACKEND_DIRECT)
		rtt_ns = fp_path_delay_ns(&path->way[0]) +
			 fp_path_delay_ns(&path->way[1]);
	run->warmup_ns = run->round->bytes ? 0 : run->round->warmup_ns;
	run->connect_limit_ns = CONNECT_LIMIT_NS + STALL_RTT * rtt_ns;
	run->stall_ns = STALL_NS;
	if (run->stall_ns < STALL_RTT * rtt_ns)
		run->stall_ns = STALL_RTT * rtt_ns;
	run->tree.limit_ns = run->connect_limit_ns + run->warmup_ns +
			     run->round->duration_ns + OVERTIME_NS;
}

double lab_round_total_s(const struct lab_round *round)
{
	uint64_t warmup_ns = round->bytes ? 0 : round->warmup_ns;

	return (double)(warmup_ns + round->duration_ns) / 1e9;
}

/* --- Starting ---------------------------------------------------------------
 */

static uint32_t count_flows(const struct lab_round *round)
{
	uint32_t flows = 0;
	uint32_t i;

	for (i = 0; i < round->group_count; i++)
		flows += round->groups[i].flows;
	return flows;
}

static void number_flows(struct lab_round_run *run)
{
	const struct lab_round *round = run->round;
	uint32_t flow = 0;
	uint32_t group, i;

	for (group = 0; group < round->group_count; group++)
		for (i = 0; i < round->groups[group].flows; i++)
			run->shared->flows[flow++].result.group = group;
}

/* The memory is untouched, hence free, as far as samples do not fill it. */
static int map_shared(struct lab_round_run *run, struct fp_error *error)
{
	uint32_t flows = count_flows(run->round);
	uint64_t total_ns = run->warmup_ns + run->round->duration_ns;
	uint64_t wish_ns =
	    run->round->with_iperf3 ? NS_PER_S : run->round->sample_ns;
	uint64_t interval_ns = lab_sample_interval_ns(wish_ns, total_ns, flows);
	uint32_t capacity = lab_sample_capacity(interval_ns, total_ns, flows);
	size_t head_bytes =
	    sizeof(*run->shared) + flows * sizeof(run->shared->flows[0]);
	void *memory;

	run->shared_bytes = head_bytes + capacity * sizeof(struct lab_sample);
	memory = mmap(NULL, run->shared_bytes, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return fp_error_errno(error, errno,
				      "cannot get memory for the samples");
	run->shared = memory;
	run->shared->flow_count = flows;
	run->shared->sample_capacity = capacity;
	run->shared->sample_ns = interval_ns;
	run->samples =
	    (struct lab_sample *)(void *)((char *)memory + head_bytes);
	number_flows(run);
	return 0;
}

static int open_events(struct lab_round_run *run, struct fp_error *error)
{
	run->listening_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (run->listening_fd < 0)
		return fp_error_errno(error, errno, "cannot open an event");
	if (!run->round->with_iperf3)
		return 0;
	run->document_fd = memfd_create("iperf3", MFD_CLOEXEC);
	if (run->document_fd < 0)
		return fp_error_errno(error, errno,
				      "cannot get memory for iperf3's output");
	return 0;
}

static void set_children(struct lab_round_run *run)
{
	static const struct lab_child own[LAB_ROLES] = {
		{ .name = "sender", .side = LAB_SENDER, .run = lab_flow_send },
		{ .name = "receiver",
		  .side = LAB_RECEIVER,
		  .run = lab_flow_receive },
	};
	/* iperf3 ends on SIGINT with the document of what it has seen */
	static const struct lab_child iperf3[LAB_ROLES] = {
		{ .name = "iperf3 client",
		  .side = LAB_SENDER,
		  .run = lab_iperf3_call,
		  .stop_signal = SIGINT,
		  .ends_all = true,
		  .is_program = true },
		{ .name = "iperf3 server",
		  .side = LAB_RECEIVER,
		  .run = lab_iperf3_serve,
		  .stop_signal = SIGTERM,
		  .is_program = true },
	};
	const struct lab_child *from = run->round->with_iperf3 ? iperf3 : own;
	uint32_t i;

	run->tree.child_count = LAB_ROLES;
	for (i = 0; i < LAB_ROLES; i++) {
		run->tree.child[i] = from[i];
		run->tree.child[i].context = run;
	}
	if (run->round->is_reverse && !run->round->with_iperf3) {
		run->tree.child[LAB_ROLE_SENDER].side = LAB_RECEIVER;
		run->tree.child[LAB_ROLE_RECEIVER].side = LAB_SENDER;
	}
}

static void choose_cpu(struct lab_round_run *run, uint32_t slot)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	run->tree.cpu = lab_plan_cpu(run->round, slot, &allowed);
	run->tree.is_bound = run->tree.cpu >= 0;
}

static void release(struct lab_round_run *run)
{
	if (run->shared)
		(void)munmap(run->shared, run->shared_bytes);
	if (run->listening_fd >= 0)
		(void)close(run->listening_fd);
	if (run->document_fd >= 0)
		(void)close(run->document_fd);
	run->shared = NULL;
	run->listening_fd = -1;
	run->document_fd = -1;
}

int lab_round_start(struct lab_round_run *run, const struct lab_round *round,
		    uint32_t slot, struct fp_error *error)
{
	int status;

	memset(run, 0, sizeof(*run));
	run->round = round;
	run->listening_fd = -1;
	run->document_fd = -1;
	set_times(run);
	status = map_shared(run, error);
	if (status == 0)
		status = open_events(run, error);
	if (status == 0) {
		run->tree.path = &round->path;
		run->tree.shared = &run->shared->tree;
		run->tree.is_detached = true;
		choose_cpu(run, slot);
		set_children(run);
		status = lab_tree_start(&run->tree, error);
	}
	if (status < 0)
		release(run);
	return status;
}

uint64_t lab_round_received_bytes(const struct lab_round_run *run,
				  uint64_t ret_flow_bytes[LAB_PROGRESS_FLOWS])
{
	uint64_t sum = 0, bytes;
	uint32_t i;

	memset(ret_flow_bytes, 0, LAB_PROGRESS_FLOWS * sizeof(bytes));
	for (i = 0; i < run->shared->flow_count; i++) {
		bytes = atomic_load(&run->shared->flows[i].received_bytes);
		if (i < LAB_PROGRESS_FLOWS)
			ret_flow_bytes[i] = bytes;
		sum += bytes;
	}
	return sum;
}

/* --- Collecting -------------------------------------------------------------
 */

uint64_t lab_rate_bps(uint64_t bytes, uint64_t time_ns)
{
	/* bytes * 8e9 passes 2^64 beyond 2.3 GB */
	return time_ns ? (uint64_t)((double)bytes * 8e9 / (double)time_ns) : 0;
}

static void finish_flow(const struct lab_round_run *run,
			const struct lab_flow_shared *shared,
			struct lab_flow_result *flow)
{
	const struct lab_round_shared *round = run->shared;

	*flow = shared->result;
	flow->received_bytes = atomic_load(&shared->received_bytes);
	if (flow->completion_ns)
		flow->goodput_bps =
		    lab_rate_bps(run->round->bytes, flow->completion_ns);
	else if (round->measure_end_ns > round->measure_start_ns)
		flow->goodput_bps = lab_rate_bps(
		    shared->bytes_at_end - shared->bytes_at_start,
		    round->measure_end_ns - round->measure_start_ns);
}

void lab_result_add_note(struct lab_result *result, const char *text)
{
	size_t used = strlen(result->note);

	if (text[0])
		(void)snprintf(result->note + used, sizeof(result->note) - used,
			       "%s%s", used ? "; " : "", text);
}

static int take_samples(const struct lab_round_run *run,
			struct lab_result *result)
{
	uint32_t count = atomic_load(&run->shared->sample_count);
	size_t bytes = count * sizeof(*result->samples);

	result->samples = malloc(bytes ? bytes : 1);
	if (!result->samples)
		return -ENOMEM;
	memcpy(result->samples, run->samples, bytes);
	result->sample_count = count;
	return lab_sample_sum_up(result->samples, count,
				 (uint32_t)(run->warmup_ns / 1000000u),
				 result->flows, result->flow_count);
}

static int take_flows(const struct lab_round_run *run,
		      struct lab_result *result)
{
	uint32_t i;

	result->flow_count = run->shared->flow_count;
	result->flows = calloc(result->flow_count, sizeof(*result->flows));
	if (!result->flows)
		return -ENOMEM;
	for (i = 0; i < result->flow_count; i++) {
		finish_flow(run, &run->shared->flows[i], &result->flows[i]);
		if (result->flows[i].has_failed)
			result->is_valid = false;
	}
	return take_samples(run, result);
}

static void take_cpu(const struct lab_round_run *run, struct lab_result *result)
{
	const struct lab_round_shared *shared = run->shared;
	double cpu_s[LAB_ROLES];
	uint32_t i;

	for (i = 0; i < LAB_ROLES; i++)
		cpu_s[i] = run->round->with_iperf3 ? shared->tree.child[i].cpu_s
						   : shared->cpu_s[i];
	if (run->round->with_iperf3 && run->round->is_reverse) {
		result->sender_cpu_s = cpu_s[LAB_ROLE_RECEIVER];
		result->receiver_cpu_s = cpu_s[LAB_ROLE_SENDER];
		return;
	}
	result->sender_cpu_s = cpu_s[LAB_ROLE_SENDER];
	result->receiver_cpu_s = cpu_s[LAB_ROLE_RECEIVER];
}

/* An interrupted or broken round keeps what was seen. */
static void fill_result(struct lab_round_run *run, struct lab_result *result)
{
	struct lab_round_shared *shared = run->shared;

	*result = shared->tree.result;
	if (run->round->with_iperf3 && !shared->tree.error.status)
		result->iperf3_json = lab_iperf3_read(run, &shared->tree.error);
	if (take_flows(run, result) < 0)
		(void)fp_error_errno(&shared->tree.error, ENOMEM,
				     "cannot keep the results");
	take_cpu(run, result);
	lab_result_add_note(result, shared->note[LAB_ROLE_SENDER]);
	lab_result_add_note(result, shared->note[LAB_ROLE_RECEIVER]);
	result->error = shared->tree.error;
	if (result->error.status)
		result->is_valid = false;
}

void lab_round_collect(struct lab_round_run *run, bool is_killed,
		       struct lab_result *ret_result)
{
	lab_tree_fini(&run->tree, is_killed);
	fill_result(run, ret_result);
	ret_result->wall_s =
	    (double)(fp_clock_ns() - run->tree.started_ns) / 1e9;
	release(run);
}

void lab_result_fini(struct lab_result *result)
{
	free(result->flows);
	free(result->samples);
	free(result->iperf3_json);
	result->flows = NULL;
	result->samples = NULL;
	result->iperf3_json = NULL;
	result->flow_count = 0;
	result->sample_count = 0;
}
