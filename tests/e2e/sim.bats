#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq filters are no shell; lib.bash sets document; tests are subshells
# fullpipe compare --sim, as a person runs it.

setup() {
	bats_require_minimum_version 1.5.0
	load lib
}

# simulate ARGS...: one simulated comparison with a fixed seed, its JSON in $document.
simulate() {
	compare --sim "$@"
}

# The article's path, as in compare.bats: Mathis' bound is 1.0 Mbit/s, and CUBIC
# in the steady state that a long run has lies near it (Linux's CUBIC is Reno
# here: 1.22 to 1.4 MSS/(RTT sqrt p)); BBR v1 keeps 60 to 95 % of the link.
@test "sim: the default path, BBR against CUBIC" {
	simulate --expect 'bbr >= 20 x cubic' --expect 'bbr >= 60% of link' \
		--expect 'cubic >= 0.5mbit' --expect 'cubic <= 2mbit'
	holds '.status == "verified"' '.world == "sim"' '.kernel == null' \
		'[.results[].algorithm] == ["cubic", "bbr"]' \
		'[.results[].label] == ["cubic", "bbr (v1)"]' \
		'[.results[].version] == [null, 1]' \
		'[.results[].rounds | length] == [15, 15]'
}

@test "sim: the document is the lab's, with null for what only a machine has" {
	simulate --seeds 2 --duration 2s
	holds '.schema == "fullpipe.compare/1"' '.seed == 1' \
		'[.run.backend, .run.user_namespace, .run.precise, .run.wall_s, .run.arrangement] | all(. == null)' \
		'[.accuracy.lateness_ns[]] | all(. == null)' \
		'[.results[].cpu_per_gb_s, .results[].rounds[].cpu_s, .results[].rounds[].wall_s] | all(. == null)' \
		'[.path.rtt_us, .path.loss_ppm, .path.rate_bps, .path.queue_bytes] | all(type == "number")' \
		'[.path.measured | .packets, .lost_by_model, .lost_by_queue] | all(type == "number")' \
		'[.results[].rounds[] | .goodput_bps, .retransmitted_bytes, .sent_bytes, .rtt_us.p50, .rtt_us.p99]
			| all(type == "number")'
}

# n draws at p = 2 %: within 4 standard deviations, 4 sqrt(n p (1 - p)).
@test "sim: the loss that was counted is the loss that was asked for" {
	simulate --seeds 5
	holds '.path.measured | .packets as $n | ($n > 10000) and
			((.lost_by_model - 0.02 * $n) | fabs) < 4 * ($n * 0.02 * 0.98 | sqrt)'
}

@test "sim: the same seed gives the same bytes, on one thread and on several" {
	simulate --cc cubic,bbr,bbr3,reno --seeds 3 --duration 3s --samples --concurrency 1
	cp "$document" "$BATS_TEST_TMPDIR/first"
	simulate --cc cubic,bbr,bbr3,reno --seeds 3 --duration 3s --samples --concurrency 4
	cmp "$document" "$BATS_TEST_TMPDIR/first"
	"$FULLPIPE" compare --quiet --seed 2 --json --sim --cc cubic,bbr,bbr3,reno --seeds 3 --duration 3s --samples >"$document"
	run ! cmp -s "$document" "$BATS_TEST_TMPDIR/first"
}

# No capability, no network namespace's devices, no /dev: nothing of the machine.
@test "sim: needs no right, no device and no network" {
	as_user=()
	if [ "$(id -u)" -eq 0 ]; then
		as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all)
	fi
	place=$(mktemp -d)
	chmod 755 "$place"
	cp "$FULLPIPE" "$place/fullpipe"
	"${as_user[@]}" "$place/fullpipe" compare --sim --quiet --json --seeds 2 --duration 2s >"$document"
	holds '.status == "measured"' '.world == "sim"'
	rm -r "$place"
}

@test "sim: without /dev/net/tun, in a network namespace with nothing in it" {
	unshare --user --map-root-user --net --mount true || skip "no user namespaces on this machine"
	unshare --user --map-root-user --net --mount sh -c '
		mount -t tmpfs none /dev && exec "$1" compare --sim --quiet --json --seeds 2 --duration 2s
	' sh "$FULLPIPE" >"$document"
	holds '.status == "measured"'
}

