/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/sweep.h"

#define SET(name, type, metavar, range, help, member, min, max)                \
	{                                                                      \
		name, type, metavar, range, help,                              \
		    offsetof(struct sweep_options, member), min, max           \
	}
#define FLAG(name, help, member)                                               \
	SET(name, CMD_SWITCH, NULL, NULL, help, member, 0, 0)
#define AXIS(name, metavar, range, help)                                       \
	{                                                                      \
		name, CMD_AXIS, metavar, range, help, 0, 0, 0                  \
	}

const struct cmd_option sweep_option_table[] = {
	AXIS("cc", "LIST", "algorithms with their profiles",
	     "algorithms (cubic,bbr)"),
	AXIS("preset", "LIST", "presets' names, or 'all'",
	     "paths that the field talks about; the options of a path change "
	     "each of them"),
	AXIS("flows", "LIST", "1 … 1000 each", "flows of the algorithm (1)"),
	AXIS("duration", "LIST", "100ms … 1h each",
	     "how long a point is simulated, after its warm-up (8s, or as the "
	     "preset ran); with --bytes the longest it may take (60s)"),
	AXIS("warmup", "LIST", "0 … 10m each",
	     "left out of the means (30 RTT, at least 2s and at most 10s; 0 "
	     "with --bytes and with the articles' presets)"),
	AXIS("bytes", "LIST", "1 … 1tib each",
	     "each flow carries so much, and its time is told"),
	AXIS("buffers", "LIST", "auto, default, or 4k … below 2gib each",
	     "largest socket buffers (auto: enough for the path)"),
	{ "reverse", CMD_AXIS_SWITCH, NULL, NULL,
	  "the data flows back: from receiver to sender", 0, 0, 0 },
	AXIS("offload", "LIST", "on|off",
	     "super-packets of up to 64 KiB, or each segment alone (on)"),
	AXIS("without", "PARTS", "parts by commas; alternatives by semicolons",
	     "parts that TCP does without, as in compare --sim"),
	AXIS("ack-every", "LIST", "1 … 1000 each",
	     "one acknowledgement for so many packets (2)"),
	AXIS("min-rto", "LIST", "1ms … 60s each",
	     "least retransmission timeout (200ms)"),
	AXIS("initial-cwnd", "LIST", "1 … 10000 each",
	     "first window, in packets (10)"),
	AXIS("source", "LIST",
	     "bulk, 'requests SIZE [every TIME]', 'on-off TIME TIME', 'stream "
	     "RATE'",
	     "what each flow's application sends (bulk)"),
	AXIS("stagger", "LIST", "1ns … 1h each",
	     "flow number i starts i times so long after the first"),
	AXIS("lifetime", "LIST", "1ms … 1h each",
	     "each flow's application stops so long after its start (never)"),
	SET("seeds", CMD_COUNT, "N", "1 … 10000",
	    "simulations of each point, each with draws of its own (3)", seeds,
	    1, SWEEP_SEEDS_MAX),
	SET("seed", CMD_COUNT, "N", "0 … 2^53",
	    "seed of all random decisions (the path's own, else 1)", seed, 0,
	    SPEC_SEED_MAX),
	SET("out", CMD_TEXT, "FILE", "a file to write",
	    "JSON lines (schema fullpipe.sweep/1), complete whenever the sweep "
	    "ends (standard output)",
	    out, 0, 0),
	SET("csv", CMD_TEXT, "FILE", "a file to write",
	    "the same as comma-separated values", csv, 0, 0),
	FLAG("table", "prints a table at the end; for up to 1000 points",
	     table),
	FLAG("resume",
	     "continues --out where it ends, or begins it; makes --csv anew",
	     resume),
	SET("shard", CMD_TEXT, "I/N", "like 2/8",
	    "takes only each N-th point, from the I-th on", shard, 0, 0),
	FLAG("merge", "makes one file of the files of all shards, which follow",
	     merge),
	FLAG("plan", "tells points, time and size, and runs nothing", plan),
	FLAG("yes", "runs it however long it takes", yes),
	SET("workers", CMD_COUNT, "N", "0 … 4096",
	    "simulations at once (0: one for each processor)", workers, 0,
	    4096),
	FLAG("quiet", "no progress", quiet),
	{ NULL, CMD_SWITCH, NULL, NULL, NULL, 0, 0, 0 },
};
