#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# All commands follow one rule for output files: an existing file is kept as NAME.old, a second writer
# is refused, a device, a FIFO or standard output is written to and never replaced, and links of other users are not followed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

scope=$PWD/build/san/scope
make --no-print-directory -s SAN=1 user || exit 1
dir=$(mktemp -d /tmp/scope-output.XXXXXX)
helpers=()	# by pid
finish() {
	[ ${#helpers[@]} -eq 0 ] || kill -9 "${helpers[@]}" 2>/dev/null
	rm -rf "$dir"
}
trap finish EXIT
chmod 755 "$dir"
golden=$PWD/tests/golden
signatures=$PWD/tests/fuzz/corpus/signatures/two_functions
. tests/vm/guest.bash
cd "$dir" || exit 1

python3 "$golden/lock.py" > lock.text || exit 1
"$scope" dump --reverse lock.text -o in.trace || exit 1

# Each command, with OUT where its output goes.
commands=(
	"report -i in.trace -o OUT"
	"dump --reverse lock.text -o OUT"
	"export folded in.trace -o OUT"
	"export folded-off in.trace -o OUT"
	"export folded-probe in.trace -o OUT"
	"export script in.trace -o OUT"
	"export perfetto in.trace -o OUT"
	"export sqlite in.trace -o OUT"
	"import in.script -p 100 -o OUT"
	"signatures export --db learned.db -o OUT"
)
"$scope" export script in.trace -o in.script || exit 1
"$scope" signatures import "$signatures" --db learned.db >learned 2>&1 || { cat learned; exit 1; }
# Those that capture, where perf events can be had; their work ends at once.
if "$scope" record --source perf -o probe.trace -- true >/dev/null 2>&1; then
	commands+=(
		"record --source perf -o OUT -- true"
		"report --source perf --save OUT -- true"
		"report --source perf -o OUT -- true"
		"learn --source perf --save OUT --db other.db -- true"
	)
else
	echo "without captures: no perf events here"
fi

run() {	# COMMAND OUT
	# shellcheck disable=SC2086 # words
	"$scope" ${1/OUT/$2} >stdout 2>stderr </dev/null
}

# Three times: nothing that had the name is gone, and each time a sentence says where it is.
keeps() {	# COMMAND
	rm -rf kept && mkdir kept && echo first > kept/x
	run "$1" kept/x
	grep -q 'kept/x was there already and is kept as kept/x.old$' stderr || { echo "no sentence"; return 1; }
	[ "$(cat kept/x.old)" = first ] && [ -s kept/x ] || [[ $1 == *folded-probe* ]] || return 1
	echo second > kept/x
	run "$1" kept/x
	[ "$(cat kept/x.old)" = first ] && [ "$(cat kept/x.old.2)" = second ] && [ ! -e kept/x.part ]
}

for command in "${commands[@]}"; do pass "keeps what was there: scope $command" keeps "$command"; done

# A failure touches nothing.
fails_beside() {
	echo first > f
	! run "export folded nothing.trace -o OUT" f && ! run "import nothing -p 1 -o OUT" f &&
		! run "report -i nothing.trace -o OUT" f && [ "$(cat f)" = first ] && [ ! -e f.old ] && [ ! -e f.part ]
}
pass "a command that fails leaves the name alone" fails_beside

# Streams go into a FIFO; a database cannot, and says so. The FIFO stays.
into_fifo() {	# COMMAND
	local reader
	rm -f fifo got; mkfifo fifo
	timeout 60 cat fifo > got &
	reader=$!
	helpers+=("$reader")
	run "$1" fifo
	wait "$reader"
	if [ ! -p fifo ] || [ -e fifo.part ] || [ -e fifo.old ]; then return 1; fi
	case $1 in
	*sqlite* | *--save*) grep -q 'is no regular file' stderr ;;
	*folded-probe*) ;;
	*) [ -s got ] ;;
	esac
}

null=dev-null
mknod -m 666 $null c 1 3 2>/dev/null || null=
into_device() {	# COMMAND
	run "$1" $null
	[ -c $null ] && [ "$(stat -c %t:%T $null)" = 1:3 ] && [ ! -e $null.part ] && [ ! -e $null.old ]
}