@test "sim: --seeds gives median and spread, and the table does not grow" {
	simulate --seeds 40 --duration 1s --warmup 0s --cc bbr
	holds '[.results[].rounds | length] == [40]' \
		'.results[0].goodput_bps | .min < .median and .median < .max' \
		'.results[0] | ([.rounds[].goodput_bps] | sort | (.[19] + .[20]) / 2) as $m |
			(.goodput_bps.median - $m | fabs) <= 1'
	# without the text below it, whose lines break where figures do
	many=$("$FULLPIPE" compare --sim --seeds 40 --duration 1s --warmup 0s | sed '/^counted/,$d' | wc -l)
	few=$("$FULLPIPE" compare --sim --seeds 3 --duration 1s --warmup 0s | sed '/^counted/,$d' | wc -l)
	[ "$few" -gt 8 ]
	[ "$many" -eq "$few" ]
}

@test "sim: profiles are algorithms of their own" {
	simulate --cc cubic,cubic:rfc9438,bbr3:draft --seeds 3 --duration 4s
	holds '[.results[].label] == ["cubic", "cubic:rfc9438", "bbr3:draft (v3)"]'
}

# 1 MB over 10 Mbit/s takes at least 0.8 s, and no more than that and some 10
# round trips of 20 ms.
@test "sim: a finite transfer has a time" {
	simulate --bytes 1000000 --rtt 20ms --loss 0 --rate 10mbit --seeds 3
	holds '[.results[].completion_us.median] | all(. > 800000 and . < 1100000)'
}

# Of two BBR flows on one link each has about a half, and nobody gets more than all.
@test "sim: several flows together share the link" {
	simulate --cc bbr,bbr --together --loss 0 --rtt 20ms --rate 50mbit --seeds 5
	holds '(.results[0].share_of_total + .results[1].share_of_total - 1 | fabs) < 0.05' \
		'.jain > 0.8 and .jain <= 1'
}

# What is sent back meets the loss of the way back.
@test "sim: --reverse sends the data back" {
	simulate --reverse --loss 0 --loss-back 1% --seeds 2 --duration 3s
	holds '.run.direction == "back"' \
		'.path.back.measured.packets > .path.measured.packets' \
		'.path.back.measured.lost_by_model > 0 and .path.measured.lost_by_model == 0'
}

@test "sim: IPv6 takes 20 bytes more of each packet" {
	simulate --seeds 1 --duration 1s --warmup 0s --cc reno
	holds '.results[0].rounds[0].flows[0].mss_bytes == 1448'
	simulate --ipv6 --seeds 1 --duration 1s --warmup 0s --cc reno
	holds '.results[0].rounds[0].flows[0].mss_bytes == 1428'
}

# Half of a buffer is window: 64 KiB / 2 each 100 ms are 2.6 Mbit/s.
@test "sim: a small receive buffer is what limits" {
	simulate --buffers 64k --loss 0 --cc cubic --seeds 1
	holds '.results[0].limited_by == "receive window"' \
		'.results[0].goodput_bps.median > 1500000 and .results[0].goodput_bps.median < 5300000'
}

# 5 Mbit/s of data on a link of 100: it is the application.
@test "sim: sources other than bulk, and their words" {
	simulate --source 'stream 5mbit' --loss 0 --cc cubic --seeds 1
	holds '.results[0].goodput_bps.median > 4800000 and .results[0].goodput_bps.median < 5200000' \
		'.results[0].limited_by == "application"' '.run.source | type == "string"'
	# each request takes a round trip of 100 ms and 100 ms more: five a second
	simulate --source 'requests 10k every 100ms' --loss 0 --cc cubic --seeds 1 --duration 10s
	holds '.results[0].rounds[0].flows[0].requests | . > 30 and . < 70'
	simulate --source 'on-off 1s 1s' --loss 0 --cc cubic --seeds 1 --rate 10mbit
	holds '.results[0].goodput_bps.median < 8000000'
}

# The second flow begins in the middle and has no more than half of the time.
@test "sim: flows that start one after the other, and stop" {
	simulate --cc cubic,cubic --together --stagger 4s --loss 0 --rtt 20ms --rate 10mbit \
		--warmup 0s --duration 8s --seeds 1
	holds '.results[0].goodput_bps.median > 1.3 * .results[1].goodput_bps.median' '.run.stagger_us == 4000000'
	# 2 s of 10 Mbit/s are 2.5 MB
	simulate --cc cubic --lifetime 2s --loss 0 --rtt 20ms --rate 10mbit --warmup 0s --duration 8s --seeds 1
	holds '.results[0].rounds[0].received_bytes | . > 2000000 and . < 2600000'
}

