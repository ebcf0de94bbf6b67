#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kill -9 of any of our processes leaves no namespace, interface or process.
#
# Each case runs in namespaces of its own (tests/e2e/kill-one is their pid 1), so
# that all that it finds is ours.

setup() {
	load lib
	export FULLPIPE
	isolate=(unshare --net --mount --pid --fork --kill-child --mount-proc)
	[ "$(id -u)" -eq 0 ] || isolate+=(--map-root-user)
	"${isolate[@]}" true 2>/dev/null || skip "no namespaces on this machine"
}

kill_one() {
	run "${isolate[@]}" "$BATS_TEST_DIRNAME/kill-one" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

# The tree of a round: the program, who isolates, the world, sender and receiver.
@test "kill -9 of the first process of a running round leaves nothing" {
	kill_one running 1
}

@test "kill -9 of the second process of a running round leaves nothing" {
	kill_one running 2
}

@test "kill -9 of the third process of a running round leaves nothing" {
	kill_one running 3
}

@test "kill -9 of the fourth process of a running round leaves nothing" {
	kill_one running 4
}

@test "kill -9 of the fifth process of a running round leaves nothing" {
	kill_one running 5
}

@test "kill -9 while the lab is being built leaves nothing" {
	for after_ms in 1 3 10 30 100; do
		kill_one building "$after_ms"
	done
}
