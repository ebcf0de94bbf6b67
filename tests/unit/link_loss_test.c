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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_loss_is_binomial),
		cmocka_unit_test(certain_loss_and_no_loss_are_exact),
		cmocka_unit_test(skb_unit_draws_once_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
