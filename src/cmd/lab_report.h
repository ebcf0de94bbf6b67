/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_LAB_REPORT_H
#define CMD_LAB_REPORT_H

#include <stdio.h>

#include "cmd/capture.h"
#include "cmd/lab_options.h"
#include "lab/lab.h"
#include "spec/spec.h"

/* What was asked for, and what came of it. */
struct lab_outcome {
	const struct lab_options *options;
	const struct spec_path *spec;
	const struct lab_result *result;
	const struct cmd_capture *capture;
	const char *capture_note; /* empty: none */
	int status;               /* the command's */
};

/* Prints what the path counted, for people. */
void lab_report_print(FILE *file, const struct lab_outcome *outcome);

/* Writes the same as JSON (schema fullpipe.lab/1) to options->report. Returns 0
 * or a negative errno with error. */
int lab_report_write(const struct lab_outcome *outcome, struct fp_error *error);

#endif
