// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "replay_internal.h"

#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SOCKETS_MAX    64
#define DRAWS          7 /* of BBR: get_random_u32_below(7) */
#define STATE_RECOVERY 3
#define STATE_LOSS     4
#define MIN_TSO_SEGS   2 /* net.ipv4.tcp_min_tso_segs; neither asks for it */

struct replayed {
	uint32_t local_port;
	uint32_t ca_state; /* as set_state() told it last */
	bool is_over;      /* at a gap of the log */
	struct fp_cc cc;
};

struct replay {
	struct oracle_log log;
	struct oracle_result *result;
	const struct mapping *mapping;
	struct fp_cc_config config;
	struct replayed sockets[SOCKETS_MAX];
};

static const char *const op_names[ORACLE_OPS] = {
	[ORACLE_INIT] = "init",
	[ORACLE_SSTHRESH] = "ssthresh",
	[ORACLE_CONG_AVOID] = "cong_avoid",
	[ORACLE_SET_STATE] = "set_state",
	[ORACLE_CWND_EVENT] = "cwnd_event",
	[ORACLE_PKTS_ACKED] = "pkts_acked",
	[ORACLE_CONG_CONTROL] = "cong_control",
	[ORACLE_UNDO_CWND] = "undo_cwnd",
};

static const char *const sight_names[ORACLE_SIGHTS] = {
	[ORACLE_SAW_RECOVERY] = "recovery",
	[ORACLE_SAW_TIMEOUT] = "timeout",
	[ORACLE_SAW_UNDO] = "undo",
	[ORACLE_SAW_RESTART] = "restart",
	[ORACLE_SAW_AVOIDANCE] = "avoidance",
	[ORACLE_SAW_HYSTART_TRAIN] = "hystart_train",
	[ORACLE_SAW_HYSTART_DELAY] = "hystart_delay",
	[ORACLE_SAW_EPOCH] = "epoch",
	[ORACLE_SAW_CONVEX] = "convex",
	[ORACLE_SAW_FRIENDLY] = "friendly",
	[ORACLE_SAW_CONVERGENCE] = "convergence",
	[ORACLE_SAW_DRAIN] = "drain",
	[ORACLE_SAW_PROBE_BW] = "probe_bw",
	[ORACLE_SAW_CYCLE] = "cycle",
	[ORACLE_SAW_PROBE_RTT] = "probe_rtt",
	[ORACLE_SAW_PROBE_RTT_IDLE] = "probe_rtt_idle",
	[ORACLE_SAW_PROBE_RTT_END] = "probe_rtt_end",
	[ORACLE_SAW_CONSERVATION] = "conservation",
	[ORACLE_SAW_POLICER] = "policer",
	[ORACLE_SAW_POLICER_END] = "policer_end",
	[ORACLE_SAW_AGGREGATION] = "aggregation",
};

const char *oracle_op_name(uint32_t op)
{
	return op < ORACLE_OPS ? op_names[op] : "?";
}

const char *oracle_sight_name(uint32_t sight)
{
	return sight < ORACLE_SIGHTS ? sight_names[sight] : NULL;
}

uint64_t oracle_join(const uint32_t words[2])
{
	return (uint64_t)words[1] << 32 | words[0];
}

void comparison_add(struct comparison *comparison, const char *field,
		    uint64_t kernel, uint64_t core)
{
	comparison->fields++;
	if (kernel == core || comparison->is_unequal)
		return;
	comparison->is_unequal = true;
	snprintf(comparison->text, sizeof(comparison->text),
		 "%s: kernel %llu, core %llu", field,
		 (unsigned long long)kernel, (unsigned long long)core);
}

static uint32_t inflight_pkts(const struct oracle_record *record)
{
	return record->packets_out_pkts - record->sacked_out_pkts -
	       record->lost_out_pkts + record->retrans_out_pkts;
}

