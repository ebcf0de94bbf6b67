/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Delivery traces in mahimahi's format (mm-link(1)): each line is the
 * millisecond of one opportunity to send 1504 bytes, the last line is also the
 * period after which the trace repeats.
 *
 * As in mahimahi's link_queue.cc a packet may need several slots, several
 * packets may share one, and what a slot has left is lost when nothing waits. A
 * packet can use the slots after its arrival, not those of the very moment. A
 * packet leaves at the time of the slot that takes its last byte.
 *
 * Differs from mahimahi: a packet that comes to an idle link leaves the queue
 * at once, not with its first slot; so it does not count against the limit.
 */
#include "link/link_internal.h"

#define TRACE_SLOT_BYTES 1504
#define TRACE_NS_PER_MS  UINT64_C(1000000)

void trace__init(struct link_trace *trace, const struct fp_rate_config *config)
{
	trace->slots_ms = config->trace_ms;
	trace->count = config->trace_count;
	trace->at = 0;
	trace->cycle_ns = 0;
	trace->left_bytes = 0;
}

static uint64_t trace_slot_ns(const struct link_trace *trace, uint32_t slot)
{
	return trace->slots_ms[slot] * TRACE_NS_PER_MS;
}

/* Finds the first slot of a period later than offset_ns. There is one: the
 * last slot is at the period's end. */
static uint32_t trace_find(const struct link_trace *trace, uint64_t offset_ns)
{
	uint32_t low = 0, high = trace->count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (trace_slot_ns(trace, middle) > offset_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void trace__resume(struct link_trace *trace, uint64_t now_ns)
{
	uint64_t period_ns = trace_slot_ns(trace, trace->count - 1);

	trace->cycle_ns = now_ns / period_ns * period_ns;
	trace->at = trace_find(trace, now_ns % period_ns);
	trace->left_bytes = TRACE_SLOT_BYTES;
}

uint64_t trace__finish_ns(struct link_trace *trace, uint64_t bytes)
{
	while (bytes > trace->left_bytes) {
		bytes -= trace->left_bytes;
		trace->left_bytes = TRACE_SLOT_BYTES;
		if (++trace->at == trace->count) {
			trace->at = 0;
			trace->cycle_ns +=
			    trace_slot_ns(trace, trace->count - 1);
		}
	}
	trace->left_bytes -= bytes;
	return trace->cycle_ns + trace_slot_ns(trace, trace->at);
}

uint64_t trace__mean_bps(const struct link_trace *trace)
{
	return (uint64_t)trace->count * TRACE_SLOT_BYTES * 8 * 1000 /
	       trace->slots_ms[trace->count - 1];
}
