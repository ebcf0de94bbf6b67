/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The events of a simulation as JSON lines (schema fullpipe.trace/1): a first
 * line that says what follows, then one event a line,
 *
 *	{"time_us":…,"flow":…,"name":"recovery:packet_lost","data":{…}}
 *
 * Names and members are those of qlog (draft-ietf-quic-qlog-quic-events) where
 * it has them, in qlog's units: RTTs in milliseconds, windows in bytes, rates
 *in bits per second. docs/sim.md lists them all.
 */
#ifndef CMD_SIM_TRACE_H
#define CMD_SIM_TRACE_H

#include <jansson.h>

#include "base/error.h"
#include "fullpipe/sim.h"
#include "sys/newfile.h"

struct cmd_trace;

/* Starts a file that will be called path. head: the members of the first line
 * after its schema; the caller's. mss_bytes turns packets into bytes. Returns
 * NULL with error. */
struct cmd_trace *cmd_trace_open(const char *path, const json_t *head,
				 const struct fp_sim_config *config,
				 struct fp_error *error);

/* Writes an event; context is a struct cmd_trace. For fp_sim_watch.event. A
 * failure is kept for cmd_trace_publish(). */
void cmd_trace_event(void *context, const struct fp_sim_event *event);

/* Writes what is buffered and gives the file its name. Returns 0 or a negative
 * errno with error. */
int cmd_trace_publish(struct cmd_trace *trace, struct fp_error *error);

/* Drops what was not published. Accepts NULL. */
void cmd_trace_free(struct cmd_trace *trace);

#endif
