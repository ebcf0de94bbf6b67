/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates that change, overheads, mahimahi's traces. */
#include "link_driver.h"

static struct fp_path_config link_config(struct fp_rate_config rate)
{
	struct fp_path_config config = { .capacity_pkts = 20000,
					 .stage_count = 1 };

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate = rate;
	return config;
}

/* Sends one packet of len_bytes at 8 Mbit/s (1 us a byte), L2 header of 14. */
static uint64_t charged_bytes(struct fp_rate_config rate, uint32_t len_bytes)
{
	struct fp_path_config config;
	struct driver driver;
	uint64_t bytes;

	rate.kind = FP_RATE_CONSTANT;
	rate.rate_bps = 8000000;
	config = link_config(rate);
	config.l2_bytes = 14;
	driver_open(&driver, &config);
	driver_push(&driver, 0, len_bytes);
	driver_drain(&driver);
	assert_int_equal(driver.out[0].time_ns % US, 0);
	bytes = driver.out[0].time_ns / US;
	driver_close(&driver);
	return bytes;
}

/* tc-netem(8), "rate": overhead is added to each packet, then it takes whole
 * cells, and each cell has an overhead of its own. */
static void overhead_and_cells_are_netems(void **state)
{
	const struct {
		int32_t overhead_bytes;
		uint32_t cell_bytes;
		int32_t cell_overhead_bytes;
		uint32_t len_bytes;
		uint64_t expected_bytes;
	} rows[] = {
		{ 0, 0, 0, 100, 114 },       /* L2 alone */
		{ 20, 0, 0, 100, 134 },      /* preamble, FCS, gap */
		{ -14, 0, 0, 100, 100 },     /* down to the IP packet */
		{ -200, 0, 0, 100, 0 },      /* never below nothing */
		{ 0, 48, 5, 34, 53 },        /* ATM: 48 bytes fit one cell */
		{ 0, 48, 5, 35, 2 * 53 },    /* 49 do not */
		{ 8, 48, 5, 1500, 32 * 53 }, /* 1522 bytes: 31.7 cells */
		{ 0, 48, -48, 100, 0 },      /* cells of no size */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fp_rate_config rate = {
			.overhead_bytes = rows[i].overhead_bytes,
			.cell_bytes = rows[i].cell_bytes,
			.cell_overhead_bytes = rows[i].cell_overhead_bytes
		};

		assert_int_equal(charged_bytes(rate, rows[i].len_bytes),
				 rows[i].expected_bytes);
	}
}

/*
 * Packets of 10,000 bits from 7 s on; 1 Mbit/s = 10 ms each. At 15 ms the link
 * goes to 4 Mbit/s: packet 2 has had 5000 bits by then and needs 1.25 ms for
 * the rest. At 20 ms it stands still, at 120 ms it goes on with 2 Mbit/s;
 * packet 3 was sent 16.25 … 18.75 ms, packet 4 got 5000 bits in 1.25 ms and
 * needs 2.5 ms.
 */
static void packet_under_way_is_served_at_both_rates(void **state)
{
	const struct fp_rate_step steps[] = { { 15 * MS, 4000000 },
					      { 20 * MS, 0 },
					      { 120 * MS, 2000000 } };
	const uint64_t expected_us[] = { 10000, 16250, 18750, 122500, 127500 };
	struct fp_path_config config =
	    link_config((struct fp_rate_config){ .kind = FP_RATE_STEPS,
						 .rate_bps = 1000000,
						 .steps = steps,
						 .step_count = 3 });
	struct driver driver;

	driver_open(&driver, &config);
	for (int i = 0; i < 5; i++)
		driver_push(&driver, 7 * S, 1250);
	driver_drain(&driver);
	for (int i = 0; i < 5; i++)
		assert_int_equal(driver.out[i].time_ns,
				 7 * S + expected_us[i] * US);
	driver_close(&driver);
}

/* Many packets over many steps: what is sent by a time is the integral of the
 * rate. 1000 steps of 1 ms alternate between 3 and 7 Mbit/s: 5000 bits a ms in
 * pairs of 10,000, so packet n of 1000 bits ends each pair at 2 ms x n / 10. */
static void steps_are_integrated_exactly(void **state)
{
	static struct fp_rate_step steps[1000];
	struct fp_path_config config = link_config((struct fp_rate_config){
	    .kind = FP_RATE_STEPS, .steps = steps, .step_count = 1000 });
	struct driver driver;

	for (uint64_t i = 0; i < 1000; i++) {
		steps[i].at_ns = i * MS;
		steps[i].rate_bps = i % 2 ? 7000000 : 3000000;
	}
	driver_open(&driver, &config);
	for (int i = 0; i < 5000; i++)
		driver_push(&driver, 0, 125);
	driver_drain(&driver);
	for (uint64_t i = 10; i <= 5000; i += 10)
		assert_int_equal(driver.out[i - 1].time_ns, 2 * MS * i / 10);
	driver_close(&driver);
}

