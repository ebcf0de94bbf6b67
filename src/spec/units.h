/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Quantities as people and tc write them. All parsers take the whole string,
 * return 0 or -EINVAL (not a quantity) or -ERANGE (too fine or too large for
 * the type), and leave the result untouched on failure. None allocates, none
 * looks at the locale; decimals are exact ("0.1gbit" is 100000000 bit/s). Case
 * does not matter, and blanks may stand between number and unit.
 */
#ifndef SPEC_UNITS_H
#define SPEC_UNITS_H

#include <stdint.h>

/* "10ms" "1.5s" "200us" "3ns" "2m" (minutes) "1h"; a bare number is refused
 * but for 0. */
int fp_parse_time_ns(const char *text, uint64_t *ret_ns);
/* "100mbit" "1gbit" "10kbit" "5bit" "1.5gbit", iproute2's "10mbps" (bytes/s),
 * "1gibit", "100mbit/s", "100Mbit/s"; a bare number is refused: rates need a
 * unit. */
int fp_parse_rate_bps(const char *text, uint64_t *ret_bps);
/* "2%" "0.01%" "0.02" (a share below 1): parts per million, 0 … 1000000. A
 * bare number from 1 on is refused, since it may mean either. */
int fp_parse_share_ppm(const char *text, uint32_t *ret_ppm);
/* The same in tc's dialect, where a bare number is a percentage: "2" is 2 %. */
int fp_parse_percent_ppm(const char *text, uint32_t *ret_ppm);
/* "5M" "64k" "1500" "1gib" "128MiB" "5mb": bytes; k, M, G are 1024-based as in
 * iproute2. A fraction ("0.1M") is rounded down to a whole byte. */
int fp_parse_size_bytes(const char *text, uint64_t *ret_bytes);
/* "42", "0x2a" */
int fp_parse_count(const char *text, uint64_t *ret_count);
/* "1", "0.5": a factor, in parts per million of one */
int fp_parse_factor_ppm(const char *text, uint64_t *ret_ppm);
/* "42", "-14" */
int fp_parse_signed(const char *text, int32_t *ret_value);

/* Room for any text that the functions below write. */
#define FP_UNITS_TEXT_BYTES 32

/* The inverse: the shortest text that the parser turns back into exactly this
 * value: "1.5s", "100mbit", "0.01%", "64k". */
void fp_format_time(uint64_t ns, char ret_text[FP_UNITS_TEXT_BYTES]);
void fp_format_rate(uint64_t bps, char ret_text[FP_UNITS_TEXT_BYTES]);
void fp_format_share(uint32_t ppm, char ret_text[FP_UNITS_TEXT_BYTES]);
void fp_format_size(uint64_t bytes, char ret_text[FP_UNITS_TEXT_BYTES]);

#endif
