/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef FULLPIPE_CC_BBR3_H
#define FULLPIPE_CC_BBR3_H

#include "fullpipe/cc/event.h"

struct fp_bbr3_config {
	uint32_t switches;
};

struct fp_bbr3 {
	uint32_t rounds; /* packet-timed round trips */
};

#endif
