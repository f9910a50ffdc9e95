# SPDX-License-Identifier: GPL-2.0-only
"""An event loop on a host whose CPUs handle packets for half of the time that they are busy; it waits for a CPU in six of ten requests.
Answer: outside the program, interrupts; a hypervisor took a little, which is not said."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
trace.meta("host_cpu", "0 6000000000 8000000000 200000000 3800000000 200000000")
serve(trace)
