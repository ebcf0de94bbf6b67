/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compare.h"
#include "cmd/seed.h"

#define SECOND_NS 1000000000ull
#define MS_NS     1000000ull

#define ROW(name, type, metavar, range, help, member, min, max)                \
	{                                                                      \
		name, type, metavar, range, help,                              \
		    offsetof(struct compare_options, member), min, max         \
	}
#define FLAG(name, help, member)                                               \
	ROW(name, CMD_SWITCH, NULL, NULL, help, member, 0, 0)

const struct cmd_option compare_option_table[] = {
	ROW("cc", CMD_TEXT, "LIST", "1 … 8 algorithms, by commas",
	    "algorithms to compare (cubic,bbr); one may stand twice, to see "
	    "the spread of equals; with --sim 'help' lists all and their "
	    "profiles",
	    cc, 0, 0),
	FLAG("sim",
	     "simulates it, in virtual time: no root, no packet, no waiting; "
	     "with fullpipe's own reno, cubic, bbr and bbr3, and their "
	     "profiles (cubic:rfc9438, bbr3:draft)",
	     sim),
	FLAG("both",
	     "measures and simulates it, and tells how far both differ; "
	     "--expect judges what was measured",
	     both),
	ROW("rounds", CMD_COUNT, "N", "1 … 100",
	    "rounds of each (3; simulated 15, fewer on fast paths)", rounds, 1,
	    COMPARE_ROUNDS_MAX),
	ROW("duration", CMD_TIME, "TIME", "100ms … 1h",
	    "how long a round is measured, after its warm-up (8s); with "
	    "--bytes the longest it may take (60s)",
	    duration_ns, 100 * MS_NS, 3600 * SECOND_NS),
	ROW("warmup", CMD_TIME, "TIME", "0 … 10m",
	    "left out of the means (30 RTT, at least 2s and at most 10s; 0 "
	    "with --bytes and with the articles' presets)",
	    warmup_ns, 0, 600 * SECOND_NS),
	ROW("seed", CMD_COUNT, "N", "0 … 2^53",
	    "seed of all random decisions (the path's own, else 1); round k "
	    "draws from (seed, k), so every algorithm meets the same loss in "
	    "round k",
	    seed, 0, SPEC_SEED_MAX),
	ROW("flows", CMD_COUNT, "N", "1 … 1000", "flows of each algorithm (1)",
	    flows, 1, LAB_FLOWS_MAX),
	ROW("bytes", CMD_SIZE, "SIZE", "1 … 1tib",
	    "each flow carries so much, and its time is compared", bytes, 1,
	    1ull << 40),
	FLAG("together", "all algorithms at once, on one bottleneck", together),
	FLAG("reverse", "the data flows back: from receiver to sender",
	     reverse),
	ROW("preset", CMD_TEXT, "NAME", "a preset's name, or 'all'",
	    "a path that the field talks about; 'all': each of them, beside "
	    "what was published",
	    preset, 0, 0),
	ROW("expect", CMD_LIST, "TEXT", "'bbr >= 5 x cubic' and the like",
	    "exit status 1 where this does not hold; may be given again",
	    expect, 0, 0),
	ROW("with", CMD_CHOICE, "SENDER", "builtin|iperf3",
	    "who sends and receives (builtin)", with, 0, 0),
	ROW("buffers", CMD_TEXT, "SIZE", "auto, default, or 4k … below 2gib",
	    "largest socket buffers: 'auto' is enough for the path, 'default' "
	    "what the kernel has (auto)",
	    buffers, 0, 0),
	ROW("backend", CMD_CHOICE, "NAME", "auto|tun|packet",
	    "how packets reach the emulator (auto: TUN where it opens)",
	    backend, 0, 0),
	ROW("offload", CMD_CHOICE, "STATE", "on|off",
	    "super-packets of up to 64 KiB, or each segment alone (on)",
	    offload, 0, 0),
	FLAG("precise",
	     "spin before each release: less lateness, a core is busy",
	     precise),
	ROW("sample", CMD_TIME, "TIME", "1ms … 10s",
	    "how often the senders' sockets are looked at (50ms)", sample_ns,
	    MS_NS, 10 * SECOND_NS),
	ROW("concurrency", CMD_COUNT, "N", "0 … 64",
	    "rounds side by side (0: as many as do not disturb each other)",
	    concurrency, 0, 64),
	ROW("pcap", CMD_TEXT, "FILE", "a name; two files for each algorithm",
	    "captures what each side's device sends and gets in round 1: of "
	    "run.pcap, run.sender.pcap and run.receiver.pcap; of several "
	    "algorithms, run.cubic.sender.pcap and so on",
	    pcap, 0, 0),
	FLAG("timeline", "plots rate, window and RTT over time", timeline),
	FLAG("json", "prints one JSON document (schema fullpipe.compare/1)",
	     json),
	FLAG("samples", "the JSON document holds every sample", samples),
	FLAG("quiet", "no progress", quiet),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};

