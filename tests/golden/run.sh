#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Golden tests: synthetic trace text -> trace -> report, compared byte for byte.
#
# Usage: tests/golden/run.sh [-u] [NAME...]     -u: write the reports again (then read the diff)
# Each NAME.py prints a trace, and its head comment gives the answer; NAME.report is the report. A line
# "Baseline: OTHER." there names the trace to compare with, "Signatures alone: OTHER." the one that
# signatures are learned from, and so does "Signatures beside stacks: OTHER.". With "Waits." the
# output of `scope waits` follows the report, with "Metrics." that of `scope metrics`,
# with "Model." that of `scope model`, with "Calls." that of `scope model --args`, with "Profile." that of
# `scope model --profile`, with "Explore." that of `scope explore`.
set -euo pipefail
cd "$(dirname "$0")/../.."

update=
[ "${1:-}" != -u ] || { update=1; shift; }
scope=$(realpath "${SCOPE:-build/san/scope}")
# What the users have, built with all optimisations, prints the same to the byte. It makes the traces, too, and runs what a
# report names as next.
plain=$scope
[ -n "${SCOPE:-}" ] || [ ! -x build/user/scope ] || plain=$PWD/build/user/scope
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
unset COLUMNS

names=("$@")
# Scripts that others import print no trace of their own unless they have a report, and change.py alters one.
helpers=$(sed -nE 's/^(from|import) ([a-z_]+).*/\2/p' tests/golden/*.py | sort -u)
[ $# -gt 0 ] || for file in tests/golden/*.py; do
	name=$(basename "$file" .py)
	[ ! -e "tests/golden/$name.report" ] && grep -qx "$name" <<< "$helpers"$'\n'change || names+=("$name")
done
make_trace() {	# NAME
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$1.py" > "$work/$1.text"
	"$plain" dump --reverse "$work/$1.text" -o "$work/$1.trace"
}

# Says what came of it, and returns 1 where that is not what it should be.
check() {	# NAME
	local name=$1 work=$work/$1 options=() baseline learned
	mkdir "$work"
	baseline=$(sed -n 's/^Baseline: \([a-z_]*\)\..*/\1/p' "tests/golden/$name.py")
	if [ -n "$baseline" ]; then
		make_trace "$baseline"
		options=(--baseline "$work/$baseline.trace")
	fi
	learned=$(sed -n 's/^Signatures [a-z ]*: \([a-z_]*\)\.$/\1/p' "tests/golden/$name.py")
	if [ -n "$learned" ]; then
		make_trace "$learned"
		rm -f "$work/$name.db"
		"$scope" learn -i "$work/$learned.trace" --db "$work/$name.db" > /dev/null
		options=(--db "$work/$name.db")
		! grep -q '^Signatures alone' "tests/golden/$name.py" || options+=(--no-stacks)
	fi
	make_trace "$name"
	cd "$work"	# the report names the trace
	"$scope" report -i "$name.trace" "${options[@]}" -v > "$name.report"
	"$plain" report -i "$name.trace" "${options[@]}" -v > "$name.again"
	if grep -q '^Waits\.' "$OLDPWD/tests/golden/$name.py"; then
		"$scope" waits -i "$name.trace" -v >> "$name.report"
		"$plain" waits -i "$name.trace" -v >> "$name.again"
		"$scope" waits -i "$name.trace" --slowest 3 >> "$name.report"
		"$plain" waits -i "$name.trace" --slowest 3 >> "$name.again"
		"$scope" waits -i "$name.trace" --slowest 1 -v >> "$name.report"
		"$plain" waits -i "$name.trace" --slowest 1 -v >> "$name.again"
		"$scope" waits -i "$name.trace" --slowest 5 > "$name.slowest"
		"$scope" waits -i "$name.trace" > "$name.waits"
	fi
	if grep -q '^Metrics\.' "$OLDPWD/tests/golden/$name.py"; then
		for by in group thread object kind; do
			"$scope" metrics -i "$name.trace" --step 500ms --by "$by" >> "$name.report"
			"$plain" metrics -i "$name.trace" --step 500ms --by "$by" >> "$name.again"
			"$scope" metrics -i "$name.trace" --by "$by" -o "$name.metrics-$by.json"
		done
		if [ -n "$baseline" ]; then
			"$scope" metrics -i "$name.trace" --step 100ms --baseline "$baseline.trace" |
				sed '/^METRICS/,$d' | tee -a "$name.report" >> "$name.again"
			"$scope" metrics -i "$name.trace" --step 100ms --compare 1..2 -o "$name.metrics-compare.json"
		fi
		"$scope" metrics -i "$name.trace" --relate run -o "$name.metrics-relate.json"
		grep -q '"with": "run"' "$name.metrics-relate.json" || { echo "not ok $name - --relate run is not in JSON"; return 1; }
		"$scope" metrics -i "$name.trace" --format openmetrics > "$name.openmetrics"
		"$scope" metrics -i "$name.trace" --format csv > "$name.csv"
		python3 "$OLDPWD/tests/unit/metrics_agree.py" "$name.metrics-group.json" "$name.openmetrics" "$name.csv"
		"$scope" metrics -i "$name.trace" -o "$name.svg"
		python3 "$OLDPWD/tests/unit/metrics_svg.py" "$name.svg" "$name.metrics-group.json"
	fi
	if grep -q '^Model\.' "$OLDPWD/tests/golden/$name.py"; then
		"$scope" model -i "$name.trace" -v >> "$name.report"
		"$plain" model -i "$name.trace" -v >> "$name.again"
	fi
	if grep -q '^Calls\.' "$OLDPWD/tests/golden/$name.py"; then
		"$scope" model -i "$name.trace" --args >> "$name.report"
		"$plain" model -i "$name.trace" --args >> "$name.again"
		"$scope" model -i "$name.trace" --args -o "$name.metrics-model.json"
	fi
	if grep -q '^Profile\.' "$OLDPWD/tests/golden/$name.py"; then
		"$scope" model -i "$name.trace" --profile -o "$name.profile.json"
		"$plain" model -i "$name.trace" --profile >> "$name.again"
		cat "$name.profile.json" >> "$name.report"
	fi
	if grep -q '^Explore\.' "$OLDPWD/tests/golden/$name.py"; then
		"$scope" explore -i "$name.trace" -v --why 1 >> "$name.report"
		"$plain" explore -i "$name.trace" -v --why 1 >> "$name.again"
		"$scope" explore -i "$name.trace" --why 1 > "$name.waits"
		"$scope" explore -i "$name.trace" > "$name.slowest"
		"$scope" explore -i "$name.trace" --why 2 -o "$name.metrics-explore.json"
	fi
	"$plain" report -i "$name.trace" "${options[@]}" > "$name.screen"
	"$scope" report -i "$name.trace" "${options[@]}" --format json -o "$name.json"
	cd "$OLDPWD"
	if [ -n "$update" ]; then
		cp "$work/$name.report" "tests/golden/$name.report"
		echo "wrote $name"
	elif ! diff -u "tests/golden/$name.report" "$work/$name.report" > "$work/$name.diff"; then
		echo "not ok $name - the report differs"
		sed 's/^/    /' "$work/$name.diff"
		return 1
	elif ! cmp -s "$work/$name.report" "$work/$name.again"; then
		echo "not ok $name - a second run, by $plain, differs from the first"
		return 1
	elif ! "$(dirname "$scope")/tests/test_stream" "$work/$name.trace"; then
		echo "not ok $name - the report of a trace followed while it is written differs"
		return 1
	elif [ -e "$work/$name.waits" ] && { [ "$(wc -l < "$work/$name.waits")" -gt 15 ] ||
			[ "$(wc -l < "$work/$name.slowest")" -gt 15 ] ||
			[ "$(LC_ALL=C.UTF-8 wc -L < "$work/$name.waits")" -gt 80 ] ||
			[ "$(LC_ALL=C.UTF-8 wc -L < "$work/$name.slowest")" -gt 80 ]; }; then
		cat "$work/$name.waits" "$work/$name.slowest"
		echo "not ok $name - scope waits or explore prints more than 15 lines of 80 columns"
		return 1
	elif [ "$(wc -l < "$work/$name.screen")" -gt 15 ] || [ "$(LC_ALL=C.UTF-8 wc -L < "$work/$name.screen")" -gt 80 ]; then
		cat "$work/$name.screen"
		echo "not ok $name - the first screen has more than 15 lines of 80 columns"
		return 1
	else
		echo "ok $name"
	fi
}

