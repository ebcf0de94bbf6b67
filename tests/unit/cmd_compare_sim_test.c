/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From options to simulated rounds. Nothing of this machine takes part. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/bottleneck.h"
#include "cmd/compare.h"
#include "near.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

struct fixture {
	struct compare_options options;
	struct spec_builder *path;
	struct compare_plan plan;
	struct fp_error error;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	compare_options_init(&fixture.options);
	fixture.options.sim = true;
	fixture.path = spec_builder_new();
	*state = &fixture;
	return fixture.path ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	spec_builder_free(fixture->path);
	return 0;
}

static void set_path(struct fixture *fixture, const char *name,
		     const char *value)
{
	assert_int_equal(
	    spec_builder_set(fixture->path, name, value, &fixture->error), 0);
}

static void make_plan(struct fixture *fixture)
{
	int result = compare_plan_init(&fixture->plan, &fixture->options,
				       fixture->path, &fixture->error);

	if (result)
		fail_msg("%s", fixture->error.text);
}

/* 11 s of 100 Mbit/s are 92,000 packets each: 15 rounds of two algorithms are
 * 2.8 million, a moment. 10 Gbit/s has 100 times as many: the least. 1.2 Gbit/s
 * 1.1 million packets each, 2.2 of both: 12 million are 5 rounds. */
