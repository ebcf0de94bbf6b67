/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What must hold of a sender whatever the network does: a sender and a receiver
 * over a link that loses, delays, reorders and doubles packets both ways, with
 * every part left out in turn. After each event the scoreboard is counted again
 * from its packets; in the end everything has arrived.
 */
#include "sim/receiver.h"
#include "sim/sender_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MS          UINT64_C(1000000)
#define MSS         1000u
#define FLIGHT_MAX  4096u
#define TRANSFER    400u
/* Longer than any transfer takes. A timeout may last 2 minutes, and where ACKs
 * get lost, too, the echo of an old timestamp can keep it there: the duplicate
 * that a timeout sends does not renew what the receiver echoes (RFC 7323, 4.3).
 */
#define PATIENCE_NS (100000 * UINT64_C(1000000000))

struct flying {
	uint64_t due_ns, order;
	struct sim_segment segment;
};

struct world {
	struct fp_prng prng;
	struct sim_sender *sender;
	struct sim_receiver *receiver;
	struct flying flying[FLIGHT_MAX];
	uint32_t count;
	uint64_t order;
	uint32_t loss_percent, reorder_percent, double_percent;
};

static bool happens(struct world *world, uint32_t percent)
{
	return fp_prng_next(&world->prng) % 100 < percent;
}

static void fly(struct world *world, const struct sim_segment *segment,
		uint64_t now_ns)
{
	uint64_t delay_ns = 10 * MS;

	if (happens(world, world->loss_percent))
		return;
	if (happens(world, world->reorder_percent))
		delay_ns += fp_prng_next(&world->prng) % (20 * MS);
	assert_true(world->count < FLIGHT_MAX);
	world->flying[world->count++] = (struct flying){
		now_ns + delay_ns,
		world->order++,
		*segment,
	};
}

static void transmit(void *context, const struct sim_segment *segment,
		     uint64_t now_ns)
{
	struct world *world = context;

	fly(world, segment, now_ns);
	if (happens(world, world->double_percent))
		fly(world, segment, now_ns);
}

/* --- The scoreboard, counted again ---------------------------------------- */

static void check_list(const struct sim_sender *sender,
		       const struct sender_list *list, uint8_t flag)
{
	uint32_t low = list->head;
	uint64_t prior = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t seq = sender__seq(sender, low);
		const struct sender_pkt *pkt = sender__pkt(sender, seq);
		uint64_t key =
		    flag == SENDER_ON_LOST ? seq + 1 : pkt->rate.sent_us;

		assert_true(seq < sender->snd_nxt);
		assert_true(pkt->flags & flag);
		assert_true(key >= prior);
		prior = key;
		if (i + 1 == list->count)
			assert_int_equal(low, list->tail);
		low = pkt->next;
	}
}

static void check_runs(const struct sim_sender *sender)
{
	for (uint64_t seq = sender->snd_una; seq < sender->snd_nxt;) {
		uint64_t end = sender__run_end(sender, seq);

		for (uint64_t i = seq; i < end; i++)
			assert_true(sender__pkt(sender, i)->flags &
				    SENDER_SACKED);
		if (end > seq && end < sender->snd_nxt)
			assert_false(sender__pkt(sender, end)->flags &
				     SENDER_SACKED);
		seq = end > seq ? end : seq + 1;
	}
}

static void check(const struct sim_sender *sender)
{
	uint32_t sacked = 0, lost = 0, retrans = 0, on_sent = 0, on_lost = 0;

	for (uint64_t i = sender->snd_una; i < sender->snd_nxt; i++) {
		uint8_t flags = sender__pkt(sender, i)->flags;

		sacked += !!(flags & SENDER_SACKED);
		lost += !!(flags & SENDER_LOST);
		retrans += !!(flags & SENDER_RETRANS);
		on_sent += !!(flags & SENDER_ON_SENT);
		on_lost += !!(flags & SENDER_ON_LOST);
		assert_false(flags & SENDER_SACKED && flags & SENDER_LOST);
		if (flags & SENDER_LOST && !(flags & SENDER_RETRANS))
			assert_true(flags & SENDER_ON_LOST);
	}
	if (sender__has(sender, FP_SIM_SACK))
		assert_int_equal(sacked, sender->sacked_out);
	assert_int_equal(lost, sender->lost_out);
	assert_int_equal(retrans, sender->retrans_out);
	assert_int_equal(on_sent, sender->sent.count);
	assert_int_equal(on_lost, sender->lost.count);
	assert_true(sender->sacked_out + sender->lost_out <=
		    sender__packets_out(sender));
	if (sender->is_open)
		assert_true(sender->control.cwnd_pkts >= 1);
	check_list(sender, &sender->sent, SENDER_ON_SENT);
	check_list(sender, &sender->lost, SENDER_ON_LOST);
	check_runs(sender);
	if (sender->snd_una < sender->snd_nxt)
		assert_true(sim_sender_wake_ns(sender) != FP_TIME_NEVER);
}

