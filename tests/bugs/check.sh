#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Check natively, with plain tools, that every bug has its effect and the healthy servers have none.
#
# Usage: tests/bugs/check.sh [NAME...]      default: all of real servers; 10 to 15 s each
# CPU time per request comes from schedstat, waits from strace, places from gdb.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

failed=0
seed=${SEED:-1}

# verdict OUTCOME TEXT: prints a line of the result; OUTCOME is 0 for good.
verdict() {
	if [ "$1" -eq 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		failed=1
	fi
}

holds() {
	awk "BEGIN { exit !($1) }"
}

# begin NAME SECONDS [TRIGGER]: starts it; from here to end_run the server is there.
begin() {
	local lines
	lines=$(DURATION=$2 TRIGGER=${3:-$1} "$bugs_dir/start.sh" "$1" "$seed")
	eval "$lines"
}

end_run() {
	"$bugs_dir/stop.sh" "$SERVER_PID" "$LOAD_PID"
	rm -rf "$WORK_DIR"
	SERVER_PID=
}
SERVER_PID=
trap '[ -z "$SERVER_PID" ] || end_run' EXIT

cpu_ns() {
	cat /proc/"$SERVER_PID"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# cpu_per_request SHARE: CPU time of the server per request in us, with that share of long ones.
cpu_per_request() {
	local before log=$WORK_DIR/probe.log pid n
	: >"$log"
	if [ "$bug_load" = http ]; then
		before=$(cpu_ns)
		MIX_SEED=$seed MIX_PAGES=10 MIX_URLS=$WORK_DIR/long.urls MIX_LONG=$1 MIX_MISS=0 \
			MIX_DELAY_MS=10 wrk -t 1 -c 10 -d 2s -s "$bugs_dir/mix.lua" \
			"http://127.0.0.1:$PORT/" >"$log"
		n=$(awk '/requests in/ { print $1 }' "$log")
	else
		"$servers_dir/mcload" -p "$PORT" -r 1000 -t 2 -l "$1" -S "$seed" >"$log" &
		pid=$!
		until grep -q warm "$log"; do sleep 0.05; done
		before=$(cpu_ns)
		wait "$pid"
		n=$(awk '/^requests/ { print $2 }' "$log")
	fi
	awk -v ns=$(($(cpu_ns) - before)) -v n="$n" 'BEGIN { printf "%.1f", ns / n / 1000 }'
}

# Both figures of the long requests against the usual ones: 5 times is a bug, 3 times is not.
check_cpu() {
	local usual long good
	begin "$1" 3
	sleep 3
	usual=$(cpu_per_request 0)
	long=$(cpu_per_request 1)
	end_run
	holds "$long $([ "$bug_kind" = cpu ] && echo '>= 5' || echo '< 3') * $usual" && good=0 || good=1
	verdict $good "$1: $long us of CPU per long request, $usual us per usual one"
}

# waits_over_ms SYSCALL PATTERN MS SECONDS: calls that match and took as long.
waits_over_ms() {
	{ timeout "$4" strace -f -qq -T -e trace="$1" -p "$SERVER_PID" 2>&1 || true; } |
		awk -v pattern="$2" -v ms="$3" -F '[<>]' '
			$0 ~ pattern && $NF == "" && $(NF - 1) * 1000 >= ms { n++ }
			END { print n + 0 }'
}

# stack_at FUNCTION: the backtrace where the server next calls it below the bug function.
stack_at() {
	timeout 20 gdb -nx -p "$SERVER_PID" -batch -ex 'set breakpoint pending off' \
		-ex "tbreak ${bug_expect%%|*}" -ex continue -ex "tbreak $1" \
		-ex continue -ex bt 2>/dev/null
}

# names_bug TEXT: is a line of this backtrace in an expected function?
names_bug() {
	grep -qE "^#[0-9]+ .*\b($bug_expect) \(" <<<"$1"
}

# A mutex that was contended when the wait began has the value 2. strace itself slows the server, so
# fewer waits show than there are without it.
check_lock() {
	local n good stack
	begin "$1" 30
	n=$(waits_over_ms futex 'FUTEX_WAIT_PRIVATE, 2|futex resumed' 2 5)
	if [ "$bug_kind" = none ]; then
		end_run
		[ "$n" -le 5 ] && good=0 || good=1
		verdict $good "$1: $n waits of 2 ms or more for a mutex in 5 s"
		return
	fi
	stack=$(stack_at usleep) || true
	end_run
	[ "$n" -ge 15 ] && good=0 || good=1
	verdict $good "$1: $n waits of 2 ms or more for a mutex in 5 s"
	names_bug "$stack" && good=0 || good=1
	verdict $good "$1: sleeps in $bug_expect while it holds the lock"
}

check_io() {
	local n good stack
	begin "$1" 30
	n=$(waits_over_ms poll 'poll[(]' 8 5)
	stack=$(stack_at poll) || true
	end_run
	[ "$n" -ge 20 ] && good=0 || good=1
	verdict $good "$1: $n waits of 8 ms or more in poll in 5 s"
	names_bug "$stack" && good=0 || good=1
	verdict $good "$1: they are in $bug_expect"
}

all_stacks() {
	gdb -nx -p "$SERVER_PID" -batch -ex 'thread apply all bt' 2>/dev/null
}

# The thread is in the bug function now and, without having run in between, two seconds later.
check_hang() {
	local good stack tid before
	begin "$1" 30
	stack=$(all_stacks)
	# A process of one thread has no thread number in its heading.
	tid=$(awk -v bug=" ($bug_expect) " -v tid="$SERVER_PID" '
		/^Thread/ && match($0, /LWP [0-9]+/) { tid = substr($0, RSTART + 4, RLENGTH - 4) }
		$0 ~ bug { found = tid }
		END { print found ? found : tid }' <<<"$stack")
	# The debugger's leaving makes every thread restart its call.
	sleep 1
	before=$(cat "/proc/$SERVER_PID/task/$tid/schedstat")
	sleep 2
	[ "$before" = "$(cat "/proc/$SERVER_PID/task/$tid/schedstat")" ] && names_bug "$stack" &&
		good=0 || good=1
	end_run
	verdict $good "$1: a thread stays in $bug_expect without running"
}

# The healthy server answers what hangs the other.
check_answers() {
	local good hang
	for hang in $(awk -F '\t' -v s="$bug_server" '$2 == s && $4 == "hang" { print $1 }' \
		"$bugs_dir/bugs.tsv"); do
		begin "$1" 30 "$hang"
		tail -n 1 "$WORK_DIR/trigger.log" | grep -qE 'OK|load:' && good=0 || good=1
		end_run
		verdict $good "$1: answers the request that makes $hang hang"
	done
}

check_none() {
	check_cpu "$1"
	[ "$bug_server" != memcached ] || check_lock "$1"
	check_answers "$1"
}

[ $# -gt 0 ] || set -- $(awk -F '\t' '!/^#/ && ($2 == "memcached" || $2 == "lighttpd") { print $1 }' \
	"$bugs_dir/bugs.tsv")
"$bugs_dir/build.sh" "$@"
for name in "$@"; do
	bug_row "$name"
	"check_$bug_kind" "$name"
done
exit $failed
