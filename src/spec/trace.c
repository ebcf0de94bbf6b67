/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delivery traces as mahimahi's mm-link reads them: a line is a time in ms at
 * which one packet of 1504 bytes can leave; the last time is the period.
 */
#include "spec/plan.h"
#include "spec/units.h"
#include "sys/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Ten minutes at 1 Gbit/s are about 300 MB of text: more is a mistake. */
#define TRACE_BYTES_MAX (UINT32_C(512) << 20)

static int refuse_line(struct fp_error *error, const char *name, uint32_t line,
		       const char *text, const char *expected)
{
	return fp_error_set(error, FP_EXIT_USAGE, "%.100s:%u: '%.40s' %s", name,
			    line, text, expected);
}

/* Reads one line; *ret_ms must not be below before_ms. */
static int parse_line(const char *name, uint32_t line, const char *text,
		      uint32_t *ret_ms, struct fp_error *error)
{
	uint64_t ms;
	uint32_t before_ms = *ret_ms;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return refuse_line(error, name, line, text,
				   "is not a whole number of ms");
	if (fp_parse_count(text, &ms) < 0)
		return refuse_line(error, name, line, text,
				   "is not a whole number of ms");
	if (ms > UINT32_MAX)
		return refuse_line(error, name, line, text,
				   "is above 4294967295 ms");
	if (ms < before_ms)
		return refuse_line(error, name, line, text,
				   "is earlier than the line before it");
	*ret_ms = (uint32_t)ms;
	return 0;
}

/* Copies the line at text, up to the newline or the end, without a CR. Longer
 * lines are cut: 40 digits are no time anyway. Returns the bytes used. */
static size_t copy_line(const char *text, size_t bytes, char line[41])
{
	const char *newline = memchr(text, '\n', bytes);
	size_t length = newline ? (size_t)(newline - text) : bytes;
	size_t copied = length < 40 ? length : 40;

	memcpy(line, text, copied);
	line[copied] = '\0';
	if (copied == length && copied > 0 && line[copied - 1] == '\r')
		line[copied - 1] = '\0';
	return newline ? length + 1 : length;
}

static size_t count_lines(const char *text, size_t bytes)
{
	size_t count = 1;

	for (size_t i = 0; i < bytes; i++)
		count += text[i] == '\n';
	return count;
}

int spec__parse_trace(const struct spec_file *file, struct spec_arena *arena,
		      struct spec_wish *wish, struct fp_error *error)
{
	size_t lines_max = count_lines(file->text, file->bytes);
	uint32_t *trace_ms = spec_arena_alloc(arena, lines_max, 4);
	uint32_t count = 0;
	uint32_t ms = 0;
	size_t used = 0;

	if (!trace_ms)
		return spec__no_memory(error);
	while (used < file->bytes) {
		char line[41];

		used += copy_line(file->text + used, file->bytes - used, line);
		if (parse_line(file->name, count + 1, line, &ms, error) < 0)
			return -EINVAL;
		trace_ms[count++] = ms;
	}
	if (count == 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "%.100s:1: empty; expected a time in ms a "
				    "line",
				    file->name);
	if (ms == 0)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "%.100s:%u: the last time is 0; it is the "
				    "period of the trace, at least 1 ms",
				    file->name, count);
	wish->rate.trace_ms = trace_ms;
	wish->rate.trace_count = count;
	wish->trace_name = spec_arena_copy(arena, file->name, SIZE_MAX);
	wish->said |= SAID_TRACE;
	return wish->trace_name ? 0 : spec__no_memory(error);
}

/* Makes room for twice as much. Returns NULL when memory ran out. */
static char *grow(const char *text, size_t room, struct spec_arena *arena)
{
	char *larger = spec_arena_alloc(arena, 2 * room + 1, 1);

	if (larger)
		memcpy(larger, text, room);
	return larger;
}

/* Reads until the end of file; works on pipes too. */
static int read_all(int fd, struct spec_file *file, size_t max,
		    struct spec_arena *arena)
{
	size_t room = 64 << 10;
	size_t used = 0;
	char *text = spec_arena_alloc(arena, room + 1, 1);

	while (text) {
		ssize_t got = read(fd, text + used, room - used);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0) {
			file->text = text;
			file->bytes = used;
			return 0;
		}
		used += got > 0 ? (size_t)got : 0;
		if (used > max)
			return -EFBIG;
		if (used == room) {
			text = grow(text, room, arena);
			room *= 2;
		}
	}
	return -ENOMEM;
}

int spec__read_file(struct spec_file *file, size_t max_bytes,
		    struct spec_arena *arena, struct fp_error *error)
{
	int fd = open(file->name, O_RDONLY | O_CLOEXEC);
	int result;

	if (fd < 0)
		return fp_error_errno(error, errno, "cannot open '%.200s'",
				      file->name);
	result = read_all(fd, file, max_bytes, arena);
	(void)close(fd); /* only read from */
	if (result < 0)
		return fp_error_errno(error, -result, "cannot read '%.200s'",
				      file->name);
	return 0;
}

int spec__set_trace(struct spec_wish *wish, struct spec_words *words,
		    struct fp_error *error)
{
	struct spec_file file = { .name = spec__take(words) };
	struct spec_arena arena = { NULL };
	int result;

	if (!file.name)
		return fp_error_set(error, FP_EXIT_USAGE,
				    "the name of a trace file is missing");
	result = spec__read_file(&file, TRACE_BYTES_MAX, &arena, error);
	if (result == 0)
		result = spec__parse_trace(&file, words->arena, wish, error);
	spec_arena_fini(&arena);
	return result;
}
