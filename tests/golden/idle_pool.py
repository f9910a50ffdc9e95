# SPDX-License-Identifier: GPL-2.0-only
"""A pool of workers that keep a connection each: two serve theirs; three have none, and have waited
for one on the pool's condition variable since before the window; one stands still on another condition
variable, in the middle of what the others do for a request.
Answer: a hang in wait_for_status, that alone."""
from synth import Thread, Trace

trace = Trace(seconds=3, seed=9)
START = 70_000_000_000
trace.head = [line for line in trace.head if not line.startswith(("meta begin", "meta end"))]
trace.meta("begin_ns", str(START))
trace.end_ns = START + 3_000_000_000
trace.meta("end_ns", str(trace.end_ns))

loop = ["start_worker", "work"]
still = {"spare": (loop + ["pop_client", "libc:pthread_cond_wait"], "0x7e00,0x189,0,0,0,0"),
         "hung": (loop + ["serve", "wait_for_status", "libc:pthread_cond_wait"], "0x8f00,0x189,0,0,0,0")}
standing = [Thread(trace, 101 + i, name, i, now=START) for i, name in
            enumerate(["spare", "spare", "spare", "hung"])]
serving = [Thread(trace, 105 + i, "worker", 4 + i, now=START) for i in range(2)]
for thread in standing:
    path, args = still[thread.comm]
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=args, path=path)
for number, thread in enumerate(serving):
    trace.fd(7 + number, "accepted")
    args = f"{7 + number},0,64,0,0,0"
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 20_000_000:
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                     path=loop + ["read_request", "libc:recv"])
        thread.run(trace.random.randint(80_000, 120_000), loop + ["serve", "make_page"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=loop + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
    thread.state("sleeping", call="recvfrom", since=thread.now, args=args, at_stop=True,
                 path=loop + ["read_request", "libc:recv"])
for thread in standing:
    path, args = still[thread.comm]
    thread.state("sleeping", call="futex", since=START - 60_000_000_000, args=args, path=path,
                 at_stop=True)
trace.print()
