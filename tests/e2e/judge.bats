#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# tests/vm/judge, of outputs that are made up: what guests leave, and what they do not.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return
	# name|unit|algorithm|path|back|seconds|runs|options
	printf '%s\n' '# a comment' 'calm|packet|cubic|delay 50ms|delay 50ms|8|2|' \
		'wild|skb|bbr|delay 50ms|delay 50ms|8|1|' >paths
}

# netem_runs WHERE MBIT...: what iperf3 says of each run.
netem_runs() {
	local where=$1 number=0 mbit
	shift
	for mbit; do
		number=$((number + 1))
		echo "{\"end\": {\"sum_received\": {\"bits_per_second\": ${mbit}e6}}}" >"$where.netem.$number.json"
	done
}

fullpipe_runs() { # WHERE MBIT...
	local where=$1
	shift
	printf '%se6\n' "$@" | jq -s '{results: [{rounds: map({goodput_bps: .})}]}' >"$where.fullpipe.json"
}

pings() { # WHERE NETEM_MS FULLPIPE_MS
	echo "rtt min/avg/max/mdev = 1.0/$2/900.0/1.0 ms" >"$1.netem.ping"
	echo "rtt min/avg/max/mdev = 1.0/$3/900.0/1.0 ms" >"$1.fullpipe.ping"
}

# Medians of 10 and 11 are 10 % apart, of 100 and 101 ms 1 %: within 15 and 2.
whole_guest() { # NAME
	mkdir "$1.out"
	echo "$1-kernel" >"$1.out/kernel"
	echo 12 >"$1.out/wall_s"
	netem_runs "$1.out/calm.packet.cubic" 9 11
	fullpipe_runs "$1.out/calm.packet.cubic" 10 12
	pings "$1.out/calm.packet.cubic" 100 101
	netem_runs "$1.out/wild.skb.bbr" 50
	fullpipe_runs "$1.out/wild.skb.bbr" 50
	pings "$1.out/wild.skb.bbr" 100 100
}

@test "judge: rows that agree pass, those that differ do not" {
	whole_guest old
	run "$top/tests/vm/judge" paths old
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]%%:*}" = "ok 1 - old-kernel calm.packet.cubic goodput" ]
	[[ ${lines[0]} == *"netem 10.00, fullpipe 11.00 Mbit/s: +10.0 %"* ]]
	[ "${lines[4]}" = "# old-kernel: 12 s of wall time" ]
	[ "${lines[5]}" = "1..4" ]

	# 11.6 of 10 are 16 %, 103 of 100 are 3 %
	fullpipe_runs old.out/calm.packet.cubic 11.6 11.6
	pings old.out/wild.skb.bbr 100 103
	run "$top/tests/vm/judge" paths old
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(grep -o '^not ok [0-9]' <<<"$output")" = $'not ok 1\nnot ok 4' ]
}

@test "judge: what one guest did not leave keeps no other from its verdict" {
	whole_guest old
	rm old.out/wild.* old.out/wall_s
	echo "cannot do it" >old.out/calm.packet.cubic.fullpipe.err
	rm old.out/calm.packet.cubic.fullpipe.json
	whole_guest new
	mkdir dead.out
	run "$top/tests/vm/judge" paths old dead new
	echo "$output"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "not ok 1 - old-kernel calm.packet.cubic goodput: netem gave 2 of 2 runs, fullpipe 0" ]
	[ "${lines[1]}" = "# cannot do it" ]
	[ "${lines[3]}" = "not ok 3 - old-kernel wild.skb.bbr goodput: netem gave 0 of 1 runs, fullpipe 0" ]
	[ "${lines[4]}" = "# no 'old.out/wild.skb.bbr.fullpipe.err'" ]
	[ "${lines[6]}" = "# old-kernel: ? s of wall time" ]
	[ "${lines[7]}" = "not ok 5 - dead did not come to its end in ? s" ]
	[ "${lines[8]}" = "# no 'dead.out/console'" ]
	[ "$(grep -c '^ok .*new-kernel' <<<"$output")" -eq 4 ]
	[ "${lines[-2]}" = "# new-kernel: 12 s of wall time" ]
	[ "${lines[-1]}" = "1..9" ]
}
