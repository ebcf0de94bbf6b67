/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loss models against what their parameters say. */
#include <math.h>

#include "link_driver.h"

static struct fp_path_config loss_config(uint64_t seed,
					 struct fp_loss_config loss)
{
	struct fp_path_config config = { .seed = seed,
					 .capacity_pkts = 64,
					 .stage_count = 1 };

	config.stages[0].kind = FP_STAGE_LOSS;
	config.stages[0].loss = loss;
	return config;
}

/* Pushes packets in super-packets of unit_pkts and returns how many are lost;
 * lost[i] tells of packet i where the caller asks. */
static uint64_t lost_of(const struct fp_path_config *config, uint32_t pkts,
			uint32_t unit_pkts, bool *lost)
{
	struct driver driver;
	struct fp_pkt out;
	uint64_t sum = 0;

	driver_open(&driver, config);
	for (uint32_t i = 0; i < pkts; i++) {
		struct fp_pkt pkt = { .ref = i,
				      .time_ns = i,
				      .len_bytes = 100,
				      .unit = i / unit_pkts,
				      .index = (uint16_t)(i % unit_pkts) };

		fp_path_push(driver.path, &pkt);
		assert_true(fp_path_pop(driver.path, i, &out));
		assert_int_equal(out.ref, i);
		sum += out.fate == FP_FATE_LOST_MODEL;
		if (lost)
			lost[i] = out.fate == FP_FATE_LOST_MODEL;
	}
	assert_int_equal(driver_counters(&driver, 0).lost, sum);
	assert_int_equal(driver_counters(&driver, 0).packets_out, pkts - sum);
	driver_close(&driver);
	return sum;
}

/*
 * n = 50,000 draws of p = 2 %: mean 1000, sd = sqrt(n p (1-p)) = 31.3. Each of
 * 20 seeds lies within 4.5 sd (a chance of 1 in 7000 to fail at all, were the
 * seeds not fixed). The sum of squared deviations over the variance is
 * chi-square with 20 degrees of freedom: below 5.9 or above 45.3 in 1 of 1000
 * each, so that seeds that are too alike fail too.
 */
static void random_loss_is_binomial(void **state)
{
	const double n = 50000, p = 0.02;
	double sd = sqrt(n * p * (1 - p)), chi_square = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fp_loss_config loss = { .model = FP_LOSS_RANDOM };
		struct fp_path_config config;
		double z;

		loss.random.probability_ppm = 20000;
		config = loss_config(seed, loss);
		z = ((double)lost_of(&config, 50000, 1, NULL) - n * p) / sd;
		assert_true(fabs(z) < 4.5);
		chi_square += z * z;
	}
	assert_true(chi_square > 5.9);
	assert_true(chi_square < 45.3);
}

static void certain_loss_and_no_loss_are_exact(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_RANDOM };
	struct fp_path_config config;

	config = loss_config(1, loss);
	assert_int_equal(lost_of(&config, 10000, 1, NULL), 0);
	loss.random.probability_ppm = FP_PPM_ONE;
	config = loss_config(1, loss);
	assert_int_equal(lost_of(&config, 10000, 1, NULL), 10000);
}

/* With the skb as unit all packets of one share its fate; 10,000 draws of
 * p = 10 %: mean 1000, sd 30. */
static void skb_unit_draws_once_for_all(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_RANDOM,
				       .unit = FP_LOSS_UNIT_SKB };
	struct fp_path_config config;
	static bool lost[70000];
	uint64_t sum;

	loss.random.probability_ppm = 100000;
	config = loss_config(3, loss);
	sum = lost_of(&config, 70000, 7, lost);
	assert_int_equal(sum % 7, 0);
	assert_in_range(sum / 7, 1000 - 135, 1000 + 135);
	for (uint32_t i = 0; i < 70000; i++)
		assert_int_equal(lost[i], lost[i / 7 * 7]);
}

static void periodic_loss_takes_every_nth(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_PERIODIC };
	struct fp_path_config config;
	static bool lost[1000];

	loss.periodic.every_pkts = 7;
	config = loss_config(1, loss);
	assert_int_equal(lost_of(&config, 1000, 1, lost), 1000 / 7);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(lost[i], (i + 1) % 7 == 0);
}

