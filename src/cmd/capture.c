/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/error.h"

#define SUFFIX ".pcap"

static const char *const SIDES[LAB_SIDES] = { "sender", "receiver" };

/* Length of what stands before the suffix. */
static size_t stem_of(const char *file)
{
	size_t length = strlen(file), suffix = strlen(SUFFIX);

	if (length > suffix && strcmp(file + length - suffix, SUFFIX) == 0)
		length -= suffix;
	return length;
}

static int check_name(const char *file, struct fp_error *error)
{
	size_t stem = stem_of(file);

	if (stem > 0 && file[stem - 1] != '/' && strcmp(file, "-") != 0)
		return 0;
	(void)fp_error_set(error, FP_EXIT_USAGE, "cannot use '%s' for --pcap",
			   file);
	fp_error_hint(error, "two files are written: 'run.pcap' becomes "
			     "run.sender.pcap and run.receiver.pcap");
	return -EINVAL;
}

/* An algorithm's word may have a colon ('cubic:rfc9438'), which some file
 * systems do not take. */
static void make_plain(char *word)
{
	for (; *word; word++) {
		if (*word == ':' || *word == '/')
			*word = '-';
	}
}

static char *name_of(const char *file, const char *word, const char *side)
{
	char *plain = strdup(word ? word : "");
	char *name = NULL;

	if (!plain)
		return NULL;
	make_plain(plain);
	if (asprintf(&name, "%.*s%s%s.%s%s", (int)stem_of(file), file,
		     word ? "." : "", plain, side, SUFFIX) < 0)
		name = NULL;
	free(plain);
	return name;
}

int cmd_capture_open(struct cmd_capture *capture, const char *file,
		     const char *word, struct fp_error *error)
{
	int side, result = check_name(file, error);

	memset(capture, 0, sizeof(*capture));
	for (side = 0; side < LAB_SIDES && result == 0; side++) {
		capture->name[side] = name_of(file, word, SIDES[side]);
		if (!capture->name[side])
			result = fp_error_errno(error, ENOMEM,
						"cannot name a capture");
		else
			result = fp_newfile_open(&capture->file[side],
						 capture->name[side], error);
		capture->lab.fd[side] = capture->file[side].fd;
	}
	if (result < 0)
		cmd_capture_fini(capture);
	return result;
}

static int complain(const struct cmd_capture *capture,
		    const struct lab_captured *done, struct fp_error *error)
{
	const char *name = capture->name[LAB_SENDER];

	if (done->errnum)
		return fp_error_errno(error, done->errnum, "cannot write '%s'",
				      name);
	return fp_error_set(error, FP_EXIT_FAILED,
			    "cannot write '%s': what was to be captured did "
			    "not come to its end",
			    name);
}

int cmd_capture_publish(struct cmd_capture *capture,
			const struct lab_captured *done, struct fp_error *error)
{
	int side, result = 0;

	if (!done->is_whole)
		return complain(capture, done, error);
	for (side = 0; side < LAB_SIDES && result == 0; side++)
		result = fp_newfile_publish(&capture->file[side], error);
	if (result == 0)
		capture->done = *done;
	return result;
}

bool cmd_capture_note(const struct cmd_capture *capture, char *ret_note,
		      size_t bytes)
{
	int side;

	for (side = 0; side < LAB_SIDES; side++) {
		if (!capture->name[side] ||
		    !fp_newfile_is_named(&capture->file[side]))
			continue;
		(void)snprintf(ret_note, bytes,
			       "this file system has no files without a name: "
			       "kill -9 leaves '%.120s'",
			       capture->file[side].temporary);
		return true;
	}
	return false;
}

struct out_capture cmd_capture_row(const struct cmd_capture *capture)
{
	if (!capture->done.is_whole)
		return (struct out_capture){ 0 };
	return (struct out_capture){
		.sender = capture->name[LAB_SENDER],
		.receiver = capture->name[LAB_RECEIVER],
		.sender_packets = (double)capture->done.packets[LAB_SENDER],
		.receiver_packets = (double)capture->done.packets[LAB_RECEIVER],
	};
}

void cmd_capture_fini(struct cmd_capture *capture)
{
	int side;

	for (side = 0; side < LAB_SIDES; side++) {
		if (capture->name[side])
			fp_newfile_discard(&capture->file[side]);
		free(capture->name[side]);
		capture->name[side] = NULL;
	}
	capture->done.is_whole = false;
}