static void fill_conn(const struct replay *replay,
		      const struct oracle_record *record,
		      struct fp_cc_conn *ret_conn)
{
	*ret_conn = (struct fp_cc_conn){
		.now_ns = oracle_join(record->now_ns),
		.delivered_ns = oracle_join(record->delivered_us) * 1000,
		.edt_ns = oracle_join(record->edt_ns),
		.snd_una_pkts = record->snd_una, /* of bytes: only compared */
		.snd_nxt_pkts = record->snd_nxt,
		.inflight_pkts = inflight_pkts(record),
		.packets_out_pkts = record->packets_out_pkts,
		.max_packets_out_pkts = record->max_packets_out_pkts,
		.delivered_pkts = record->delivered_pkts,
		.delivered_ce_pkts = record->delivered_ce_pkts,
		.lost_pkts = record->lost_pkts,
		.prior_cwnd_pkts = record->prior_cwnd_pkts,
		.cwnd_clamp_pkts = record->cwnd_clamp_pkts,
		.app_limited_pkts = record->before.app_limited_pkts,
		.mss_bytes = record->mss_bytes,
		.srtt_us = record->srtt_us_x8 >> 3,
		.min_rtt_us = record->min_rtt_us,
		.gso_max_bytes = record->gso_max_bytes,
		.now_ticks = record->before.jiffies,
		.last_sent_ticks = record->last_sent_jiffies,
		.clock_hz = (uint16_t)replay->log.clock_hz,
		.pacing_shift = (uint8_t)record->pacing_shift,
		.min_tso_pkts = MIN_TSO_SEGS,
		.ca_state = (enum fp_ca_state)record->ca_state,
		.is_cwnd_limited = record->is_cwnd_limited,
		.is_paced = record->pacing_status != 0,
		.has_sack = true,
		.max_pacing_rate_bytes_per_s =
		    oracle_join(record->max_pacing_rate_bytes_per_s),
		.pacing_rate_bytes_per_s =
		    oracle_join(record->before.pacing_rate_bytes_per_s),
	};
}

static void fill_control(const struct oracle_record *record,
			 struct fp_cc_control *ret_control)
{
	*ret_control = (struct fp_cc_control){
		.cwnd_pkts = record->before.cwnd_pkts,
		.ssthresh_pkts = record->before.ssthresh_pkts,
		.pacing_rate_bytes_per_s =
		    oracle_join(record->before.pacing_rate_bytes_per_s),
	};
}

static void fill_ack(const struct oracle_record *record,
		     struct fp_cc_ack *ret_ack)
{
	*ret_ack = (struct fp_cc_ack){
		.now_ns = oracle_join(record->now_ns),
		.delivered_pkts = (int32_t)record->sample_delivered_pkts,
		.interval_us = (int32_t)record->interval_us,
		.prior_delivered_pkts = record->prior_delivered_pkts,
		.prior_ns = oracle_join(record->prior_us) * 1000,
		.acked_sacked_pkts = record->acked_sacked_pkts,
		.acked_pkts = record->acked_sacked_pkts,
		.newly_lost_pkts = record->losses_pkts,
		.prior_inflight_pkts = record->prior_inflight_pkts,
		.rtt_us = (int32_t)record->rtt_us,
		.is_app_limited = record->is_app_limited,
		.is_retrans = record->is_retrans,
		.is_ack_delayed = record->is_ack_delayed,
	};
	if (record->op != ORACLE_CONG_AVOID)
		return;
	/* cong_avoid() is told only how many were delivered */
	ret_ack->delivered_pkts = -1;
	ret_ack->interval_us = -1;
	ret_ack->rtt_us = -1;
	ret_ack->acked_sacked_pkts = record->acked_pkts;
	ret_ack->acked_pkts = record->acked_pkts;
}

