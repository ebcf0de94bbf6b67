/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_LAB_OPTIONS_H
#define CMD_LAB_OPTIONS_H

#include "cmd/option.h"

/* What the user asked for; offsets of lab_option_table. */
struct lab_options {
	bool help; /* first: cmd_common_options */
	bool quiet, precise;
	uint64_t seed; /* CMD_SEED_AUTO */
	const char *server, *report, *pcap, *buffers, *cc;
	uint32_t backend, offload;
};

extern const struct cmd_option lab_option_table[];

#endif
