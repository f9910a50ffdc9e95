#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run the commands that reports name as next ones, as a person would paste them.
#
# Usage: tests/golden/next.sh SCOPE NAME.json...     each beside its trace, NAME.trace
# Those of a trace run as they are; the page that one writes must be there, of 2 MB at most. Those of a process run once
# for each form, with a process that sleeps, and for a second. Says "ok next" or what failed, and returns 1 then.
set -uo pipefail
scope=$(realpath "$1")
shift
here=$(mktemp -d)
asleep=
ended() {
	[ -z "$asleep" ] || kill "$asleep"
	rm -rf "$here"
}
trap ended EXIT
ln -s "$scope" "$here/scope"
ln -s scope "$here/scope-report"
PATH=$here:$PATH
bad=0 ran=0

fail() {	# NAME COMMAND WHY
	echo "not ok next of $1: '$2' $3"
	[ ! -s "$here/said" ] || tail -n 5 "$here/said" | sed 's/^/    /'
	bad=1
}

# Runs a command of a report in its folder. 3 is the status of --fail-on, which none has.
run() {	# NAME COMMAND
	local status=0
	ran=$((ran + 1))
	bash -c "$2" > "$here/said" 2>&1 < /dev/null || status=$?
	[ $status -eq 0 ] || fail "$1" "$2" "ends with status $status"
}

of_trace() {	# NAME COMMAND
	local page bytes
	[[ $2 != *" -v" ]] || return 0	# that is how the report itself was made
	run "$1" "$2"
	page=$(sed -n 's/.* -o \([^ ]*\.html\)$/\1/p' <<< "$2")
	[ -n "$page" ] || return 0
	bytes=$(stat -c %s "$page" 2> /dev/null || echo 0)
	[ "$bytes" -gt 1000 ] && [ "$bytes" -le 2000000 ] || fail "$1" "$2" "wrote a page of $bytes bytes"
	rm -f "$page"
}

declare -A forms	# a command with the sleeping process, by its form
of_process() {	# NAME COMMAND
	local form
	form=$(sed -E 's/ --baseline [^ ]+/ --baseline TRACE/' <<< "$2")
	[ -n "${forms[$form]:-}" ] || forms[$form]=$PWD$'\n'$2
}

commands=0
for file; do
	cd "$(dirname "$file")" || exit 1
	name=$(basename "$file" .json)
	python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["next"]: print(one["command"])' "$name.json" > "$here/commands"
	[ -s "$here/commands" ] || fail "$name" "" "names none"
	while read -r command; do
		commands=$((commands + 1))
		case $command in
		"ss "* | "iostat "*) ! command -v "${command%% *}" > "$here/said" || [[ $command == iostat* ]] || run "$name" "$command" ;;
		*" -p "*) of_process "$name" "$command" ;;
		scope*) of_trace "$name" "$command" ;;
		*) : > "$here/said"; fail "$name" "$command" "is of no known program" ;;
		esac
	done < "$here/commands"
done

if "$scope" doctor 2>&1 | grep -q '^ok .*perf events can be used'; then
	# A capture has limits of seconds, which pass where it only gets what others leave of a CPU (scripts/check.sh).
	chrt --other -p 0 $$
	sleep 600 &
	asleep=$!
	for form in "${!forms[@]}"; do
		cd "${forms[$form]%%$'\n'*}" || exit 1
		command=$(sed -E "s/ -p [^ ]+/ -p $asleep/; s/ -d [0-9]+//; /^scope doctor/!s/\$/ -d 1/" <<< "${forms[$form]#*$'\n'}")
		run "a process" "$command"
	done
else
	echo "# left out: ${#forms[@]} forms with a process, because perf events cannot be used here"
fi
[ $bad -ne 0 ] || echo "ok next: $commands commands named, $ran run"
exit $bad
