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

# What is asked of packets below; tshark takes a second for a file, so it reads each once.
columns=(frame.time_epoch frame.time_relative frame.time_delta _ws.malformed
	ip.checksum.status tcp.checksum.status udp.checksum.status icmp.checksum.status
	ip.src ipv6.src ip.len icmp.type tcp.stream tcp.srcport tcp.dstport tcp.flags.syn tcp.flags.ack tcp.len
	tcp.options.mss_val tcp.options.wscale.shift tcp.options.timestamp.tsval tcp.options.sack_perm tcp.options.sack_le
	tcp.analysis.initial_rtt tcp.analysis.lost_segment tcp.analysis.retransmission tcp.analysis.fast_retransmission)

# dissect FILE...: writes FILE.tsv, one row a packet, with every checksum verified.
dissect() {
	local file
	for file; do
		tshark -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE -r "$file" \
			-T fields -E occurrence=f "${columns[@]/#/-e}" >"$file.tsv" 2>/dev/null
	done
}

# rows FILE CONDITION [COLUMN]: awk's choice of a dissected file's packets, where
# @NAME is a column.
rows() {
	local program="$2 { print ${3:-\$0} }" number
	for number in "${!columns[@]}"; do
		program=${program//@${columns[number]}/\$$((number + 1))}
	done
	awk -F '\t' "$program" "$1.tsv"
}

# none FILE CONDITION, some FILE CONDITION: no packet is such, at least one is.
none() {
	local found
	found=$(rows "$@")
	[ -z "$found" ] || {
		echo "$1, $2:" "$found"
		return 1
	}
}

some() {
	[ -n "$(rows "$@")" ] || {
		echo "$1: no packet where $2"
		return 1
	}
}

# Status 0 is "bad", 1 "good", 2 "not verified": a packet that was cut off.
is_sound() { # FILE...
	local file
	for file; do
		dissect "$file"
		[ "$(wc -l <"$file.tsv")" -gt 10 ]
		none "$file" '@_ws.malformed != ""'
		none "$file" '@ip.checksum.status == "0" || @tcp.checksum.status == "0" || @udp.checksum.status == "0"'
		none "$file" '@frame.time_delta < 0'
		# and some were verified: SYN and SYN-ACK at least
		[ "$(rows "$file" '@tcp.checksum.status == 1 && @tcp.flags.syn == 1' | wc -l)" -ge 2 ]
	done
}

# The files hold as many packets as the report says.
is_counted() { # STEM
	[ "$(jq .results[0].capture.sender_packets "$document")" -eq "$(wc -l <"$1.sender.pcap.tsv")" ]
	[ "$(jq .results[0].capture.receiver_packets "$document")" -eq "$(wc -l <"$1.receiver.pcap.tsv")" ]
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

transfer=(--bytes 1M --rounds 1 --cc cubic --rtt 20ms --loss 1% --rate 50mbit)

@test "lab: both files of a comparison are sound and say what the report says" {
	needs tshark
	needs tcptrace
	for family in '' --ipv6; do
		# shellcheck disable=SC2086 # an empty family is no argument
		compare "${transfer[@]}" $family --pcap run.pcap
		holds '.results[0].capture.sender == "run.sender.pcap"' '.results[0].rounds[0].retransmitted_bytes > 0'
		is_sound run.sender.pcap run.receiver.pcap
		is_counted run
		agrees run
	done
	# families are not mixed up
	[ "$(rows run.sender.pcap '@ipv6.src == "fd00:f011:b1be::1" && @tcp.dstport == 5201' | wc -l)" -gt 10 ]
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
	none run.sender.pcap '@ip.len > 1500'
}

# A bit is flipped in half of the packets: checksums find it at the receiver, and
# the sender's side has no damage in what it sent. A ping is whole in the file.
@test "lab: damage is in the receiver's file only" {
	needs tshark
	"$FULLPIPE" lab --quiet --path 'delay 5ms corrupt 50%' --path-back 'delay 5ms' --pcap run.pcap -- \
		sh -c 'ping -q -c 40 -i 0.01 $FULLPIPE_PEER || true'
	dissect run.sender.pcap run.receiver.pcap
	none run.sender.pcap '@icmp.checksum.status == "0" || @ip.checksum.status == "0"'
	some run.receiver.pcap '@icmp.checksum.status == "0" || @ip.checksum.status == "0"'
}

@test "lab: a command's traffic is captured, and the report names the files" {
	needs tshark
	run -0 --separate-stderr "$FULLPIPE" lab --rtt 20ms --pcap some --report "$document" -- \
		sh -c 'ping -q -c 3 -i 0.1 $FULLPIPE_PEER'
	[[ $stderr == *"capture   some.sender.pcap ("*" packets), some.receiver.pcap ("* ]]
	holds '.capture.sender == "some.sender.pcap"' '.capture.receiver == "some.receiver.pcap"'
	for side in sender receiver; do
		dissect some.$side.pcap
		[ "$(rows some.$side.pcap '@icmp.type == "8"' | wc -l)" -eq 3 ]
		[ "$(rows some.$side.pcap '@icmp.type == "0"' | wc -l)" -eq 3 ]
	done
	# half of the RTT, 10 ms, is between both files, and less than 10 of a busy host
	sent=$(rows some.sender.pcap '@icmp.type == "8"' @frame.time_epoch | head -n 1)
	arrived=$(rows some.receiver.pcap '@icmp.type == "8"' @frame.time_epoch | head -n 1)
	awk "BEGIN { late = $arrived - $sent; exit !(late >= 0.0099 && late < 0.02) }"
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
		is_sound run.sender.pcap run.receiver.pcap
		is_counted run
		agrees run
	done
	# the last has no SACK, and all say their options
	none run.sender.pcap '@tcp.options.sack_perm != "" || @tcp.options.sack_le != ""'
	[ "$(rows run.sender.pcap '@tcp.options.mss_val == 1460 && @tcp.options.wscale.shift != "" &&
		@tcp.options.timestamp.tsval != ""' | wc -l)" -eq 2 ]
	none run.sender.pcap '@ip.len > 1500'
}

# Wireshark's own analysis of the stream: it takes no packet for one whose
# predecessor is missing from the sender's file, and sees what was sent again.
# Flows that begin connected have a handshake in it, and time does not run back.
@test "sim: bulk flows are whole streams" {
	needs tshark
	compare --sim --rounds 1 --cc cubic,bbr --together --flows 2 --duration 2s --warmup 0 --rtt 30ms --loss 1% \
		--rate 20mbit --pcap run.pcap
	is_sound run.sender.pcap run.receiver.pcap
	for side in sender receiver; do
		[ "$(rows run.$side.pcap '@tcp.flags.syn == 1' @tcp.stream | sort | uniq -c | awk '{ print $1 }' |
			tr '\n' ' ')" = '2 2 2 2 ' ]
		[ "$(rows run.$side.pcap '@tcp.flags.syn == 1 && @tcp.flags.ack == 0' @tcp.srcport | sort | tr '\n' ' ')" = \
			'20000 20001 20002 20003 ' ]
	done
	none run.sender.pcap '@tcp.analysis.lost_segment != "" && @tcp.dstport == 5201'
	some run.sender.pcap '@tcp.analysis.retransmission != "" || @tcp.analysis.fast_retransmission != ""'
	some run.receiver.pcap '@tcp.analysis.lost_segment != ""'
	# 30 ms, as the path is
	[ "$(rows run.sender.pcap '@tcp.analysis.initial_rtt != ""' @tcp.analysis.initial_rtt | sort -u)" = 0.030000000 ]
	# a flow that starts later has its handshake among the others' packets
	compare --sim --rounds 1 --cc cubic --flows 3 --stagger 100ms --duration 1s --warmup 0 --rtt 30ms --loss 0% \
		--rate 10mbit --pcap late.pcap
	is_sound late.sender.pcap late.receiver.pcap
	[ "$(rows late.sender.pcap '@tcp.flags.syn == 1 && @tcp.flags.ack == 0' @frame.time_relative | tr '\n' ' ')" = \
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
			none run.$side.pcap '@tcp.len > 0 && @ip.src != "10.201.0.2"'
		done
		some run.receiver.pcap '@tcp.analysis.retransmission != "" || @tcp.analysis.fast_retransmission != ""'
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
	run -0 "$FULLPIPE" compare --both --quiet --bytes 100k --rounds 1 --cc cubic --rtt 10ms --loss 0% --pcap text
	[[ $output == *'capture   text.kernel.sender.pcap ('*'capture   text.sim.sender.pcap ('* ]]
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
	run -3 timeout --preserve-status --signal=INT 2 "$FULLPIPE" compare --quiet --cc cubic --rounds 1 --duration 60s --rate 10mbit \
		--pcap run.pcap
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
