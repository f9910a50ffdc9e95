#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On a terminal: the first screen has the terminal's width; a text that does not fit goes to a pager, unless the user
# or the terminal does not allow one; colour is left out if it is not wanted. Screens are compared as text.
#
# Usage: tests/unit/terminal.sh
# Exit status: 0 passed; 1 failed; 77 there is no tmux, or no less.
. "$(dirname "$0")/begin.bash"
set +e
unset COLUMNS PAGER SCOPE_PAGER LESS NO_COLOR
for tool in tmux less; do
	command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
on() { tmux -S "$work/tmux" -f /dev/null "$@"; }
trap 'on kill-server 2> /dev/null; rm -rf "$work"' EXIT

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/three_bugs.py > "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/slow.trace" 2> /dev/null
cd "$work" || exit 1

# Runs a command on a terminal of that size, until it says that it has ended, or PATTERN is on the screen.
run() {	# COLUMNS ROWS PATTERN COMMAND
	local _
	on kill-server 2> /dev/null
	rm -f ended
	# A server that is just ending still takes the connection of a new session.
	for _ in $(seq 50); do
		LC_ALL=C.UTF-8 on new-session -d -x "$1" -y "$2" "$4; echo \$? > ended; sleep 600" 2> /dev/null &&
			sleep 0.1 && on has-session 2> /dev/null && break
		sleep 0.2
	done
	for _ in $(seq 300); do
		on capture-pane -p > screen
		on capture-pane -e -p > coloured
		[ ! -e ended ] && ! { [ -n "$3" ] && grep -qE -- "$3" screen; } || break
		sleep 0.2
	done
	sleep 0.3
	on capture-pane -p > screen
	on capture-pane -e -p > coloured
}
text() { sed -e 's/ *$//' "$1" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }	# without what a terminal pads

for columns in 60 80 120 200; do
	run $columns 40 "" "'$scope' report -i slow.trace"
	LC_ALL=C.UTF-8 COLUMNS=$columns "$scope" report -i slow.trace > wanted
	same "the first screen at $columns columns" "$(text wanted | md5sum)" "$(text screen | md5sum)"
done
grep -q $'\e\\[[0-9;]*1m' coloured && echo "ok colour on a terminal" || { echo "not ok no colour on a terminal"; failed=1; }
run 80 40 "" "NO_COLOR=1 '$scope' report -i slow.trace"
same "colours with NO_COLOR" 0 "$(grep -c $'\e\\[[0-9;]*1m' coloured)"
run 80 40 "" "TERM=dumb '$scope' report -i slow.trace"
same "colours with TERM=dumb" 0 "$(grep -c $'\e\\[[0-9;]*1m' coloured)"

run 80 24 '^:|\(END\)' "'$scope' report -i slow.trace -v"
same "-v of more lines than the terminal waits in the pager" "no SLOWDOWN" \
	"$([ -e ended ] && echo ended || echo no) $(head -n 1 screen | cut -d' ' -f1)"
on send-keys G
sleep 1
on capture-pane -p > screen
grep -q 'basis: ' screen && echo "ok its end can be scrolled to" || { echo "not ok the end:"; cat screen; failed=1; }
on send-keys q
for _ in $(seq 50); do [ ! -e ended ] || break; sleep 0.1; done
same "the status after the pager was left" 0 "$(cat ended)"
run 80 40 "" "'$scope' report -i slow.trace"
same "the first screen is not paged" 0 "$(cat ended)"
for how in "PAGER=cat" "SCOPE_PAGER=" "TERM=dumb" "PAGER=/no/such/pager"; do
	run 80 24 "" "$how '$scope' report -i slow.trace -v"
	same "without a pager by $how" "0 1" "$(cat ended 2> /dev/null) $(grep -c 'basis: ' screen)"
done
run 80 24 "" "SCOPE_PAGER='wc -l > counted' '$scope' report -i slow.trace -v"
COLUMNS=80 "$scope" report -i slow.trace -v > wanted
same "a pager of the user's gets all of it" "$(wc -l < wanted)" "$(tr -d ' ' < counted)"
run 80 24 "" "'$scope' report -i slow.trace -v | cat"
same "no pager on a pipe" 0 "$(cat ended)"

"$scope" report -i slow.trace -q > quiet
same "-q: the head and the answer" "$(head -n 4 wanted)" "$(head -n 4 quiet)"
same "-q: no more than these" "" "$(sed 1,4d quiet)"
"$scope" report -i slow.trace -q -v > quiet 2>&1
same "-q and -v" 2 $?
exit $failed
