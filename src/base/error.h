/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/*
 * What went wrong, for a person. Filled at the point of failure, printed only
 * by cmd/. text: lower case, no full stop, what failed first, subject in single
 * quotes. hint: what the user can do, or empty. status: the exit status that
 * fits (2 wrong usage, 3 could not do it, 77 not possible here).
 */
struct fp_error {
	int status; /* exit status; 0: no error */
	int errnum; /* errno of the cause; 0: none */
	char text[384];
	char hint[256];
};

#endif
