/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One sentence: what happened on a path, and why. */
#ifndef DIAG_VERDICT_H
#define DIAG_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include "diag/limit.h"

struct diag_contender { /* one algorithm */
	const char *name;
	double goodput_bps; /* median of its rounds; NaN: no round gave one */
	enum diag_limit limit;
	double window_bps;  /* ceiling by the receive window; NaN: not known */
	double time_s;      /* of a finite transfer; NaN: none */
	double queue_loss;  /* share of its packets that the queue dropped */
	bool ignores_drops; /* the first BBR: sends on where others back off */
};

struct diag_case {
	/* shares of the data packets, as counted */
	double loss, damaged, policed;
	double mathis_bps; /* bound of one flow on this path; NaN: none */
	uint32_t flows;    /* of each contender, 1 … */
	double link_bps;   /* rate of the bottleneck; 0: unlimited */
	const struct diag_contender *contenders;
	uint32_t count; /* 1 … */
};

/* Writes the sentence. It speaks of the slowest and the fastest contender; of
 * one alone where there is one. */
void diag_verdict(const struct diag_case *facts, char *ret_text, size_t bytes);

#endif
