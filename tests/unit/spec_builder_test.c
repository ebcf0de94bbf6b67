/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What users say -> the canonical lines of both ways, or the error. */
#include "spec/spec.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct row {
	const char *said[12]; /* name, value, name, value, … */
	const char *forward;  /* canonical line; NULL: an error */
	const char *back;     /* canonical line, or what the error contains */
};

static int build(const char *const said[12], struct spec_path *ret_path,
		 struct fp_error *error)
{
	struct spec_builder *builder = spec_builder_new();
	int result = 0;

	assert_non_null(builder);
	for (int i = 0; i < 12 && said[i] && result == 0; i += 2)
		result = spec_builder_set(builder, said[i], said[i + 1], error);
	if (result == 0)
		result = spec_builder_build(builder, ret_path, error);
	spec_builder_free(builder);
	return result;
}

static void check_row(const struct row *row)
{
	struct spec_path path = { 0 };
	struct fp_error error = { 0 };
	int result = build(row->said, &path, &error);

	if (!row->forward) {
		if (result == 0 || error.status != 2 ||
		    !strstr(error.text, row->back))
			fail_msg("%s %s: result %d, '%s', expected '%s'",
				 row->said[0], row->said[1], result, error.text,
				 row->back);
		return;
	}
	if (result != 0)
		fail_msg("%s %s: %s", row->said[0], row->said[1], error.text);
	assert_string_equal(path.way[SPEC_FORWARD].text, row->forward);
	assert_string_equal(path.way[SPEC_BACK].text, row->back);
	spec_path_fini(&path);
}

#define CHECK_ROWS(rows)                                                       \
	do {                                                                   \
		for (size_t i = 0; i < sizeof(rows) / sizeof(*(rows)); i++)    \
			check_row(&(rows)[i]);                                 \
	} while (0)

/* 1 BDP of the default path: 100 Mbit/s x 0.1 s / 8 = 1250000 bytes */
#define DEFAULT_FORWARD "delay 50ms loss 2% rate 100mbit queue 1250000b"

