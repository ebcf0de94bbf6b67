/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mean windows under loss of every 1/p-th packet: RFC 9438's tables (5.1
 * and 5.2 of the draft that came before it give the same), with an ideal
 * sender: each packet is acknowledged by itself, the round trip never changes,
 * a loss reduces the window at once and only once a window.
 *
 * The tables come from a fluid model: windows are real numbers, all losses find
 * the same window, and there is no fast convergence. What that does not have is
 * named where it shows.
 */
#include "near.h"

#include "cc_driver.h"

#define ROWS 5 /* p = 1e-2 ... 1e-6 */

struct table {
	const char *name;
	uint32_t rtt_ms;
	double mean_pkts[ROWS];
};

static const struct table tables[] = {
	{ "reno", 100, { 12, 38, 120, 379, 1200 } },
	{ "reno", 10, { 12, 38, 120, 379, 1200 } },
	{ "cubic:linux", 100, { 12, 38, 187, 1054, 5926 } },
	{ "cubic:linux", 10, { 12, 38, 120, 379, 1200 } },
	{ "cubic:rfc9438", 100, { 12, 38, 187, 1054, 5926 } },
	{ "cubic:rfc9438", 10, { 12, 38, 120, 379, 1200 } },
};

struct sender {
	struct cc_driver driver;
	uint64_t now_ns, rtt_ns;
};

/* Begins just after a loss at this window. */
static void begin(struct sender *sender, const char *name, uint32_t rtt_ms,
		  double window)
{
	cc_begin(&sender->driver, name, (uint32_t)(window + 0.5), 2);
	sender->driver.conn.srtt_us = rtt_ms * 1000;
	sender->driver.conn.packets_out_pkts = UINT32_MAX; /* a full window */
	sender->rtt_ns = rtt_ms * MS;
	sender->now_ns = sender->driver.conn.now_ns;
	cc_rtt(&sender->driver, rtt_ms * 1000);
	(void)cc_lose(&sender->driver);
}

/* Sends until the next loss. Returns how long that took. */
static uint64_t send_until_loss(struct sender *sender, uint64_t pkts)
{
	uint64_t start_ns = sender->now_ns;

	for (uint64_t i = 0; i < pkts; i++) {
		cc_at(&sender->driver, sender->now_ns);
		sender->now_ns += sender->rtt_ns / cc_ack(&sender->driver, 1);
	}
	(void)cc_lose(&sender->driver);
	return sender->now_ns - start_ns;
}

/* The mean window over so many losses: packets a round trip. */
static double mean_pkts(struct sender *sender, uint64_t pkts, uint32_t losses)
{
	uint64_t took_ns = 0;

	for (uint32_t i = 0; i < losses; i++)
		took_ns += send_until_loss(sender, pkts);
	return (double)(pkts * losses) * sender->rtt_ns / took_ns;
}

/* 1/p for a row. */
static uint64_t pkts_of(uint32_t row)
{
	uint64_t pkts = 100;

	while (row-- > 0)
		pkts *= 10;
	return pkts;
}

/* The window at the losses of the fluid model. The mean of a straight rise from
 * beta W to W is (1 + beta) / 2 W, of a cubic one (3 + beta) / 4 W. */
static double model_max_pkts(const struct table *table, uint32_t row)
{
	double mean = table->mean_pkts[row];

	if (table->name[0] == 'r')
		return mean / 0.75;
	return mean > 1.01 * tables[0].mean_pkts[row] ? mean / 0.925
						      : mean / 0.85;
}

static double row_mean(const struct table *table, uint32_t row)
{
	struct sender sender;

	/* A little below the model's, or the second loss comes just below the
	 * first one, which fast convergence takes for a new flow: its maximum
	 * falls to 0.85, and takes dozens of losses to get back. */
	begin(&sender, table->name, table->rtt_ms,
	      0.98 * model_max_pkts(table, row));
	return mean_pkts(&sender, pkts_of(row), row < 4 ? 10 : 3);
}

