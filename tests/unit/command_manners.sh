#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The program's messages for mistyped commands and for files without -i, and the exit status of --fail-on.
. "$(dirname "$0")/begin.bash"
set +e
bad=0

# says NAME STATUS PATTERN COMMAND...: of what it prints on either stream
says() {
	local name=$1 status=$2 pattern=$3 got=0
	shift 3
	"$@" > "$work/said" 2>&1 || got=$?
	if [ "$got" -eq "$status" ] && grep -qe "$pattern" "$work/said"; then
		echo "ok - $name"
	else
		echo "not ok - $name: status $got, said:"
		sed 's/^/    /' "$work/said"
		bad=1
	fi
}

for name in lock hang healthy; do
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$name.py" > "$work/text"
	"$scope" dump --reverse "$work/text" -o "$work/$name.trace" 2> /dev/null
done

says "swapped letters" 2 'did you mean `scope report`?' "$scope" reprot
says "the begin of a name" 2 'did you mean `scope doctor`?' "$scope" doc
says "one letter less" 2 'did you mean `scope status`?' "$scope" stats
says "nothing like it" 2 '`scope --help` lists them' "$scope" frobnicate
says "a file in place of a command" 2 'scope report -i ' "$scope" "$work/lock.trace"
says "help of a command" 0 '^Usage: scope record' "$scope" help record
says "help of none" 2 'did you mean `scope record`?' "$scope" help recrod
says "help" 0 '^Commands:' "$scope" help

says "report of a file without -i" 0 '^SLOWDOWN' "$scope" report "$work/lock.trace"
says "of a file that is not there" 2 'there is no such file; a command goes after --$' "$scope" report "$work/none"
says "of a file with a similar name" 2 'there is no such file; did you mean .*/lock.trace?$' "$scope" report "$work/lokc.trace"
says "of a process without -p" 2 'a process is named with -p 1234$' "$scope" report 1234
for command in report metrics waits "export folded"; do
	file=$work/helthy.trace
	[[ $command == export* ]] || file="-i $file"
	# shellcheck disable=SC2086 # words
	says "$command: a similar file" 1 'there is no file .*helthy.trace; did you mean .*/healthy.trace?$' "$scope" $command $file
done
says "diff: a similar file" 1 'did you mean .*/healthy.trace?$' "$scope" diff "$work/lock.trace" "$work/helthy.trace"
says "only the end is alike" 1 'cannot open .*: No such file or directory; check the name' "$scope" report -i "$work/lwwp.trace"
says "a file that is like none" 1 'cannot open .*: No such file or directory; check the name' "$scope" report -i "$work/qqqqqq"
mkdir "$work/odd" && : > "$work/odd/"$'healt\ehy.trace'
says "a name with a control character" 1 'did you mean .*healt.x1bhy.trace?$' "$scope" report -i "$work/odd/healthy.trace"
cp "$work/healthy.trace" "$work/box-20260101-091010.trace"
cp "$work/lock.trace" "$work/box-20260101-101010.trace"
cp "$work/hang.trace" "$work/box-20260101-101010-2.trace"
says "the latest file of a flight recorder" 0 '^HANG' "$scope" report "$work/box.trace"
says "which one that is" 0 'the latest file is .*box-20260101-101010-2.trace' "$scope" report -i "$work/box.trace"
id=3f2a1b9c0d1e4455aabbccddeeff00113f2a1b9c0d1e4455aabbccddeeff0011
contained() {	# PATH
	{ echo "meta control_group $1"; cat "$work/text"; } > "$work/contained"
	"$scope" dump --reverse "$work/contained" -o "$work/contained.trace" 2> /dev/null
	"$scope" report "$work/contained.trace"
}
says "a container in the head" 0 '^docker 3f2a1b9c0d1e: server .*source text' contained "/system.slice/docker-$id.scope"
says "a pod in the head" 0 '^pod 8a5b1c2d, container 3f2a1b9c0d1e: server ' \
	contained "/kubepods/pod8a5b1c2d-0011-2233-4455-66778899aabb/$id"
says "a service is no container" 0 '^server  ' contained /system.slice/server.service
"$scope" report "$work/contained.trace" --format json -o "$work/contained.json"
python3 tests/unit/schema.py docs/schema/report.schema.json "$work/contained.json" || bad=1
says "of two" 2 'is not understood' "$scope" report "$work/lock.trace" "$work/hang.trace"

bold=$'^\e\\[1mSLOWDOWN'
says "colour where asked for" 0 "$bold" "$scope" report "$work/lock.trace" --color always
says "no colour on a pipe" 0 '^SLOWDOWN' "$scope" report "$work/lock.trace"
# script(1) gives a terminal.
coloured() { script -qec "$scope report $work/lock.trace $* 2> /dev/null" /dev/null; }
export TERM=xterm
says "colour on a terminal" 0 "$bold" coloured
says "none on a terminal where asked for" 0 '^SLOWDOWN' coloured --color never
NO_COLOR=1 says "nor with NO_COLOR" 0 '^SLOWDOWN' coloured
NO_COLOR=1 says "which --color overrides" 0 "$bold" coloured --color always
NO_COLOR= says "an empty NO_COLOR counts for nothing" 0 "$bold" coloured
says "a mistyped option" 2 "^scope report: there is no option --formt; did you mean --format?$" "$scope" report --formt text
says "the first letters of several options" 2 "^scope report: --s may be --syscalls or --save: type more of it$" "$scope" report --s
says "an option without its value" 2 "^scope export: --output wants a value: --output PATH$" "$scope" export folded -o
says "a value of an option that has none" 2 "^scope waits: --help takes no value$" "$scope" waits --help=1
says "a letter that is none" 2 "^scope waits: there is no option -q$" "$scope" waits -vq
[ "$(wc -l < "$work/said")" = 2 ] || { echo "not ok - a wrong option takes $(wc -l < "$work/said") lines"; bad=1; }
says "a mistyped format" 2 "^scope export: there is no format 'ctff', but ctf, perfetto, .*script$" "$scope" export ctff x
says "no such colour" 2 'wants auto, always or never' "$scope" report "$work/lock.trace" --color blue
says "--fail-on what is there" 3 '^SLOWDOWN' "$scope" report "$work/lock.trace" --fail-on hang,slowdown
says "--fail-on any" 3 '^HANG' "$scope" report "$work/hang.trace" --fail-on any
says "--fail-on something else" 0 '^HANG' "$scope" report "$work/hang.trace" --fail-on slowdown
says "--fail-on any where nothing is" 0 '^NOTHING' "$scope" report "$work/healthy.trace" --fail-on any
says "--fail-on no verdict" 2 "wants slowdown, hang" "$scope" report "$work/hang.trace" --fail-on slow
says "--fail-on with an empty word" 2 "wants slowdown, hang" "$scope" report "$work/hang.trace" --fail-on hang,
says "--compare of a part that the trace does not have" 1 "the trace is 3.0 s long" "$scope" metrics -i "$work/hang.trace" \
	--compare 100..200
says "--series of no metric" 2 "there is no 'speed'" "$scope" metrics -i "$work/hang.trace" --series run,speed
says "--series of one metric" 0 '^    run_queue  ' "$scope" metrics -i "$work/lock.trace" --series run_queue
"$scope" metrics -i "$work/lock.trace" --series run_queue | grep -qE '^    (run|units|latency_p50) ' &&
	{ echo "not ok - --series prints others, too"; bad=1; }
says "--compare of all of it" 1 "leaves nothing to compare" "$scope" metrics -i "$work/hang.trace" --compare 0..
exit $bad
