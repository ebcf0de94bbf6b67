/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The receiver under a script: packets are written by hand, ACKs are looked at.
 * MSS 1448, as Ethernet with timestamps has it; a clock of 250 Hz, so a tick is
 * 4 ms.
 */
#include "base/prng.h"
#include "sim/receiver.h"
#include "sim/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS      UINT64_C(1000000)
#define US      UINT64_C(1000)
#define MSS     1448u
#define LOG_MAX 65536u
#define MIB     (UINT64_C(1) << 20)

struct ack {
	uint64_t time_ns;
	struct sim_segment segment;
};

struct script {
	struct sim_receiver *receiver;
	struct sim_receiver_config config;
	uint64_t now_ns;
	uint64_t tsecr_us; /* of what comes; 0: none */
	struct ack acks[LOG_MAX];
	uint32_t count, seen;
};

static void log_ack(void *context, const struct sim_segment *segment,
		    uint64_t now_ns)
{
	struct script *script = context;

	assert_true(script->count < LOG_MAX);
	assert_true(segment->is_back);
	script->acks[script->count++] = (struct ack){ now_ns, *segment };
}

/* A connection that is open, with a round trip of 100 ms. */
static struct script *script_new(void)
{
	struct script *script = calloc(1, sizeof(*script));

	assert_non_null(script);
	script->now_ns = 1000 * MS;
	script->config = (struct sim_receiver_config){
		.mss_bytes = MSS,
		.tcp = { .ack_every_pkts = 2,
			 .min_rto_ns = 200 * MS,
			 .rmem_max_bytes = 6 * MIB,
			 .window_share_x256 = 128,
			 .clock_hz = 250 },
		.starts_open = true,
		.open_rtt_us = 100000,
		.request_bytes = 100,
		.port = { .transmit = log_ack, .context = script },
	};
	return script;
}

static void script_open(struct script *script)
{
	script->receiver = sim_receiver_new(&script->config);
	assert_non_null(script->receiver);
}

static void script_free(struct script *script)
{
	sim_receiver_free(script->receiver);
	free(script);
}

static struct sim_segment packet(const struct script *script, uint64_t seq,
				 uint32_t pkts)
{
	return (struct sim_segment){
		.seq = seq,
		.payload_bytes = pkts * MSS,
		.end_bytes = (seq + pkts) * MSS,
		.tsval_us = script->now_ns / US + SIM_EPOCH_US,
		.tsecr_us = script->tsecr_us,
	};
}

static void put(struct script *script, const struct sim_segment *segment,
		uint32_t pkts)
{
	assert_int_equal(sim_receiver_receive(script->receiver, segment, pkts,
					      script->now_ns),
			 0);
}

/* Packets that come together. */
static void arrive(struct script *script, uint64_t seq, uint32_t pkts)
{
	struct sim_segment segment = packet(script, seq, pkts);

	put(script, &segment, pkts);
}

/* Packets from first on, one by one. */
static void arrive_all(struct script *script, uint64_t first, uint64_t end)
{
	for (uint64_t seq = first; seq < end; seq++)
		arrive(script, seq, 1);
}

/* How many ACKs went since it was asked last. */
static uint32_t acks(struct script *script)
{
	uint32_t count = script->count - script->seen;

	script->seen = script->count;
	return count;
}

static const struct sim_segment *last(const struct script *script)
{
	assert_true(script->count != 0);
	return &script->acks[script->count - 1].segment;
}

/* Lets the receiver's timers fire up to a time. */
static void wait_until(struct script *script, uint64_t until_ns)
{
	uint64_t wake_ns;

	while ((wake_ns = sim_receiver_wake_ns(script->receiver)) <= until_ns) {
		assert_true(wake_ns >= script->now_ns);
		script->now_ns = wake_ns;
		assert_int_equal(sim_receiver_wake(script->receiver, wake_ns),
				 0);
	}
	script->now_ns = until_ns;
}

/* A connection that has left quick-ACK mode with everything acknowledged: 16
 * ACKs for the first 16 packets (TCP_MAX_QUICKACKS; the window would hold 22
 * pairs), one more for two. */
