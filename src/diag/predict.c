/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "diag/predict.h"

#include <math.h>

#define MATHIS_CONSTANT 1.22 /* sqrt(3/2) */

double diag_mathis_bps(const struct diag_path *path)
{
	if (!(path->loss > 0) || !(path->rtt_us > 0))
		return NAN;
	return MATHIS_CONSTANT * path->mss_bytes * 8e6 /
	       (path->rtt_us * sqrt(path->loss));
}

double diag_window_bps(double window_bytes, double rtt_us)
{
	if (!(window_bytes > 0) || !(rtt_us > 0))
		return NAN;
	return window_bytes * 8e6 / rtt_us;
}

uint64_t diag_buffer_bytes(const struct diag_path *path)
{
	double rate_bps =
	    path->rate_bps > 0 ? path->rate_bps : DIAG_UNLIMITED_BPS;
	double bdp_bytes = rate_bps * path->rtt_us / 8e6;
	double bytes = bdp_bytes * (path->loss > 0 ? 8 : 4);

	if (bytes > (double)DIAG_BUFFER_MAX_BYTES)
		return DIAG_BUFFER_MAX_BYTES;
	return (uint64_t)bytes;
}
