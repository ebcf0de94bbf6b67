/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SYS_NEAREST_H
#define SYS_NEAREST_H

#include <stdint.h>

/*
 * Finds the word that someone who typed `typed` most likely meant: the one of
 * words (NULL-ended) at the smallest Damerau-Levenshtein distance (insert,
 * delete, replace, swap neighbours; case does not count), the first of equals.
 * A word that typed is the beginning of is taken as near too. Returns NULL
 * when none is near: one slip up to four letters, two up to seven, else three,
 * and never all letters of the word. Cost: product of the lengths, times words.
 */
const char *fp_nearest(const char *typed, const char *const words[]);

/* Tells the distance; UINT32_MAX when either is longer than 32 bytes. */
uint32_t fp_nearest_distance(const char *typed, const char *word);

#endif
