#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ./run builds once and then starts at once.

setup() {
	top=$BATS_TEST_DIRNAME/../..
	export FULLPIPE_BUILD=$BATS_TEST_TMPDIR/build
}

@test "run: builds on the first call, again after a change, and only then" {
	run "$top/run" --version
	[ "$status" -eq 0 ]
	[[ $output == *"builds in"* ]]
	run "$top/run" --version
	[ "$status" -eq 0 ]
	[[ $output != *"builds in"* ]]

	# A stamp older than the sources is what a change looks like.
	touch -d '1 January 2000' "$FULLPIPE_BUILD/.built"
	run "$top/run" --version
	[ "$status" -eq 0 ]
	[[ $output == *"builds in"* ]]

	# From another folder, and the exit status of wrong usage comes through.
	cd /
	run "$top/run" --no-such-option
	[ "$status" -eq 2 ]

	# The requirement is 0.3 s; a start takes about 10 ms. Of 20 starts the
	# fastest: a busy machine may delay most of them, not all.
	best=1000000
	for _ in {1..20}; do
		began=$(date +%s%N)
		"$top/run" --version >"$BATS_TEST_TMPDIR/out"
		took=$((($(date +%s%N) - began) / 1000))
		[ "$took" -ge "$best" ] || best=$took
	done
	echo "fastest of 20: $best us"
	[ "$best" -lt 300000 ]
}

@test "run: says where it cannot write" {
	FULLPIPE_BUILD=/proc/build run "$top/run" --version
	[ "$status" -eq 3 ]
	[[ $output == *"cannot write to '/proc/build'"* ]]
	[[ $output == *"hint: build elsewhere"* ]]
}

@test "setup: names what to install where it may not install it" {
	printf 'ID=nonesuch\n' >"$BATS_TEST_TMPDIR/os-release"
	FULLPIPE_OS_RELEASE=$BATS_TEST_TMPDIR/os-release run "$top/scripts/setup" run
	[ "$status" -eq 3 ]
	[[ $output == *"cannot tell this distribution"* ]]
	[[ $output == *"libjansson-dev"* ]]
}
