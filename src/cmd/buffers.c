/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/buffers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diag/predict.h"
#include "spec/units.h"
#include "sys/error.h"
#include "sys/format.h"
#include "sys/kernel.h"

#define BUFFER_MIN_BYTES 4096ull      /* less than one packet and its skb */
#define HEADERS_BYTES    52           /* IPv4 and TCP with its time stamps */
#define BUFFER_MAX_BYTES (2ull << 30) /* tcp_rmem is an int */
/* tcp_rmem[2] and tcp_wmem[2] of a host with enough memory. */
#define LINUX_RMEM_BYTES (6ull << 20)
#define LINUX_WMEM_BYTES (4ull << 20)

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void ask_host(enum cmd_buffers_host host, struct cmd_buffers *buffers)
{
	buffers->rmem_bytes = LINUX_RMEM_BYTES;
	buffers->wmem_bytes = LINUX_WMEM_BYTES;
	if (host == CMD_HOST_LINUX)
		return;
	buffers->rmem_bytes = fp_kernel_tcp_buffer_bytes("tcp_rmem");
	buffers->wmem_bytes = fp_kernel_tcp_buffer_bytes("tcp_wmem");
}

/* Never below what the host has: its own limit is no reason for less. */
static void choose_for_path(const struct cmd_buffers_for *what,
			    struct cmd_buffers *buffers)
{
	const struct spec_path *path = what->path;
	const struct spec_direction *way = &path->way[what->data_way];
	const struct diag_path facts = { .rtt_us = (double)path->rtt_ns / 1e3,
					 .loss = way->loss_ppm / 1e6,
					 .rate_bps = (double)way->rate_bps,
					 .mss_bytes =
					     path->mtu_bytes - HEADERS_BYTES };
	uint64_t bytes = diag_buffer_bytes(&facts);
	char receive[FP_FORMAT_BYTES], send[FP_FORMAT_BYTES];

	ask_host(what->host, buffers);
	buffers->rmem_bytes = larger(bytes, buffers->rmem_bytes);
	buffers->wmem_bytes = larger(bytes, buffers->wmem_bytes);
	fp_format(receive, sizeof(receive), FP_UNIT_BYTES,
		  (double)buffers->rmem_bytes);
	fp_format(send, sizeof(send), FP_UNIT_BYTES,
		  (double)buffers->wmem_bytes);
	(void)snprintf(buffers->text, sizeof(buffers->text),
		       "up to %s to receive, %s to send (enough for the path)",
		       receive, send);
}

static void leave_to_host(enum cmd_buffers_host host,
			  struct cmd_buffers *buffers)
{
	char receive[FP_FORMAT_BYTES], send[FP_FORMAT_BYTES];

	ask_host(host, buffers);
	fp_format(receive, sizeof(receive), FP_UNIT_BYTES,
		  (double)buffers->rmem_bytes);
	fp_format(send, sizeof(send), FP_UNIT_BYTES,
		  (double)buffers->wmem_bytes);
	(void)snprintf(buffers->text, sizeof(buffers->text),
		       "as %s: up to %s to receive, %s to send",
		       host == CMD_HOST_LINUX ? "Linux has them by default"
					      : "the kernel has them",
		       receive, send);
	if (host == CMD_HOST_KERNEL)
		buffers->rmem_bytes = buffers->wmem_bytes = 0;
}

int cmd_buffers_choose(const char *word, const struct cmd_buffers_for *what,
		       struct cmd_buffers *ret_buffers, struct fp_error *error)
{
	char size[FP_FORMAT_BYTES];
	uint64_t bytes = 0;

	if (strcmp(word, "auto") == 0) {
		choose_for_path(what, ret_buffers);
		return 0;
	}
	if (strcmp(word, "default") == 0) {
		leave_to_host(what->host, ret_buffers);
		return 0;
	}
	if (fp_parse_size_bytes(word, &bytes) < 0 || bytes < BUFFER_MIN_BYTES ||
	    bytes >= BUFFER_MAX_BYTES) {
		(void)fp_error_set(error, FP_EXIT_USAGE,
				   "cannot use '%s' for --buffers", word);
		fp_error_hint(error, "--buffers takes auto, default, or a "
				     "size of 4k … below 2gib");
		return -EINVAL;
	}
	ret_buffers->rmem_bytes = ret_buffers->wmem_bytes = bytes;
	fp_format(size, sizeof(size), FP_UNIT_BYTES, (double)bytes);
	(void)snprintf(ret_buffers->text, sizeof(ret_buffers->text),
		       "up to %s, as --buffers says", size);
	return 0;
}
