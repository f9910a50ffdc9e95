#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exports in the programs that they are made for: Perfetto's trace processor, which ui.perfetto.dev runs, and speedscope in a
# browser. They show the events, figures and findings of the trace. (export.sh and export_diagnosis.sh read the other formats.)
#
# Usage: tests/unit/export_readers.sh      SCOPE= names the program (default build/san/scope)
# Exit status: 0 passed; 1 failed; 77 the readers, node or Chromium are not there.
. "$(dirname "$0")/begin.bash"

readers=${BUILD:-build}/readers
for reader in perfetto speedscope; do
	[ -e "$readers/$reader.done" ] || { echo "skipped: no $reader, which scripts/export-readers.sh gets by npm"; exit 77; }
done
command -v node > /dev/null || { echo "skipped: no node (apt-get install nodejs)"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "skipped: no Chromium, which scripts/setup.sh browser installs"; exit 77; }
readers=$(realpath "$readers")

# A time of day: 2026-11-22 18:55:16 UTC.
{
	printf 'meta arch x86_64\nmeta wall_clock_ns 1795373716000000000\n'
	PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/lock.py
} > "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
for format in perfetto folded folded-off script sqlite; do "$scope" export $format "$work/trace" -o "$work/$format"; done
"$scope" report -i "$work/trace" --format json > "$work/report.json"
fact() { python3 -c 'import json, sys
print(eval(sys.argv[2], {"r": json.load(open(sys.argv[1]))}))' "$work/report.json" "$1"; }
query() { python3 -c 'import sqlite3, sys
print(*["|".join(map(str, row)) for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2])], sep="\n")' "$work/sqlite" "$1"; }
same "sqlite integrity" ok "$(query 'PRAGMA integrity_check')"

# ---- Perfetto ----
# A line with the question's number comes before each answer.
questions=() asked=()
ask() { asked+=("$1"); questions+=("SELECT '== ${#asked[@]}'" "$2"); }
ask errors "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
ask calls "SELECT name, count(*) FROM slice WHERE name GLOB 'sys_*' GROUP BY 1 ORDER BY 1"
ask requests "SELECT count(*) FROM slice WHERE name = 'request'"
ask slow "SELECT name, category, count(*) FROM slice WHERE name GLOB 'slow*' GROUP BY 1, 2"
ask marked "SELECT count(*) FROM slice WHERE category = 'request,slow' AND dur < 0"
ask finding "SELECT s.name, t.name FROM slice s JOIN track t ON t.id = s.track_id WHERE s.category = 'finding'"
ask facts "SELECT a.key, a.display_value FROM slice s JOIN args a USING (arg_set_id) WHERE s.category = 'finding'
	AND a.key IN ('debug.kind', 'debug.confidence', 'debug.slow_units') ORDER BY 1"
ask samples "SELECT f.name, count(*) FROM perf_sample s JOIN stack_profile_callsite c ON s.callsite_id = c.id
	JOIN stack_profile_frame f ON f.id = c.frame_id GROUP BY 1 ORDER BY 1"
ask threads "SELECT tid, name FROM thread WHERE tid > 100 ORDER BY 1"
ask run "SELECT t.name, sum(s.dur) FROM sched s JOIN thread t USING (utid) WHERE t.tid > 100 GROUP BY 1 ORDER BY 1"
ask wakers "SELECT t.tid, count(*) FROM thread_state s JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid
	WHERE w.tid = 110 GROUP BY 1 ORDER BY 1"
