# SPDX-License-Identifier: GPL-2.0-only
"""One request of ten is written to a disk that takes 35 ms for it, after 5 ms in its queue.
Answer: outside the program, a slow device; the function that waits for it comes second."""
from disks import serve

serve(seed=73, queue_ns=5_000_000, device_ns=35_000_000, each=10).print()