@test "sim: hosts can do without a part, and the report says so" {
	simulate --cc cubic --seeds 5
	with=$(jq '.results[0].goodput_bps.median' "$document")
	simulate --cc cubic --without sack,rack,tlp --seeds 5
	holds '.run.without == "sack,rack,tlp"'
	without=$(jq '.results[0].goodput_bps.median' "$document")
	[ "$without" -lt "$with" ] # NewReno repairs one loss a round trip
	"$FULLPIPE" compare --sim --seeds 1 --duration 1s --without sack --min-rto 1s --initial-cwnd 20 --ack-every 8 |
		tr -s ' \n' ' ' | grep -q 'without sack, one ACK for 8 packets, timeout at least 1.00 s, first window of 20 packets'
}

# What waits behind a packet that was lost twice fills half of the buffer, not two thirds of it.
@test "sim: --kernel says whose receive windows the hosts have" {
	far=(--cc bbr --rtt 80ms --loss 0.1% --rate 500mbit --buffers 16M --seeds 3 --duration 10s)
	simulate "${far[@]}"
	half=$(jq '.results[0].goodput_bps.median' "$document")
	simulate "${far[@]}" --kernel 6.18
	holds '.run.hosts | endswith("receive windows of Linux 6.18")'
	holds ".results[0].goodput_bps.median > 1.05 * $half"
	run -2 "$FULLPIPE" compare --sim --kernel new
	[[ $output == *"--kernel 'new' is no release of Linux"*hint:* ]]
}

@test "sim: --trace writes each event of round 1 as a JSON line" {
	simulate --cc cubic,bbr --seeds 2 --duration 2s --warmup 0s --trace "$BATS_TEST_TMPDIR/run.jsonl"
	for algorithm in cubic bbr; do
		file=$BATS_TEST_TMPDIR/run.$algorithm.jsonl
		jq -e -n --arg algorithm "$algorithm" '
			input | .schema == "fullpipe.trace/1" and .algorithm == $algorithm and .seed == 1 and .mss_bytes == 1448
		' "$file"
		jq -e -n 'reduce (inputs | select(.schema | not)) as $e ({at: 0, ok: true, names: {}};
				.ok = (.ok and ($e.time_us >= .at) and $e.flow == 0 and ($e.data | type == "object")) |
				.at = $e.time_us | .names[$e.name] += 1)
			| .ok and .names["transport:packet_sent"] > 10 and .names["recovery:metrics_updated"] > 10
				and .names["recovery:packet_lost"] > 0 and .names["recovery:congestion_state_updated"] > 0
		' "$file"
	done
	[ "$(find "$BATS_TEST_TMPDIR" -name 'run*' | wc -l)" -eq 2 ]
}

@test "sim: the report names what --trace wrote" {
	cd "$BATS_TEST_TMPDIR"
	simulate --cc cubic,bbr --seeds 2 --duration 1s --trace run.jsonl
	holds '[.results[].trace] == ["run.cubic.jsonl", "run.bbr.jsonl"]'
	simulate --cc cubic,bbr --seeds 1 --duration 1s
	holds '[.results[].trace] == [null, null]'
	"$FULLPIPE" compare --sim --cc cubic,bbr --seeds 1 --duration 1s --trace run.jsonl >report
	[ "$(grep '^trace' report)" = $'trace     run.cubic.jsonl\ntrace     run.bbr.jsonl' ]
	"$FULLPIPE" compare --sim --cc cubic,bbr --together --seeds 1 --duration 1s --trace all.jsonl >report
	[ "$(grep '^trace' report)" = 'trace     all.jsonl' ]
	[ -s all.jsonl ]
}

@test "sim: kill -9 leaves no half-written trace" {
	mkdir "$BATS_TEST_TMPDIR/traces"
	"$FULLPIPE" compare --sim --quiet --cc bbr --seeds 1 --duration 1h --rate 1gbit --trace "$BATS_TEST_TMPDIR/traces/t.jsonl" 3>&- &
	pid=$!
	sleep 0.5
	kill -9 "$pid"
	wait "$pid" || true
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/traces")" ] || skip "this file system has no unnamed files"
}

# As Ctrl-C, which a shell lets its background jobs ignore.
@test "sim: SIGTERM ends it with what was seen" {
	"$FULLPIPE" compare --sim --quiet --json --seeds 10000 >"$document" 3>&- &
	pid=$!
	sleep 1
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 3 ]
	holds '.status == "interrupted"'
}

