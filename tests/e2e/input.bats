#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016 # $1 is for the shell inside
# Bad input: what failed, on what, the accepted range, status 2; nothing runs.

setup() {
	bats_require_minimum_version 1.5.0
	load lib
}

@test "input: options out of their range name it" {
	refused 2 "'200%'" compare --loss 200%
	refused 2 "'10'" compare --rate 10
	refused 2 "'-1ms'" compare --rtt -1ms
	refused 2 "queue" compare --queue 0
	refused 2 "10000" compare --flows 10000
	refused 2 "rounds" compare --rounds 0
	refused 2 "mtu" compare --mtu 100
	refused 2 "duration" compare --duration 5
	refused 2 "loss-unit" compare --loss-unit frame
	refused 2 "buffers" compare --buffers many
}

@test "input: what says a whole path stands alone" {
	refused 2 "whole path" compare --preset cc-30 --scenario "$BATS_TEST_DIRNAME/../../examples/scenarios/two-hops.yaml"
	refused 2 "no options of the path" compare --preset all --loss 5%
}

@test "input: a hint tells what is accepted" {
	for args in '--loss 200%' '--rate 10' '--rtt -1ms' '--queue 0'; do
		# shellcheck disable=SC2086 # words
		run -2 "$FULLPIPE" compare $args
		[[ $output == *"hint: "* ]] || { echo "$args: $output"; false; }
	done
}

@test "input: an unknown option or command is told the nearest" {
	refused 2 "--rounds" compare --round 3
	refused 2 "compare" compair
}

@test "input: a path line with a word that netem has not" {
	refused 2 "wobble" compare --path 'delay 50ms wobble 3%'
}

@test "input: an expectation that cannot be read" {
	refused 2 "expect" compare --expect 'bbr is great'
}

@test "input: an algorithm that this kernel lacks is said before anything runs" {
	began=$SECONDS
	refused 77 "cubik" compare --cc cubik
	grep -q "cubic" "$BATS_TEST_TMPDIR/err"
	[ $((SECONDS - began)) -lt 3 ]
}

@test "input: a trace with a bad line names file and line" {
	printf '1\n2\nthree\n' >"$BATS_TEST_TMPDIR/bad.trace"
	refused 2 "bad.trace" compare --rate-trace "$BATS_TEST_TMPDIR/bad.trace"
	grep -q '3' "$BATS_TEST_TMPDIR/err"
	refused 3 "no-such-file" compare --rate-trace no-such-file
}

@test "input: what is asked for and helps is on standard output" {
	run -0 --separate-stderr "$FULLPIPE" --help
	[[ $output == *compare* ]]
	run -0 --separate-stderr "$FULLPIPE" compare --help
	[[ $output == *--expect* ]]
	run -0 --separate-stderr "$FULLPIPE" --version
	[[ $output == "fullpipe "* ]]
}

@test "input: a scenario with a wrong word names file, line and what was expected" {
	printf 'forward:\n  delay: soon\n' >"$BATS_TEST_TMPDIR/bad.yaml"
	refused 2 "bad.yaml:2" compare --scenario "$BATS_TEST_TMPDIR/bad.yaml"
	grep -q "'soon' is not a time" "$BATS_TEST_TMPDIR/err"
	printf 'sideways: 3\n' >"$BATS_TEST_TMPDIR/bad.yaml"
	refused 2 "bad.yaml:1" compare --scenario "$BATS_TEST_TMPDIR/bad.yaml"
	grep -q "expected" "$BATS_TEST_TMPDIR/err"
}

# A place where nothing can be laid: no namespaces allowed. Status 77 says so, as
# ordinary user whose namespaces were used up.
@test "input: a machine without namespaces is told, with status 77" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to take namespaces away"
	unshare --user --map-root-user true || skip "no user namespaces on this machine"
	place=$(mktemp -d)
	chmod 755 "$place"
	cp "$FULLPIPE" "$place/fullpipe"
	run -77 unshare --user --map-root-user sh -c \
		'echo 0 >/proc/sys/user/max_net_namespaces && exec "$1" compare --rounds 1' sh "$place/fullpipe"
	rm -r "$place"
	[[ $output == *"hint: "* ]]
}
