# SPDX-License-Identifier: GPL-2.0-only
"""An event loop in a virtual machine whose CPUs the hypervisor gives to others for a third of the time that they are wanted; it waits
for a CPU in six of ten requests.
Answer: outside the program, stolen by the hypervisor; no interrupts, although there are some."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
trace.meta("host_cpu", "0 6000000000 8000000000 100000000 300000000 4000000000")
serve(trace)