ask day "SELECT abs_time_str(min(ts)) FROM sched"
PYTHONDONTWRITEBYTECODE=1 node tests/unit/perfetto_query.mjs "$readers/perfetto" "$work/perfetto" "${questions[@]}" > "$work/answers"
answer() {	# NAME
	local i
	for ((i = 0; i < ${#asked[@]}; i++)); do
		[ "${asked[i]}" != "$1" ] || awk -v n="$((i + 1))" '$1 == "==" { on = $2 == n; next } on' "$work/answers"
	done
}
same "perfetto answers all questions" ${#asked[@]} "$(grep -c '^==' "$work/answers")"
same "perfetto finds no error" "" "$(answer errors)"
same "perfetto names calls, as many as the trace has" \
	"$(awk '$3 == "syscall" || $3 == "enter" { n["sys_" $5]++ } END { for (k in n) print k "|" n[k] }' \
		"$work/text" | LC_ALL=C sort)" "$(answer calls)"
same "perfetto requests" "$(fact 'r["basis"]["requests"] - r["basis"]["slow_requests"]')" "$(answer requests)"
same "perfetto slow requests" "slow request: rebalance|request,slow|$(fact 'r["basis"]["slow_requests"]')" "$(answer slow)"
same "perfetto slow requests without an end" 0 "$(answer marked)"
same "perfetto finding" "rebalance|finding 1" "$(answer finding)"
same "perfetto facts of the finding" "debug.confidence|high debug.kind|holds-lock debug.slow_units|$(fact 'r["basis"]["slow_requests"]')" \
	"$(answer facts | xargs)"
same "perfetto samples by innermost function" \
	"$(awk '{ n = split($1, path, ";"); count[path[n]] += $NF } END { for (k in count) print k "|" count[k] }' "$work/folded" | LC_ALL=C sort)" \
	"$(answer samples)"
same "perfetto threads" "101|worker0 102|worker1 103|worker2 110|keeper" "$(answer threads | xargs)"
same "perfetto run time of threads as SQLite has it" "$(query 'SELECT comm, run_ns FROM thread WHERE tid > 100 ORDER BY 1')" "$(answer run)"
same "perfetto wakes by the keeper" \
	"$(query 'SELECT t.tid, count(*) FROM wait w JOIN thread t ON t.id = w.thread WHERE w.waker_tid = 110 GROUP BY 1 ORDER BY 1')" \
	"$(answer wakers)"
same "perfetto time of day" 2026-11-22T18:55:16 "$(answer day | cut -c -19)"

# ---- speedscope ----
# seen FILE: the text of speedscope's list of functions, a line for each piece
seen() {
	echo "speedscope.loadFileFromBase64(\"$1\", \"$(base64 -w 0 "$work/$1")\")" > "$work/load.js"
	timeout 300 "$browser" --headless --no-sandbox --disable-gpu --use-gl=swiftshader --enable-unsafe-swiftshader \
		--allow-file-access-from-files --user-data-dir="$work/browser" --virtual-time-budget=8000 --window-size=1200,800 --dump-dom \
		"file://$readers/speedscope/index.html#localProfilePath=$work/load.js&view=sandwich" 2> "$work/browser.log" |
		sed 's/<[^>]*>/\n/g' | grep -v '^ *$' > "$work/$1.seen" || true
	grep -q '^Symbol Name' "$work/$1.seen" || { echo "not ok speedscope does not show $1"; failed=1; }
}
# A function's own weight: the list has its total, its own weight, its name.
own() { awk -v name="$2" '$0 == name { print own } { own = $1 }' "$work/$1.seen" | tr -d ,; }
for format in folded folded-off; do
	seen $format
	for name in $(sed 's/ [0-9]*$//; s/.*;//' "$work/$format" | sort -u); do
		same "speedscope $format, $name" \
			"$(awk -v name="$name" '{ w = $NF; sub(/ [0-9]+$/, ""); n = split($0, path, ";"); if (path[n] == name) sum += w } END { print sum }' \
				"$work/$format")" "$(own $format "$name")"
	done
done
seen script
same "speedscope threads of script" "101 102 103 110" "$(grep -oE 'pid: 100 tid: [0-9]+' "$work/script.seen" | grep -oE '[0-9]+$' | sort | xargs)"
exit $failed
