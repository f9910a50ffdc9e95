# SPDX-License-Identifier: GPL-2.0-only
"""Each request computes for 6 to 9 ms with the interpreter's lock, and the next one comes at once. So some thread
waits for another at any time, in slices of 5 ms.
Answer: no request is slower than others, but evaluate, which runs with the lock, is what all of them wait for."""
from interpreter import serve

serve(23, None, (6_000_000, 9_000_000)).print()
