/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lab/frames.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "sys/error.h"

/* Holds a packet of 1500 bytes, and so every ACK. */
#define SMALL_SLOT_BYTES 2048u
/* Whole pages, so that a frame of n bytes touches n / 4096 + 1 of them. */
#define LARGE_SLOT_BYTES 69632u
/* Least that makes sense: a few super-packets. */
#define POOL_BYTES_MIN   (UINT64_C(64) << 20)

_Static_assert(sizeof(struct frame) + FRAME_BYTES_MAX <= LARGE_SLOT_BYTES,
	       "the largest frame fits into a large slot");

static void slots_init(struct frame_slots *slots, uint8_t *memory,
		       uint64_t bytes, uint32_t slot_bytes)
{
	*slots = (struct frame_slots){
		.memory = memory,
		.count = (uint32_t)(bytes / slot_bytes),
		.slot_bytes = slot_bytes,
	};
}

int frames__init(struct frame_pool *pool, uint64_t limit_bytes,
		 struct fp_error *error)
{
	uint64_t bytes =
	    limit_bytes < POOL_BYTES_MIN ? POOL_BYTES_MIN : limit_bytes;
	void *memory;

	do {
		memory =
		    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	} while (memory == MAP_FAILED && (bytes /= 2) >= POOL_BYTES_MIN);
	if (memory == MAP_FAILED)
		return fp_error_errno(error, errno,
				      "cannot reserve memory for packets");
	pool->memory = memory;
	pool->memory_bytes = bytes;
	/* a quarter for small ones: 2^19 of them where 4 GiB are allowed */
	slots_init(&pool->small, memory, bytes / 4, SMALL_SLOT_BYTES);
	slots_init(&pool->large, (uint8_t *)memory + bytes / 4, bytes / 4 * 3,
		   LARGE_SLOT_BYTES);
	return 0;
}

void frames__fini(struct frame_pool *pool)
{
	if (pool->memory)
		(void)munmap(pool->memory, pool->memory_bytes); /* is ours */
	pool->memory = NULL;
}

static struct frame *slots_take(struct frame_slots *slots)
{
	struct frame *frame = slots->free;

	if (frame) {
		slots->free = frame->next;
		return frame;
	}
	if (slots->used == slots->count)
		return NULL;
	frame =
	    (void *)(slots->memory + (size_t)slots->used * slots->slot_bytes);
	slots->used++;
	return frame;
}

struct frame *frames__take(struct frame_pool *pool)
{
	struct frame *frame = slots_take(&pool->large);

	if (frame)
		frame->is_small = 0;
	return frame;
}

struct frame *frames__shrink(struct frame_pool *pool, struct frame *frame)
{
	size_t bytes = sizeof(*frame) + frame->bytes;
	struct frame *small;

	if (bytes > SMALL_SLOT_BYTES)
		return frame;
	small = slots_take(&pool->small);
	if (!small)
		return frame;
	memcpy(small, frame, bytes);
	small->is_small = 1;
	frames__give(pool, frame);
	return small;
}

void frames__give(struct frame_pool *pool, struct frame *frame)
{
	struct frame_slots *slots =
	    frame->is_small ? &pool->small : &pool->large;

	frame->next = slots->free;
	slots->free = frame;
}
