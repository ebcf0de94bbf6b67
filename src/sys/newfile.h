/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file that is there whole or not at all: it has no name while it is written
 * (O_TMPFILE, open(2)) and gets its name at the end, so that whatever ends the
 * process before leaves nothing. Where the file system has no unnamed files, or
 * /proc is not there to name them by, it is written under another name and
 * renamed; a SIGKILL leaves that one behind.
 */
#ifndef SYS_NEWFILE_H
#define SYS_NEWFILE_H

#include <stdbool.h>

#include "base/error.h"

struct fp_newfile {
	int fd;          /* to write to; -1: none is open */
	char *path;      /* what it will be called */
	char *temporary; /* what it is called until then; NULL: nothing */
};

/* Starts a file that will be called path; one of that name stays as it is until
 * then. Returns 0, or a negative errno with error: the folder is not there or
 * not writable, or path is there and no regular file. Release with publish or
 * discard; what is zeroed by FP_NEWFILE_NONE may be discarded too. */
int fp_newfile_open(struct fp_newfile *file, const char *path,
		    struct fp_error *error);

#define FP_NEWFILE_NONE                                                        \
	{                                                                      \
		.fd = -1                                                       \
	}

/* Tells whether a SIGKILL would leave a part of it behind. */
bool fp_newfile_is_named(const struct fp_newfile *file);

/* Gives the file its name, in place of one that has it, and closes it. What is
 * buffered elsewhere must have been written. Returns 0, or a negative errno
 * with error; the file is gone then. */
int fp_newfile_publish(struct fp_newfile *file, struct fp_error *error);

/* Drops what was written. */
void fp_newfile_discard(struct fp_newfile *file);

#endif
