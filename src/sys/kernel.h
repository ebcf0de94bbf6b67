/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SYS_KERNEL_H
#define SYS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the running kernel's release ("6.1.0-18-amd64"). */
void fp_kernel_release(char *ret_release, size_t bytes);

/* Reads the largest TCP buffer that the kernel grows a socket to: the third
 * number of /proc/sys/net/ipv4/NAME (tcp_rmem, tcp_wmem), in bytes. 0 where it
 * cannot be read. */
uint64_t fp_kernel_tcp_buffer_bytes(const char *name);

/* Tells how many processors this process may use, at least 1. */
uint32_t fp_kernel_cores(void);

/* Tells whether a release ("6.18.44-amd64") is of version major.minor or later;
 * false for what is no release. */
bool fp_release_is_since(const char *release, uint32_t major, uint32_t minor);

#endif
