/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_BUFFERS_H
#define CMD_BUFFERS_H

#include "base/error.h"
#include "spec/spec.h"

struct cmd_buffers {
	uint64_t rmem_bytes, wmem_bytes; /* largest; 0: the kernel's */
	char text[256];                  /* what and why, for people */
};

/* Reads --buffers: "auto" (enough for the path's data way), "default" (as the
 * kernel has them) or a size. Returns 0 or a negative errno with error. */
int cmd_buffers_choose(const char *word, const struct spec_path *path,
		       uint32_t data_way, struct cmd_buffers *ret_buffers,
		       struct fp_error *error);

#endif
