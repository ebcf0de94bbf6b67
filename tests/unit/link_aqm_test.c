/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue disciplines: limits, CoDel's control law, FQ-CoDel's fairness, RED. */
#include <math.h>

#include "link_driver.h"

/* 8 Mbit/s: 1 us a byte, 1 ms a packet of 1000 bytes. */
static struct fp_path_config aqm_config(struct fp_queue_config queue)
{
	struct fp_path_config config = { .seed = 2,
					 .capacity_pkts = 100000,
					 .stage_count = 1 };

	config.stages[0].kind = FP_STAGE_LINK;
	config.stages[0].link.rate.kind = FP_RATE_CONSTANT;
	config.stages[0].link.rate.rate_bps = 8000000;
	config.stages[0].link.queue = queue;
	return config;
}

static void push_flow(struct driver *driver, uint64_t time_ns, uint32_t flow,
		      uint8_t ecn)
{
	struct fp_pkt pkt = { .ref = driver->pushed++,
			      .time_ns = time_ns,
			      .len_bytes = 1000,
			      .flow = flow,
			      .ecn = ecn,
			      .unit = (uint32_t)driver->pushed };

	fp_path_push(driver->path, &pkt);
}

/* What waits may take the link up to 10 ms: ten packets of 1 ms, besides the
 * one that is being sent; nine if the limit is 1 ns less. */
static void time_limit_is_at_the_rate_of_the_moment(void **state)
{
	for (uint64_t less_ns = 0; less_ns < 2; less_ns++) {
		struct fp_path_config config = aqm_config(
		    (struct fp_queue_config){ .limit_ns = 10 * MS - less_ns });
		struct driver driver;

		driver_open(&driver, &config);
		for (int i = 0; i < 30; i++)
			driver_push(&driver, 0, 1000);
		driver_drain(&driver);
		assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED),
				 11 - less_ns);
		driver_close(&driver);
	}
}

/* The same limit on a link that steps from 8 to 16 Mbit/s at 1 s: then twenty
 * packets fit. */
static void time_limit_follows_the_steps(void **state)
{
	const struct fp_rate_step steps[] = { { S, 16000000 } };
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .limit_ns = 10 * MS });
	struct driver driver;

	config.stages[0].link.rate.kind = FP_RATE_STEPS;
	config.stages[0].link.rate.steps = steps;
	config.stages[0].link.rate.step_count = 1;
	driver_open(&driver, &config);
	for (int i = 0; i < 30; i++)
		driver_push(&driver, 0, 1000);
	driver_pop(&driver, S);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 11);
	for (int i = 0; i < 30; i++)
		driver_push(&driver, 2 * S, 1000);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_DELIVERED), 11 + 21);
	driver_close(&driver);
}

/* Collects the times of losses by the queue. */
static size_t loss_times(const struct driver *driver, uint64_t *times,
			 size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < driver->out_count && count < room; i++)
		if (driver->out[i].fate == FP_FATE_LOST_QUEUE)
			times[count++] = driver->out[i].time_ns;
	return count;
}

/* Constant overload: 1.5 packets each ms into a link of one, for 2.4 s. */
static void overload(struct driver *driver, uint8_t ecn)
{
	for (uint64_t i = 0; i < 3600; i++)
		push_flow(driver, i * 2 * MS / 3, 0, ecn);
	driver_drain(driver);
}

/*
 * RFC 8289, 5.3: the first drop comes when waits were above 5 ms for 100 ms.
 * The queue grows by half a packet each ms, so a packet has waited 5 ms for
 * the first time at about 15 ms, and the first drop is at the first departure
 * (a whole ms) 100 ms later. Then drop n + 1 follows drop n by interval /
 * sqrt(n), at the departure that comes next, without the error adding up: the
 * schedule is from due time to due time.
 */
static void codel_follows_its_control_law(void **state)
{
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .qdisc = FP_QDISC_CODEL });
	uint64_t times[60];
	struct driver driver;
	double due_ns;

	driver_open(&driver, &config);
	overload(&driver, FP_ECN_NOT_ECT);
	assert_int_equal(loss_times(&driver, times, 60), 60);
	assert_in_range(times[0], 110 * MS, 118 * MS);
	due_ns = (double)times[0];
	for (int n = 1; n < 40; n++) {
		due_ns += 100e6 / sqrt(n);
		assert_true((double)times[n] >= due_ns - 100);
		assert_true((double)times[n] < due_ns + 1e6);
	}
	assert_int_equal(driver_counters(&driver, 0).lost_aqm,
			 driver_counters(&driver, 0).lost);
	driver_close(&driver);
}