static void options_change_the_default_path(void **state)
{
	static const struct row rows[] = {
		{ { NULL }, DEFAULT_FORWARD, "delay 50ms" },
		{ { "loss", "5%" },
		  "delay 50ms loss 5% rate 100mbit queue 1250000b",
		  "delay 50ms" },
		{ { "loss", "0" },
		  "delay 50ms rate 100mbit queue 1250000b",
		  "delay 50ms" },
		/* 100 Mbit/s x 0.02 s / 8 = 250000 bytes */
		{ { "rtt", "20ms" },
		  "delay 10ms loss 2% rate 100mbit queue 250000b",
		  "delay 10ms" },
		/* later words override earlier ones */
		{ { "rtt", "20ms", "rtt", "100ms" },
		  DEFAULT_FORWARD,
		  "delay 50ms" },
		/* 1 Gbit/s x 0.1 s / 8 / 2 = 6250000 bytes */
		{ { "rate", "1gbit", "queue", "0.5bdp" },
		  "delay 50ms loss 2% rate 1gbit queue 6250000b",
		  "delay 50ms" },
		{ { "delay", "30ms", "delay-back", "70ms" },
		  "delay 30ms loss 2% rate 100mbit queue 1250000b",
		  "delay 70ms" },
		{ { "loss-back", "1%", "rate-back", "10mbit" },
		  DEFAULT_FORWARD,
		  /* 10 Mbit/s x 0.1 s / 8 = 125000 */
		  "delay 50ms loss 1% rate 10mbit queue 125000b" },
		{ { "queue", "100 packets" },
		  "delay 50ms loss 2% rate 100mbit limit 100",
		  "delay 50ms" },
		{ { "queue", "64kB" },
		  "delay 50ms loss 2% rate 100mbit queue 64k",
		  "delay 50ms" },
		{ { "queue", "20ms" },
		  "delay 50ms loss 2% rate 100mbit queue 20ms",
		  "delay 50ms" },
		/* found by fuzzing: 1 BDP = 225 TB; a queue ends at 1 TiB */
		{ { "rate", "1000gbit", "rtt", "1800s", "loss", "0" },
		  "delay 900s rate 1000gbit queue 1024G",
		  "delay 900s" },
		/* no RTT: room for a first flight, 10 x (1500 + 14) bytes */
		{ { "rtt", "0" },
		  "loss 2% rate 100mbit queue 15140b",
		  "delay 0ms" },
		{ { "jitter", "5ms 25%", "distribution", "normal" },
		  "delay 50ms 5ms 25% distribution normal loss 2% rate "
		  "100mbit queue 1250000b",
		  "delay 50ms" },
		{ { "rate-steps", "0s:100mbit,5s:20mbit" },
		  "delay 50ms loss 2% steps 0ms:100mbit,5s:20mbit queue "
		  "1250000b",
		  "delay 50ms" },
		{ { "aqm", "codel:target=5ms,interval=100ms,ecn" },
		  "delay 50ms loss 2% rate 100mbit queue 1250000b aqm "
		  "codel:target=5ms,interval=100ms,ecn",
		  "delay 50ms" },
		{ { "aqm", "threshold:65k" },
		  "delay 50ms loss 2% rate 100mbit queue 1250000b aqm "
		  "threshold:65k",
		  "delay 50ms" },
		{ { "aqm", "red:min=30k,max=90k,p=10%,weight=9,ecn" },
		  "delay 50ms loss 2% rate 100mbit queue 1250000b aqm "
		  "red:min=30k,max=90k,p=10%,weight=9,ecn",
		  "delay 50ms" },
		/* found by fuzzing: three times min is more than can be said */
		{ { "aqm", "red:min=587914175b" },
		  "delay 50ms loss 2% rate 100mbit queue 1250000b aqm "
		  "red:min=587914175b,max=1G,p=10%,weight=9",
		  "delay 50ms" },
		{ { "policer", "10mbit:64k", "overhead", "20 53 5" },
		  "delay 50ms loss 2% policer 10mbit burst 64k rate 100mbit "
		  "overhead 20 53 5 queue 1250000b",
		  "delay 50ms" },
		{ { "ecn", NULL },
		  "delay 50ms loss 2% ecn rate 100mbit queue 1250000b",
		  "delay 50ms" },
		{ { "reorder", "25% 50% gap 5", "duplicate", "1%", "corrupt",
		    "0.1% 10%" },
		  "delay 50ms loss 2% duplicate 1% corrupt 0.1% 10% reorder "
		  "25% 50% gap 5 rate 100mbit queue 1250000b",
		  "delay 50ms" },
	};

	CHECK_ROWS(rows);
}

static void the_last_of_an_option_counts(void **state)
{
	static const struct row rows[] = {
		{ { "reorder", "1% gap 5", "reorder", "2%", "rate", "1gbit",
		    "rate", "8mbit", "queue", "9p" },
		  "delay 50ms loss 2% reorder 2% rate 8mbit limit 9",
		  "delay 50ms" },
		{ { "rate-back", "1mbit", "rate-back", "2mbit", "queue-back",
		    "1bdp", "queue-back", "5p" },
		  DEFAULT_FORWARD,
		  "delay 50ms rate 2mbit limit 5" },
	};

	CHECK_ROWS(rows);
}