/* The kernel's events have the core's numbers as far as the core has them. */
static void tell_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		       uint32_t event, struct fp_cc_control *control)
{
	switch (event) {
	case ORACLE_EVENT_TX_START:
		fp_cc_on_event(cc, conn, FP_CC_TX_START, control);
		break;
	case ORACLE_EVENT_CWND_RESTART:
		fp_cc_on_event(cc, conn, FP_CC_CWND_RESTART, control);
		break;
	case ORACLE_EVENT_COMPLETE_CWR:
		fp_cc_on_event(cc, conn, FP_CC_COMPLETE_CWR, control);
		break;
	case ORACLE_EVENT_LOSS:
		fp_cc_on_event(cc, conn, FP_CC_LOSS, control);
		break;
	default:
		break;
	}
}

/* Has the core do what the kernel did. */
static void tell_core(const struct replay *replay, struct fp_cc *cc,
		      const struct oracle_record *record,
		      const struct fp_cc_conn *conn,
		      struct fp_cc_control *control)
{
	struct fp_cc_ack ack;

	switch ((enum oracle_op)record->op) {
	case ORACLE_INIT:
		fp_cc_init(cc, &replay->config, conn, control);
		if (replay->mapping->keep_at_init)
			replay->mapping->keep_at_init(cc, &record->before);
		break;
	case ORACLE_SSTHRESH:
		fp_cc_on_congestion(cc, conn, control);
		break;
	case ORACLE_CONG_AVOID:
	case ORACLE_CONG_CONTROL:
		fill_ack(record, &ack);
		fp_cc_on_ack(cc, conn, &ack, control);
		break;
	case ORACLE_SET_STATE:
		fp_cc_on_state(cc, conn, (enum fp_ca_state)record->value,
			       control);
		break;
	case ORACLE_CWND_EVENT:
		tell_event(cc, conn, record->value, control);
		break;
	case ORACLE_PKTS_ACKED:
		if ((int32_t)record->rtt_us >= 0)
			fp_cc_on_rtt(cc, conn, record->rtt_us, control);
		break;
	case ORACLE_UNDO_CWND:
		fp_cc_on_undo(cc, conn, control);
		break;
	case ORACLE_OPS:
		break;
	}
}

/* What the core decided against what the kernel did. ssthresh() and undo_cwnd()
 * return their answer, and TCP applies it. */
static void compare_control(const struct replay *replay,
			    const struct oracle_record *record,
			    const struct fp_cc_control *control,
			    struct comparison *comparison)
{
	const struct oracle_state *after = &record->after;
	bool is_answer = record->op == ORACLE_UNDO_CWND;
	uint32_t mark = record->delivered_pkts + inflight_pkts(record);
	uint64_t rate = oracle_join(after->pacing_rate_bytes_per_s);

	comparison_add(comparison, "cwnd",
		       is_answer ? record->result : after->cwnd_pkts,
		       control->cwnd_pkts);
	is_answer = record->op == ORACLE_SSTHRESH;
	comparison_add(comparison, "ssthresh",
		       is_answer ? record->result : after->ssthresh_pkts,
		       control->ssthresh_pkts);
	if (!control->marks_app_limited)
		mark = record->before.app_limited_pkts;
	else if (!mark)
		mark = 1;
	comparison_add(comparison, "app_limited", after->app_limited_pkts,
		       mark);
	if (!replay->mapping->sets_pacing_rate)
		return;
	/* the least rate that the core sets is 1, as src/cc/bbr.c says */
	if (!rate && control->pacing_rate_bytes_per_s)
		rate = 1;
	comparison_add(comparison, "pacing_rate", rate,
		       control->pacing_rate_bytes_per_s);
	if (record->op == ORACLE_CONG_CONTROL)
		comparison_add(comparison, "min_tso_segs", record->min_tso_pkts,
			       control->min_tso_pkts);
}

/* What the log does not tell of a call. */
struct guess {
	uint32_t ticks; /* jiffies as the kernel's function saw them */
	uint32_t draw;  /* 0 ... 6: the kernel's random number below 7 */
};

