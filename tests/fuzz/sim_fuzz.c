/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Input: the draws that make a scenario (tests/unit/sim_random.h). Whatever is
 * not refused runs, for a short while: every packet that was sent is delivered,
 * lost by a named stage, or under way; what the receiver has was sent; windows
 * and rates stay in their bounds.
 */
#include "../unit/sim_random.h"

#include <stdio.h>
#include <stdlib.h>

/* A window of 2 GiB is a million packets; more means that something ran away.
 */
#define WINDOW_MAX_PKTS FP_CC_CWND_MAX_PKTS
#define TOTAL_MS        400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* As many bytes as the choice needs; zeros when the input is used up: the first
 * choice of each. */
static uint64_t draw_input(struct random_source *source, uint64_t end)
{
	uint64_t number = 0;

	for (uint64_t left = end - 1; left != 0 && source->bytes != 0;
	     left >>= 8) {
		number = number << 8 | *source->data++;
		source->bytes--;
	}
	return number % end;
}

struct seen {
	uint64_t time_ns;
	uint64_t packets[2], arrivals[2];
};

static void on_packet(void *context, const struct fp_sim_packet *packet)
{
	struct seen *seen = context;
	int way = packet->is_sent == (packet->side == FP_SIM_RECEIVER);

	require(packet->time_ns >= seen->time_ns, "time runs back");
	require(packet->len_bytes <= 65535, "a packet is too long");
	seen->time_ns = packet->time_ns;
	if (packet->is_sent)
		seen->packets[way]++;
	else
		seen->arrivals[way]++;
}

static void on_event(void *context, const struct fp_sim_event *event)
{
	struct seen *seen = context;

	require(event->time_ns >= seen->time_ns, "time runs back");
	seen->time_ns = event->time_ns;
	if (event->kind != FP_SIM_EVENT_ACK)
		return;
	require(event->cwnd_pkts >= 1, "the window is 0");
	require(event->cwnd_pkts <= WINDOW_MAX_PKTS, "the window ran away");
	require(event->pacing_rate_bytes_per_s >= 1, "the rate is 0");
}

static void check_way(const struct fp_sim_way_result *way, int number,
		      const struct seen *seen)
{
	uint64_t lost = way->lost_by_model + way->lost_by_queue +
			way->lost_by_policer + way->lost_by_overrun;

	require(way->packets + way->duplicated ==
		    way->delivered + lost + way->inflight,
		"packets are not conserved");
	require(way->packets == seen->packets[number], "unseen packets");
	require(way->delivered == seen->arrivals[number], "unseen arrivals");
}

static void check_flow(const struct fp_sim_flow_result *flow)
{
	require(flow->received_bytes <=
		    flow->sent_bytes - flow->retransmitted_bytes,
		"received what was not sent");
	require(flow->measured_bytes <= flow->received_bytes,
		"measured what was not received");
	require(flow->spurious_pkts <= flow->retransmitted_pkts,
		"spurious retransmissions that were none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct random_scenario scenario;
	struct random_source source = { .draw = draw_input,
					.data = data,
					.bytes = bytes };
	struct seen seen = { .time_ns = 0 };
	struct fp_sim_result result;

	random_scenario_init(&scenario, &source, TOTAL_MS);
	scenario.config.watch = (struct fp_sim_watch){
		.packet = on_packet,
		.event = on_event,
		.context = &seen,
	};
	if (fp_sim_run(&scenario.config, &result))
		return 0;
	for (int way = 0; way < 2; way++)
		check_way(&result.way[way], way, &seen);
	for (uint32_t i = 0; i < result.flow_count; i++)
		check_flow(&result.flows[i]);
	fp_sim_result_fini(&result);
	return 0;
}
