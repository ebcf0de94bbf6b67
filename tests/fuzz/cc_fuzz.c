/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input: an algorithm, a set of its switches, and events. Half of the inputs
 * run a small transport with the real sampler, so that events follow from each
 * other; the others are events of random bytes, which every function must take.
 *
 * Always: the window is at least 1 and at most the caller's clamp, the pacing
 * rate stays set once it is, and below its cap. Of the transport also: windows
 * of Reno and CUBIC grow by no more than what was acknowledged and shrink by
 * losses only, BBRv3's has a floor of 4, stamps are not in the future. A copy
 * of the state goes on as the state would.
 */
#include "fullpipe/cc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PKTS 256 /* the ring of the transport: a power of two */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

struct input {
	const uint8_t *at;
	size_t left;
};

static const char *const names[] = {
	"reno", "cubic:linux", "cubic:rfc9438", "cubic:hystart++",
	"bbr",  "bbr3",        "bbr3:draft",
};

enum pkt_state { PKT_OUT, PKT_SACKED, PKT_LOST };

struct world {
	struct input input;
	struct fp_cc cc[2]; /* one is in use */
	uint32_t used;      /* which */
	struct fp_cc_conn conn;
	struct fp_cc_control control;
	bool had_rate;
	/* the transport */
	struct fp_rate rate;
	struct fp_rate_pkt pkts[PKTS];
	enum pkt_state states[PKTS];
	uint32_t sacked, lost; /* of those that are out */
	uint32_t high_seq;     /* recovery ends there */
};

static void expect_that(bool holds, const char *what, int line)
{
	if (holds)
		return;
	(void)fprintf(stderr, "broken in line %d: %s\n", line, what);
	abort();
}

#define expect(what) expect_that(what, #what, __LINE__)

static uint32_t take(struct input *input, size_t bytes)
{
	uint32_t value = 0;

	while (bytes-- > 0 && input->left > 0) {
		value = value << 8 | *input->at++;
		input->left--;
	}
	return value;
}

static uint64_t take64(struct input *input)
{
	uint64_t high = take(input, 4);

	return high << 32 | take(input, 4);
}

/* Any of 2^(0 ... 31), so that small and huge ones are as likely. */
static uint32_t take_scaled(struct input *input)
{
	uint32_t value = take(input, 2) | 0x10000;

	return (uint32_t)((uint64_t)value << 15 >> (take(input, 1) & 31));
}

static struct fp_cc *cc_of(struct world *world)
{
	return &world->cc[world->used];
}

static enum fp_cc_kind kind_of(const struct world *world)
{
	return world->cc[world->used].config.kind;
}

static bool is_loss_based(const struct world *world)
{
	return kind_of(world) == FP_CC_RENO || kind_of(world) == FP_CC_CUBIC;
}

static uint32_t most_cwnd(const struct world *world)
{
	uint32_t most = world->conn.cwnd_clamp_pkts;

	if (most > FP_CC_CWND_MAX_PKTS)
		most = FP_CC_CWND_MAX_PKTS;
	return most ? most : 1;
}

/* What holds after every event. */
static void check(struct world *world)
{
	struct fp_cc_control *control = &world->control;
	struct fp_cc_model model;

	expect(control->cwnd_pkts >= 1);
	if (control->pacing_rate_bytes_per_s != 0)
		world->had_rate = true;
	expect(!world->had_rate || control->pacing_rate_bytes_per_s != 0);
	expect(fp_cc_state_name(cc_of(world), control)[0] != '\0');
	fp_cc_get_model(cc_of(world), &world->conn, &model);
	control->marks_app_limited = false;
}

/* Goes on with a copy: no state is elsewhere, no pointer leads into it. */
static void move(struct world *world)
{
	uint32_t other = 1 - world->used;

	memcpy(&world->cc[other], cc_of(world), sizeof(world->cc[0]));
	memset(cc_of(world), 0x5a, sizeof(world->cc[0]));
	world->used = other;
}