static void list_takes_the_numbers_it_names(void **state)
{
	const uint64_t numbers[] = { 1, 2, 50, 999 };
	struct fp_loss_config loss = { .model = FP_LOSS_LIST };
	struct fp_path_config config;
	static bool lost[1000];

	loss.list.numbers = numbers;
	loss.list.count = 4;
	config = loss_config(1, loss);
	assert_int_equal(lost_of(&config, 1000, 1, lost), 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(lost[numbers[i] - 1]);
}

static void skb_unit_numbers_super_packets(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_PERIODIC,
				       .unit = FP_LOSS_UNIT_SKB };
	struct fp_path_config config;
	static bool lost[40];

	loss.periodic.every_pkts = 3;
	config = loss_config(1, loss);
	lost_of(&config, 40, 4, lost);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(lost[i], (i / 4 + 1) % 3 == 0);
}

/* Per-packet loss counts the super-packets that it touches: packets 7, 14, …
 * 70 of units of 10 touch each of 7 units, three of them twice. */
static void touched_units_are_counted_once(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_PERIODIC };
	struct fp_path_config config;
	struct driver driver;

	loss.periodic.every_pkts = 7;
	config = loss_config(1, loss);
	driver_open(&driver, &config);
	for (uint32_t i = 0; i < 70; i++) {
		struct fp_pkt pkt = { .unit = i / 10,
				      .index = (uint16_t)(i % 10) };

		fp_path_push(driver.path, &pkt);
		driver_pop(&driver, 0);
	}
	assert_int_equal(driver_counters(&driver, 0).lost, 10);
	assert_int_equal(driver_counters(&driver, 0).units_in, 7);
	assert_int_equal(driver_counters(&driver, 0).units_touched, 7);
	driver_close(&driver);
}

/*
 * Simple Gilbert (loss 1 in bad, 0 in good), p = 1 %, r = 25 %: share lost
 * p / (p + r) = 3.846 %, mean burst 1 / r = 4 packets. Of N = 2,000,000 about
 * N p r / (p + r) = 19,230 bursts: sd of the mean burst sqrt(1-r)/r / sqrt(
 * 19230) = 0.025; the share's relative sd is about sqrt(2 / 19230) = 1 %.
 */
static void gilbert_has_its_share_and_bursts(void **state)
{
	enum { N = 2000000 };
	struct fp_loss_config loss = { .model = FP_LOSS_GEMODEL };
	struct fp_path_config config;
	bool *lost = malloc(N);
	uint64_t sum, bursts = 0;

	loss.gemodel.p_ppm = 10000;
	loss.gemodel.r_ppm = 250000;
	loss.gemodel.h_loss_ppm = FP_PPM_ONE;
	config = loss_config(5, loss);
	sum = lost_of(&config, N, 1, lost);
	for (uint32_t i = 1; i < N; i++)
		bursts += lost[i] && !lost[i - 1];
	assert_true(fabs((double)sum / N / 0.03846 - 1) < 0.045);
	assert_true(fabs((double)sum / (double)bursts - 4) < 4.5 * 0.025);
	free(lost);
}

/* Losses in both states: share = (r k + p h) / (p + r), here with p = r: the
 * mean of 50 % and 10 %. States change so fast that draws are nearly
 * independent: sd of 200,000 at 0.3 is 0.1 %. */
static void gilbert_elliott_loses_in_both_states(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_GEMODEL };
	struct fp_path_config config;

	loss.gemodel.p_ppm = 500000;
	loss.gemodel.r_ppm = 500000;
	loss.gemodel.h_loss_ppm = 500000;
	loss.gemodel.k_loss_ppm = 100000;
	config = loss_config(5, loss);
	assert_true(fabs((double)lost_of(&config, 200000, 1, NULL) / 200000 -
			 0.3) < 4.5 * 0.00103);
}

/*
 * Stationary shares of the 4-state chain, from the balance of each state:
 *	s4 = p14 s1, s2 p23 = s3 p32, s3 (p31 + p32) = s1 p13 + s2 p23
 * so	s3 = s1 p13 / p31, s2 = s3 p32 / p23. With p13 = 2 %, p31 = 30 %, p32 =
 * 20 %, p14 = 1 %, p23 = 40 %: s1 : s2 : s3 : s4 = 1 : 1/30 : 1/15 : 1/100,
 * sum 1.11, lost s3 + s4 = (1/15 + 1/100) / 1.11 = 6.907 %. A visit of the
 * burst states loses 1/p31 = 3.33 packets on average; of N = 1,000,000 there
 * are N p13 s1 = 18,000 visits, so the share's relative sd is about
 * sqrt(2 / 18000) = 1 %.
 */
