# SPDX-License-Identifier: GPL-2.0-only
# Begin a test that traces on this host: the program as $scope, a folder of its own as $dir, which goes in
# the end as the process $target does, and $bad. Ends it with 77 where perf events cannot be used, but
# with capture_by=kmod.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

scope=$PWD/build/user/scope
[ -x "$scope" ] || make -s user
dir=$(mktemp -d)
target=
bad=0
ended() {
	# A background job's own shell may get a signal before it has become the job's program: the folder is not its.
	[ "$BASHPID" = $$ ] || return
	[ -z "$target" ] || kill "$target" 2>/dev/null
	rm -rf "$dir"
}
trap ended EXIT
"$scope" doctor > "$dir/doctor" 2>&1
[ "${capture_by:-perf}" = kmod ] || grep -q '^ok .*perf events can be used' "$dir/doctor" ||
	{ echo "skipped: $(grep -o 'no capture by --source perf.*' "$dir/doctor")"; exit 77; }

# Compiles a program of threads as $dir/LIBRARY with each C library that is here; their names are in $libraries.
build_with_libraries() {	# SOURCE
	local flags=(-O1 -g -Wall -Wextra -Werror -pthread)
	libraries=(glibc)
	gcc "${flags[@]}" -o "$dir/glibc" "$1" || return
	command -v musl-gcc > "$dir/said" || return 0
	libraries+=(musl)
	musl-gcc -static "${flags[@]}" -o "$dir/musl" "$1"
}

# Waits until a capture has begun: the file has what the threads did at that moment.
begun() {	# RECORDER FILE
	local _
	for _ in $(seq 1200); do
		[ "$("$scope" dump "$2.part" 2>/dev/null | grep -c '^[0-9]* [0-9]* state ')" -eq 0 ] || return 0
		kill -0 "$1" 2>/dev/null || break
		sleep 0.05
	done
	echo "the capture never began" >&2
	return 1
}

# Starts COMMAND as $target, which prints "WORD PID" and waits for "go", and captures that process as $dir/a.trace.
# Then the capture runs, and "go" was sent: end it with capture_end. What the command prints is in WORK.
capture_begin() {	# COMMAND...
	local word
	coproc WORK { exec "$@"; }
	target=$WORK_PID
	read -r word server <&"${WORK[0]}"
	"$scope" record -p "$server" --source perf --subbuf-count 64 -d 600 -o "$dir/a.trace" > "$dir/said" 2>&1 &
	recorder=$!
	begun "$recorder" "$dir/a.trace" || { cat "$dir/said"; return 1; }
	echo go >&"${WORK[1]}"
}

capture_end() {
	kill -INT "$recorder"
	wait "$recorder" || { cat "$dir/said"; return 1; }
}

# The same, once the command has printed its second line, "WORD LEDGER": 0.2 s later. Then the command may end.
capture_work() {	# COMMAND...
	local word
	capture_begin "$@" || return 1
	read -r word ledger <&"${WORK[0]}"
	sleep 0.2
	capture_end || return 1
	echo end >&"${WORK[1]}"
	wait "$target"
	target=
}

# Whether $dir/report has a line of each PATTERN.
report_says() {	# WHAT PATTERN...
	local what=$1 pattern
	shift
	for pattern; do
		if grep -qE "$pattern" "$dir/report"; then
			echo "ok - $what: $pattern"
		else
			echo "not ok - $what: no '$pattern' in"
			cat "$dir/report"
			bad=1
		fi
	done
}
