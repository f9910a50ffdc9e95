# SPDX-License-Identifier: GPL-2.0-only
"""Prints the trace of a pool of threads that serve requests, of which one is out of line, and its number on stderr.

Usage: uneven_trace.py THREADS SEED slower|more-work|waits-more|alike"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
from synth import Thread, Trace  # noqa: E402

threads, seed, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
trace = Trace(seconds=2, seed=seed, stack_min_ns=None)
odd = seed * 7919 % threads
times = 1.5 + 1.5 * (seed - 1) / 19  # seeds 1 to 20: 1.5 to 3 times
for number in range(threads):
    out = kind if number == odd else "alike"
    pause = 36_000_000 if out != "more-work" else 12_000_000
    thread = Thread(trace, 100 + number, f"worker-{number}", number % 64)
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 100_000_000:
        thread.sleep("recvfrom", int(pause * trace.random.uniform(0.8, 1.2)), ret=64, args=f"{7 + number}")
        thread.run(int((times if out == "slower" else 1) * 1_000_000 * trace.random.lognormvariate(0, 0.3)), [])
        thread.sleep("pread64", int((times if out == "waits-more" else 1) * 1_500_000 *
                                    trace.random.lognormvariate(0, 0.3)), ret=64, args="5")
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}")
    thread.stuck("recvfrom", args=f"{7 + number}")
trace.print()
print(100 + odd, file=sys.stderr)
