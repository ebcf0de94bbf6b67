/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that describe a path; src/spec reads their values. */
#include "cmd/option.h"

#define BOTH(name, metavar, range, help, help_back)                            \
	{ name, CMD_PATH, metavar, range, help, 0, 0, 0 },                     \
	{                                                                      \
		name "-back", CMD_PATH, metavar, range, help_back, 0, 0, 0     \
	}
#define ONE(name, metavar, range, help)                                        \
	{                                                                      \
		name, CMD_PATH, metavar, range, help, 0, 0, 0                  \
	}
#define SWITCH(name, help)                                                     \
	{                                                                      \
		name, CMD_PATH_SWITCH, NULL, NULL, help, 0, 0, 0               \
	}

const struct cmd_option cmd_path_options[] = {
	ONE("rtt", "TIME", "0 … 1000s",
	    "round trip without queues, half of it each way (100ms)"),
	BOTH("delay", "TIME", "0 … 1000s", "one-way delay to the receiver",
	     "one-way delay to the sender"),
	BOTH("jitter", "TIME [CORR]", "0 … 1000s",
	     "how far the delay varies, as in netem", "the same, back"),
	ONE("distribution", "SHAPE", "uniform|normal|pareto|paretonormal",
	    "shape of the jitter"),
	BOTH("loss", "LOSS", "0% … 100%, or netem's words",
	     "share of packets lost at random (2%); or a model in netem's "
	     "words: 'gemodel 1% 10%', 'state …', 'every 50', 'list 3,7'",
	     "the same for acknowledgements (0%)"),
	BOTH("rate", "RATE", "1kbit … 1tbit",
	     "rate of the bottleneck to the receiver (100mbit)",
	     "rate of the bottleneck back"),
	BOTH("queue", "LIMIT", "1 packet … 4gib",
	     "what waits for the bottleneck at most: packets, bytes, time or "
	     "'1bdp' (1bdp)",
	     "the same, back"),
	BOTH("aqm", "NAME", "droptail, codel, fq_codel or red, and its words",
	     "how the queue decides what to drop (droptail)", "the same, back"),
	SWITCH("ecn", "the queue marks packets that allow it instead of "
		      "dropping them"),
	BOTH("reorder", "SHARE", "0% … 100%, or netem's words",
	     "share of packets sent ahead of their delay", "the same, back"),
	BOTH("duplicate", "SHARE", "0% … 100%", "share of packets sent twice",
	     "the same, back"),
	BOTH("corrupt", "SHARE", "0% … 100%",
	     "share of packets with one bit flipped", "the same, back"),
	BOTH("policer", "'RATE BURST'", "a rate and a size",
	     "token bucket that drops what exceeds it", "the same, back"),
	ONE("overhead", "BYTES", "-64 … 256",
	    "bytes that each packet takes on the link beyond its own"),
	BOTH("rate-steps", "'TIME RATE,…'", "times and rates, ascending",
	     "rates that the bottleneck changes to over time",
	     "the same, back"),
	BOTH("trace", "FILE", "a mahimahi trace",
	     "the bottleneck sends when this mahimahi trace says",
	     "the same, back"),
	ONE("loss-unit", "UNIT", "packet|skb",
	    "what one draw of loss takes: a packet of the wire, or a whole "
	    "super-packet as netem does (packet)"),
	ONE("mtu", "BYTES", "576 … 65535", "largest packet (1500)"),
	SWITCH("ipv6", "the flows use IPv6"),
	BOTH("path", "LINE", "netem's words, or 'direct'",
	     "the way to the receiver as one netem line; 'direct': a veth "
	     "pair without emulator",
	     "the way back as one netem line"),
	ONE("scenario", "FILE", "a YAML file", "the path from a scenario file"),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};
