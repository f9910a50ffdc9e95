#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Measure the cost of delay experiments, the error of the delays, and the time to a verdict: "name value unit".
#
# Usage: tests/bench/causal/cost.sh      KERNEL= as for tests/bench/run.sh (6.1)
# The guest counts instructions as time, so a busy host changes nothing.
#
#   delay_overhead, speedup_overhead  by what a program that works and sleeps takes longer for each round
#                             while experiments are on, in those that hold nobody up
#   delay_late_...            by what delays of 0.1 to 0.6 ms are longer than asked, median and 99 %
#   delay_verdict_s           experiments until the effect has a word, with four lengths, 0.5 s each
#   unvisited_loss_PROGRAM    the same, by the program's own count, while rules of every kind are armed at
#                             places where nobody comes by; of a program that works and sleeps, and of
#                             one that works alone (work.c)
#   delay_run_loss_...        while sensitivities are measured, delays and all, of the lengths that
#   speedup_run_loss_...      --by auto takes; while speedups are, of the shares drawn by default
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$(cd "${BUILD:-build}" && pwd)
kernel=${KERNEL:-6.1}
scripts/setup.sh bench
unpacked=$(scripts/kernel.sh "$kernel")
module=$(scripts/kernel.sh -x "$kernel" scripts/kmod.sh "$unpacked/headers")
mkdir -p "$build/bench/causal"
gcc -O1 -g -Wall -Wextra -pthread -o "$build/bench/causal/cost_work" tests/bench/causal/work.c -ldl
exec tests/vm/run.sh -i -c 1 -k "$kernel" -t 300 -- tests/bench/causal/cost_guest.sh \
	"$build/user/scope" "$module" "$build/bench/causal/cost_work"
