# SPDX-License-Identifier: GPL-2.0-only
"""A pool of threads of which some have a connection each and serve it; the trace begins a while after
they did."""
from synth import Trace

START = 70_000_000_000
LOOP = ["start_worker", "work"]


def begin_late(seed):
    """A trace of 3 s from START on."""
    trace = Trace(seconds=3, seed=seed)
    trace.begin_at(START)
    return trace


def serve(trace, threads, work):
    """Each of the threads answers requests on its connection, which take it a while below work."""
    for number, thread in enumerate(threads):
        trace.fd(7 + number, "accepted")
        thread.state("runnable", flags=" on_cpu")
        thread.begin()
        while thread.now < trace.end_ns - 20_000_000:
            thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                         path=LOOP + ["read_request", "libc:recv"])
            thread.run(trace.random.randint(80_000, 120_000), LOOP + work)
            thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["serve", "reply"])
        thread.stuck("recvfrom", args=f"{7 + number}")
        thread.state("sleeping", call="recvfrom", since=thread.now, args=f"{7 + number},0,64,0,0,0",
                     at_stop=True, path=LOOP + ["read_request", "libc:recv"])


def retry(thread, path, calls, helper=()):
    """Sleeps of 40 ms to the end, below the helper if there is one, with calls between that fail."""
    asleep = [*path, *helper, "libc:nanosleep"]
    thread.state("sleeping", call="nanosleep", since=thread.now - 3_000_000, args="0x1000,0", path=asleep)
    while thread.now < thread.trace.end_ns - 100_000_000:
        thread.sleep("nanosleep", 40_000_000, args="0x1000,0", path=asleep)
        for call in calls:
            thread.call(call, 20_000, ret=-17, path=path + ["libc:open"])
        thread.run(30_000, path)
    since = thread.now
    thread.stuck("nanosleep", args="0x1000,0")
    thread.state("sleeping", call="nanosleep", since=since, args="0x1000,0", at_stop=True, path=asleep)
