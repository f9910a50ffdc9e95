#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Trace targets that try to block a tracer: each capture ends in time, reports what it could not read,
# and leaves a trace from which a report can be made.
#
# Usage: tests/unit/hostile_live.sh [MODE...]     the functions below (default: all)
# capture_by=kmod uses the module, LIMIT_MS= another limit for a capture, for slow guests;
# ROUNDS= of all (1).
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -pthread -Wl,--build-id -o "$dir/hostile" tests/unit/hostile_target.c || exit 1

source=${capture_by:-perf}
limit_ms=${LIMIT_MS:-6000} # 2 s, what readers may take at most, and a second for a busy host

say() {	# OK NAME
	if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; bad=1; fi
}

now_ms() { date +%s%3N; }

children_of() {	# PID
	grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | cut -d / -f 3
}

# Waits until a recorder has a reader: some time after it began, on a slow host.
reader_begun() {	# PID-OF-ITS-TIMEOUT
	local recorder child _
	for _ in $(seq 100); do
		recorder=$(children_of "$1")
		# One of its children is the keeper; what unwinds is another, and has readers of its own.
		for child in ${recorder:+$(children_of "$recorder")}; do
			[ -z "$(children_of "$child")" ] || return 0
		done
		kill -0 "$1" 2>/dev/null || return 1
		sleep 0.1
	done
}

# What of a session the processes below a recorder hold open: its trace, its folder, and what events come from.
# (A file of the target, or a copy of one, at which a reader or an unwinder may block, is none of these.)
held_by_readers() {	# RECORDER
	local keeper reader
	for keeper in $(children_of "$1"); do
		for reader in $keeper $(children_of "$keeper"); do
			echo "$reader" >> "$dir/readers"
			find "/proc/$reader/fd" '(' -lname "$dir/a.trace*" -o -lname "$dir" -o -lname /dev/scope ')' \
				-printf '%l\n' 2>/dev/null
			grep -o 'anon_inode:\[perf_event\]\|/dev/scope' "/proc/$reader/maps" 2>/dev/null
			find "/proc/$reader/fd" -lname 'anon_inode:*' -printf '%l\n' 2>/dev/null
		done
	done
}

begin() {	# MODE
	coproc HOSTILE { TMPDIR=$dir exec "$dir/hostile" "$1"; }
	target=$HOSTILE_PID
	read -r _ <&"${HOSTILE[0]}" || { echo "skipped $1: it cannot be done here"; target=; return 1; }
}

finish() {
	kill -KILL "$target" 2>/dev/null
	{ wait "$target"; } 2>/dev/null
	target=
}

# Has the target do it, and traces it for two seconds.
capture() {	# MODE
	local begin recorder status late=0
	begin "$1" || return 1
	lay
	: > "$dir/readers"
	begin=$(now_ms)
	timeout -s KILL 60 "$scope" record -p "$target" --source "$source" -d 2 -o "$dir/a.trace" \
		> "$dir/said" 2>&1 &
	recorder=$!
	reader_begun "$recorder"
	sleep 0.2
	held_by_readers "$(children_of "$recorder")" > "$dir/held"
	# After its two seconds a recorder may still write, without readers.
	kill -0 "$recorder" 2>/dev/null && [ $(($(now_ms) - begin)) -lt 2000 ] || late=1
	wait "$recorder"
	status=$?
	took=$(($(now_ms) - begin))
	finish
	[ "$status" -eq 0 ] || cat "$dir/said"
	say "$status" "$1: the capture ends well"
	say "$((took > limit_ms))" "$1: within $limit_ms ms: $took"
	# A guest may be so slow that the capture is over before its readers are looked for.
	if [ "$late" -eq 1 ]; then
		echo "# left out: readers are other processes"
	else
		say "$([ "$(wc -l < "$dir/readers")" -ge 2 ]; echo $?)" "$1: readers are other processes"
	fi
	say "$([ ! -s "$dir/held" ]; echo $?)" "$1: readers hold no file of the session: $(tr '\n' ' ' < "$dir/held")"
	"$scope" dump "$dir/a.trace" > "$dir/text"
	say $? "$1: the trace reads"
	timeout -s KILL 60 "$scope" report -v -i "$dir/a.trace" > "$dir/report" 2>&1
	say $? "$1: the report is made"
}

within() {	# MS NAME COMMAND...
	local begin status
	begin=$(now_ms)
	timeout -s KILL 60 "${@:3}" > "$dir/said" 2>&1
	status=$?
	took=$(($(now_ms) - begin))
	say "$((status > 1 || took > $1))" "$2 within $1 ms: $took"
}

expect() {	# NAME FILE PATTERN
	grep -Eq -- "$3" "$2"
	say $? "$1"
}

# What is not there is not waited for: nobody has to be given up.
stack() {
	capture stack || return
	say "$(! grep -q '^meta unread' "$dir/text"; echo $?)" "stack: nobody was waited for"
	expect "stack: its calls were traced" "$dir/text" ' (syscall|exit) .* clock_nanosleep '
}

# It may be gone by the time it is read: then that is said. (A reader is seldom held up by it; the first
# thread's memory is missing as well where two threads have held readers up.)
flip() {
	capture flip || return
	if grep -q '^meta unread' "$dir/text"; then
		expect "flip: the trace names it" "$dir/text" '^meta unread the memory of [1-5] threads? '
		expect "flip: so does the report" "$dir/report" 'the memory of [1-5] threads?'
	fi
	expect "flip: its calls were traced" "$dir/text" ' (syscall|exit) .* clock_nanosleep '
}

