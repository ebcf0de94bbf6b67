/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FULLPIPE_CC_RENO_H
#define FULLPIPE_CC_RENO_H

#include "fullpipe/cc/event.h"

struct fp_reno {
	uint32_t cnt_pkts; /* acknowledged towards the next increase */
};

#endif
