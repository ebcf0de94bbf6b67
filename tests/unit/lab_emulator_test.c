/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real packets of the running kernel through the emulator, over each datapath
 * that this machine allows. What arrives is compared with what the path was
 * told to do; where the machine has no namespaces, all cases are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/emulator.h"
#include "lab/world.h"
#include "sys/clock.h"

#define DATAGRAMS 10
#define TCP_BYTES (4u << 20)
#define QUIET_MS  300 /* nothing came for so long: nothing will */
#define NEVER_MS  20000

/* What processes of a case tell the test. */
struct shared {
	struct fp_error error;
	struct lab_result result;
	uint32_t arrived[DATAGRAMS + 1]; /* copies of each datagram, from 1 */
	uint32_t marked[DATAGRAMS + 1];  /* those that carried CE */
	uint64_t round_trip_ns;
	uint32_t bytes, wrong_bytes, checksum_errors;
	int has_run;
};

struct act {
	struct lab_path path;
	void (*sender)(const struct act *act);
	void (*receiver)(const struct act *act);
};

static struct shared *shared;
static enum lab_backend backends[2];
static int backend_count;

/* --- The stage and its actors
 * -------------------------------------------------- */

static int start(struct lab_world *world, enum lab_side side,
		 const struct act *act)
{
	int pid = fork();

	if (pid)
		return pid;
	if (lab_world_enter(world, side, &shared->error))
		_exit(1);
	if (side == LAB_RECEIVER)
		act->receiver(act);
	else
		act->sender(act);
	_exit(0);
}

static void play_in_world(struct lab_world *world, const struct act *act)
{
	struct emulator *emulator;
	int stop[2];

	if (lab_world_open(world, &act->path, &shared->error) || pipe(stop))
		_exit(1);
	emulator = emulator_new(world, &act->path, &shared->error);
	if (!emulator)
		_exit(1);
	(void)start(world, LAB_RECEIVER, act); /* holds stop[1]: its end */
	(void)close(stop[1]);
	(void)start(world, LAB_SENDER, act);
	shared->result.is_valid = true;
	if (!emulator_run(emulator, stop[0], &shared->error)) {
		emulator_get_result(emulator, &shared->result);
		shared->has_run = 1;
	}
	emulator_free(emulator);
	_exit(0);
}

static void play_isolated(const struct act *act)
{
	struct lab_world world;
	int pid;

	if (lab_world_isolate(&world, &shared->error))
		_exit(1);
	pid = fork();
	if (!pid)
		play_in_world(&world, act);
	(void)waitpid(pid, NULL, 0);
	_exit(0);
}

/* Runs the act and fails the test where it could not be played. */
static void play(const struct act *act)
{
	int pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (!pid)
		play_isolated(act);
	(void)waitpid(pid, NULL, 0);
	if (!shared->has_run)
		fail_msg("%s", shared->error.text);
	if (!shared->result.is_valid)
		fail_msg("%s", shared->result.note);
}

static int find_backends(void **state)
{
	static const enum lab_backend all[2] = { LAB_BACKEND_TUN,
						 LAB_BACKEND_PACKET };

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	for (int i = 0; i < 2; i++) {
		struct lab_path path = { .backend = all[i], .mtu_bytes = 1500 };
		struct lab_world world;
		struct fp_error error = { 0 };

		if (!lab_world_probe(&path, &world, &error))
			backends[backend_count++] = all[i];
		else
			(void)printf("# %s: %s\n", lab_backend_name(all[i]),
				     error.text);
	}
	return 0;
}

static int drop_shared(void **state)
{
	return munmap(shared, sizeof(*shared));
}

/* --- Paths
 * ------------------------------------------------------------------------ */

static struct fp_stage_config *add_stage(struct fp_path_config *way,
					 enum fp_stage_kind kind)
{
	struct fp_stage_config *stage = &way->stages[way->stage_count++];

	stage->kind = kind;
	return stage;
}

static void add_delay(struct fp_path_config *way, uint64_t delay_ns)
{
	struct fp_stage_config *stage = add_stage(way, FP_STAGE_DELAY);

	stage->delay.delay_ns = delay_ns;
	stage->delay.keeps_order = true;
}

static void init_act(struct act *act, int backend)
{
	if (backend_count == 0)
		skip();
	memset(act, 0, sizeof(*act));
	act->path.backend = backends[backend];
	act->path.mtu_bytes = 1500;
	act->path.way[0].seed = act->path.way[1].seed = 7;
	act->path.way[1].direction = 1;
}