static void begin(struct world *world)
{
	struct fp_cc_config config;
	uint32_t number = take(&world->input, 1);

	expect(!fp_cc_parse(names[number % 7], &config));
	if (number & 0x80) {
		config.cubic.switches = take(&world->input, 4);
		config.bbr3.switches = config.cubic.switches;
	}
	world->control.cwnd_pkts = 1 + take(&world->input, 1) % 64;
	world->control.ssthresh_pkts = FP_CC_SSTHRESH_NONE;
	fp_cc_init(cc_of(world), &config, &world->conn, &world->control);
	check(world);
}

/* --- Events of random bytes ----------------------------------------------- */

static void random_conn(struct world *world)
{
	struct input *input = &world->input;
	struct fp_cc_conn *conn = &world->conn;
	uint32_t what = take(input, 2);
	uint32_t *const words[] = {
		&conn->snd_una_pkts,
		&conn->snd_nxt_pkts,
		&conn->inflight_pkts,
		&conn->packets_out_pkts,
		&conn->max_packets_out_pkts,
		&conn->delivered_pkts,
		&conn->delivered_ce_pkts,
		&conn->lost_pkts,
		&conn->prior_cwnd_pkts,
		&conn->cwnd_clamp_pkts,
		&conn->app_limited_pkts,
		&conn->mss_bytes,
		&conn->srtt_us,
		&conn->min_rtt_us,
		&conn->gso_max_bytes,
		&conn->now_ticks,
	};

	for (uint32_t i = 0; i < 16; i++)
		if (what >> i & 1)
			*words[i] = take_scaled(input) - 1;
	conn->now_ns = take64(input);
	conn->delivered_ns = conn->now_ns - take(input, 4);
	conn->edt_ns = conn->now_ns + take(input, 4);
	conn->random = take(input, 4);
	conn->last_sent_ticks = conn->now_ticks - take(input, 2);
	conn->clock_hz = (uint16_t)take(input, 2);
	conn->pacing_shift = (uint8_t)take(input, 1);
	conn->min_tso_pkts = (uint8_t)take(input, 1);
	conn->ca_state = (enum fp_ca_state)(take(input, 1) % 5);
	what = take(input, 1);
	conn->is_cwnd_limited = what & 1;
	conn->is_paced = what & 2;
	conn->has_sack = what & 4;
	conn->max_pacing_rate_bytes_per_s =
	    what & 8 ? UINT64_MAX : take64(input);
	conn->pacing_rate_bytes_per_s = what & 16 ? 0 : take64(input);
	if (what & 32)
		world->control.cwnd_pkts = take_scaled(input);
	if (what & 64)
		world->control.ssthresh_pkts = take_scaled(input);
}

static void random_ack(struct world *world)
{
	struct input *input = &world->input;
	uint32_t what = take(input, 1);
	uint32_t before = world->control.cwnd_pkts;
	struct fp_cc_ack ack = {
		.now_ns = world->conn.now_ns,
		.delivered_pkts = (int32_t)take_scaled(input),
		.interval_us = (int32_t)take_scaled(input),
		.prior_delivered_pkts = take(input, 4),
		.prior_ns = world->conn.now_ns - take(input, 4),
		.delivered_ce_pkts = (int32_t)take(input, 4),
		.acked_sacked_pkts = take_scaled(input),
		.acked_pkts = take_scaled(input),
		.newly_lost_pkts = take_scaled(input),
		.prior_inflight_pkts = take_scaled(input),
		.tx_in_flight_pkts = take_scaled(input),
		.lost_pkts = take_scaled(input),
		.rtt_us = (int32_t)take_scaled(input),
		.is_app_limited = what & 1,
		.is_retrans = what & 2,
		.is_ack_delayed = what & 4,
		.is_ece = what & 8,
		.is_acking_tlp = what & 16,
	};

	if (what & 32)
		ack.delivered_pkts = ~ack.delivered_pkts;
	if (what & 64)
		ack.interval_us = -1;
	if (what & 128)
		ack.acked_sacked_pkts = 0;
	fp_cc_on_ack(cc_of(world), &world->conn, &ack, &world->control);
	/* BBRv3's fast path leaves even a window above the clamp alone */
	expect(world->control.cwnd_pkts <= most_cwnd(world) ||
	       world->control.cwnd_pkts == before);
}

