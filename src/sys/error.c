/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sys/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fp_error_set(struct fp_error *error, int status, const char *format, ...)
{
	int result = status == FP_EXIT_USAGE ? -EINVAL : -EIO;
	va_list args;

	if (!error)
		return result;
	error->status = status;
	error->errnum = -result;
	error->hint[0] = '\0';
	va_start(args, format);
	(void)vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return result;
}

int fp_error_errno(struct fp_error *error, int errnum, const char *format, ...)
{
	size_t used;
	va_list args;

	if (!error)
		return -errnum;
	error->status = FP_EXIT_FAILED;
	error->errnum = errnum;
	error->hint[0] = '\0';
	va_start(args, format);
	(void)vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	used = strlen(error->text);
	(void)snprintf(error->text + used, sizeof(error->text) - used, ": %s",
		       strerror(errnum));
	return -errnum;
}

void fp_error_hint(struct fp_error *error, const char *format, ...)
{
	va_list args;

	if (!error)
		return;
	va_start(args, format);
	(void)vsnprintf(error->hint, sizeof(error->hint), format, args);
	va_end(args);
}
