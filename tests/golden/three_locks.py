# SPDX-License-Identifier: GPL-2.0-only
"""Three threads of which each holds a lock and waits for that of the next one: the last of them waits for the first. Another worker serves.
Answer: a deadlock of the three, each with the one that it waits for."""
from beside import serve_beside, sleep_on, sleep_since
from synth import Thread, Trace

trace = Trace(seconds=3, seed=6)
trace.fd(5, "epoll")
trace.fd(6, "epoll")
START = 70_000_000_000  # so that the hang can lie before the window
trace.begin_at(START)

HELD = [  # (thread, name, the lock it waits for, its owner, where)
    (101, "clerk", 0x8100, 102, "take_order"),
    (102, "packer", 0x8200, 103, "pack_order"),
    (103, "driver", 0x8300, 101, "ship_order"),
]
threads = sleep_since(trace, START, [(100, "server", "pause", "", 69, ["main", "wait_for_signals", "libc:pause"])] + [
    (tid, name, "futex", f"{lock:#x},0x80,2,0,0,0", 40 + tid % 100, ["start_worker", place, "libc:pthread_mutex_lock"])
    for tid, name, lock, owner, place in HELD])
busy = Thread(trace, 104, "worker", 1, now=START)
idle = ["start_worker", "worker_loop", "libc:epoll_wait"]
busy.state("sleeping", call="epoll_wait", since=START - 1_000_000, args="6,0,64,0,0,0", path=idle)
for tid, _, lock, owner, _ in HELD:  # pthread_mutex_t: taken with waiters, once, by its owner
    trace.head.append(f"memory {tid} {lock:#x} 0200000001000000{owner:02x}00000001000000")

serve_beside(busy, idle)
sleep_on(threads)
busy.state("sleeping", call="epoll_wait", since=busy.now, args="6,0,64,0,0,0", path=idle, at_stop=True)
trace.print()
