/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef TESTS_UNIT_SIM_BBR_DRIVER_H
#define TESTS_UNIT_SIM_BBR_DRIVER_H

/*
 * One flow over one simulated path, and what its algorithm did at each ACK.
 *
 * A path is: what loses packets, if anything, then a link of rate_bps (steps of
 * it, if any) with a queue of queue_pkts, then half the RTT; back the other
 * half on a fast link. Packets are 1514 bytes of the wire with 1448 of payload,
 * so a link of rate_bps carries rate_bps x 1448 / 1514 of payload.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fullpipe/sim.h"

#define MS         UINT64_C(1000000) /* in ns */
#define S          UINT64_C(1000000000)
#define MBIT       UINT64_C(1000000)
#define WIRE_BYTES 1514u
#define MSS_BYTES  1448u

/* The flow at one ACK, or at a change of state of its algorithm. */
struct look {
	uint64_t time_ns;
	enum fp_sim_event_kind kind; /* ACK, CC_STATE, LOST, SENT, UNDO */
	const char *state, *ca_state;
	uint32_t cwnd_pkts, inflight_pkts, pkts, rtt_us;
	uint64_t seq_pkts;
	uint64_t pacing_bytes_per_s;
	struct fp_cc_ack sample;
	struct fp_cc_model model;
};

struct trial {
	uint64_t rate_bps, rtt_ns, duration_ns;
	uint32_t queue_pkts;
	const struct fp_rate_step *steps;
	uint32_t step_count;
	struct fp_stage_config before[2]; /* ahead of the link */
	uint32_t before_count;
	struct fp_stage_config after; /* between the link and the delay */
	bool has_after;
	const uint32_t *ack_slots_ms; /* ACKs come in these slots of a period */
	uint32_t ack_slot_count;
	struct fp_sim_flow flow;
	struct fp_sim_tcp tcp;
	uint64_t seed;
	uint64_t warmup_ns; /* left out of the result's goodput */
	bool is_unseen;     /* no looks are kept, only the result */
	/* seen */
	struct look *looks;
	size_t count, room;
	struct fp_sim_result result;
};

/* A bulk flow for 20 s; fields may be changed before trial_run(). */
static inline void trial_init(struct trial *trial, const char *algorithm,
			      uint64_t rate_bps, uint64_t rtt_ns,
			      uint32_t queue_pkts)
{
	const char *wrong;

	memset(trial, 0, sizeof(*trial));
	trial->rate_bps = rate_bps;
	trial->rtt_ns = rtt_ns;
	trial->queue_pkts = queue_pkts;
	trial->seed = 1;
	trial->duration_ns = 20 * S;
	trial->flow.source.kind = FP_SIM_BULK;
	trial->flow.starts_open = true;
	trial->tcp.rmem_max_bytes = UINT64_C(1) << 30;
	trial->tcp.wmem_max_bytes = UINT64_C(1) << 30;
	wrong = fp_cc_parse(algorithm, &trial->flow.cc);
	if (wrong)
		fail_msg("%s: %s", algorithm, wrong);
}

/* The BDP of the link, in packets. */
static inline double trial_bdp_pkts(const struct trial *trial)
{
	return (double)trial->rate_bps / 8 / WIRE_BYTES *
	       ((double)trial->rtt_ns / 1e9);
}

/* Payload that the link carries at most. */
static inline double payload_bps(uint64_t rate_bps)
{
	return (double)rate_bps * MSS_BYTES / WIRE_BYTES;
}

static inline void trial_take(void *context, const struct fp_sim_event *event)
{
	struct trial *trial = context;
	struct look *look;

	if (event->kind != FP_SIM_EVENT_ACK &&
	    event->kind != FP_SIM_EVENT_CC_STATE &&
	    event->kind != FP_SIM_EVENT_LOST &&
	    event->kind != FP_SIM_EVENT_SENT &&
	    event->kind != FP_SIM_EVENT_UNDO)
		return;
	if (trial->count == trial->room) {
		trial->room = trial->room ? 2 * trial->room : 65536;
		trial->looks =
		    realloc(trial->looks, trial->room * sizeof(*trial->looks));
		assert_non_null(trial->looks);
	}
	look = &trial->looks[trial->count++];
	*look = (struct look){
		.time_ns = event->time_ns,
		.kind = event->kind,
		.state = event->cc_state ? event->cc_state : "",
		.ca_state = event->ca_state ? event->ca_state : "",
		.cwnd_pkts = event->cwnd_pkts,
		.inflight_pkts = event->inflight_pkts,
		.pkts = event->pkts,
		.rtt_us = event->rtt_us,
		.seq_pkts = event->seq_pkts,
		.pacing_bytes_per_s = event->pacing_rate_bytes_per_s,
		.sample = event->sample,
		.model = event->model,
	};
}

static inline void trial_lay(const struct trial *trial,
			     struct fp_path_config *forward)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < trial->before_count; i++)
		forward->stages[n++] = trial->before[i];
	forward->stages[n].kind = FP_STAGE_LINK;
	forward->stages[n].link.rate.kind =
	    trial->step_count ? FP_RATE_STEPS : FP_RATE_CONSTANT;
	forward->stages[n].link.rate.rate_bps = trial->rate_bps;
	forward->stages[n].link.rate.steps = trial->steps;
	forward->stages[n].link.rate.step_count = trial->step_count;
	forward->stages[n++].link.queue.limit_pkts = trial->queue_pkts;
	if (trial->has_after)
		forward->stages[n++] = trial->after;
	forward->stages[n].kind = FP_STAGE_DELAY;
	forward->stages[n++].delay.delay_ns = trial->rtt_ns / 2;
	forward->stage_count = n;
}

