/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory for frames that are inside a path. Two sizes of slots in one reserved
 * range of addresses: pages that no frame ever used cost nothing, and the slot
 * that was freed last is taken first, so few pages are used.
 */
#ifndef LAB_FRAMES_H
#define LAB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/vnet.h"

/* What is at most read at once: headers before it, and the largest IP packet.
 */
#define FRAME_BYTES_MAX (VNET_HEADER_BYTES + 14 + 65535)

struct frame {
	struct frame *next; /* in a free list */
	struct vnet_shape shape;
	uint32_t bytes;   /* of data: virtio-net header and on */
	uint32_t refs;    /* packets of the wire that have yet to leave */
	uint32_t unit;    /* number of the super-packet */
	uint8_t is_small; /* which size of slot */
	uint8_t data[];
};

struct frame_slots {
	uint8_t *memory; /* of all slots */
	struct frame *free;
	uint32_t count, used; /* slots there are, slots ever taken */
	uint32_t slot_bytes;
};

struct frame_pool {
	struct frame_slots small, large;
	void *memory;
	size_t memory_bytes;
};

/* Reserves limit_bytes of addresses; less where the system has no more. Returns
 * 0 or a negative errno with error. */
int frames__init(struct frame_pool *pool, uint64_t limit_bytes,
		 struct fp_error *error);

void frames__fini(struct frame_pool *pool);

/* Takes a slot with room for FRAME_BYTES_MAX. Returns NULL when all are in
 * use. */
struct frame *frames__take(struct frame_pool *pool);

/* Moves a frame to a small slot if it fits into one and there is one. Returns
 * where it is now; the other slot is free then. */
struct frame *frames__shrink(struct frame_pool *pool, struct frame *frame);

/* Gives a slot back. */
void frames__give(struct frame_pool *pool, struct frame *frame);

#endif
