/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP_INFO of kernels of several ages. The blobs are built by hand from the
 * offsets of the kernel's include/uapi/linux/tcp.h: each byte of a field at
 * offset N holds a value that follows from N, so a field that is read from a
 * wrong place shows.
 */
#include "sock/tcpinfo.h"

#include <errno.h>
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void put32(uint8_t *blob, size_t offset, uint32_t value)
{
	memcpy(blob + offset, &value, sizeof(value));
}

static void put64(uint8_t *blob, size_t offset, uint64_t value)
{
	memcpy(blob + offset, &value, sizeof(value));
}

/* A blob of the newest layout: u32 fields 1000 + offset, u64 fields 2^33 +
 * offset. Everything past the length that a test passes is still filled, so a
 * parser that reads past the end is caught. */
static void fill(uint8_t blob[256])
{
	size_t offset;

	memset(blob, 0, 256);
	blob[0] = 1; /* TCP_ESTABLISHED */
	blob[1] = 3; /* TCP_CA_Recovery */
	blob[2] = 2;
	for (offset = 8; offset < 104; offset += 4)
		put32(blob, offset, 1000 + (uint32_t)offset);
	for (offset = 104; offset < 136; offset += 8)
		put64(blob, offset, (1ull << 33) + offset);
	for (offset = 136; offset < 160; offset += 4)
		put32(blob, offset, 1000 + (uint32_t)offset);
	for (offset = 160; offset < 192; offset += 8)
		put64(blob, offset, (1ull << 33) + offset);
	for (offset = 192; offset < 200; offset += 4)
		put32(blob, offset, 1000 + (uint32_t)offset);
	for (offset = 200; offset < 216; offset += 8)
		put64(blob, offset, (1ull << 33) + offset);
	for (offset = 216; offset < 256; offset += 4)
		put32(blob, offset, 1000 + (uint32_t)offset);
}

static void test_fields_by_kernel_age(void **state)
{
	static const struct {
		size_t length;
		bool has_pacing, has_bytes_acked, has_delivery, has_limited,
		    has_delivered, has_bytes_sent, has_snd_wnd;
	} rows[] = {
		{ 0, 0, 0, 0, 0, 0, 0, 0 },
		{ 104, 0, 0, 0, 0, 0, 0, 0 }, /* 2.6 … 3.14 */
		{ 120, 1, 0, 0, 0, 0, 0, 0 }, /* 3.15 */
		{ 136, 1, 1, 0, 0, 0, 0, 0 }, /* 4.1 */
		{ 144, 1, 1, 0, 0, 0, 0, 0 }, /* 4.2 */
		{ 160, 1, 1, 0, 0, 0, 0, 0 }, /* 4.6 */
		{ 168, 1, 1, 1, 0, 0, 0, 0 }, /* 4.9 */
		{ 192, 1, 1, 1, 1, 0, 0, 0 }, /* 4.10 */
		{ 200, 1, 1, 1, 1, 1, 0, 0 }, /* 4.18 */
		{ 224, 1, 1, 1, 1, 1, 1, 0 }, /* 4.19 */
		{ 232, 1, 1, 1, 1, 1, 1, 1 }, /* 5.4 */
		{ 256, 1, 1, 1, 1, 1, 1, 1 }, /* later, longer */
	};
	struct sock_tcp_info info;
	uint8_t blob[256];
	size_t i;

	fill(blob);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sock_tcp_info_parse(blob, rows[i].length, &info);
		assert_int_equal(info.has_pacing, rows[i].has_pacing);
		assert_int_equal(info.has_bytes_acked, rows[i].has_bytes_acked);
		assert_int_equal(info.has_delivery, rows[i].has_delivery);
		assert_int_equal(info.has_limited, rows[i].has_limited);
		assert_int_equal(info.has_delivered, rows[i].has_delivered);
		assert_int_equal(info.has_bytes_sent, rows[i].has_bytes_sent);
		assert_int_equal(info.has_snd_wnd, rows[i].has_snd_wnd);
		assert_int_equal(info.snd_cwnd_pkts,
				 rows[i].length >= 104 ? 1080 : 0);
		assert_true(info.bytes_acked ==
			    (rows[i].length >= 136 ? (1ull << 33) + 120 : 0));
		assert_int_equal(info.snd_wnd_bytes,
				 rows[i].length >= 232 ? 1228 : 0);
	}
}

static void test_each_field_comes_from_its_place(void **state)
{
	struct sock_tcp_info info;
	uint8_t blob[256];

	fill(blob);
	sock_tcp_info_parse(blob, 232, &info);
	assert_int_equal(info.state, 1);
	assert_int_equal(info.ca_state, 3);
	assert_int_equal(info.retransmits, 2);
	assert_int_equal(info.rto_us, 1008);
	assert_int_equal(info.snd_mss_bytes, 1016);
	assert_int_equal(info.rcv_mss_bytes, 1020);
	assert_int_equal(info.unacked_pkts, 1024);
	assert_int_equal(info.sacked_pkts, 1028);
	assert_int_equal(info.lost_pkts, 1032);
	assert_int_equal(info.retrans_pkts, 1036);
	assert_int_equal(info.pmtu_bytes, 1060);
	assert_int_equal(info.rtt_us, 1068);
	assert_int_equal(info.rttvar_us, 1072);
	assert_int_equal(info.snd_ssthresh_pkts, 1076);
	assert_int_equal(info.total_retrans_pkts, 1100);
	/* rates: bytes a second to bits a second, times 8 */
	assert_true(info.pacing_rate_bps == ((1ull << 33) + 104) * 8);
	assert_true(info.delivery_rate_bps == ((1ull << 33) + 160) * 8);
	assert_int_equal(info.segs_out, 1136);
	assert_int_equal(info.notsent_bytes, 1144);
	assert_int_equal(info.min_rtt_us, 1148);
	assert_int_equal(info.data_segs_out, 1156);
	assert_true(info.busy_us == (1ull << 33) + 168);
	assert_true(info.rwnd_limited_us == (1ull << 33) + 176);
	assert_true(info.sndbuf_limited_us == (1ull << 33) + 184);
	assert_int_equal(info.delivered_ce_pkts, 1196);
	assert_true(info.bytes_sent == (1ull << 33) + 200);
	assert_true(info.bytes_retrans == (1ull << 33) + 208);
	assert_int_equal(info.reord_seen, 1220);
}

