/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "diag/predict.h"

#include <math.h>

#define MATHIS_CONSTANT 1.22 /* sqrt(3/2) */
#define CALM_RTTS       100  /* of so many one may wait: 1 % of the time */

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

/* How often in a row the unluckiest packet of CALM_RTTS windows is lost: of N
 * packets one is lost k times where N p^k is 1. */
static double repeated_losses(double window_pkts, double loss)
{
	if (!(loss > 0) || loss >= 1 || window_pkts <= 1)
		return 0;
	return ceil(log(CALM_RTTS * window_pkts) / -log(loss));
}

uint64_t diag_buffer_bytes(const struct diag_path *path)
{
	double rate_bps =
	    path->rate_bps > 0 ? path->rate_bps : DIAG_UNLIMITED_BPS;
	double bdp_bytes = rate_bps * path->rtt_us / 8e6;
	double rounds =
	    repeated_losses(bdp_bytes / path->mss_bytes, path->loss);
	double bytes = 2 * bdp_bytes * (2 + rounds);

	if (bytes > (double)DIAG_BUFFER_MAX_BYTES)
		return DIAG_BUFFER_MAX_BYTES;
	return (uint64_t)bytes;
}