static void random_event(struct world *world)
{
	struct fp_cc_control *control = &world->control;
	struct input *input = &world->input;
	struct fp_cc_lost lost;

	random_conn(world);
	switch (take(input, 1) % 8) {
	case 0:
		fp_cc_on_rtt(cc_of(world), &world->conn, take_scaled(input),
			     control);
		break;
	case 1:
		fp_cc_on_congestion(cc_of(world), &world->conn, control);
		break;
	case 2:
		fp_cc_on_undo(cc_of(world), &world->conn, control);
		break;
	case 3:
		fp_cc_on_state(cc_of(world), &world->conn,
			       (enum fp_ca_state)(take(input, 1) % 5), control);
		break;
	case 4:
		fp_cc_on_event(cc_of(world), &world->conn,
			       (enum fp_cc_event)(take(input, 1) % 5), control);
		break;
	case 5:
		lost.pkts = take_scaled(input);
		lost.tx_in_flight_pkts = take_scaled(input);
		lost.lost_since_pkts = take_scaled(input);
		lost.was_app_limited = take(input, 1) & 1;
		fp_cc_on_lost(cc_of(world), &world->conn, &lost, control);
		break;
	default:
		random_ack(world);
		break;
	}
	if (control->cwnd_pkts == 0)
		control->cwnd_pkts = 1; /* the transport's own, see event.h */
}

/* --- A transport ---------------------------------------------------------- */

static uint32_t packets_out(const struct world *world)
{
	return world->conn.snd_nxt_pkts - world->conn.snd_una_pkts;
}

/* Fills in what follows from the transport's state. */
static void look(struct world *world)
{
	struct fp_cc_conn *conn = &world->conn;

	conn->packets_out_pkts = packets_out(world);
	conn->inflight_pkts =
	    conn->packets_out_pkts - world->sacked - world->lost;
	conn->delivered_ns = world->rate.delivered_us * 1000;
	conn->delivered_pkts = world->rate.delivered_pkts;
	conn->delivered_ce_pkts = world->rate.delivered_ce_pkts;
	conn->lost_pkts = world->rate.lost_pkts;
	conn->app_limited_pkts = world->rate.app_limited_pkts;
	conn->now_ticks =
	    (uint32_t)(conn->now_ns / (UINT64_C(1000000000) / 250));
	conn->random = (uint32_t)conn->now_ns * UINT32_C(2654435761);
	if (conn->max_packets_out_pkts < conn->packets_out_pkts)
		conn->max_packets_out_pkts = conn->packets_out_pkts;
}

/* No stamp of the algorithm is in the future. */
static void check_stamps(struct world *world)
{
	const struct fp_cc *cc = cc_of(world);
	const struct fp_cubic_curve *curve = &cc->cubic.curve;
	uint64_t now_us = world->conn.now_ns / 1000;
	uint32_t now = world->conn.now_ticks;

	if (cc->config.kind == FP_CC_CUBIC) {
		if (cc->cubic.config.switches & FP_CUBIC_FINE_CLOCK)
			now = (uint32_t)(world->conn.now_ns * 2 / 1953125);
		expect((int32_t)(now - curve->epoch_start) >= 0);
		expect((int32_t)(now - cc->cubic.last_time) >= 0);
	} else if (cc->config.kind == FP_CC_BBR) {
		expect((int32_t)(now - cc->bbr.min_rtt_ticks) >= 0);
		expect(cc->bbr.cycle_us <= now_us);
		expect(cc->bbr.ack_epoch_us <= now_us);
	} else if (cc->config.kind == FP_CC_BBR3) {
		expect((int32_t)(now - cc->bbr3.min_rtt_ticks) >= 0);
		expect((int32_t)(now - cc->bbr3.probe_rtt_min_ticks) >= 0);
		expect(cc->bbr3.cycle_us <= now_us);
		expect(cc->bbr3.ack_epoch_us <= now_us);
	}
}