/* Calls the core once, from the state of was. */
static void try_call(const struct replay *replay,
		     const struct oracle_record *record,
		     const struct guess *guess, struct fp_cc *cc,
		     struct comparison *ret_comparison)
{
	struct fp_cc_control control;
	struct fp_cc_conn conn;

	memset(ret_comparison, 0, sizeof(*ret_comparison));
	fill_conn(replay, record, &conn);
	conn.now_ticks = guess->ticks;
	/* the core's draw is (random x 7) >> 32 */
	conn.random = (uint32_t)(((uint64_t)guess->draw << 32) / DRAWS + 1);
	fill_control(record, &control);
	tell_core(replay, cc, record, &conn, &control);
	compare_control(replay, record, &control, ret_comparison);
	replay->mapping->compare(cc, record, &record->after, ret_comparison);
}

/* Calls the core with what the kernel may have seen: a tick may have come
 * between the note before and the call, and any number may have been drawn. Of
 * these that leave a difference, the first is told. */
static void call_core(const struct replay *replay,
		      const struct oracle_record *record, struct fp_cc *cc,
		      struct comparison *ret_comparison)
{
	const struct fp_cc was = *cc;
	struct comparison other;
	struct guess guess;
	bool is_first = true;

	for (guess.draw = 0; guess.draw < DRAWS; guess.draw++)
		for (guess.ticks = record->before.jiffies;
		     guess.ticks != record->after.jiffies + 1; guess.ticks++) {
			*cc = was;
			try_call(replay, record, &guess, cc,
				 is_first ? ret_comparison : &other);
			if (!is_first && !other.is_unequal)
				*ret_comparison = other;
			is_first = false;
			if (!ret_comparison->is_unequal)
				return;
		}
}

/* Notes the first difference. */
static void note_unequal(struct replay *replay,
			 const struct oracle_record *record,
			 const struct comparison *comparison, const char *when)
{
	struct oracle_result *result = replay->result;

	if (!result->unequal++)
		snprintf(result->first, sizeof(result->first),
			 "record %llu, %s %s%s: %.120s",
			 (unsigned long long)result->records, when,
			 oracle_op_name(record->op),
			 record->is_disturbed ? " (disturbed)" : "",
			 comparison->text);
}

static uint32_t see(const struct mapping *mapping,
		    const struct oracle_record *record)
{
	uint32_t sights = mapping->see(record);

	if (record->op == ORACLE_UNDO_CWND)
		sights |= 1u << ORACLE_SAW_UNDO;
	if (record->op != ORACLE_SET_STATE)
		return sights;
	if (record->value == STATE_RECOVERY)
		sights |= 1u << ORACLE_SAW_RECOVERY;
	if (record->value == STATE_LOSS)
		sights |= 1u << ORACLE_SAW_TIMEOUT;
	return sights;
}

/* Whether the kernel left out a call before this one: the state of recovery
 * moved untold. On some hosts an interrupt in the wrong place runs no BPF
 * programs; the kernel then takes a threshold or window from nowhere. What
 * follows is no transfer any more. */
static bool is_after_gap(struct replayed *socket,
			 const struct oracle_record *record)
{
	bool is_gap = record->ca_state != socket->ca_state;

	if (record->op == ORACLE_SET_STATE)
		socket->ca_state = record->value;
	return is_gap;
}

/* One call of the transfer. After a difference the core goes on from the
 * kernel's state: one mistake is one difference. */
static void replay_real(struct replay *replay, struct fp_cc *cc,
			const struct oracle_record *record)
{
	struct comparison before = { 0 };
	struct comparison after;

	replay->mapping->compare(cc, record, &record->before, &before);
	if (before.is_unequal) {
		note_unequal(replay, record, &before, "before");
		replay->mapping->import(cc, &record->before);
	}
	call_core(replay, record, cc, &after);
	if (after.is_unequal) {
		note_unequal(replay, record, &after, "after");
		replay->mapping->import(cc, &record->after);
	}
	replay->result->fields += before.fields + after.fields;
	replay->result->ops[record->op]++;
	replay->result->sights |= see(replay->mapping, record);
}