static struct script *script_settled(uint32_t without)
{
	struct script *script = script_new();

	script->config.tcp.without = without;
	script_open(script);
	arrive_all(script, 0, 18);
	assert_int_equal(last(script)->ack, 18);
	(void)acks(script);
	return script;
}

/* --- When ------------------------------------------------------------------
 */

static void the_first_sixteen_are_told_at_once(void **state)
{
	struct script *script = script_new();

	script_open(script);
	arrive_all(script, 0, 16);
	assert_int_equal(acks(script), 16);
	arrive_all(script, 16, 40); /* then each second one */
	assert_int_equal(acks(script), 12);
	assert_int_equal(last(script)->ack, 40);
	assert_int_equal(last(script)->ack_bytes, 40 * MSS);
	script_free(script);
}

static void without_quick_acks_the_second_is_told(void **state)
{
	struct script *script = script_new();

	script->config.tcp.without = FP_SIM_QUICKACK;
	script_open(script);
	arrive_all(script, 0, 40);
	assert_int_equal(acks(script), 20);
	script_free(script);
}

static void without_delay_each_is_told(void **state)
{
	struct script *script = script_new();

	script->config.tcp.without = FP_SIM_DELAYED_ACK;
	script_open(script);
	arrive_all(script, 0, 40);
	assert_int_equal(acks(script), 40);
	script_free(script);
}

/* 1000 ms is tick 250; ten more are 40 ms, and the wheel rounds up: tick 261.
 * The wait was too short, so the next one is allowed twice: 80 ms. */
static void one_packet_waits_for_a_second_until_the_tick(void **state)
{
	struct script *script = script_settled(0);

	arrive(script, 18, 1);
	assert_int_equal(acks(script), 0);
	assert_int_equal(sim_receiver_wake_ns(script->receiver), 1044 * MS);
	wait_until(script, 1044 * MS);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack, 19);
	assert_int_equal(sim_receiver_wake_ns(script->receiver), FP_TIME_NEVER);
	/* 44 ms later than the packet before, between ato / 2 and ato = 80:
	 * ato = 80 / 2 + 44 = 84 ms = 21 ticks; tick 261 + 21 + 1 */
	arrive(script, 19, 1);
	assert_int_equal(sim_receiver_wake_ns(script->receiver), 283 * 4 * MS);
	script_free(script);
}

static void a_given_delay_is_kept_exactly(void **state)
{
	struct script *script = script_new();

	script->config.tcp.delayed_ack_ns = 25 * MS;
	script_open(script);
	arrive_all(script, 0, 17);
	assert_int_equal(acks(script), 16);
	assert_int_equal(sim_receiver_wake_ns(script->receiver),
			 script->now_ns + 25 * MS);
	script_free(script);
}

static void a_burst_is_one_arrival(void **state)
{
	struct script *script = script_settled(0);

	arrive(script, 18, 10);
	assert_int_equal(acks(script), 1);
	arrive(script, 28, 44);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack, 72);
	script_free(script);
}

static void stretched_acks_tell_of_eight(void **state)
{
	struct script *script = script_new();

	script->config.tcp.ack_every_pkts = 8;
	script_open(script);
	arrive_all(script, 0, 40);
	assert_int_equal(acks(script), 5);
	arrive_all(script, 40, 47);
	assert_int_equal(acks(script), 0);
	arrive(script, 48, 1); /* 47 is missing: that is told at once */
	assert_int_equal(last(script)->sack_count, 1);
	(void)acks(script);
	arrive(script, 47, 1); /* and so is its coming, with two of eight */
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack, 49);
	script_free(script);
}

/* What ends the other side's writing is read at once, and told then. */
static void the_end_of_a_writing_is_told_at_once(void **state)
{
	struct script *script = script_settled(0);
	struct sim_segment segment = packet(script, 18, 1);

	segment.is_push = true;
	put(script, &segment, 1);
	assert_int_equal(acks(script), 1);
	segment = packet(script, 19, 1);
	segment.payload_bytes = 100;
	put(script, &segment, 1);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack_bytes, 19 * MSS + 100);
	assert_int_equal(sim_receiver_bytes(script->receiver), 19 * MSS + 100);
	script_free(script);
}