static void send(struct world *world, uint32_t pkts)
{
	struct fp_cc_conn *conn = &world->conn;

	if (packets_out(world) == 0 && pkts > 0) {
		look(world);
		fp_cc_on_event(cc_of(world), conn, FP_CC_TX_START,
			       &world->control);
	}
	for (; pkts > 0 && packets_out(world) < PKTS; pkts--) {
		uint32_t slot = conn->snd_nxt_pkts % PKTS;
		struct fp_rate_send one;

		look(world);
		conn->is_cwnd_limited =
		    conn->inflight_pkts >= world->control.cwnd_pkts;
		if (conn->is_cwnd_limited)
			break;
		one.now_us = conn->now_ns / 1000;
		one.packets_out_pkts = conn->packets_out_pkts;
		one.inflight_pkts = conn->inflight_pkts + 1;
		one.is_retrans = false;
		fp_rate_on_send(&world->rate, &world->pkts[slot], &one);
		world->states[slot] = PKT_OUT;
		conn->snd_nxt_pkts++;
		conn->last_sent_ticks = conn->now_ticks;
	}
}

/* Sends a lost packet again. */
static void resend(struct world *world, uint32_t slot)
{
	struct fp_rate_send one = {
		.now_us = world->conn.now_ns / 1000,
		.packets_out_pkts = packets_out(world),
		.inflight_pkts = world->conn.inflight_pkts + 1,
		.is_retrans = true,
	};

	fp_rate_on_send(&world->rate, &world->pkts[slot], &one);
	world->states[slot] = PKT_OUT;
	world->lost--;
}

/* A packet in flight, as the input chooses; PKTS: none. */
static uint32_t choose_slot(struct world *world)
{
	uint32_t out = packets_out(world);

	if (out == 0)
		return PKTS;
	return (world->conn.snd_una_pkts + take(&world->input, 2) % out) % PKTS;
}

static void set_state(struct world *world, enum fp_ca_state next)
{
	look(world);
	fp_cc_on_state(cc_of(world), &world->conn, next, &world->control);
	world->conn.ca_state = next;
}

/* The first loss of a window. */
static void congest(struct world *world, enum fp_ca_state next)
{
	uint32_t cwnd_pkts = world->control.cwnd_pkts;

	world->conn.prior_cwnd_pkts = cwnd_pkts;
	look(world);
	fp_cc_on_congestion(cc_of(world), &world->conn, &world->control);
	if (is_loss_based(world))
		expect(world->control.ssthresh_pkts >= 2 &&
		       (world->control.ssthresh_pkts == 2 ||
			world->control.ssthresh_pkts <= cwnd_pkts));
	world->high_seq = world->conn.snd_nxt_pkts;
	if (next == FP_CA_LOSS)
		world->control.cwnd_pkts = world->conn.inflight_pkts + 1;
	set_state(world, next);
}

static void give_up(struct world *world, uint32_t slot)
{
	struct fp_cc_lost lost = { .pkts = 1 };

	if (slot == PKTS || world->states[slot] != PKT_OUT)
		return;
	world->states[slot] = PKT_LOST;
	world->lost++;
	world->rate.lost_pkts++;
	lost.tx_in_flight_pkts = world->pkts[slot].tx_in_flight_pkts;
	lost.lost_since_pkts =
	    world->rate.lost_pkts - world->pkts[slot].lost_pkts;
	lost.was_app_limited = world->pkts[slot].is_app_limited;
	look(world);
	fp_cc_on_lost(cc_of(world), &world->conn, &lost, &world->control);
	if (world->conn.ca_state <= FP_CA_DISORDER)
		congest(world, FP_CA_RECOVERY);
}

static void time_out(struct world *world)
{
	for (uint32_t i = 0; i < packets_out(world); i++)
		give_up(world, (world->conn.snd_una_pkts + i) % PKTS);
	if (packets_out(world) > 0)
		congest(world, FP_CA_LOSS);
}