# Its program is on a FUSE mount, whose server falls silent.
fuse() {
	capture fuse || return
	expect "fuse: the trace says what was not read" "$dir/text" '^meta unread .*file'
	expect "fuse: the program is mapped all the same" "$dir/text" '^map .*/program'
	begin fuse
	within "$((2 * limit_ms))" "fuse: report -p ends" "$scope" report -v -p "$target" --source "$source" -d 1
	expect "fuse: it names the file" "$dir/said" '/program: cannot be read'
	within "$limit_ms" "fuse: doctor -p ends" "$scope" doctor -p "$target"
	finish
}

# One that answers: as any other file.
fuse_alive() {
	capture fuse_alive || return
	say "$(! grep -q '^meta unread' "$dir/text"; echo $?)" "fuse_alive: all was read"
	expect "fuse_alive: its build-id is known" "$dir/text" '^map .*/program .*[0-9a-f]{40}'
	begin fuse_alive
	within "$((2 * limit_ms))" "fuse_alive: report -p ends" "$scope" report -v -p "$target" --source "$source" -d 1
	say "$(! grep -q '/program: ' "$dir/said"; echo $?)" "fuse_alive: nothing is missing in it"
	finish
}

# Many threads, many processes, another first thread, another root and user, and an end at once: nothing of
# that keeps a capture from ending, and no event is lost unsaid.
many_threads() {
	# Twice the states of 5,000 threads are looked up, which takes a busy host seconds.
	limit_ms=$((2 * limit_ms)) capture many_threads || return
	say "$([ "$(grep -c '^[0-9]* [0-9]* state ' "$dir/text")" -ge 10002 ]; echo $?)" \
		"many_threads: each has its state, at start and stop"
}
forks() {
	capture forks || return
	expect "forks: children are followed" "$dir/text" '^[0-9]+ [0-9]+ fork '
}
exec_other() {
	capture exec_other || return
	expect "exec_other: the program was executed" "$dir/text" ' exec '
}
chroot() {
	capture chroot || return
	expect "chroot: its calls are there after it changed its root" "$dir/text" ' setuid '
}
gone() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		begin turn
		( sleep "0.0$i"; kill -KILL "$target" ) &
		timeout -s KILL 60 "$scope" record -p "$target" --source "$source" -d 2 -o "$dir/gone.$i" > "$dir/said" 2>&1
		# It may have been gone before it was looked for.
		say "$([ $? -le 1 ]; echo $?)" "gone: the capture of a target that ended after 0.0$i s ends: $(tail -n 1 "$dir/said")"
		finish
	done
}

# Perf maps: of 6 GB without a line, a FIFO, a folder, a link.
maps=()
trap 'ended; [ "${#maps[@]}" -eq 0 ] || rm -rf "${maps[@]}"' EXIT
lay() { :; } # what is done once the target is there
map() {
	local kind
	lay() {
		local path=/tmp/perf-$target.map
		maps+=("$path")
		case $kind in
		sparse) echo '1000 10 first' > "$path"; truncate -s 6G "$path" ;;
		fifo) mkfifo "$path" ;;
		folder) mkdir "$path" ;;
		link) echo '1000 10 linked' > "$dir/linked"; ln -s "$dir/linked" "$path" ;;
		esac
	}
	for kind in sparse fifo folder link; do
		capture turn || return
		mv "$dir/text" "$dir/text.$kind"
	done
	lay() { :; }
	expect "map: of a sparse one the first name is there" "$dir/text.sparse" '^sym .* first '
	expect "map: the trace says that not all was read" "$dir/text.sparse" '^meta unread .*names more than is read'
	say "$(! grep -q '^meta lost [1-9]' "$dir/text.sparse"; echo $?)" "map: no event was lost"
	say "$(awk '$1 == "meta" && $2 == "own_memory_bytes" && $3 > 200e6 { exit 1 }' "$dir/text.sparse"; echo $?)" \
		"map: little memory was taken: $(grep '^meta own_memory' "$dir/text.sparse")"
	say "$(! grep -q linked "$dir/text.link"; echo $?)" "map: a link is not followed"
}

# Its program is replaced by a link to a FIFO in a folder of root's: a program that opened that for reading would
# let the writer there go on.
symlink() {
	local writer
	rm -rf "$dir/secret" "$dir/program" "$dir/opened"
	mkdir -m 700 "$dir/secret"
	mkfifo "$dir/secret/pipe"
	cp "$dir/hostile" "$dir/program"
	coproc HOSTILE { exec "$dir/program" turn; }
	target=$HOSTILE_PID
	read -r _ <&"${HOSTILE[0]}"
	ln -sf "$dir/secret/pipe" "$dir/program"
	( : > "$dir/secret/pipe"; : > "$dir/opened" ) &
	writer=$!
	timeout -s KILL 60 "$scope" report -v -p "$target" --source "$source" -d 1 > "$dir/report" 2>&1
	say $? "symlink: the report is made"
	say "$(! grep -q 'deleted or replaced' "$dir/report"; echo $?)" "symlink: the program is found where it is mapped"
	say "$([ ! -e "$dir/opened" ]; echo $?)" "symlink: nobody opened the FIFO"
	kill -KILL "$writer" 2>/dev/null
	wait "$writer" 2>/dev/null
	finish
}

for ((round = 0; round < ${ROUNDS:-1}; round++)); do
	for mode in ${*:-stack flip fuse fuse_alive symlink map many_threads forks exec_other chroot gone}; do "$mode"; done
done
[ "$bad" -eq 0 ]
