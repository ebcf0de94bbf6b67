/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_COMPARE_H
#define CMD_COMPARE_H

#include "cmd/expect.h"
#include "cmd/option.h"
#include "cmd/scenario.h"
#include "lab/lab.h"
#include "out/report.h"
#include "spec/spec.h"

#define COMPARE_AUTO       UINT64_MAX /* the user did not say */
#define COMPARE_TEXT       256
#define COMPARE_ROUNDS_MAX 100
#define COMPARE_SEEDS_MAX  10000

enum compare_with { COMPARE_BUILTIN, COMPARE_IPERF3 };
enum compare_switch { COMPARE_ON, COMPARE_OFF };

/* What the user asked for; offsets of compare_option_table and
 * compare_sim_option_table. */
struct compare_options {
	bool help; /* first: cmd_common_options */
	bool json, samples, quiet, timeline, together, reverse, precise;
	bool sim, both;
	uint64_t rounds; /* COMPARE_AUTO */
	uint64_t flows, bytes, sample_ns;
	uint64_t seed;                   /* CMD_SEED_AUTO */
	uint64_t duration_ns, warmup_ns; /* COMPARE_AUTO */
	uint64_t concurrency;            /* 0: lab_plan() */
	const char *cc, *preset, *buffers, *pcap;
	uint32_t with, backend, offload;
	struct cmd_list expect;
	/* of the simulator; 0 or NULL: not said */
	uint64_t seeds, ack_every, min_rto_ns, initial_cwnd;
	uint64_t stagger_ns, lifetime_ns;
	const char *without, *source, *trace, *kernel;
};

struct compare_captures;

extern const struct cmd_option compare_option_table[];
extern const struct cmd_option compare_sim_option_table[];

/* Fills in what holds when nothing is said. */
void compare_options_init(struct compare_options *options);

/* A comparison, ready to run. Release with compare_plan_fini(). */
struct compare_plan {
	const struct compare_options *options; /* the caller's */
	const struct spec_preset *preset;      /* or NULL */
	struct spec_path path;
	char algorithms[LAB_GROUPS_MAX][OUT_NAME_BYTES];
	uint32_t algorithm_count;
	struct cmd_expect expects[CMD_LIST_MAX];
	uint64_t duration_ns, warmup_ns;
	uint64_t seeds[SPEC_WAYS]; /* round k of a way draws from (seed, k) */
	uint64_t rmem_bytes, wmem_bytes; /* 0: as the kernel has them */
	char buffers_text[COMPARE_TEXT];
	uint32_t rounds_each;     /* of each algorithm, or of all together */
	uint32_t round_count;     /* round 1 of each algorithm, round 2 … */
	struct lab_round *rounds; /* all of them, for the lab */
	uint32_t concurrency;
	char arrangement[COMPARE_TEXT];
	struct compare_captures *captures; /* NULL: none wanted */
	/* of a simulation */
	bool is_sim;
	struct fp_cc_config cc[LAB_GROUPS_MAX]; /* by algorithm */
	struct cmd_hosts hosts;
	char hosts_text[COMPARE_TEXT], source_text[COMPARE_TEXT];
};

/* Resolves options and path into rounds: of the simulator where options->sim
 * says so. Nothing runs yet, but the kernel is asked whether it has the
 * algorithms. Returns 0 or a negative errno with error; -EOPNOTSUPP: the path
 * cannot be simulated. */
int compare_plan_init(struct compare_plan *plan,
		      const struct compare_options *options,
		      const struct spec_builder *path, struct fp_error *error);
void compare_plan_fini(struct compare_plan *plan);

/* Fills in round number index (0 … round_count - 1) as the lab runs it. Its
 * arrays are the plan's. */
void compare_plan_round(const struct compare_plan *plan, uint32_t index,
			struct lab_round *ret_round);

/* Checks that what is said of worlds fits together: --sim, --both and what only
 * one of them takes. Returns 0, or -EINVAL with error. */
int compare_check_worlds(const struct compare_options *options,
			 struct fp_error *error);

/* Parts of compare_plan_init(): --cc and --expect. Return 0 or a negative errno
 * with error. */
int compare_read_algorithms(struct compare_plan *plan, struct fp_error *error);
int compare_read_expects(struct compare_plan *plan, struct fp_error *error);

/* Fills in what only a simulation has, once all the rest of a plan is there.
 * Returns 0; -EOPNOTSUPP with error: the path cannot be simulated; -EINVAL with
 * error. */
int compare_plan_sim(struct compare_plan *plan, struct fp_error *error);

/* Tells how many rounds of each a simulation has: as said, or as many as take a
 * moment. */
uint32_t compare_sim_rounds(const struct compare_plan *plan);

/* Makes the scenario of round number index; ret_round is part of it. */
struct cmd_scenario compare_scenario(const struct compare_plan *plan,
				     uint32_t index,
				     struct lab_round *ret_round);

/* Number of the forward way of the data: 1 with --reverse. */
uint32_t compare_data_way(const struct compare_plan *plan);

/* Runs the plan, in its world, and writes what was seen. ret_report must be
 * released with compare_report_fini(), before the plan. Returns 0 or a negative
 * errno with error. */
int compare_measure(const struct compare_plan *plan,
		    struct out_report *ret_report, struct fp_error *error);

/* Adds up the results of the plan's rounds: compare_tally_add() for each, in
 * their order; they may be gone afterwards. compare_tally_end() fills in what
 * all of them say, or releases the report. Both return 0, or a negative errno
 * with error. */
struct compare_tally {
	const struct compare_plan *plan; /* the caller's */
	struct out_report *report;       /* the caller's */
	double *jain;                    /* of each round */
	double pause_ms; /* longest that a sender did not look at its sockets */
	bool is_interrupted;
	uint32_t count; /* added so far */
	int status;     /* -ENOMEM: a part is missing */
};

void compare_tally_begin(struct compare_tally *tally,
			 const struct compare_plan *plan,
			 struct out_report *ret_report);
void compare_tally_add(struct compare_tally *tally,
		       const struct lab_result *result);
int compare_tally_end(struct compare_tally *tally, struct fp_error *error);

/* Ends a tally without a report, which is released. */
void compare_tally_cancel(struct compare_tally *tally);

/* The same for results that are all there. */
int compare_report_init(struct out_report *report,
			const struct compare_plan *plan,
			const struct lab_result *results,
			struct fp_error *error);
void compare_report_fini(struct out_report *report);

/* Runs a simulation's rounds into a tally, on all cores. Returns 0 or a
 * negative errno with error. */
int compare_simulate(const struct compare_plan *plan,
		     struct compare_tally *tally, struct fp_error *error);

/* Kernel and simulator on one path, and how far they differ. Returns the exit
 * status. */
int compare_both(const struct compare_options *options,
		 const struct spec_builder *path);

/* Lays the path of a preset, which is one of its own with its buffers, its
 * seconds and what was published about it; "all" must stand alone and lays
 * none. Returns 0, or -EINVAL with error. */
int compare_set_preset(const char *preset, struct spec_builder *path,
		       struct fp_error *error);

/* Every preset: measured beside published beside model. Returns the exit
 * status. */
int compare_presets(const struct compare_options *options);

/* Tells the exit status that a report deserves. */
int compare_exit_status(const struct out_report *report);

#endif
