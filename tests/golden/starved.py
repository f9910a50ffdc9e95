# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that waits for a CPU in most of its requests: something else takes it.
Answer: outside the program; no function is named."""
from short_of_cpu import serve
from synth import Trace

trace = Trace(seconds=6, seed=17)
serve(trace)
