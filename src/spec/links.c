/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "spec/resolve.h"
#include "sys/error.h"

#include <errno.h>
#include <string.h>

/* mahimahi's MTU of the Ethernet frame: what one slot of a trace carries. */
#define TRACE_SLOT_BYTES       1504
/* A queue that was not said holds at least a first flight (RFC 6928). */
#define DEFAULT_QUEUE_MIN_PKTS 10
/* A queue in BDP holds at least two packets. */
#define BDP_QUEUE_MIN_PKTS     2
#define NS_BITS_PER_BYTE_S     UINT64_C(8000000000)

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	if (value < least)
		return least;
	return value > most ? most : value;
}

/* a x b / c, rounded down, without overflow in between; c below 2^63. */
static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t quotient = 0;
	uint64_t rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		quotient <<= 1;
		rest <<= 1;
		if (b >> bit & 1) {
			quotient += a / c;
			rest += a % c;
		}
		quotient += rest / c;
		rest %= c;
	}
	return quotient;
}

uint64_t spec__bdp_bytes(uint64_t rate_bps, uint64_t ns)
{
	return mul_div(rate_bps, ns, NS_BITS_PER_BYTE_S);
}

static uint64_t packet_bytes(const struct resolver *resolver)
{
	return resolver->path->mtu_bytes + SPEC_L2_BYTES;
}

/* The rate that a link has first; of a trace, its mean. 0: stands still. */
uint64_t spec__first_rate_bps(const struct fp_rate_config *rate)
{
	uint32_t period_ms;

	switch (rate->kind) {
	case FP_RATE_UNLIMITED:
		return 0;
	case FP_RATE_CONSTANT:
		return rate->rate_bps;
	case FP_RATE_STEPS:
		return rate->steps[0].at_ns > 0 ? rate->rate_bps
						: rate->steps[0].rate_bps;
	case FP_RATE_TRACE:
		period_ms = rate->trace_ms[rate->trace_count - 1];
		return rate->trace_count * UINT64_C(8000) * TRACE_SLOT_BYTES /
		       period_ms;
	}
	return 0;
}

/* What a queue in BDP is measured by: a link that begins standing still counts
 * with the first rate that it gets. */
static uint64_t bdp_rate_bps(const struct fp_rate_config *rate)
{
	uint64_t rate_bps = spec__first_rate_bps(rate);

	for (uint32_t i = 0; rate_bps == 0 && i < rate->step_count; i++)
		rate_bps = rate->steps[i].rate_bps;
	return rate_bps;
}

static int set_bdp_limit(const struct resolver *resolver,
			 const struct fp_link_config *link, uint64_t factor_ppm,
			 uint64_t *ret_limit_bytes)
{
	uint64_t rate_bps = bdp_rate_bps(&link->rate);
	uint64_t rtt_ns = resolver->path->rtt_ns;
	uint64_t least_bytes = BDP_QUEUE_MIN_PKTS * packet_bytes(resolver);
	uint64_t bytes;

	if (rate_bps == 0 || rtt_ns == 0)
		return fp_error_set(resolver->error, FP_EXIT_USAGE,
				    "queue: a queue in BDP needs a rate and an "
				    "RTT above 0 (say it in packets, bytes or "
				    "time)");
	bytes =
	    mul_div(spec__bdp_bytes(rate_bps, rtt_ns), factor_ppm, FP_PPM_ONE);
	*ret_limit_bytes = between(least_bytes, bytes, SPEC_QUEUE_MAX_BYTES);
	return 0;
}

static int set_said_limit(const struct resolver *resolver,
			  const struct spec_queue *queue,
			  struct fp_link_config *link)
{
	switch (queue->unit) {
	case SPEC_QUEUE_PKTS:
		link->queue.limit_pkts = (uint32_t)queue->amount;
		return 0;
	case SPEC_QUEUE_NS:
		link->queue.limit_ns = queue->amount;
		return 0;
	case SPEC_QUEUE_BDP:
		return set_bdp_limit(resolver, link, queue->amount,
				     &link->queue.limit_bytes);
	case SPEC_QUEUE_BYTES:
		break;
	}
	link->queue.limit_bytes = queue->amount;
	if (queue->amount < packet_bytes(resolver))
		return fp_error_set(resolver->error, FP_EXIT_USAGE,
				    "queue: less than one packet (MTU + %d "
				    "bytes of Ethernet header) could wait",
				    SPEC_L2_BYTES);
	return 0;
}

static void set_default_limit(const struct resolver *resolver, bool is_line,
			      struct fp_link_config *link)
{
	uint64_t least_bytes = DEFAULT_QUEUE_MIN_PKTS * packet_bytes(resolver);
	uint64_t bdp_bytes =
	    spec__bdp_bytes(bdp_rate_bps(&link->rate), resolver->path->rtt_ns);

	if (is_line)
		link->queue.limit_pkts = SPEC_NETEM_LIMIT_PKTS;
	else
		link->queue.limit_bytes =
		    between(least_bytes, bdp_bytes, SPEC_QUEUE_MAX_BYTES);
}

void *spec__copy_array(const struct resolver *resolver, const void *array,
		       size_t count, size_t bytes)
{
	void *copy = spec_arena_alloc(resolver->arena, count, bytes);

	if (copy)
		memcpy(copy, array, count * bytes);
	return copy;
}

static int set_rate(const struct resolver *resolver,
		    const struct spec_wish *wish, struct fp_rate_config *rate)
{
	*rate = wish->rate;
	rate->kind = FP_RATE_CONSTANT;
	if (!(wish->said & SAID_OVERHEAD))
		rate->overhead_bytes = 0;
	if (wish->said & SAID_TRACE) {
		rate->kind = FP_RATE_TRACE;
		rate->trace_ms = spec__copy_array(resolver, rate->trace_ms,
						  rate->trace_count, 4);
	} else {
		rate->trace_ms = NULL;
		rate->trace_count = 0;
	}
	if (wish->said & SAID_STEPS) {
		rate->kind = FP_RATE_STEPS;
		rate->steps =
		    spec__copy_array(resolver, rate->steps, rate->step_count,
				     sizeof(rate->steps[0]));
	} else {
		rate->steps = NULL;
		rate->step_count = 0;
	}
	if ((rate->trace_count && !rate->trace_ms) ||
	    (rate->step_count && !rate->steps))
		return spec__no_memory(resolver->error);
	if (!(wish->said & SAID_RATE))
		rate->rate_bps = 0;
	return 0;
}

int spec__set_link(const struct resolver *resolver,
		   const struct spec_wish *wish, bool is_line,
		   struct fp_link_config *link)
{
	if (set_rate(resolver, wish, &link->rate) < 0)
		return -ENOMEM;
	if (wish->said & SAID_AQM)
		link->queue = wish->aqm;
	if (wish->marks_ecn && link->queue.qdisc != FP_QDISC_DROPTAIL)
		link->queue.marks_ecn = true;
	if (wish->said & SAID_QUEUE)
		return set_said_limit(resolver, &wish->queue, link);
	set_default_limit(resolver, is_line, link);
	return 0;
}

uint64_t spec__queue_limit_bytes(const struct resolver *resolver,
				 const struct fp_link_config *link)
{
	const struct fp_queue_config *queue = &link->queue;

	if (queue->limit_pkts)
		return queue->limit_pkts * packet_bytes(resolver);
	if (queue->limit_ns)
		return spec__bdp_bytes(spec__first_rate_bps(&link->rate),
				       queue->limit_ns);
	return queue->limit_bytes;
}
