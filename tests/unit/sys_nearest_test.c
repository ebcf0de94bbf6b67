/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/nearest.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void distance_counts_single_slips(void **state)
{
	assert_int_equal(fp_nearest_distance("loss", "loss"), 0);
	assert_int_equal(fp_nearest_distance("LOSS", "loss"), 0);
	assert_int_equal(fp_nearest_distance("los", "loss"), 1);   /* insert */
	assert_int_equal(fp_nearest_distance("losss", "loss"), 1); /* delete */
	assert_int_equal(fp_nearest_distance("lost", "loss"), 1);  /* replace */
	assert_int_equal(fp_nearest_distance("lsos", "loss"), 1);  /* swap */
	assert_int_equal(fp_nearest_distance("", "loss"), 4);
	assert_int_equal(fp_nearest_distance("loss", ""), 4);
	/* the textbook's example: k-s, e-i, and a g more */
	assert_int_equal(fp_nearest_distance("kitten", "sitting"), 3);
	/* longest that fits, and one more */
	assert_int_equal(
	    fp_nearest_distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a"), 31);
	assert_int_equal(
	    fp_nearest_distance("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "a"),
	    UINT32_MAX);
}

static void nearest_is_sane(void **state)
{
	static const char *const words[] = {
		"cubic", "bbr", "reno", "distribution", "delay", "rate", NULL
	};

	assert_string_equal(fp_nearest("cubik", words), "cubic");
	assert_string_equal(fp_nearest("brb", words), "bbr");
	assert_string_equal(fp_nearest("BBR2", words), "bbr");
	assert_string_equal(fp_nearest("distrib", words), "distribution");
	assert_string_equal(fp_nearest("dealy", words), "delay");
	assert_null(fp_nearest("vegas", words));
	assert_null(fp_nearest("x", words));
	assert_null(fp_nearest("", words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_counts_single_slips),
		cmocka_unit_test(nearest_is_sane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
