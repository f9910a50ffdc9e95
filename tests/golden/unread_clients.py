# SPDX-License-Identifier: GPL-2.0-only
"""See unread.py. What two clients sent has not been read for 4 s, while the thread sleeps in a poll.
Answer: a hang in ask_directory, since clients wait; nothing else shows it, because the thread did nothing in the window."""
from unread import sleep_on

sleep_on("poll", "0x7000,1,0xffffffff", ["main", "serve", "authorize", "ask_directory", "libc:poll"], 4_000_000_000)
