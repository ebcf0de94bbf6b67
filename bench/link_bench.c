/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * link_bench [PACKETS]: what one packet costs in the pure core.
 *
 * 1.4 million packets a second (16 Gbit/s of 1500 bytes) come in super-packets
 * of 44, as a lab's super-packets do, and are popped when the path says so.
 * Prints ns of CPU time for each packet of the wire, the best of five turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fullpipe/link.h"

#define UNIT_PKTS   44
#define INTERVAL_NS 720 /* between packets */

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void pop_due(struct fp_path *path, uint64_t now_ns)
{
	struct fp_pkt pkt;

	if (fp_path_wake_ns(path) > now_ns)
		return;
	while (fp_path_pop(path, now_ns, &pkt))
		;
}

static double run(const struct fp_path_config *config, uint64_t packets)
{
	size_t bytes = fp_path_size_bytes(config);
	void *mem = malloc(bytes);
	struct fp_path *path = fp_path_init(mem, bytes, config);
	uint64_t start_ns;

	if (!path) {
		fprintf(stderr, "link_bench: no memory for a path\n");
		exit(3);
	}
	start_ns = cpu_ns();
	for (uint64_t i = 0; i < packets; i++) {
		struct fp_pkt pkt = { .ref = i,
				      .time_ns = i / UNIT_PKTS * UNIT_PKTS *
						 INTERVAL_NS,
				      .len_bytes = 1500,
				      .unit = (uint32_t)(i / UNIT_PKTS),
				      .index = (uint16_t)(i % UNIT_PKTS) };

		if (pkt.index == 0)
			pop_due(path, pkt.time_ns);
		fp_path_push(path, &pkt);
	}
	start_ns = cpu_ns() - start_ns;
	free(mem);
	return (double)start_ns / (double)packets;
}

static void bench(const char *name, const struct fp_path_config *config,
		  uint64_t packets)
{
	double best = 1e9;

	for (int turn = 0; turn < 5; turn++) {
		double ns = run(config, packets);

		best = ns < best ? ns : best;
	}
	printf("%-28s %6.1f ns\n", name, best);
}

int main(int argc, char **argv)
{
	uint64_t packets = argc > 1 ? strtoull(argv[1], NULL, 0) : 2000000;
	struct fp_path_config config = { .seed = 1,
					 .l2_bytes = 14,
					 .capacity_pkts = 1 << 20,
					 .stage_count = 2 };

	config.stages[0].kind = FP_STAGE_LOSS;
	config.stages[0].loss.random.probability_ppm = 20000;
	config.stages[1].kind = FP_STAGE_DELAY;
	config.stages[1].delay.delay_ns = 5000000;
	bench("loss, delay 5 ms", &config, packets);
	config.merge_ns = 1000000;
	bench("same, joined", &config, packets);
	config.stage_count = 3;
	config.stages[2] = config.stages[1];
	config.stages[1].kind = FP_STAGE_LINK;
	config.stages[1].link =
	    (struct fp_link_config){ .rate.kind = FP_RATE_CONSTANT,
				     .rate.rate_bps = 20000000000,
				     .queue.limit_pkts = 1000 };
	bench("loss, link, delay 5 ms", &config, packets);
	config.stages[2].delay.delay_ns = 50000000;
	bench("loss, link, delay 50 ms", &config, packets);
	config.stages[1].link.queue.qdisc = FP_QDISC_CODEL;
	bench("same with CoDel", &config, packets);
	config.stages[1].link.queue.qdisc = FP_QDISC_FQ_CODEL;
	bench("same with fq_codel", &config, packets);
	config.stages[2].delay.jitter_ns = 1000000;
	config.stages[2].delay.dist = FP_DIST_NORMAL;
	bench("same with normal jitter", &config, packets);
	return 0;
}
