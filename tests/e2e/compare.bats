#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # jq filters are no shell; lib.bash sets document; tests are subshells
# fullpipe compare, as a person runs it: each path's answer is known by arithmetic.

setup_file() {
	export default_document=$BATS_FILE_TMPDIR/default.json
}

setup() {
	bats_require_minimum_version 1.5.0
	load lib
}

# The article's path (100 ms, 2 %, 100 Mbit/s). Loss-bound CUBIC: Mathis,
# 1.22 * 1448 * 8 bit / (0.1 s * sqrt(0.02)) = 1.0 Mbit/s; with the start of a
# short run up to 3. BBR v1 under random loss keeps 60-80 Mbit/s, less its start.
# 3x and 30 % leave room for a short run on a busy machine.
@test "compare: the default path, BBR against CUBIC" {
	compare --rounds 3 --duration 5s --warmup 1s \
		--expect 'bbr >= 3 x cubic' --expect 'bbr >= 30% of link'
	cp "$document" "$default_document"
	holds '.status == "verified"' \
		'[.expectations[].holds] == [true, true]' \
		'[.results[].algorithm] == ["cubic", "bbr"]' \
		'.path.rtt_us == 100000 and .path.loss_ppm == 20000 and .path.rate_bps == 100000000' \
		'[.results[].rounds | length] == [3, 3]'
}

@test "compare: the document has the keys that others rely on" {
	cp "$default_document" "$document"
	[ "$(head -c 200 "$document" | tr -d ' \n' | cut -c 1-30)" = '{"schema":"fullpipe.compare/1"' ]
	holds '.kernel | type == "string"' '.seed == 1' '.world == "kernel"' \
		'[.path.rtt_us, .path.loss_ppm, .path.rate_bps, .path.queue_bytes] | all(type == "number")' \
		'[.path.measured | .packets, .lost_by_model, .lost_by_queue] | all(type == "number")' \
		'.model.mathis_bps | type == "number"' \
		'[.results[].rounds[] | .goodput_bps, .retransmitted_bytes, .sent_bytes, .rtt_us.p50, .rtt_us.p99, .cpu_s]
			| all(type == "number")' \
		'[.results[] | .goodput_bps.median, .goodput_bps.min, .goodput_bps.max, .ratio_to_first]
			| all(type == "number")' \
		'[.results[] | has("version")] | all' \
		'[.expectations[] | (.text | type == "string") and (.holds | type == "boolean") and (.measured | type == "number")] | all' \
		'.status | type == "string"'
}

# n draws at p = 2 %: the count lies within 4 standard deviations,
# 4 * sqrt(n p (1 - p)), but for 1 in 16,000 seeds; the seed is fixed.
@test "compare: the loss that was counted is the loss that was asked for" {
	cp "$default_document" "$document"
	holds '.path.measured | .packets as $n | ($n > 10000) and
			((.lost_by_model - 0.02 * $n) | fabs) < 4 * ($n * 0.02 * 0.98 | sqrt)'
}

# Mathis for this path, 1.22 * MSS * 8 / (RTT * sqrt(p)); the MSS is 1448 with
# time stamps, 1460 without: 0.999 or 1.007 Mbit/s.
@test "compare: the model's bound is Mathis' formula" {
	cp "$default_document" "$document"
	holds '.model.mathis_bps > 980000 and .model.mathis_bps < 1020000'
}

@test "compare: an expectation that does not hold gives exit status 1 and its measure" {
	run -1 --separate-stderr "$FULLPIPE" compare --quiet --seed 1 --json --rounds 1 --duration 2s --warmup 0s \
		--expect 'cubic >= 3 x bbr'
	echo "$output" >"$document"
	holds '.status == "failed"' '.expectations[0].holds == false' '.expectations[0].measured < 3'
}

# An ordinary user has a user namespace and, where /dev/net/tun is root's, packet
# sockets. The program is copied to where that user can read it.
@test "compare: the same as an ordinary user" {
	[ "$(id -u)" -eq 0 ] || skip "not root: every other test runs as an ordinary user already"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as_user[@]}" unshare --user --net true || skip "no user namespaces on this machine"
	place=$(mktemp -d)
	chmod 755 "$place"
	cp "$FULLPIPE" "$place/fullpipe"
	FULLPIPE=$place/fullpipe
	cd /
	"${as_user[@]}" "$FULLPIPE" compare --quiet --seed 1 --json --rounds 1 --duration 4s --warmup 1s \
		--expect 'bbr >= 3 x cubic' >"$document"
	rm -r "$place"
	holds '.status == "verified"' '.run.user_namespace == true' '.accuracy.lost_outside == 0'
}

# Acknowledgements are cumulative: one in ten lost leaves the data alone. What
# CUBIC loses on a data path with 10 % loss would be nearly all.
@test "compare: loss only on the way back hurts little" {
	compare --cc cubic --rounds 1 --duration 3s --warmup 1s \
		--rtt 20ms --rate 20mbit --loss 0% --loss-back 10% --expect 'cubic >= 60% of link'
	holds '.path.measured.lost_by_model == 0' '.path.back.measured.lost_by_model > 0'
}

# Each packet of 1500 bytes takes 1514 on the link, as netem counts, and carries
# 1448: 20 Mbit/s * 1448 / 1514 = 19.13. 1 % for the edges of a short run; the deep
# queue keeps the link busy through a pause of the sender's.
@test "compare: a link without loss is filled to its last packet" {
	compare_calmly --cc cubic --rounds 1 --duration 4s --warmup 1s --rtt 20ms --rate 20mbit --loss 0% --queue 500ms
	holds '.results[0].goodput_bps.median > 18940000 and .results[0].goodput_bps.median < 19320000' \
		'.path.measured.lost_by_model == 0'
}

