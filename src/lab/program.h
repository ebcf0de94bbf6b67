/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that are not ours, started on a side of the world. */
#ifndef LAB_PROGRAM_H
#define LAB_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Tells whether this network namespace has a TCP socket that listens on port;
 * 0: on any port. */
bool lab_is_listening(uint16_t port);

/* Finds a program as execvp(3) does: by its path, or in PATH. */
bool lab_program_exists(const char *name);

/* A server: a program that is to listen before others come. */
struct lab_server {
	char *const *argv; /* NULL-ended, for execvp(3) */
	uint16_t port;     /* on which it will listen; 0: on any */
	uint64_t limit_ns; /* wait no longer for that */
	int output_fd;     /* its stdout and stderr; -1: as ours */
	int listening_fd;  /* eventfd: told when it listens or has ended */
	int stop_fd;       /* readable: end it */
	/* Called about five times a second while it runs; or NULL. */
	void (*look)(void *context);
	void *context;
};

/* Runs a server until it ends or stop_fd is readable (SIGTERM for its process
 * group then), without a terminal, in a process group of its own. Returns its
 * wait status, or a negative errno with error. */
int lab_server_run(const struct lab_server *server, struct fp_error *error);

#endif
