/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The chain: what holds whatever the stages are. */
#include "link_driver.h"

/* A chain whose answer is known by arithmetic: 1 + 2 + … + 13 = 91 ms. */
static void thirteen_delays_add_up_exactly(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 13 };
	struct driver driver;

	for (uint32_t i = 0; i < 13; i++) {
		config.stages[i].kind = FP_STAGE_DELAY;
		config.stages[i].delay.delay_ns = (i + 1) * MS;
	}
	driver_open(&driver, &config);
	driver_push(&driver, 7, 1500);
	driver_push(&driver, 8, 40);
	/* All 13 lie behind the first event, 1 ms from now: 12 + … + 2 more. */
	assert_int_equal(fp_path_wake_ns(driver.path), 91 * MS + 7);
	driver_pop(&driver, 91 * MS + 6);
	assert_int_equal(driver.out_count, 0);
	driver_pop(&driver, 200 * MS);
	assert_int_equal(driver.out_count, 2);
	assert_int_equal(driver.out[0].time_ns, 91 * MS + 7);
	assert_int_equal(driver.out[1].time_ns, 91 * MS + 8);
	assert_int_equal(driver.out[1].ref, 1);
	assert_int_equal(fp_path_inflight_pkts(driver.path), 0);
	assert_int_equal(fp_path_wake_ns(driver.path), FP_TIME_NEVER);
	driver_close(&driver);
}

/* A hint of what leaves next: the head of a last delay, then what has left and
 * was not popped; nothing where the last stage is a link. */
static void the_next_packet_can_be_seen(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 1 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = 5 * MS;
	driver_open(&driver, &config);
	assert_null(fp_path_peek(driver.path));
	driver_push(&driver, 0, 100);
	driver_push(&driver, 1 * MS, 200);
	assert_int_equal(fp_path_peek(driver.path)->ref, 0);
	driver_pop(&driver, 5 * MS);
	assert_int_equal(fp_path_peek(driver.path)->ref, 1);
	driver_push(&driver, 7 * MS, 300); /* number 1 has left meanwhile */
	assert_int_equal(fp_path_peek(driver.path)->ref, 1);
	driver_pop(&driver, 7 * MS);
	assert_int_equal(fp_path_peek(driver.path)->ref, 2);
	driver_close(&driver);
	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 1000;
	driver_open(&driver, &config);
	driver_push(&driver, 0, 100);
	assert_null(fp_path_peek(driver.path));
	driver_close(&driver);
}

static void empty_chain_passes_at_once(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 4 };
	struct driver driver;

	driver_open(&driver, &config);
	driver_push(&driver, 5, 100);
	assert_int_equal(fp_path_wake_ns(driver.path), 5);
	driver_pop(&driver, 4);
	assert_int_equal(driver.out_count, 0);
	driver_pop(&driver, 5);
	assert_int_equal(driver.out_count, 1);
	assert_int_equal(driver.out[0].fate, FP_FATE_DELIVERED);
	assert_int_equal(driver.out[0].time_ns, 5);
	driver_close(&driver);
}

/* Of 10 packets at once into room for 6, 4 are told as overrun, and the room
 * is free again when those that were inside have left. */
static void overrun_is_told(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 6, .stage_count = 1 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = MS;
	driver_open(&driver, &config);
	for (int i = 0; i < 10; i++)
		driver_push(&driver, 0, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_LOST_OVERRUN), 4);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 6);
	driver_push(&driver, 2 * MS, 100);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 7);
	driver_close(&driver);
}

static void time_does_not_run_backwards(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 6, .stage_count = 1 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = MS;
	driver_open(&driver, &config);
	driver_push(&driver, 10, 100);
	driver_push(&driver, 4, 100);
	driver_drain(&driver);
	assert_int_equal(driver.out[1].time_ns, MS + 10);
	driver_close(&driver);
}

/* A link of 8 Mbit/s (1 ms a packet of 1000 bytes) and 50 ms of delay: nobody
 * has to wake for what the link does; the first packet is out at 51 ms. */