/* --- Holes -----------------------------------------------------------------
 */

static void a_hole_and_its_filling_are_told_at_once(void **state)
{
	struct script *script = script_settled(0);

	arrive(script, 19, 1);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack, 18);
	assert_int_equal(last(script)->sack_count, 1);
	assert_int_equal(last(script)->sacks[0].start, 19);
	assert_int_equal(last(script)->sacks[0].end, 20);
	arrive(script, 18, 1);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->ack, 20);
	assert_int_equal(last(script)->sack_count, 0);
	script_free(script);
}

/* Three at once, then one for min(5 % of the RTT, 1 ms): with 10 ms, 500 us. */
static void later_acks_beyond_a_hole_are_compressed(void **state)
{
	struct script *script = script_new();

	script->config.open_rtt_us = 10000;
	script->config.tcp.without = FP_SIM_AUTOTUNING; /* room for all */
	script_open(script);
	script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 10000;
	arrive_all(script, 0, 18);
	(void)acks(script);
	arrive_all(script, 19, 22);
	assert_int_equal(acks(script), 3);
	arrive_all(script, 22, 40);
	assert_int_equal(acks(script), 0);
	assert_int_equal(sim_receiver_wake_ns(script->receiver),
			 script->now_ns + 500 * US);
	wait_until(script, script->now_ns + 500 * US);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->sacks[0].start, 19);
	assert_int_equal(last(script)->sacks[0].end, 40);
	/* the 45th does not wait (tcp_comp_sack_nr: 44) */
	arrive_all(script, 40, 84);
	assert_int_equal(acks(script), 0);
	arrive(script, 84, 1);
	assert_int_equal(acks(script), 1);
	script_free(script);
}

/* With 100 ms, 5 % would be 5 ms. */
static void compression_waits_a_millisecond_at_most(void **state)
{
	struct script *script = script_new();

	script_open(script);
	script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 100000;
	arrive_all(script, 0, 18);
	arrive_all(script, 19, 23);
	assert_int_equal(sim_receiver_wake_ns(script->receiver),
			 script->now_ns + 1 * MS);
	script_free(script);
}

/* Three blocks can be said. News of the third one would be said too late, so
 * that what was held back goes first, as it was. */
static void news_of_an_old_block_is_not_held_back(void **state)
{
	struct script *script = script_new();

	script->config.tcp.without = FP_SIM_AUTOTUNING; /* room for all */
	script_open(script);
	script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 100000;
	arrive_all(script, 0, 18);
	(void)acks(script);
	arrive(script, 20, 1);
	arrive(script, 22, 1);
	arrive(script, 24, 1);
	assert_int_equal(acks(script), 3);
	arrive(script, 25, 1); /* the first block grows: that can wait */
	assert_int_equal(acks(script), 0);
	arrive(script, 19, 1); /* joins the third */
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->sack_count, 3);
	assert_int_equal(last(script)->sacks[0].end, 26);
	assert_int_equal(last(script)->sacks[1].start, 22);
	assert_int_equal(last(script)->sacks[2].start, 20);
	wait_until(script, script->now_ns + 1 * MS);
	assert_int_equal(last(script)->sacks[0].start, 19);
	assert_int_equal(last(script)->sacks[0].end, 21);
	script_free(script);
}

static void without_sack_every_duplicate_is_told(void **state)
{
	struct script *script = script_settled(FP_SIM_SACK);

	arrive_all(script, 19, 40);
	assert_int_equal(acks(script), 21);
	assert_int_equal(last(script)->ack, 18);
	assert_int_equal(last(script)->sack_count, 0);
	script_free(script);
}