/* A queue whose waits stay just below the target is left alone: 5 packets at
 * once each 6 ms wait 1 … 4 ms. */
static void codel_leaves_short_queues_alone(void **state)
{
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .qdisc = FP_QDISC_CODEL });
	struct driver driver;

	driver_open(&driver, &config);
	for (uint64_t i = 0; i < 5000; i++)
		driver_push(&driver, i / 5 * 6 * MS, 1000);
	driver_drain(&driver);
	assert_int_equal(driver_counters(&driver, 0).lost, 0);
	driver_close(&driver);
}

/* With ECN the same schedule marks, and nothing is dropped. */
static void codel_marks_instead_of_dropping(void **state)
{
	struct fp_path_config config = aqm_config((struct fp_queue_config){
	    .qdisc = FP_QDISC_CODEL, .marks_ecn = true });
	struct driver driver;
	uint64_t first_ns = 0, second_ns = 0;

	driver_open(&driver, &config);
	overload(&driver, FP_ECN_ECT0);
	assert_int_equal(driver_counters(&driver, 0).lost, 0);
	assert_true(driver_counters(&driver, 0).marked > 60);
	for (size_t i = 0; second_ns == 0 && i < driver.out_count; i++) {
		if (!(driver.out[i].flags & FP_PKT_CE_MARKED))
			continue;
		assert_int_equal(driver.out[i].ecn, FP_ECN_CE);
		if (first_ns == 0)
			first_ns = driver.out[i].time_ns;
		else
			second_ns = driver.out[i].time_ns;
	}
	/* Marked on leaving the queue, seen 1 ms later when sent. */
	assert_int_equal(second_ns - first_ns, 100 * MS);
	driver_close(&driver);
}

/* Packets 1 … 10 at once wait 0, 1, … 9 ms: a threshold of 3.5 ms marks those
 * that waited 4 … 9 ms. */
static void ce_threshold_marks_by_wait(void **state)
{
	struct fp_path_config config = aqm_config((struct fp_queue_config){
	    .qdisc = FP_QDISC_CODEL, .ce_threshold_ns = 3500 * US });
	struct driver driver;

	driver_open(&driver, &config);
	for (int i = 0; i < 10; i++)
		push_flow(&driver, 0, 0, FP_ECN_ECT1);
	driver_drain(&driver);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(driver.out[i].ecn,
				 i >= 4 ? FP_ECN_CE : FP_ECN_ECT1);
	driver_close(&driver);
}

/* Longest wait of a flow's packets that came each 50 ms: a packet's own 1 ms is
 * taken off. */
static uint64_t sparse_wait_ns(const struct driver *driver, uint32_t *ret_count)
{
	uint64_t longest_ns = 0;

	*ret_count = 0;
	for (size_t i = 0; i < driver->out_count; i++) {
		uint64_t wait_ns;

		if (driver->out[i].flow != 99 ||
		    driver->out[i].fate != FP_FATE_DELIVERED)
			continue;
		++*ret_count;
		wait_ns = driver->out[i].time_ns % (50 * MS) - MS;
		if (wait_ns > longest_ns)
			longest_ns = wait_ns;
	}
	return longest_ns;
}

/*
 * A sparse flow beside a bulk flow that offers twice the rate. In FQ-CoDel it
 * waits for the packet that is being sent, at most 1 ms, and never for the
 * bulk's queue (RFC 8290, 4.2: new flows first). In CoDel it waits as the bulk
 * does: more than the target of 5 ms; it may lose packets, too.
 */
static void fq_codel_isolates_sparse_flows(void **state)
{
	const enum fp_qdisc qdiscs[] = { FP_QDISC_FQ_CODEL, FP_QDISC_CODEL };

	for (int i = 0; i < 2; i++) {
		struct fp_path_config config =
		    aqm_config((struct fp_queue_config){ .qdisc = qdiscs[i] });
		struct driver driver;
		uint64_t wait_ns;
		uint32_t count;

		driver_open(&driver, &config);
		for (uint64_t n = 0; n < 4000; n++) {
			push_flow(&driver, n * MS / 2, 1, 0);
			if (n != 0 && n % 100 == 0)
				push_flow(&driver, n * MS / 2, 99, 0);
		}
		driver_drain(&driver);
		wait_ns = sparse_wait_ns(&driver, &count);
		if (qdiscs[i] == FP_QDISC_FQ_CODEL) {
			assert_int_equal(count, 39);
			assert_in_range(wait_ns, 1, MS);
		} else {
			assert_true(wait_ns > 5 * MS);
		}
		driver_close(&driver);
	}
}