# A file says the same as options: 10 ms each way, 20 Mbit/s, and 1 % lost.
@test "compare: a scenario file" {
	cat >"$BATS_TEST_TMPDIR/office.yaml" <<'YAML'
forward:
  delay: 10ms
  rate: 20mbit
  loss: 1%
back:
  delay: 10ms
YAML
	compare --scenario "$BATS_TEST_TMPDIR/office.yaml" --cc cubic --rounds 1 --duration 1s --warmup 0s
	holds '.path.rtt_us == 20000 and .path.rate_bps == 20000000 and .path.loss_ppm == 10000'
}

# No queue waits without a rate: the least RTT is the path's own, 2 * 15 ms, and
# what the host adds: under 3 ms.
@test "compare: the round trip is the path's" {
	compare --cc cubic --rounds 1 --duration 1s --warmup 0s --delay 15ms --delay-back 15ms --loss 1%
	holds '.results[0].rounds[0].rtt_us.min >= 30000 and .results[0].rounds[0].rtt_us.min < 33000'
}

@test "compare: --path direct is a baseline without emulator" {
	compare --path direct --cc cubic --rounds 1 --duration 1s --warmup 0s
	holds '.results[0].goodput_bps.median > 1e9'
}

# 1500 less 40 (IPv6), 20 (TCP) and 12 (time stamps) is an MSS of 1428.
@test "compare: IPv6" {
	[ -e /proc/net/if_inet6 ] || skip "no IPv6 in this kernel"
	compare --ipv6 --cc cubic --rounds 1 --duration 2s --warmup 0s --rtt 10ms --rate 50mbit --loss 0%
	holds '.run.ipv6 == true' '.results[0].rounds[0].flows[0].mss_bytes == 1428' \
		'.results[0].share_of_link > 0.7'
}

# 9000 less 20, 20 and 12 is an MSS of 8948.
@test "compare: MTU 9000" {
	compare --mtu 9000 --cc cubic --rounds 1 --duration 2s --warmup 0s --rtt 10ms --rate 50mbit --loss 0%
	holds '.results[0].rounds[0].flows[0].mss_bytes == 8948' '.results[0].share_of_link > 0.7'
}

# Two algorithms on one bottleneck share it: the shares add up to 1, and both
# together carry no more than the link.
@test "compare: two algorithms together" {
	compare --together --cc cubic,bbr --rounds 1 --duration 4s --warmup 1s --rtt 20ms --rate 20mbit --loss 0%
	holds '([.results[].share_of_total] | add) as $s | $s > 0.999 and $s < 1.001' \
		'([.results[].goodput_bps.median] | add) as $sum | $sum > 16000000 and $sum <= 20000000' \
		'[.results[].goodput_bps.median] | all(. > 0)'
}

# 1 MiB at 50 Mbit/s takes 168 ms on the link alone, and slow start from 10
# segments doubles about six times, 20 ms each: under 1 s in all.
@test "compare: --bytes gives the time to completion" {
	compare --bytes 1M --cc cubic --rounds 1 --rtt 20ms --rate 50mbit --loss 0%
	holds '.results[0].completion_us.median > 168000 and .results[0].completion_us.median < 1000000'
}

@test "compare: every flow that was asked for ran" {
	compare --flows 4 --cc cubic --rounds 1 --duration 2s --warmup 0s --rtt 10ms --rate 50mbit --loss 0%
	holds '.results[0].rounds[0].flows | length == 4' '[.results[0].rounds[0].flows[].goodput_bps] | all(. > 0)'
}

@test "compare: --with iperf3 runs the real one" {
	compare --with iperf3 --cc cubic --rounds 1 --duration 2s --warmup 0s --rtt 10ms --rate 50mbit --loss 0%
	holds '.results[0].share_of_link > 0.6'
}

@test "compare: text for people names both algorithms and the loss unit" {
	run -0 --separate-stderr "$FULLPIPE" compare --quiet --seed 1 --rounds 1 --duration 1s --warmup 0s --timeline
	[[ $output == *cubic* && $output == *"bbr"* && $output == *packet* ]]
}

# Ctrl-C reaches the whole group, as a terminal sends it. What was seen until
# then is reported; nothing keeps running for the 60 s asked for.
@test "compare: Ctrl-C ends a run with what was seen" {
	began=$SECONDS
	run timeout --kill-after=20 --signal=INT 3 "$FULLPIPE" compare --quiet --seed 1 --json \
		--cc cubic --rounds 1 --duration 60s --warmup 0s --rtt 10ms --rate 10mbit --loss 0%
	[ $((SECONDS - began)) -lt 15 ]
	[ "$status" -ne 137 ]
	echo "$output" >"$document"
	holds '.results[0].rounds[0].received_bytes > 0'
}

# Figures of an article are no measure for another path than the article's.
@test "compare: what was published stands beside the preset's own path only" {
	run -0 "$FULLPIPE" compare --quiet --preset cc-30 --cc reno --rounds 1 --duration 300ms
	[[ $output == *published* ]]
	run -0 "$FULLPIPE" compare --quiet --preset cc-30 --mtu 1500 --cc reno --rounds 1 --duration 300ms
	[[ $output != *published* ]]
}