static void a_line_says_it_all(void **state)
{
	static const struct row rows[] = {
		{ { "path", "delay 50ms loss 2% rate 100mbit limit 500" },
		  "delay 50ms loss 2% rate 100mbit limit 500",
		  "delay 0ms" },
		/* netem's default limit */
		{ { "path", "rate 100mbit", "path-back", "delay 9ms" },
		  "rate 100mbit limit 1000",
		  "delay 9ms" },
		/* options override it, wherever they stand */
		{ { "loss", "5%", "path", "delay 50ms loss 2%" },
		  "delay 50ms loss 5%",
		  "delay 0ms" },
		{ { "path", "rate 100mbit overhead 20", "rate", "5mbit" },
		  "rate 5mbit overhead 20 limit 1000",
		  "delay 0ms" },
		/* a later line replaces an earlier one */
		{ { "path", "direct", "path", "delay 5ms" },
		  "delay 5ms",
		  "delay 0ms" },
		{ { "path", "direct", "mtu", "9000" }, "direct", "direct" },
		/* and leaves nothing of a preset's way back */
		{ { "path", "direct", "preset", "cc-30" }, "direct", "direct" },
		{ { "path-back", "delay 9ms" }, "delay 0ms", "delay 9ms" },
		{ { "path", "" }, "delay 0ms", "delay 0ms" },
	};

	CHECK_ROWS(rows);
}

static void presets_stand_below_options(void **state)
{
	static const struct row rows[] = {
		{ { "preset", "cc-30" },
		  "delay 50ms loss 2% rate 100mbit limit 1000",
		  "delay 50ms" },
		{ { "preset", "bbr-2pct" }, "delay 10ms loss 2%", "delay 0ms" },
		{ { "preset", "bbr-clean" }, "direct", "direct" },
		{ { "loss", "4%", "preset", "cc-30" },
		  "delay 50ms loss 4% rate 100mbit limit 1000",
		  "delay 50ms" },
	};

	CHECK_ROWS(rows);
}

static void errors_name_option_value_and_range(void **state)
{
	static const struct row rows[] = {
		{ { "loss", "200%" }, NULL, "--loss: '200%' is not a share" },
		{ { "loss", "200%" }, NULL, "from 0% to 100%" },
		{ { "loss", "2" }, NULL, "--loss: '2' is not a share" },
		{ { "loss", "2% 3% 4%" }, NULL, "'4%' has no meaning" },
		{ { "loss", "" }, NULL, "--loss: a share" },
		{ { "loss", NULL }, NULL, "--loss: a value is missing" },
		{ { "rate", "10" },
		  NULL,
		  "--rate: '10' is not a rate with its" },
		{ { "rate", "0bit" }, NULL, "from 1kbit to 1000gbit" },
		{ { "rtt", "-1ms" }, NULL, "--rtt: '-1ms' is not a time" },
		{ { "rtt", "1h" }, NULL, "from 0ms to 1800s" },
		{ { "delay", "10" }, NULL, "--delay: '10' is not a time" },
		{ { "queue", "0" }, NULL, "would drop every packet" },
		{ { "queue", "0bdp" }, NULL, "would drop every packet" },
		{ { "queue", "100" }, NULL, "'100' of what?" },
		{ { "queue", "1000b" }, NULL, "less than one packet" },
		{ { "queue", "lots" }, NULL, "'lots' is not a queue" },
		{ { "queue", "1bdp", "rtt", "0" }, NULL, "needs a rate and" },
		{ { "queue-back", "5p" },
		  NULL,
		  "way back: queue: needs a rate" },
		{ { "mtu", "575" }, NULL, "from 576 to 65535" },
		{ { "mtu", "65536" }, NULL, "from 576 to 65535" },
		{ { "mtu", "1279", "ipv6", NULL }, NULL, "1280 bytes" },
		{ { "loss-unit", "byte" }, NULL, "(packet, skb)" },
		{ { "ipv6", "maybe" }, NULL, "neither true nor false" },
		{ { "aqm", "pie" }, NULL, "'pie' is not an AQM" },
		{ { "aqm", "codel:min=3k" }, NULL, "'min' is no parameter" },
		{ { "aqm", "red:min=9k,max=3k" }, NULL, "max is below min" },
		{ { "aqm", "codel:target=5" }, NULL, "target: '5' is not" },
		{ { "policer", "10mbit" }, NULL, "--policer: a size from" },
		{ { "policer", "10mbit:1" }, NULL, "'1' is not a size" },
		{ { "rate-steps", "5s:1mbit" }, NULL, "first step must be" },
		{ { "rate-steps", "0s:1mbit,0s:2mbit" }, NULL, "not later" },
		{ { "rate-steps", "0s" }, NULL, "'0s' is not a step" },
		{ { "distribution", "normal" }, NULL, "needs a jitter" },
		{ { "distribution", "bell" }, NULL, "'bell' is not a dist" },
		{ { "path", "direct", "loss", "1%" }, NULL, "veth pair" },
		{ { "path-back", "direct" }, NULL, "for both ways" },
		{ { "preset", "cc-31" }, NULL, "'cc-31' is not a preset" },
		{ { "los", "1%" }, NULL, "no such option" },
		{ { "ecn-back", NULL }, NULL, "no such option" },
		{ { "gap", "5" }, NULL, "no such option" },
	};

	CHECK_ROWS(rows);
}

