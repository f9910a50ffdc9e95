#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Run a watch for a long time for a server of our own that becomes slow at times which only this script knows: lines
# "name value unit".
#
# Usage: tests/bench/watch_soak.sh [FOLDER]      FOLDER: of an earlier run, which is only compared once more
# Environment: SOAK_S (7200), INCIDENTS (one in 360 s), SEED (1; of the schedule), EVENTS (20000; a second, about), SOURCE
# (perf), CPU (the last one; of the server), WATCH (more options of scope watch), NICE (-20; of the server and its clients, so that other
# programs do not slow them), KEEP_IN (a folder for what the run leaves; default a temporary one)
# SIGINT ends it, and what was until then is compared.
#
# Planted are slowdowns of a share of the requests (waiting, computing, more calls), hangs of one thread (a condition, a pipe, the
# lock of a file), a spin, and a process of real-time priority that takes the server's CPU, each for 10 to 60 s, 0 to 30 minutes
# after the one before. The same one comes again only once it has left the recorder.
#
#   watch_soak_caught         of planted: an incident that names the planted function, or a caller and that it is mostly in it (or, of the last kind, that it is outside),
#                             at most 60 s after its end
#   ..._begin_error_...       of the begin that the watch reports; ..._said_after_...: from the true begin to the
#                             message, ..._program_after_...: to the program of --exec
#   watch_soak_false          incidents while nothing was planted; not those of too little CPU at which the server's threads really
#                             waited for a CPU for a fifth of their time (/proc/PID/schedstat): ..._host_short_of_cpu
#   ..._beside_planted        incidents that began while another one was planted, and name something else
#   ..._cpu_share             of the watch itself; of its children (analyses, reports and the program)
#   ..._memory_...            resident, of the watch itself, medians of a tenth of the time; with_children: proportional
# A line for each incident is on standard error.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then
	exec python3 tests/bench/watch_soak.py evaluate "$1"
fi
make -s user
export SOAK_S=${SOAK_S:-7200} SEED=${SEED:-1} EVENTS=${EVENTS:-20000} SOURCE=${SOURCE:-perf} WATCH=${WATCH:-} NICE=${NICE:--20}
export CPU=${CPU:-$(($(nproc) - 1))}
export INCIDENTS=${INCIDENTS:-$(((SOAK_S + 359) / 360))} SCOPE=$PWD/build/user/scope
dir=${KEEP_IN:-$(mktemp -d)}
mkdir -p "$dir"
[ -n "${KEEP_IN:-}" ] || trap 'rm -rf "$dir"' EXIT
export WORK=$dir/work
gcc -O1 -g -Wall -Wextra -Werror -pthread -o "$WORK" tests/bench/soak_work.c
# The program is copied: it may be built again while this runs.
cp "$SCOPE" "$dir/scope"
SCOPE=$dir/scope
python3 tests/bench/watch_soak.py run "$dir" &
soak=$!
trap 'kill -INT "$soak"' INT TERM
until wait "$soak"; do kill -0 "$soak" 2> "$dir/why" || break; done
