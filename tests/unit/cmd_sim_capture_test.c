/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Headers of simulated packets, read back field by field: offsets are those of
 * RFC 791 (IPv4), 8200 (IPv6) and 9293 (TCP), options those of RFC 9293, 7323
 * and 2018. Checksums are verified as a receiver does (RFC 1071): the sum over
 * everything, checksum included, is 0xffff.
 */
#include "cmd/sim_capture.h"
#include "cmd/sim_frame.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_BYTES 4096
#define MS         UINT64_C(1000000)

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) << 16 | get16(at + 2);
}

/* RFC 1071, 4.1: 16-bit words, carries added back, an odd byte padded. */
static uint32_t add_up(const uint8_t *bytes, size_t count, uint32_t total)
{
	for (; count > 1; bytes += 2, count -= 2)
		total += get16(bytes);
	if (count)
		total += (uint32_t)bytes[0] << 8;
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return total;
}

/* The sum that a receiver finds over TCP: addresses, protocol 6, length, header
 * and a payload of zeroes (which add nothing). 0xffff: sound. */
static uint32_t tcp_sum(const uint8_t *ip, uint32_t header_bytes,
			uint32_t packet_bytes)
{
	bool is_ipv6 = ip[0] >> 4 == 6;
	uint32_t ip_bytes = is_ipv6 ? 40 : 20;
	uint32_t total = add_up(ip + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8, 0);

	total += 6 + packet_bytes - ip_bytes;
	return add_up(ip + ip_bytes, header_bytes - ip_bytes, total);
}

static void is_address(const uint8_t *at, const char *text)
{
	uint8_t want[16];
	bool is_ipv6 = strchr(text, ':');

	assert_int_equal(inet_pton(is_ipv6 ? AF_INET6 : AF_INET, text, want),
			 1);
	assert_memory_equal(at, want, is_ipv6 ? 16 : 4);
}

static struct sim_frames some_frames(bool is_ipv6)
{
	return (struct sim_frames){
		.is_ipv6 = is_ipv6,
		.has_sack = true,
		.window_shift = 7,
		.mss_bytes = is_ipv6 ? 1440 : 1460,
		.sender = LAB_SENDER,
	};
}

/* A data packet of 1448 bytes (1500 less 20, 20 and 12 of times) that the
 * sender sends. Position 2^32 + 1449 is sequence number 1449. */
static struct fp_sim_packet some_data(void)
{
	return (struct fp_sim_packet){
		.flow = 3,
		.side = FP_SIM_SENDER,
		.is_sent = true,
		.flags = FP_SIM_ACK | FP_SIM_PSH,
		.ecn = FP_ECN_ECT0,
		.seq_bytes = (UINT64_C(1) << 32) + 1449,
		.ack_bytes = 1,
		.payload_bytes = 1448,
		.window_bytes = 64256,
		.tsval_ms = 0x01020304,
		.tsecr_ms = 0x05060708,
	};
}

static void data_over_ipv4(void **state)
{
	struct sim_frames frames = some_frames(false);
	struct fp_sim_packet packet = some_data();
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	const uint8_t *tcp = ip + 20;
	uint32_t bytes;

	assert_int_equal(sim_frame_build(&frames, &packet, ip, &bytes), 52);
	assert_int_equal(bytes, 1500);
	assert_int_equal(ip[0], 0x45); /* version 4, 5 words */
	assert_int_equal(ip[1], 2);    /* ECT(0), RFC 3168 */
	assert_int_equal(get16(ip + 2), 1500);
	assert_int_equal(get16(ip + 6), 0x4000); /* do not fragment */
	assert_int_equal(ip[8], 64);
	assert_int_equal(ip[9], 6);
	assert_int_equal(add_up(ip, 20, 0), 0xffff);
	is_address(ip + 12, "10.201.0.1");
	is_address(ip + 16, "10.201.0.2");
	assert_int_equal(get16(tcp), 20003);
	assert_int_equal(get16(tcp + 2), 5201);
	assert_int_equal(get32(tcp + 4), 1449);
	assert_int_equal(get32(tcp + 8), 1);
	assert_int_equal(tcp[12], 8 << 4); /* words: 20 + 12 bytes */
	assert_int_equal(tcp[13], 0x18);   /* ACK, PSH */
	assert_int_equal(get16(tcp + 14), 64256 >> 7);
	assert_int_equal(get16(tcp + 18), 0);
	assert_int_equal(get32(tcp + 20), 0x0101080a); /* NOP NOP times 10 */
	assert_int_equal(get32(tcp + 24), 0x01020304);
	assert_int_equal(get32(tcp + 28), 0x05060708);
	assert_int_equal(tcp_sum(ip, 52, 1500), 0xffff);
}

