# SPDX-License-Identifier: GPL-2.0-only
"""A pool that is a library's, as those of GLib or of a language: idle threads have no function of the program on their stacks. One of three
has waited in wait_ready, below handle, since before the trace began; another thread of the library waits in refresh for its turn.
Answer: a hang in wait_ready, since requests of the others run below handle; nothing about refresh."""
from pool import START, begin_late
from synth import Thread

POOL = ["libc:start_thread"]
trace = begin_late(59)
workers = [Thread(trace, 101 + i, "pool", i, now=START) for i in range(2)]
for number, thread in enumerate(workers):
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 20_000_000:
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}", path=POOL + ["libc:recv"])
        thread.run(trace.random.randint(80_000, 120_000), POOL + ["handle", "render"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=POOL + ["handle", "libc:send"])
    thread.stuck("recvfrom", args=f"{7 + number}")
    thread.state("sleeping", call="recvfrom", since=thread.now, args=f"{7 + number},0,64,0,0,0", at_stop=True, path=POOL + ["libc:recv"])
for number, (tid, function) in enumerate(((110, "handle"), (111, "refresh"))):
    waits = Thread(trace, tid, "pool", 2 + number, now=START)
    path = POOL + [function, "wait_ready", "libc:pthread_cond_wait"]
    for at_stop in (False, True):
        waits.state("sleeping", call="futex", since=START - 60_000_000_000, args=f"{0x7f00 + 64 * number:#x},0x189,0,0,0,0", path=path,
                    at_stop=at_stop)
trace.print()
