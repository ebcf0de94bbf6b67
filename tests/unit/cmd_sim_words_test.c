/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a person says about simulated hosts, sources and algorithms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cmd/algorithm.h"
#include "cmd/sim_words.h"

#define MS_NS UINT64_C(1000000)
#define S_NS  UINT64_C(1000000000)

static void parts_are_their_bits(void **state)
{
	static const struct {
		const char *text;
		uint32_t parts;
	} rows[] = {
		{ "sack", FP_SIM_SACK },
		{ "quickack", FP_SIM_QUICKACK },
		{ "sack,rack", FP_SIM_SACK | FP_SIM_RACK },
		{ "limited-transmit,prr,prr",
		  FP_SIM_LIMITED_TRANSMIT | FP_SIM_PRR },
		/* every word that the simulator has */
		{ "sack,rack,tlp,prr,frto,undo,limited-transmit,pacing,tso,cwv,"
		  "idle-restart,app-limited,autotuning,delayed-ack,gro,quickack",
		  (1u << FP_SIM_PARTS) - 1 },
	};
	struct fp_error error;
	uint32_t parts = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(
		    cmd_without_parse(rows[i].text, &parts, &error), 0);
		assert_int_equal(parts, rows[i].parts);
	}
}

static void unknown_parts_name_the_nearest(void **state)
{
	static const struct {
		const char *text, *hint;
	} rows[] = {
		{ "sak", "'sack'" },
		{ "sack,pacin", "'pacing'" },
		{ "", "takes: sack, rack, tlp" },
		{ "sack,", "takes: sack, rack, tlp" },
		{ "warp-drive", "undo, limited-transmit, pacing" },
	};
	struct fp_error error;
	uint32_t parts = 77;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(cmd_without_parse(rows[i].text, &parts, &error) <
			    0);
		assert_int_equal(parts, 77);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.hint, rows[i].hint));
	}
}

static void sources_are_read(void **state)
{
	static const struct {
		const char *text;
		struct fp_sim_source source;
	} rows[] = {
		{ "bulk", { .kind = FP_SIM_BULK } },
		{ "requests 20k every 50ms",
		  { .kind = FP_SIM_REQUESTS,
		    .bytes = 20480,
		    .off_ns = 50 * MS_NS } },
		{ "requests 1", { .kind = FP_SIM_REQUESTS, .bytes = 1 } },
		{ " on-off  1s 2s ",
		  { .kind = FP_SIM_ON_OFF,
		    .on_ns = S_NS,
		    .off_ns = 2 * S_NS } },
		{ "stream 5mbit",
		  { .kind = FP_SIM_STREAM, .rate_bps = 5000000 } },
	};
	struct fp_sim_source source;
	struct fp_error error;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct fp_sim_source *want = &rows[i].source;

		assert_int_equal(
		    cmd_source_parse(rows[i].text, &source, &error), 0);
		assert_int_equal(source.kind, want->kind);
		assert_int_equal(source.bytes, want->bytes);
		assert_int_equal(source.on_ns, want->on_ns);
		assert_int_equal(source.off_ns, want->off_ns);
		assert_int_equal(source.rate_bps, want->rate_bps);
	}
}

static void wrong_sources_say_what_is_taken(void **state)
{
	static const struct {
		const char *text, *hint;
	} rows[] = {
		{ "", "takes bulk" },
		{ "video", "takes bulk" },
		{ "bulk 5", "it takes bulk" },
		{ "requests", "requests SIZE" },
		{ "requests 0", "requests SIZE" },
		{ "requests 20k 50ms", "every TIME" },
		{ "requests 20k after 50ms", "every TIME" },
		{ "requests 20k every 50", "every TIME" },
		{ "requests 20k every 2h", "at most 1tib and 1h" },
		{ "requests 2048g", "at most 1tib" },
		{ "on-off 1s", "on-off TIME TIME" },
		{ "on-off 1s 0", "above 0" },
		{ "stream 5", "stream RATE" },
		{ "stream 1bit", "1kbit" },
		{ "stream 5mbit now please or never", "takes bulk" },
	};
	struct fp_sim_source source = { .bytes = 77 };
	struct fp_error error;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(cmd_source_parse(rows[i].text, &source, &error) <
			    0);
		assert_int_equal(source.bytes, 77);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.hint, rows[i].hint));
	}
}

static void algorithms_have_kind_and_version(void **state)
{
	static const struct {
		const char *text;
		enum fp_cc_kind kind;
		uint32_t version;
	} rows[] = {
		{ "reno", FP_CC_RENO, 0 },
		{ "cubic", FP_CC_CUBIC, 0 },
		{ "cubic:rfc9438", FP_CC_CUBIC, 0 },
		{ "bbr", FP_CC_BBR, 1 },
		{ "bbr3:draft", FP_CC_BBR3, 3 },
	};
	struct fp_cc_config config;
	struct fp_error error;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(
		    cmd_algorithm_parse(rows[i].text, &config, &error), 0);
		assert_int_equal(config.kind, rows[i].kind);
		assert_int_equal(cmd_algorithm_bbr_version(&config),
				 rows[i].version);
	}
}

static void unknown_algorithms_name_the_nearest(void **state)
{
	static const struct {
		const char *text, *hint;
	} rows[] = {
		{ "cubik", "did you mean 'cubic'?" },
		{ "bbbr3", "did you mean 'bbr3'?" },
		{ "westwood", "has: reno, cubic, bbr, bbr3" },
		{ "", "has: reno, cubic, bbr, bbr3" },
		{ "cubic:rfc9348", "did you mean 'cubic:rfc9438'?" },
		{ "cubic:linux:hystrat", "did you mean 'cubic:hystart'?" },
		{ "bbr3:drft", "did you mean 'bbr3:draft'?" },
		{ "cubic:warp", "cubic takes: " },
	};
	struct fp_cc_config config;
	struct fp_error error;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(cmd_algorithm_parse(rows[i].text, &config, &error) <
			    0);
		assert_int_equal(error.status, 2);
		assert_non_null(strstr(error.hint, rows[i].hint));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_their_bits),
		cmocka_unit_test(unknown_parts_name_the_nearest),
		cmocka_unit_test(sources_are_read),
		cmocka_unit_test(wrong_sources_say_what_is_taken),
		cmocka_unit_test(algorithms_have_kind_and_version),
		cmocka_unit_test(unknown_algorithms_name_the_nearest),
	};

	return cmocka_run_group_tests_name("cmd/sim_words", tests, NULL, NULL);
}
