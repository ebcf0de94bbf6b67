/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captures of what the emulator takes from each side's device and gives to it:
 * what that host sent, and what arrived there. Super-packets stand as they are.
 */
#ifndef LAB_CAPTURE_H
#define LAB_CAPTURE_H

#include <sys/uio.h>

#include "base/error.h"
#include "lab/lab.h"
#include "lab/vnet.h"

/* Headers of at most 40 + 60 bytes, and a little of what they carry. */
#define CAPTURE_SNAP_BYTES 128

struct capture;

/* Starts captures into the files of asked. Returns NULL with error. */
struct capture *capture__new(const struct lab_capture *asked,
			     struct fp_error *error);

/* Adds a frame that passed a side's device at now_ns (fp_clock_ns()). shape is
 * of the frame, or of the one that this is a part of. parts[0] has all its
 * headers, from the virtio-net header on. */
void capture__add(struct capture *capture, enum lab_side side, uint64_t now_ns,
		  const struct vnet_shape *shape, const struct iovec parts[2]);

/* Writes what is buffered and says how it went. */
void capture__finish(struct capture *capture, struct lab_captured *ret_done);

void capture__free(struct capture *capture); /* accepts NULL */

#endif
