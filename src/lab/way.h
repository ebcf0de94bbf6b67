/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One direction of the datapath: frames that a device hands over go into a path
 * packet by packet, and what leaves the path goes out to the other device, put
 * together again where it left together.
 */
#ifndef LAB_WAY_H
#define LAB_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "fullpipe/link.h"
#include "lab/capture.h"
#include "lab/device.h"
#include "lab/frames.h"
#include "lab/lateness.h"

/* What both ways share. */
struct way_common {
	struct frame_pool frames;
	struct lateness lateness;
	struct capture *capture; /* NULL: none */
	bool is_coalescing;      /* packets that leave together share a frame */
	struct vnet_out out;     /* the frame that is being written */
	uint8_t damaged[FRAME_BYTES_MAX]; /* a corrupted packet */
};

struct way_counters {
	uint64_t packets, bytes; /* of the wire, that entered the path */
	uint64_t frames_in, frames_out;
	uint64_t fates[FP_FATE_DUPLICATED + 1]; /* packets by enum fp_fate */
	uint64_t no_memory;  /* frames dropped: the pool or the path was full */
	uint64_t unreadable; /* frames the kernel could not hand over */
	uint64_t failed_writes; /* frames the kernel did not take */
};

struct way {
	struct way_common *common;
	struct fp_path *path;
	void *path_memory;
	size_t path_bytes;
	int in_fd, out_fd; /* the world's */
	enum lab_side in_side, out_side;
	struct packet_ring ring; /* of in_fd; none: read(2) */
	uint8_t l2_bytes;        /* link header of the devices' frames */
	uint32_t units;          /* super-packets so far */
	struct frame *staging;   /* where the next frame is read to */
	struct frame *run_frame; /* of the run that is being gathered */
	struct vnet_run run;
	uint64_t run_due_ns; /* of its first packet */
	struct way_counters counters;
};

/* Makes the path of a way; the other members are the caller's to set. Returns 0
 * or a negative errno with error. */
int way__init(struct way *way, const struct fp_path_config *config,
	      struct fp_error *error);
void way__fini(struct way *way);

/* Reads one frame and lets its packets arrive. Returns 1, 0 when there was
 * none, or a negative errno when the device failed for good. */
int way__read(struct way *way);

/* Writes what is due at now_ns. */
void way__release(struct way *way, uint64_t now_ns);

#endif