/* RFC 2883: old data, and data that is held already. */
static void what_comes_twice_is_told_as_such(void **state)
{
	struct script *script = script_settled(0);

	arrive(script, 4, 2);
	assert_int_equal(acks(script), 1);
	assert_true(last(script)->has_dsack);
	assert_int_equal(last(script)->sacks[0].start, 4);
	assert_int_equal(last(script)->sacks[0].end, 6);
	arrive(script, 20, 1);
	assert_false(last(script)->has_dsack);
	arrive(script, 20, 1);
	assert_true(last(script)->has_dsack);
	assert_int_equal(last(script)->sack_count, 2);
	assert_int_equal(last(script)->sacks[0].start, 20);
	assert_int_equal(last(script)->sacks[1].start, 20);
	assert_int_equal(last(script)->ack, 18);
	script_free(script);
}

/* --- Timestamps and marks --------------------------------------------------
 */

/* RFC 7323, 4.3: a delayed ACK echoes the first packet that it covers, and one
 * beyond a hole what came before the hole. */
static void the_echo_is_of_the_first_unacknowledged(void **state)
{
	struct script *script = script_settled(0);
	uint64_t first_us = script->now_ns / US + SIM_EPOCH_US + 1000;

	script->now_ns += 1 * MS;
	arrive(script, 18, 1);
	script->now_ns += 2 * MS;
	arrive(script, 19, 1);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->tsecr_us, first_us);
	assert_int_equal(last(script)->tsval_us, first_us + 2000);
	arrive(script, 25, 1);
	assert_int_equal(last(script)->tsecr_us, first_us);
	script_free(script);
}

/* RFC 3168, 6.1.3: congestion is echoed until the sender says that it knows. */
static void a_mark_is_echoed_until_it_is_answered(void **state)
{
	struct script *script = script_settled(0);
	struct sim_segment segment;

	script->receiver = (sim_receiver_free(script->receiver), NULL);
	script->config.tcp.has_ecn = true;
	script_open(script);
	arrive_all(script, 0, 18);
	assert_false(last(script)->is_ece);
	(void)acks(script);
	segment = packet(script, 18, 1);
	segment.is_ce = true;
	put(script, &segment, 1);
	assert_int_equal(acks(script), 1); /* not delayed */
	assert_true(last(script)->is_ece);
	arrive_all(script, 19, 23);
	assert_true(last(script)->is_ece);
	segment = packet(script, 23, 1);
	segment.is_cwr = true;
	put(script, &segment, 1);
	assert_false(last(script)->is_ece);
	script_free(script);
}

/* --- Window ----------------------------------------------------------------
 */

/* tcp_rmem[1] is 131072, half of it window: 65536; in whole packets 65160. One
 * segment (1460, with the options' bytes) is the application's: 64076, in units
 * of 128 (a scale of 7 lets 16 bits say 6 MiB) 64128, as captures of any Linux
 * show it. */
static void the_first_windows_are_those_of_linux(void **state)
{
	struct script *script = script_new();

	script_open(script);
	assert_int_equal(sim_receiver_window_bytes(script->receiver), 65160);
	arrive(script, 0, 1);
	assert_int_equal(last(script)->window_bytes, 64128);
	script_free(script);
}

/* Sends a window a round trip for so many of them. */
static void fill_windows(struct script *script, uint32_t rounds)
{
	uint64_t edge = sim_receiver_window_bytes(script->receiver);
	uint64_t seq = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 100000;
		while ((seq + 1) * MSS <= edge)
			arrive(script, seq++, 1);
		edge = last(script)->ack_bytes + last(script)->window_bytes;
		wait_until(script, script->now_ns + 100 * MS);
	}
}

/* The second round begins when 45 packets, 65160 bytes, were read in a round
 * trip instead of the expected 14600: the buffer may hold (2 x 65160 + 16 x
 * 1460) x (1 + 2 x 50560 / 14600) = 1218070 bytes of window. The window comes
 * after it by twice of each packet. The last ACK of the first round was for 44
 * packets (the 45th waits), so the second brings 88 less 45, and all but its
 * first find room: 64076 + 42 x 2920 = 186716, in units of 128. */
static void the_window_follows_what_is_read(void **state)
{
	struct script *script = script_new();

	script_open(script);
	fill_windows(script, 2);
	assert_int_equal(last(script)->ack, 88);
	assert_int_equal(last(script)->window_bytes, 186752);
	script_free(script);
}

