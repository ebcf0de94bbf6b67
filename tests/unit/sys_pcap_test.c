/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file is read back by hand, as pcap-savefile(5) lays it out: a header of
 * 24 bytes (magic, version 2.4, two zeroes, snap length, link type), then a
 * header of 16 bytes (seconds, nanoseconds, bytes kept, bytes of the packet)
 * before each packet, all in the byte order of the host.
 */
#include "sys/pcap.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/error.h"

#define MAGIC_NANO   0xa1b23c4du
#define LINKTYPE_RAW 101u
#define HEADER_BYTES 24
#define RECORD_BYTES 16

static uint32_t word(const uint8_t *bytes, uint32_t number)
{
	uint32_t value;

	memcpy(&value, bytes + (size_t)number * 4, 4);
	return value;
}

static size_t read_all(int fd, uint8_t *bytes, size_t room)
{
	ssize_t length = pread(fd, bytes, room, 0);

	assert_true(length >= 0);
	return (size_t)length;
}

static void writes_what_the_format_says(void **state)
{
	const uint8_t bytes[] = { 0x45, 1, 2, 3, 4, 5, 6, 7 };
	const struct fp_pcap_packet packets[] = {
		{ 946684800999999999u, bytes, 8, 1500 },
		{ 946684801000000000u, bytes, 3, 3 },
	};
	int fd = memfd_create("capture", MFD_CLOEXEC);
	struct fp_pcap *pcap = fp_pcap_new(fd, 128, NULL);
	uint8_t file[256];
	const uint8_t *at = file + HEADER_BYTES;

	assert_non_null(pcap);
	fp_pcap_add(pcap, &packets[0]);
	fp_pcap_add(pcap, &packets[1]);
	assert_int_equal(fp_pcap_flush(pcap), 0);
	fp_pcap_free(pcap);
	assert_int_equal(read_all(fd, file, sizeof(file)),
			 HEADER_BYTES + RECORD_BYTES + 8 + RECORD_BYTES + 3);
	(void)close(fd);
	assert_int_equal(word(file, 0), MAGIC_NANO);
	assert_int_equal(word(file, 1), 4u << 16 | 2);
	assert_int_equal(word(file, 4), 128);
	assert_int_equal(word(file, 5), LINKTYPE_RAW);
	assert_int_equal(word(at, 0), 946684800);
	assert_int_equal(word(at, 1), 999999999);
	assert_int_equal(word(at, 2), 8);
	assert_int_equal(word(at, 3), 1500);
	assert_memory_equal(at + RECORD_BYTES, bytes, 8);
	at += RECORD_BYTES + 8;
	assert_int_equal(word(at, 0), 946684801);
	assert_int_equal(word(at, 1), 0);
	assert_int_equal(word(at, 2), 3);
	assert_int_equal(word(at, 3), 3);
	assert_memory_equal(at + RECORD_BYTES, bytes, 3);
}

/* /dev/full takes nothing (full(4)). One packet of 100 bytes fits into any
 * buffer, 10,000 into none. */
static void tells_that_the_disk_is_full(void **state)
{
	const uint8_t bytes[100] = { 0x45 };
	const struct fp_pcap_packet packet = { 0, bytes, 100, 100 };
	const int counts[] = { 1, 10000 };
	size_t i;
	int j;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		struct fp_pcap *pcap = fp_pcap_new(fd, 128, NULL);

		assert_non_null(pcap);
		for (j = 0; j < counts[i]; j++)
			fp_pcap_add(pcap, &packet);
		assert_int_equal(fp_pcap_flush(pcap), -ENOSPC);
		fp_pcap_free(pcap);
		(void)close(fd);
	}
}

static void needs_a_descriptor(void **state)
{
	struct fp_error error;

	assert_null(fp_pcap_new(-1, 128, &error));
	assert_int_equal(error.status, FP_EXIT_FAILED);
	assert_int_equal(error.errnum, EBADF);
	fp_pcap_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_the_format_says),
		cmocka_unit_test(tells_that_the_disk_is_full),
		cmocka_unit_test(needs_a_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
