/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim_bench [TURNS]: what the simulator costs, the best of so many turns (5).
 *
 * Prints "name value" lines:
 *
 *	cpu_s.CC	CPU seconds for 60 simulated s of one flow, 100 Mbit/s,
 *			100 ms, no loss, a queue of one BDP
 *	events.CC	events (packets in, packets out, timers) a CPU second
 *	goodput.CC	Mbit/s, for a look whether it still does its work
 *	packet_ns.rate.N	CPU ns for each packet of either way, one flow
 *			at N Mbit/s, 20 ms; each packet alone (no TSO, no GRO),
 *			so that each takes the same work
 *	packet_ns.flows.N	the same with N flows on N x 10 Mbit/s
 *	packet_ns.shared.N	the same with N flows on 1 Gbit/s: the more, the
 *			smaller their windows, and the more is lost
 *	memory_mb.flows.10000	resident memory, on 10 Gbit/s
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "fullpipe/sim.h"

#define NS_PER_S UINT64_C(1000000000)
#define WIRE     1514

struct bench {
	const char *cc;
	uint64_t rate_mbps, rtt_ms, seconds, rmem_bytes;
	uint32_t flows, without;
};

struct cost {
	double cpu_s, events_per_s, packet_ns, goodput_mbps;
};

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void lay(struct fp_sim_config *config, const struct bench *bench)
{
	for (uint32_t i = 0; i < 2; i++) {
		struct fp_path_config *way = &config->way[i];
		struct fp_stage_config *stage = way->stages;

		way->seed = 1;
		way->direction = i;
		way->l2_bytes = 14;
		if (i == 0) {
			stage->kind = FP_STAGE_LINK;
			stage->link.rate.kind = FP_RATE_CONSTANT;
			stage->link.rate.rate_bps = bench->rate_mbps * 1000000;
			stage->link.queue.limit_pkts =
			    (uint32_t)(bench->rate_mbps * bench->rtt_ms * 125 /
				       WIRE) +
			    10;
			stage++;
		}
		stage->kind = FP_STAGE_DELAY;
		stage->delay.delay_ns = bench->rtt_ms * NS_PER_S / 2000;
		way->stage_count = i == 0 ? 2 : 1;
	}
	config->way[0].merge_ns =
	    fp_path_merge_ns(&config->way[0], &config->way[1]);
}

/* Runs it once. Returns false where it cannot. */
static bool run(const struct bench *bench, struct cost *ret_cost)
{
	struct fp_sim_flow *flows = calloc(bench->flows, sizeof(*flows));
	struct fp_sim_config config = {
		.mtu_bytes = 1500,
		.flows = flows,
		.flow_count = bench->flows,
		.duration_ns = bench->seconds * NS_PER_S,
		.tcp = { .rmem_max_bytes = bench->rmem_bytes,
			 .wmem_max_bytes = bench->rmem_bytes,
			 .without = bench->without },
	};
	struct fp_sim_result result;
	uint64_t began_ns, packets;

	for (uint32_t i = 0; flows && i < bench->flows; i++) {
		if (fp_cc_parse(bench->cc, &flows[i].cc)) {
			free(flows);
			return false;
		}
		flows[i].starts_open = true;
		flows[i].start_ns = i * 100000;
	}
	lay(&config, bench);
	began_ns = cpu_ns();
	if (!flows || fp_sim_run(&config, &result)) {
		fprintf(stderr, "sim_bench: a run failed\n");
		exit(3);
	}
	ret_cost->cpu_s = (double)(cpu_ns() - began_ns) / 1e9;
	packets = result.way[0].packets + result.way[1].packets;
	ret_cost->events_per_s = (double)result.events / ret_cost->cpu_s;
	ret_cost->packet_ns = ret_cost->cpu_s * 1e9 / (double)packets;
	ret_cost->goodput_mbps = (double)result.flows[0].goodput_bps / 1e6;
	fp_sim_result_fini(&result);
	free(flows);
	return true;
}

/* --- Rows ------------------------------------------------------------------
 */

#define ROWS_MAX 20

struct row {
	char name[48];
	struct bench bench;
	struct cost best;
};

static struct row rows[ROWS_MAX];
static int row_count;

static void add_row(const struct bench *bench, const char *kind,
		    const char *value)
{
	struct row *row = &rows[row_count++];

	snprintf(row->name, sizeof(row->name), "%s%s", kind, value);
	row->bench = *bench;
	row->best.cpu_s = 1e9;
}

static void add_algorithms(void)
{
	static const char *const names[] = { "reno", "cubic", "bbr", "bbr3" };
	struct bench bench = {
		.rate_mbps = 100, .rtt_ms = 100, .seconds = 60, .flows = 1
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bench.cc = names[i];
		add_row(&bench, "", names[i]);
	}
}

static void add_packets(void)
{
	struct bench bench = { .cc = "cubic",
			       .rtt_ms = 20,
			       .flows = 1,
			       .rmem_bytes = UINT64_C(1) << 30,
			       .without = FP_SIM_TSO | FP_SIM_GRO };
	char value[16];

	for (uint32_t mbps = 1; mbps <= 10000; mbps *= 10) {
		bench.rate_mbps = mbps;
		bench.seconds = mbps >= 1000 ? 4 : 3000 / mbps;
		snprintf(value, sizeof(value), "%u", mbps);
		add_row(&bench, "packet_ns.rate.", value);
	}
	bench.rmem_bytes = 0;
	bench.seconds = 2;
	for (uint32_t flows = 1; flows <= 1000; flows *= 10) {
		bench.flows = flows;
		snprintf(value, sizeof(value), "%u", flows);
		bench.rate_mbps = 10 * flows;
		add_row(&bench, "packet_ns.flows.", value);
		bench.rate_mbps = 1000;
		add_row(&bench, "packet_ns.shared.", value);
	}
}

/* Rows in turn, so that a busy while of the machine hits none of them alone. */
static void run_rows(int turns)
{
	struct cost cost = { 0 };

	for (int turn = 0; turn < turns; turn++)
		for (int i = 0; i < row_count; i++)
			if (run(&rows[i].bench, &cost) &&
			    cost.cpu_s < rows[i].best.cpu_s)
				rows[i].best = cost;
}

static void print_rows(void)
{
	for (int i = 0; i < row_count; i++) {
		const struct cost *best = &rows[i].best;

		if (rows[i].bench.seconds == 60 && !rows[i].bench.without) {
			printf("cpu_s.%s %.3f\n", rows[i].name, best->cpu_s);
			printf("events.%s %.0f\n", rows[i].name,
			       best->events_per_s);
			printf("goodput.%s %.2f\n", rows[i].name,
			       best->goodput_mbps);
		} else {
			printf("%s %.0f\n", rows[i].name, best->packet_ns);
		}
	}
}

/* First, while the process is small. */
static void bench_memory(void)
{
	struct bench bench = { .cc = "cubic",
			       .rate_mbps = 10000,
			       .rtt_ms = 100,
			       .seconds = 2,
			       .flows = 10000 };
	struct rusage usage;
	struct cost cost = { 0 };

	(void)run(&bench, &cost);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory_mb.flows.10000 %.0f\n", (double)usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
	bench_memory();
	add_algorithms();
	add_packets();
	run_rows(argc > 1 ? atoi(argv[1]) : 5);
	print_rows();
	return 0;
}
