# SPDX-License-Identifier: GPL-2.0-only
"""See unread.py. What two clients sent has not been read for 4 s. The loop sleeps in a futex, a thread that tidies up by a clock, and one of a
library in a poll, without a function of the program on its stack.
Answer: a hang in wait_signal: neither of the others serves clients."""
from unread import sleep_on

sleep_on("futex", "0x7100,393,0", ["main", "libc:run_loop", "serve", "wait_signal", "libc:pthread_cond_wait"], 4_000_000_000,
         others=[("keeper", "clock_nanosleep", "0,0,0x7200", ["keep_tickets", "libc:clock_nanosleep"]),
                 ("pool", "poll", "0x7300,1,0xffffffff", ["libc:start_thread", "libc:poll"])])
