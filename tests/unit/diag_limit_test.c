/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "diag/limit.h"
#include "diag/verdict.h"

/* Eight seconds of a flow that always had data and met nothing. */
static struct diag_flow busy_flow(void)
{
	return (struct diag_flow){
		.goodput_bps = 50e6,
		.link_bps = 95.6e6,
		.elapsed_us = 8e6,
		.busy_us = 8e6,
		.rtt_us = 100e3,
	};
}

static void each_cause_is_named(void **state)
{
	struct diag_flow flow = busy_flow();

	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_UNKNOWN);
	flow.queue_loss = 0.001;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_QUEUE);
	flow.loss = 0.02; /* more than the queue dropped */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LOSS);
	flow.core_share = 0.95;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_CPU);
	flow.sndbuf_limited_us = 2e6; /* a quarter of the time */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_SNDBUF);
	flow.rwnd_limited_us = 2e6;
	flow.rwnd_ceiling_bps = 80e6; /* 50 of 80 Mbit/s */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_RWND);
	flow.goodput_bps = 95e6; /* 99 % of the link */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LINK);
	flow.is_stalled = true;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_STALLED);
	flow.has_failed = true;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_FAILED);
}

/* 5 Mbit/s that all arrive, in spite of losses; of 4.8 something kept back. */
static void a_stream_that_arrives_is_limited_by_its_source(void **state)
{
	struct diag_flow flow = busy_flow();

	flow.loss = 0.02;
	flow.offered_bps = 5e6;
	flow.goodput_bps = 4.95e6;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_APPLICATION);
	flow.goodput_bps = 4.8e6;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LOSS);
}

static void flows_that_share_a_full_link_are_limited_by_it(void **state)
{
	struct diag_flow flow = busy_flow();

	flow.total_bps = 94e6; /* 98 % of the link */
	flow.fair_bps = 95.6e6 / 2;
	flow.goodput_bps = 30e6;
	flow.loss = 0.02;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LINK);
	/* Much less than its part: the others do not hold it back, loss does.
	 */
	flow.goodput_bps = 1e6;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LOSS);
}

static void a_closed_window_that_was_large_enough_is_the_receivers(void **state)
{
	struct diag_flow flow = busy_flow();

	flow.rwnd_limited_us = 2e6;
	flow.rwnd_ceiling_bps = 10e9; /* 50 Mbit/s is 0.5 % of it */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_RECEIVER);
	flow.loss = 0.02; /* holes close a window, too */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LOSS);
}

static void idle_and_short_transfers_are_not_blamed_on_the_path(void **state)
{
	struct diag_flow flow = busy_flow();

	flow.busy_us = 1e6;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_APPLICATION);
	flow.has_always_data = true; /* so it was not run */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_CPU);
	flow.busy_us = flow.elapsed_us = 1.5e6; /* 15 RTT of 100 ms */
	flow.is_finite = true;
	flow.loss = 0.02;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_STARTUP);
}

static void the_sentence_says_what_was_lost_and_who_bears_it(void **state)
{
	const struct diag_contender both[] = {
		{ "cubic", 1.1e6, DIAG_LIMIT_LOSS, NAN, NAN, 0, false },
		{ "bbr", 77e6, DIAG_LIMIT_LOSS, NAN, NAN, 0.031, false },
	};
	const struct diag_case facts = {
		.loss = 0.0201,
		.flows = 1,
		.mathis_bps = 1e6,
		.link_bps = 100e6,
		.contenders = both,
		.count = 2,
	};
	char text[512];

	diag_verdict(&facts, text, sizeof(text));
	/* 1.1 / 1.0; 77 / 1.1 = 70.0; 77 / 100 */
	assert_string_equal(
	    text, "The path lost 2.01 % of the packets: cubic is held back by "
		  "that to 1.10 Mbit/s, 1.10 times the Mathis bound of 1.00 "
		  "Mbit/s; bbr (the queue dropped 3.10 % of its packets) "
		  "carries 77.0 Mbit/s in spite of it, 70.0 times as much and "
		  "77.0 % of the link.");
}

/* BBR alone: 58.8 times a bound that is none to it. */
static void a_bound_that_does_not_hold_is_no_reason(void **state)
{
	const struct diag_contender one = { "bbr", 58.8e6, DIAG_LIMIT_LOSS,
					    NAN,   NAN,    0,
					    true };
	struct diag_case facts = {
		.loss = 0.02,
		.flows = 1,
		.mathis_bps = 1e6,
		.link_bps = 100e6,
		.contenders = &one,
		.count = 1,
	};
	char text[512];

	diag_verdict(&facts, text, sizeof(text));
	assert_string_equal(
	    text, "The path lost 2.00 % of the packets: bbr is held back by "
		  "that to 58.8 Mbit/s, 58.8 times what halving its window at "
		  "each loss would leave (the Mathis bound, 1.00 Mbit/s).");
	facts.flows = 2; /* 58.8 / (2 * 1) */
	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "58.8 Mbit/s, 29.4 times what"));
	assert_non_null(strstr(text, "bound, 2.00 Mbit/s for 2 flows)."));
}

