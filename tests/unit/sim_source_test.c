/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define MS  UINT64_C(1000000)
#define S   UINT64_C(1000000000)
#define MSS 1000u

static struct sim_source source;

/* Works off everything up to a time. */
static void run_until(uint64_t sent_pkts, uint64_t until_ns)
{
	while (source.wake_ns <= until_ns)
		(void)sim_source_wake(&source, sent_pkts, source.wake_ns);
}

static void bulk_is_endless_until_it_stops(void **state)
{
	const struct fp_sim_flow flow = {
		.source.kind = FP_SIM_BULK,
		.start_ns = 5 * MS,
		.stop_ns = 9 * MS,
	};

	sim_source_init(&source, &flow, MSS);
	assert_int_equal(source.wake_ns, 5 * MS);
	assert_int_equal(source.supply.end, 0);
	assert_true(sim_source_wake(&source, 0, 5 * MS));
	assert_int_equal(source.supply.end, UINT64_MAX);
	assert_false(source.supply.is_finished);
	assert_int_equal(source.wake_ns, 9 * MS);
	/* 77 packets have gone by then, and stand */
	assert_true(sim_source_wake(&source, 77, 9 * MS));
	assert_int_equal(source.supply.end, 77);
	assert_true(source.supply.is_finished);
	assert_int_equal(source.wake_ns, FP_TIME_NEVER);
}

/* 2500 bytes are two packets of 1000 and one of 500. */
static void a_transfer_ends_with_a_short_packet(void **state)
{
	const struct fp_sim_flow flow = {
		.source = { .kind = FP_SIM_TRANSFER, .bytes = 2500 },
	};
	const struct fp_sim_flow whole = {
		.source = { .kind = FP_SIM_TRANSFER, .bytes = 3000 },
	};

	sim_source_init(&source, &flow, MSS);
	run_until(0, 0);
	assert_int_equal(source.supply.end, 3);
	assert_int_equal(source.supply.last_bytes, 500);
	assert_true(source.supply.is_finished);
	sim_source_init(&source, &whole, MSS);
	run_until(0, 0);
	assert_int_equal(source.supply.end, 3);
	assert_int_equal(source.supply.last_bytes, 1000);
}

/* Cut after 40 of 100 packets; one whose packets have all gone is left. */
static void a_transfer_can_be_cut_off(void **state)
{
	const struct fp_sim_flow flow = {
		.source = { .kind = FP_SIM_TRANSFER, .bytes = 99 * MSS + 1 },
		.stop_ns = 10 * MS,
	};

	sim_source_init(&source, &flow, MSS);
	run_until(40, 10 * MS);
	assert_int_equal(source.supply.end, 40);
	assert_int_equal(source.supply.last_bytes, MSS);
	sim_source_init(&source, &flow, MSS);
	run_until(100, 10 * MS);
	assert_int_equal(source.supply.end, 100);
	assert_int_equal(source.supply.last_bytes, 1);
}

/* 3 Mbit/s in packets of 8000 bits: one each 2666666 2/3 ns, and three are 8 ms
 * exactly, for ever. */
static void a_stream_keeps_its_rate_without_drift(void **state)
{
	const struct fp_sim_flow flow = {
		.source = { .kind = FP_SIM_STREAM, .rate_bps = 3000000 },
		.start_ns = 1 * S,
		.stop_ns = 101 * S,
	};

	sim_source_init(&source, &flow, MSS);
	run_until(0, 1 * S + 2666665);
	assert_int_equal(source.supply.end, 0);
	run_until(0, 1 * S + 2666666);
	assert_int_equal(source.supply.end, 1);
	run_until(0, 1 * S + 8 * MS - 1);
	assert_int_equal(source.supply.end, 2);
	run_until(0, 1 * S + 8 * MS);
	assert_int_equal(source.supply.end, 3);
	run_until(0, 101 * S - 1);
	assert_int_equal(source.supply.end, 37499); /* 100 s x 375 a second */
	run_until(0, 200 * S);
	assert_int_equal(source.supply.end, 37500);
	assert_true(source.supply.is_finished);
}

static void on_and_off_take_turns(void **state)
{
	const struct fp_sim_flow flow = {
		.source = { .kind = FP_SIM_ON_OFF,
			    .on_ns = 3 * MS,
			    .off_ns = 7 * MS },
	};

	sim_source_init(&source, &flow, MSS);
	for (uint64_t cycle = 0; cycle < 5; cycle++) {
		run_until(0, cycle * 10 * MS);
		assert_int_equal(source.supply.end, UINT64_MAX);
		run_until(0, (cycle * 10 + 3) * MS - 1);
		assert_int_equal(source.supply.end, UINT64_MAX);
		run_until(12 * cycle, (cycle * 10 + 3) * MS);
		assert_int_equal(source.supply.end, 12 * cycle);
		assert_false(source.supply.is_finished);
	}
}

/* Replies of 1001 bytes take two whole packets. A request that is told again
 * asks for nothing new. */
static void each_request_is_answered_once(void **state)
{
	const struct fp_sim_flow flow = {
		.source = { .kind = FP_SIM_REQUESTS, .bytes = 1001 },
		.stop_ns = 10 * MS,
	};

	sim_source_init(&source, &flow, MSS);
	run_until(0, 0);
	assert_int_equal(source.supply.end, 0);
	assert_int_equal(sim_source_request_bytes(&flow), 100);
	assert_int_equal(sim_source_reply_pkts(&source), 2);
	assert_true(sim_source_ask(&source, 1));
	assert_false(sim_source_ask(&source, 1));
	assert_int_equal(source.supply.end, 2);
	assert_true(sim_source_ask(&source, 4));
	assert_int_equal(source.supply.end, 8);
	run_until(0, 10 * MS); /* what was asked for goes out */
	assert_int_equal(source.supply.end, 8);
	assert_false(sim_source_ask(&source, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bulk_is_endless_until_it_stops),
		cmocka_unit_test(a_transfer_ends_with_a_short_packet),
		cmocka_unit_test(a_transfer_can_be_cut_off),
		cmocka_unit_test(a_stream_keeps_its_rate_without_drift),
		cmocka_unit_test(on_and_off_take_turns),
		cmocka_unit_test(each_request_is_answered_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
