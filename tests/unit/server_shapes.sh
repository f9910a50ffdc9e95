#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# scope model for traces of servers of known form: which threads wait for requests, which threads are one stage,
# and which only help occasionally.
#
# Usage: tests/unit/server_shapes.sh [SEEDS]   (default 3)
. "$(dirname "$0")/begin.bash"

network() {	# SHAPE SEED
	PYTHONDONTWRITEBYTECODE=1 python3 tests/unit/server_shapes.py "$1" "$2" > "$work/text"
	rm -f "$work/trace"
	"$scope" dump --reverse "$work/text" -o "$work/trace"
	"$scope" model -i "$work/trace" --format json > "$work/model.json"
	python3 -c '
import json, sys
network = json.load(open(sys.argv[1]))["network"]
print(*(network[name] for name in ("model", "accept_dispatch", "network_dispatch", "accept_pool", "network_pool")))' "$work/model.json"
}

for seed in $(seq "${1:-3}"); do
	same "threads that get requests from one that polls, seed $seed" "epoll True False 1 3" "$(network poller "$seed")"
	same "the sentence says who waits" yes \
		"$(grep -q 'which get them from thread poller (epoll); connections are accepted by thread acceptor (blocking accept)' \
		"$work/model.json" && echo yes)"
	same "threads that wake one another for these, seed $seed" "epoll True False 1 3" "$(network chain "$seed")"
	same "threads that get connections from one that polls, seed $seed" "blocking True False 1 3" "$(network listener "$seed")"
	same "processes that accept, of which some poll longer, seed $seed" "blocking False False 4 4" "$(network prefork "$seed")"
	same "a thread that few requests wake, seed $seed" "epoll False False 0 1" "$(network helper "$seed")"
	same "the sentence says how many" yes "$(grep -Eq '; [1-5] % of the work goes on to thread aside' "$work/model.json" && echo yes)"
done
exit "$failed"
