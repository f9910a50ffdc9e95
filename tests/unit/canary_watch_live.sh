#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Secrets on stacks, on the heap, in the environment and beside locks of a server that is watched: no file that
# `scope watch` and `scope fleet` write contains them, nor the environment of an incident's program.
#
# Usage: tests/unit/canary_watch_live.sh
# capture_by=kmod uses the module.
# Exit status: 0 passed; 1 failed; 77 perf events cannot be used here.
. "$(dirname "$0")/watching.bash"
source=${capture_by:-perf}
export LC_ALL=C
gcc -O1 -g -Wall -Wextra -Werror -shared -fPIC -o "$dir/plant.so" tests/unit/canary_plant.c || exit 1

name=canary_$((BASHPID % 100000))
said() {	# PATTERN SECONDS: until the watch says it
	local _
	for _ in $(seq $(($2 * 10))); do
		! grep -Eq -- "$1" "$dir/said" || return 0
		sleep 0.1
	done
	return 1
}
# The places whose secrets are in files: as bytes, and as numbers of either order.
found() {	# FILE...
	local tag hex back
	for tag in StAk HeAp EnVi FuTx StNd secr; do
		hex=$(printf %s "$tag" | od -An -tx1 | tr -d ' \n')
		back=$(printf %s "$tag" | rev | tr -d '\n' | od -An -tx1 | tr -d ' \n')
		! grep -aqE "$tag|$hex|$back" "$@" || echo "$tag"
	done
}
none() { [ -z "$(found "$@")" ] || { found "$@" | sed 's/^/# /'; return 1; }; }
some() { found "$2" | grep -x "$1" > /dev/null; }
several() { [ $# -ge 2 ]; }

coproc WORK { CANARY=EnVisecrEnVisecrEnVisecr LD_PRELOAD=$dir/plant.so exec "$dir/work" "$name"; }
target=$WORK_PID
read -r _ server <&"${WORK[0]}"

# What this test looks for is found where it is.
"$scope" record -p "$server" --source "$source" --stack-budget 0 -d 2 --raw-stacks -o "$dir/raw.trace" > "$dir/said" 2>&1 ||
	{ cat "$dir/said"; exit 1; }
"$scope" dump "$dir/raw.trace" > "$dir/raw.text"
is "raw stacks hold what is on the stack" some StAk "$dir/raw.text"
is "raw stacks hold what is on stacks of threads that stand still" some StNd "$dir/raw.text"
is "raw stacks hold what is beside a lock" some FuTx "$dir/raw.text"

mkdir "$dir/out"
cat > "$dir/program" <<SH
#!/bin/sh
env | grep '^SCOPE' >> "$dir/out/executed"
SH
chmod +x "$dir/program"
"$scope" watch -p "$name" --source "$source" -o "$dir/out/w.trace" --format text,json,html --min-interval 1 --after 1 --outside \
	--exec "$dir/program" --summary "$dir/out/w.scopesum" --label rack=b7 --when 'p50>10s' 2> "$dir/said" &
watcher=$!
is "a watch begins" said 'watching' 20
sleep 11
for way in "slow render_slowly" "hang await_answer"; do
	read -r word function <<< "$way"
	echo "$word" >&"${WORK[1]}"
	is "$word: $function is an incident" said " incident: $function " 40
	sleep 2
	echo calm >&"${WORK[1]}"
	sleep 2
done
kill -INT "$watcher"
wait "$watcher"
watcher=
cp "$dir/said" "$dir/out/said"

traces=("$dir"/out/w-*.trace)
is "it wrote traces" several "${traces[@]}"
is "reports in each format" several "$dir"/out/w-*.{txt,json,html}
is "what its program got" [ -s "$dir/out/executed" ]
is "and a summary" [ -s "$dir/out/w.scopesum" ]
is "its files hold no memory of the target" none "$dir"/out/*

# Traces and summaries are compressed: all that is in them.
for python in /usr/bin/python3 python3; do
	"$python" -c 'import zstandard' 2> /dev/null && break
	python=
done
# Its frames: user/fleet/summary_file.h.
unpack_summary() {	# FILE
	"$python" - "$1" <<-'PY'
	import struct, sys, zstandard
	data, at = open(sys.argv[1], "rb").read(), 16
	with open(sys.argv[1] + ".plain", "wb") as out:
	    while at + 16 <= len(data):
	        stored, raw = struct.unpack_from("<II", data, at + 4)
	        out.write(zstandard.ZstdDecompressor().decompress(data[at + 16:at + 16 + stored], max_output_size=raw))
	        at += 16 + stored
	PY
}
for trace in "${traces[@]}"; do
	"$scope" dump "$trace" > "$trace.text"
	[ -z "$python" ] || "$python" tests/unit/second_reader.py --plain "$trace.plain" "$trace"
done
is "nor do its traces, decompressed" none "$dir"/out/w-*.trace.{text,plain}
is "which have stacks" grep -qE '^[0-9]+ [0-9]+ (stack|sample) .* unwound' "${traces[0]}.text"
is "and those of threads that stand still" grep -q '^standing ' "${traces[0]}.text"

mkdir "$dir/fleet"
"$scope" fleet summarize "${traces[-1]}" --label rack=b7 -o "$dir/fleet/one.scopesum" || bad=1
cp "$dir/out/w.scopesum" "$dir/fleet/"
"$scope" fleet report -v "$dir/fleet" > "$dir/fleet/report.txt" || bad=1
"$scope" fleet report "$dir/fleet" --format json > "$dir/fleet/report.json" || bad=1
"$scope" fleet report "$dir/fleet" --db "$dir/fleet/fleet.db" > "$dir/fleet/report2.txt" || bad=1
if [ -n "$python" ]; then
	unpack_summary "$dir/fleet/w.scopesum"
	unpack_summary "$dir/fleet/one.scopesum"
	is "its summaries can be unpacked" grep -aq render_slowly "$dir/fleet/w.scopesum.plain"
fi
is "a report over summaries names the function" grep -q render_slowly "$dir/fleet/report.txt"
is "and the files of a fleet hold no memory of the target" none "$dir"/fleet/*
[ "$bad" = 0 ] || cat "$dir/said"
exit "$bad"