static void data_over_ipv6(void **state)
{
	struct sim_frames frames = some_frames(true);
	struct fp_sim_packet packet = some_data();
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	uint32_t bytes;

	packet.payload_bytes = 1428;
	packet.ecn = FP_ECN_CE;
	assert_int_equal(sim_frame_build(&frames, &packet, ip, &bytes), 72);
	assert_int_equal(bytes, 1500);
	/* version 6, CE in the two low bits of the traffic class, no label */
	assert_int_equal(get32(ip), 0x60300000);
	assert_int_equal(get16(ip + 4), 1460);
	assert_int_equal(ip[6], 6);
	assert_int_equal(ip[7], 64);
	is_address(ip + 8, "fd00:f011:b1be::1");
	is_address(ip + 24, "fd00:f011:b1be::2");
	assert_int_equal(get16(ip + 40), 20003);
	assert_int_equal(tcp_sum(ip, 72, 1500), 0xffff);
}

static void handshake_says_options(void **state)
{
	struct sim_frames frames = some_frames(false);
	struct fp_sim_packet packet = { .side = FP_SIM_SENDER,
					.is_sent = true,
					.flags = FP_SIM_SYN,
					.ack_bytes = 77,
					.window_bytes = 70000,
					.tsval_ms = 5 };
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	const uint8_t *tcp = ip + 20;
	uint32_t bytes;

	assert_int_equal(sim_frame_build(&frames, &packet, ip, &bytes), 60);
	assert_int_equal(bytes, 60);
	assert_int_equal(get32(tcp + 4), 0);
	assert_int_equal(get32(tcp + 8), 0); /* no ACK: nothing */
	assert_int_equal(tcp[12], 10 << 4);
	assert_int_equal(tcp[13], 2);
	assert_int_equal(get16(tcp + 14), 65535);      /* never scaled */
	assert_int_equal(get32(tcp + 20), 0x020405b4); /* MSS 1460 */
	assert_int_equal(get32(tcp + 24), 0x0402080a); /* SACK, times */
	assert_int_equal(get32(tcp + 28), 5);
	assert_int_equal(get32(tcp + 36), 0x01030307); /* NOP, shift 7 */
	assert_int_equal(tcp_sum(ip, 60, 60), 0xffff);
	frames.has_sack = false;
	assert_int_equal(sim_frame_build(&frames, &packet, ip, &bytes), 60);
	assert_int_equal(get32(tcp + 24), 0x0101080a);
	assert_int_equal(tcp_sum(ip, 60, 60), 0xffff);
}

/* 20 + 12 + 4 + 3 * 8 = 60 bytes of TCP, the most that there can be. */
static void acks_say_blocks(void **state)
{
	struct sim_frames frames = some_frames(true);
	struct fp_sim_packet packet = {
		.side = FP_SIM_SENDER, /* arrives there: goes back */
		.flags = FP_SIM_ACK | FP_SIM_ECE,
		.ack_bytes = 1449,
		.window_bytes = 0xffffffff,
		.sack_count = 3,
		.sack_bytes = { { 4345, 5793 },
				{ 2897, 4345 },
				{ (UINT64_C(3) << 32) + 10, 11 } },
	};
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	const uint8_t *tcp = ip + 40;
	uint32_t bytes;

	assert_int_equal(sim_frame_build(&frames, &packet, ip, &bytes), 100);
	assert_int_equal(bytes, 100);
	is_address(ip + 8, "fd00:f011:b1be::2");
	assert_int_equal(get16(tcp), 5201);
	assert_int_equal(get16(tcp + 2), 20000);
	assert_int_equal(get32(tcp + 8), 1449);
	assert_int_equal(tcp[12], 15 << 4);
	assert_int_equal(tcp[13], 0x50); /* ACK, ECE */
	assert_int_equal(get16(tcp + 14), 65535);
	assert_int_equal(get32(tcp + 32), 0x0101051a); /* SACK of 2 + 24 */
	assert_int_equal(get32(tcp + 36), 4345);
	assert_int_equal(get32(tcp + 40), 5793);
	assert_int_equal(get32(tcp + 44), 2897);
	assert_int_equal(get32(tcp + 52), 10);
	assert_int_equal(get32(tcp + 56), 11);
	assert_int_equal(tcp_sum(ip, 100, 100), 0xffff);
}

