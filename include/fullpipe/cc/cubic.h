/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FULLPIPE_CC_CUBIC_H
#define FULLPIPE_CC_CUBIC_H

#include "fullpipe/cc/event.h"

struct fp_cubic_config {
	uint32_t switches;
};

struct fp_cubic {
	uint32_t cnt_pkts; /* acknowledged towards the next increase */
};

#endif
