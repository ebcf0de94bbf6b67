/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The receiving end: reads everything, counts it, and says when the round is
 * over. Data is discarded by MSG_TRUNC, which drops it inside the kernel
 * without copying: it counts the same bytes at a third of the CPU (over a veth
 * pair 200 Gbit a CPU second instead of 70).
 */
#include "lab/round.h"

#include "sys/clock.h"
#include "sys/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_MS   1000000u
#define READ_BYTES  (1u << 20)
#define BACKLOG     4096 /* above LAB_FLOWS_MAX: all can knock at once */
#define EVENTS      64
#define LOOK_MS     50 /* stall and Ctrl-C are noticed within this */
#define ID_LISTENER UINT32_MAX
#define ID_STOP     (UINT32_MAX - 1)

enum phase { PHASE_WARMUP, PHASE_MEASURE, PHASE_END };

struct receiver {
	struct lab_round_run *run;
	struct lab_round_shared *shared;
	int epoll_fd;
	int listener;
	int fds[LAB_FLOWS_MAX];
	uint32_t
	    finished; /* flows that have ended: closed, complete or reset */
	enum phase phase;
	uint64_t last_read_ns; /* on any flow */
	char *buffer;
};

static int watch(struct receiver *receiver, int fd, uint32_t id)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = id };

	return epoll_ctl(receiver->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_listener(struct receiver *receiver, struct fp_error *error)
{
	const struct lab_round *round = receiver->run->round;
	enum lab_side side = round->is_reverse ? LAB_SENDER : LAB_RECEIVER;
	struct sockaddr_storage address;
	unsigned length = lab_address(&round->path, side, LAB_PORT, &address);
	int fd = socket(address.ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	receiver->listener = fd;
	if (fd < 0)
		return fp_error_errno(error, errno,
				      "cannot open the receiver's socket");
	if (bind(fd, (struct sockaddr *)&address, length) < 0 ||
	    listen(fd, BACKLOG) < 0)
		return fp_error_errno(error, errno,
				      "cannot listen on the receiver's port %d",
				      LAB_PORT);
	return 0;
}

static int receiver_open(struct receiver *receiver, struct fp_error *error)
{
	int status;

	receiver->buffer = malloc(READ_BYTES);
	receiver->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!receiver->buffer || receiver->epoll_fd < 0)
		return fp_error_errno(error, errno,
				      "cannot prepare the receiver");
	status = open_listener(receiver, error);
	if (status < 0)
		return status;
	if (watch(receiver, receiver->listener, ID_LISTENER) < 0 ||
	    watch(receiver, receiver->run->tree.stop_fd, ID_STOP) < 0)
		return fp_error_errno(error, errno,
				      "cannot watch the receiver's socket");
	return 0;
}

/* Both families have the port at one place, and the longer one holds both. */
_Static_assert(offsetof(struct sockaddr_in, sin_port) ==
		   offsetof(struct sockaddr_in6, sin6_port),
	       "ports are at one place");

static void accept_all(struct receiver *receiver)
{
	struct sockaddr_in6 peer = { 0 };
	socklen_t length = sizeof(peer);
	uint32_t flow;
	int fd;

	while ((fd = accept4(receiver->listener, (struct sockaddr *)&peer,
			     &length, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		flow = (uint32_t)ntohs(peer.sin6_port) - LAB_FLOW_PORT_BASE;
		length = sizeof(peer);
		if (flow >= receiver->shared->flow_count ||
		    receiver->fds[flow] >= 0 || watch(receiver, fd, flow) < 0) {
			(void)close(fd); /* nobody of ours */
			continue;
		}
		receiver->fds[flow] = fd;
		receiver->shared->flows[flow].has_arrived = true;
	}
}

static void finish_flow(struct receiver *receiver, uint32_t flow)
{
	(void)close(receiver->fds[flow]);
	receiver->fds[flow] = -1;
	receiver->finished++;
}

static void complete_flow(struct receiver *receiver, uint32_t flow)
{
	struct lab_flow_shared *shared = &receiver->shared->flows[flow];

	if (receiver->run->round->bytes)
		shared->result.completion_ns =
		    shared->last_read_ns - shared->connect_ns;
	/* a closed socket would answer with a reset: keep it until the end,
	 * but look at it no more */
	(void)epoll_ctl(receiver->epoll_fd, EPOLL_CTL_DEL, receiver->fds[flow],
			NULL);
	receiver->finished++;
}

static void read_flow(struct receiver *receiver, uint32_t flow)
{
	struct lab_flow_shared *shared = &receiver->shared->flows[flow];
	ssize_t got =
	    recv(receiver->fds[flow], receiver->buffer, READ_BYTES, MSG_TRUNC);

	if (got > 0) {
		shared->last_read_ns = fp_clock_ns();
		receiver->last_read_ns = shared->last_read_ns;
		atomic_fetch_add_explicit(&shared->received_bytes,
					  (uint64_t)got, memory_order_relaxed);
	} else if (got == 0) {
		complete_flow(receiver, flow);
	} else if (errno != EAGAIN && errno != EINTR) {
		finish_flow(receiver, flow);
	}
}

static void snapshot_start(struct receiver *receiver, uint64_t now_ns)
{
	struct lab_round_shared *shared = receiver->shared;
	uint32_t i;

	shared->measure_start_ns = now_ns;
	for (i = 0; i < shared->flow_count; i++)
		shared->flows[i].bytes_at_start =
		    atomic_load(&shared->flows[i].received_bytes);
}

/* The end; all until now counts where that is not yet past the warm-up. */
static void snapshot_end(struct receiver *receiver, uint64_t now_ns)
{
	struct lab_round_shared *shared = receiver->shared;
	uint32_t i;

	if (receiver->phase == PHASE_WARMUP)
		shared->measure_start_ns = atomic_load(&shared->start_ns);
	shared->measure_end_ns = now_ns;
	shared->cpu_s[LAB_ROLE_RECEIVER] = lab_process_cpu_s();
	for (i = 0; i < shared->flow_count; i++)
		shared->flows[i].bytes_at_end =
		    atomic_load(&shared->flows[i].received_bytes);
	receiver->phase = PHASE_END;
}

static void mark_stalled(struct receiver *receiver)
{
	struct lab_round_shared *shared = receiver->shared;
	uint32_t i;

	for (i = 0; i < shared->flow_count; i++)
		if (!shared->flows[i].result.completion_ns)
			shared->flows[i].result.is_stalled = true;
	(void)snprintf(shared->note[LAB_ROLE_RECEIVER],
		       sizeof(shared->note[LAB_ROLE_RECEIVER]),
		       "nothing arrived for %.0f s: ended early",
		       (double)receiver->run->stall_ns / 1e9);
}

static bool is_stalled(const struct receiver *receiver, uint64_t start_ns,
		       uint64_t now_ns)
{
	uint64_t since_ns = receiver->last_read_ns > start_ns
				? receiver->last_read_ns
				: start_ns;

	return now_ns - since_ns > receiver->run->stall_ns;
}

/* Moves through the phases; called after every batch of events, so that a
 * snapshot is late by one batch at most, and by how much is known. */
static void advance(struct receiver *receiver)
{
	const struct lab_round_run *run = receiver->run;
	uint64_t start_ns = atomic_load(&receiver->shared->start_ns);
	uint64_t now_ns = fp_clock_ns();
	uint64_t measure_ns = start_ns + run->warmup_ns;

	if (!start_ns || now_ns < start_ns)
		return;
	if (receiver->phase == PHASE_WARMUP && now_ns >= measure_ns) {
		snapshot_start(receiver, now_ns);
		receiver->phase = PHASE_MEASURE;
	}
	if (is_stalled(receiver, start_ns, now_ns)) {
		mark_stalled(receiver);
		snapshot_end(receiver, now_ns);
	} else if (now_ns >= measure_ns + run->round->duration_ns ||
		   receiver->finished == receiver->shared->flow_count) {
		snapshot_end(receiver, now_ns);
	}
}

static int timeout_ms(const struct receiver *receiver)
{
	uint64_t start_ns = atomic_load(&receiver->shared->start_ns);
	uint64_t due_ns = start_ns + receiver->run->warmup_ns;
	uint64_t now_ns = fp_clock_ns();

	if (receiver->phase == PHASE_MEASURE)
		due_ns += receiver->run->round->duration_ns;
	if (!start_ns || due_ns > now_ns + LOOK_MS * (uint64_t)NS_PER_MS)
		return LOOK_MS;
	return due_ns > now_ns ? (int)((due_ns - now_ns) / NS_PER_MS) : 0;
}

static void handle(struct receiver *receiver, uint32_t id)
{
	if (id == ID_LISTENER)
		accept_all(receiver);
	else if (id == ID_STOP)
		snapshot_end(receiver, fp_clock_ns()); /* before its time */
	else if (receiver->fds[id] >= 0)
		read_flow(receiver, id);
}

static int receive_all(struct receiver *receiver, struct fp_error *error)
{
	struct epoll_event events[EVENTS];
	int count, i;

	while (receiver->phase != PHASE_END) {
		count = epoll_wait(receiver->epoll_fd, events, EVENTS,
				   timeout_ms(receiver));
		if (count < 0 && errno != EINTR)
			return fp_error_errno(error, errno,
					      "cannot wait for the flows");
		for (i = 0; i < count; i++)
			handle(receiver, events[i].data.u32);
		if (receiver->phase != PHASE_END)
			advance(receiver);
	}
	return 0;
}

/* The process ends after this, so sockets and memory need no release. */
int lab_flow_receive(void *context, struct fp_error *error)
{
	struct lab_round_run *run = context;
	struct receiver receiver = { .run = run, .shared = run->shared };
	uint64_t one = 1;
	uint32_t i;

	for (i = 0; i < LAB_FLOWS_MAX; i++)
		receiver.fds[i] = -1;
	lab_raise_fd_limit();
	if (receiver_open(&receiver, error) < 0)
		return FP_EXIT_FAILED;
	(void)!write(run->listening_fd, &one, sizeof(one)); /* cannot be full */
	if (receive_all(&receiver, error) < 0)
		return FP_EXIT_FAILED;
	lab_tree_stop(&run->tree); /* the sender takes its last look */
	return 0;
}
