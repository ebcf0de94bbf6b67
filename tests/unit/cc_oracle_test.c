/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The core against recorded decisions of a running kernel (Linux 6.18.44):
 * tests/oracle/logs. What is expected is what the kernel did; nothing here
 * says what that is. Each transfer has two records of disturbed states for each
 * of its own, see tests/oracle/disturb.h.
 *
 * ./test oracle does the same with the kernel that runs the test.
 */
#include "log.h"
#include "replay.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct recorded {
	const char *name;
	uint64_t least_records; /* fewer: something was not read */
	uint32_t sights;        /* 1 << enum oracle_sight */
};

static const struct recorded logs[] = {
	{ "reno-mixed", 500,
	  1 << ORACLE_SAW_RECOVERY | 1 << ORACLE_SAW_AVOIDANCE },
	{ "cubic-mixed", 1400,
	  1 << ORACLE_SAW_RECOVERY | 1 << ORACLE_SAW_TIMEOUT |
	      1 << ORACLE_SAW_UNDO | 1 << ORACLE_SAW_RESTART |
	      1 << ORACLE_SAW_HYSTART_TRAIN | 1 << ORACLE_SAW_EPOCH |
	      1 << ORACLE_SAW_CONVERGENCE },
	{ "cubic-policer", 600,
	  1 << ORACLE_SAW_RECOVERY | 1 << ORACLE_SAW_EPOCH |
	      1 << ORACLE_SAW_CONVERGENCE },
	{ "bbr-mixed", 900,
	  1 << ORACLE_SAW_RECOVERY | 1 << ORACLE_SAW_UNDO |
	      1 << ORACLE_SAW_RESTART | 1 << ORACLE_SAW_CYCLE |
	      1 << ORACLE_SAW_CONSERVATION | 1 << ORACLE_SAW_AGGREGATION },
	{ "bbr-policer", 500, 1 << ORACLE_SAW_POLICER },
};

#define LOGS (sizeof(logs) / sizeof(logs[0]))

static void log_path(const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/%s.log", ORACLE_LOGS, name);
}

/* A copy of a log with this word of this record (from 0) changed. */
static void write_changed(const char *from, const char *to, uint64_t number,
			  size_t word)
{
	struct oracle_log in, out;
	struct oracle_record record;
	uint64_t i;

	assert_int_equal(oracle_log_open(&in, from), 0);
	assert_int_equal(oracle_log_create(&out, to), 0);
	/* the file's ticks a second, not this machine's */
	rewind(out.file);
	fprintf(out.file, "fullpipe oracle 2 %zu %u %s\n", ORACLE_RECORD_WORDS,
		in.clock_hz, in.release);
	for (i = 0; oracle_log_read(&in, &record) > 0; i++) {
		if (i == number)
			((uint32_t *)&record)[word] ^= 1;
		assert_int_equal(oracle_log_write(&out, &record), 0);
	}
	assert_true(i > number);
	assert_int_equal(oracle_log_close(&in), 0);
	assert_int_equal(oracle_log_close(&out), 0);
}

static void every_field_is_the_kernels(void **state)
{
	struct oracle_result result;
	char path[4096];
	size_t i;

	for (i = 0; i < LOGS; i++) {
		log_path(logs[i].name, path);
		assert_int_equal(oracle_replay(path, &result), 0);
		if (result.unequal)
			print_error("%s: %s\n", logs[i].name, result.first);
		assert_int_equal(result.unequal, 0);
		assert_int_equal(result.gaps, 0);
		assert_true(result.records >= logs[i].least_records);
		assert_true(result.disturbed >= result.records / 2);
		assert_int_equal(result.sights & logs[i].sights,
				 logs[i].sights);
	}
}

/* One bit off in what the kernel is said to have done shows: in the window of
 * a transfer's record, and in the state (icsk_ca_priv) of a disturbed one.
 * Record 30 is the eleventh of the transfer, 31 the first disturbed after it.
 */
static void one_wrong_bit_is_seen(void **state)
{
	const size_t after = offsetof(struct oracle_record, after) / 4;
	const size_t cwnd =
	    after + offsetof(struct oracle_state, cwnd_pkts) / 4;
	const size_t private =
	    after + offsetof(struct oracle_state, private) / 4;
	char from[4096], to[] = "/tmp/cc_oracle_test.XXXXXX";
	struct oracle_result result;
	int fd = mkstemp(to);

	assert_true(fd >= 0);
	close(fd);
	log_path("cubic-mixed", from);
	write_changed(from, to, 30, cwnd);
	assert_int_equal(oracle_replay(to, &result), 0);
	assert_int_equal(result.unequal, 1);
	assert_non_null(strstr(result.first, "cwnd"));

	log_path("bbr-mixed", from);
	write_changed(from, to, 31, private); /* min_rtt_us */
	assert_int_equal(oracle_replay(to, &result), 0);
	assert_int_equal(result.unequal, 1);
	assert_non_null(strstr(result.first, "min_rtt_us"));
	unlink(to);
}

/* A log that breaks off within a record, and a file that is none. */
static void broken_logs_are_refused(void **state)
{
	char from[4096], to[] = "/tmp/cc_oracle_test.XXXXXX";
	struct oracle_result result;
	int fd = mkstemp(to);
	FILE *file;

	assert_true(fd >= 0);
	close(fd);
	log_path("bbr-mixed", from);
	write_changed(from, to, 0, 0); /* algorithm 2 ^ 1: there is none */
	assert_int_equal(oracle_replay(to, &result), -EINVAL);

	write_changed(from, to, 100, offsetof(struct oracle_record, port) / 4);
	file = fopen(to, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, -1, SEEK_END), 0);
	assert_int_equal(truncate(to, ftell(file)), 0);
	fclose(file);
	assert_int_equal(oracle_replay(to, &result), -EINVAL);

	file = fopen(to, "w");
	assert_non_null(file);
	fputs("fullpipe oracle 1\n", file);
	fclose(file);
	assert_int_equal(oracle_replay(to, &result), -EINVAL);
	unlink(to);
	assert_int_equal(oracle_replay(to, &result), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_the_kernels),
		cmocka_unit_test(one_wrong_bit_is_seen),
		cmocka_unit_test(broken_logs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