static void wake_looks_behind_the_delay(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 2 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 8000000;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = 50 * MS;
	driver_open(&driver, &config);
	for (int i = 0; i < 5; i++)
		driver_push(&driver, 0, 1000);
	for (uint64_t i = 1; i <= 5; i++) {
		assert_int_equal(fp_path_wake_ns(driver.path), (50 + i) * MS);
		driver_pop(&driver, (50 + i) * MS);
		assert_int_equal(driver.out_count, i);
	}
	driver_close(&driver);
}

/* A reorder stage can send a packet past the delay that follows, so that delay
 * cannot be counted on; the one after it can. */
static void wake_knows_that_reorder_skips(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 4 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_REORDER;
	config.stages[0].reorder.probability_ppm = FP_PPM_ONE;
	config.stages[1].kind = FP_STAGE_LINK;
	config.stages[1].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[1].link.rate.rate_bps = 8000000;
	config.stages[2].kind = FP_STAGE_DELAY;
	config.stages[2].delay.delay_ns = 50 * MS;
	config.stages[3].kind = FP_STAGE_DELAY;
	config.stages[3].delay.delay_ns = 7 * MS;
	driver_open(&driver, &config);
	driver_push(&driver, 0, 1000);
	assert_int_equal(fp_path_wake_ns(driver.path), 8 * MS);
	driver_pop(&driver, 8 * MS);
	assert_int_equal(driver.out_count, 1);
	driver_close(&driver);
}

static void push_unit(struct driver *driver, uint64_t time_ns, uint32_t unit,
		      uint16_t index)
{
	struct fp_pkt pkt = { .ref = driver->pushed++,
			      .time_ns = time_ns,
			      .len_bytes = 100,
			      .unit = unit,
			      .index = index };

	fp_path_push(driver->path, &pkt);
}

/*
 * merge_ns = 1 ms behind 10 ms: packets of a super-packet leave together at the
 * time of the last one that is due within 1 ms of the first; a gap in the
 * numbers, another super-packet, or 1 ms and more begin a new run.
 */
static void runs_leave_together(void **state)
{
	const struct {
		uint64_t time_us;
		uint32_t unit;
		uint16_t index;
		uint64_t leaves_us;
	} rows[] = {
		{ 0, 1, 0, 11000 },    { 400, 1, 1, 11000 },
		{ 1000, 1, 2, 11000 }, /* just within 1 ms */
		{ 1001, 1, 3, 11701 }, /* not: a new run */
		{ 1701, 1, 4, 11701 }, { 1702, 1, 6, 11702 }, /* 5 is lost */
		{ 1703, 2, 7, 11703 },                        /* another unit */
		{ 1704, 2, 7, 11704 },                        /* a copy */
		{ 1705, 3, 0, 11706 }, { 1706, 3, 1, 11706 },
	};
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 1,
					 .merge_ns = MS };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = 10 * MS;
	driver_open(&driver, &config);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		push_unit(&driver, rows[i].time_us * US, rows[i].unit,
			  rows[i].index);
	driver_drain(&driver);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(driver.out[i].ref, i);
		assert_int_equal(driver.out[i].time_ns, rows[i].leaves_us * US);
	}
	driver_close(&driver);
}

/* A delay below merge_ns could be over before the run is: no runs. Nor in a
 * delay that is not the last stage. */
static void no_runs_where_they_cannot_wait(void **state)
{
	for (uint32_t stage_count = 1; stage_count <= 2; stage_count++) {
		struct fp_path_config config = { .capacity_pkts = 16,
						 .stage_count = stage_count,
						 .merge_ns = 2 * MS };
		struct driver driver;

		config.stages[0].kind = FP_STAGE_DELAY;
		config.stages[0].delay.delay_ns =
		    stage_count == 1 ? 2 * MS - 1 : 10 * MS;
		config.stages[1].kind = FP_STAGE_LOSS;
		driver_open(&driver, &config);
		for (uint16_t i = 0; i < 4; i++)
			push_unit(&driver, i * US, 1, i);
		driver_drain(&driver);
		for (uint64_t i = 0; i < 4; i++)
			assert_int_equal(driver.out[i].time_ns,
					 config.stages[0].delay.delay_ns +
					     i * US);
		driver_close(&driver);
	}
}

/* At most 1 ms, a tenth of the round trip (both delays), and the way's last
 * delay; none where no delay comes last. */