static void misspelt_words_get_a_hint(void **state)
{
	static const char *const rows[][3] = {
		{ "preset", "cc30", "'cc-30'" },
		{ "looss", "1%", "'loss'" },
		{ "path", "dealy 5ms", "'delay'" },
		{ "loss", "gemodl 1%", "'gemodel'" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said[12] = { rows[i][0], rows[i][1] };
		struct spec_path path;
		struct fp_error error = { 0 };

		assert_int_not_equal(build(said, &path, &error), 0);
		assert_non_null(strstr(error.hint, rows[i][2]));
	}
}

static void summaries_add_up(void **state)
{
	static const char *const said[12] = { "rtt",     "101ms", "rate",
					      "100mbit", "queue", "1000p",
					      "mtu",     "9000",  "loss-unit",
					      "skb",     "ipv6",  NULL };
	struct spec_path path;
	const struct spec_direction *forward = &path.way[SPEC_FORWARD];

	assert_int_equal(build(said, &path, NULL), 0);
	assert_int_equal(path.rtt_ns, 101000000);
	assert_int_equal(forward->delay_ns, 50500000);
	/* 100e6 / 8 x 0.101 */
	assert_int_equal(path.bdp_bytes, 1262500);
	assert_int_equal(forward->rate_bps, 100000000);
	/* 1000 x (9000 + 14) */
	assert_int_equal(forward->queue_bytes, 9014000);
	assert_int_equal(forward->loss_ppm, 20000);
	assert_true(path.is_ipv6);
	assert_int_equal(path.loss_unit, FP_LOSS_UNIT_SKB);
	assert_int_equal(forward->config.l2_bytes, 14);
	assert_int_equal(forward->config.seed, 0);
	assert_int_equal(forward->config.capacity_pkts, 0);
	assert_int_equal(path.way[SPEC_BACK].config.direction, 1);
	assert_int_equal(forward->config.stages[0].loss.unit, FP_LOSS_UNIT_SKB);
	spec_path_fini(&path);
}

static void every_preset_builds(void **state)
{
	uint32_t count = 0;

	for (; spec_preset_at(count); count++) {
		const struct spec_preset *preset = spec_preset_at(count);
		const char *said[12] = { "preset", preset->name };
		struct spec_path path;
		struct fp_error error = { 0 };

		if (build(said, &path, &error) != 0)
			fail_msg("%s: %s", preset->name, error.text);
		assert_ptr_equal(spec_preset_find(preset->name), preset);
		spec_path_fini(&path);
	}
	assert_int_equal(count, 6);
	assert_null(spec_preset_find("none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_change_the_default_path),
		cmocka_unit_test(the_last_of_an_option_counts),
		cmocka_unit_test(a_line_says_it_all),
		cmocka_unit_test(presets_stand_below_options),
		cmocka_unit_test(errors_name_option_value_and_range),
		cmocka_unit_test(misspelt_words_get_a_hint),
		cmocka_unit_test(summaries_add_up),
		cmocka_unit_test(every_preset_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
