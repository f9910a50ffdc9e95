# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. Two of a library's tasks that serve wait for a lock in book_seat, one since before the window. Others
idle as long: tasks that read the next request, workers at their queue, main, and one in chat that reads from its client.
Answer: book_seat hangs."""
from tasks_asleep import serve

HTTP = "libc:net/http.(*conn).serve"
IDLE = [((HTTP, "libc:net.(*conn).Read"), 12, -5_000_000_000), (("run_worker", "libc:runtime.chanrecv"), 4, -9_000_000_000),
        (("libc:runtime.main", "main", "libc:os/signal.wait"), 1, -9_000_000_000),
        ((HTTP, "chat", "libc:net.(*conn).Read"), 3, -4_000_000_000)]

if __name__ == "__main__":
    serve(77, lambda random: (0, ()), lasting=IDLE + [
        ((HTTP, "answer", "book_seat", "libc:sync.(*Mutex).lockSlow"), 1, -3_000_000_000),
        ((HTTP, "answer", "book_seat", "libc:sync.(*Mutex).lockSlow", "libc:runtime.semacquire1"), 1, 2_000_000_000)])
