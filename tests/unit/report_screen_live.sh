#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The live report on a terminal: keys order the list of findings, open a finding, scroll, pause and end the report. The screen
# is compared as text.
#
# Usage: tests/unit/report_screen_live.sh
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here, or there is no tmux.
. "$(dirname "$0")/live.bash"
command -v tmux > /dev/null || { echo "skipped: there is no tmux"; exit 77; }

# Every 20th request computes long in search_all, every 33rd sleeps in flush_log.
cat > "$dir/two.c" <<'C'
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STAYS __attribute__((noinline, noclone))

static volatile unsigned sum;

STAYS void search_all(void)
{
	for (unsigned i = 0; i < 20000000; i++)
		sum += i;
	__asm__ volatile("");
}

STAYS void flush_log(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 40000000 }, 0);
	__asm__ volatile("");
}

int main(void)
{
	int pair[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (write(pair[0], &byte, 1) == 1 && read(pair[0], &byte, 1) == 1)
			usleep(1000);
		return 0;
	}
	for (unsigned i = 1;; i++) {
		struct pollfd set = { .fd = pair[1], .events = POLLIN };

		poll(&set, 1, -1);
		if (read(pair[1], &byte, 1) != 1)
			return 1;
		if (!(i % 20))
			search_all();
		if (!(i % 33))
			flush_log();
		if (write(pair[1], &byte, 1) != 1)
			return 1;
	}
}
C
gcc -O1 -g -o "$dir/two" "$dir/two.c" || exit 1
"$dir/two" &
target=$!

on() { tmux -S "$dir/tmux" -f /dev/null "$@"; }
ended_all() { on kill-server 2> /dev/null; ended; }
trap ended_all EXIT
screen() { on capture-pane -p | tee "$dir/screen"; }

# shows NAME PATTERN...: each is in a line of the screen within a minute, all at one time.
shows() {
	local name=$1 missing pattern
	shift
	for _ in $(seq 300); do
		screen > /dev/null
		missing=
		for pattern; do
			grep -qE -- "$pattern" "$dir/screen" || missing=$pattern
		done
		[ -n "$missing" ] || { echo "ok - $name"; return; }
		sleep 0.2
	done
	echo "not ok - $name: no '$missing' on"
	cat "$dir/screen"
	bad=1
}

LC_ALL=C.UTF-8 on new-session -d -x 100 -y 32 \
	"$scope report -p $target --source perf -d 600 --live=1 2> $dir/said; echo status \$? > $dir/status; sleep 600"
row='^  [12]  +(flush_log|search_all) +[0-9]+ %'
shows "the answer, the list and the keys" '^SLOWDOWN in two ' '^  FINDINGS by extra time' "^  1 ${row:8}" "^  2 ${row:8}" \
	'^p pause  q end .*\[e extra\] t time u units n name'
on send-keys n
shows "n: by name" '^  FINDINGS by name' '\[n name\]'
same_order() { grep -oE '^  [12]  +(flush_log|search_all)' "$dir/screen" | awk '{ print $2 }' | paste -sd' '; }
[ "$(same_order)" = "flush_log search_all" ] || { echo "not ok - n orders $(same_order)"; bad=1; }
on send-keys u
shows "u: by number" '^  FINDINGS by number of slow ones' '\[u units\]'
# Of the first few slow ones either may have more.
for ((i = 0; i < 150; i++)); do
	[ "$(same_order)" != "search_all flush_log" ] || break
	sleep 0.2
	screen > /dev/null
done
[ "$(same_order)" = "search_all flush_log" ] || { echo "not ok - u orders $(same_order)"; bad=1; }
on send-keys p
shows "p: paused" '^PAUSED, p: go on'
before=$(screen | head -n 1)
sleep 4
[ "$(screen | head -n 1)" = "$before" ] && echo "ok - nothing changes while paused" ||
	{ echo "not ok - paused, yet $before became $(head -n 1 "$dir/screen")"; bad=1; }
number=$(grep -oE '^  [12]  +search_all' "$dir/screen" | awk '{ print $1 }')
on send-keys "$number"
shows "a digit opens a finding while paused" "^  $number  search_all" 'two\.c:1[0-9]' '^PAUSED.* 0 back'
[ "$(head -n 1 "$dir/screen")" = "$before" ] || { echo "not ok - the page is of another time"; bad=1; }
on send-keys 9
sleep 1
shows "a digit without a finding does nothing" "^  $number  search_all"
on send-keys j j
shows "j: scrolls" '^PAUSED'
sleep 0.5
[ "$(screen | head -n 1 | grep -c "^  $number  search_all")" = 1 ] && echo "ok - j twice goes two lines down" ||
	{ echo "not ok - j twice shows $(head -n 1 "$dir/screen")"; bad=1; }
on send-keys k k
sleep 0.5
on send-keys 0
shows "0: back to the list, in its order" '^  FINDINGS by number of slow ones'
on send-keys p
shows "p: it goes on" '^p pause'
for _ in $(seq 100); do
	[ "$(screen | head -n 1)" = "$before" ] || break
	sleep 0.2
done
[ "$(head -n 1 "$dir/screen")" != "$before" ] && echo "ok - and the figures change" || { echo "not ok - it stays at $before"; bad=1; }
# Narrower than the report can be, as wide as it then is, and back: the last column is used, and nothing is left over.
on resize-window -x 60 -y 24
shows "60 columns: to the last one" '^SLOWDOWN in two .{42,} s$' '^.{45,}nothing lost$'
on resize-window -x 20 -y 5
shows "20 columns and 5 lines" '^SLOWDOWN in two \(pid' '^p pause  q end  1-9'
[ "$(screen | wc -l)" -le 5 ] && [ "$(wc -L < "$dir/screen")" -le 20 ] || { echo "not ok - 20x5 shows"; cat "$dir/screen"; bad=1; }
on resize-window -x 100 -y 32
shows "100 columns again" '^  FINDINGS by number of slow ones' '^p pause  q end .* n name$'
on send-keys q
shows "q: the last report stays, without a line of keys" '^SLOWDOWN in two '
for _ in $(seq 100); do [ -s "$dir/status" ] && break; sleep 0.2; done
[ "$(cat "$dir/status")" = "status 0" ] || { echo "not ok - q: $(cat "$dir/status" "$dir/said")"; bad=1; }
! screen | grep -q '^p pause' || { echo "not ok - the keys stay on the screen"; bad=1; }
on kill-server
exit $bad
