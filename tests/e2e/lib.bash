# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# What the end-to-end tests share. FULLPIPE is the program under test.

: "${FULLPIPE:=$BATS_TEST_DIRNAME/../../build/src/fullpipe}"
document=$BATS_TEST_TMPDIR/document

# compare ARGS...: one comparison with a fixed seed, its JSON in $document.
compare() {
	"$FULLPIPE" compare --quiet --seed 1 --json "$@" >"$document"
}

# compare_calmly ARGS...: the same, for bounds of a per cent: measures again, twice
# at most, when the run says of itself that the machine was too busy for them.
compare_calmly() {
	local _
	for _ in 1 2 3; do
		compare "$@"
		jq -e '[.notes[] | select(test("releases were late"))] == []' "$document" >/dev/null && break
	done
	return 0
}

# holds FILTER...: each jq filter is true of the document; else shows what is there.
holds() {
	local filter
	for filter; do
		jq -e "$filter" "$document" >/dev/null || {
			echo "does not hold: $filter"
			jq -c 'del(.results[].rounds[].samples?)' "$document"
			return 1
		}
	done
}

# within SECONDS COMMAND...: waits until the command succeeds.
within() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "never came true: $*"
			return 1
		}
		sleep 0.05
	done
}

# Words of a refusal: status, what failed, and a hint.
refused() { # STATUS TEXT ARGS...
	local want=$1 text=$2 status=0
	shift 2
	"$FULLPIPE" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	if [ "$status" -ne "$want" ] || ! grep -qF -- "$text" "$BATS_TEST_TMPDIR/err" ||
		[ -s "$BATS_TEST_TMPDIR/out" ]; then
		echo "fullpipe $*"
		echo "exit status $status, wanted $want; wanted in the message: $text"
		cat "$BATS_TEST_TMPDIR/err" "$BATS_TEST_TMPDIR/out"
		return 1
	fi
}
