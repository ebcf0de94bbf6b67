/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/scenario.h"

#include "sim/integer.h"

#define NS_PER_US              UINT64_C(1000)
#define SCENARIO_IPV4_BYTES    20u
#define SCENARIO_IPV6_BYTES    40u
/* Linux 6.x: TCP_INIT_CWND, TCP_RTO_MIN, tcp_rmem[2], tcp_wmem[2],
 * tcp_adv_win_scale 1, CONFIG_HZ of Debian. */
#define SCENARIO_CWND_PKTS     10u
#define SCENARIO_ACK_PKTS      2u
#define SCENARIO_RTO_NS        UINT64_C(200000000)
#define SCENARIO_RMEM_BYTES    (UINT64_C(6) << 20)
#define SCENARIO_WMEM_BYTES    (UINT64_C(4) << 20)
#define SCENARIO_SHARE_X256    128u
#define SCENARIO_HZ            250u
/* More room than any window: handshakes, probes, ACKs. */
#define SCENARIO_SPARE_PKTS    1024u
/* 400 MB of room a way; as many packets as the lab takes. */
#define SCENARIO_CAPACITY_PKTS (UINT64_C(4) << 20)
#define SCENARIO_WORK          (8 * UINT64_C(1000000000))

static uint32_t scenario_ip_bytes(const struct fp_sim_config *config)
{
	return config->is_ipv6 ? SCENARIO_IPV6_BYTES : SCENARIO_IPV4_BYTES;
}

uint32_t sim_scenario_header_bytes(const struct fp_sim_config *config)
{
	return scenario_ip_bytes(config) + SIM_TCP_BYTES + SIM_TSTAMP_BYTES;
}

uint32_t sim_scenario_mss_bytes(const struct fp_sim_config *config)
{
	return config->mtu_bytes - sim_scenario_header_bytes(config);
}

void sim_scenario_tcp(const struct fp_sim_config *config,
		      struct fp_sim_tcp *ret_tcp)
{
	struct fp_sim_tcp tcp = config->tcp;

	if (tcp.initial_cwnd_pkts == 0)
		tcp.initial_cwnd_pkts = SCENARIO_CWND_PKTS;
	if (tcp.ack_every_pkts == 0)
		tcp.ack_every_pkts = SCENARIO_ACK_PKTS;
	if (tcp.min_rto_ns == 0)
		tcp.min_rto_ns = SCENARIO_RTO_NS;
	if (tcp.rmem_max_bytes == 0)
		tcp.rmem_max_bytes = SCENARIO_RMEM_BYTES;
	if (tcp.wmem_max_bytes == 0)
		tcp.wmem_max_bytes = SCENARIO_WMEM_BYTES;
	if (tcp.window_share_x256 == 0)
		tcp.window_share_x256 = SCENARIO_SHARE_X256;
	if (tcp.clock_hz == 0)
		tcp.clock_hz = SCENARIO_HZ;
	*ret_tcp = tcp;
}

uint64_t sim_scenario_window_bytes(const struct fp_sim_tcp *tcp)
{
	return tcp->rmem_max_bytes * tcp->window_share_x256 >> 8;
}

static uint64_t scenario_link_ns(const struct fp_rate_config *rate,
				 uint64_t bytes)
{
	if (rate->kind != FP_RATE_CONSTANT && rate->kind != FP_RATE_STEPS)
		return 0;
	return rate->rate_bps != 0 ? bytes * SCENARIO_WORK / rate->rate_bps : 0;
}

uint32_t sim_scenario_rtt_us(const struct fp_sim_config *config)
{
	uint64_t ip_bytes =
	    scenario_ip_bytes(config) + SIM_TCP_BYTES + SIM_SYN_BYTES;
	uint64_t sum_ns = 0;

	for (int i = 0; i < 2; i++) {
		const struct fp_path_config *way = &config->way[i];

		sum_ns += fp_path_delay_ns(way);
		for (uint32_t k = 0; k < way->stage_count; k++)
			if (way->stages[k].kind == FP_STAGE_LINK)
				sum_ns +=
				    scenario_link_ns(&way->stages[k].link.rate,
						     ip_bytes + way->l2_bytes);
	}
	return (uint32_t)sim_max(
	    1, sim_min(sum_ns / NS_PER_US, FP_CC_SSTHRESH_NONE));
}

uint32_t sim_scenario_capacity_pkts(const struct fp_sim_config *config)
{
	struct fp_sim_tcp tcp;
	uint64_t window_pkts;

	sim_scenario_tcp(config, &tcp);
	window_pkts =
	    sim_scenario_window_bytes(&tcp) / sim_scenario_mss_bytes(config) +
	    1;
	return (uint32_t)sim_min(SCENARIO_CAPACITY_PKTS,
				 2 * window_pkts * config->flow_count +
				     SCENARIO_SPARE_PKTS);
}
