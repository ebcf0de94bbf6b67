/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Namespaces and settings of a world: what is private to its processes.
 */
#ifndef LAB_NETNS_H
#define LAB_NETNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Makes a user namespace in which the caller keeps its ids and holds every
 * capability. Returns 0 or a negative errno with error. */
int netns__new_user(struct fp_error *error);

/* Moves the caller to a new network namespace with its loopback device up.
 * Returns a descriptor of it (the caller's, close-on-exec) or a negative errno
 * with error. */
int netns__new(struct fp_error *error);

/* Moves the caller to the namespace of a descriptor. Returns 0 or a negative
 * errno with error. */
int netns__enter(int netns_fd, struct fp_error *error);

/* Makes a mount namespace whose mounts reach nobody else. Returns 0 or a
 * negative errno; nothing may be mounted after a failure. */
int netns__new_mounts(void);

/* Mounts a /proc of the caller's PID namespace, in a private mount namespace.
 * Returns 0 or a negative errno. */
int netns__mount_proc(void);

/* Puts a file with this text over /etc/hosts, in a private mount namespace.
 * Returns 0 or a negative errno. */
int netns__bind_hosts(const char *text);

/* Sets a sysctl by its path below /proc/sys ("net/ipv4/tcp_rmem"). Returns 0 or
 * a negative errno. */
int netns__set_sysctl(const char *path, const char *value);

/* Reads a sysctl as text without its newline. Returns 0 or a negative errno. */
int netns__get_sysctl(const char *path, char *ret_text, size_t text_bytes);

/* Lets the capabilities that network programs ask for survive execve(2).
 * Returns 0 or a negative errno. */
int netns__keep_capabilities(void);

#endif