const struct cmd_option compare_sim_option_table[] = {
	ROW("seeds", CMD_COUNT, "N", "1 … 10000",
	    "simulated rounds, each with draws of its own: --rounds of the "
	    "simulator, with more of them",
	    seeds, 1, COMPARE_SEEDS_MAX),
	ROW("without", CMD_TEXT, "LIST", "parts, by commas",
	    "parts that TCP is to do without: sack, rack, tlp, prr, frto, "
	    "undo, limited-transmit, pacing, tso, cwv, idle-restart, "
	    "app-limited, autotuning, delayed-ack, gro, quickack",
	    without, 0, 0),
	ROW("ack-every", CMD_COUNT, "N", "1 … 1000",
	    "one acknowledgement for so many packets (2)", ack_every, 1, 1000),
	ROW("min-rto", CMD_TIME, "TIME", "1ms … 60s",
	    "least retransmission timeout (200ms)", min_rto_ns, MS_NS,
	    60 * SECOND_NS),
	ROW("initial-cwnd", CMD_COUNT, "N", "1 … 10000",
	    "first window, in packets (10)", initial_cwnd, 1, 10000),
	ROW("kernel", CMD_TEXT, "RELEASE", "running, or such as 6.18",
	    "whose receive windows the hosts have: half of a buffer up to 6.5, "
	    "then more (6.1; with --both running)",
	    kernel, 0, 0),
	ROW("source", CMD_TEXT, "TEXT",
	    "bulk, 'requests SIZE [every TIME]', 'on-off TIME TIME' or "
	    "'stream RATE'",
	    "what each flow's application sends: always something; SIZE for "
	    "each request, the next one TIME after all of it came; on and off "
	    "in turns; RATE evenly (bulk)",
	    source, 0, 0),
	ROW("stagger", CMD_TIME, "TIME", "1ns … 1h",
	    "flow number i of a round starts i times TIME after the first",
	    stagger_ns, 1, 3600 * SECOND_NS),
	ROW("lifetime", CMD_TIME, "TIME", "1ms … 1h",
	    "each flow's application stops so long after its start (never)",
	    lifetime_ns, MS_NS, 3600 * SECOND_NS),
	ROW("trace", CMD_TEXT, "FILE", "a file to write",
	    "every event of round 1 as JSON lines, in qlog's words; of "
	    "several algorithms run.jsonl becomes run.cubic.jsonl and so on",
	    trace, 0, 0),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};

void compare_options_init(struct compare_options *options)
{
	*options = (struct compare_options){
		.rounds = COMPARE_AUTO,
		.flows = 1,
		.seed = CMD_SEED_AUTO,
		.sample_ns = 50 * MS_NS,
		.duration_ns = COMPARE_AUTO,
		.warmup_ns = COMPARE_AUTO,
		.cc = "cubic,bbr",
	};
}
