/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Quantities as people and tc write them. All parsers take the whole string,
 * return 0 or -EINVAL (not a quantity) or -ERANGE (too fine or too large for
 * the type), and leave the result untouched on failure. None allocates.
 */
#ifndef SPEC_UNITS_H
#define SPEC_UNITS_H

#include <stdint.h>

/* "10ms" "1.5s" "200us" "3ns" "2m"; a bare number is refused but for 0. */
int fp_parse_time_ns(const char *text, uint64_t *ret_ns);
/* "100mbit" "1gbit" "10kbit" "5bit" "1.5gbit", iproute2's "10mbps" (bytes/s),
 * "1gibit", "100mbit/s", "100Mbit/s"; a bare number is refused: rates need a
 * unit. */
int fp_parse_rate_bps(const char *text, uint64_t *ret_bps);
/* "2%" "0.01%" "0.02" (a share below 1): parts per million, 0 … 1000000. */
int fp_parse_share_ppm(const char *text, uint32_t *ret_ppm);
/* "5M" "64k" "1500" "1gib" "128MiB" "5mb": bytes; k, M, G are 1024-based as in
 * iproute2. */
int fp_parse_size_bytes(const char *text, uint64_t *ret_bytes);
/* "42", "0x2a" */
int fp_parse_count(const char *text, uint64_t *ret_count);

#endif
