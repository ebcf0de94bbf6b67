// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "log.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define MAGIC          "fullpipe oracle 2"
#define GROUPS         ((ORACLE_RECORD_WORDS + 7) / 8)
#define WORD_AT(field) (offsetof(struct oracle_record, field) / 4)
#define STATE_WORDS    (sizeof(struct oracle_state) / sizeof(uint32_t))

_Static_assert(sizeof(struct oracle_record) % 4 == 0, "whole words");
_Static_assert(GROUPS <= 32, "a bit for each group in one number");

/* The kernel does not tell CONFIG_HZ; the coarse clock's resolution is a tick.
 */
static uint32_t kernel_hz(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || tick.tv_nsec <= 0)
		return 0;
	return (uint32_t)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
}

int oracle_log_create(struct oracle_log *log, const char *path)
{
	struct utsname name;

	memset(log, 0, sizeof(*log));
	log->clock_hz = kernel_hz();
	if (uname(&name))
		return -errno;
	/* "6.18.44-something": the part that everyone knows */
	name.release[strcspn(name.release, "-+ ")] = '\0';
	snprintf(log->release, sizeof(log->release), "%.63s", name.release);
	log->file = fopen(path, "w");
	if (!log->file)
		return -errno;
	fprintf(log->file, MAGIC " %zu %u %s\n", ORACLE_RECORD_WORDS,
		log->clock_hz, log->release);
	return 0;
}

int oracle_log_open(struct oracle_log *log, const char *path)
{
	size_t words = 0;

	memset(log, 0, sizeof(*log));
	log->file = fopen(path, "r");
	if (!log->file)
		return -errno;
	if (fscanf(log->file, MAGIC " %zu %u %63[^\n]", &words, &log->clock_hz,
		   log->release) == 3 &&
	    fgetc(log->file) == '\n' && words == ORACLE_RECORD_WORDS)
		return 0;
	fclose(log->file);
	return -EINVAL;
}

/* What the word is expected to be. */
static uint32_t expected(const struct oracle_log *log, const uint32_t *words,
			 size_t word)
{
	const uint32_t *last = (const uint32_t *)&log->last;

	if (word >= WORD_AT(after))
		return words[word - STATE_WORDS];
	if (word >= WORD_AT(before) && !words[WORD_AT(is_disturbed)])
		return last[word + STATE_WORDS];
	return last[word];
}

/* Small differences of either sign as small numbers. */
static uint32_t fold(uint32_t difference)
{
	return difference << 1 ^ (0 - (difference >> 31));
}

static uint32_t unfold(uint32_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

static void put_number(FILE *file, uint32_t number)
{
	for (; number >= 0x80; number >>= 7)
		putc((int)(number & 0x7f) | 0x80, file);
	putc((int)number, file);
}

/* Returns 0 or -EINVAL. */
static int get_number(FILE *file, uint32_t *ret_number)
{
	uint32_t number = 0;
	unsigned int shift;
	int byte;

	for (shift = 0; shift < 35; shift += 7) {
		byte = getc(file);
		if (byte == EOF)
			return -EINVAL;
		number |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret_number = number;
			return 0;
		}
	}
	return -EINVAL;
}

int oracle_log_write(struct oracle_log *log, const struct oracle_record *record)
{
	const uint32_t *words = (const uint32_t *)record;
	uint8_t differs[GROUPS] = { 0 };
	uint64_t groups = 0;
	size_t word, group;

	for (word = 0; word < ORACLE_RECORD_WORDS; word++)
		if (words[word] != expected(log, words, word)) {
			differs[word / 8] |= (uint8_t)(1u << word % 8);
			groups |= UINT64_C(1) << word / 8;
		}
	put_number(log->file, (uint32_t)groups);
	for (group = 0; group < GROUPS; group++)
		if (differs[group])
			putc(differs[group], log->file);
	for (word = 0; word < ORACLE_RECORD_WORDS; word++)
		if (differs[word / 8] >> word % 8 & 1)
			put_number(log->file, fold(words[word] -
						   expected(log, words, word)));
	if (!record->is_disturbed)
		log->last = *record;
	return ferror(log->file) ? -EIO : 0;
}

/* The bits of the words that differ. Returns as oracle_log_read(). */
static int read_differs(FILE *file, uint8_t *ret_differs)
{
	uint32_t groups;
	size_t group;
	int byte = getc(file);

	if (byte == EOF)
		return ferror(file) ? -EINVAL : 0;
	ungetc(byte, file);
	if (get_number(file, &groups))
		return -EINVAL;
	for (group = 0; group < GROUPS; group++) {
		if (!(groups >> group & 1))
			continue;
		byte = getc(file);
		if (byte == EOF)
			return -EINVAL;
		ret_differs[group] = (uint8_t)byte;
	}
	return 1;
}

int oracle_log_read(struct oracle_log *log, struct oracle_record *ret_record)
{
	uint32_t *words = (uint32_t *)ret_record;
	uint8_t differs[GROUPS] = { 0 };
	uint32_t number;
	size_t word;
	int more = read_differs(log->file, differs);

	if (more <= 0)
		return more;
	for (word = 0; word < ORACLE_RECORD_WORDS; word++) {
		number = 0;
		if (differs[word / 8] >> word % 8 & 1 &&
		    get_number(log->file, &number))
			return -EINVAL;
		words[word] = expected(log, words, word) + unfold(number);
	}
	if (!ret_record->is_disturbed)
		log->last = *ret_record;
	return 1;
}

int oracle_log_close(struct oracle_log *log)
{
	int status = ferror(log->file) ? -EIO : 0;

	if (fclose(log->file))
		return -errno;
	return status;
}
