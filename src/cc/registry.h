/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CC_REGISTRY_H
#define CC_REGISTRY_H

#include "fullpipe/cc.h"

/*
 * The table of algorithms, for hosts. An algorithm gives one row, in its own
 * file ops_<name>.c; registry.c names it.
 */

/* A word that may follow an algorithm's name: a profile, or one switch. */
struct cc_word {
	const char *name;
	const char *about; /* one sentence */
	uint32_t clears;   /* switches that it clears before it sets ... */
	uint32_t sets;     /* ... these. "-name" only clears */
	bool is_profile;   /* cannot be turned off */
};

/* A word that is one switch. */
#define CC_SWITCH(name, bit, about)                                            \
	{                                                                      \
		name, about, bit, bit, false                                   \
	}

struct cc_row {
	const char *names[3]; /* NULL past the last */
	const struct fp_cc_ops *ops;
	const struct cc_word *words;
	uint32_t word_count;
	/* The switches of a configuration; NULL: it has none. */
	uint32_t *(*switches)(struct fp_cc_config *config);
	uint32_t default_switches;
	/* NULL: not BBR. ret_model is zeroed before. */
	void (*get_model)(const struct fp_cc *cc, const struct fp_cc_conn *conn,
			  struct fp_cc_model *ret_model);
};

extern const struct cc_row cc__row_bbr;
extern const struct cc_row cc__row_bbr3;
extern const struct cc_row cc__row_cubic;
extern const struct cc_row cc__row_reno;

#endif
