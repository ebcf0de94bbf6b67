/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/heap.h"

#define HEAP_ARITY 4u

void fp_heap_init(struct fp_heap *heap, struct fp_heap_entry *entries)
{
	heap->entries = entries;
	heap->count = 0;
	heap->sequence = 0;
}

/* Numbers are compared by their distance, so that they may wrap around while
 * fewer than 2^31 entries are inside. */
static int heap_is_before(const struct fp_heap_entry *a,
			  const struct fp_heap_entry *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return b->sequence - a->sequence < UINT32_C(1) << 31;
}

void fp_heap_put(struct fp_heap *heap, uint64_t key, uint32_t value)
{
	struct fp_heap_entry entry = { key, heap->sequence++, value };
	uint32_t at = heap->count++;

	while (at > 0) {
		uint32_t parent = (at - 1) / HEAP_ARITY;

		if (!heap_is_before(&entry, &heap->entries[parent]))
			break;
		heap->entries[at] = heap->entries[parent];
		at = parent;
	}
	heap->entries[at] = entry;
}

/* Returns the first of the children of at, or count where it has none. */
static uint32_t heap_first_child(const struct fp_heap *heap, uint32_t at)
{
	uint32_t child = HEAP_ARITY * at + 1;
	uint32_t end = child + HEAP_ARITY;
	uint32_t first = child;

	if (child >= heap->count)
		return heap->count;
	if (end > heap->count)
		end = heap->count;
	for (child++; child < end; child++)
		if (heap_is_before(&heap->entries[child],
				   &heap->entries[first]))
			first = child;
	return first;
}

uint32_t fp_heap_take(struct fp_heap *heap)
{
	uint32_t value = heap->entries[0].value;
	struct fp_heap_entry last = heap->entries[--heap->count];
	uint32_t at = 0;

	for (;;) {
		uint32_t child = heap_first_child(heap, at);

		if (child == heap->count ||
		    !heap_is_before(&heap->entries[child], &last))
			break;
		heap->entries[at] = heap->entries[child];
		at = child;
	}
	heap->entries[at] = last;
	return value;
}