static void four_states_have_their_stationary_share(void **state)
{
	enum { N = 1000000 };
	struct fp_loss_config loss = { .model = FP_LOSS_STATE };
	struct fp_path_config config;
	bool *lost = malloc(N);
	uint64_t sum, isolated = 0;

	loss.state.p13_ppm = 20000;
	loss.state.p31_ppm = 300000;
	loss.state.p32_ppm = 200000;
	loss.state.p14_ppm = 10000;
	loss.state.p23_ppm = 400000;
	config = loss_config(5, loss);
	sum = lost_of(&config, N, 1, lost);
	assert_true(fabs((double)sum / N / 0.06907 - 1) < 0.045);
	/* Without the burst states what is lost is lost alone: a share of
	 * p14 / (1 + p14) = 0.990 %, sd 0.0099 %. */
	loss.state.p13_ppm = 0;
	config = loss_config(5, loss);
	sum = lost_of(&config, N, 1, lost);
	for (uint32_t i = 1; i < N; i++)
		isolated += lost[i] && !lost[i - 1];
	assert_int_equal(isolated, sum - lost[0]);
	assert_true(fabs((double)sum / N - 0.0099) < 4.5 * 0.000099);
	free(lost);
}

/* netem's "ecn": what can be marked is marked, what cannot is lost. */
static void loss_marks_what_can_be_marked(void **state)
{
	struct fp_loss_config loss = { .model = FP_LOSS_PERIODIC,
				       .marks_ecn = true };
	const uint8_t fates[] = { FP_FATE_LOST_MODEL, FP_FATE_DELIVERED,
				  FP_FATE_DELIVERED, FP_FATE_DELIVERED };
	struct fp_path_config config;
	struct driver driver;

	loss.periodic.every_pkts = 1;
	config = loss_config(1, loss);
	driver_open(&driver, &config);
	for (uint8_t ecn = FP_ECN_NOT_ECT; ecn <= FP_ECN_CE; ecn++) {
		struct fp_pkt pkt = { .unit = ecn, .ecn = ecn };

		fp_path_push(driver.path, &pkt);
	}
	driver_pop(&driver, 0);
	for (uint8_t ecn = FP_ECN_NOT_ECT; ecn <= FP_ECN_CE; ecn++) {
		assert_int_equal(driver.out[ecn].fate, fates[ecn]);
		if (ecn != FP_ECN_NOT_ECT)
			assert_int_equal(driver.out[ecn].ecn, FP_ECN_CE);
		assert_int_equal(driver.out[ecn].flags,
				 ecn == FP_ECN_ECT0 || ecn == FP_ECN_ECT1
				     ? FP_PKT_CE_MARKED
				     : 0);
	}
	assert_int_equal(driver_counters(&driver, 0).marked, 2);
	driver_close(&driver);
}

/* State and loss are drawn apart: with r = 50 % and half lost in bad, after a
 * lost packet the next one is lost with (1 - r) / 2 = 25 %. About N p / (p + r)
 * / 2 = 16,667 losses: sd sqrt(0.25 x 0.75 / 16667) = 0.34 %. */
static void gemodel_draws_state_and_loss_apart(void **state)
{
	enum { N = 200000 };
	struct fp_loss_config loss = { .model = FP_LOSS_GEMODEL };
	struct fp_path_config config;
	bool *lost = malloc(N);
	uint64_t sum, pairs = 0;

	loss.gemodel.p_ppm = 100000;
	loss.gemodel.r_ppm = 500000;
	loss.gemodel.h_loss_ppm = 500000;
	config = loss_config(5, loss);
	sum = lost_of(&config, N, 1, lost);
	for (uint32_t i = 1; i < N; i++)
		pairs += lost[i] && lost[i - 1];
	assert_true(fabs((double)pairs / (double)sum - 0.25) < 4.5 * 0.0034);
	free(lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_loss_is_binomial),
		cmocka_unit_test(certain_loss_and_no_loss_are_exact),
		cmocka_unit_test(skb_unit_draws_once_for_all),
		cmocka_unit_test(periodic_loss_takes_every_nth),
		cmocka_unit_test(list_takes_the_numbers_it_names),
		cmocka_unit_test(skb_unit_numbers_super_packets),
		cmocka_unit_test(touched_units_are_counted_once),
		cmocka_unit_test(gilbert_has_its_share_and_bursts),
		cmocka_unit_test(gilbert_elliott_loses_in_both_states),
		cmocka_unit_test(four_states_have_their_stationary_share),
		cmocka_unit_test(loss_marks_what_can_be_marked),
		cmocka_unit_test(gemodel_draws_state_and_loss_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