static void runs_wait_no_longer_than_suits_the_path(void **state)
{
	static const struct {
		uint64_t delay_ns, other_ns, merge_ns;
	} rows[] = {
		{ 50 * MS, 50 * MS, MS },        { 5 * MS, 5 * MS, MS },
		{ 2 * MS, 2 * MS, 400 * US },    { 3 * MS, 0, 300 * US },
		{ 100 * US, 20 * MS, 100 * US }, { 0, 100 * MS, 0 },
	};
	struct fp_path_config way = { .stage_count = 2 };
	struct fp_path_config other = { .stage_count = 1 };

	way.stages[0].kind = FP_STAGE_LOSS;
	way.stages[1].kind = other.stages[0].kind = FP_STAGE_DELAY;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		way.stages[1].delay.delay_ns = rows[i].delay_ns;
		other.stages[0].delay.delay_ns = rows[i].other_ns;
		assert_int_equal(fp_path_merge_ns(&way, &other),
				 rows[i].merge_ns);
	}
	way.stages[0] = way.stages[1];
	way.stages[1].kind = FP_STAGE_LINK;
	assert_int_equal(fp_path_merge_ns(&way, &other), 0);
	way.stage_count = 0;
	assert_int_equal(fp_path_merge_ns(&way, &other), 0);
}

/* A run is over when it has left, even if its super-packet goes on: merge_ns
 * and delay are both 1 ms, the second packet comes when the first leaves. */
static void run_that_left_is_over(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 1,
					 .merge_ns = MS };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = MS;
	driver_open(&driver, &config);
	push_unit(&driver, 0, 1, 0);
	push_unit(&driver, MS, 1, 1);
	driver_drain(&driver);
	assert_int_equal(driver.out[0].time_ns, MS);
	assert_int_equal(driver.out[1].time_ns, 2 * MS);
	driver_close(&driver);
}

/* Of room for a million packets, in a delay that reorders and FQ-CoDel's 1024
 * queues, only what is used is written: 100 KB at the start (the queues), and
 * then a few nodes, since those freed last are used first. */
static void memory_is_touched_only_where_used(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 1000000,
					 .stage_count = 2 };
	size_t bytes, touched = 0;
	struct fp_path *path;
	struct fp_pkt pkt = { .len_bytes = 100 };
	uint8_t *mem;

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 1000000000;
	config.stages[0].link.queue.qdisc = FP_QDISC_FQ_CODEL;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = 5 * US;
	config.stages[1].delay.jitter_ns = US;
	bytes = fp_path_size_bytes(&config);
	assert_true(bytes > 100000000);
	mem = malloc(bytes);
	assert_non_null(mem);
	memset(mem, 0xa5, bytes);
	path = fp_path_init(mem, bytes, &config);
	for (; pkt.time_ns < 10 * MS; pkt.time_ns += 2 * US) {
		struct fp_pkt out;

		fp_path_push(path, &pkt);
		while (fp_path_pop(path, pkt.time_ns, &out))
			;
	}
	for (size_t i = 0; i < bytes; i++)
		touched += mem[i] != 0xa5;
	assert_true(touched < 120000);
	free(mem);
}

static void init_refuses_too_little_memory(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16 };
	size_t bytes = fp_path_size_bytes(&config);
	void *mem = malloc(bytes);

	assert_non_null(mem);
	assert_null(fp_path_init(mem, bytes - 1, &config));
	assert_non_null(fp_path_init(mem, bytes, &config));
	config.capacity_pkts = 0;
	assert_null(fp_path_init(mem, bytes, &config));
	assert_int_equal(fp_path_size_bytes(&config), 0);
	free(mem);
}

/* Lengths that no packet has, and sums near the end of 64 bits, neither crash
 * nor run backwards (undefined behaviour is fatal in this build). */
static void extremes_stay_in_range(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 2 };
	struct driver driver;

	config.l2_bytes = 65535;
	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 1;
	config.stages[0].link.rate.overhead_bytes = 65535;
	config.stages[0].link.rate.cell_bytes = 1;
	config.stages[0].link.rate.cell_overhead_bytes = 4096;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = UINT64_C(1) << 40;
	config.stages[1].delay.jitter_ns = UINT64_C(1) << 40;
	config.stages[1].delay.dist = FP_DIST_PARETO;
	driver_open(&driver, &config);
	driver_push(&driver, 0, UINT32_MAX);
	driver_drain(&driver);
	assert_int_equal(driver.out_count, 1);
	/* 3 x 65535 bytes of 1 + 4096 each, at 8 s a byte; then 0 … 91 min. */
	assert_in_range(driver.out[0].time_ns / S,
			UINT64_C(3) * 65535 * 4097 * 8,
			UINT64_C(3) * 65535 * 4097 * 8 + 91 * 60);
	driver_close(&driver);
}