static void link_that_stands_still_holds(void **state)
{
	const struct fp_rate_step steps[] = { { MS, 0 } };
	struct fp_path_config config =
	    link_config((struct fp_rate_config){ .kind = FP_RATE_STEPS,
						 .rate_bps = 8000000,
						 .steps = steps,
						 .step_count = 1 });
	struct driver driver;

	driver_open(&driver, &config);
	driver_push(&driver, 0, 1000);
	driver_push(&driver, 0, 1);
	driver_drain(&driver);
	assert_int_equal(driver.out_count, 1);
	assert_int_equal(driver.out[0].time_ns, MS);
	assert_int_equal(fp_path_wake_ns(driver.path), FP_TIME_NEVER);
	assert_int_equal(fp_path_inflight_pkts(driver.path), 1);
	driver_close(&driver);
}

/*
 * mahimahi: slots at 1, 1, 3 and 10 ms, repeated each 10 ms; a packet of 1500
 * counts 1504, one slot. Six at once use 1, 1, 3, 10, 11, 11 ms.
 */
static void trace_slots_repeat(void **state)
{
	const uint32_t slots_ms[] = { 1, 1, 3, 10 };
	const uint64_t expected_ms[] = { 1, 1, 3, 10, 11, 11 };
	struct fp_path_config config = link_config((struct fp_rate_config){
	    .kind = FP_RATE_TRACE, .trace_ms = slots_ms, .trace_count = 4 });
	struct driver driver;

	config.l2_bytes = 14; /* does not count here */
	driver_open(&driver, &config);
	for (int i = 0; i < 6; i++)
		driver_push(&driver, 5 * S, 1500);
	driver_drain(&driver);
	for (int i = 0; i < 6; i++)
		assert_int_equal(driver.out[i].time_ns,
				 5 * S + expected_ms[i] * MS);
	driver_close(&driver);
}

/*
 * Slots each ms. 748 + 4 = 752 bytes are half a slot: two packets share one.
 * 2256 + 752 = 3008 bytes: a large one takes a slot and a half, a small one the
 * rest of the second. What a slot has left when nothing waits is lost.
 */
static void trace_slots_are_shared_and_split(void **state)
{
	const uint32_t slots_ms[] = { 1 };
	const uint64_t expected_ms[] = { 1, 1, 3, 3, 4 };
	const uint32_t len_bytes[] = { 748, 748, 2252, 748, 1 };
	struct fp_path_config config = link_config((struct fp_rate_config){
	    .kind = FP_RATE_TRACE, .trace_ms = slots_ms, .trace_count = 1 });
	struct driver driver;

	driver_open(&driver, &config);
	for (int i = 0; i < 5; i++)
		driver_push(&driver, 0, len_bytes[i]);
	driver_pop(&driver, 50 * MS);
	for (int i = 0; i < 5; i++)
		assert_int_equal(driver.out[i].time_ns, expected_ms[i] * MS);
	/* A packet cannot use the slot of the ms it comes at. */
	driver_push(&driver, 100 * MS, 1500);
	driver_push(&driver, 200 * MS + 1, 1500);
	driver_drain(&driver);
	assert_int_equal(driver.out[5].time_ns, 101 * MS);
	assert_int_equal(driver.out[6].time_ns, 201 * MS);
	driver_close(&driver);
}

/* A burst of slots at one ms, then long nothing, over many periods: slot i of
 * period k at 100 k + i-th time. */
static void trace_runs_over_many_periods(void **state)
{
	const uint32_t slots_ms[] = { 0, 5, 5, 40, 100 };
	struct fp_path_config config = link_config((struct fp_rate_config){
	    .kind = FP_RATE_TRACE, .trace_ms = slots_ms, .trace_count = 5 });
	struct driver driver;

	driver_open(&driver, &config);
	for (int i = 0; i < 5000; i++)
		driver_push(&driver, 0, 1500);
	driver_drain(&driver);
	/* The first slot, at 0, is the moment of arrival: not usable. */
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(driver.out[i - 1].time_ns,
				 (i / 5 * 100 + slots_ms[i % 5]) * MS);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overhead_and_cells_are_netems),
		cmocka_unit_test(packet_under_way_is_served_at_both_rates),
		cmocka_unit_test(steps_are_integrated_exactly),
		cmocka_unit_test(link_that_stands_still_holds),
		cmocka_unit_test(trace_slots_repeat),
		cmocka_unit_test(trace_slots_are_shared_and_split),
		cmocka_unit_test(trace_runs_over_many_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
