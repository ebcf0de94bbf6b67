#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016,SC2154 # lib.bash sets document; $FULLPIPE_PEER is for the shell inside
# fullpipe lab: any command through a path.

setup() {
	bats_require_minimum_version 1.5.0
	load lib
}

lab() {
	"$FULLPIPE" lab --rtt 20ms --loss 0% --rate 50mbit "$@"
}

@test "lab: exit statuses pass through" {
	run -0 lab -- true
	run -7 lab -- sh -c 'exit 7'
	run -143 lab -- sh -c 'kill -TERM $$'
	run -127 lab -- no-such-command
}

# cubic is one that a namespace may refuse as its default, where the host's is
# another; reno never is. Both ends use it, over IPv6 too.
@test "lab: --cc chooses for programs that choose none" {
	for cc in reno cubic; do
		for family in '' --ipv6; do
			# shellcheck disable=SC2086 # an empty family is no argument
			run -0 lab --cc $cc $family --server 'iperf3 -s -1 >/dev/null' -- sh -c '
				iperf3 -t 1 -c $FULLPIPE_PEER >/dev/null &
				for _ in 1 2 3 4 5 6 7 8 9; do ss -tinH state established dport = :5201; sleep 0.1; done; wait'
			[[ $output == *" $cc "* ]]
			[[ $output != *" bbr "* ]]
		done
	done
	run -77 lab --cc nothing -- true
}

@test "lab: standard streams pass through" {
	result=$(echo hello | lab -- sh -c 'cat; echo oops >&2' 2>"$BATS_TEST_TMPDIR/err")
	[ "$result" = hello ]
	grep -qx oops "$BATS_TEST_TMPDIR/err"
}

# Ten milliseconds each way make 20; the host adds under 3.
@test "lab: the peer answers through the path, by its address" {
	run -0 lab -- sh -c 'echo $FULLPIPE_PEER; ping -c 3 -i 0.2 -q $FULLPIPE_PEER'
	[ "${lines[0]}" = 10.201.0.2 ]
	least=$(echo "$output" | sed -n 's|.*min/avg/max.*= \([0-9]*\)\..*|\1|p' | head -n 1)
	[ "$least" -ge 20 ]
	[ "$least" -lt 23 ]
}

# Names are an /etc/hosts of the lab's own, mounted over the host's.
@test "lab: the peer answers by its name" {
	unshare --mount true 2>/dev/null || unshare --user --map-root-user --mount true 2>/dev/null ||
		skip "no mount namespaces on this machine"
	run -0 lab -- ping -c 1 -q fp-receiver
	[ -e /proc/sys/net/ipv6 ] || skip "no IPv6 in this kernel"
	run -0 lab -- sh -c 'getent ahosts fp-receiver; ping -4 -c 1 -q fp-receiver; ping -6 -c 1 -q fp-receiver'
	[[ $output == *10.201.0.2* && $output == *fd00:f011:b1be::2* ]]
	run -0 lab --mtu 1000 -- getent ahosts fp-receiver # too small for IPv6
	[[ $output == *10.201.0.2* && $output != *fd00* ]]
}

@test "lab: the host's network is not there" {
	run lab -- ip -o link
	[ "$(echo "$output" | grep -c 'state\|mtu')" -eq 2 ] # lo and the path
}

# The link carries 50 Mbit/s; 1448 of 1514 bytes are data, and start-up takes part
# of 2 s.
@test "lab: iperf3 on both ends" {
	lab --server 'iperf3 -s -1' -- \
		sh -c 'until iperf3 -c $FULLPIPE_PEER -t 2 -J >'"$document"'; do sleep 0.1; done'
	holds '.end.sum_received.bits_per_second > 35000000' '.end.sum_received.bits_per_second < 50000000'
}

@test "lab: Ctrl-C ends the command, and its status passes through" {
	began=$SECONDS
	run timeout --kill-after=20 --preserve-status --signal=INT 1 "$FULLPIPE" lab --rtt 20ms -- sleep 60
	[ $((SECONDS - began)) -lt 10 ]
	[ "$status" -eq 130 ]
}

# The server listens nowhere, so the command would start after 5 s.
@test "lab: Ctrl-C ends it while it still waits for the server" {
	run timeout --kill-after=8 --preserve-status --signal=INT 1 \
		"$FULLPIPE" lab --rtt 20ms --server 'sleep 60' -- touch "$BATS_TEST_TMPDIR/ran"
	[ "$status" -eq 130 ]
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
}

@test "lab: without a command it says so" {
	refused 2 "needs a command" lab --rtt 10ms
}
