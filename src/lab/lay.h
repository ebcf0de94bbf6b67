/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lays the devices of a world: namespaces of both sides, their addresses and
 * settings, and what joins them.
 */
#ifndef LAB_LAY_H
#define LAB_LAY_H

#include "base/error.h"
#include "lab/world.h"

#define IPV6_MTU_MIN 1280 /* RFC 8200, section 5: below it no IPv6 */

/* Addresses of the sides as text. */
extern const char *const world__ipv4[LAB_SIDES];
extern const char *const world__ipv6[LAB_SIDES];

/* Makes what path->backend asks for; the caller closes after a failure. Returns
 * 0 or a negative errno with error. */
int lay__open(struct lab_world *world, const struct lab_path *path,
	      struct fp_error *error);

/* Adds to the world's note what this machine did not allow. */
void world__note(struct lab_world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says that this machine cannot do it (status 77), and what would help. Returns
 * result. */
int world__impossible(struct fp_error *error, int result, const char *hint);

/* Closes devices and network namespaces. */
void world__close_devices(struct lab_world *world);

#endif
