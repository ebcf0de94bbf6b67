/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdint.h>

/* One entry: smallest key first, equal keys in the order they were put. */
struct fp_heap_entry {
	uint64_t key;
	uint32_t sequence; /* set by fp_heap_put(); may wrap around */
	uint32_t value;    /* the caller's */
};

/* A 4-ary min-heap over the caller's array: half as deep as a binary one, and
 * the four children of an entry share a cache line. */
struct fp_heap {
	struct fp_heap_entry *entries; /* the caller's, room for its most */
	uint32_t count;
	uint32_t sequence; /* of the next entry */
};

/* Makes an empty heap; entries stay the caller's. */
void fp_heap_init(struct fp_heap *heap, struct fp_heap_entry *entries);

/* Puts a value under a key. The array must have room. Cost: log4(count). */
void fp_heap_put(struct fp_heap *heap, uint64_t key, uint32_t value);

/* Takes the first entry's value; the heap must not be empty. Cost: 4 times
 * log4(count). */
uint32_t fp_heap_take(struct fp_heap *heap);

#endif
