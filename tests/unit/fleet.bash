# SPDX-License-Identifier: GPL-2.0-only
# What tests of fleets share: the program as $scope, a folder of their own as $work, $bad, and checks.
scope=$(realpath "${SCOPE:-build/san/scope}")
work=$(mktemp -d)
bad=0
export PYTHONDONTWRITEBYTECODE=1

field() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }
same() {	# NAME ONE OTHER
	[ "$2" = "$3" ] && echo "ok - $1" || { echo "not ok - $1: '$2', not '$3'"; bad=1; }
}
says() {	# NAME PATTERN FILE
	grep -qE -- "$2" "$3" && echo "ok - $1" || { echo "not ok - $1"; sed 's/^/# /' "$3"; bad=1; }
}
# A golden trace as if a host had recorded it: $work/HOST.trace.
trace() {	# HOST GOLDEN
	{ echo "meta host $1"; echo "meta wall_clock_ns 1764158400000000000"; python3 "tests/golden/$2.py"; } |
		"$scope" dump --reverse - -o "$work/$1.trace"
}
# A server and its client, whose clock is 12.345 ms ahead: $work/pair has their summaries, of web-1 and front. opened: calls of the
# traces opened the connection.
pair() {	# [opened]
	mkdir -p "$work/pair"
	PYTHONPATH=tests/golden python3 tests/golden/three_bugs.py > "$work/pair.text"
	{ echo "meta host web-1"; echo "meta wall_clock_ns 1764158400000000000"
		python3 tests/unit/fleet_client.py server 0 "$@" < "$work/pair.text"; } | "$scope" dump --reverse - -o "$work/server.trace"
	python3 tests/unit/fleet_client.py client 12345000 "$@" < "$work/pair.text" | "$scope" dump --reverse - -o "$work/client.trace"
	"$scope" fleet summarize "$work/server.trace" -o "$work/pair/server.scopesum"
	"$scope" fleet summarize "$work/client.trace" -o "$work/pair/client.scopesum"
}