/* Two bulk flows, one offering three times as much as the other, both more than
 * half: each gets half of the packets, within two rounds. */
static void fq_codel_shares_equally(void **state)
{
	struct fp_path_config config = aqm_config((struct fp_queue_config){
	    .qdisc = FP_QDISC_FQ_CODEL, .limit_pkts = 100 });
	size_t sent[2] = { 0 };
	struct driver driver;

	driver_open(&driver, &config);
	for (uint64_t n = 0; n < 4000; n++) {
		for (int k = 0; k < 3; k++)
			push_flow(&driver, n * MS, 7, 0);
		push_flow(&driver, n * MS, 8, 0);
	}
	driver_pop(&driver, 4000 * MS);
	for (size_t i = 0; i < driver.out_count; i++)
		if (driver.out[i].fate == FP_FATE_DELIVERED)
			sent[driver.out[i].flow - 7]++;
	assert_in_range(sent[0], 1995, 2005);
	assert_in_range(sent[1], 1995, 2005);
	driver_close(&driver);
}

/* Beyond the limit the flow with the most bytes loses its oldest packet: of 50
 * of flow 1 (one is being sent), then one of flow 2, and a limit of 20, flow 1
 * loses its first ones and flow 2 none. */
static void fq_codel_drops_from_the_fattest(void **state)
{
	struct fp_path_config config = aqm_config((struct fp_queue_config){
	    .qdisc = FP_QDISC_FQ_CODEL, .limit_pkts = 20 });
	struct driver driver;

	driver_open(&driver, &config);
	for (int n = 0; n < 50; n++)
		push_flow(&driver, 0, 1, 0);
	push_flow(&driver, 0, 2, 0);
	driver_drain(&driver);
	assert_int_equal(driver_count(&driver, FP_FATE_LOST_QUEUE), 30);
	/* ref 0 is being sent; 1 … 30 went, in that order. */
	for (size_t i = 0; i < 30; i++) {
		assert_int_equal(driver.out[i].fate, FP_FATE_LOST_QUEUE);
		assert_int_equal(driver.out[i].ref, i + 1);
	}
	assert_int_equal(driver_counters(&driver, 0).lost_aqm, 0);
	driver_close(&driver);
}

/* Holds a queue of exactly waiting_pkts and returns the share of the others
 * that were marked: one arrival for each departure, right after it. */
static double marked_share(struct fp_queue_config queue, uint64_t waiting_pkts)
{
	enum { ROUNDS = 40000 };
	struct fp_path_config config = aqm_config(queue);
	uint64_t marked_before;
	struct driver driver;
	double share;

	driver_open(&driver, &config);
	for (uint64_t i = 0; i < waiting_pkts + 1; i++)
		push_flow(&driver, 0, 0, FP_ECN_ECT0);
	marked_before = driver_counters(&driver, 0).marked;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		push_flow(&driver, i * MS, 0, FP_ECN_ECT0);
		driver_pop(&driver, i * MS);
	}
	share = (double)(driver_counters(&driver, 0).marked - marked_before) /
		ROUNDS;
	driver_close(&driver);
	return share;
}

/*
 * Without averaging, and with the queue held where each arrival finds 20,000
 * bytes: between 10,000 and 50,000 with 8 % at the end, p_b = 2 %. The paper's
 * p_a = p_b / (1 - count p_b) makes the distance of marks uniform on 1 …
 * 1 / p_b - 1 = 49: mean 25, sd 14.1. Of 40,000: 1600 marks, the mean's sd is
 * 14.1 / sqrt(1600) = 0.35, so 4 % +- 4.5 x 1.4 % of that.
 */
static void red_marks_with_its_probability(void **state)
{
	struct fp_queue_config queue = { .qdisc = FP_QDISC_RED,
					 .marks_ecn = true,
					 .red_min_bytes = 10000,
					 .red_max_bytes = 50000,
					 .red_probability_ppm = 80000 };

	/* An arrival finds one less than was waiting before the departure. */
	assert_true(fabs(marked_share(queue, 21) / 0.04 - 1) < 4.5 * 0.014);
	assert_true(marked_share(queue, 10) == 0.0);
	assert_true(marked_share(queue, 51) == 1.0);
	/* The average of a constant queue is that queue. */
	queue.red_weight_shift = 4;
	assert_true(fabs(marked_share(queue, 21) / 0.04 - 1) < 0.07);
}

