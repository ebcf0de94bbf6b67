/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/nearest.h"

#include <stddef.h>
#include <string.h>

#define WORD_BYTES_MAX 32

static int to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static uint32_t min3(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

/* The restricted form of the distance (optimal string alignment): three rows
 * of the table are enough, since a swap looks back two rows. */
uint32_t fp_nearest_distance(const char *typed, const char *word)
{
	uint32_t rows[3][WORD_BYTES_MAX + 1];
	size_t typed_length = strlen(typed);
	size_t word_length = strlen(word);

	if (typed_length > WORD_BYTES_MAX || word_length > WORD_BYTES_MAX)
		return UINT32_MAX;
	for (size_t j = 0; j <= word_length; j++)
		rows[0][j] = (uint32_t)j;
	for (size_t i = 1; i <= typed_length; i++) {
		uint32_t *row = rows[i % 3];
		const uint32_t *above = rows[(i + 2) % 3];
		const uint32_t *above2 = rows[(i + 1) % 3];
		int a = to_lower(typed[i - 1]);

		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= word_length; j++) {
			int b = to_lower(word[j - 1]);

			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + (a != b));
			if (i > 1 && j > 1 && a == to_lower(word[j - 2]) &&
			    b == to_lower(typed[i - 2]) &&
			    above2[j - 2] + 1 < row[j])
				row[j] = above2[j - 2] + 1;
		}
	}
	return rows[typed_length % 3][word_length];
}

/* How many slips still make it likely that this word was meant. */
static uint32_t slips_max(size_t word_length)
{
	if (word_length <= 1)
		return 0;
	if (word_length <= 4)
		return 1;
	return word_length <= 7 ? 2 : 3;
}

static int is_beginning(const char *typed, const char *word)
{
	size_t i = 0;

	while (typed[i] && to_lower(typed[i]) == to_lower(word[i]))
		i++;
	return i >= 2 && typed[i] == '\0';
}

const char *fp_nearest(const char *typed, const char *const words[])
{
	const char *nearest = NULL;
	uint32_t nearest_distance = UINT32_MAX;

	for (; *words; words++) {
		uint32_t distance = fp_nearest_distance(typed, *words);
		uint32_t limit = slips_max(strlen(*words));

		if (distance > limit && is_beginning(typed, *words))
			distance = limit; /* cut short, not misspelt */
		if (distance <= limit && distance < nearest_distance) {
			nearest = *words;
			nearest_distance = distance;
		}
	}
	return nearest;
}
