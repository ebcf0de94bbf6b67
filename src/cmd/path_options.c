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
	ONE("rtt", "TIME", "0ms … 1800s",
	    "round trip without queues, half of it each way (100ms)"),
	BOTH("delay", "TIME", "0ms … 900s; TIME [JITTER [CORRELATION]]",
	     "one-way delay to the receiver", "one-way delay to the sender"),
	BOTH("jitter", "TIME", "0ms … 900s; TIME [CORRELATION]",
	     "how far the delay varies, as in netem", "the same, back"),
	ONE("distribution", "SHAPE", "uniform|normal|pareto|paretonormal",
	    "shape of the jitter, by netem's tables (uniform)"),
	BOTH("loss", "LOSS",
	     "0% … 100%; [random] SHARE [CORRELATION], gemodel P [R [1-H "
	     "[1-K]]], state P13 [P31 [P32 [P23 [P14]]]], periodic N, list "
	     "N,N,…",
	     "packets lost by the path: a share at random, or one of netem's "
	     "models (2%)",
	     "the same for the way back (0%)"),
	BOTH("rate", "RATE",
	     "1kbit … 1000gbit; RATE [OVERHEAD [CELL [CELLOVERHEAD]]]",
	     "rate of the bottleneck to the receiver (100mbit)",
	     "rate of the bottleneck back (none)"),
	BOTH("queue", "LIMIT", "1p …; 100p, 64k, 20ms or 1bdp",
	     "what may wait for the bottleneck: packets, bytes, time or "
	     "bandwidth-delay products (1bdp)",
	     "the same, back"),
	BOTH("aqm", "NAME",
	     "droptail, codel, fq_codel, red, threshold:SIZE; with parameters: "
	     "codel:target=5ms,interval=100ms,ecn",
	     "how the queue decides what to drop (droptail)", "the same, back"),
	SWITCH("ecn", "what the path would drop it marks instead, where the "
		      "packet allows that"),
	BOTH("reorder", "SHARE", "0% … 100%; SHARE [CORRELATION] [gap N]",
	     "packets sent ahead of their delay", "the same, back"),
	BOTH("duplicate", "SHARE", "0% … 100%; SHARE [CORRELATION]",
	     "packets that arrive twice", "the same, back"),
	BOTH("corrupt", "SHARE", "0% … 100%; SHARE [CORRELATION]",
	     "packets with one bit flipped", "the same, back"),
	BOTH("policer", "RATE:BURST", "like 10mbit:64k",
	     "token bucket that drops what exceeds it", "the same, back"),
	ONE("overhead", "BYTES", "-65535 … 65535; BYTES [CELL [CELLOVERHEAD]]",
	    "bytes that each packet takes on the link beyond its own"),
	BOTH("rate-steps", "STEPS", "TIME:RATE,TIME:RATE,…",
	     "how the rate changes over time: 0s:100mbit,5s:20mbit",
	     "the same, back"),
	BOTH("rate-trace", "FILE", "a file in mahimahi's format",
	     "the bottleneck sends when this trace says", "the same, back"),
	ONE("loss-unit", "UNIT", "packet|skb",
	    "what one draw of loss takes: a packet of the wire, or a whole "
	    "super-packet as netem does (packet)"),
	ONE("mtu", "BYTES", "576 … 65535", "largest packet (1500)"),
	SWITCH("ipv6", "the flows use IPv6"),
	BOTH("path", "LINE",
	     "netem's words: 'delay 50ms loss 2% rate 100mbit limit 1000'",
	     "the way to the receiver in one line; 'direct': a veth pair "
	     "without emulator",
	     "the way back in one line"),
	ONE("scenario", "FILE", "a YAML file",
	    "the whole path from a scenario file"),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};