static inline void trial_lay_back(const struct trial *trial,
				  struct fp_path_config *back)
{
	struct fp_rate_config *rate = &back->stages[0].link.rate;

	back->stages[0].kind = FP_STAGE_LINK;
	rate->kind = FP_RATE_CONSTANT;
	rate->rate_bps = 10000 * MBIT;
	if (trial->ack_slot_count) {
		rate->kind = FP_RATE_TRACE;
		rate->trace_ms = trial->ack_slots_ms;
		rate->trace_count = trial->ack_slot_count;
	}
	back->stages[0].link.queue.limit_pkts = 100000;
	back->stages[1].kind = FP_STAGE_DELAY;
	back->stages[1].delay.delay_ns = trial->rtt_ns / 2;
	back->stage_count = 2;
}

static inline void trial_run(struct trial *trial)
{
	struct fp_sim_config config = { 0 };
	const char *wrong;

	trial_lay(trial, &config.way[0]);
	trial_lay_back(trial, &config.way[1]);
	for (uint32_t i = 0; i < 2; i++) {
		config.way[i].seed = trial->seed;
		config.way[i].direction = i;
		config.way[i].l2_bytes = 14;
	}
	config.mtu_bytes = 1500;
	config.tcp = trial->tcp;
	config.flows = &trial->flow;
	config.flow_count = 1;
	config.duration_ns = trial->duration_ns;
	config.warmup_ns = trial->warmup_ns;
	if (!trial->is_unseen)
		config.watch.event = trial_take;
	config.watch.context = trial;
	wrong = fp_sim_check(&config);
	if (wrong)
		fail_msg("scenario: %s", wrong);
	assert_int_equal(fp_sim_run(&config, &trial->result), 0);
}

static inline void trial_fini(struct trial *trial)
{
	fp_sim_result_fini(&trial->result);
	free(trial->looks);
}

/* --- What is looked for ----------------------------------------------------
 */

#define NOT_FOUND SIZE_MAX

/* The first look after "from" in which the algorithm has just come to a state;
 * NULL stands for any. */
static inline size_t find_state(const struct trial *trial, size_t from,
				const char *state)
{
	for (size_t i = from + 1; i < trial->count; i++) {
		const struct look *look = &trial->looks[i];

		if (look->kind == FP_SIM_EVENT_CC_STATE &&
		    (!state || strcmp(look->state, state) == 0))
			return i;
	}
	return NOT_FOUND;
}

/* Likewise, but it must come; says which did not. */
static inline size_t must_find(const struct trial *trial, size_t from,
			       const char *state)
{
	size_t at = find_state(trial, from, state);

	if (at == NOT_FOUND)
		fail_msg("no %s after %.3f s", state,
			 (double)trial->looks[from].time_ns / 1e9);
	return at;
}

/* The first look at or after a time. */
static inline size_t look_at(const struct trial *trial, uint64_t time_ns)
{
	size_t i = 0;

	while (i < trial->count && trial->looks[i].time_ns < time_ns)
		i++;
	return i;
}

static inline void assert_state_is(const struct trial *trial, size_t at,
				   const char *state)
{
	if (strcmp(trial->looks[at].state, state) != 0)
		fail_msg("%s at %.3f s, not %s", trial->looks[at].state,
			 (double)trial->looks[at].time_ns / 1e9, state);
}

/* Packet-timed rounds that end after look "from" and not after "to", with a
 * round that begins at "from", as the algorithm counts them. */
static inline uint32_t count_rounds(const struct trial *trial, size_t from,
				    size_t to)
{
	uint32_t next = 0, rounds = 0;
	bool has_next = false;

	for (size_t i = from; i <= to && i < trial->count; i++) {
		const struct look *look = &trial->looks[i];
		uint32_t delivered;

		if (look->kind != FP_SIM_EVENT_ACK ||
		    look->sample.delivered_pkts < 0 ||
		    look->sample.interval_us <= 0)
			continue;
		delivered = look->sample.prior_delivered_pkts +
			    (uint32_t)look->sample.delivered_pkts;
		if (!has_next) {
			next = delivered;
			has_next = true;
			continue;
		}
		if ((int32_t)(look->sample.prior_delivered_pkts - next) < 0)
			continue;
		next = delivered;
		rounds++;
	}
	return rounds;
}

/* What arrived between two looks, in bits a second of payload. */
static inline double delivered_bps(const struct trial *trial, size_t from,
				   size_t to)
{
	uint64_t pkts = 0;

	for (size_t i = from + 1; i <= to && i < trial->count; i++)
		if (trial->looks[i].kind == FP_SIM_EVENT_ACK)
			pkts += trial->looks[i].sample.acked_sacked_pkts;
	return (double)pkts * MSS_BYTES * 8 /
	       ((double)(trial->looks[to].time_ns -
			 trial->looks[from].time_ns) /
		1e9);
}

static inline double ms_between(const struct trial *trial, size_t from,
				size_t to)
{
	return ((double)trial->looks[to].time_ns -
		(double)trial->looks[from].time_ns) /
	       1e6;
}

#endif
