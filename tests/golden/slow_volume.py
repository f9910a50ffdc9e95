# SPDX-License-Identifier: GPL-2.0-only
"""Requests are written to a logical volume whose disk takes 35 ms for each; the capture did not see which file was open.
Answer: outside the program, a slow device; the tree names the disk, and the volume on it.
Waits."""
from disks import serve

serve(seed=72, queue_ns=5_000_000, device_ns=35_000_000, file=False,
      name="sdb1, mounted at /srv as vg-srv (dm-3)").print()
