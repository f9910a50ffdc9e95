# SPDX-License-Identifier: GPL-2.0-only
"""Each request is written to a disk that takes 35 ms for it, after 5 ms in its queue: all of them are slow alike.
Answer: outside the program, a slow device.
Waits."""
from disks import serve

serve(seed=71, queue_ns=5_000_000, device_ns=35_000_000).print()