/* Recovery is over once all that was out then is acknowledged. */
static void end_recovery(struct world *world)
{
	if (world->conn.ca_state <= FP_CA_DISORDER ||
	    (int32_t)(world->conn.snd_una_pkts - world->high_seq) < 0)
		return;
	if (!cc_of(world)->ops->has_own_recovery)
		world->control.cwnd_pkts = world->control.ssthresh_pkts;
	set_state(world, FP_CA_OPEN);
	fp_cc_on_event(cc_of(world), &world->conn, FP_CC_COMPLETE_CWR,
		       &world->control);
}

static void deliver(struct world *world, uint32_t number, struct fp_cc_ack *ack)
{
	uint32_t slot = number % PKTS;

	if (world->states[slot] == PKT_SACKED)
		return;
	if (world->states[slot] == PKT_LOST)
		world->lost--;
	fp_rate_on_delivered(&world->rate, &world->pkts[slot], number + 1, ack);
	world->states[slot] = PKT_SACKED;
	world->sacked++;
	ack->acked_sacked_pkts++;
}

/* Cumulatively by "acked" packets, and one SACK somewhere behind them. */
static void work_off(struct world *world, uint32_t acked, struct fp_cc_ack *ack)
{
	struct fp_cc_conn *conn = &world->conn;
	uint32_t sack = take(&world->input, 1);

	fp_rate_on_ack_start(&world->rate, ack);
	look(world);
	ack->prior_inflight_pkts = conn->inflight_pkts;
	if (sack != 0 && sack < packets_out(world))
		deliver(world, conn->snd_una_pkts + sack, ack);
	while (acked-- > 0 && packets_out(world) > 0) {
		deliver(world, conn->snd_una_pkts, ack);
		world->sacked--; /* it is out no more */
		conn->snd_una_pkts++;
		ack->acked_pkts++;
	}
}

static void take_rtt(struct world *world, struct fp_cc_ack *ack)
{
	uint32_t rtt_us = take(&world->input, 3);

	if (ack->acked_sacked_pkts == 0 || rtt_us == 0)
		return;
	ack->rtt_us = (int32_t)rtt_us;
	world->conn.srtt_us = rtt_us;
	if (world->conn.min_rtt_us > rtt_us)
		world->conn.min_rtt_us = rtt_us;
	fp_cc_on_rtt(cc_of(world), &world->conn, rtt_us, &world->control);
}

static void check_window(const struct world *world, uint32_t before,
			 const struct fp_cc_ack *ack)
{
	uint32_t cwnd_pkts = world->control.cwnd_pkts;
	uint32_t floor_pkts = most_cwnd(world) < 4 ? most_cwnd(world) : 4;

	expect(cwnd_pkts <= most_cwnd(world));
	/* the fast path leaves a window alone that a timeout took */
	if (kind_of(world) == FP_CC_BBR3 && ack->acked_sacked_pkts > 0)
		expect(cwnd_pkts >= floor_pkts || cwnd_pkts == before);
	if (!is_loss_based(world))
		return;
	expect(cwnd_pkts >= before || cwnd_pkts == most_cwnd(world));
	/* one more where the step has become shorter; Reno's whole window with
	 * the switch for it */
	if (kind_of(world) == FP_CC_RENO ||
	    !(world->cc[world->used].config.cubic.switches &
	      FP_CUBIC_RENO_WINDOW))
		expect(cwnd_pkts <= before + ack->acked_sacked_pkts + 1);
}

