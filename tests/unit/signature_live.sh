#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Learn the signatures of a small server on this host, also if only the server can see its files, then find its
# slow function without stacks, with the program stripped of its symbols.
#
# Usage: tests/unit/signature_live.sh [kmod]     kmod: with the module, which must be loaded; without it with perf events
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
source=${1:-perf}
export capture_by=$source
. "$(dirname "$0")/live.bash"

# expect NAME PATTERN FILE
expect() {
	if grep -Eq -- "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1: nothing like '$2' in"
		cat "$3"
		bad=1
	fi
}

# --build-id is the default of some linkers only.
gcc -O1 -Wall -Wextra -Werror -Wl,--build-id -o "$dir/server" tests/unit/signature_work.c || exit 1
cp "$dir/server" "$dir/client"
db=(--db "$dir/signatures.db")

# under REQUESTS COMMAND...: runs scope COMMAND on a server with REQUESTS requests; slow ones if SLOW is set.
under() {
	local requests=$1 client
	shift
	"$dir/client" ask "$dir/socket" "$requests" &
	client=$!
	"$scope" "$@" --source "$source" "${db[@]}" -- "$dir/server" serve "$dir/socket" "$requests" ${SLOW:+slow}
	wait "$client"
}

under 1500 learn > "$dir/learned" || { cat "$dir/learned"; exit 1; }
cat "$dir/learned"
"$scope" signatures show server flush_journal "${db[@]}" > "$dir/shown"
expect "its calls are a signature" '^ +[0-9]+  pwrite64 ftruncate clock_nanosleep$' "$dir/shown"

# Files that only the program saw, in a mount namespace that is gone when they are read.
if unshare -m true 2>/dev/null; then
	mkdir "$dir/hidden"
	"$dir/client" ask "$dir/socket" 1500 &
	client=$!
	"$scope" learn --source "$source" --db "$dir/hidden.db" -- unshare -m sh -c "mount -t tmpfs none $dir/hidden &&
		cp $dir/server $dir/hidden/inside && exec $dir/hidden/inside serve $dir/socket 1500" > "$dir/learned"
	wait "$client"
	"$scope" signatures show inside flush_journal --db "$dir/hidden.db" > "$dir/shown" 2>&1
	expect "so does a program that nobody else saw and that has ended" \
		'^ +[0-9]+  pwrite64 ftruncate clock_nanosleep$' "$dir/shown"
else
	echo "ok - a program in a mount namespace # skipped: none can be made here"
fi

# Code that a runtime makes is in no file, whose build it could be learned under.
cat > "$dir/made.text" <<'TEXT'
meta kernel 6.1.0
meta source text
meta pid 100
meta begin_ns 0
meta end_ns 1000000
map 100 0x1000 0x9000 0x0 x //anon -
0 0 state 100 tgid=100 state=runnable since=0 run=0 comm=server on_cpu
1000 0 enter 100 getppid enter=0
2000 0 exit 100 getppid ret=1
2000 0 stack 100 0x1010,0x1110
TEXT
"$scope" dump --reverse "$dir/made.text" -o "$dir/made.trace" &&
	"$scope" learn -i "$dir/made.trace" --db "$dir/made.db" > "$dir/made" 2>&1 && bad=1
expect "of code in no file nothing can be learned, which is said" 'is in no file' "$dir/made"

strip -o "$dir/stripped" "$dir/server"
mv "$dir/stripped" "$dir/server"
SLOW=1 under 4000 report -v --no-stacks --save "$dir/slow.trace" > "$dir/report" || bad=1
"$scope" dump "$dir/slow.trace" > "$dir/text"
expect "the function is named without stacks" '^  1  flush_journal +server ' "$dir/report"
expect "signatures named it" '^     named by signature: 1' "$dir/report"
if grep -Eq '^[0-9]+ [0-9]+ (stack|sample) ' "$dir/text"; then
	echo "not ok - no stack was taken: $(grep -Ec '^[0-9]+ [0-9]+ (stack|sample) ' "$dir/text")"
	bad=1
fi

SLOW=1 under 4000 report -v > "$dir/report" || bad=1
expect "with stacks of a stripped program it has its name" '^  1  flush_journal +server ' "$dir/report"
expect "both named it" '^     named by stacks and signature: 1' "$dir/report"
expect "and so have its callers" "call path .*flush_journal ← handle ← serve ← main" "$dir/report"
exit "$bad"
