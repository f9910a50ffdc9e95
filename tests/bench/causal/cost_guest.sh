#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The part of tests/bench/causal/cost.sh that runs in the guest: "name value unit" on stdout.
#
# Usage: cost_guest.sh SCOPE SCOPE_KO WORK
set -euo pipefail

scope=$1 module=$2 work=$3
cd /dev/shm
insmod "$module"

# period_ns PROGRAM: of done(), by itself
period_ns() {
	"$work" "$1" 0 3 | awk '{ printf "%.0f\n", $2 / $1 }'
}

# loss NAME ARGUMENT...: by how much longer $program takes for a round, its own count, while that goes on
loss() {
	local name=$1 target alone=$alone_ns
	shift
	"$work" "$program" 0 3 >count &
	target=$!
	# It begins to count after 0.3 s; that it ends is the end of the experiments.
	"$scope" delay "$@" -p "$target" --seed 1 -o /dev/null 2>why || grep -q 'not visited' why || cat why >&2
	wait "$target"
	awk -v name="$name" -v alone="$alone" \
		'{ printf "%s %.2f %%\n", name, 100 * (($2 + $4) / ($1 + $3) / alone - 1) }' count
}

# experiments KIND PROGRAM ARGUMENT...: into out.json
experiments() {
	local kind=$1 program=$2 target
	shift 2
	"$work" "$program" 0 6000 >/dev/null &
	target=$!
	sleep 0.5
	"$scope" delay "$kind" -p "$target" --progress function:done --seed 1 --format json -o out.json "$@" \
		2>/dev/null
	kill "$target"
	wait "$target" 2>/dev/null || true
}

field() {	# EXPRESSION of the result r and its first site s
	python3 -c "import json; r = json.load(open('out.json')); s = r['sites'][0]; print($1)"
}

overhead() {	# NAME BY ITSELF_NS
	echo "$1 $(field "round(100 * (s['levels'][0]['period_ns'] / $2 - 1), 2)") %"
}

alone=$(period_ns sleep)
experiments sensitivity sleep --site function:doze --by 0,100us,300us,600us
overhead delay_overhead "$alone"
echo "delay_late_p50_us $(field "round(r['late_p50_ns'] / 1e3, 1)") us"
echo "delay_late_p99_us $(field "round(r['late_p99_ns'] / 1e3, 1)") us"
experiments speedup sleep --site syscall:clock_nanosleep --by 0,30%,60%
overhead speedup_overhead "$alone"

# The fewest rounds of the four delays after which the word is one that decides, and what they took.
for repeats in 2 3 4 6 8 12; do
	experiments sensitivity sleep --site function:doze --by 0,100us,300us,600us --repeats "$repeats"
	case $(field "s['effect']") in
	unknown | undecided) continue ;;
	esac
	echo "delay_verdict_s $(field "round(sum(e['elapsed_ns'] + 5e7 for e in r['experiments']) / 1e9, 1)") s"
	break
done

# What the whole run costs: rules at which nobody comes by, delays of the length chosen by itself, speedups.
for program in sleep serial; do
	alone_ns=$("$work" "$program" 0 3 | awk '{ printf "%.0f\n", ($2 + $4) / ($1 + $3) }')
	place=doze faster=syscall:clock_nanosleep
	[ $program = sleep ] || place=f faster=function:f
	loss "unvisited_loss_$program" sensitivity --site function:walk --site syscall:fsync --site return:fsync \
		--site receive --site kernel:vfs_unlink --by 1ms --progress syscall:fsync --length 9
	loss "delay_run_loss_$program" sensitivity --site "function:$place" --by auto --progress function:done \
		--repeats 100
	loss "speedup_run_loss_$program" speedup --site "$faster" --progress function:done --repeats 100
done
rmmod scope