static void acknowledge(struct world *world, uint32_t acked)
{
	struct fp_cc_ack ack;
	struct fp_rate_end end = { .now_us = world->conn.now_ns / 1000 };
	uint32_t cwnd_pkts;

	work_off(world, acked, &ack);
	end_recovery(world);
	take_rtt(world, &ack);
	end.acked_sacked_pkts = ack.acked_sacked_pkts;
	end.newly_ce_pkts = take(&world->input, 1) & 1;
	end.min_rtt_us = world->conn.min_rtt_us;
	ack.is_ece = end.newly_ce_pkts != 0;
	fp_rate_on_ack_end(&world->rate, &end, &ack);
	ack.now_ns = world->conn.now_ns;
	look(world);
	if (!cc_of(world)->ops->has_own_recovery &&
	    (ack.acked_sacked_pkts == 0 ||
	     world->conn.ca_state == FP_CA_RECOVERY))
		return;
	cwnd_pkts = world->control.cwnd_pkts;
	fp_cc_on_ack(cc_of(world), &world->conn, &ack, &world->control);
	check_window(world, cwnd_pkts, &ack);
	if (world->control.marks_app_limited)
		fp_rate_mark_app_limited(&world->rate,
					 world->conn.inflight_pkts);
	expect(world->control.pacing_rate_bytes_per_s <=
	       world->conn.max_pacing_rate_bytes_per_s);
}

static void undo(struct world *world)
{
	if (world->conn.ca_state <= FP_CA_DISORDER)
		return;
	look(world);
	fp_cc_on_undo(cc_of(world), &world->conn, &world->control);
	set_state(world, FP_CA_OPEN);
}

static void transport_event(struct world *world)
{
	uint32_t what = take(&world->input, 1);
	uint32_t much = take(&world->input, 1);
	uint32_t slot;

	switch (what % 10) {
	case 0: /* up to 16 ms, or up to 4 s */
		world->conn.now_ns +=
		    much * (what & 128 ? UINT64_C(16000000) : UINT64_C(64000));
		break;
	case 1:
	case 2:
		send(world, much);
		break;
	case 3:
	case 4:
	case 5:
		acknowledge(world, much % 64);
		break;
	case 6:
		give_up(world, choose_slot(world));
		break;
	case 7:
		slot = choose_slot(world);
		if (slot != PKTS && world->states[slot] == PKT_LOST)
			resend(world, slot);
		break;
	case 8:
		if (much & 1)
			undo(world);
		else if (much < 32)
			time_out(world);
		break;
	default:
		look(world);
		fp_rate_mark_app_limited(&world->rate,
					 world->conn.inflight_pkts);
		if (much & 1)
			fp_cc_on_event(cc_of(world), &world->conn,
				       FP_CC_TLP_RECOVERY, &world->control);
		break;
	}
	look(world);
	check_stamps(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct world world; /* too large for the stack */
	const struct fp_cc_conn conn = {
		.now_ns = UINT64_C(100000000000), /* counters wrap soon */
		.snd_una_pkts = UINT32_MAX - 100,
		.snd_nxt_pkts = UINT32_MAX - 100,
		.cwnd_clamp_pkts = UINT32_MAX,
		.mss_bytes = 1448,
		.min_rtt_us = UINT32_MAX,
		.gso_max_bytes = 65536,
		.now_ticks = 25000,
		.clock_hz = 250,
		.pacing_shift = 10,
		.min_tso_pkts = 2,
		.is_cwnd_limited = true,
		.has_sack = true,
		.max_pacing_rate_bytes_per_s = UINT64_MAX,
	};
	bool is_random;

	memset(&world, 0, sizeof(world));
	world.input.at = data;
	world.input.left = bytes;
	world.conn = conn;
	world.rate.delivered_pkts = UINT32_MAX - 200;
	world.rate.lost_pkts = UINT32_MAX - 50;
	is_random = take(&world.input, 1) & 1;
	if (!is_random && take(&world.input, 1) & 1) {
		world.conn.cwnd_clamp_pkts = 1 + take(&world.input, 1);
		world.conn.max_pacing_rate_bytes_per_s =
		    1 + take(&world.input, 3);
	}
	begin(&world);
	while (world.input.left > 0) {
		if (is_random)
			random_event(&world);
		else
			transport_event(&world);
		check(&world);
		if (world.input.left % 16 == 0)
			move(&world);
	}
	return 0;
}
