/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Jitter: tables against tc's own, moments, order. */
#include <math.h>

#include "link/jitter_tables.h"
#include "link_driver.h"

enum { N = 200000 };

/* Reads tc's table; returns how many numbers it had, 0: no such file. */
static uint32_t read_table(const char *name, int *ret_points)
{
	const char *const folders[] = { "/usr/lib/tc", "/usr/share/tc",
					"/usr/lib/x86_64-linux-gnu/tc",
					"/usr/lib/aarch64-linux-gnu/tc",
					"/usr/lib64/tc" };
	char path[256], line[1024];
	uint32_t count = 0;
	FILE *file = NULL;

	for (size_t i = 0; !file && i < sizeof(folders) / sizeof(*folders);
	     i++) {
		snprintf(path, sizeof(path), "%s/%s.dist", folders[i], name);
		file = fopen(path, "r");
	}
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		char *at = line, *end;

		if (line[0] == '#')
			continue;
		for (;; at = end) {
			long point = strtol(at, &end, 10);

			if (end == at || count == LINK_JITTER_POINTS)
				break;
			ret_points[count++] = (int)point;
		}
	}
	fclose(file);
	return count;
}

/* tc walks the normal distribution in steps of 0.00005 sigma, 0.4 of a point,
 * and keeps the last step; so it may round another way. */
static void compare_table(const char *name, const int16_t *ours)
{
	static int theirs[LINK_JITTER_POINTS];
	uint32_t count = read_table(name, theirs);

	if (count == 0)
		skip();
	assert_int_equal(count, LINK_JITTER_POINTS);
	for (uint32_t i = 0; i < count; i++)
		assert_in_range(ours[i] + 40000, theirs[i] - 1 + 40000,
				theirs[i] + 1 + 40000);
}

static void normal_table_is_tcs(void **state)
{
	compare_table("normal", link__jitter_normal);
}

static void pareto_table_is_tcs(void **state)
{
	compare_table("pareto", link__jitter_pareto);
}

static void paretonormal_table_is_tcs(void **state)
{
	compare_table("paretonormal", link__jitter_paretonormal);
}

struct moments {
	double mean_ns, sd_ns, correlation; /* of neighbours */
};

/* Sends N packets 1 s apart, so that none meets another, through 50 ms. */
static struct moments moments_of(struct fp_delay_config delay)
{
	struct fp_path_config config = { .seed = 3,
					 .capacity_pkts = 8,
					 .stage_count = 1 };
	double sum = 0, squares = 0, products = 0, before = 0;
	struct moments moments;
	struct driver driver;
	struct fp_pkt out;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay = delay;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < N; i++) {
		double x;

		driver_push(&driver, i * S, 100);
		assert_true(fp_path_pop(driver.path, i * S + S - 1, &out));
		x = (double)out.time_ns - (double)(i * S) - 50e6;
		sum += x;
		squares += x * x;
		products += x * before;
		before = x;
	}
	driver_close(&driver);
	moments.mean_ns = sum / N;
	moments.sd_ns = sqrt(squares / N - moments.mean_ns * moments.mean_ns);
	moments.correlation =
	    (products / N - moments.mean_ns * moments.mean_ns) /
	    (moments.sd_ns * moments.sd_ns);
	return moments;
}

/* Mean and sd of the table itself, in sigmas. */
static void table_moments(const int16_t *table, double *ret_mean,
			  double *ret_sd)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < LINK_JITTER_POINTS; i++) {
		sum += table[i];
		squares += (double)table[i] * table[i];
	}
	*ret_mean = sum / LINK_JITTER_POINTS / LINK_JITTER_SCALE;
	*ret_sd = sqrt(squares / LINK_JITTER_POINTS / LINK_JITTER_SCALE /
			   LINK_JITTER_SCALE -
		       *ret_mean * *ret_mean);
}

/*
 * 50 ms with 5 ms of jitter. Uniform: sd 5 / sqrt(3) ms. The others have the
 * moments of their tables (normal: 0 and 1; pareto's tail is cut at 4 sigma).
 * The mean's sd is sd / sqrt(N) = 0.2 %, the sd's own up to sqrt(kurtosis - 1)
 * / 2 of that, below 0.5 %; bounds are 4.5 times those.
 */