/* The bound itself, by the numbers above. */
static void the_buffer_is_sized_by_what_is_read(void **state)
{
	const struct fp_sim_tcp tcp = { .rmem_max_bytes = 6 * MIB,
					.window_share_x256 = 128 };
	struct sim_window window;

	sim_window_init(&window, &tcp, MSS, 0);
	assert_int_equal(window.clamp_bytes, 64076);
	sim_window_measure_echo(&window, SIM_EPOCH_US, 100 * MS);
	sim_window_adjust(&window, 65160, 99 * MS); /* no round trip yet */
	assert_int_equal(window.clamp_bytes, 64076);
	sim_window_adjust(&window, 65160, 100 * MS);
	assert_int_equal(window.clamp_bytes, 1218070);
	assert_int_equal(window.rcvbuf_bytes, 2 * 1218070);
	/* as much again: no growth to allow for, and enough room */
	sim_window_adjust(&window, 2 * 65160, 200 * MS);
	assert_int_equal(window.clamp_bytes, 1218070);
}

/* An ACK that is not due for 64 packets goes when half of the window is used up
 * and the whole could be offered again: 65160 - 23 x 1448 = 31856 is not more
 * than half of 64076. */
static void a_window_is_offered_again_in_time(void **state)
{
	struct script *script = script_new();

	script->config.tcp.ack_every_pkts = 64;
	script_open(script);
	arrive_all(script, 0, 22);
	assert_int_equal(acks(script), 0);
	arrive(script, 22, 1);
	assert_int_equal(acks(script), 1);
	assert_int_equal(last(script)->window_bytes, 64128);
	script_free(script);
}

/* Up to tcp_rmem[2]: half of 6 MiB is window, 3145728 bytes, which is what a
 * Linux 6.1 showed at its end. */
static void the_window_grows_to_half_of_the_buffer(void **state)
{
	struct script *script = script_new();

	script_open(script);
	fill_windows(script, 12);
	assert_int_equal(last(script)->window_bytes, 3 * MIB);
	script_free(script);
}

/* 170 of 256: 6 MiB x 170 / 256 = 4177920, as the lab's flows see it on Linux
 * 6.18. */
static void the_share_of_the_buffer_can_be_told(void **state)
{
	struct script *script = script_new();

	script->config.tcp.window_share_x256 = 170;
	script_open(script);
	fill_windows(script, 12);
	assert_int_equal(last(script)->window_bytes, 4177920);
	script_free(script);
}

static void without_autotuning_it_is_there_at_once(void **state)
{
	struct script *script = script_new();

	script->config.tcp.without = FP_SIM_AUTOTUNING;
	script_open(script);
	assert_int_equal(sim_receiver_window_bytes(script->receiver), 3 * MIB);
	arrive(script, 0, 1);
	assert_int_equal(last(script)->window_bytes, 3 * MIB);
	script_free(script);
}

/* A reader that gets less than it could has no need of more: 10 packets a
 * round trip are what a socket expects. */
static void a_slow_sender_leaves_the_window_alone(void **state)
{
	struct script *script = script_new();

	script_open(script);
	for (uint64_t i = 0; i < 50; i++) {
		script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 100000;
		arrive(script, 10 * i, 10);
		wait_until(script, script->now_ns + 100 * MS);
	}
	assert_int_equal(last(script)->window_bytes, 64128);
	script_free(script);
}

/* RFC 9293, 3.8.6: whatever comes in whatever order, the edge never moves
 * back; packets beyond it are refused, with an ACK. */
