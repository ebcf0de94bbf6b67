#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The simulator against real netem: medians of runs of iperf3 over netem on a veth,
# Debian's 6.1 in a virtual machine in virtual time (docs/sim.md). "packet" rows had
# gso_max_segs 1, so that a loss was a packet; "skb" rows are netem as it comes, where
# one draw takes a super-packet. Allowed: 20 % for packet rows, 40 % for skb rows. 25
# seeds each, 5 where they hardly differ and take long; the buffers are 6 MiB unless
# said, as that kernel has them.
bats_require_minimum_version 1.5.0
load lib
# shellcheck disable=SC2154 # lib.bash sets document

# median ALGORITHM ARGS...: of $seeds seeds, from the start on (no warm-up).
median() {
	local algorithm=$1
	shift
	"$FULLPIPE" compare --sim --quiet --json --seed 1 --seeds "$seeds" --warmup 0 --cc "$algorithm" \
		--buffers 6M "$@" >"$document"
	jq '.results[0].goodput_bps.median / 1e6' "$document"
}

# near PERCENT MBIT ALGORITHM ARGS...: the median is that far from netem's at most.
near() {
	local percent=$1 netem=$2 simulated
	shift 2
	simulated=$(median "$@")
	awk -v s="$simulated" -v n="$netem" -v p="$percent" -v what="$*" 'BEGIN {
		d = 100 * (s / n - 1)
		printf "%s: netem %s, simulated %.2f Mbit/s: %+.1f %% (allowed %d)\n", what, n, s, d, p
		exit d > p || d < -p
	}'
}

seeds=25
packet=(--loss-unit packet --offload off)
skb=(--loss-unit skb)
a2=(--path 'delay 10ms loss 2%' --duration 8s)
a5=(--path 'delay 10ms loss 5%' --duration 8s)
b=(--path 'delay 50ms loss 2% rate 100mbit' --path-back 'delay 50ms' --duration 10s)
c=(--path 'delay 80ms loss 0.1% rate 1gbit' --duration 30s)
d=(--path 'delay 100ms loss 16% rate 100mbit' --path-back 'delay 100ms' --duration 60s)

@test "netem, packet: cubic at 10 ms, 2 %" {
	near 20 8.21 cubic "${a2[@]}" "${packet[@]}"
}

@test "netem, packet: cubic at 10 ms, 5 %" {
	near 20 4.70 cubic "${a5[@]}" "${packet[@]}"
}

@test "netem, packet: cubic at 100 ms, 2 %, 100 Mbit/s" {
	near 20 1.08 cubic "${b[@]}" "${packet[@]}"
}

@test "netem, packet: bbr at 100 ms, 2 %, 100 Mbit/s" {
	near 20 62.2 bbr "${b[@]}" "${packet[@]}"
}

@test "netem, packet: cubic at 200 ms, 16 %" {
	near 20 0.12 cubic "${d[@]}" "${packet[@]}"
}

@test "netem, skb: cubic at 10 ms, 2 %" {
	near 40 21.7 cubic "${a2[@]}" "${skb[@]}"
}

@test "netem, skb: bbr at 10 ms, 2 %" {
	seeds=5
	near 40 1257 bbr "${a2[@]}" "${skb[@]}"
}

@test "netem, skb: cubic at 10 ms, 5 %" {
	near 40 6.44 cubic "${a5[@]}" "${skb[@]}"
}

@test "netem, skb: bbr at 10 ms, 5 %" {
	seeds=5
	near 40 1002 bbr "${a5[@]}" "${skb[@]}"
}

@test "netem, skb: cubic at 100 ms, 2 %, MTU 9500" {
	near 40 8.93 cubic "${b[@]}" "${skb[@]}" --mtu 9500
}

@test "netem, skb: bbr at 100 ms, 2 %, MTU 9500" {
	near 40 63.1 bbr "${b[@]}" "${skb[@]}" --mtu 9500
}

@test "netem, skb: cubic at 100 ms, 2 %" {
	near 40 2.07 cubic "${b[@]}" "${skb[@]}"
}

@test "netem, skb: bbr at 100 ms, 2 %" {
	near 40 79.4 bbr "${b[@]}" "${skb[@]}"
}

@test "netem, skb: cubic at 80 ms, 0.1 %, 1 Gbit/s" {
	near 40 61.0 cubic "${c[@]}" "${skb[@]}"
}

@test "netem, skb: bbr at 80 ms, 0.1 %, 1 Gbit/s" {
	seeds=5
	near 40 243 bbr "${c[@]}" "${skb[@]}"
}

@test "netem, skb: cubic at 80 ms, 0.1 %, 1 Gbit/s, 128 MiB" {
	near 40 59.1 cubic "${c[@]}" "${skb[@]}" --buffers 128M
}

@test "netem, skb: bbr at 80 ms, 0.1 %, 1 Gbit/s, 128 MiB" {
	seeds=5
	near 40 897 bbr "${c[@]}" "${skb[@]}" --buffers 128M
}

@test "netem, skb: cubic at 200 ms, 16 %" {
	near 40 0.14 cubic "${d[@]}" "${skb[@]}"
}

# BBRv1 is bistable there, in the kernel too: 0.45 to 19.5 Mbit/s from run to run, in two
# clusters, 1 to 5 and 11 to 20. Of 25 seeds nine in ten lie in that interval (a tenth
# more each way) and each cluster has some.
@test "netem: bbr at 200 ms, 16 % is bistable, within the kernel's interval" {
	for unit in packet skb; do
		local -n flags=$unit
		median bbr "${d[@]}" "${flags[@]}"
		jq -c '[.results[0].rounds[].goodput_bps / 1e6] | sort' "$document"
		holds '[.results[0].rounds[].goodput_bps / 1e6] |
			(map(select(. > 0.4 and . < 21.5)) | length >= 22) and
			any(. < 5) and any(. > 11)'
	done
}
