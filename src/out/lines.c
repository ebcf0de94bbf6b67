/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "out/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/error.h"

#define SYNC_NS 1000000000ull
#define STDOUT  "standard output"

/* --- Writing -------------------------------------------------------------- */

static int fail(const struct out_lines *lines, const char *verb,
		struct fp_error *error)
{
	return fp_error_errno(error, errno, "cannot %s '%s'", verb,
			      lines->name);
}

static void forget(struct out_lines *lines)
{
	if (lines->fd > STDERR_FILENO)
		(void)close(lines->fd); /* its own error was told before */
	lines->fd = -1;
}

static int lock(const struct out_lines *lines, struct fp_error *error)
{
	if (!lines->is_file || flock(lines->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK) /* a file system without locks */
		return 0;
	return fp_error_errno(error, EBUSY,
			      "cannot write '%s', another process does",
			      lines->name);
}

/* Opens and locks; an append never lands inside what is there. */
static int open_output(struct out_lines *lines, const char *name,
		       struct fp_error *error)
{
	struct stat status;
	int result = 0;

	*lines = (struct out_lines){ .name = name ? name : STDOUT,
				     .fd = STDOUT_FILENO,
				     .synced_ns = fp_clock_ns() };
	if (!name)
		return 0;
	lines->is_new = access(name, F_OK) != 0;
	lines->fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (lines->fd < 0)
		return fail(lines, "open", error);
	if (fstat(lines->fd, &status) < 0)
		result = fail(lines, "look at", error);
	lines->is_file = result == 0 && S_ISREG(status.st_mode);
	if (result == 0)
		result = lock(lines, error);
	if (result < 0)
		forget(lines);
	return result;
}

static int size_of(const struct out_lines *lines, off_t *ret_bytes,
		   struct fp_error *error)
{
	struct stat status;

	if (fstat(lines->fd, &status) < 0)
		return fail(lines, "look at", error);
	*ret_bytes = lines->is_file ? status.st_size : 0;
	return 0;
}

static int cut(const struct out_lines *lines, off_t bytes,
	       struct fp_error *error)
{
	if (lines->is_file && ftruncate(lines->fd, bytes) < 0)
		return fail(lines, "cut", error);
	return 0;
}

static int sync_lines(struct out_lines *lines, struct fp_error *error)
{
	lines->synced_ns = fp_clock_ns();
	if (lines->is_file && fdatasync(lines->fd) < 0)
		return fail(lines, "write", error);
	return 0;
}

int out_lines_add(struct out_lines *lines, const char *line,
		  struct fp_error *error)
{
	static char newline[] = "\n";
	struct iovec parts[2] = { { (void *)(uintptr_t)line, strlen(line) },
				  { newline, 1 } };
	ssize_t wrote;

	while (parts[0].iov_len + parts[1].iov_len > 0) {
		wrote = writev(lines->fd, parts, 2);
		if (wrote < 0 && errno != EINTR)
			return fail(lines, "write", error);
		for (int i = 0; i < 2 && wrote > 0; i++) {
			size_t part = (size_t)wrote < parts[i].iov_len
					  ? (size_t)wrote
					  : parts[i].iov_len;

			parts[i].iov_base = (char *)parts[i].iov_base + part;
			parts[i].iov_len -= part;
			wrote -= (ssize_t)part;
		}
	}
	if (fp_clock_ns() - lines->synced_ns < SYNC_NS)
		return 0;
	return sync_lines(lines, error);
}

static int begin(struct out_lines *lines, const char *head,
		 struct fp_error *error)
{
	int result = cut(lines, 0, error);

	return result < 0 ? result : out_lines_add(lines, head, error);
}

int out_lines_new(struct out_lines *lines, const char *name, bool is_replaced,
		  const char *head, struct fp_error *error)
{
	int result = open_output(lines, name, error);
	off_t bytes = 0;

	if (result < 0)
		return result;
	result = size_of(lines, &bytes, error);
	if (result == 0 && bytes > 0 && !is_replaced)
		result = fp_error_errno(error, EEXIST, "cannot begin '%s'",
					lines->name);
	if (result == 0)
		result = begin(lines, head, error);
	if (result < 0)
		forget(lines);
	return result;
}

void out_lines_cancel(struct out_lines *lines)
{
	if (lines->fd >= 0 && lines->is_file) {
		(void)cut(lines, 0, NULL); /* as well as it goes: what went
					      wrong before is told */
		if (lines->is_new)
			(void)unlink(lines->name);
	}
	forget(lines);
}

/* Text without a newline is a torn head, or what is somebody else's. */
static int check_torn(const struct out_lines *lines, const char *torn,
		      const char *head, struct fp_error *error)
{
	size_t length = strlen(torn);
	off_t bytes = 0;
	int result = size_of(lines, &bytes, error);

	if (result < 0)
		return result;
	if ((off_t)length == bytes && strncmp(torn, head, length) == 0)
		return 0;
	return fp_error_set(error, FP_EXIT_FAILED,
			    "cannot continue '%s': it holds something else",
			    lines->name);
}

/* Tells reader of each whole line. ret_bytes: where the last of them ends; 0:
 * there is none, and nothing that head would not replace. */
static int read_lines(const struct out_lines *lines,
		      const struct out_lines_reader *reader, const char *head,
		      off_t *ret_bytes, struct fp_error *error)
{
	struct out_lines_input input;
	off_t bytes = 0;
	int result = out_lines_open(&input, lines->name, error);

	if (result < 0)
		return result;
	while ((result = out_lines_next(&input, error)) > 0) {
		bytes += (off_t)strlen(input.line) + 1;
		result = reader->line(reader->context, input.number, input.line,
				      error);
		if (result < 0)
			break;
	}
	if (result == 0 && bytes == 0)
		result = check_torn(lines, input.line ? input.line : "", head,
				    error);
	out_lines_input_close(&input);
	*ret_bytes = bytes;
	return result;
}

int out_lines_resume(struct out_lines *lines, const char *name,
		     const char *head, const struct out_lines_reader *reader,
		     struct fp_error *error)
{
	off_t bytes = 0;
	int result = open_output(lines, name, error);

	if (result < 0)
		return result;
	if (!lines->is_file)
		result = fp_error_errno(error, ESPIPE, "cannot resume '%s'",
					lines->name);
	if (result == 0)
		result = read_lines(lines, reader, head, &bytes, error);
	if (result == 0)
		result = bytes == 0 ? begin(lines, head, error)
				    : cut(lines, bytes, error);
	if (result < 0)
		forget(lines);
	return result;
}

int out_lines_close(struct out_lines *lines, struct fp_error *error)
{
	int result = 0;

	if (lines->fd < 0)
		return 0;
	result = sync_lines(lines, error);
	forget(lines);
	return result;
}

/* --- Reading -------------------------------------------------------------- */

int out_lines_open(struct out_lines_input *input, const char *name,
		   struct fp_error *error)
{
	*input = (struct out_lines_input){ .name = name };
	input->file = fopen(name, "re");
	if (!input->file)
		return fp_error_errno(error, errno, "cannot open '%s'", name);
	return 0;
}

int out_lines_next(struct out_lines_input *input, struct fp_error *error)
{
	bool is_first = !input->line;
	ssize_t length;

	errno = 0;
	length = getline(&input->line, &input->room, input->file);
	if (length < 0 && (ferror((FILE *)input->file) || errno == ENOMEM))
		return fp_error_errno(error, errno, "cannot read '%s'",
				      input->name);
	if (length <= 0 && input->line)
		input->line[0] = '\0';
	if (length <= 0 || input->line[length - 1] != '\n')
		return 0;
	input->line[length - 1] = '\0';
	if (strlen(input->line) != (size_t)length - 1)
		return fp_error_set(
		    error, FP_EXIT_FAILED,
		    "'%s' is damaged: a NUL in line %llu", input->name,
		    (unsigned long long)input->number + (is_first ? 1 : 2));
	if (!is_first)
		input->number++;
	return 1;
}

void out_lines_input_close(struct out_lines_input *input)
{
	if (input->file)
		(void)fclose(input->file); /* it was only read */
	free(input->line);
	*input = (struct out_lines_input){ .name = input->name };
}