/* --- Datagrams
 * ---------------------------------------------------------------------- */

static int open_socket(const struct act *act, int type, bool is_bound)
{
	struct sockaddr_in ipv4 = { .sin_family = AF_INET,
				    .sin_port = htons(LAB_PORT) };
	struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6,
				     .sin6_port = htons(LAB_PORT) };
	bool is_ipv6 = act->path.is_ipv6;
	int fd = socket(is_ipv6 ? AF_INET6 : AF_INET, type, 0);
	void *address = is_ipv6 ? (void *)&ipv6 : (void *)&ipv4;
	socklen_t length = is_ipv6 ? sizeof(ipv6) : sizeof(ipv4);

	(void)inet_pton(AF_INET, LAB_RECEIVER_IPV4, &ipv4.sin_addr);
	(void)inet_pton(AF_INET6, LAB_RECEIVER_IPV6, &ipv6.sin6_addr);
	if (is_bound ? bind(fd, address, length) : connect(fd, address, length))
		return -1;
	return fd;
}

/* The receiver says on the way back that its socket is open. */
static void send_datagrams(const struct act *act)
{
	int fd = open_socket(act, SOCK_DGRAM, false);
	int tos = 2; /* ECT(0) */
	uint32_t answer;

	(void)setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	do { /* number 0 until the receiver answers */
		uint32_t hello = 0;
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		(void)!send(fd, &hello, sizeof(hello), 0);
		(void)poll(&wait, 1, 20);
	} while (recv(fd, &answer, sizeof(answer), MSG_DONTWAIT) < 0);
	for (uint32_t i = 1; i <= DATAGRAMS; i++)
		(void)!send(fd, &i, sizeof(i), 0);
}

static bool receive_datagram(int fd, int timeout_ms, uint32_t *ret_number,
			     uint8_t *ret_tos)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct sockaddr_storage from;
	uint8_t control[64];
	struct iovec part = { .iov_base = ret_number, .iov_len = 4 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_name = &from,
				  .msg_namelen = sizeof(from),
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *entry;

	if (poll(&wait, 1, timeout_ms) <= 0 || recvmsg(fd, &message, 0) < 4)
		return false;
	*ret_tos = 0;
	for (entry = CMSG_FIRSTHDR(&message); entry;
	     entry = CMSG_NXTHDR(&message, entry))
		if (entry->cmsg_type == IP_TOS)
			*ret_tos = *CMSG_DATA(entry);
	if (*ret_number == 0) /* a hello: answer it */
		(void)!sendto(fd, ret_number, 4, 0, (struct sockaddr *)&from,
			      message.msg_namelen);
	return true;
}

static void count_datagrams(const struct act *act)
{
	int fd = open_socket(act, SOCK_DGRAM, true), on = 1;
	int timeout_ms = NEVER_MS;
	uint32_t number;
	uint8_t tos;

	(void)setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on));
	while (receive_datagram(fd, timeout_ms, &number, &tos)) {
		if (number > DATAGRAMS)
			_exit(1);
		shared->arrived[number]++;
		shared->marked[number] += (tos & 3) == 3;
		if (number)
			timeout_ms = QUIET_MS;
	}
}

static void init_datagrams(struct act *act, int backend)
{
	init_act(act, backend);
	act->sender = send_datagrams;
	act->receiver = count_datagrams;
}

static void a_path_without_stages_keeps_everything(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_datagrams(&act, i);
		play(&act);
		for (int n = 1; n <= DATAGRAMS; n++)
			assert_int_equal(shared->arrived[n], 1);
		assert_int_equal(shared->result.way[0].lost_by_model, 0);
	}
}

static void certain_duplication_brings_each_twice(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_datagrams(&act, i);
		add_stage(&act.path.way[0], FP_STAGE_DUPLICATE)
		    ->chance.probability_ppm = FP_PPM_ONE;
		play(&act);
		for (int n = 1; n <= DATAGRAMS; n++)
			assert_int_equal(shared->arrived[n], 2);
	}
}

/* Every packet is damaged, IP header and content alike; the kernel's checksums
 * find one flipped bit always. The way back is clean, yet no hello is ever
 * answered: the sender goes on until the receiver gives up. */
static void wait_in_vain(const struct act *act)
{
	int fd = open_socket(act, SOCK_DGRAM, true);
	uint32_t number;
	uint8_t tos;

	while (receive_datagram(fd, 3 * QUIET_MS, &number, &tos))
		shared->arrived[number % DATAGRAMS]++;
}