/* DCTCP's step: 30 at once; each that finds 10,000 bytes or more waiting is
 * marked: number 0 is being sent, 1 … 10 find 0 … 9 waiting, 11 … 29 are. */
static void red_with_equal_bounds_is_a_threshold(void **state)
{
	struct fp_path_config config = aqm_config(
	    (struct fp_queue_config){ .qdisc = FP_QDISC_RED,
				      .marks_ecn = true,
				      .red_min_bytes = 10000,
				      .red_max_bytes = 10000,
				      .red_probability_ppm = FP_PPM_ONE });
	struct driver driver;

	driver_open(&driver, &config);
	for (int i = 0; i < 30; i++)
		push_flow(&driver, 0, 0, FP_ECN_ECT0);
	/* What cannot be marked is dropped. */
	push_flow(&driver, 0, 0, FP_ECN_NOT_ECT);
	driver_drain(&driver);
	for (size_t i = 0; i < driver.out_count; i++) {
		const struct fp_pkt *pkt = &driver.out[i];

		if (pkt->ref == 30)
			assert_int_equal(pkt->fate, FP_FATE_LOST_QUEUE);
		else
			assert_int_equal(
			    pkt->ecn, pkt->ref >= 11 ? FP_ECN_CE : FP_ECN_ECT0);
	}
	assert_int_equal(driver_counters(&driver, 0).lost_aqm, 1);
	driver_close(&driver);
}

/*
 * The average falls while the link is idle: (1 - 1/4)^m for m packet times.
 * 40 packets at once make it about 36,000 (a weight of 1/4 lags by 3 packets);
 * after 40 ms of sending the queue is empty. 4 ms later it is a third of what
 * it was, above min = 5000; 40 ms later it is below: no mark.
 */
static void red_forgets_while_idle(void **state)
{
	for (uint64_t idle_ms = 4; idle_ms <= 40; idle_ms += 36) {
		struct fp_path_config config = aqm_config(
		    (struct fp_queue_config){ .qdisc = FP_QDISC_RED,
					      .marks_ecn = true,
					      .red_min_bytes = 5000,
					      .red_max_bytes = 5000,
					      .red_probability_ppm = FP_PPM_ONE,
					      .red_weight_shift = 2 });
		struct driver driver;

		driver_open(&driver, &config);
		for (int i = 0; i < 40; i++)
			push_flow(&driver, 0, 0, FP_ECN_ECT0);
		driver_drain(&driver);
		push_flow(&driver, (40 + idle_ms) * MS, 0, FP_ECN_ECT0);
		driver_drain(&driver);
		assert_int_equal(driver.out[40].ecn,
				 idle_ms == 4 ? FP_ECN_CE : FP_ECN_ECT0);
		driver_close(&driver);
	}
}

/* RFC 8289, 5.6: while no more than one packet waits nothing is dropped, long
 * as the wait may be. Each packet comes 7 ms before the one in front of it is
 * sent, so each waits 7 ms and is alone. */
static void codel_spares_a_queue_of_one(void **state)
{
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .qdisc = FP_QDISC_CODEL });
	struct driver driver;

	config.stages[0].link.rate.rate_bps = 800000; /* 10 ms a packet */
	driver_open(&driver, &config);
	driver_push(&driver, 0, 1000);
	for (uint64_t i = 0; i < 200; i++)
		driver_push(&driver, (10 * i + 3) * MS, 1000);
	driver_drain(&driver);
	assert_int_equal(driver_counters(&driver, 0).wait_max_ns, 7 * MS);
	assert_int_equal(driver_counters(&driver, 0).lost, 0);
	driver_close(&driver);
}

/* Distance of the first two drops of a second overload, pause_ms after the
 * first one has drained. */
