/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between resolve.c, which chains stages, rules.c and links.c. */
#ifndef SPEC_RESOLVE_H
#define SPEC_RESOLVE_H

#include "spec/plan.h"

struct resolver {
	const struct spec_plan *plan;
	struct spec_path *path;
	struct spec_arena *arena; /* of the path */
	struct fp_error *error;
};

/* --- rules.c: do the words fit together? --- */

/* Checks what one item says. Returns 0 or -EINVAL with error. */
int spec__check_wish(const struct spec_wish *wish, bool is_line,
		     struct fp_error *error);

/* Checks that a word for both ways is of use to one of them. */
int spec__check_shared(const struct spec_plan *plan, struct fp_error *error);

/* --- links.c: rates and queues --- */

/* The rate that a link has first, in bit/s; of a trace, its mean. 0: it stands
 * still, or is unlimited. */
uint64_t spec__first_rate_bps(const struct fp_rate_config *rate);

/* Bytes that a link at rate_bps carries in ns, rounded down. */
uint64_t spec__bdp_bytes(uint64_t rate_bps, uint64_t ns);

/* Makes the link that a wish asks for. is_line: netem's default queue. Returns
 * 0 or a negative errno with the resolver's error. */
int spec__set_link(const struct resolver *resolver,
		   const struct spec_wish *wish, bool is_line,
		   struct fp_link_config *link);

/* The limit of a link's queue in bytes, at its first rate. */
uint64_t spec__queue_limit_bytes(const struct resolver *resolver,
				 const struct fp_link_config *link);

/* Copies an array into the path's memory. NULL when there is none left. */
void *spec__copy_array(const struct resolver *resolver, const void *array,
		       size_t count, size_t bytes);

#endif
