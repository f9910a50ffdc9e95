#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The pages of docs/runtime/: each has a server, commands that start, load and trace it, and a report. The commands are run as they are
# written there, except for the port, and the report has the result that the page shows ("named:").
#
# Usage: tests/unit/runtimes_live.sh [PAGE...]     go, java, …
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
pages=$PWD/docs/runtime
mkdir -p "$dir/bin"
for name in scope scope-report; do ln -s "$scope" "$dir/bin/$name"; done
# A newer Python than the system's, where there is one.
for python in /usr/bin/python3.1[2-9] /usr/local/bin/python3.1[2-9] "$HOME"/.pyenv/versions/3.1[2-9].*/bin/python3; do
	[ ! -x "$python" ] || { ln -sf "$python" "$dir/bin/python3"; break; }
done
PATH=$dir/bin:$PATH

block() { awk -v kind="$2" '$0 == "```" kind { inside = 1; next } /^```/ && inside { exit } inside' "$1"; }	# PAGE LANGUAGE

tools_of() {	# PAGE
	case $1 in
	cpp) echo g++ ;;
	java) echo java javac ;;
	python) echo python3 ;;
	*) echo "$1" ;;
	esac
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Runs commands in a session of their own, of which nothing stays. Prints the report.
run() {	# FOLDER FILE
	local leader
	(cd "$1" && exec setsid bash "$2" > report 2> errors < /dev/null) &
	leader=$!
	wait "$leader"
	kill -- "-$leader" 2> "$1/killed"
	cat "$1/report"
}

# Says whether the report has what the page says.
says() {	# WHAT PATTERN FOLDER
	if grep -Eq -- "$2" "$3/report"; then
		echo "ok - $1: $(grep -Eo -- "$2" "$3/report" | head -n 1)"
	else
		echo "not ok - $1: nothing like '$2' in"
		cat "$3/report"
		tail -n 5 "$3/errors"
		bad=1
	fi
}

page() {	# NAME
	local page=$pages/$1.md work=$dir/$1 file language tool port without
	for tool in $(tools_of "$1"); do
		command -v "$tool" > "$dir/tool" || { echo "left out: $1, because there is no $tool"; return; }
	done
	[ "$1" != python ] || python3 -c 'import sys; sys.exit(sys.version_info < (3, 12))' ||
		{ echo "left out: python, because there is none from 3.12 on"; return; }
	mkdir "$work"
	port=$(free_port)
	file=$(sed -n 's/^`\([A-Za-z.]*\)`:$/\1/p' "$page" | head -n 1)
	language=$(awk '/^```./ { print substr($0, 4); exit }' "$page")
	block "$page" "$language" | sed "s/8080/$port/" > "$work/$file"
	# It starts before it is loaded, and is loaded before it is traced.
	block "$page" sh | sed "s/8080/$port/; s/^curl/sleep 2; curl/" > "$work/commands"
	run "$work" commands > "$dir/said"
	says "$1" "$(sed -n 's/^<!-- named: \(.*\) -->$/\1/p' "$page")" "$work"
	without=$(sed -n 's/^<!-- without: \(.*\); named: .* -->$/\1/p' "$page")
	[ -n "$without" ] || return 0
	sed "s/^.* & PID=/$without \& PID=/" "$work/commands" > "$work/without"
	run "$work" without > "$dir/said"
	says "$1, without options" "$(sed -n 's/^<!-- without: .*; named: \(.*\) -->$/\1/p' "$page")" "$work"
}

[ $# -gt 0 ] || set -- $(basename -s .md "$pages"/*.md)
for name; do page "$name"; done
exit "${bad:-0}"
