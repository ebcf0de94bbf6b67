/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What replay.c and the mapping of each algorithm share. */
#ifndef ORACLE_REPLAY_INTERNAL_H
#define ORACLE_REPLAY_INTERNAL_H

#include "replay.h"

#include <stdbool.h>

/* Fields of one record, the kernel's beside the core's. */
struct comparison {
	uint64_t fields;
	bool is_unequal;
	char text[ORACLE_TEXT_BYTES]; /* the first that differs */
};

void comparison_add(struct comparison *comparison, const char *field,
		    uint64_t kernel, uint64_t core);

/* Two words of a record as one number. */
uint64_t oracle_join(const uint32_t words[2]);

/* How the core's state of an algorithm is the kernel's. */
struct mapping {
	const char *name; /* as fp_cc_parse() takes it */
	bool sets_pacing_rate;
	/* Takes over the kernel's state. */
	void (*import)(struct fp_cc *cc, const struct oracle_state *kernel);
	/* Takes over what the kernel's init() leaves as it was. */
	void (*keep_at_init)(struct fp_cc *cc,
			     const struct oracle_state *kernel);
	/* Compares with the kernel's state, before or after the record. */
	void (*compare)(const struct fp_cc *cc,
			const struct oracle_record *record,
			const struct oracle_state *kernel,
			struct comparison *comparison);
	/* Bits of enum oracle_sight. */
	uint32_t (*see)(const struct oracle_record *record);
};

extern const struct mapping mapping_reno, mapping_cubic, mapping_bbr;

#endif
