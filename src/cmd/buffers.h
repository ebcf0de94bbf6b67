/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_BUFFERS_H
#define CMD_BUFFERS_H

#include "base/error.h"
#include "spec/spec.h"

/* Whose limits stand where the user sets none. */
enum cmd_buffers_host {
	CMD_HOST_KERNEL, /* this kernel's: what is left to it is 0 */
	CMD_HOST_LINUX,  /* Linux's defaults, on any machine */
	CMD_HOST_COPY,   /* this kernel's, as numbers */
};

struct cmd_buffers_for {
	const struct spec_path *path;
	uint32_t data_way; /* the way that the data takes */
	enum cmd_buffers_host host;
};

struct cmd_buffers {
	uint64_t rmem_bytes, wmem_bytes; /* largest; 0: the kernel's */
	char text[256];                  /* what and why, for people */
};

/* Reads --buffers: "auto" (enough for the path's data way, and never less than
 * the host has), "default" (as the host has them) or a size. Returns 0 or a
 * negative errno with error. */
int cmd_buffers_choose(const char *word, const struct cmd_buffers_for *what,
		       struct cmd_buffers *ret_buffers, struct fp_error *error);

#endif