static void the_right_edge_never_moves_back(void **state)
{
	struct script *script = script_new();
	uint64_t edge = 0, sent = 0;
	struct fp_prng prng;

	fp_prng_init(&prng, 5, 0);
	script->config.tcp.rmem_max_bytes = 200000;
	script_open(script);
	for (uint32_t i = 0; i < 3000; i++) {
		uint64_t draw = fp_prng_next(&prng);
		uint64_t next = sim_receiver_next(script->receiver);
		uint64_t seq = next + draw % 60;

		script->now_ns += draw >> 44;
		script->tsecr_us = script->now_ns / US + SIM_EPOCH_US - 9000;
		arrive(script, draw >> 40 & 1 ? seq : next, 1);
		for (; sent < script->count; sent++) {
			const struct sim_segment *ack =
			    &script->acks[sent].segment;
			uint64_t now = ack->ack_bytes + ack->window_bytes;

			assert_true(now >= edge);
			edge = now;
		}
		if (draw % 50 == 0) {
			arrive(script, edge / MSS + 1, 1);
			assert_int_equal(last(script)->ack,
					 sim_receiver_next(script->receiver));
		}
		wait_until(script, script->now_ns + 1 * MS);
	}
	assert_true(sim_receiver_next(script->receiver) > 1000);
	script_free(script);
}

/* --- The rest of a connection ----------------------------------------------
 */

static void a_syn_is_answered_and_answered_again(void **state)
{
	struct script *script = script_new();
	struct sim_segment segment = { .is_syn = true, .tsval_us = 77 };

	script->config.starts_open = false;
	script_open(script);
	put(script, &segment, 1);
	assert_true(last(script)->is_syn);
	assert_int_equal(last(script)->tsecr_us, 77);
	assert_int_equal(last(script)->window_bytes, 65160);
	assert_false(sim_receiver_is_open(script->receiver));
	/* RFC 6298: after 1 s, then 2 s more */
	wait_until(script, 1999 * MS);
	assert_int_equal(acks(script), 1);
	wait_until(script, 4000 * MS);
	assert_int_equal(acks(script), 2);
	assert_true(last(script)->is_syn);
	segment = (struct sim_segment){ .tsval_us = 78 };
	put(script, &segment, 1);
	assert_true(sim_receiver_is_open(script->receiver));
	assert_int_equal(acks(script), 0); /* no ACK of an ACK */
	assert_int_equal(sim_receiver_wake_ns(script->receiver), FP_TIME_NEVER);
	script_free(script);
}

static void the_end_is_acknowledged_with_an_end(void **state)
{
	struct script *script = script_settled(0);
	struct sim_segment segment = packet(script, 19, 1);

	segment.is_fin = true;
	segment.payload_bytes = 10;
	put(script, &segment, 1);
	assert_false(last(script)->is_fin);
	arrive(script, 18, 1);
	assert_true(last(script)->is_fin);
	assert_int_equal(last(script)->ack, 20);
	assert_int_equal(last(script)->ack_bytes, 19 * MSS + 10);
	script_free(script);
}

/* Asked again after the round trip and Linux's least timeout, 300 ms, then
 * twice as late each time, until the answer comes. */
static void a_request_is_made_until_it_is_answered(void **state)
{
	struct script *script = script_new();

	script_open(script);
	sim_receiver_request(script->receiver, script->now_ns);
	assert_true(last(script)->is_request);
	assert_int_equal(last(script)->payload_bytes, 100);
	assert_int_equal(last(script)->requests, 1);
	wait_until(script, 1299 * MS);
	assert_int_equal(acks(script), 1);
	wait_until(script, 1900 * MS);
	assert_int_equal(acks(script), 2); /* at 1300 and at 1900 */
	assert_true(last(script)->is_request && last(script)->is_retrans);
	assert_int_equal(last(script)->requests, 1);
	arrive(script, 0, 1);
	assert_false(last(script)->is_request);
	(void)acks(script);
	wait_until(script, 9000 * MS);
	assert_int_equal(acks(script), 0);
	script_free(script);
}

/* tcp_rcvbuf_grow() as tcp_data_queue_ofo() calls it: twice the 100,000 bytes
 * read in a round trip, and the 150,000 from the hole on, are 350,000 bytes of
 * window: 700,000 of buffer where half of it is window. What waits below the
 * hole by then takes nothing. Before Linux 6.16, and at the bound, nothing. */
