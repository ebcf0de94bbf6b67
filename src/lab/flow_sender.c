/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sending end: all flows of all groups on one thread, and the looks at
 * their sockets. Writes come from one buffer of zeros. MSG_ZEROCOPY does not
 * pay here: on its way into another namespace the kernel copies such data
 * after all (skb_orphan_frags_rx), and the notifications come on top.
 */
#include "lab/round.h"

#include "lab/sample.h"
#include "sys/clock.h"
#include "sys/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define NS_PER_MS   1000000u
#define NS_PER_S    1000000000u
#define WRITE_BYTES (256u << 10) /* more gains nothing: skbs hold 64 KiB */
#define EVENTS      64
#define LOOK_MS     50
#define ID_STOP     (UINT32_MAX - 1)
#define ID_TIMER    (UINT32_MAX - 2)

struct flow {
	int fd;
	bool is_connected;
	bool has_failed;
	bool is_bbr;
	uint64_t left_bytes; /* of a finite transfer */
};

struct sender {
	struct lab_round_run *run;
	struct lab_round_shared *shared;
	int epoll_fd;
	int timer_fd;
	uint32_t pending; /* flows that are neither connected nor failed */
	uint32_t failed;
	bool is_over;
	uint64_t begin_ns; /* of connecting */
	struct flow flows[LAB_FLOWS_MAX];
};

static char zeros[WRITE_BYTES];

static void set_events(struct sender *sender, uint32_t number, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.u32 = number };

	(void)epoll_ctl(sender->epoll_fd, EPOLL_CTL_MOD,
			sender->flows[number].fd, &event); /* it was added */
}

/* The first reason is kept: it is the one that explains the others. Once all
 * are told to end, the receiver's closing is no failure. */
static void fail_flow(struct sender *sender, uint32_t number, int errnum)
{
	struct flow *flow = &sender->flows[number];
	char *note = sender->shared->note[LAB_ROLE_SENDER];

	if (flow->has_failed ||
	    (flow->is_connected && lab_tree_is_stopped(&sender->run->tree)))
		return;
	if (!flow->is_connected)
		sender->pending--;
	flow->has_failed = true;
	sender->failed++;
	sender->shared->flows[number].result.has_failed = true;
	(void)epoll_ctl(sender->epoll_fd, EPOLL_CTL_DEL, flow->fd, NULL);
	if (!note[0])
		(void)snprintf(
		    note, sizeof(sender->shared->note[0]), "flow %u %s: %s",
		    number, flow->is_connected ? "was cut" : "never connected",
		    strerror(errnum));
}

/* --- Connecting ----------------------------------------------------------- */

static int open_flow(struct sender *sender, uint32_t number, int family)
{
	const struct lab_round *round = sender->run->round;
	uint32_t group = sender->shared->flows[number].result.group;
	const char *algorithm = round->groups[group].algorithm;
	enum lab_side side = round->is_reverse ? LAB_RECEIVER : LAB_SENDER;
	struct sockaddr_storage address;
	unsigned length =
	    lab_address(&round->path, side,
			(uint16_t)(LAB_FLOW_PORT_BASE + number), &address);
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	sender->flows[number].fd = fd;
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, algorithm,
		       (socklen_t)strnlen(algorithm, LAB_ALGORITHM_BYTES)) < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, length) < 0)
		return -errno;
	return 0;
}

static int connect_flow(struct sender *sender, uint32_t number,
			const struct sockaddr_storage *peer, unsigned length)
{
	struct epoll_event event = { .events = EPOLLOUT, .data.u32 = number };
	struct flow *flow = &sender->flows[number];
	int status = open_flow(sender, number, peer->ss_family);

	if (status < 0)
		return status;
	flow->left_bytes = sender->run->round->bytes;
	sender->shared->flows[number].connect_ns = fp_clock_ns();
	sender->pending++;
	if (epoll_ctl(sender->epoll_fd, EPOLL_CTL_ADD, flow->fd, &event) < 0)
		return -errno;
	if (connect(flow->fd, (const struct sockaddr *)peer, length) < 0 &&
	    errno != EINPROGRESS)
		fail_flow(sender, number, errno);
	return 0;
}

static int connect_all(struct sender *sender, struct fp_error *error)
{
	const struct lab_round *round = sender->run->round;
	enum lab_side side = round->is_reverse ? LAB_SENDER : LAB_RECEIVER;
	struct sockaddr_storage peer;
	unsigned length = lab_address(&round->path, side, LAB_PORT, &peer);
	uint32_t i;
	int status;

	sender->begin_ns = fp_clock_ns();
	for (i = 0; i < sender->shared->flow_count; i++) {
		const struct lab_flow_result *flow =
		    &sender->shared->flows[i].result;

		status = connect_flow(sender, i, &peer, length);
		if (status < 0)
			return fp_error_errno(
			    error, -status, "cannot open flow %u with '%s'", i,
			    round->groups[flow->group].algorithm);
	}
	return 0;
}

