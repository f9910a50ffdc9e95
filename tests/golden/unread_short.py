# SPDX-License-Identifier: GPL-2.0-only
"""See unread.py. What two clients sent has not been read for 2 s: it may be a busy moment.
Answer: nothing can be said."""
from unread import sleep_on

sleep_on("poll", "0x7000,1,0xffffffff", ["main", "serve", "wait_for_work", "libc:poll"], 2_000_000_000)
