# SPDX-License-Identifier: GPL-2.0-only
"""See unread.py. A healthy server: two clients sent more than it wants to read now. The first thread waits in a futex for the end, and two
loops in their epolls.
Answer: that nothing can be said, since no thread did anything. Each loop is where clients are waited for, and no client is said to wait."""
from unread import sleep_on

sleep_on("futex", "0x7100,393,0", ["main", "wait_for_end", "libc:pthread_cond_wait"], 4_000_000_000,
         others=[("loop", "epoll_wait", "5,0x7200,16", ["run_loop", "libc:epoll_wait"]),
                 ("loop", "epoll_wait", "6,0x7300,16", ["run_loop", "libc:epoll_wait"])])