# As many at a time as there are processors; what each says comes in their order.
running=0
for name in "${names[@]}"; do
	if [ "$running" -ge "${JOBS:-$(nproc)}" ]; then
		wait -n || bad=1
		running=$((running - 1))
	fi
	check "$name" > "$work/$name.said" 2>&1 &
	running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
	wait -n || bad=1
	running=$((running - 1))
done
for name in "${names[@]}"; do cat "$work/$name.said"; done
# What each first screen holds, and that what it names as next runs.
screens=("$work"/*/*.screen)
if [ -e "${screens[0]}" ]; then
	python3 tests/unit/first_screen.py "${screens[@]}" || bad=1
	python3 tests/unit/next_commands.py "$plain" "${screens[@]/%.screen/.json}" || bad=1
fi
# What each report is as JSON is as the schema says.
reports=() metrics=() profiles=()
for file in "$work"/*/*.json; do
	case $file in
	*.metrics-*.json) metrics+=("$file") ;;
	*.profile.json) profiles+=("$file") ;;
	*) reports+=("$file") ;;
	esac
done
python3 tests/unit/schema.py docs/schema/report.schema.json "${reports[@]}" 2> "$work/why" || { cat "$work/why"; bad=1; }
[ ${#metrics[@]} -eq 0 ] ||
	python3 tests/unit/schema.py docs/schema/commands.schema.json "${metrics[@]}" 2> "$work/why" || { cat "$work/why"; bad=1; }
[ ${#profiles[@]} -eq 0 ] ||
	python3 tests/unit/schema.py docs/schema/profile.schema.json "${profiles[@]}" 2> "$work/why" || { cat "$work/why"; bad=1; }
exit $bad
