#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016,SC2154 # lib.bash sets document; $FULLPIPE_PEER is for the shell inside
# --pcap: what Wireshark and tcptrace find in the files is what the report says.

setup() {
	bats_require_minimum_version 1.5.0
	load lib
	cd "$BATS_TEST_TMPDIR" || return
}

needs() {
	command -v "$1" >/dev/null || skip "no $1 on this machine"
}

# read_with_tshark FILE [ARGS...]: with every checksum verified.
read_with_tshark() {
	tshark -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE -r "$@" 2>/dev/null
}

# Status 0 is "bad", 1 "good", 2 "not verified": a packet that was cut off.
is_sound() { # FILE...
	local file bad
	for file; do
		[ "$(read_with_tshark "$file" | wc -l)" -gt 10 ]
		bad=$(read_with_tshark "$file" -Y '_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 ||
			udp.checksum.status == 0')
		[ -z "$bad" ] || {
			echo "$file:" "$bad"
			return 1
		}
		# and some were verified: SYN and SYN-ACK at least
		[ "$(read_with_tshark "$file" -Y 'tcp.checksum.status == 1 && tcp.flags.syn == 1' | wc -l)" -ge 2 ]
	done
}

# The first number of a line of tcptrace's long output: what went forward.
traced() { # FILE NAME
	tcptrace -l -n "$1" 2>/dev/null | sed -n "s/^ *$2: *\([0-9]*\).*/\1/p" | head -n 1
}

# What tcptrace counts in both files of one flow is what the report counts.
agrees() { # STEM
	local sent resent received
	sent=$(jq '.results[0].rounds[0].sent_bytes' "$document")
	resent=$(jq '.results[0].rounds[0].retransmitted_bytes' "$document")
	received=$(jq '.results[0].rounds[0].received_bytes' "$document")
	echo "report: sent $sent, resent $resent, received $received"
	tcptrace -l -n "$1.sender.pcap" 2>/dev/null
	[ "$(traced "$1.sender.pcap" 'actual data bytes')" -eq "$sent" ]
	[ "$(traced "$1.sender.pcap" 'rexmt data bytes')" -eq "$resent" ]
	[ "$(traced "$1.sender.pcap" 'unique bytes sent')" -eq "$received" ]
	[ "$(traced "$1.receiver.pcap" 'unique bytes sent')" -eq "$received" ]
}

transfer=(--bytes 2M --rounds 1 --cc cubic --rtt 20ms --loss 1% --rate 50mbit)

@test "lab: both files of a comparison are sound and say what the report says" {
	needs tshark
	needs tcptrace
	for family in '' --ipv6; do
		# shellcheck disable=SC2086 # an empty family is no argument
		compare "${transfer[@]}" $family --pcap run.pcap
		holds '.results[0].capture.sender == "run.sender.pcap"' '.results[0].rounds[0].retransmitted_bytes > 0'
		[ "$(jq .results[0].capture.sender_packets "$document")" -eq "$(read_with_tshark run.sender.pcap | wc -l)" ]
		[ "$(jq .results[0].capture.receiver_packets "$document")" -eq "$(read_with_tshark run.receiver.pcap | wc -l)" ]
		is_sound run.sender.pcap run.receiver.pcap
		agrees run
	done
	# families are not mixed up
	[ "$(read_with_tshark run.sender.pcap -Y 'ipv6.src == fd00:f011:b1be::1 && tcp.dstport == 5201' | wc -l)" -gt 10 ]
}

@test "lab: packet sockets and single segments are captured the same way" {
	needs tshark
	needs tcptrace
	for how in '--backend packet' '--offload off'; do
		# shellcheck disable=SC2086 # words
		compare "${transfer[@]}" $how --pcap run.pcap
		is_sound run.sender.pcap run.receiver.pcap
		agrees run
	done
	# the last: none is longer than the MTU
	[ -z "$(read_with_tshark run.sender.pcap -Y 'ip.len > 1500')" ]
}

# A bit is flipped in 5 % of the packets: checksums at the receiver find what is
# not cut off, the sender's side has no damage in what it sent.
@test "lab: damage is in the receiver's file only" {
	needs tshark
	"$FULLPIPE" lab --quiet --path 'delay 5ms corrupt 50%' --path-back 'delay 5ms' --pcap run.pcap -- \
		sh -c 'ping -q -c 40 -i 0.01 $FULLPIPE_PEER || true'
	[ -z "$(read_with_tshark run.sender.pcap -Y 'icmp.checksum.status == 0')" ]
	[ -n "$(read_with_tshark run.receiver.pcap -Y 'icmp.checksum.status == 0 || ip.checksum.status == 0')" ]
}

@test "lab: a command's traffic is captured, and the report names the files" {
	needs tshark
	run -0 --separate-stderr "$FULLPIPE" lab --rtt 20ms --pcap some --report "$document" -- \
		sh -c 'ping -q -c 3 -i 0.1 $FULLPIPE_PEER'
	[[ $stderr == *"capture   some.sender.pcap ("*" packets), some.receiver.pcap ("* ]]
	holds '.capture.sender == "some.sender.pcap"' '.capture.receiver == "some.receiver.pcap"'
	for side in sender receiver; do
		[ "$(read_with_tshark some.$side.pcap -Y 'icmp.type == 8' | wc -l)" -eq 3 ]
		[ "$(read_with_tshark some.$side.pcap -Y 'icmp.type == 0' | wc -l)" -eq 3 ]
	done
	# an echo is half of the RTT older at the sender: 10 ms, and under 3 of the host
	sent=$(read_with_tshark some.sender.pcap -T fields -e frame.time_epoch -Y 'icmp.type == 8' | head -n 1)
	arrived=$(read_with_tshark some.receiver.pcap -T fields -e frame.time_epoch -Y 'icmp.type == 8' | head -n 1)
	awk "BEGIN { late = $arrived - $sent; exit !(late >= 0.0099 && late < 0.013) }"
	# and it is now
	awk "BEGIN { age = $(date +%s) - $sent; exit !(age > -2 && age < 60) }"
}

@test "sim: both files of a comparison are sound and say what the report says" {
	needs tshark
	needs tcptrace
	for how in '' --ipv6 '--cc bbr --loss 8%' '--without sack'; do
		# shellcheck disable=SC2086 # words
		compare --sim "${transfer[@]}" $how --pcap run.pcap
		holds '.results[0].capture.sender == "run.sender.pcap"' '.results[0].rounds[0].retransmitted_bytes > 0'
		[ "$(jq .results[0].capture.sender_packets "$document")" -eq "$(read_with_tshark run.sender.pcap | wc -l)" ]
		[ "$(jq .results[0].capture.receiver_packets "$document")" -eq "$(read_with_tshark run.receiver.pcap | wc -l)" ]
		is_sound run.sender.pcap run.receiver.pcap
		agrees run
	done
	# the last has no SACK, and all say their options
	[ -z "$(read_with_tshark run.sender.pcap -Y 'tcp.options.sack_perm || tcp.options.sack')" ]
	[ "$(read_with_tshark run.sender.pcap -Y 'tcp.options.mss_val == 1460 && tcp.options.wscale && tcp.options.timestamp' |
		wc -l)" -eq 2 ]
	[ -z "$(read_with_tshark run.sender.pcap -Y 'ip.len > 1500')" ]
}

# Wireshark's own analysis of the stream: it takes no packet for one whose
# predecessor is missing from the sender's file, and sees what was sent again.
# Flows that begin connected have a handshake in it, and time does not run back.
@test "sim: bulk flows are whole streams" {
	needs tshark
	compare --sim --rounds 1 --cc cubic,bbr --together --flows 2 --duration 5s --warmup 0 --rtt 30ms --loss 0.5% \
		--rate 50mbit --pcap run.pcap
	is_sound run.sender.pcap run.receiver.pcap
	for side in sender receiver; do
		[ "$(read_with_tshark run.$side.pcap -Y 'tcp.flags.syn == 1' -T fields -e tcp.stream | sort | uniq -c |
			awk '{ print $1 }' | tr '\n' ' ')" = '2 2 2 2 ' ]
		[ "$(read_with_tshark run.$side.pcap -T fields -e tcp.srcport -Y 'tcp.flags == 2' | sort | tr '\n' ' ')" = \
			'20000 20001 20002 20003 ' ]
		[ -z "$(read_with_tshark run.$side.pcap -Y 'frame.time_delta < 0')" ]
	done
	[ -z "$(read_with_tshark run.sender.pcap -Y 'tcp.analysis.lost_segment && tcp.dstport == 5201')" ]
	[ -n "$(read_with_tshark run.sender.pcap -Y 'tcp.analysis.retransmission || tcp.analysis.fast_retransmission')" ]
	[ -n "$(read_with_tshark run.receiver.pcap -Y 'tcp.analysis.lost_segment')" ]
	# 30 ms, as the path is
	[ "$(read_with_tshark run.sender.pcap -T fields -e tcp.analysis.initial_rtt | sort -u | tr -d '\n')" = 0.030000000 ]
	# a flow that starts later has its handshake among the others' packets
	compare --sim --rounds 1 --cc cubic --flows 3 --stagger 100ms --duration 1s --warmup 0 --rtt 30ms --loss 0% \
		--rate 50mbit --pcap late.pcap
	for side in sender receiver; do
		[ -z "$(read_with_tshark late.$side.pcap -Y 'frame.time_delta < 0')" ]
	done
	[ "$(read_with_tshark late.sender.pcap -T fields -e frame.time_relative -Y 'tcp.flags == 2' | tr '\n' ' ')" = \
		'0.000000000 0.100000000 0.200000000 ' ]
}

# The data comes from the receiver's side, so it is sent in that file.
@test "--reverse swaps the sides, in both worlds" {
	needs tshark
	for world in '' --sim; do
		# shellcheck disable=SC2086 # an empty world is no argument
		compare "${transfer[@]}" $world --reverse --loss-back 1% --pcap run.pcap
		is_sound run.sender.pcap run.receiver.pcap
		for side in sender receiver; do
			[ -z "$(read_with_tshark run.$side.pcap -Y 'tcp.len > 0 && ip.src != 10.201.0.2')" ]
		done
		[ -n "$(read_with_tshark run.receiver.pcap -Y 'tcp.analysis.retransmission || tcp.analysis.fast_retransmission')" ]
	done
}

@test "sim: a capture changes nothing, goes with a trace, and is the same again" {
	compare --sim "${transfer[@]}"
	jq .results[0].rounds "$document" >without
	compare --sim "${transfer[@]}" --pcap one.pcap --trace run.jsonl
	jq .results[0].rounds "$document" | cmp - without
	[ -s run.jsonl ]
	compare --sim "${transfer[@]}" --pcap two.pcap
	cmp one.sender.pcap two.sender.pcap
	cmp one.receiver.pcap two.receiver.pcap
}

@test "both worlds have files of their own" {
	"$FULLPIPE" compare --both --quiet --seed 1 --json --bytes 100k --rounds 1 --cc cubic --rtt 10ms --loss 0% --pcap run.pcap \
		>"$document"
	[ "$(echo run.*)" = \
		"run.kernel.receiver.pcap run.kernel.sender.pcap run.sim.receiver.pcap run.sim.sender.pcap" ]
	holds '.kernel.results[0].capture.sender == "run.kernel.sender.pcap"' \
		'.sim.results[0].capture.sender == "run.sim.sender.pcap"'
}

@test "several algorithms have a pair of files each, all together one" {
	compare --bytes 100k --rounds 2 --cc cubic,reno,cubic --rtt 10ms --loss 0% --pcap run.pcap
	[ "$(echo run.*)" = "run.cubic-2.receiver.pcap run.cubic-2.sender.pcap run.cubic.receiver.pcap run.cubic.sender.pcap \
run.reno.receiver.pcap run.reno.sender.pcap" ]
	holds '[.results[].capture.receiver] ==
		["run.cubic.receiver.pcap", "run.reno.receiver.pcap", "run.cubic-2.receiver.pcap"]'
	compare --bytes 100k --rounds 1 --cc cubic,reno --together --rtt 10ms --loss 0% --pcap all.pcap
	[ "$(echo all.*)" = "all.receiver.pcap all.sender.pcap" ]
	holds '[.results[].capture.sender] == ["all.sender.pcap", "all.sender.pcap"]'
	compare --bytes 100k --rounds 1 --cc cubic --rtt 10ms --loss 0%
	holds '.results[0].capture == null'
}

@test "Ctrl-C leaves whole files of what was seen" {
	needs tshark
	run -3 timeout --preserve-status --signal=INT 2 "$FULLPIPE" compare --quiet --cc cubic --rounds 1 --duration 60s --pcap run.pcap
	is_sound run.sender.pcap run.receiver.pcap
}

# The files have no name while they are written; only the kernel knows them.
is_capturing() { # PID
	[ "$(readlink "/proc/$1/fd/"* | grep -c '(deleted)')" -ge 2 ]
}

@test "kill -9 leaves no file, and an old one as it was" {
	echo old >run.sender.pcap
	"$FULLPIPE" lab --quiet --rtt 10ms --pcap run.pcap -- sh -c 'ping -q -i 0.01 -c 500 $FULLPIPE_PEER' >/dev/null &
	within 10 is_capturing $!
	sleep 0.3 # or less: whatever moment it is
	kill -9 $!
	wait $! || true
	[ "$(ls)" = run.sender.pcap ]
	[ "$(cat run.sender.pcap)" = old ]
}

@test "a disk that is full is said, and nothing half is left" {
	isolate=(unshare --mount)
	[ "$(id -u)" -eq 0 ] || isolate+=(--user --map-root-user)
	mkdir small
	"${isolate[@]}" mount -t tmpfs -o size=64k none small 2>/dev/null || skip "cannot mount a tmpfs"
	run -3 "${isolate[@]}" sh -c 'mount -t tmpfs -o size=64k none small &&
		"$0" compare --quiet --json --bytes 20M --rounds 1 --cc cubic --rtt 10ms --loss 0% --pcap small/run.pcap
		status=$?; ls -A small >left; exit $status' "$FULLPIPE"
	[[ $output == *"cannot write 'small/run.sender.pcap': No space left on device"* ]]
	[[ $output == *'"capture": null'* ]]
	[ -e left ]
	[ ! -s left ]
}

@test "a disk that is too small for the simulator's files is said with --both too" {
	isolate=(unshare --mount)
	[ "$(id -u)" -eq 0 ] || isolate+=(--user --map-root-user)
	mkdir small
	"${isolate[@]}" mount -t tmpfs -o size=64k none small 2>/dev/null || skip "cannot mount a tmpfs"
	# as above: the headers of 20M are more than that
	run -3 "${isolate[@]}" sh -c 'mount -t tmpfs -o size=64k none small &&
		"$0" compare --both --quiet --bytes 20M --rounds 1 --cc cubic --rtt 10ms --loss 0% --pcap small/run.pcap' "$FULLPIPE"
	[[ $output == *"cannot write 'small/run.sim.sender.pcap': No space left on device"* ]]
}

@test "--pcap: what cannot be" {
	for arguments in 'compare --cc cubic' 'lab'; do
		[ "$arguments" != lab ] || set -- -- true
		# shellcheck disable=SC2086 # words
		refused 3 "cannot write '/nowhere/x.sender.pcap'" $arguments --pcap /nowhere/x.pcap "$@"
		# shellcheck disable=SC2086
		refused 2 "cannot use '-' for --pcap" $arguments --pcap - "$@"
		# shellcheck disable=SC2086
		refused 2 "cannot use 'here/' for --pcap" $arguments --pcap here/ "$@"
		# shellcheck disable=SC2086
		refused 2 "--pcap needs the emulator" $arguments --path direct --pcap x "$@"
	done
	refused 2 "--preset all takes no --pcap" compare --preset all --pcap x
	mkdir x.sender.pcap
	refused 3 "it is no regular file" compare --cc cubic --pcap x
	[ "$(echo x*)" = x.sender.pcap ]
}