/* One call on a state of its own. */
static void replay_disturbed(struct replay *replay, const struct fp_cc *cc,
			     const struct oracle_record *record)
{
	struct fp_cc other = *cc;
	struct comparison after;

	replay->mapping->import(&other, &record->before);
	call_core(replay, record, &other, &after);
	if (after.is_unequal)
		note_unequal(replay, record, &after, "after");
	replay->result->fields += after.fields;
	replay->result->disturbed++;
}

/* The socket of a record; one that is new starts with the kernel's state.
 * NULL: there are too many. */
static struct replayed *find_socket(struct replay *replay,
				    const struct oracle_record *record)
{
	struct oracle_result *result = replay->result;
	struct fp_cc_control control;
	struct replayed *socket;
	struct fp_cc_conn conn;
	uint32_t i;

	for (i = 0; i < result->sockets; i++)
		if (replay->sockets[i].local_port == record->local_port)
			return &replay->sockets[i];
	if (result->sockets == SOCKETS_MAX)
		return NULL;
	socket = &replay->sockets[result->sockets++];
	socket->local_port = record->local_port;
	socket->ca_state = record->ca_state;
	fill_conn(replay, record, &conn);
	fill_control(record, &control);
	fp_cc_init(&socket->cc, &replay->config, &conn, &control);
	replay->mapping->import(&socket->cc, &record->before);
	return socket;
}

static void replay_record(struct replay *replay, struct replayed *socket,
			  const struct oracle_record *record)
{
	if (!record->is_disturbed && !socket->is_over &&
	    is_after_gap(socket, record)) {
		socket->is_over = true;
		replay->result->gaps++;
	}
	if (socket->is_over)
		return;
	replay->result->records++;
	if (record->is_disturbed)
		replay_disturbed(replay, &socket->cc, record);
	else
		replay_real(replay, &socket->cc, record);
}

/* Returns 0 or -EINVAL. */
static int start(struct replay *replay, const struct oracle_record *record)
{
	static const struct mapping *const mappings[ORACLE_ALGORITHMS] = {
		[ORACLE_RENO] = &mapping_reno,
		[ORACLE_CUBIC] = &mapping_cubic,
		[ORACLE_BBR] = &mapping_bbr,
	};

	if (record->algorithm >= ORACLE_ALGORITHMS)
		return -EINVAL;
	replay->mapping = mappings[record->algorithm];
	snprintf(replay->result->algorithm, sizeof(replay->result->algorithm),
		 "%s", replay->mapping->name);
	return fp_cc_parse(replay->mapping->name, &replay->config) ? -EINVAL
								   : 0;
}

static int replay_all(struct replay *replay)
{
	struct oracle_record record;
	struct replayed *socket;
	int more;

	while ((more = oracle_log_read(&replay->log, &record)) > 0) {
		if (!replay->mapping && start(replay, &record))
			return -EINVAL;
		socket = find_socket(replay, &record);
		if (!socket || record.op >= ORACLE_OPS)
			return -EINVAL;
		replay_record(replay, socket, &record);
	}
	return more;
}

int oracle_replay(const char *path, struct oracle_result *ret_result)
{
	struct replay replay = { .result = ret_result };
	int status = oracle_log_open(&replay.log, path);
	int closed;

	memset(ret_result, 0, sizeof(*ret_result));
	if (status)
		return status;
	snprintf(ret_result->release, sizeof(ret_result->release), "%s",
		 replay.log.release);
	status = replay_all(&replay);
	closed = oracle_log_close(&replay.log);
	return status ? status : closed;
}