/* Two stages that corrupt half each spare a quarter of 10,000 packets, not the
 * same half: 2500, sd 43. Two directions agree on 1/4² + 3/4² = 5/8 of them:
 * 6250, sd 48. */
static void stages_and_directions_draw_apart(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 64,
					 .stage_count = 2 };
	struct driver drivers[2];
	size_t alike = 0;

	for (uint32_t i = 0; i < 2; i++) {
		config.stages[i].kind = FP_STAGE_CORRUPT;
		config.stages[i].chance.probability_ppm = 500000;
	}
	for (uint32_t way = 0; way < 2; way++) {
		size_t spared = 0;

		config.direction = way;
		driver_open(&drivers[way], &config);
		for (uint64_t i = 0; i < 10000; i++) {
			driver_push(&drivers[way], i, 100);
			driver_pop(&drivers[way], i);
			spared += drivers[way].out[i].flags == 0;
		}
		assert_in_range(spared, 2500 - 195, 2500 + 195);
	}
	for (size_t i = 0; i < 10000; i++)
		alike += drivers[0].out[i].flags == drivers[1].out[i].flags;
	assert_in_range(alike, 6250 - 218, 6250 + 218);
	driver_close(&drivers[0]);
	driver_close(&drivers[1]);
}

/* Of two equal links in a row the second one is free just when the first one's
 * next packet comes: nothing ever waits there. */
static void link_finishes_before_it_looks_at_arrivals(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 64,
					 .stage_count = 2 };
	struct driver driver;

	for (uint32_t i = 0; i < 2; i++) {
		config.stages[i].kind = FP_STAGE_LINK;
		config.stages[i].link.rate.kind = FP_RATE_CONSTANT;
		config.stages[i].link.rate.rate_bps = 8000000;
	}
	driver_open(&driver, &config);
	for (int i = 0; i < 20; i++)
		driver_push(&driver, 0, 1000);
	driver_drain(&driver);
	assert_int_equal(driver_counters(&driver, 0).queue_max_pkts, 19);
	assert_int_equal(driver_counters(&driver, 1).queue_max_pkts, 0);
	driver_close(&driver);
}

/* A table of jitter can take off 4 times the jitter: 1 ms on the link and
 * 50 - 4 x 10 ms behind it. */
static void wake_knows_the_least_jitter(void **state)
{
	struct fp_path_config config = { .capacity_pkts = 16,
					 .stage_count = 2 };
	struct driver driver;

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 8000000;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = 50 * MS;
	config.stages[1].delay.jitter_ns = 10 * MS;
	config.stages[1].delay.dist = FP_DIST_NORMAL;
	driver_open(&driver, &config);
	driver_push(&driver, 0, 1000);
	assert_int_equal(fp_path_wake_ns(driver.path), 11 * MS);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirteen_delays_add_up_exactly),
		cmocka_unit_test(the_next_packet_can_be_seen),
		cmocka_unit_test(empty_chain_passes_at_once),
		cmocka_unit_test(overrun_is_told),
		cmocka_unit_test(time_does_not_run_backwards),
		cmocka_unit_test(wake_looks_behind_the_delay),
		cmocka_unit_test(wake_knows_that_reorder_skips),
		cmocka_unit_test(runs_leave_together),
		cmocka_unit_test(no_runs_where_they_cannot_wait),
		cmocka_unit_test(runs_wait_no_longer_than_suits_the_path),
		cmocka_unit_test(run_that_left_is_over),
		cmocka_unit_test(memory_is_touched_only_where_used),
		cmocka_unit_test(init_refuses_too_little_memory),
		cmocka_unit_test(extremes_stay_in_range),
		cmocka_unit_test(stages_and_directions_draw_apart),
		cmocka_unit_test(link_finishes_before_it_looks_at_arrivals),
		cmocka_unit_test(wake_knows_the_least_jitter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