static void equal_algorithms_are_called_equal(void **state)
{
	const struct diag_contender both[] = {
		{ "cubic", 95e6, DIAG_LIMIT_LINK, NAN, NAN, 0, false },
		{ "bbr", 94e6, DIAG_LIMIT_LINK, NAN, NAN, 0, false },
	};
	const struct diag_case facts = { .mathis_bps = NAN,
					 .link_bps = 100e6,
					 .contenders = both,
					 .count = 2 };
	char text[512];

	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "lost no packet"));
	assert_non_null(strstr(text, "the same within 10 %"));
}

static void a_case_without_any_flow_says_so(void **state)
{
	const struct diag_contender one = { "bbr", NAN, DIAG_LIMIT_FAILED,
					    NAN,   NAN, 0,
					    false };
	const struct diag_case facts = { .contenders = &one, .count = 1 };
	char text[128];

	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "nothing was measured"));
}

static void drops_and_marks_are_told_apart(void **state)
{
	struct diag_flow flow = busy_flow();

	flow.marked = 0.01;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_MARKS);
	flow.policer_loss = 0.12; /* it drops: that weighs more */
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_POLICER);
	flow.loss = 0.2;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_LOSS);
	flow.loss = 0;
	flow.queue_loss = 0.2;
	assert_int_equal(diag_limit_of(&flow), DIAG_LIMIT_QUEUE);
}

static void the_sentence_tells_all_that_a_path_took(void **state)
{
	const struct diag_contender one = { "cubic", 9e6, DIAG_LIMIT_POLICER,
					    NAN,     NAN, 0,
					    false };
	const struct diag_case facts = { .damaged = 0.01,
					 .policed = 0.12,
					 .mathis_bps = NAN,
					 .contenders = &one,
					 .count = 1 };
	char text[256];

	diag_verdict(&facts, text, sizeof(text));
	assert_string_equal(text, "The path damaged 1.00 %, policed away 12.0 "
				  "% of the packets: cubic backs off at the "
				  "drops of the policer, to 9.00 Mbit/s.");
}

/* The first BBR takes no drop for a sign: it loses what does not fit, and goes
 * on. */
static void who_heeds_no_drop_does_not_back_off(void **state)
{
	struct diag_contender one = { "bbr", 9e6, DIAG_LIMIT_QUEUE, NAN, NAN,
				      0.03,  true };
	const struct diag_case facts = { .mathis_bps = NAN,
					 .contenders = &one,
					 .count = 1 };
	char text[256];

	diag_verdict(&facts, text, sizeof(text));
	assert_string_equal(text, "The path itself lost no packet: bbr (the "
				  "queue dropped 3.00 % of its packets) fills "
				  "the queue and loses there, at 9.00 Mbit/s.");
	one.limit = DIAG_LIMIT_POLICER;
	diag_verdict(&facts, text, sizeof(text));
	assert_null(strstr(text, "backs off"));
	one.ignores_drops = false; /* as CUBIC and the third BBR */
	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "backs off at the drops of the policer"));
	one.limit = DIAG_LIMIT_QUEUE;
	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "backs off at the drops of the queue"));
}

/* A flow of which nothing arrived has no ratio to others. */
static void a_flow_without_bytes_has_no_ratio(void **state)
{
	struct diag_contender both[] = {
		{ "cubic", 0, DIAG_LIMIT_LOSS, NAN, NAN, 0, false },
		{ "bbr", 44e6, DIAG_LIMIT_LINK, NAN, NAN, 0, false },
	};
	const struct diag_case facts = { .loss = 0.02,
					 .flows = 1,
					 .mathis_bps = 1e6,
					 .link_bps = 100e6,
					 .contenders = both,
					 .count = 2 };
	char text[512];

	diag_verdict(&facts, text, sizeof(text));
	assert_string_equal(text, "The path lost 2.00 % of the packets: cubic "
				  "carries nothing in the time measured; bbr "
				  "fills the link at 44.0 Mbit/s, 44.0 % of "
				  "the link.");
	both[1].goodput_bps = 0;
	diag_verdict(&facts, text, sizeof(text));
	assert_non_null(strstr(text, "nothing was measured"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_is_named),
		cmocka_unit_test(
		    a_stream_that_arrives_is_limited_by_its_source),
		cmocka_unit_test(drops_and_marks_are_told_apart),
		cmocka_unit_test(the_sentence_tells_all_that_a_path_took),
		cmocka_unit_test(who_heeds_no_drop_does_not_back_off),
		cmocka_unit_test(a_flow_without_bytes_has_no_ratio),
		cmocka_unit_test(
		    flows_that_share_a_full_link_are_limited_by_it),
		cmocka_unit_test(
		    a_closed_window_that_was_large_enough_is_the_receivers),
		cmocka_unit_test(
		    idle_and_short_transfers_are_not_blamed_on_the_path),
		cmocka_unit_test(
		    the_sentence_says_what_was_lost_and_who_bears_it),
		cmocka_unit_test(a_bound_that_does_not_hold_is_no_reason),
		cmocka_unit_test(equal_algorithms_are_called_equal),
		cmocka_unit_test(a_case_without_any_flow_says_so),
	};

	return cmocka_run_group_tests_name("diag/limit", tests, NULL, NULL);
}
