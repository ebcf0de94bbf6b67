/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two files of --pcap: one round, as each side saw it. */
#ifndef CMD_CAPTURE_H
#define CMD_CAPTURE_H

#include "base/error.h"
#include "lab/lab.h"
#include "out/report.h"
#include "sys/newfile.h"

struct cmd_capture {
	struct lab_capture lab; /* what the round writes to */
	struct fp_newfile file[LAB_SIDES];
	char *name[LAB_SIDES];    /* NULL: not open */
	struct lab_captured done; /* whole: published */
};

/* Starts both files: of FILE 'run.pcap', run.sender.pcap and run.receiver.pcap;
 * with a word (an algorithm; NULL: none) run.WORD.sender.pcap …. Returns 0, or
 * a negative errno with error. Release with cmd_capture_fini(). */
int cmd_capture_open(struct cmd_capture *capture, const char *file,
		     const char *word, struct fp_error *error);

/* Gives the files their names where the round says that they are whole. Returns
 * 0, or a negative errno with error; then at most one of them is there. */
int cmd_capture_publish(struct cmd_capture *capture,
			const struct lab_captured *done,
			struct fp_error *error);

/* Writes a sentence where a SIGKILL would leave a part of a file behind.
 * Returns whether it wrote one. */
bool cmd_capture_note(const struct cmd_capture *capture, char *ret_note,
		      size_t bytes);

/* Says what is there; empty where nothing was published. Texts stay the
 * capture's. */
struct out_capture cmd_capture_row(const struct cmd_capture *capture);

/* Drops what was not published. May be called on a zeroed one. */
void cmd_capture_fini(struct cmd_capture *capture);

#endif
