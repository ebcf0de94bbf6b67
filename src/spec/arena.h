/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that is released at once: what a text is turned into while it is
 * parsed, so that no parser has to undo its work.
 */
#ifndef SPEC_ARENA_H
#define SPEC_ARENA_H

#include <stddef.h>

struct spec_arena {
	struct spec_block *last; /* NULL: nothing allocated */
};

/* Returns zeroed memory that lives until spec_arena_fini(); NULL when there is
 * none left. */
void *spec_arena_alloc(struct spec_arena *arena, size_t count, size_t bytes);

/* Copies text, or the first length bytes of it. NULL when memory ran out. */
char *spec_arena_copy(struct spec_arena *arena, const char *text,
		      size_t length);

void spec_arena_fini(struct spec_arena *arena);

#endif
