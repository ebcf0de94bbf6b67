/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sys/kernel.h"

static void releases_are_ordered_by_version(void **state)
{
	static const struct {
		const char *release;
		bool is_since_6_6;
	} rows[] = {
		{ "6.5.0", false },
		{ "6.6.0-rc1", true },
		{ "6.18.44-amd64", true },
		{ "5.10.0-30-cloud", false },
		{ "7.0", true },
		{ "unknown", false },
		{ "6", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(fp_release_is_since(rows[i].release, 6, 6),
				 rows[i].is_since_6_6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_ordered_by_version),
	};

	return cmocka_run_group_tests_name("sys/kernel", tests, NULL, NULL);
}