static void damaged_packets_are_not_believed(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_datagrams(&act, i);
		act.receiver = wait_in_vain;
		add_stage(&act.path.way[0], FP_STAGE_CORRUPT)
		    ->chance.probability_ppm = FP_PPM_ONE;
		play(&act);
		assert_int_equal(shared->arrived[0], 0);
		assert_true(shared->result.way[0].packets > 5);
		assert_int_equal(shared->result.way[0].stages[0].corrupted,
				 shared->result.way[0].packets);
	}
}

/* A loss stage that marks: every ECT packet is CE, none is lost. */
static void marks_are_seen_by_the_receiver(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		struct fp_stage_config *stage;

		init_datagrams(&act, i);
		stage = add_stage(&act.path.way[0], FP_STAGE_LOSS);
		stage->loss.random.probability_ppm = FP_PPM_ONE;
		stage->loss.marks_ecn = true;
		play(&act);
		for (int n = 1; n <= DATAGRAMS; n++) {
			assert_int_equal(shared->arrived[n], 1);
			assert_int_equal(shared->marked[n], 1);
		}
		assert_int_equal(shared->result.way[0].lost_by_model, 0);
		assert_int_equal(shared->result.way[0].marked,
				 shared->result.way[0].packets);
	}
}

static void time_a_hello(const struct act *act)
{
	int fd = open_socket(act, SOCK_DGRAM, false);
	uint64_t sent_ns = 0;
	uint32_t number;

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		number = 0;
		sent_ns = fp_clock_ns();
		if (send(fd, &number, sizeof(number), 0) < 0)
			continue;
		/* a refusal means that nobody listens yet */
		if (poll(&wait, 1, 1000) > 0 && recv(fd, &number, 4, 0) == 4)
			break;
	}
	shared->round_trip_ns = fp_clock_ns() - sent_ns;
	number = 1;
	(void)!send(fd, &number, sizeof(number), 0);
}

static void answer_hellos(const struct act *act)
{
	int fd = open_socket(act, SOCK_DGRAM, true);
	uint32_t number = 0;
	uint8_t tos;

	while (number == 0 && receive_datagram(fd, NEVER_MS, &number, &tos))
		;
}

/* 20 ms there, 30 ms back: never earlier than 50 ms. */
static void delays_of_both_ways_add_up(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_act(&act, i);
		act.sender = time_a_hello;
		act.receiver = answer_hellos;
		add_delay(&act.path.way[0], 20000000);
		add_delay(&act.path.way[1], 30000000);
		play(&act);
		assert_true(shared->round_trip_ns >= 50000000);
		assert_true(shared->round_trip_ns < 1000000000);
		assert_true(shared->result.releases >= 2);
	}
}

/* --- Streams
 * ------------------------------------------------------------------------ */

static uint8_t stream_byte(uint32_t at)
{
	return (uint8_t)(at ^ at >> 8 ^ (at >> 16) * 31);
}

static void send_stream(const struct act *act)
{
	static uint8_t data[TCP_BYTES];
	uint32_t sent = 0;
	int fd;

	for (uint32_t i = 0; i < TCP_BYTES; i++)
		data[i] = stream_byte(i);
	while ((fd = open_socket(act, SOCK_STREAM, false)) < 0)
		(void)usleep(1000); /* refused: the receiver is not there yet */
	while (sent < TCP_BYTES) {
		ssize_t done = write(fd, data + sent, TCP_BYTES - sent);

		if (done < 0)
			_exit(1);
		sent += (uint32_t)done;
	}
	(void)shutdown(fd, SHUT_WR);
	(void)!read(fd, data, 1); /* keeps the side alive until all is there */
}

