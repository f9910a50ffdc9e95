# SPDX-License-Identifier: GPL-2.0-only
"""Each request is written to a disk that takes 4 ms for it. That is most of its time, and the disk is as good as it was.
Answer: nothing abnormal.
Waits."""
from disks import serve

serve(seed=72, queue_ns=1_000_000, device_ns=4_000_000).print()
