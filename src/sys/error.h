/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SYS_ERROR_H
#define SYS_ERROR_H

#include "base/error.h"

enum {
	FP_EXIT_DONE = 0,
	FP_EXIT_BAD = 1,
	FP_EXIT_USAGE = 2,
	FP_EXIT_FAILED = 3,
	FP_EXIT_IMPOSSIBLE = 77
};

/* Fills error (which may be NULL) with a status and a formatted text; clears
 * the hint. Returns -EINVAL for FP_EXIT_USAGE, else -EIO. */
int fp_error_set(struct fp_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills error with status FP_EXIT_FAILED, "text: strerror(errnum)". Returns
 * -errnum. */
int fp_error_errno(struct fp_error *error, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the hint of an error that was set. */
void fp_error_hint(struct fp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