/* All within 8 %, but one: see whole_packets_cost_small_windows(). */
static void has_the_mean_window_of_the_table(void **state)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (uint32_t row = 0; row < ROWS; row++) {
			double mean = row_mean(&tables[i], row);

			print_message("# %s %u ms p=1e-%u: %.1f of %.0f\n",
				      tables[i].name, tables[i].rtt_ms, row + 2,
				      mean, tables[i].mean_pkts[row]);
			if (i != 3 || row != 0)
				assert_near(mean, tables[i].mean_pkts[row],
					    0.08 * tables[i].mean_pkts[row]);
		}
}

/*
 * The one that is not: Linux at p = 1e-2 and 10 ms, 10.8 of 12. Windows of a
 * dozen lose up to a packet where beta of them is rounded down, and as much
 * where the window grows towards Reno's, which is a whole packet ahead before
 * it is seen, for a round. At 100 ms C's part of the curve makes up for it.
 * With fractions of packets, and Reno's window taken at once, it is as the
 * table has it; with either alone it is not.
 */
static void whole_packets_cost_small_windows(void **state)
{
	struct table table = tables[3];

	assert_true(row_mean(&table, 0) < 0.92 * 12);
	assert_near(row_mean(&table, 0), 12, 0.13 * 12);
	table.name = "cubic:fraction";
	assert_true(row_mean(&table, 0) < 0.92 * 12);
	table.name = "cubic:reno_window";
	assert_true(row_mean(&table, 0) < 0.92 * 12);
	table.name = "cubic:fraction:reno_window";
	assert_near(row_mean(&table, 0), 12, 0.08 * 12);
}

/* Packets from a loss at "max" until t: the integral of (1) over the RTT. */
static double curve_pkts(double max, double t, double rtt)
{
	double k = cbrt(0.3 * max / 0.4);

	return (max * t + 0.1 * (pow(t - k, 4) - pow(k, 4))) / rtt;
}

/* The maximum at which so many packets later the curve is "late" s past its
 * flat: then the next loss is there. */
static double max_for(double pkts, double late, double rtt)
{
	double low = 1, high = 1e6;

	for (int i = 0; i < 60; i++) {
		double max = (low + high) / 2;
		double k = cbrt(0.3 * max / 0.4);

		if (k + late < 0 || curve_pkts(max, k + late, rtt) < pkts)
			low = max;
		else
			high = max;
	}
	return low;
}

/*
 * Linux's maximum does not converge to the model's. The curve is within a
 * packet of its maximum for cbrt(1 / 0.4) = 1.357 s before and after its flat,
 * so with whole packets a loss anywhere there finds the window that the loss
 * before found: all of these are in balance. Where it stays depends on where it
 * came from: by 100 losses it is between the two ends, to which the look ahead
 * (an RTT and 1/32 s) and rounding add a little. At 100 ms and p = 1e-4 that is
 * 174 to 237 at the losses, means of 161 to 219; the table's 187 is in there.
 */
static void any_window_on_the_flat_is_in_balance(void **state)
{
	const double starts[] = { 0.2, 1, 3 };

	for (uint32_t row = 2; row < 4; row++) {
		double pkts = (double)pkts_of(row);
		double least = max_for(pkts, 1.357, 0.1);
		double most = max_for(pkts, -1.357 - 0.13, 0.1);
		double model = tables[2].mean_pkts[row] / 0.925;

		assert_true(least < model && model < most);
		for (size_t i = 0; i < 3; i++) {
			struct sender sender;
			double at_loss;

			begin(&sender, "cubic:linux", 100, starts[i] * model);
			(void)mean_pkts(&sender, pkts_of(row), 100);
			at_loss = sender.driver.conn.prior_cwnd_pkts;
			print_message(
			    "# p=1e-%u from %.0f: %.0f in %.0f-%.0f\n", row + 2,
			    starts[i] * model, at_loss, least, most);
			assert_true(at_loss > least - 2 && at_loss < most + 2);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_mean_window_of_the_table),
		cmocka_unit_test(whole_packets_cost_small_windows),
		cmocka_unit_test(any_window_on_the_flat_is_in_balance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