static void test_no_pacing_cap_stays_all_ones(void **state)
{
	struct sock_tcp_info info;
	uint8_t blob[256];

	fill(blob);
	put64(blob, 112, UINT64_MAX);
	sock_tcp_info_parse(blob, 232, &info);
	assert_true(info.max_pacing_rate_bps == UINT64_MAX);
}

/* A blob that ends inside a field must not be read past its end, at any
 * length; the heap copy lets AddressSanitizer see it. */
static void test_every_length_is_safe(void **state)
{
	struct sock_tcp_info info;
	struct sock_bbr_info bbr;
	uint8_t blob[256];
	size_t length;

	fill(blob);
	for (length = 0; length <= sizeof(blob); length++) {
		uint8_t *copy = malloc(length + 1);

		assert_non_null(copy);
		memcpy(copy, blob + sizeof(blob) - length, length);
		sock_tcp_info_parse(copy, length, &info);
		sock_bbr_info_parse("bbr", copy, length, &bbr);
		free(copy);
	}
}

/* bw = 2^32 + 5 bytes a second; 384 / 256 = 1.5 */
static void test_bbr_versions(void **state)
{
	struct sock_bbr_info info;
	uint8_t blob[52] = { 0 };

	put32(blob, 0, 5);
	put32(blob, 4, 1);
	put32(blob, 8, 100123);
	put32(blob, 12, 384);
	put32(blob, 16, 512);
	sock_bbr_info_parse("bbr", blob, 20, &info);
	assert_int_equal(info.version, 1);
	assert_true(info.bw_bps == ((1ull << 32) + 5) * 8);
	assert_int_equal(info.min_rtt_us, 100123);
	assert_int_equal(info.pacing_gain_x256, 384);
	assert_int_equal(info.cwnd_gain_x256, 512);
	blob[39] = 3; /* bbr_version of google's header */
	sock_bbr_info_parse("bbr", blob, sizeof(blob), &info);
	assert_int_equal(info.version, 3);
	/* other algorithms answer TCP_CC_INFO too (vegas 16, dctcp 16 bytes) */
	sock_bbr_info_parse("dctcp", blob, 20, &info);
	assert_int_equal(info.version, 0);
	sock_bbr_info_parse("bbr", blob, 16, &info);
	assert_int_equal(info.version, 0);
}

static void open_pair(int ret_pair[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (void *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (void *)&address, &length), 0);
	ret_pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(
	    connect(ret_pair[0], (void *)&address, sizeof(address)), 0);
	ret_pair[1] = accept(listener, NULL, NULL);
	assert_true(ret_pair[1] >= 0);
	close(listener);
}

/* Against the header of the system, on a socket that has moved 1000 bytes. */
static void test_live_socket_agrees_with_system_header(void **state)
{
	struct tcp_info theirs = { 0 };
	socklen_t length = sizeof(theirs);
	struct sock_tcp_info ours;
	char data[1000] = { 0 };
	int pair[2];

	open_pair(pair);
	assert_int_equal(send(pair[0], data, sizeof(data), 0), 1000);
	assert_int_equal(recv(pair[1], data, sizeof(data), MSG_WAITALL), 1000);
	assert_int_equal(
	    getsockopt(pair[0], IPPROTO_TCP, TCP_INFO, &theirs, &length), 0);
	assert_int_equal(sock_tcp_info_get(pair[0], &ours), 0);
	assert_int_equal(ours.state, theirs.tcpi_state);
	assert_int_equal(ours.snd_wscale, theirs.tcpi_snd_wscale);
	assert_int_equal(ours.rcv_wscale, theirs.tcpi_rcv_wscale);
	assert_int_equal(ours.snd_mss_bytes, theirs.tcpi_snd_mss);
	assert_int_equal(ours.snd_cwnd_pkts, theirs.tcpi_snd_cwnd);
	assert_int_equal(ours.pmtu_bytes, theirs.tcpi_pmtu);
	assert_int_equal(ours.advmss_bytes, theirs.tcpi_advmss);
	if (length >= sizeof(theirs)) {
		assert_int_equal(ours.min_rtt_us, theirs.tcpi_min_rtt);
		assert_true(ours.bytes_sent == theirs.tcpi_bytes_sent);
		assert_true(ours.bytes_sent == 1000);
		assert_int_equal(ours.snd_wnd_bytes, theirs.tcpi_snd_wnd);
	}
	close(pair[0]);
	close(pair[1]);
}

static void test_bad_descriptor_is_an_error(void **state)
{
	struct sock_tcp_info info;
	struct sock_bbr_info bbr;

	assert_int_equal(sock_tcp_info_get(-1, &info), -EBADF);
	assert_int_equal(sock_bbr_info_get(-1, &bbr), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_by_kernel_age),
		cmocka_unit_test(test_each_field_comes_from_its_place),
		cmocka_unit_test(test_no_pacing_cap_stays_all_ones),
		cmocka_unit_test(test_every_length_is_safe),
		cmocka_unit_test(test_bbr_versions),
		cmocka_unit_test(test_live_socket_agrees_with_system_header),
		cmocka_unit_test(test_bad_descriptor_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