static void rounds_take_a_moment(void **state)
{
	static const struct {
		const char *rate;
		uint64_t seeds, rounds;
		uint32_t count;
	} rows[] = {
		{ "100mbit", 0, COMPARE_AUTO, 15 },
		{ "10gbit", 0, COMPARE_AUTO, 3 },
		{ "1200mbit", 0, COMPARE_AUTO, 5 },
		{ "10gbit", 777, COMPARE_AUTO, 777 },
		{ "10gbit", 0, 7, 7 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fixture->options.seeds = rows[i].seeds;
		fixture->options.rounds = rows[i].rounds;
		set_path(fixture, "rate", rows[i].rate);
		make_plan(fixture);
		assert_int_equal(fixture->plan.rounds_each, rows[i].count);
		assert_int_equal(fixture->plan.round_count, 2 * rows[i].count);
		compare_plan_fini(&fixture->plan);
	}
}

/* Round k of the lab and of the simulator draw from the same seeds. */
static void worlds_meet_the_same_loss(void **state)
{
	struct fixture *fixture = *state;
	struct lab_round lab, sim;

	fixture->options.cc = "reno,reno";
	fixture->options.seeds = 3;
	for (uint32_t i = 0; i < 6; i++) {
		fixture->options.sim = true;
		make_plan(fixture);
		compare_plan_round(&fixture->plan, i, &sim);
		compare_plan_fini(&fixture->plan);
		fixture->options.sim = false;
		make_plan(fixture);
		compare_plan_round(&fixture->plan, i, &lab);
		compare_plan_fini(&fixture->plan);
		for (uint32_t way = 0; way < 2; way++)
			assert_int_equal(sim.path.way[way].seed,
					 lab.path.way[way].seed);
		assert_int_equal(sim.warmup_ns, lab.warmup_ns);
		assert_int_equal(sim.duration_ns, lab.duration_ns);
	}
}

/* 2 (2 + 3) products of 1.25 MB, as diag_buffer_bytes() derives, or the 6 and 4
 * MiB that Linux has. */
static void buffers_are_those_of_no_machine(void **state)
{
	static const struct {
		const char *rate, *buffers;
		uint64_t rmem_bytes, wmem_bytes;
	} rows[] = {
		{ "100mbit", NULL, 12500000, 12500000 },
		{ "10mbit", NULL, 6 << 20, 4 << 20 },
		{ "100mbit", "default", 6 << 20, 4 << 20 },
		{ "100mbit", "64k", 64 << 10, 64 << 10 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fixture->options.buffers = rows[i].buffers;
		set_path(fixture, "rate", rows[i].rate);
		make_plan(fixture);
		assert_int_equal(fixture->plan.rmem_bytes, rows[i].rmem_bytes);
		assert_int_equal(fixture->plan.wmem_bytes, rows[i].wmem_bytes);
		compare_plan_fini(&fixture->plan);
	}
}

static void long_names_are_whole(void **state)
{
	static const char name[] = "bbr3:draft:google:draft:google:draft";
	struct fixture *fixture = *state;
	struct lab_round round;
	struct cmd_scenario scenario;

	fixture->options.cc = "cubic:rfc9438,bbr3:draft:google:draft:google:"
			      "draft";
	fixture->options.seeds = 2;
	make_plan(fixture);
	assert_string_equal(fixture->plan.algorithms[1], name);
	/* round 2 of the second one */
	scenario = compare_scenario(&fixture->plan, 3, &round);
	assert_int_equal(scenario.algorithms[0].kind, FP_CC_BBR3);
	assert_int_equal(scenario.round->group_count, 1);
	compare_plan_fini(&fixture->plan);
}

static void hosts_do_as_told(void **state)
{
	struct fixture *fixture = *state;
	struct cmd_hosts *hosts = &fixture->plan.hosts;

	fixture->options.without = "tlp,gro";
	fixture->options.ack_every = 8;
	fixture->options.min_rto_ns = SECOND_NS;
	fixture->options.initial_cwnd = 20;
	fixture->options.stagger_ns = MS_NS;
	fixture->options.lifetime_ns = 2 * SECOND_NS;
	fixture->options.source = "stream 5mbit";
	make_plan(fixture);
	assert_int_equal(hosts->tcp.without, FP_SIM_TLP | FP_SIM_GRO);
	assert_int_equal(hosts->tcp.ack_every_pkts, 8);
	assert_int_equal(hosts->tcp.min_rto_ns, SECOND_NS);
	assert_int_equal(hosts->tcp.initial_cwnd_pkts, 20);
	assert_int_equal(hosts->stagger_ns, MS_NS);
	assert_int_equal(hosts->lifetime_ns, 2 * SECOND_NS);
	assert_int_equal(hosts->source.kind, FP_SIM_STREAM);
	assert_non_null(strstr(fixture->plan.hosts_text, "without tlp, gro"));
	assert_non_null(strstr(fixture->plan.source_text, "5.00 Mbit/s"));
	compare_plan_fini(&fixture->plan);
}

/* Half of a buffer is window up to 6.5; behind the lab's TUN it is 170 of 256
 * later on. 0: half, as the simulator has it by itself. */
static void windows_are_those_of_a_kernel(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t window_share_x256;
		bool holds_more;
	} rows[] = {
		{ NULL, 0, false },
		{ "6.5.13", 128, false },
		{ "6.6", 170, false },
		{ "6.16.1-amd64", 170, true },
	};
	struct fixture *fixture = *state;
	const struct fp_sim_tcp *tcp = &fixture->plan.hosts.tcp;

	for (uint32_t i = 0; i < 4; i++) {
		fixture->options.kernel = rows[i].kernel;
		make_plan(fixture);
		assert_int_equal(tcp->window_share_x256,
				 rows[i].window_share_x256);
		assert_int_equal(tcp->holds_more, rows[i].holds_more);
		compare_plan_fini(&fixture->plan);
	}
	fixture->options.kernel = "new";
	assert_int_equal(compare_plan_init(&fixture->plan, &fixture->options,
					   fixture->path, &fixture->error),
			 -EINVAL);
	assert_non_null(strstr(fixture->error.text, "'new'"));
}

/* Simulated flows are connected from the beginning: from 2 s on, for 8 s, 3 s
 * at 10 Mbit/s, 2 s at none and 3 s at 2 Mbit/s are 4.5 Mbit/s in the mean. */
static void a_stepping_link_begins_with_the_flows(void **state)
{
	struct fixture *fixture = *state;

	set_path(fixture, "rtt", "20ms");
	set_path(fixture, "rate", "90mbit");
	set_path(fixture, "rate-steps", "1s:10mbit,5s:0bit,7s:2mbit");
	make_plan(fixture);
	assert_near(compare_bottleneck(&fixture->plan, NAN).mean_bps, 4.5e6, 1);
	compare_plan_fini(&fixture->plan);
}

static void a_path_without_emulator_cannot_be_simulated(void **state)
{
	struct fixture *fixture = *state;

	set_path(fixture, "path", "direct");
	assert_int_equal(compare_plan_init(&fixture->plan, &fixture->options,
					   fixture->path, &fixture->error),
			 -EOPNOTSUPP);
	assert_int_equal(fixture->error.status, 2);
}

static void processor_time_is_not_expected_of_it(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.expect.values[0] = "cubic cpu <= 1s";
	fixture->options.expect.count = 1;
	assert_int_equal(compare_plan_init(&fixture->plan, &fixture->options,
					   fixture->path, &fixture->error),
			 -EINVAL);
	assert_non_null(strstr(fixture->error.text, "processor time"));
}

/* One option that does not fit, and what the message speaks of. */
static void assert_refused(const struct compare_options *options,
			   const char *what)
{
	struct fp_error error = { 0 };

	assert_int_equal(compare_check_worlds(options, &error), -EINVAL);
	assert_int_equal(error.status, 2);
	assert_ptr_equal(strstr(error.text, what), error.text);
	assert_true(error.hint[0]);
}

#define REFUSED(world, member, value, what)                                    \
	do {                                                                   \
		struct compare_options options;                                \
                                                                               \
		compare_options_init(&options);                                \
		options.sim = (world) == 's';                                  \
		options.both = (world) == 'b';                                 \
		assert_int_equal(compare_check_worlds(&options, NULL), 0);     \
		options.member = (value);                                      \
		assert_refused(&options, what);                                \
	} while (0)

static void worlds_refuse_what_they_have_not(void **state)
{
	REFUSED('l', seeds, 5, "--seeds");
	REFUSED('l', without, "sack", "--without");
	REFUSED('l', ack_every, 2, "--ack-every");
	REFUSED('l', min_rto_ns, 1, "--min-rto");
	REFUSED('l', initial_cwnd, 1, "--initial-cwnd");
	REFUSED('l', kernel, "6.18", "--kernel");
	REFUSED('l', source, "bulk", "--source");
	REFUSED('l', stagger_ns, 1, "--stagger");
	REFUSED('l', lifetime_ns, 1, "--lifetime");
	REFUSED('l', trace, "x", "--trace");
	REFUSED('s', with, COMPARE_IPERF3, "--with iperf3");
	REFUSED('s', precise, true, "--precise");
	REFUSED('s', backend, 1, "--backend");
	REFUSED('s', both, true, "--both");
	REFUSED('b', source, "bulk", "--source");
	REFUSED('b', stagger_ns, 1, "--stagger");
	REFUSED('b', lifetime_ns, 1, "--lifetime");
	REFUSED('b', timeline, true, "--timeline");
	REFUSED('b', preset, "all", "--preset all");
}

static void two_words_for_one_thing_are_refused(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.seeds = 3;
	fixture->options.rounds = 3;
	assert_refused(&fixture->options, "--seeds");
	fixture->options.rounds = COMPARE_AUTO;
	fixture->options.source = "bulk";
	fixture->options.bytes = 1;
	assert_refused(&fixture->options, "--source");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rounds_take_a_moment),
		TEST(worlds_meet_the_same_loss),
		TEST(buffers_are_those_of_no_machine),
		TEST(long_names_are_whole),
		TEST(hosts_do_as_told),
		TEST(windows_are_those_of_a_kernel),
		TEST(a_stepping_link_begins_with_the_flows),
		TEST(a_path_without_emulator_cannot_be_simulated),
		TEST(processor_time_is_not_expected_of_it),
		TEST(worlds_refuse_what_they_have_not),
		TEST(two_words_for_one_thing_are_refused),
	};

	return cmocka_run_group_tests_name("cmd/compare_sim", tests, NULL,
					   NULL);
}
