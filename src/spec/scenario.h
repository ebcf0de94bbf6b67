/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between scenario.c and scenario_error.c: the keys of a scenario file, and
 * errors that tell file, line and what was expected.
 */
#ifndef SPEC_SCENARIO_H
#define SPEC_SCENARIO_H

#include "spec/plan.h"

#include <cyaml/cyaml.h>
#include <stdarg.h>

/* The keys of a direction, and of a stage in its list. */
#define WAY_KEYS(X)                                                            \
	X(DELAY, "delay")                                                      \
	X(JITTER, "jitter")                                                    \
	X(DISTRIBUTION, "distribution")                                        \
	X(LOSS, "loss")                                                        \
	X(ECN, "ecn")                                                          \
	X(REORDER, "reorder")                                                  \
	X(DUPLICATE, "duplicate")                                              \
	X(CORRUPT, "corrupt")                                                  \
	X(POLICER, "policer")                                                  \
	X(RATE, "rate")                                                        \
	X(RATE_STEPS, "rate-steps")                                            \
	X(RATE_TRACE, "rate-trace")                                            \
	X(OVERHEAD, "overhead")                                                \
	X(QUEUE, "queue")                                                      \
	X(AQM, "aqm")

/* The keys of the whole path. */
#define PATH_KEYS(X)                                                           \
	X(RTT, "rtt")                                                          \
	X(MTU, "mtu")                                                          \
	X(IPV6, "ipv6")                                                        \
	X(LOSS_UNIT, "loss-unit")                                              \
	X(SEED, "seed")

#define AS_ENUM(id, name) KEY_##id,
#define AS_NAME(id, name) name,
enum way_key { WAY_KEYS(AS_ENUM) WAY_KEY_COUNT };
enum path_key { PATH_KEYS(AS_ENUM) PATH_KEY_COUNT };

/* Their names, NULL-ended, with the keys that are no texts ("stages"; "forward"
 * and "back") after them. */
extern const char *const spec__way_keys[];
extern const char *const spec__path_keys[];

/* A place as the schema knows it. */
struct place {
	const char *way; /* "forward", "back"; NULL: top level */
	uint32_t stage;  /* number in its list, from 1; 0: not in a list */
	const char *key;
};

/* Puts "file:line: forward.stages[2].loss" before an error. Returns -EINVAL. */
int spec__scenario_fail_at(const struct spec_file *file,
			   const struct place *place, struct fp_error *error);

/* Its first message and the place of the first frame of its backtrace. */
struct complaint {
	char what[160];
	char path[96]; /* "forward.stages", outermost first */
	uint32_t line; /* 0: not known */
};

/* libcyaml's log function; context is a struct complaint. */
void spec__scenario_log(cyaml_log_t level, void *context, const char *format,
			va_list args) __attribute__((format(printf, 3, 0)));

/* Turns a complaint into one sentence. Returns -EINVAL. */
int spec__scenario_report(const struct spec_file *file,
			  const struct complaint *complaint, cyaml_err_t status,
			  struct fp_error *error);

#endif
