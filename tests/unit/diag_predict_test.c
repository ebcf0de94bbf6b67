/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diag/predict.h"
#include "near.h"

static void mathis_bounds_the_loss_paths(void **state)
{
	/* 1.22 * 1448 * 8 / (0.1 * sqrt(0.02)) = 14132.48 / 0.0141421 */
	struct diag_path path = { .rtt_us = 100e3,
				  .loss = 0.02,
				  .mss_bytes = 1448 };

	assert_near(diag_mathis_bps(&path), 999317, 10);
	path.rtt_us = 10e3; /* a tenth of the RTT: ten times the rate */
	assert_near(diag_mathis_bps(&path), 9993172, 100);
	path.loss = 0.08; /* four times the loss: half the rate */
	assert_near(diag_mathis_bps(&path), 4996586, 100);
}

static void no_loss_or_no_delay_gives_no_bound(void **state)
{
	struct diag_path path = { .rtt_us = 100e3, .mss_bytes = 1448 };

	assert_true(isnan(diag_mathis_bps(&path)));
	path.loss = 0.02;
	path.rtt_us = 0;
	assert_true(isnan(diag_mathis_bps(&path)));
}

static void a_window_carries_itself_once_each_rtt(void **state)
{
	/* 3145728 bytes each 10 ms: 25165824 bits / 0.01 s */
	assert_near(diag_window_bps(3145728, 10e3), 2516582400.0, 1);
	assert_true(isnan(diag_window_bps(0, 10e3)));
}

/* 100 Mbit/s for 100 ms are 1.25 MB, 863 packets of 1448 bytes. */
static void buffers_hold_two_products_and_the_retransmissions(void **state)
{
	struct diag_path path = { .rtt_us = 100000,
				  .rate_bps = 100e6,
				  .mss_bytes = 1448 };

	assert_int_equal(diag_buffer_bytes(&path), 4 * 1250000);
	/* of 100 windows: ln 86300 / ln 50 = 2.90, three times lost */
	path.loss = 0.02;
	assert_int_equal(diag_buffer_bytes(&path), 2 * (2 + 3) * 1250000);
	/* ln 86300 / ln 33.3 = 3.24 */
	path.loss = 0.03;
	assert_int_equal(diag_buffer_bytes(&path), 2 * (2 + 4) * 1250000);
	/* ln 86300 / ln 6.25 = 6.20 */
	path.loss = 0.16;
	assert_int_equal(diag_buffer_bytes(&path), 2 * (2 + 7) * 1250000);
	/* everything is lost: nothing to wait for */
	path.loss = 1;
	assert_int_equal(diag_buffer_bytes(&path), 4 * 1250000);
}

static void buffers_are_capped_where_no_rate_is_known(void **state)
{
	/* 20 Gbit/s * 10 ms / 8 = 25 MB; 10 s would be 100 GB */
	struct diag_path path = { .rtt_us = 10e3 };

	assert_int_equal(diag_buffer_bytes(&path), 4 * 25000000);
	path.rtt_us = 10e6;
	assert_int_equal(diag_buffer_bytes(&path), DIAG_BUFFER_MAX_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mathis_bounds_the_loss_paths),
		cmocka_unit_test(no_loss_or_no_delay_gives_no_bound),
		cmocka_unit_test(a_window_carries_itself_once_each_rtt),
		cmocka_unit_test(
		    buffers_hold_two_products_and_the_retransmissions),
		cmocka_unit_test(buffers_are_capped_where_no_rate_is_known),
	};

	return cmocka_run_group_tests_name("diag/predict", tests, NULL, NULL);
}