# What a redirection opened gets all of it, after what it had; its name is not replaced.
into_stdout() {	# COMMAND
	echo before > redirected
	# shellcheck disable=SC2086
	"$scope" ${1/OUT//dev/stdout} >> redirected 2>stderr </dev/null
	[ -L /dev/stdout ] && [ ! -e /dev/stdout.part ] && [ ! -e /dev/stdout.old ] && [ "$(head -n 1 redirected)" = before ]
}
# So does "-", and no file gets that name.
into_dash() {	# COMMAND
	local ended=0
	run "$1" - || ended=$?
	[ ! -e - ] && [ ! -e -.part ] || return 1
	case $1 in
	*sqlite* | *--save*) grep -q '^scope .*: - is no regular file' stderr ;;
	*folded-probe*) [ $ended = 0 ] ;;
	*) [ $ended = 0 ] && [ -s stdout ] ;;
	esac
}
dash_names_no_files() {
	says 2 'ctf is a directory' export ctf in.trace -o - && says 2 'write files in turn' record --flight -o - -- true &&
		says 2 'write files in turn' record --rotate 2 -o - -- true && says 1 'not from standard input' dump - && [ ! -e - ]
}
pass "'-' is no name where files or a directory are written" dash_names_no_files
trace_on_terminal() {
	script -qc "$scope dump --reverse lock.text -o -" /dev/null | grep -q 'standard output is a terminal, and a trace is no text'
}
pass "a trace is not printed on a terminal" trace_on_terminal
# What scrub says is beside the trace that it writes.
scrubs_into_dash() {
	"$scope" scrub in.trace -o - 2>stderr >scrubbed.trace && grep -q '^standard output: 0 stacks' stderr &&
		"$scope" dump scrubbed.trace >/dev/null
}
pass "a scrubbed trace goes to standard output" scrubs_into_dash

full=dev-full
mknod -m 666 $full c 1 7 2>/dev/null || full=
full_device() {	# COMMAND
	! run "$1" $full && [ -c $full ] && grep -Eq "$full.*(No space|error)" stderr
}
for command in "report -i in.trace -o OUT" "export folded in.trace -o OUT" "dump --reverse lock.text -o OUT" \
	"signatures export --db learned.db -o OUT"; do
	[ -z "$full" ] || pass "a full device is not removed: scope $command" full_device "$command"
done

for command in "${commands[@]}"; do
	pass "a FIFO stays: scope $command" into_fifo "$command"
	[ -z "$null" ] || pass "a device stays: scope $command" into_device "$command"
	pass "standard output stays: scope $command" into_stdout "$command"
	pass "'-' is standard output: scope $command" into_dash "$command"
done

# A trace through a pipe is the trace.
through_pipe() {
	"$scope" dump --reverse lock.text -o /dev/stdout | cat > piped.trace && cmp piped.trace in.trace
}
pass "a trace goes through a pipe" through_pipe

# Two writers of one name: the second is refused at once, the first is whole.
second_writer() {
	local first=
	mkfifo slow
	"$scope" dump --reverse slow -o one.trace >/dev/null 2>first.err &
	first=$!
	helpers+=("$first")
	exec 5> slow
	until_true [ -e one.trace.part ] || return 1
	says 1 'one.trace is being written by another program' dump --reverse lock.text -o one.trace || return 1
	cat lock.text >&5
	exec 5>&-
	wait "$first" && cmp one.trace in.trace && [ ! -e one.trace.part ]
}
pass "a second writer is refused" second_writer

# The summary is on standard output, unless the trace may be there; of a command that does not run nothing stays.
summary() {
	"$scope" record --source perf -o sum.trace -- true >stdout 2>stderr && grep -q '^sum.trace: true' stdout || return 1
	says 1 'nosuch cannot be run' record --source perf -o nosuch.trace -- nosuch && [ ! -e nosuch.trace ] &&
		[ ! -e nosuch.trace.part ] || return 1
	says 1 'nosuch cannot be run' record --source perf -o sum.trace -- nosuch && [ -s sum.trace ] && [ ! -e sum.trace.old ] || return 1
	"$scope" record --source perf -o /dev/stdout -- true 2>stderr | cat >stdout.trace && grep -q '^/dev/stdout: true' stderr &&
		"$scope" dump stdout.trace >/dev/null
}
[ "${#commands[@]}" -le 10 ] || pass "the summary is beside the trace" summary