static void the_buffer_makes_room_beyond_a_hole(void **state)
{
	const struct fp_sim_tcp tcp = { .rmem_max_bytes = 6 << 20,
					.window_share_x256 = 128,
					.holds_more = true };
	struct fp_sim_tcp old = tcp, full = tcp;
	struct sim_window window;

	sim_window_init(&window, &tcp, MSS, 0);
	window.copied_bytes = 100000;
	sim_window_hold(&window, 50000, 200000);
	assert_int_equal(window.rcvbuf_bytes, 700000);
	assert_int_equal(window.clamp_bytes, 350000);
	sim_window_hold(&window, 250000, 200000);
	assert_int_equal(window.rcvbuf_bytes, 700000);

	old.holds_more = false;
	sim_window_init(&window, &old, MSS, 0);
	window.copied_bytes = 100000;
	sim_window_hold(&window, 50000, 200000);
	assert_int_equal(window.rcvbuf_bytes, 131072);

	full.rmem_max_bytes = 400000;
	sim_window_init(&window, &full, MSS, 0);
	window.copied_bytes = 100000;
	sim_window_hold(&window, 50000, 200000);
	assert_int_equal(window.rcvbuf_bytes, 400000);
}

/* The same of a connection: twice the 10 segments of 1460 bytes that it expects
 * in a round trip, and 26 packets from the hole on, are 29200 + 26 x 1448 =
 * 66848 bytes. When the hole is filled, before a round trip was measured, the
 * window opens to that, in units of 128. Before Linux 6.16 it stays at 64076.
 */
static void the_window_makes_room_beyond_a_hole(void **state)
{
	static const struct {
		bool holds_more;
		uint32_t window_bytes;
	} rows[] = { { false, 64128 }, { true, 66944 } };

	for (uint32_t i = 0; i < 2; i++) {
		struct script *script = script_new();

		script->config.tcp.holds_more = rows[i].holds_more;
		script_open(script);
		arrive(script, 0, 1);
		arrive_all(script, 2, 27);
		arrive_all(script, 1, 2);
		assert_int_equal(last(script)->ack, 27);
		arrive_all(script, 27, 31);
		assert_int_equal(last(script)->window_bytes,
				 rows[i].window_bytes);
		script_free(script);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_sixteen_are_told_at_once),
		cmocka_unit_test(without_quick_acks_the_second_is_told),
		cmocka_unit_test(without_delay_each_is_told),
		cmocka_unit_test(one_packet_waits_for_a_second_until_the_tick),
		cmocka_unit_test(a_given_delay_is_kept_exactly),
		cmocka_unit_test(a_burst_is_one_arrival),
		cmocka_unit_test(stretched_acks_tell_of_eight),
		cmocka_unit_test(the_end_of_a_writing_is_told_at_once),
		cmocka_unit_test(a_hole_and_its_filling_are_told_at_once),
		cmocka_unit_test(later_acks_beyond_a_hole_are_compressed),
		cmocka_unit_test(compression_waits_a_millisecond_at_most),
		cmocka_unit_test(news_of_an_old_block_is_not_held_back),
		cmocka_unit_test(without_sack_every_duplicate_is_told),
		cmocka_unit_test(what_comes_twice_is_told_as_such),
		cmocka_unit_test(the_echo_is_of_the_first_unacknowledged),
		cmocka_unit_test(a_mark_is_echoed_until_it_is_answered),
		cmocka_unit_test(the_first_windows_are_those_of_linux),
		cmocka_unit_test(the_window_follows_what_is_read),
		cmocka_unit_test(the_buffer_is_sized_by_what_is_read),
		cmocka_unit_test(a_window_is_offered_again_in_time),
		cmocka_unit_test(the_window_grows_to_half_of_the_buffer),
		cmocka_unit_test(the_share_of_the_buffer_can_be_told),
		cmocka_unit_test(without_autotuning_it_is_there_at_once),
		cmocka_unit_test(a_slow_sender_leaves_the_window_alone),
		cmocka_unit_test(the_right_edge_never_moves_back),
		cmocka_unit_test(a_syn_is_answered_and_answered_again),
		cmocka_unit_test(the_end_is_acknowledged_with_an_end),
		cmocka_unit_test(a_request_is_made_until_it_is_answered),
		cmocka_unit_test(the_buffer_makes_room_beyond_a_hole),
		cmocka_unit_test(the_window_makes_room_beyond_a_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
