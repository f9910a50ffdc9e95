# SPDX-License-Identifier: GPL-2.0-only
"""Requests are tasks; see tasks_asleep.py. Every 200 ms one of them reads a directory in look_up for 30 ms, with a lock for which four others
wait there.
Answer: read_directory first, which runs while they wait: a wait for another task has its cause in what that one does."""
from synth import Thread, Trace
from tasks_asleep import CONNECTIONS, SERVE, look

LOCK = (tuple(SERVE + ["look_up", "libc:sync.(*Mutex).Lock"]),)
trace = Trace(seconds=8, seed=79)
trace.fd(4, "epoll")
for number in CONNECTIONS:
    trace.fd(number, "accepted")
thread = Thread(trace, 100, "server", 0)
thread.state("runnable", flags=" on_cpu")
thread.begin()
waits = []


def take():
    """One more request, of a connection that has none."""
    thread.sleep("epoll_pwait", trace.random.randint(300_000, 2_000_000), ret=1, args="4",
                 path=["libc:find_runnable", "libc:netpoll"])
    fd = CONNECTIONS[take.count % len(CONNECTIONS)]
    take.count += 1
    thread.call("read", 4_000, ret=100, args=fd, path=SERVE + ["libc:read"])
    thread.run(trace.random.randint(40_000, 60_000), SERVE + ["parse"])
    return fd


def answer(fd):
    thread.run(trace.random.randint(80_000, 120_000), SERVE + ["answer"])
    thread.call("write", 8_000, ret=200, args=fd, path=SERVE + ["answer", "libc:write"])


take.count = 0
due = 200_000_000
while thread.now < trace.end_ns - 200_000_000:
    if thread.now < due:
        answer(take())
        continue
    due += 200_000_000
    waiting = [(take(), thread.now) for _ in range(4)]
    holder = take()
    thread.run(trace.random.randint(28_000_000, 32_000_000), SERVE + ["look_up", "read_directory"])
    answer(holder)
    for client, since in waiting:
        thread.sleep("epoll_pwait", 20_000, ret=1, args="4", path=["libc:find_runnable", "libc:netpoll"])
        waits.append((since, thread.now, LOCK))
        answer(client)
thread.stuck("epoll_pwait", args="4")
look(trace, waits, ())
trace.print()