@test "sim: what only a lab has is refused" {
	refused 2 "--path direct" compare --sim --path direct
	refused 2 "--with iperf3" compare --sim --with iperf3
	refused 2 "--precise" compare --sim --precise
	refused 2 "--backend" compare --sim --backend tun
	refused 2 "--rounds" compare --sim --rounds 3 --seeds 4
	refused 2 "processor time" compare --sim --expect 'cubic cpu <= 1s'
	refused 2 "--seeds is for the simulator" compare --seeds 4
	refused 2 "--rate-trace" compare --trace x.jsonl || grep -q -- "--rate-trace" "$BATS_TEST_TMPDIR/err"
	refused 2 "--stagger" compare --both --stagger 1s
	refused 2 "--both" compare --both --sim
}

@test "sim: unknown words get what exists and the nearest" {
	refused 2 "cubik" compare --sim --cc cubik
	grep -q "did you mean 'cubic'" "$BATS_TEST_TMPDIR/err"
	grep -q "reno, cubic, bbr, bbr3" "$BATS_TEST_TMPDIR/err"
	refused 2 "bbr3:drft" compare --sim --cc bbr3:drft
	grep -q "bbr3:draft" "$BATS_TEST_TMPDIR/err"
	for list in 'cubic,,bbr' ',cubic' 'cubic,' ''; do
		refused 2 "--cc '$list' has an empty name" compare --sim --cc "$list"
		refused 2 "--cc '$list' has an empty name" compare --both --cc "$list"
		refused 2 "--cc '$list' has an empty name" compare --cc "$list"
	done
	"$FULLPIPE" compare --sim --cc help | grep -q -- '^  :rfc9438 '
	refused 2 "sak" compare --sim --without sak
	refused 2 "--source" compare --sim --source 'requests'
	refused 2 "--seeds" compare --sim --seeds 0
	refused 2 "--seeds" compare --sim --seeds 10001
	refused 2 "--trace" compare --sim --trace -
	refused 3 "no/such/folder" compare --sim --trace no/such/folder/x.jsonl
}

@test "sim: who asks the kernel for what the simulator has is told so" {
	! grep -qw bbr3 /proc/sys/net/ipv4/tcp_available_congestion_control || skip "this kernel has bbr3"
	refused 77 "no congestion control 'bbr3'" compare --cc bbr3
	grep -q "compare --sim --cc bbr3" "$BATS_TEST_TMPDIR/err"
	refused 77 "no congestion control 'bbr3'" lab --cc bbr3 -- true
	grep -q "compare --sim --cc bbr3" "$BATS_TEST_TMPDIR/err"
	refused 2 "'bbr:draft' is not an algorithm's name" compare --cc bbr:draft
	refused 2 "'cubic:rfc9438' is not an algorithm's name" compare --cc cubic:rfc9438
	grep -q "add --sim" "$BATS_TEST_TMPDIR/err"
}

@test "sim: every preset, those that have a path" {
	"$FULLPIPE" compare --sim --preset all --seeds 1 --quiet --json >"$document"
	holds '.schema == "fullpipe.presets/1"' \
		'[.presets[].name] | index("cc-30") != null and index("longhaul-16pct") != null and index("bbr-clean") == null' \
		'[.presets[].compare.world] | all(. == "sim")'
}

# Kernel and simulator on one path. How far they may differ is for the grid of the
# bench; here they differ by less than half.
@test "sim: --both tells how far kernel and simulator differ" {
	"$FULLPIPE" compare --both --quiet --json --cc reno,cubic:rfc9438 --rtt 20ms --loss 1% --rate 50mbit \
		--rounds 2 --duration 4s --expect 'reno >= 1mbit' >"$document"
	holds '.schema == "fullpipe.both/1"' '.kernel.world == "kernel" and .sim.world == "sim"' \
		'[.agreement[].algorithm] == ["reno", "cubic:rfc9438"]' \
		'.agreement[0] | (.difference_share | fabs) < 0.5 and
			((.sim_bps.median / .kernel_bps.median - 1 - .difference_share) | fabs) < 1e-4' \
		'.agreement[1] | .kernel_bps.median == null and .difference_share == null and .sim_bps.median > 0' \
		'.status == "verified"' '.kernel.run.rounds == 2 and .sim.run.rounds == 15' \
		'.kernel.run.rmem_max_bytes == .sim.run.rmem_max_bytes'
}