static void check_stream(const struct act *act)
{
	static uint8_t data[65536];
	int fd = open_socket(act, SOCK_STREAM, true);
	ssize_t bytes;

	(void)listen(fd, 1);
	fd = accept(fd, NULL, NULL);
	while ((bytes = read(fd, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < bytes; i++)
			shared->wrong_bytes +=
			    data[i] != stream_byte(shared->bytes++);
}

/* 1 % lost, 1 % twice, 1 % damaged, 2 % ahead of others, on both ways. */
static void init_rough_stream(struct act *act, int backend)
{
	init_act(act, backend);
	act->sender = send_stream;
	act->receiver = check_stream;
	for (int i = 0; i < 2; i++) {
		struct fp_path_config *way = &act->path.way[i];

		add_stage(way, FP_STAGE_DUPLICATE)->chance.probability_ppm =
		    10000;
		add_stage(way, FP_STAGE_LOSS)->loss.random.probability_ppm =
		    10000;
		add_stage(way, FP_STAGE_CORRUPT)->chance.probability_ppm =
		    10000;
		add_stage(way, FP_STAGE_REORDER)->reorder.probability_ppm =
		    20000;
		add_delay(way, 1000000);
	}
}

static void check_rough_stream(const struct act *act)
{
	const struct lab_way_result *way = &shared->result.way[0];
	uint64_t drawn = 0;

	play(act);
	assert_int_equal(shared->bytes, TCP_BYTES);
	assert_int_equal(shared->wrong_bytes, 0);
	for (uint32_t i = 0; i < way->stage_count; i++)
		drawn += way->stages[i].lost;
	assert_int_equal(way->lost_by_model, drawn);
	/* 4 MiB are 2900 packets of 1448 bytes: 29 expected of each kind */
	assert_true(way->lost_by_model > 5);
	assert_true(way->stages[0].duplicated > 5);
	assert_true(way->stages[2].corrupted > 5);
	assert_int_equal(way->lost_outside, 0);
	assert_true(way->packets >= TCP_BYTES / 1448);
}

static void a_rough_path_carries_a_stream_over_ipv4(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_rough_stream(&act, i);
		check_rough_stream(&act);
		assert_true(shared->result.way[0].frames_in <
			    shared->result.way[0].packets / 2);
	}
}

static void a_rough_path_carries_a_stream_over_ipv6(void **state)
{
	struct act act;

	if (access("/proc/sys/net/ipv6", F_OK))
		skip();
	for (int i = 0; i < backend_count || i == 0; i++) {
		init_rough_stream(&act, i);
		act.path.is_ipv6 = true;
		check_rough_stream(&act);
	}
}

/* Without offload each frame is one packet of the wire. */
static void a_rough_path_carries_a_stream_without_offload(void **state)
{
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_rough_stream(&act, i);
		act.path.is_offload_off = true;
		check_rough_stream(&act);
		assert_int_equal(shared->result.way[0].frames_in,
				 shared->result.way[0].packets);
	}
}

/* The last number of the second line that begins with "Tcp:" in the receiver's
 * own namespace, InCsumErrors. */
static void count_checksum_errors(const struct act *act)
{
	FILE *file = fopen("/proc/self/net/snmp", "re");
	char line[512];

	check_stream(act);
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "Tcp: ", 5) == 0)
			shared->checksum_errors =
			    (uint32_t)strtoul(strrchr(line, ' ') + 1, NULL, 10);
}

/* 2 % of 2900 packets are damaged, in the midst of super-packets: each must
 * reach the kernel damaged, not as a part of the whole ones around it. One bit
 * in 60 falls into the IP header, where another checksum finds it. */
static void damage_inside_a_super_packet_is_seen(void **state)
{
	uint64_t corrupted;
	struct act act;

	for (int i = 0; i < backend_count || i == 0; i++) {
		init_act(&act, i);
		act.sender = send_stream;
		act.receiver = count_checksum_errors;
		add_stage(&act.path.way[0], FP_STAGE_CORRUPT)
		    ->chance.probability_ppm = 20000;
		add_delay(&act.path.way[0], 1000000);
		play(&act);
		assert_int_equal(shared->bytes, TCP_BYTES);
		assert_int_equal(shared->wrong_bytes, 0);
		corrupted = shared->result.way[0].stages[0].corrupted;
		assert_true(corrupted > 20);
		assert_true(shared->checksum_errors >= corrupted * 3 / 4);
		assert_true(shared->checksum_errors <= corrupted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_without_stages_keeps_everything),
		cmocka_unit_test(certain_duplication_brings_each_twice),
		cmocka_unit_test(damaged_packets_are_not_believed),
		cmocka_unit_test(marks_are_seen_by_the_receiver),
		cmocka_unit_test(delays_of_both_ways_add_up),
		cmocka_unit_test(damage_inside_a_super_packet_is_seen),
		cmocka_unit_test(a_rough_path_carries_a_stream_over_ipv4),
		cmocka_unit_test(a_rough_path_carries_a_stream_over_ipv6),
		cmocka_unit_test(a_rough_path_carries_a_stream_without_offload),
	};

	return cmocka_run_group_tests(tests, find_backends, drop_shared);
}