static void damage_shows_in_the_checksum(void **state)
{
	struct sim_frames frames = some_frames(false);
	struct fp_sim_packet packet = some_data();
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	uint32_t bytes;

	packet.side = FP_SIM_RECEIVER;
	packet.is_sent = false;
	packet.is_corrupted = true;
	(void)sim_frame_build(&frames, &packet, ip, &bytes);
	assert_int_equal(add_up(ip, 20, 0), 0xffff);
	assert_true(tcp_sum(ip, 52, 1500) != 0xffff);
}

/* 45,536 flows have the ports from 20000 to 65535. */
static void every_flow_has_its_ports(void **state)
{
	struct sim_frames frames = some_frames(false);
	struct fp_sim_packet packet = some_data();
	uint8_t ip[SIM_FRAME_BYTES_MAX];
	uint32_t bytes;

	packet.flow = 45535;
	(void)sim_frame_build(&frames, &packet, ip, &bytes);
	assert_int_equal(get32(ip + 20), 65535u << 16 | 5201);
	packet.flow = 45536;
	(void)sim_frame_build(&frames, &packet, ip, &bytes);
	assert_int_equal(get32(ip + 20), 20000u << 16 | 5202);
}

/* The kernel's ilog2(space) - 15: 65535 needs none, 6 MiB (the default of
 * tcp_rmem) has 7, a gigabyte 14 of 15, and more is not allowed (RFC 7323,
 * 2.3). */
static void shift_is_the_kernels(void **state)
{
	assert_int_equal(sim_frame_window_shift(65535), 0);
	assert_int_equal(sim_frame_window_shift(65536), 1);
	assert_int_equal(sim_frame_window_shift(6291456), 7);
	assert_int_equal(sim_frame_window_shift((1u << 30) - 1), 14);
	assert_int_equal(sim_frame_window_shift(1u << 30), 14);
	assert_int_equal(sim_frame_window_shift(UINT64_MAX), 14);
}

/* --- Files ------------------------------------------------------------------
 */

struct files {
	struct lab_capture lab;
	uint8_t bytes[LAB_SIDES][FILE_BYTES];
};

static struct sim_capture *open_files(struct files *files,
				      const struct fp_sim_config *config,
				      bool is_reverse)
{
	struct sim_capture *capture;

	files->lab.fd[LAB_SENDER] = memfd_create("sender", MFD_CLOEXEC);
	files->lab.fd[LAB_RECEIVER] = memfd_create("receiver", MFD_CLOEXEC);
	capture = sim_capture_new(config, &files->lab, is_reverse, NULL);
	assert_non_null(capture);
	return capture;
}

static void close_files(struct files *files, struct sim_capture *capture,
			const uint64_t packets[LAB_SIDES])
{
	struct lab_captured done;
	int side;

	sim_capture_finish(capture, &done);
	sim_capture_free(capture);
	assert_true(done.is_whole);
	for (side = 0; side < LAB_SIDES; side++) {
		assert_int_equal(done.packets[side], packets[side]);
		assert_true(pread(files->lab.fd[side], files->bytes[side],
				  FILE_BYTES, 0) > 0);
		(void)close(files->lab.fd[side]);
	}
}

struct record {
	uint64_t time_ns; /* virtual */
	const uint8_t *tcp;
	uint32_t flags;
};

