# SPDX-License-Identifier: GPL-2.0-only
"""As tasks_background, but the goroutine that reads the zone holds a lock for which requests wait.
Answer: read_zone."""
from tasks_asleep import SERVE, serve_locked

serve_locked(89, tuple(SERVE + ["find_host", "libc:sync.(*RWMutex).RLock"]), ["keep_zone", "read_zone"], asked=False,
             lasting=[(("keep_zone", "libc:time.Sleep"), 1, 0)])