# Which files a flight recorder writes, at its start; and then, not at its end, that it cannot.
flight_names() {
	says 0 'each file is ring-DATE-TIME.trace, written by `scope record --snapshot`, by SIGUSR1 and at the end; `scope report ring.trace`' \
		record --source perf --flight -o ring.trace -- true && [ "$(find . -name 'ring-*.trace' | wc -l)" = 1 ] &&
		says 0 'each file is turns-DATE-TIME, and the latest 3 are kept' record --source perf --rotate 3 -o turns -- true &&
		says 1 'nowhere/ring-.*.trace cannot be written' record --source perf --flight -o nowhere/ring.trace -- touch ran &&
		[ ! -e ran ] && "$scope" record --source perf -q --flight -o quiet.trace -- true > said 2>&1 && [ ! -s said ]
}
[ "${#commands[@]}" -le 10 ] || pass "a flight recorder names its files" flight_names

# Files in turn: the second recorder would remove those of the first.
second_in_turn() {
	local first
	"$scope" record --source perf --rotate 2 -o turn.trace -- sleep 600 >/dev/null 2>first.err &
	first=$!
	helpers+=("$first")
	until_true [ -e turn.trace.part ] || return 1
	says 1 'turn.trace is being written by another program' record --source perf --rotate 2 -o turn.trace -- true ||
		return 1
	until_true sh -c 'ls turn-*.part' && kill -INT "$first"
	wait "$first" && [ "$(find . -name 'turn-*.trace' | wc -l)" = 1 ] && [ ! -e turn.trace.part ]
}
[ "${#commands[@]}" -le 10 ] || pass "a second recorder of files in turn is refused" second_in_turn

# What a killed writer left is kept, not overwritten; what it left empty goes.
left_behind() {
	cp in.trace left.trace.part
	says 0 'left.trace.part was there already and is kept as left.trace.part.old' dump --reverse lock.text -o left.trace &&
		cmp left.trace.part.old in.trace && cmp left.trace in.trace || return 1
	rm -f left.*; : > left.trace.part
	run "dump --reverse lock.text -o OUT" left.trace && [ ! -e left.trace.part.old ] && [ ! -s stderr ]
}
pass "what a killed writer left is kept" left_behind

own_link() {
	echo aim > aim; ln -s aim link
	says 0 'link was there already' export folded in.trace -o link && [ "$(cat aim)" = aim ] && [ ! -L link ] &&
		[ -L link.old ]
}
pass "a link is not followed" own_link

refuses_kinds() {
	mkdir -p folder
	says 1 'folder is a directory' export folded in.trace -o folder &&
		says 1 'a directory' dump --reverse lock.text -o folder && [ -d folder ] || return 1
	says 1 'nowhere/x cannot be written: No such file.*directory you may write to' export folded in.trace -o nowhere/x &&
		says 1 'the directory folder cannot be made: File exists' export ctf in.trace -o folder && [ -d folder ]
}
pass "directories are refused" refuses_kinds

# Another user in a directory like /tmp.
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
sticky() {
	local victim=$dir/victim
	rm -rf tmp; mkdir -m 1777 tmp; echo victim > "$victim"
	nobody ln -s "$victim" tmp/a.part && nobody ln -s "$victim" tmp/b && nobody mkfifo tmp/c tmp/d.part || return 1
	nobody ln -s /dev/null tmp/e && nobody touch tmp/f.part && nobody sh -c 'echo theirs > tmp/g' || return 1
	says 1 'tmp/a.part is there already and is no file that this user may replace' export folded in.trace -o tmp/a &&
		says 1 'tmp/b is a link of another user' export folded in.trace -o tmp/b &&
		says 1 'tmp/c belongs to another user' export folded in.trace -o tmp/c &&
		says 1 'tmp/d.part is there already and is no file' dump --reverse lock.text -o tmp/d &&
		says 1 'tmp/e is a link of another user' dump --reverse lock.text -o tmp/e &&
		says 1 'tmp/f.part is there already' dump --reverse lock.text -o tmp/f &&
		says 0 'tmp/g was there already and is kept' dump --reverse lock.text -o tmp/g &&
		[ "$(cat tmp/g.old)" = theirs ] && [ "$(stat -c %u:%a tmp/g)" = 0:600 ] && [ "$(cat "$victim")" = victim ]
}
if [ "$(id -u)" -eq 0 ]; then
	pass "nothing of another user is followed or written to" sticky
fi

[ "$failures" -eq 0 ]