/* Record number of a file; headers are pcap's, 24 and 16 bytes. */
static struct record record_of(const struct files *files, enum lab_side side,
			       uint32_t number)
{
	const uint8_t *at = files->bytes[side] + 24;
	uint32_t word[4];

	for (;; at += 16 + word[2]) {
		memcpy(word, at, sizeof(word));
		if (number-- == 0)
			break;
	}
	return (struct record){
		.time_ns = (uint64_t)word[0] * 1000000000 + word[1] -
			   SIM_CAPTURE_EPOCH_NS,
		.tcp = at + 16 + 20,
		.flags = at[16 + 20 + 13],
	};
}

/* A path of 30 ms there and 20 ms back for flows 0 … 3. */
static void set_path(struct fp_sim_config *config, struct fp_sim_flow flows[4])
{
	static const uint64_t delay_ns[2] = { 30 * MS, 20 * MS };
	int i;

	memset(config, 0, sizeof(*config));
	memset(flows, 0, 4 * sizeof(*flows));
	for (i = 0; i < 2; i++) {
		config->way[i].stage_count = 1;
		config->way[i].stages[0].kind = FP_STAGE_DELAY;
		config->way[i].stages[0].delay.delay_ns = delay_ns[i];
	}
	config->mtu_bytes = 1500;
	config->flow_count = 4;
	config->flows = flows;
}

static void is_record(const struct files *files, enum lab_side side,
		      uint32_t number, int64_t ms, uint32_t flags)
{
	struct record one = record_of(files, side, number);

	assert_int_equal(one.time_ns, ms * (int64_t)MS);
	assert_int_equal(one.flags, flags);
}

/* Flow 3 starts at 1 s, so its SYN is two round trips before, at 900 ms. Times
 * count milliseconds from some start of the host's: at 1 s the packet says
 * 0x01020304, 100 ms are 0x64. */
static void open_flows_get_a_handshake(void **state)
{
	static const uint64_t packets[LAB_SIDES] = { 4, 4 };
	struct fp_sim_packet packet = some_data();
	struct fp_sim_flow flows[4];
	struct fp_sim_config config;
	struct sim_capture *capture;
	struct files files;

	set_path(&config, flows);
	flows[3].starts_open = true;
	flows[3].start_ns = 1000 * MS;
	capture = open_files(&files, &config, false);
	packet.time_ns = 1000 * MS;
	packet.seq_bytes = 1;
	packet.tsecr_ms = 0; /* nothing came yet */
	sim_capture_packet(capture, &packet);
	packet.side = FP_SIM_RECEIVER;
	packet.is_sent = false;
	packet.time_ns += 30 * MS;
	sim_capture_packet(capture, &packet);
	close_files(&files, capture, packets);

	is_record(&files, LAB_SENDER, 0, 900, 0x02);
	is_record(&files, LAB_SENDER, 1, 950, 0x12);
	is_record(&files, LAB_SENDER, 2, 950, 0x10);
	is_record(&files, LAB_SENDER, 3, 1000, 0x18);
	is_record(&files, LAB_RECEIVER, 0, 930, 0x02);
	is_record(&files, LAB_RECEIVER, 1, 930, 0x12);
	is_record(&files, LAB_RECEIVER, 2, 980, 0x10);
	is_record(&files, LAB_RECEIVER, 3, 1030, 0x18);
	/* 20003 to 5201, and back */
	assert_int_equal(get32(record_of(&files, LAB_RECEIVER, 0).tcp),
			 20003u << 16 | 5201);
	assert_int_equal(get32(record_of(&files, LAB_RECEIVER, 1).tcp),
			 5201u << 16 | 20003);
	assert_int_equal(get32(record_of(&files, LAB_SENDER, 1).tcp + 8), 1);
	/* SYN at 900 ms; SYN and ACK at 930, which the data echoes */
	assert_int_equal(get32(record_of(&files, LAB_SENDER, 0).tcp + 28),
			 0x01020304 - 100);
	assert_int_equal(get32(record_of(&files, LAB_SENDER, 1).tcp + 28),
			 0x01020304 - 70);
	assert_int_equal(get32(record_of(&files, LAB_SENDER, 3).tcp + 28),
			 0x01020304 - 70);
}

/* Flow 0 starts at 0, so its handshake is before 2000; flow 2 starts at 120 ms,
 * and its handshake is among what flow 0 sends and gets. */
