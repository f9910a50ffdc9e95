#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The JSON output of doctor, status and signatures conforms to its schema, and has the same data as the text.
set -euo pipefail
cd "$(dirname "$0")/../.."

scope=${SCOPE:-build/san/scope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# field FILE EXPRESSION: of the document d.
field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
same() {	# NAME ONE OTHER
	[ "$2" = "$3" ] && echo "ok - $1" || { echo "not ok - $1: '$2', not '$3'"; bad=1; }
}

status=0 code=0
"$scope" doctor > "$work/doctor.text" || status=$?
"$scope" doctor --format json > "$work/doctor.json" || code=$?
same "doctor has the same exit status" "$code" "$status"
same "doctor says that it is ready where its exit status does" "$(field "$work/doctor.json" 'd["ready"]')" \
	"$([ "$status" -eq 0 ] && echo True || echo False)"
same "doctor has all checks" "$(field "$work/doctor.json" 'len(d["checks"]) + 1')" "$(wc -l < "$work/doctor.text")"
same "doctor's answer is the first line" "$(head -n 1 "$work/doctor.text" | cut -c10-)" \
	"$(field "$work/doctor.json" 'd["answer"]')"

status=0 code=0
"$scope" status > "$work/status.text" 2> "$work/said" || status=$?
"$scope" status --format json > "$work/status.json" || code=$?
same "status has the same exit status" "$code" "$status"
code=0
"$scope" status --format openmetrics > "$work/status.metrics" 2>/dev/null || code=$?
same "status as OpenMetrics has the same exit status" "$code" "$status"
same "status as OpenMetrics counts the recorders" "$(sed -n 's/^scope_recorders //p' "$work/status.metrics")" \
	"$(field "$work/status.json" 'len(d["recorders"])')"
if [ "$status" -ne 0 ]; then
	same "status says why" "scope status: $(field "$work/status.json" 'd["problem"]')" "$(cat "$work/said")"
fi

PYTHONDONTWRITEBYTECODE=1 python3 tests/golden/learned.py > "$work/text"
"$scope" dump --reverse "$work/text" -o "$work/trace"
"$scope" learn -i "$work/trace" --db "$work/db" > /dev/null
"$scope" signatures list --db "$work/db" > "$work/list.text"
"$scope" signatures list --db "$work/db" --format json > "$work/list.json"
module=$(field "$work/list.json" 'd["builds"][0]["module"]')
same "list has the same programs" "$(awk 'NR > 1 { print $1, $2, $3, $4, $5 }' "$work/list.text")" \
	"$(field "$work/list.json" '"\n".join("{module} {build_id} {runs} {functions} {signatures}".format(**b) for b in d["builds"])')"
"$scope" signatures show "$module" --db "$work/db" > "$work/show.text"
"$scope" signatures show "$module" --db "$work/db" --format json > "$work/show.json"
same "show has the same functions" "$(sed -nE 's/^(\S+): ([0-9]+) calls.*/\1 \2/p' "$work/show.text")" \
	"$(field "$work/show.json" '"\n".join("{name} {calls}".format(**f) for f in d["learned"])')"
function=$(field "$work/show.json" 'max(d["learned"], key=lambda f: f["signatures"])["name"]')
"$scope" signatures show "$module" "$function" --db "$work/db" > "$work/one.text"
"$scope" signatures show "$module" "$function" --db "$work/db" --format json > "$work/one.json"
same "show has the signatures of a function" "$(grep -c '^  ' "$work/one.text")" \
	"$(field "$work/one.json" 'len(d["learned"][0]["episodes"])')"
same "there are signatures" "$(field "$work/one.json" 'len(d["learned"][0]["episodes"]) > 0')" True

python3 tests/unit/schema.py docs/schema/commands.schema.json "$work"/*.json && echo "ok - the schema holds" || bad=1
for command in doctor status "signatures list"; do
	# shellcheck disable=SC2086 # an action is a word of its own
	! "$scope" $command --format xml 2> "$work/said"
	grep -qE "wants text(, json or openmetrics| or json), not 'xml'" "$work/said" || { echo "not ok - $command takes xml"; bad=1; }
done
exit $bad
