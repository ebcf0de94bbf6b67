/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What may be said of which world, and what a simulation adds to a plan. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bottleneck.h"
#include "cmd/compare.h"
#include "cmd/sim_words.h"
#include "sys/error.h"
#include "sys/format.h"
#include "sys/kernel.h"

#define RELEASE_BYTES 65
#define SEEDS_MOST    15
#define SEEDS_LEAST   3
/* Packets of all rounds together that are still a moment: a core simulates 4 to
 * 8 million a second. */
#define PACKETS_EASY  12e6

/* --- What fits together --------------------------------------------------- */

struct conflict {
	bool holds;
	const char *what, *why, *hint;
};

static int complain(const struct conflict *conflicts, size_t count,
		    struct fp_error *error)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!conflicts[i].holds)
			continue;
		(void)fp_error_set(error, FP_EXIT_USAGE, "%s %s",
				   conflicts[i].what, conflicts[i].why);
		fp_error_hint(error, "%s", conflicts[i].hint);
		return -EINVAL;
	}
	return 0;
}

#define COMPLAIN(conflicts, error)                                             \
	complain(conflicts, sizeof(conflicts) / sizeof((conflicts)[0]), error)

static int check_without_sim(const struct compare_options *options,
			     struct fp_error *error)
{
	static const char why[] = "is for the simulator alone";
	static const char hint[] = "add --sim or --both";
	const struct conflict conflicts[] = {
		{ options->seeds > 0, "--seeds", why,
		  "add --sim or --both; the lab takes --rounds" },
		{ options->without, "--without", why, hint },
		{ options->ack_every > 0, "--ack-every", why, hint },
		{ options->min_rto_ns > 0, "--min-rto", why, hint },
		{ options->initial_cwnd > 0, "--initial-cwnd", why, hint },
		{ options->kernel, "--kernel", why, hint },
		{ options->source, "--source", why, "add --sim" },
		{ options->stagger_ns > 0, "--stagger", why, "add --sim" },
		{ options->lifetime_ns > 0, "--lifetime", why, "add --sim" },
		{ options->trace, "--trace", why,
		  "add --sim or --both; the trace of a bottleneck is "
		  "--rate-trace" },
	};

	return COMPLAIN(conflicts, error);
}

/* What the lab does and no simulation has. */
static int check_with_sim(const struct compare_options *options,
			  struct fp_error *error)
{
	static const char why[] = "has no meaning with --sim";
	const struct conflict conflicts[] = {
		{ options->with == COMPARE_IPERF3, "--with iperf3",
		  "needs real sockets, which --sim does not have",
		  "leave --sim out to measure" },
		{ options->precise, "--precise", why,
		  "virtual time is exact: leave it out" },
		{ options->backend != 0, "--backend", why,
		  "no packet is sent: leave it out" },
		{ options->seeds > 0 && options->rounds != COMPARE_AUTO,
		  "--seeds", "and --rounds say the same with --sim",
		  "give one of them" },
	};

	return COMPLAIN(conflicts, error);
}

static int check_both(const struct compare_options *options,
		      struct fp_error *error)
{
	static const char why[] = "cannot be measured, only simulated";
	const struct conflict conflicts[] = {
		{ options->source, "--source", why, "take --sim" },
		{ options->stagger_ns > 0, "--stagger", why, "take --sim" },
		{ options->lifetime_ns > 0, "--lifetime", why, "take --sim" },
		{ options->timeline, "--timeline",
		  "shows one world, and --both has two",
		  "--both --json --samples has the samples of both" },
		{ options->preset && strcmp(options->preset, "all") == 0,
		  "--preset all", "takes --sim, but not --both",
		  "give one preset by its name" },
	};

	return COMPLAIN(conflicts, error);
}

int compare_check_worlds(const struct compare_options *options,
			 struct fp_error *error)
{
	const struct conflict conflicts[] = {
		{ options->sim && options->both, "--both",
		  "is --sim and the lab", "give one of them" },
		{ options->source && options->bytes > 0, "--source",
		  "and --bytes both say what is sent", "give one of them" },
		{ options->trace && options->preset &&
		      strcmp(options->preset, "all") == 0,
		  "--trace", "follows one path, not all presets",
		  "give one preset by its name" },
	};
	int result = COMPLAIN(conflicts, error);

