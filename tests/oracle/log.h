/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log of records in a file: one algorithm, the calls of any number of
 * sockets in the order they came.
 *
 * A record is kept as what differs from what is expected of it: a bit for each
 * word, and for each that differs the difference as a number of variable
 * length. Expected is the transfer's record before; where the state was before
 * an operation, what the last one left; after it, what was before. So a
 * disturbed record costs little more than its state. A log is about a fifteenth
 * of its records' size.
 */
#ifndef ORACLE_LOG_H
#define ORACLE_LOG_H

#include "record.h"

#include <stdio.h>

#define ORACLE_RELEASE_BYTES 64

struct oracle_log {
	FILE *file;                         /* owned */
	char release[ORACLE_RELEASE_BYTES]; /* of the kernel that was asked */
	uint32_t clock_hz;                  /* jiffies a second */
	struct oracle_record last;          /* of the transfer */
};

/* Makes a file for records of the running kernel. Returns 0 or a negative
 * errno. */
int oracle_log_create(struct oracle_log *log, const char *path);

/* Opens a file to read. Returns 0, a negative errno, or -EINVAL where it is no
 * log of this format. */
int oracle_log_open(struct oracle_log *log, const char *path);

/* Appends a record. Returns 0 or a negative errno. */
int oracle_log_write(struct oracle_log *log,
		     const struct oracle_record *record);

/* Reads the next record. Returns 1, 0 at the end, or -EINVAL where the file
 * breaks off or makes no sense. */
int oracle_log_read(struct oracle_log *log, struct oracle_record *ret_record);

/* Returns 0, or a negative errno where something was not written. */
int oracle_log_close(struct oracle_log *log);

#endif
