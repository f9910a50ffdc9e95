# SPDX-License-Identifier: GPL-2.0-only
"""An event loop whose control group has a limit of CPU time, which it meets in most periods.
Answer: outside the program, throttled; the process that runs on its CPU in that time took nothing from it."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
trace.meta("cpu_limit", "0 6000000000 3000 100000 60 57 4500000000 /system.slice/server.service")
trace.meta("task.900", "900 backup")
serve(trace, lambda: 900)
