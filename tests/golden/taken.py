# SPDX-License-Identifier: GPL-2.0-only
"""An event loop from which another process takes the CPU in most of its requests, beside a limit that it hardly meets.
Answer: outside the program, and which process: most of it is cc1, two processes of that name."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
trace.meta("cpu_limit", "0 6000000000 90000 100000 60 2 40000000 /system.slice/server.service")
trace.meta("task.900", "900 backup")
trace.meta("task.902", "901 cc1")
trace.meta("task_group.902", "/user.slice/build")
trace.meta("task.903", "903 cc1")
serve(trace, lambda: trace.random.choice([900, 902, 902, 903, 904]))
