/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows as comma-separated values (RFC 4180), from the objects that the JSON
 * renderer made of the same fields: a column's name is its key ("rtt_us",
 * "goodput_bps.median"), what is not known is empty.
 */
#ifndef OUT_CSV_H
#define OUT_CSV_H

#include "out/field.h"

/* Return a line without its newline, to be freed; NULL: no memory. */
char *out_csv_head(const struct out_field *fields);
char *out_csv_row(const struct out_field *fields, const json_t *object);

#endif