	if (result < 0)
		return result;
	if (options->both)
		return check_both(options, error);
	return options->sim ? check_with_sim(options, error)
			    : check_without_sim(options, error);
}

/* --- Hosts and sources ---------------------------------------------------- */

struct text {
	char *at;
	size_t bytes;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text,
						      const char *format, ...)
{
	size_t used = strlen(text->at);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text->at + used, text->bytes - used, format, args);
	va_end(args);
}

static void say_parts(struct text *text, uint32_t parts)
{
	const char *before = ", without ";
	uint32_t i;

	for (i = 0; i < FP_SIM_PARTS; i++) {
		if (!(parts & (1u << i)))
			continue;
		say(text, "%s%s", before, fp_sim_part_name(i));
		before = ", ";
	}
}

static void describe_hosts(struct compare_plan *plan)
{
	const struct fp_sim_tcp *tcp = &plan->hosts.tcp;
	struct text text = { plan->hosts_text, sizeof(plan->hosts_text) };
	char time[FP_FORMAT_BYTES];

	say(&text, "fullpipe's model of Linux's TCP; no packet is sent");
	say_parts(&text, tcp->without);
	if (tcp->ack_every_pkts)
		say(&text, ", one ACK for %u packets", tcp->ack_every_pkts);
	if (tcp->min_rto_ns) {
		fp_format(time, sizeof(time), FP_UNIT_TIME_NS,
			  (double)tcp->min_rto_ns);
		say(&text, ", timeout at least %s", time);
	}
	if (tcp->initial_cwnd_pkts)
		say(&text, ", first window of %u packets",
		    tcp->initial_cwnd_pkts);
	if (plan->options->kernel)
		say(&text, ", receive windows of Linux %s",
		    plan->options->kernel);
}

static void say_kind(struct text *text, const struct fp_sim_source *source)
{
	char first[FP_FORMAT_BYTES], second[FP_FORMAT_BYTES];

	fp_format(second, sizeof(second), FP_UNIT_TIME_NS,
		  (double)source->off_ns);
	switch (source->kind) {
	case FP_SIM_REQUESTS:
		fp_format(first, sizeof(first), FP_UNIT_BYTES,
			  (double)source->bytes);
		say(text, "%s for each request, the next one %s after it came",
		    first, second);
		return;
	case FP_SIM_ON_OFF:
		fp_format(first, sizeof(first), FP_UNIT_TIME_NS,
			  (double)source->on_ns);
		say(text, "%s on, %s off in turns", first, second);
		return;
	case FP_SIM_STREAM:
		fp_format(first, sizeof(first), FP_UNIT_RATE_BPS,
			  (double)source->rate_bps);
		say(text, "a stream of %s", first);
		return;
	case FP_SIM_BULK:
	case FP_SIM_TRANSFER:
		say(text, "as much as goes");
		return;
	}
}

/* Empty where flows are as the lab's. */
static void describe_source(struct compare_plan *plan)
{
	const struct cmd_hosts *hosts = &plan->hosts;
	struct text text = { plan->source_text, sizeof(plan->source_text) };
	char time[FP_FORMAT_BYTES];

	if (hosts->source.kind == FP_SIM_BULK && !hosts->stagger_ns &&
	    !hosts->lifetime_ns)
		return;
	say_kind(&text, &hosts->source);
	if (hosts->stagger_ns) {
		fp_format(time, sizeof(time), FP_UNIT_TIME_NS,
			  (double)hosts->stagger_ns);
		say(&text, ", each flow %s after the one before", time);
	}
	if (hosts->lifetime_ns) {
		fp_format(time, sizeof(time), FP_UNIT_TIME_NS,
			  (double)hosts->lifetime_ns);
		say(&text, ", each for %s", time);
	}
}

/* What differs among kernels of the lab's hosts: how much of a receive buffer
 * is window (a half up to Linux 6.5, later what they see of packets behind
 * TUN), and since 6.16 it grows by what waits beyond a hole, too. */
static int follow_kernel(const struct compare_options *options,
			 struct fp_sim_tcp *tcp, struct fp_error *error)
{
	const char *release = options->kernel;
	char running[RELEASE_BYTES];

