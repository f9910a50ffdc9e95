#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Summaries of traces with known answers, and the report over them, made in the same way as a user does.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tests/unit/fleet.bash
trap 'rm -rf "$work"' EXIT

summary() {	# HOST OPTION...
	"$scope" fleet summarize "$work/$1.trace" -o "$work/hosts/$1.scopesum" "${@:2}"
}
refused() {	# NAME PATTERN COMMAND...
	if "${@:3}" > "$work/out" 2> "$work/said"; then
		echo "not ok - $1: it was taken"; bad=1
	else
		grep -qE "$2" "$work/said" && echo "ok - $1" || { echo "not ok - $1"; sed 's/^/# /' "$work/said"; bad=1; }
	fi
}

mkdir "$work/hosts" "$work/empty"
trace web-1 three_bugs
trace web-2 healthy
trace web-3 healthy
trace web-4 hang
for host in web-1 web-2 web-3; do
	summary $host --label rack=b7
done

"$scope" report -i "$work/web-1.trace" --format json > "$work/one.json"
"$scope" fleet report "$work/hosts" --format json > "$work/fleet.json"
same "its functions are those of the report" "$(field "$work/fleet.json" '[f["function"] for f in d["functions"]]')" \
	"$(field "$work/one.json" '[f["function"]["name"] for f in d["findings"]]')"
same "they are on one host" "$(field "$work/fleet.json" '{(f["spread"], *f["hosts"], f["compared"]) for f in d["functions"]}')" \
	"{('one host', 'web-1', 3)}"
same "their excess is that of the report" \
	"$(python3 - "$work/one.json" "$work/fleet.json" <<-'END'
		import json, sys
		one, fleet = (json.load(open(name)) for name in sys.argv[1:])
		for a, b in zip(one["findings"], fleet["functions"]):
		    if abs(a["excess_ns"] / 1e6 - b["excess_ms"]) > 0.02 * b["excess_ms"]:
		        print(a["function"]["name"], a["excess_ns"] / 1e6, b["excess_ms"])
	END
	)" ""
"$scope" report -i "$work/web-1.trace" > "$work/one.text"
same "requests are those of the report" \
	"$(grep -c "$(field "$work/fleet.json" "'{:,} of {:,}'.format(d[\"members\"][0][\"slow\"], d[\"members\"][0][\"requests\"])")" "$work/one.text")" 1
same "time by state adds up to that of the requests" \
	"$(field "$work/fleet.json" 'all(sum(g["state_ms"].values()) > 0 and g["state_ms"]["run"] > 0 for g in d["groups"])')" True
same "labels are there" "$(field "$work/fleet.json" 'd["members"][1]["labels"]')" "{'rack': 'b7'}"
same "a second takes at most 1,000 bytes" \
	"$(find "$work/hosts" -size +12k | wc -l)" 0

"$scope" fleet report "$work/hosts" > "$work/fleet.text"
grep -qE '^ +ONE HOST in [a-z_]+: requests take longer than usual\.$' "$work/fleet.text" && echo "ok - the text has the answer" ||
	{ echo "not ok - the text has the answer"; sed 's/^/# /' "$work/fleet.text"; bad=1; }
same "no line of the text is longer than 100 columns" "$(LC_ALL=C.UTF-8 awk 'length > 100' "$work/fleet.text" | wc -l)" 0
"$scope" fleet report "$work/hosts" > "$work/again.text"
same "the same summaries give the same report" "$(cat "$work/again.text")" "$(cat "$work/fleet.text")"

# A client's waits are matched with the requests of its server on the same connection, and its clock is bounded.
pair
"$scope" fleet report "$work/pair" --format json > "$work/pair.json"
same "a wait is matched with the requests of the same connection" \
	"$(field "$work/pair.json" '[(c["host"], c["server"], c["matched"], c["from"], c["to"]) for c in d["connections"]]')" \
	"[('front', 'web-1', 'matched', '10.0.0.1', '10.0.0.2:80')]"
same "all requests are there" "$(field "$work/pair.json" 'd["connections"][0]["requests"] - sum(m["requests"] for m in d["members"] if m["host"] == "web-1") in (-1, 0, 1)')" True
same "its excess is passed to the server's functions" \
	"$(field "$work/pair.json" '(lambda c: [f["function"] for f in c["functions"]][:3] == [f["function"] for f in d["functions"]] and sum(f["ms"] for f in c["functions"]) > 0.8 * c["excess_ms"])(d["connections"][0])')" True
same "the clock is bounded from both directions" \
	"$(field "$work/pair.json" '(lambda c: -12345 - 75 <= c["least_us"] <= -12345 <= c["most_us"] <= -12345 + 75 and c["least_ppm"] <= 0 <= c["most_ppm"])(d["connections"][0]["clock"])')" True
"$scope" fleet report "$work/pair" > "$work/pair.text"
says "the text has who waited" '^ +waited for +front \(' "$work/pair.text"
cp "$work/pair.json" "$work/was_open.json"
pair opened 2> "$work/said"
"$scope" fleet report "$work/pair" --format json > "$work/pair.json"
same "a connection that was opened during the recordings is matched as well" \
	"$(field "$work/pair.json" '[(c["host"], c["server"], c["matched"], c["from"], c["to"]) for c in d["connections"]]')" \
	"$(field "$work/was_open.json" '[(c["host"], c["server"], c["matched"], c["from"], c["to"]) for c in d["connections"]]')"
same "so are its requests, but the first" \
	"$(field "$work/was_open.json" 'd["connections"][0]["requests"]')" "$(field "$work/pair.json" 'd["connections"][0]["requests"]')"
