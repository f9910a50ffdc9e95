#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Servers of many shapes, traced by perf events on this host: scope model says what each one is.
#
# Usage: tests/unit/model_live.sh [SHAPE...]
# Exit status: 0 all models are right; 1 not; 77 perf events cannot be used here.
. "$(dirname "$0")/live.bash"
gcc -O1 -Wall -Wextra -Werror -pthread -o "$dir/work" \
	tests/unit/units_work.c tests/unit/units_loops.c tests/unit/units_pools.c || exit 1

# Shape, model, other threads accept, others work, threads that accept, threads that read, processes. 400 connections
# where clients leave, 8 where they stay.
cat > "$dir/truth" <<'END'
epoll_level epoll false false 1 1 1
epoll_edge epoll false false 1 1 1
epoll_timed epoll false false 1 1 1
epoll_parts epoll false false 1 1 1
epoll_once epoll false false 1 1 1
epoll_leave epoll false false 1 1 1
epoll_slowly_sent epoll false false 1 1 1
poll poll false false 1 1 1
poll_leave poll false false 1 1 1
select select false false 1 1 1
thread_each blocking true false 1 8 1
thread_each_leave blocking true false 1 400 1
fork_each blocking true false 1 400 401
prefork blocking false false 3 3 3
pool epoll false true 1 1 1
pool_back epoll false true 1 1 1
pool_connections blocking true false 1 3 1
datagrams blocking false false 0 1 1
END

# capture SHAPE
capture() {
	capture_work "$dir/work" "$1" 400 8 || return 1
	"$scope" model -i "$dir/a.trace" --format json > "$dir/model.json"
}

cat > "$dir/check.py" <<'END'
"""Compares a model with its row of the truth. Of hundreds of threads one may not have been seen at work."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    model = json.load(file)
network = model["network"] or {}
found = [network.get(name) for name in ("model", "accept_dispatch", "network_dispatch", "accept_pool", "network_pool")]
found.append(model["processes"])
wanted = [sys.argv[2]] + [word == "true" for word in sys.argv[3:5]] + [int(word) for word in sys.argv[5:]]
for place, (one, other) in enumerate(zip(found, wanted)):
    if isinstance(other, bool) or not isinstance(other, int):
        right = one == other
    else:
        right = one is not None and abs(one - other) * 100 <= other
    if not right:
        sys.exit(f"{found} is not {wanted}, in place {place}")
END

shapes=("$@")
[ $# -gt 0 ] || mapfile -t shapes < <("$dir/work")
for shape in "${shapes[@]}"; do
	row=$(grep "^$shape " "$dir/truth") || { echo "not ok - $shape: nobody wrote down what it is"; bad=1; continue; }
	# A busy host may lose events, or let the last ones come too late.
	for _ in 1 2 3; do
		capture "$shape" || exit 1
		# shellcheck disable=SC2086
		python3 "$dir/check.py" "$dir/model.json" ${row#* } 2> "$dir/why" && break
	done
	if [ -s "$dir/why" ]; then
		echo "not ok - $shape: $(cat "$dir/why")"
		bad=1
	else
		echo "ok - $shape: $(sed -n 's/^ "sentence": //p' "$dir/model.json")"
	fi
done
exit "${bad:-0}"
