/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What must hold for any scenario. The seed of a failing case is printed;
 * FP_TEST_SEED=N runs only that one.
 */
#include "sim_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define CASES    200
#define TOTAL_MS 1500

struct flow_watch {
	uint64_t edge_bytes; /* highest right edge that the receiver offered */
	uint64_t acked_bytes;
	uint64_t sent_bytes; /* end of what was ever sent */
	bool has_ack;
};

struct watch {
	uint64_t hash, time_ns;
	uint64_t sent[2], arrived[2], dropped[2]; /* by way */
	bool has_ecn;
	struct flow_watch flows[RANDOM_FLOWS_MAX];
};

/* RFC 9293, 3.8.6: an ACK never goes back, nor does the window's edge. */
static void watch_receiver(struct flow_watch *flow,
			   const struct fp_sim_packet *packet)
{
	uint64_t edge_bytes = packet->ack_bytes + packet->window_bytes;

	assert_true(packet->ack_bytes >= flow->acked_bytes);
	assert_true(!flow->has_ack || edge_bytes >= flow->edge_bytes);
	flow->acked_bytes = packet->ack_bytes;
	flow->edge_bytes = edge_bytes;
	flow->has_ack = true;
}

/* RFC 3168, 6.1.5: data is ECT(0) the first time, and never again. */
static void watch_sender(struct watch *watch,
			 const struct fp_sim_packet *packet)
{
	struct flow_watch *flow = &watch->flows[packet->flow];
	uint64_t end_bytes = packet->seq_bytes + packet->payload_bytes;
	bool is_new =
	    packet->payload_bytes != 0 && end_bytes > flow->sent_bytes;

	assert_int_equal(packet->ecn, watch->has_ecn && is_new
					  ? FP_ECN_ECT0
					  : FP_ECN_NOT_ECT);
	if (is_new)
		flow->sent_bytes = end_bytes;
}

static void on_packet(void *context, const struct fp_sim_packet *packet)
{
	struct watch *watch = context;
	int way = packet->is_sent == (packet->side == FP_SIM_RECEIVER);

	assert_true(packet->time_ns >= watch->time_ns);
	watch->time_ns = packet->time_ns;
	if (packet->is_sent)
		watch->sent[way]++;
	else
		watch->arrived[way]++;
	if (packet->is_sent && packet->side == FP_SIM_RECEIVER)
		watch_receiver(&watch->flows[packet->flow], packet);
	if (packet->is_sent && packet->side == FP_SIM_SENDER)
		watch_sender(watch, packet);
	hash_packet(&watch->hash, packet);
}

static void on_event(void *context, const struct fp_sim_event *event)
{
	struct watch *watch = context;

	assert_true(event->time_ns >= watch->time_ns);
	watch->time_ns = event->time_ns;
	if (event->kind == FP_SIM_EVENT_DROPPED)
		watch->dropped[event->way]++;
	hash_event(&watch->hash, event);
}

static void check_way(const struct fp_sim_way_result *way, uint32_t number,
		      const struct watch *watch)
{
	uint64_t lost = way->lost_by_model + way->lost_by_queue +
			way->lost_by_policer + way->lost_by_overrun;

	assert_int_equal(way->packets + way->duplicated,
			 way->delivered + lost + way->inflight);
	assert_int_equal(way->packets, watch->sent[number]);
	assert_int_equal(way->delivered, watch->arrived[number]);
	assert_int_equal(lost, watch->dropped[number]);
}

static void check_flow(const struct fp_sim_flow *flow,
		       const struct fp_sim_flow_result *result)
{
	uint64_t once_bytes = result->sent_bytes - result->retransmitted_bytes;

	assert_true(result->received_bytes <= once_bytes);
	assert_true(result->measured_bytes <= result->received_bytes);
	assert_true(result->retransmitted_pkts <= result->sent_pkts);
	if (flow->source.kind == FP_SIM_TRANSFER) {
		assert_true(result->received_bytes <= flow->source.bytes);
		assert_int_equal(result->completion_ns != 0,
				 result->received_bytes == flow->source.bytes);
	}
	/* what came last may not be acknowledged yet: no RTT then, but no mean
	 * without a least one either */
	if (result->rtt_p50_us > 0)
		assert_true(result->min_rtt_us >= 1);
}

static uint64_t run_once(struct random_scenario *scenario)
{
	struct watch watch = { .hash = 1,
			       .has_ecn = scenario->config.tcp.has_ecn };
	struct fp_sim_result result;

	scenario->config.watch = (struct fp_sim_watch){
		.packet = on_packet,
		.event = on_event,
		.context = &watch,
	};
	assert_int_equal(fp_sim_run(&scenario->config, &result), 0);
	for (uint32_t i = 0; i < 2; i++)
		check_way(&result.way[i], i, &watch);
	for (uint32_t i = 0; i < result.flow_count; i++)
		check_flow(&scenario->flows[i], &result.flows[i]);
	hash_result(&watch.hash, &result);
	fp_sim_result_fini(&result);
	return watch.hash;
}

/* Nothing of a run depends on who watches it. */
static uint64_t run_unwatched(struct random_scenario *scenario)
{
	struct fp_sim_result result;
	uint64_t hash = 1;

	scenario->config.watch = (struct fp_sim_watch){ .packet = NULL };
	assert_int_equal(fp_sim_run(&scenario->config, &result), 0);
	hash_result(&hash, &result);
	fp_sim_result_fini(&result);
	return hash;
}

static uint32_t runs;

static void check_case(uint64_t seed)
{
	static struct random_scenario scenario;
	struct random_source source;

	random_source_init(&source, seed);
	random_scenario_init(&scenario, &source, TOTAL_MS);
	if (fp_sim_check(&scenario.config))
		return;
	runs++;
	assert_int_equal(run_once(&scenario), run_once(&scenario));
	assert_int_equal(run_unwatched(&scenario), run_unwatched(&scenario));
}

static uint64_t seed_under_way;

static void any_scenario_keeps_its_promises(void **state)
{
	const char *only = getenv("FP_TEST_SEED");

	if (only) {
		check_case(strtoull(only, NULL, 0));
		return;
	}
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		seed_under_way = seed;
		check_case(seed);
	}
	seed_under_way = 0;
	assert_true(runs > CASES / 2);
}

static int tell_seed(void **state)
{
	if (seed_under_way != 0)
		print_message("failed with FP_TEST_SEED=%llu\n",
			      (unsigned long long)seed_under_way);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(any_scenario_keeps_its_promises,
					  tell_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
