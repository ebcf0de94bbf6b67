/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_LINK_DRIVER_H
#define TESTS_UNIT_LINK_DRIVER_H

/*
 * What every test of link/ needs: a path in memory that is filled with rubbish
 * first, packets that come at given times, and what became of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fullpipe/link.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)
#define S  UINT64_C(1000000000)

struct driver {
	struct fp_path *path;
	struct fp_pkt *out; /* what was popped, in that order */
	size_t out_count, out_room;
	uint64_t pushed;
};

/* Makes a path; the configuration must be good. */
static inline void driver_open(struct driver *driver,
			       const struct fp_path_config *config)
{
	size_t bytes = fp_path_size_bytes(config);
	void *mem;

	if (fp_path_check(config))
		fail_msg("configuration: %s", fp_path_check(config));
	mem = malloc(bytes);
	assert_non_null(mem);
	memset(mem, 0xa5, bytes);
	memset(driver, 0, sizeof(*driver));
	driver->path = fp_path_init(mem, bytes, config);
	assert_non_null(driver->path);
}

static inline void driver_close(struct driver *driver)
{
	free(driver->path);
	free(driver->out);
}

/* Pops all that is due at now_ns. */
static inline void driver_pop(struct driver *driver, uint64_t now_ns)
{
	struct fp_pkt pkt;

	while (fp_path_pop(driver->path, now_ns, &pkt)) {
		if (driver->out_count == driver->out_room) {
			driver->out_room = 2 * driver->out_room + 64;
			driver->out =
			    realloc(driver->out,
				    driver->out_room * sizeof(*driver->out));
			assert_non_null(driver->out);
		}
		driver->out[driver->out_count++] = pkt;
	}
}

/* Pushes a packet that is alone in its super-packet; ref counts from 0. */
static inline void driver_push(struct driver *driver, uint64_t time_ns,
			       uint32_t len_bytes)
{
	struct fp_pkt pkt = { .ref = driver->pushed,
			      .time_ns = time_ns,
			      .len_bytes = len_bytes,
			      .unit = (uint32_t)driver->pushed };

	fp_path_push(driver->path, &pkt);
	driver->pushed++;
}

/* Pops until nothing is inside, in steps of the path's own wake times. */
static inline void driver_drain(struct driver *driver)
{
	uint64_t wake_ns;

	while ((wake_ns = fp_path_wake_ns(driver->path)) != FP_TIME_NEVER)
		driver_pop(driver, wake_ns);
}

/* Counts what was popped with this fate. */
static inline size_t driver_count(const struct driver *driver, uint8_t fate)
{
	size_t count = 0;

	for (size_t i = 0; i < driver->out_count; i++)
		count += driver->out[i].fate == fate;
	return count;
}

static inline struct fp_stage_counters
driver_counters(const struct driver *driver, uint32_t stage)
{
	struct fp_stage_counters counters = { .packets_in = 0 };

	fp_path_get_counters(driver->path, stage, &counters);
	return counters;
}

#endif
