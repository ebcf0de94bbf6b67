/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FULLPIPE_CC_BBR_H
#define FULLPIPE_CC_BBR_H

#include "fullpipe/cc/event.h"

struct fp_bbr {
	uint32_t rounds; /* packet-timed round trips */
};

#endif