rm "$work/pair/server.scopesum"
"$scope" fleet report "$work/pair" > "$work/alone.text"
says "what cannot be matched is said" 'there is no summary of a host that' "$work/alone.text"

# Threads that are stuck come first.
summary web-4
"$scope" fleet report "$work/hosts" --format json > "$work/hang.json"
same "a hang comes first" "$(field "$work/hang.json" '[(f["function"], f["kind"], f["hosts"]) for f in d["functions"]][0]')" \
	"('wait_for_helper', 'hang', ['web-4'])"
same "since when, before the recording" "$(field "$work/hang.json" 'd["functions"][0]["since_us"]')" 1764158340000000
rm "$work/hosts/web-4.scopesum"

# A host that is slow because it gets no CPU has no function to blame, and says why.
trace web-5 preempted_always
mkdir "$work/outside"
"$scope" fleet summarize "$work/web-5.trace" -o "$work/outside/web-5.scopesum"
"$scope" report -i "$work/web-5.trace" --format json > "$work/five.json"
"$scope" fleet report "$work/outside" > "$work/outside.text"
"$scope" fleet report "$work/outside" --format json > "$work/outside.json"
same "a host that is slow from outside is no healthy one" "$(field "$work/outside.json" 'd["answer"]')" \
	"OUTSIDE. web-5 is slow, but not by a function of the program."
same "its reason is that of the report" "$(field "$work/outside.json" 'd["members"][0]["reason"][:200]')" \
	"$(field "$work/five.json" 'd["reason"][:200]')"
grep -q 'slow from outside the program: 1 of 1' "$work/outside.text" && echo "ok - the text has it" || { echo "not ok - the text has it"; bad=1; }

# Sent twice, damaged, cut, of a newer format, and no summary at all: the rest counts.
cp "$work/hosts/web-1.scopesum" "$work/hosts/web-1.again.scopesum"
head -c 300 "$work/hosts/web-2.scopesum" > "$work/hosts/cut.scopesum"
head -c 2000 /dev/urandom > "$work/hosts/nonsense.scopesum"
printf 'SCOPEsum\t\0\0\0\t\0\0\0' > "$work/hosts/newer.scopesum"
: > "$work/hosts/empty.scopesum"
mkfifo "$work/hosts/pipe.scopesum"
ln -s web-1.scopesum "$work/hosts/link.scopesum"
"$scope" fleet report "$work/hosts" --format json > "$work/bad.json"
same "bad files change no figure" "$(field "$work/bad.json" '[d["answer"], d["members"], d["functions"], d["out_of_line"]]')" \
	"$(field "$work/fleet.json" '[d["answer"], d["members"], d["functions"], d["out_of_line"]]')"
same "what came twice is counted" "$(field "$work/bad.json" 'd["read"]["twice"]')" 1
same "each bad file is named" "$(field "$work/bad.json" 'sorted(p.split("/")[-1].split(".")[0] for p in d["read"]["problems"])')" \
	"['cut', 'empty', 'newer', 'nonsense']"
rm "$work/hosts"/{cut,nonsense,newer,empty,pipe,link,web-1.again}.scopesum

# A database keeps what it has.
"$scope" fleet report "$work/hosts/web-1.scopesum" --db "$work/db" > /dev/null
"$scope" fleet report "$work/hosts/web-2.scopesum" "$work/hosts/web-3.scopesum" --db "$work/db" --format json > "$work/db.json"
same "a database adds up" "$(field "$work/db.json" '[d["members"], d["functions"]]')" "$(field "$work/fleet.json" '[d["members"], d["functions"]]')"
"$scope" fleet report --db "$work/db" --format json > "$work/alone.json"
same "it is enough" "$(field "$work/alone.json" 'd["functions"]')" "$(field "$work/fleet.json" 'd["functions"]')"
refused "another program's database is refused" 'another program|no database' \
	sh -c "python3 -c 'import sqlite3; c = sqlite3.connect(\"$work/other\"); c.execute(\"CREATE TABLE a (b)\"); c.commit()'; exec $scope fleet report $work/hosts --db $work/other"
refused "so is a file that is none" 'damaged, or no database' "$scope" fleet report "$work/hosts" --db "$work/web-1.trace"

python3 tests/unit/schema.py docs/schema/commands.schema.json "$work"/{fleet,hang,bad,db,pair}.json && echo "ok - the schema holds" || bad=1

{ echo "meta host web-9"; python3 tests/golden/healthy.py; } | "$scope" dump --reverse - -o "$work/no_clock.trace"
refused "a trace without a date is refused" 'does not say when' "$scope" fleet summarize "$work/no_clock.trace" -o "$work/x"
same "and leaves no file" "$(ls "$work/x" "$work/x.part" 2>/dev/null)" ""
refused "an empty folder is" 'has no files that end in' "$scope" fleet report "$work/empty"
refused "a trace is no summary" 'scope fleet summarize' "$scope" fleet report "$work/web-1.trace"
refused "an action is wanted" 'what shall be done' "$scope" fleet
refused "another is refused" "'merge' is neither" "$scope" fleet merge x
refused "summarize wants a file to write" 'one trace, and -o' "$scope" fleet summarize "$work/web-1.trace"
refused "a label has a value" "KEY=VALUE" "$scope" fleet summarize "$work/web-1.trace" -o "$work/x" --label rack
refused "since is a time" "wants a time" "$scope" fleet report "$work/hosts" --since now
exit $bad
