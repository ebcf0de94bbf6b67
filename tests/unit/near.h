/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cmocka's assert_float_equal() takes NaN for equal to everything. */
#ifndef TESTS_UNIT_NEAR_H
#define TESTS_UNIT_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define assert_near(got, want, slack)                                          \
	do {                                                                   \
		double got_ = (got), want_ = (want);                           \
                                                                               \
		if (!(fabs(got_ - want_) <= (slack)))                          \
			fail_msg("%.9g is not %.9g", got_, want_);             \
	} while (0)

#endif