static void jitter_has_its_moments(void **state)
{
	const int16_t *const tables[] = { NULL, link__jitter_normal,
					  link__jitter_pareto,
					  link__jitter_paretonormal };

	for (int dist = FP_DIST_UNIFORM; dist <= FP_DIST_PARETONORMAL; dist++) {
		struct fp_delay_config delay = { .delay_ns = 50 * MS,
						 .jitter_ns = 5 * MS,
						 .dist = (enum fp_dist)dist };
		struct moments moments = moments_of(delay);
		double mean = 0, sd = 1 / sqrt(3);

		if (tables[dist])
			table_moments(tables[dist], &mean, &sd);
		assert_true(fabs(moments.mean_ns - mean * 5e6) <
			    4.5 * sd * 5e6 / sqrt(N));
		assert_true(fabs(moments.sd_ns / (sd * 5e6) - 1) < 0.02);
		assert_true(fabs(moments.correlation) < 4.5 / sqrt(N));
	}
}

/* Correlation changes neither mean nor sd, and is what was asked for. With rho
 * the mean's sd grows by sqrt((1 + rho) / (1 - rho)) = 2 at 0.6. */
static void correlated_jitter_keeps_its_distribution(void **state)
{
	struct fp_delay_config delay = { .delay_ns = 50 * MS,
					 .jitter_ns = 5 * MS,
					 .correlation_ppm = 600000,
					 .dist = FP_DIST_NORMAL };
	struct moments moments = moments_of(delay);

	assert_true(fabs(moments.mean_ns) < 4.5 * 2 * 5e6 / sqrt(N));
	assert_true(fabs(moments.sd_ns / 5e6 - 1) < 0.02);
	assert_true(fabs(moments.correlation - 0.6) < 4.5 * 2 / sqrt(N));
}

static size_t count_overtakes(const struct driver *driver)
{
	size_t count = 0;

	for (size_t i = 1; i < driver->out_count; i++) {
		assert_true(driver->out[i].time_ns >=
			    driver->out[i - 1].time_ns);
		count += driver->out[i].ref < driver->out[i - 1].ref;
	}
	return count;
}

/* Packets 0.1 ms apart under 5 ms of jitter overtake each other, unless order
 * is kept; a jitter above the delay never makes a packet leave before it
 * came. */
static void order_is_kept_where_asked(void **state)
{
	for (int keeps_order = 0; keeps_order < 2; keeps_order++) {
		struct fp_path_config config = { .seed = 3,
						 .capacity_pkts = 2000,
						 .stage_count = 1 };
		struct driver driver;

		config.stages[0].kind = FP_STAGE_DELAY;
		config.stages[0].delay.delay_ns = MS;
		config.stages[0].delay.jitter_ns = 5 * MS;
		config.stages[0].delay.keeps_order = keeps_order;
		driver_open(&driver, &config);
		for (uint64_t i = 0; i < 2000; i++)
			driver_push(&driver, i * MS / 10, 100);
		driver_drain(&driver);
		assert_int_equal(driver.out_count, 2000);
		if (keeps_order)
			assert_int_equal(count_overtakes(&driver), 0);
		else
			assert_true(count_overtakes(&driver) > 500);
		for (size_t i = 0; i < 2000; i++)
			assert_true(driver.out[i].time_ns >=
				    driver.out[i].ref * MS / 10);
		driver_close(&driver);
	}
}

/* Jitter of 1 ns is rounded to the nearest ns: 0 where |Z| < 1/2, which is
 * erf(1/2 / sqrt 2) = 38.29 % of a normal distribution; sd 0.11 %. */
static void jitter_is_rounded_to_the_nearest(void **state)
{
	struct fp_path_config config = { .seed = 3,
					 .capacity_pkts = 8,
					 .stage_count = 1 };
	struct driver driver;
	struct fp_pkt out;
	uint32_t zeros = 0;

	config.stages[0].kind = FP_STAGE_DELAY;
	config.stages[0].delay.delay_ns = 100;
	config.stages[0].delay.jitter_ns = 1;
	config.stages[0].delay.dist = FP_DIST_NORMAL;
	driver_open(&driver, &config);
	for (uint64_t i = 0; i < N; i++) {
		driver_push(&driver, i * US, 100);
		assert_true(fp_path_pop(driver.path, i * US + 500, &out));
		zeros += out.time_ns == i * US + 100;
	}
	assert_true(fabs((double)zeros / N - 0.3829) < 4.5 * 0.0011);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_table_is_tcs),
		cmocka_unit_test(pareto_table_is_tcs),
		cmocka_unit_test(paretonormal_table_is_tcs),
		cmocka_unit_test(jitter_has_its_moments),
		cmocka_unit_test(correlated_jitter_keeps_its_distribution),
		cmocka_unit_test(order_is_kept_where_asked),
		cmocka_unit_test(jitter_is_rounded_to_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