static void read_back(struct sender *sender, uint32_t number)
{
	struct lab_flow_result *result = &sender->shared->flows[number].result;
	struct flow *flow = &sender->flows[number];
	socklen_t length = sizeof(result->algorithm);
	struct sock_bbr_info bbr;

	if (getsockopt(flow->fd, IPPROTO_TCP, TCP_CONGESTION, result->algorithm,
		       &length) < 0)
		result->algorithm[0] = '\0';
	result->algorithm[sizeof(result->algorithm) - 1] = '\0';
	if (sock_bbr_info_get(flow->fd, &bbr) == 0 && bbr.version) {
		flow->is_bbr = true;
		result->bbr_version = bbr.version;
	}
}

static void start_flow_once_connected(struct sender *sender, uint32_t number)
{
	struct flow *flow = &sender->flows[number];
	socklen_t length = sizeof(int);
	int errnum = 0;

	(void)getsockopt(flow->fd, SOL_SOCKET, SO_ERROR, &errnum, &length);
	if (errnum) {
		fail_flow(sender, number, errnum);
		return;
	}
	flow->is_connected = true;
	sender->pending--;
	read_back(sender, number);
	if (!sender->run->round->bytes)
		set_events(sender, number, 0); /* wait for the others */
}

/* --- Running ---------------------------------------------------------------
 */

