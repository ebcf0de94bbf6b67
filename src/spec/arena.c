/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/arena.h"

#include <stdlib.h>
#include <string.h>

struct spec_block {
	struct spec_block *before;
	max_align_t memory[];
};

void *spec_arena_alloc(struct spec_arena *arena, size_t count, size_t bytes)
{
	struct spec_block *block;
	size_t total;

	if (__builtin_mul_overflow(count, bytes, &total) ||
	    __builtin_add_overflow(total, sizeof(*block), &total))
		return NULL;
	block = calloc(1, total);
	if (!block)
		return NULL;
	block->before = arena->last;
	arena->last = block;
	return block->memory;
}

char *spec_arena_copy(struct spec_arena *arena, const char *text, size_t length)
{
	size_t bytes = strnlen(text, length);
	char *copy = spec_arena_alloc(arena, bytes + 1, 1);

	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

void spec_arena_fini(struct spec_arena *arena)
{
	while (arena->last) {
		struct spec_block *block = arena->last;

		arena->last = block->before;
		free(block);
	}
}
