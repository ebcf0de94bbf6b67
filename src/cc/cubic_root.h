/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CC_CUBIC_ROOT_H
#define CC_CUBIC_ROOT_H

#include <stdint.h>

/* Returns Linux's idea of a cube root, bit for bit: cubic_root() of
 * net/ipv4/tcp_cubic.c. */
uint32_t cc__cubic_root(uint64_t cube);

#endif
