/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of lines that is usable whenever its writer ends, by kill -9 too: the
 * first line says what the file is, each line is appended by one write, and who
 * continues drops a last line that is torn. A second writer is refused.
 */
#ifndef OUT_LINES_H
#define OUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct out_lines {
	const char *name; /* for errors; the caller's */
	int fd;           /* -1: closed */
	bool is_new;      /* was not there before */
	bool is_file;     /* regular: can be locked, synced, continued */
	uint64_t synced_ns;
};

/*
 * Begins a file with a first line (no newline in it). name NULL: standard
 * output. A file that holds something already is refused, unless is_replaced.
 * Returns 0, or a negative errno with error and lines closed.
 */
int out_lines_new(struct out_lines *lines, const char *name, bool is_replaced,
		  const char *head, struct fp_error *error);

/* Who is told of each line of a file that is continued. */
struct out_lines_reader {
	/* number counts from 0, the first line; line is without its newline and
	 * may be changed. Returns 0, or a negative errno, with error, that ends
	 * the reading. */
	int (*line)(void *context, uint64_t number, char *line,
		    struct fp_error *error);
	void *context;
};

/*
 * Continues a file: tells reader of each whole line, drops what follows the
 * last of them. A file that is not there, is empty, or holds but a part of head
 * begins anew with head. Returns 0, or a negative errno with error (the
 * reader's too) and lines closed; the file is then as it was.
 */
int out_lines_resume(struct out_lines *lines, const char *name,
		     const char *head, const struct out_lines_reader *reader,
		     struct fp_error *error);

/* Takes back what was begun, and closes: the file is gone, or empty where it
 * was there before. Not for what was continued. */
void out_lines_cancel(struct out_lines *lines);

/* Appends a line and its newline. At least once a second the file is written to
 * its medium. Returns 0, or a negative errno with error. */
int out_lines_add(struct out_lines *lines, const char *line,
		  struct fp_error *error);

/* Writes to the medium and closes; accepts closed ones. Returns 0, or a
 * negative errno with error. */
int out_lines_close(struct out_lines *lines, struct fp_error *error);

/* A file that is only read. */
struct out_lines_input {
	const char *name; /* the caller's */
	void *file;       /* NULL: closed */
	char *line;       /* the one that was read last, without its newline; at
			     the end a torn one, or "" */
	size_t room;
	uint64_t number; /* of that line, from 0 */
};

int out_lines_open(struct out_lines_input *input, const char *name,
		   struct fp_error *error);

/* Reads the next line. Returns 1; 0 at the end or before a torn line; a
 * negative errno with error. */
int out_lines_next(struct out_lines_input *input, struct fp_error *error);
void out_lines_input_close(struct out_lines_input *input);

#endif
