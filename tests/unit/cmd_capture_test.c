/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/capture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/error.h"

static char folder[64];

static int enter_folder(void **state)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/fp-capture-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

/* Fails where a test left a file. */
static int leave_folder(void **state)
{
	return chdir("/") || rmdir(folder);
}

static void names_say_what_is_captured(void **state)
{
	static const struct {
		const char *file, *word, *sender, *receiver;
	} cases[] = {
		{ "run.pcap", NULL, "run.sender.pcap", "run.receiver.pcap" },
		{ "run", NULL, "run.sender.pcap", "run.receiver.pcap" },
		{ "a.b", "cubic", "a.b.cubic.sender.pcap",
		  "a.b.cubic.receiver.pcap" },
		{ "./run.pcap", "bbr3", "./run.bbr3.sender.pcap",
		  "./run.bbr3.receiver.pcap" },
		{ "run.pcap", "cubic:rfc9438", "run.cubic-rfc9438.sender.pcap",
		  "run.cubic-rfc9438.receiver.pcap" },
	};
	struct cmd_capture capture;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cmd_capture_open(&capture, cases[i].file,
						  cases[i].word, &error),
				 0);
		assert_string_equal(capture.name[LAB_SENDER], cases[i].sender);
		assert_string_equal(capture.name[LAB_RECEIVER],
				    cases[i].receiver);
		assert_true(capture.lab.fd[LAB_SENDER] > 0);
		assert_true(capture.lab.fd[LAB_RECEIVER] > 0);
		cmd_capture_fini(&capture);
	}
}

static void names_that_are_none_are_refused(void **state)
{
	static const char *const files[] = { "", "-", "/", "here/",
					     "here/.pcap" };
	struct cmd_capture capture;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		assert_int_equal(
		    cmd_capture_open(&capture, files[i], NULL, &error),
		    -EINVAL);
		assert_int_equal(error.status, FP_EXIT_USAGE);
	}
}

static void what_is_whole_gets_its_names(void **state)
{
	const struct lab_captured done = { .is_whole = true,
					   .packets = { 3, 2 } };
	struct cmd_capture capture;
	struct out_capture row;
	struct fp_error error;

	assert_int_equal(cmd_capture_open(&capture, "run", NULL, &error), 0);
	assert_null(cmd_capture_row(&capture).sender);
	assert_int_equal(cmd_capture_publish(&capture, &done, &error), 0);
	row = cmd_capture_row(&capture);
	assert_string_equal(row.sender, "run.sender.pcap");
	assert_string_equal(row.receiver, "run.receiver.pcap");
	assert_true(row.sender_packets == 3 && row.receiver_packets == 2);
	cmd_capture_fini(&capture);
	assert_int_equal(unlink("run.sender.pcap"), 0);
	assert_int_equal(unlink("run.receiver.pcap"), 0);
}

static void what_is_not_whole_gets_none(void **state)
{
	static const struct {
		struct lab_captured done;
		const char *why;
	} cases[] = {
		{ { .errnum = ENOSPC }, "No space left on device" },
		{ { .errnum = 0 }, "did not come to its end" },
	};
	struct cmd_capture capture;
	struct fp_error error;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(
		    cmd_capture_open(&capture, "run", NULL, &error), 0);
		assert_true(
		    cmd_capture_publish(&capture, &cases[i].done, &error) < 0);
		assert_int_equal(error.status, FP_EXIT_FAILED);
		assert_non_null(strstr(error.text, cases[i].why));
		assert_null(cmd_capture_row(&capture).sender);
		cmd_capture_fini(&capture);
		assert_int_equal(access("run.sender.pcap", F_OK), -1);
	}
}

#define CASE(name)                                                             \
	cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(names_say_what_is_captured),
		CASE(names_that_are_none_are_refused),
		CASE(what_is_whole_gets_its_names),
		CASE(what_is_not_whole_gets_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
