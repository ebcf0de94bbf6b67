/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim_hash FIRST COUNT TOTAL_MS: runs random scenarios FIRST … FIRST + COUNT -
 * 1 and prints one number for all that their watches and results show.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/sim_random.h"

static void on_packet(void *context, const struct fp_sim_packet *packet)
{
	hash_packet(context, packet);
}

static void on_event(void *context, const struct fp_sim_event *event)
{
	hash_event(context, event);
}

/* Returns how many scenarios ran: 0 or 1. */
static int run(uint64_t seed, uint64_t total_ms, uint64_t *hash)
{
	static struct random_scenario scenario;
	struct random_source source;
	struct fp_sim_result result;

	random_source_init(&source, seed);
	random_scenario_init(&scenario, &source, total_ms);
	scenario.config.watch = (struct fp_sim_watch){
		.packet = on_packet,
		.event = on_event,
		.context = hash,
	};
	if (fp_sim_run(&scenario.config, &result))
		return 0;
	hash_result(hash, &result);
	fp_sim_result_fini(&result);
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint64_t first, count, total_ms;
	int runs = 0;

	if (argc != 4)
		return 2;
	first = strtoull(argv[1], NULL, 0);
	count = strtoull(argv[2], NULL, 0);
	total_ms = strtoull(argv[3], NULL, 0);
	for (uint64_t seed = first; seed < first + count; seed++)
		runs += run(seed, total_ms, &hash);
	printf("%d %016llx\n", runs, (unsigned long long)hash);
	return 0;
}