/* --- The loop --------------------------------------------------------------
 */

static uint32_t earliest(const struct world *world)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < world->count; i++) {
		const struct flying *a = &world->flying[i];
		const struct flying *b = &world->flying[first];

		if (a->due_ns < b->due_ns ||
		    (a->due_ns == b->due_ns && a->order < b->order))
			first = i;
	}
	return first;
}

static void arrive(struct world *world, uint32_t number, uint64_t now_ns)
{
	struct sim_segment segment = world->flying[number].segment;
	int result;

	world->flying[number] = world->flying[--world->count];
	if (segment.is_back)
		result = sim_sender_receive(world->sender, &segment, now_ns);
	else
		result =
		    sim_receiver_receive(world->receiver, &segment, 1, now_ns);
	assert_int_equal(result, 0);
}

static uint64_t step(struct world *world)
{
	uint64_t sender_ns = sim_sender_wake_ns(world->sender);
	uint64_t receiver_ns = sim_receiver_wake_ns(world->receiver);
	uint32_t number = earliest(world);
	uint64_t now_ns = sender_ns < receiver_ns ? sender_ns : receiver_ns;

	if (world->count && world->flying[number].due_ns <= now_ns) {
		now_ns = world->flying[number].due_ns;
		arrive(world, number, now_ns);
	} else if (sender_ns <= receiver_ns) {
		assert_int_equal(sim_sender_wake(world->sender, now_ns), 0);
	} else {
		assert_int_equal(sim_receiver_wake(world->receiver, now_ns), 0);
	}
	check(world->sender);
	return now_ns;
}

static void transfer(struct world *world, const char *algorithm,
		     uint32_t without)
{
	const struct fp_sim_tcp tcp = {
		.without = without,
		.initial_cwnd_pkts = 10,
		.ack_every_pkts = 2,
		.min_rto_ns = 200 * MS,
		.rmem_max_bytes = 6 << 20,
		.wmem_max_bytes = 4 << 20,
		.window_share_x256 = 128,
		.clock_hz = 250,
		.has_ecn = true,
	};
	const struct sim_port port = { transmit, world };
	const struct sim_supply supply = { TRANSFER, 1, true };
	const struct sim_receiver_config receiver_config = { .mss_bytes = MSS,
							     .tcp = tcp,
							     .port = port };
	struct fp_cc_config cc;
	struct sim_sender_config config = { .mss_bytes = MSS,
					    .seed = 7,
					    .start_pkts = UINT32_MAX - 150,
					    .cc = &cc,
					    .tcp = tcp,
					    .port = port };

	assert_null(fp_cc_parse(algorithm, &cc));
	world->receiver = sim_receiver_new(&receiver_config);
	world->sender = sim_sender_new(&config);
	sim_sender_start(world->sender, 0);
	sim_sender_supply(world->sender, &supply, 0);
	while (sim_sender_acked(world->sender) < TRANSFER)
		assert_true(step(world) < PATIENCE_NS);
	assert_int_equal(sim_receiver_next(world->receiver), TRANSFER);
	assert_int_equal(sim_receiver_bytes(world->receiver),
			 (TRANSFER - 1) * MSS + 1);
	assert_int_equal(world->sender->lost_out, 0);
	assert_int_equal(sender__inflight(world->sender), 0);
	sim_sender_free(world->sender);
	sim_receiver_free(world->receiver);
}

static void test_any_network(void **state)
{
	static const char *const algorithms[] = { "reno", "cubic", "bbr" };
	struct world *world = calloc(1, sizeof(*world));

	for (uint32_t seed = 0; seed < 240; seed++) {
		uint32_t part = seed % (FP_SIM_PARTS + 1);
		uint32_t without = part < FP_SIM_PARTS ? 1u << part : 0;

		memset(world, 0, sizeof(*world));
		fp_prng_init(&world->prng, seed, 0);
		world->loss_percent = (uint32_t)fp_prng_next(&world->prng) % 30;
		world->reorder_percent =
		    (uint32_t)fp_prng_next(&world->prng) % 4 * 20;
		world->double_percent =
		    (uint32_t)fp_prng_next(&world->prng) % 3 * 5;
		transfer(world, algorithms[seed % 3], without);
	}
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