static uint64_t second_round_distance_ns(uint64_t pause_ms)
{
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .qdisc = FP_QDISC_CODEL });
	uint64_t start_ns, times[2] = { 0 };
	struct driver driver;
	size_t drained, count = 0;

	driver_open(&driver, &config);
	overload(&driver, FP_ECN_NOT_ECT);
	drained = driver.out_count;
	start_ns = driver.out[drained - 1].time_ns + pause_ms * MS;
	for (uint64_t i = 0; i < 1000; i++)
		driver_push(&driver, start_ns + i * 2 * MS / 3, 1000);
	driver_drain(&driver);
	for (size_t i = drained; count < 2 && i < driver.out_count; i++)
		if (driver.out[i].fate == FP_FATE_LOST_QUEUE)
			times[count++] = driver.out[i].time_ns;
	driver_close(&driver);
	return times[1] - times[0];
}

/* RFC 8289, 5.5: a round of dropping that starts within 16 intervals of the
 * last one goes on at its pace; the first round made far more than 16 drops, so
 * that pace is below 100 / sqrt(16) = 25 ms. Later it starts from 100 ms. */
static void codel_remembers_the_last_round(void **state)
{
	assert_true(second_round_distance_ns(10) < 25 * MS);
	assert_int_equal(second_round_distance_ns(5000), 100 * MS);
}

/*
 * RFC 8290, 4.2: a flow that empties its queue becomes an old one first, else
 * flows that keep sending single packets would starve the rest. Two such flows
 * offer 10 packets each 11 ms; the bulk flow still gets its third of 3300.
 */
static void fq_codel_does_not_starve_old_flows(void **state)
{
	struct fp_path_config config = aqm_config((struct fp_queue_config){
	    .qdisc = FP_QDISC_FQ_CODEL, .limit_pkts = 100 });
	struct driver driver;
	size_t bulk = 0;

	driver_open(&driver, &config);
	for (uint64_t n = 0; n < 3000; n++) {
		for (int k = 0; k < 3; k++)
			push_flow(&driver, n * 1100 * US, 1, 0);
		if (n >= 10) /* the bulk flow is an old one by then */
			push_flow(&driver, n * 1100 * US + 550 * US, 2 + n % 2,
				  0);
	}
	driver_pop(&driver, 3300 * MS);
	for (size_t i = 0; i < driver.out_count; i++)
		bulk += driver.out[i].flow == 1 &&
			driver.out[i].fate == FP_FATE_DELIVERED;
	assert_in_range(bulk, 1090, 1130);
	driver_close(&driver);
}

/* Idle time counts in packets of the rate that the link has by then: ten times
 * the rate since 41 ms makes 40 packet times of 4 ms, and RED forgets. */
static void red_forgets_at_the_new_rate(void **state)
{
	const struct fp_rate_step steps[] = { { 41 * MS, 80000000 } };
	struct fp_path_config config =
	    aqm_config((struct fp_queue_config){ .qdisc = FP_QDISC_RED,
						 .marks_ecn = true,
						 .red_min_bytes = 5000,
						 .red_max_bytes = 5000,
						 .red_weight_shift = 2 });
	struct driver driver;

	config.stages[0].link.rate.kind = FP_RATE_STEPS;
	config.stages[0].link.rate.steps = steps;
	config.stages[0].link.rate.step_count = 1;
	driver_open(&driver, &config);
	for (int i = 0; i < 40; i++)
		push_flow(&driver, 0, 0, FP_ECN_ECT0);
	driver_drain(&driver);
	push_flow(&driver, 44 * MS, 0, FP_ECN_ECT0);
	driver_drain(&driver);
	assert_int_equal(driver.out[40].ecn, FP_ECN_ECT0);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_limit_is_at_the_rate_of_the_moment),
		cmocka_unit_test(time_limit_follows_the_steps),
		cmocka_unit_test(codel_follows_its_control_law),
		cmocka_unit_test(codel_leaves_short_queues_alone),
		cmocka_unit_test(codel_marks_instead_of_dropping),
		cmocka_unit_test(ce_threshold_marks_by_wait),
		cmocka_unit_test(fq_codel_isolates_sparse_flows),
		cmocka_unit_test(fq_codel_shares_equally),
		cmocka_unit_test(fq_codel_drops_from_the_fattest),
		cmocka_unit_test(red_marks_with_its_probability),
		cmocka_unit_test(red_with_equal_bounds_is_a_threshold),
		cmocka_unit_test(red_forgets_while_idle),
		cmocka_unit_test(codel_spares_a_queue_of_one),
		cmocka_unit_test(codel_remembers_the_last_round),
		cmocka_unit_test(fq_codel_does_not_starve_old_flows),
		cmocka_unit_test(red_forgets_at_the_new_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