static void arm_timer(struct sender *sender, uint64_t start_ns)
{
	uint64_t every_ns = sender->shared->sample_ns;
	struct itimerspec when = {
		.it_interval = { (time_t)(every_ns / NS_PER_S),
				 (long)(every_ns % NS_PER_S) },
		.it_value = { (time_t)(start_ns / NS_PER_S),
			      (long)(start_ns % NS_PER_S) },
	};

	(void)timerfd_settime(sender->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void start_running(struct sender *sender, uint64_t start_ns)
{
	uint32_t i;

	for (i = 0; i < sender->shared->flow_count; i++)
		if (sender->flows[i].is_connected &&
		    !sender->flows[i].has_failed)
			set_events(sender, i, EPOLLOUT);
	arm_timer(sender, start_ns);
	atomic_store(&sender->shared->start_ns, start_ns);
}

static void fail_unconnected(struct sender *sender)
{
	uint32_t i;

	for (i = 0; i < sender->shared->flow_count; i++)
		if (!sender->flows[i].is_connected)
			fail_flow(sender, i, ETIMEDOUT);
}

/* Starts the clock when every flow is connected or was given up. */
static void start_when_ready(struct sender *sender)
{
	uint64_t now_ns = fp_clock_ns();

	if (sender->run->round->bytes) {
		start_running(sender, sender->begin_ns);
		return;
	}
	if (sender->pending &&
	    now_ns - sender->begin_ns < sender->run->connect_limit_ns)
		return;
	fail_unconnected(sender);
	start_running(sender, now_ns);
}

static void write_flow(struct sender *sender, uint32_t number)
{
	struct flow *flow = &sender->flows[number];
	bool is_finite = sender->run->round->bytes != 0;
	size_t length = WRITE_BYTES;
	ssize_t sent;

	if (is_finite && flow->left_bytes < length)
		length = (size_t)flow->left_bytes;
	sent = send(flow->fd, zeros, length, MSG_NOSIGNAL);
	if (sent < 0) {
		if (errno != EAGAIN && errno != EINTR)
			fail_flow(sender, number, errno);
		return;
	}
	if (!is_finite)
		return;
	flow->left_bytes -= (uint64_t)sent;
	if (!flow->left_bytes) {
		(void)shutdown(flow->fd, SHUT_WR); /* it is connected */
		set_events(sender, number, 0);
	}
}

/* --- Looking ---------------------------------------------------------------
 */

static void keep_totals(const struct sock_tcp_info *info,
			struct lab_flow_result *result)
{
	result->sent_bytes = info->bytes_sent;
	result->retransmitted_bytes = info->bytes_retrans;
	if (!info->has_bytes_sent) { /* before 4.19: packets are counted */
		result->retransmitted_bytes =
		    (uint64_t)info->total_retrans_pkts * info->snd_mss_bytes;
		result->sent_bytes =
		    info->bytes_acked + result->retransmitted_bytes;
	}
	result->min_rtt_us = info->min_rtt_us;
	result->busy_us = info->busy_us;
	result->rwnd_limited_us = info->rwnd_limited_us;
	result->sndbuf_limited_us = info->sndbuf_limited_us;
	result->mss_bytes = info->snd_mss_bytes;
	if (info->snd_wnd_bytes > result->snd_wnd_max_bytes)
		result->snd_wnd_max_bytes = info->snd_wnd_bytes;
}

static void add_bbr(const struct flow *flow, struct lab_sample *sample)
{
	struct sock_bbr_info bbr;

	if (!flow->is_bbr || sock_bbr_info_get(flow->fd, &bbr) < 0)
		return;
	sample->has_bbr = bbr.version != 0;
	sample->bbr_bw_bps = bbr.bw_bps;
	sample->bbr_min_rtt_us = bbr.min_rtt_us;
	sample->bbr_pacing_gain_x256 = bbr.pacing_gain_x256;
	sample->bbr_cwnd_gain_x256 = bbr.cwnd_gain_x256;
}

static void look_at_flow(struct sender *sender, uint32_t number,
			 uint32_t time_ms)
{
	struct lab_round_shared *shared = sender->shared;
	struct lab_flow_shared *flow = &shared->flows[number];
	uint32_t place = atomic_load(&shared->sample_count);
	struct lab_sample *sample = &sender->run->samples[place];
	struct sock_tcp_info info;

	if (sock_tcp_info_get(sender->flows[number].fd, &info) < 0)
		return;
	keep_totals(&info, &flow->result);
	if (place >= shared->sample_capacity)
		return;
	memset(sample, 0, sizeof(*sample));
	lab_sample_from_info(&info, sample);
	sample->flow = number;
	sample->time_ms = time_ms;
	sample->received_bytes = atomic_load(&flow->received_bytes);
	add_bbr(&sender->flows[number], sample);
	atomic_store(&shared->sample_count, place + 1);
}

static void look_at_all(struct sender *sender)
{
	uint64_t start_ns = atomic_load(&sender->shared->start_ns);
	uint64_t now_ns = fp_clock_ns();
	uint64_t since_ns = now_ns > start_ns ? now_ns - start_ns : 0;
	uint32_t i;

	if (!start_ns)
		return;
	for (i = 0; i < sender->shared->flow_count; i++)
		if (sender->flows[i].is_connected)
			look_at_flow(sender, i,
				     (uint32_t)(since_ns / NS_PER_MS));
}

static void tick(struct sender *sender)
{
	uint64_t expirations;

	(void)!read(sender->timer_fd, &expirations, sizeof(expirations));
	look_at_all(sender);
}

/* --- The loop ---------------------------------------------------------------
 */

static void handle(struct sender *sender, const struct epoll_event *event)
{
	uint32_t id = event->data.u32;

	if (id == ID_STOP)
		sender->is_over = true;
	else if (id == ID_TIMER)
		tick(sender);
	else if (sender->flows[id].has_failed)
		return;
	else if (!sender->flows[id].is_connected)
		start_flow_once_connected(sender, id);
	else if (event->events & EPOLLERR)
		fail_flow(sender, id, ECONNRESET);
	else if (event->events & EPOLLOUT)
		write_flow(sender, id);
}

static int send_all(struct sender *sender, struct fp_error *error)
{
	struct epoll_event events[EVENTS];
	int count, i;

	while (!sender->is_over) {
		if (!atomic_load(&sender->shared->start_ns))
			start_when_ready(sender);
		count = epoll_wait(sender->epoll_fd, events, EVENTS, LOOK_MS);
		if (count < 0 && errno != EINTR)
			return fp_error_errno(error, errno,
					      "cannot wait for the flows");
		for (i = 0; i < count; i++)
			handle(sender, &events[i]);
		if (sender->failed == sender->shared->flow_count)
			sender->is_over = true; /* nothing is left to do */
	}
	lab_tree_stop(&sender->run->tree);
	fail_unconnected(sender);
	return 0;
}

static int sender_open(struct sender *sender, struct fp_error *error)
{
	struct epoll_event event = { .events = EPOLLIN };
	int stop_fd = sender->run->tree.stop_fd;

	sender->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sender->timer_fd =
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (sender->epoll_fd < 0 || sender->timer_fd < 0)
		return fp_error_errno(error, errno,
				      "cannot prepare the sender");
	event.data.u32 = ID_STOP;
	if (epoll_ctl(sender->epoll_fd, EPOLL_CTL_ADD, stop_fd, &event) < 0)
		return fp_error_errno(error, errno, "cannot watch an event");
	event.data.u32 = ID_TIMER;
	if (epoll_ctl(sender->epoll_fd, EPOLL_CTL_ADD, sender->timer_fd,
		      &event) < 0)
		return fp_error_errno(error, errno, "cannot watch a timer");
	return 0;
}

/* The process ends after this, so sockets and memory need no release. The
 * receiver ends the round; this one only takes a last look. */
int lab_flow_send(void *context, struct fp_error *error)
{
	struct lab_round_run *run = context;
	struct sender sender = { .run = run, .shared = run->shared };

	lab_raise_fd_limit();
	if (!lab_round_wait_listening(run))
		return 0; /* told to end before anything began */
	if (sender_open(&sender, error) < 0 ||
	    connect_all(&sender, error) < 0 || send_all(&sender, error) < 0)
		return FP_EXIT_FAILED;
	look_at_all(&sender);
	run->shared->cpu_s[LAB_ROLE_SENDER] = lab_process_cpu_s();
	return 0;
}