static void handshakes_stand_in_their_places(void **state)
{
	static const uint64_t packets[LAB_SIDES] = { 8, 7 };
	struct fp_sim_packet packet = some_data();
	struct fp_sim_flow flows[4];
	struct fp_sim_config config;
	struct sim_capture *capture;
	struct files files;

	set_path(&config, flows);
	flows[0].starts_open = flows[2].starts_open = true;
	flows[2].start_ns = 120 * MS;
	capture = open_files(&files, &config, false);
	packet.flow = 0;
	packet.time_ns = 0;
	sim_capture_packet(capture, &packet);
	packet.time_ns = 30 * MS;
	packet.side = FP_SIM_RECEIVER;
	sim_capture_packet(capture, &packet);
	packet.time_ns = 100 * MS;
	packet.side = FP_SIM_SENDER;
	sim_capture_packet(capture, &packet);
	close_files(&files, capture, packets);

	is_record(&files, LAB_SENDER, 0, -100, 0x02);
	is_record(&files, LAB_SENDER, 1, -50, 0x12);
	is_record(&files, LAB_SENDER, 2, -50, 0x10);
	is_record(&files, LAB_SENDER, 3, 0, 0x18);
	is_record(&files, LAB_SENDER, 4, 20, 0x02);
	is_record(&files, LAB_SENDER, 5, 70, 0x12);
	is_record(&files, LAB_SENDER, 6, 70, 0x10);
	is_record(&files, LAB_SENDER, 7, 100, 0x18);
	is_record(&files, LAB_RECEIVER, 2, -20, 0x10);
	is_record(&files, LAB_RECEIVER, 3, 30, 0x18);
	/* no packet of any flow follows, but the handshake was before 100 ms */
	is_record(&files, LAB_RECEIVER, 4, 50, 0x02);
	is_record(&files, LAB_RECEIVER, 6, 100, 0x10);
}

static void own_handshake_is_enough(void **state)
{
	static const uint64_t packets[LAB_SIDES] = { 2, 0 };
	struct fp_sim_packet packet = some_data();
	struct fp_sim_flow flows[4];
	struct fp_sim_config config;
	struct sim_capture *capture;
	struct files files;

	set_path(&config, flows);
	capture = open_files(&files, &config, false);
	packet.flags = FP_SIM_SYN;
	packet.payload_bytes = 0;
	sim_capture_packet(capture, &packet);
	packet.flags = FP_SIM_ACK;
	packet.tsecr_ms = 0;
	sim_capture_packet(capture, &packet);
	close_files(&files, capture, packets);
	/* as it is: there is no handshake that could have told more */
	assert_int_equal(get32(record_of(&files, LAB_SENDER, 1).tcp + 28), 0);
}

/* The data comes from the lab's receiver then, and its file has what it sends.
 */
static void reverse_swaps_the_sides(void **state)
{
	static const uint64_t packets[LAB_SIDES] = { 3, 4 };
	struct fp_sim_packet packet = some_data();
	struct fp_sim_flow flows[4];
	struct fp_sim_config config;
	struct sim_capture *capture;
	struct record last;
	struct files files;

	set_path(&config, flows);
	flows[3].starts_open = true;
	flows[3].start_ns = 1000 * MS;
	capture = open_files(&files, &config, true);
	packet.time_ns = 1000 * MS;
	sim_capture_packet(capture, &packet);
	close_files(&files, capture, packets);
	last = record_of(&files, LAB_RECEIVER, 3);
	assert_int_equal(last.flags, 0x18);
	is_address(last.tcp - 8, "10.201.0.2");
	is_address(last.tcp - 4, "10.201.0.1");
	assert_int_equal(get32(last.tcp), 20003u << 16 | 5201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_over_ipv4),
		cmocka_unit_test(data_over_ipv6),
		cmocka_unit_test(handshake_says_options),
		cmocka_unit_test(acks_say_blocks),
		cmocka_unit_test(damage_shows_in_the_checksum),
		cmocka_unit_test(every_flow_has_its_ports),
		cmocka_unit_test(shift_is_the_kernels),
		cmocka_unit_test(open_flows_get_a_handshake),
		cmocka_unit_test(handshakes_stand_in_their_places),
		cmocka_unit_test(own_handshake_is_enough),
		cmocka_unit_test(reverse_swaps_the_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
