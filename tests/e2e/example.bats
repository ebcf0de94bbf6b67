#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# examples/quic.c, built with what an installation leaves, and nothing else.

setup_file() {
	local build=${FULLPIPE%/src/fullpipe} root=$BATS_FILE_TMPDIR/root lib
	DESTDIR=$root meson install -C "$build" --no-rebuild >"$BATS_FILE_TMPDIR/log"
	lib=$(dirname "$(find "$root" -name 'libfullpipe.so*' | head -n 1)")
	"${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -I "$root/usr/local/include" \
		-o "$BATS_FILE_TMPDIR/quic" "$BATS_TEST_DIRNAME/../../examples/quic.c" \
		-L "$lib" -lfullpipe
	LD_LIBRARY_PATH=$lib "$BATS_FILE_TMPDIR/quic" >"$BATS_FILE_TMPDIR/said"
}

# goodput NAME: what it said of an algorithm, Mbit/s.
goodput() {
	awk -v name="$1" '$1 == name { print $2 }' "$BATS_FILE_TMPDIR/said"
}

# between LEAST MOST NUMBER
between() {
	awk -v n="${3:-none}" -v least="$1" -v most="$2" \
		'BEGIN { exit !(n + 0 == n && n >= least && n <= most) }' || {
		echo "$3 is not in $1 to $2"
		return 1
	}
}

@test "the example shows all four algorithms and is short" {
	[ "$(cut -d ' ' -f 1 "$BATS_FILE_TMPDIR/said" | tr '\n' ' ')" = "reno cubic bbr bbr3 " ]
	[ "$(wc -l <"$BATS_TEST_DIRNAME/../../examples/quic.c")" -lt 150 ]
}

# A packet of 2000 is lost, the RTT is 40 ms: a mean window of sqrt(1.5 x 2000) =
# 55 packets of 1450 bytes is 15.9 Mbit/s, and slow start adds some of its own to
# the 20 s. CUBIC's share of the curve is below that (1.054 x 80^0.75 = 28): it is
# in Reno's region.
@test "the example's Reno and CUBIC have the window of the response function" {
	between 15 20 "$(goodput reno)"
	between 15 20 "$(goodput cubic)"
}

# BBR does not take one in 2000 for congestion: nearly all of 50 Mbit/s.
@test "the example's BBR fills the link" {
	between 46 50 "$(goodput bbr)"
	between 44 50 "$(goodput bbr3)"
}