	if (!release && !options->both)
		return 0;
	if (!release || strcmp(release, "running") == 0) {
		fp_kernel_release(running, sizeof(running));
		release = running;
	}
	if (!fp_release_is_since(release, 0, 0)) {
		fp_error_set(error, FP_EXIT_USAGE,
			     "--kernel '%s' is no release of Linux", release);
		fp_error_hint(error, "say 'running', or one such as 6.18");
		return -EINVAL;
	}
	tcp->window_share_x256 = fp_release_is_since(release, 6, 6) ? 170 : 128;
	tcp->holds_more = fp_release_is_since(release, 6, 16);
	return 0;
}

static int read_hosts(struct compare_plan *plan, struct fp_error *error)
{
	const struct compare_options *options = plan->options;
	struct cmd_hosts *hosts = &plan->hosts;
	int result = follow_kernel(options, &hosts->tcp, error);

	if (result < 0)
		return result;

	hosts->tcp.ack_every_pkts = (uint32_t)options->ack_every;
	hosts->tcp.min_rto_ns = options->min_rto_ns;
	hosts->tcp.initial_cwnd_pkts = (uint32_t)options->initial_cwnd;
	hosts->stagger_ns = options->stagger_ns;
	hosts->lifetime_ns = options->lifetime_ns;
	if (options->without)
		result = cmd_without_parse(options->without,
					   &hosts->tcp.without, error);
	if (result == 0 && options->source)
		result =
		    cmd_source_parse(options->source, &hosts->source, error);
	return result;
}

/* --- Rounds --------------------------------------------------------------- */

/* Packets that all algorithms send in one round, about. */
static double round_packets(const struct compare_plan *plan)
{
	const struct compare_options *options = plan->options;
	double total_s = (double)(plan->warmup_ns + plan->duration_ns) / 1e9;
	double rtt_s = fmax((double)plan->path.rtt_ns / 1e9, 1e-4);
	double rate_bps = compare_bottleneck(plan, NAN).mean_bps;
	double bits;

	if (!(rate_bps > 0)) /* half of a buffer is window */
		rate_bps = (double)plan->rmem_bytes * 4 / rtt_s;
	bits = rate_bps * total_s;
	if (options->bytes > 0)
		bits = fmin(bits, 8.0 * (double)options->bytes *
				      (double)options->flows);
	return fmax(bits / (8.0 * plan->path.mtu_bytes), 1) *
	       (options->together ? 1 : plan->algorithm_count);
}

/* As many as take a moment, and an odd number: one of them is the median. */
static uint32_t default_seeds(const struct compare_plan *plan)
{
	double fits = PACKETS_EASY / round_packets(plan);

	if (fits >= SEEDS_MOST)
		return SEEDS_MOST;
	return fits <= SEEDS_LEAST ? SEEDS_LEAST : ((uint32_t)fits - 1) | 1;
}

uint32_t compare_sim_rounds(const struct compare_plan *plan)
{
	const struct compare_options *options = plan->options;

	if (options->seeds > 0)
		return (uint32_t)options->seeds;
	if (options->rounds != COMPARE_AUTO)
		return (uint32_t)options->rounds;
	return default_seeds(plan);
}

struct cmd_scenario compare_scenario(const struct compare_plan *plan,
				     uint32_t index,
				     struct lab_round *ret_round)
{
	uint32_t first =
	    plan->options->together ? 0 : index % plan->algorithm_count;

	compare_plan_round(plan, index, ret_round);
	return (struct cmd_scenario){ ret_round, &plan->cc[first],
				      plan->hosts };
}

/* The first round stands for all: they differ in seeds and algorithms alone. */
static int try_round(const struct compare_plan *plan, struct fp_error *error)
{
	struct lab_round round;
	struct cmd_scenario scenario = compare_scenario(plan, 0, &round);
	struct fp_sim_config config;
	int result = cmd_scenario_init(&scenario, &config, error);

	if (result == 0)
		cmd_scenario_fini(&config);
	return result;
}

int compare_plan_sim(struct compare_plan *plan, struct fp_error *error)
{
	int result = read_hosts(plan, error);

	if (result < 0)
		return result;
	describe_hosts(plan);
	describe_source(plan);
	plan->concurrency = (uint32_t)plan->options->concurrency;
	return try_round(plan, error);
}
