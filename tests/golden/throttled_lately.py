# SPDX-License-Identifier: GPL-2.0-only
"""A copy of a flight recorder that has run for an hour, in which the limit of CPU time was met only in the last 6 s.
Answer: outside the program, throttled: by the counts within the window, not by those of the hour.
Metrics."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
trace.meta("cpu_limit", "0 3606000000000 3000 100000 36060 57 4500000000 /system.slice/server.service")
trace.meta("pressure_of", "/system.slice/server.service")
for second in range(7):
    trace.meta(f"host.{second}", f"{second * 1_000_000_000} busy={second * 1_100_000_000} irq=0 softirq={second * 10_000_000} steal=0"
               f" throttled={second * 750_000_000} periods={36000 + 10 * second} periods_met={9 * second} psi_cpu={second * 900_000_000}")
serve(trace, lambda: 0)
