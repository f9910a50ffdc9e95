#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exports have the results of the report: requests with the slow ones marked, findings, stacks, the time of day, and the
# stacks of two traces side by side.
#
# Usage: tests/unit/export_diagnosis.sh      SCOPE= names the program (default build/san/scope)
. "$(dirname "$0")/begin.bash"

make_trace() {	# NAME
	PYTHONDONTWRITEBYTECODE=1 python3 "tests/golden/$1.py" >"$work/$1.text"
	"$scope" dump --reverse "$work/$1.text" -o "$work/$1"
}

make_trace lock
# A time of day: 2026-11-22 18:55:16 UTC.
sed '1i meta wall_clock_ns 1795373716000000000' "$work/lock.text" >"$work/wall.text"
"$scope" dump --reverse "$work/wall.text" -o "$work/wall"
"$scope" report -i "$work/wall" --format json >"$work/report.json"
fact() { python3 -c 'import json, sys
print(eval(sys.argv[2], {"r": json.load(open(sys.argv[1]))}))' "$work/report.json" "$1"; }
slow=$(fact 'r["basis"]["slow_requests"]')
all=$(fact 'r["basis"]["requests"]')

# ---- Perfetto: read by protoc, then packets put in the order of their times as its reader does ----
"$scope" export perfetto "$work/wall" -o "$work/perfetto"
protoc -I tests/unit --decode=Trace tests/unit/export.proto <"$work/perfetto" >"$work/perfetto.text"
same "perfetto fields outside the schema" 0 "$(grep -cE '^ *[0-9]+(:| \{)' "$work/perfetto.text" || true)"
python3 - "$work/perfetto.text" >"$work/slices" <<'PY'
"""Slices of each track as a reader of track events makes them, and the stacks of samples."""
import collections, re, sys

tracks, open_, lines, bad = {}, collections.defaultdict(list), collections.Counter(), 0
packets, depth, packet = [], 0, []
for line in open(sys.argv[1]):
    line = line.rstrip("\n")
    if line == "packet {":
        packet = []
    elif line == "}":
        packets.append("\n".join(packet))
    else:
        packet.append(line)

def field(packet, name):
    found = re.search(r"^ +%s: (.*)$" % name, packet, re.M)
    return found.group(1).strip('"') if found else None

events = []
names, frames, stacks = {}, {}, {}
clocks = {}
for packet in packets:
    if "  track_descriptor {" in packet:
        uuid = field(packet, "uuid")
        tracks[uuid] = (field(packet, "name") or "thread", field(packet, "tid"), field(packet, "parent_uuid"))
    if "  track_event {" in packet:
        events.append((int(field(packet, "timestamp")), len(events), packet))
    for kind, table, value in (("function_names", names, "str"), ("frames", frames, "function_name_id")):
        for part in re.findall(r"^    %s \{\n(.*?)^    \}" % kind, packet, re.M | re.S):
            table[field(part, "iid")] = field(part, value)
    for part in re.findall(r"^    callstacks \{\n(.*?)^    \}", packet, re.M | re.S):
        stacks[field(part, "iid")] = re.findall(r"frame_ids: (\d+)", part)
    for part in re.findall(r"^    clocks \{\n(.*?)^    \}", packet, re.M | re.S):
        clocks[field(part, "clock_id")] = int(field(part, "timestamp"))
    if "  perf_sample {" in packet:
        path = ";".join(names[frames[frame]] for frame in stacks[field(packet, "callstack_iid")])
        lines["sample", path] += 1
for _, _, packet in sorted(events):
    uuid, kind = field(packet, "track_uuid"), field(packet, "type")
    name, tid, parent = tracks[uuid]
    packet = re.sub(r"^ {5,}.*$", "", packet, flags=re.M)  # annotations have names, too
    if name == "requests":
        tid = tracks[parent][1]
    if kind == "TYPE_SLICE_BEGIN":
        open_[uuid].append(packet)
        lines["slice", field(packet, "name")] += 1
        lines["on", name if name != "requests" else "requests of %s" % tid] += 1
    elif kind == "TYPE_SLICE_END":
        bad += not open_[uuid]
        open_[uuid] and open_[uuid].pop()
    else:
        lines["mark", field(packet, "name")] += 1
print("unbalanced", bad + sum(map(len, open_.values())))
print("wall", clocks.get("1", 0) - clocks["6"])
for (kind, name), count in sorted(lines.items()):
    print(kind, name, count)
PY
same "perfetto slices that begin and end" "unbalanced 0" "$(grep '^unbalanced' "$work/slices")"
same "perfetto slow requests, named by the finding" "slice slow request: rebalance $slow" "$(grep '^slice slow' "$work/slices")"
same "perfetto other requests" "slice request $((all - slow))" "$(grep '^slice request' "$work/slices")"
same "perfetto finding" "slice rebalance 1" "$(grep '^slice rebalance' "$work/slices")"
same "perfetto track of the finding" "on finding 1 1" "$(grep '^on finding' "$work/slices")"
same "perfetto threads with requests" 3 "$(grep -c '^on requests of 10[123] ' "$work/slices")"
same "perfetto samples of the holder" "sample start_keeper;keep;rebalance 290" \
	"$(grep '^sample .*rebalance' "$work/slices")"
same "perfetto stacks after waits" "mark get_item $slow" "$(grep '^mark get_item' "$work/slices")"
same "perfetto time of day" "wall $((1795373716000000000 - $(sed -n 's/^meta begin_ns //p' "$work/wall.text")))" \
	"$(grep '^wall' "$work/slices")"

# ---- SQLite ----
"$scope" export sqlite "$work/wall" -o "$work/db"
ask() { python3 -c 'import sqlite3, sys
print(*sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall(), sep="|")' "$work/db" "$1"; }
same "sqlite verdict" "('slowdown',)" "$(ask "SELECT value FROM meta WHERE key = 'verdict'")"
same "sqlite finding" "(1, 'rebalance', 'holds-lock', 'high', $slow, 'keeper')" \
	"$(ask 'SELECT rank, function, kind, confidence, units, comm FROM finding JOIN thread ON id = thread')"
same "sqlite figures of the finding" "$(fact '(r["findings"][0]["p50_ns"], r["findings"][0]["p99_ns"], r["findings"][0]["share"])')" \
	"$(ask 'SELECT p50_ns, p99_ns, share FROM finding')"
same "sqlite requests" "($all, $slow)" "$(ask 'SELECT count(*), sum(abnormal) FROM request')"
same "sqlite slow requests and their cause" "('rebalance', $slow)" \
	"$(ask 'SELECT because, count(*) FROM slow_request GROUP BY because')"
same "sqlite time of day" "('2026-11-22 18:55:16',)" "$(ask 'SELECT min(begin_utc) FROM request')"
same "sqlite what slow requests waited for" "('keeper', 'futex', $slow)" \
	"$(ask 'SELECT w.waker, w.class, count(*) FROM slow_request JOIN request_wait w USING (unit) WHERE wait_ms > 1 GROUP BY 1, 2')"
same "sqlite waits by waker" "('keeper', 3)" \
	"$(ask "SELECT waker, count(*) FROM waited_for WHERE class = 'futex' GROUP BY waker")"
# Without a time of day there is none, and the rest is the same.
"$scope" export sqlite "$work/lock" -o "$work/db"  2>/dev/null
same "sqlite without a time of day" "(None, $all)" "$(ask 'SELECT max(begin_utc), count(*) FROM request')"

# ---- CTF: the clock's offset is the time of day ----
"$scope" export ctf "$work/wall" -o "$work/ctf"
same "ctf time of day" "2026-11-22 18:55:16" "$(babeltrace2 --clock-gmt --clock-date "$work/ctf" | head -n 1 | cut -c 2-20)"

# ---- two traces: flamegraph.pl wants "stack before after" ----
make_trace cpu
"$scope" export folded "$work/lock" -o "$work/before"
"$scope" export folded "$work/cpu" -o "$work/after"
"$scope" export folded-diff "$work/lock" "$work/cpu" -o "$work/diff"
awk 'NR == FNR { n = $NF; sub(/ [0-9]+$/, ""); a[$0] = n; next } { n = $NF; sub(/ [0-9]+$/, ""); b[$0] = n }
	END { for (s in a) all[s]; for (s in b) all[s]; for (s in all) print s, a[s] + 0, b[s] + 0 }' \
	"$work/before" "$work/after" | LC_ALL=C sort >"$work/want"
LC_ALL=C sort "$work/diff" >"$work/found"
same "folded-diff is both, side by side" "" "$(diff "$work/want" "$work/found")"
same "folded-diff has stacks of one alone" yes "$(grep -q ' 0$' "$work/diff" && grep -q ' 0 [1-9]' "$work/diff" && echo yes)"
# No package registry has these scripts. Of commit 41fee1f of brendangregg/FlameGraph both read it, and print the same.
if [ -n "${FLAMEGRAPH:-}" ]; then
	perl "$FLAMEGRAPH/difffolded.pl" "$work/before" "$work/after" | LC_ALL=C sort >"$work/want"
	same "folded-diff is what difffolded.pl prints" "" "$(diff "$work/want" "$work/found")"
	perl "$FLAMEGRAPH/flamegraph.pl" "$work/diff" >"$work/svg"
	same "flamegraph.pl draws it, with differences" yes "$(grep -q '<title>find_item (.*; +' "$work/svg" && echo yes)"
fi
"$scope" export folded-diff "$work/lock" 2>"$work/errors" && failed=1
same "folded-diff of one file" 1 "$(grep -c 'two files: the trace before, and the one after' "$work/errors")"
"$scope" export folded "$work/lock" "$work/cpu" 2>"$work/errors" && failed=1
same "folded of two files" 1 "$(grep -c 'folded wants one file' "$work/errors")"
exit $failed
