/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cc/registry.h"

#include "cc/window.h"

static void init(struct fp_cc *cc, const struct fp_cc_conn *conn,
		 struct fp_cc_control *control)
{
	fp_cubic_init(&cc->cubic, &cc->config.cubic, conn, control);
}

static void on_rtt(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   uint32_t rtt_us, struct fp_cc_control *control)
{
	fp_cubic_on_rtt(&cc->cubic, conn, rtt_us, control);
}

static void on_ack(struct fp_cc *cc, const struct fp_cc_conn *conn,
		   const struct fp_cc_ack *ack, struct fp_cc_control *control)
{
	fp_cubic_on_ack(&cc->cubic, conn, ack, control);
}

static void on_congestion(struct fp_cc *cc, const struct fp_cc_conn *conn,
			  struct fp_cc_control *control)
{
	fp_cubic_on_congestion(&cc->cubic, conn, control);
}

static void on_undo(struct fp_cc *cc, const struct fp_cc_conn *conn,
		    struct fp_cc_control *control)
{
	fp_cubic_on_undo(&cc->cubic, conn, control);
}

static void on_state(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_ca_state next, struct fp_cc_control *control)
{
	fp_cubic_on_state(&cc->cubic, conn, next, control);
}

static void on_event(struct fp_cc *cc, const struct fp_cc_conn *conn,
		     enum fp_cc_event event, struct fp_cc_control *control)
{
	fp_cubic_on_event(&cc->cubic, conn, event, control);
}

static const char *state_name(const struct fp_cc *cc,
			      const struct fp_cc_control *control)
{
	if (!cc__is_in_slow_start(control))
		return "congestion_avoidance";
	return cc->cubic.hystart.css_rounds != 0 ? "conservative_slow_start"
						 : "slow_start";
}

static const struct fp_cc_ops ops = {
	.sndbuf_expand = 2, /* tcp_sndbuf_expand() */
	.init = init,
	.on_rtt = on_rtt,
	.on_ack = on_ack,
	.on_congestion = on_congestion,
	.on_undo = on_undo,
	.on_state = on_state,
	.on_event = on_event,
	.state_name = state_name,
};

static uint32_t *switches(struct fp_cc_config *config)
{
	return &config->cubic.switches;
}

#define BOTH_HYSTARTS ((uint32_t)FP_CUBIC_HYSTART | FP_CUBIC_HYSTARTPP)

static const struct cc_word words[] = {
	{ "linux", "as Linux 6.12; the default", UINT32_MAX, FP_CUBIC_LINUX,
	  true },
	{ "rfc9438", "as RFC 9438", UINT32_MAX, FP_CUBIC_RFC9438, true },
	{ "hystart", "leaves slow start by HyStart, as Linux", BOTH_HYSTARTS,
	  FP_CUBIC_HYSTART, false },
	{ "hystart++", "leaves slow start by HyStart++ (RFC 9406)",
	  BOTH_HYSTARTS, FP_CUBIC_HYSTARTPP, false },
	CC_SWITCH("fast_convergence", FP_CUBIC_FAST_CONVERGENCE,
		  "a loss below the last maximum makes room for other flows"),
	CC_SWITCH("reno_friendly", FP_CUBIC_RENO_FRIENDLY,
		  "is not slower than Reno would be"),
	CC_SWITCH("first_growth", FP_CUBIC_FIRST_GROWTH,
		  "grows by 5 % a round until the first loss"),
	CC_SWITCH("fine_clock", FP_CUBIC_FINE_CLOCK,
		  "follows the curve at each ACK, in 1/1024 s, not in ticks"),
	CC_SWITCH(
	    "exact_constants", FP_CUBIC_EXACT_CONSTANTS,
	    "beta 0.7, C 0.4 and true cube roots, not 717/1024 and 410/1024"),
	CC_SWITCH("fraction", FP_CUBIC_FRACTION,
		  "keeps fractions of a packet of window"),
	CC_SWITCH("smoothed_rtt", FP_CUBIC_SMOOTHED_RTT,
		  "looks ahead by the smoothed RTT, not by the least"),
	CC_SWITCH("reno_alpha", FP_CUBIC_RENO_ALPHA,
		  "Reno's share is 9/17 until it is back where it was, then 1"),
	CC_SWITCH("reno_window", FP_CUBIC_RENO_WINDOW,
		  "takes Reno's window at once, does not grow towards it"),
	CC_SWITCH(
	    "flight_ssthresh", FP_CUBIC_FLIGHT_SSTHRESH,
	    "a loss leaves a part of what was in flight, not of the window"),
	CC_SWITCH("timeout_keeps_max", FP_CUBIC_TIMEOUT_KEEPS_MAX,
		  "a timeout does not forget the last maximum, as in ns-3"),
	CC_SWITCH("undo_curve", FP_CUBIC_UNDO_CURVE,
		  "a loss that was none is undone in the curve as well"),
	CC_SWITCH("app_limited_time", FP_CUBIC_APP_LIMITED_TIME,
		  "time in which the window was not used does not count"),
};

const struct cc_row cc__row_cubic = {
	.names = { "cubic" },
	.ops = &ops,
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
	.switches = switches,
	.default_switches = FP_CUBIC_LINUX,
};
