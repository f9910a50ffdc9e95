# SPDX-License-Identifier: GPL-2.0-only
"""The main thread and another one run the same loop, which each calls from where it started. The other one waits in the middle of a request for
what nobody signals, since before the trace.
Answer: a hang in wait_signal. Requests of the main thread run what the other one entered from the loop."""
from synth import Thread, Trace

LOOP = ["run_loop", "do_one"]
OTHER = ["start_worker", *LOOP, "handle", "serve_request", "wait_signal", "libc:pthread_cond_wait"]

trace = Trace(seconds=4, seed=251)
trace.begin_at(20_000_000_000)
trace.fd(5, "epoll")
for number in range(3):
    trace.fd(7 + number, "accepted")
other = Thread(trace, 101, "server", 1, now=20_000_000_000)
other.state("sleeping", call="futex", since=11_000_000_000, args="0x7100,393,0", path=OTHER)
main = Thread(trace, 100, "server", 0, now=20_000_000_000)
main.state("runnable", flags=" on_cpu")
main.begin()
while main.now < trace.end_ns - 100_000_000:
    fd = 7 + trace.random.randrange(3)
    main.sleep("epoll_wait", trace.random.randint(1_000_000, 5_000_000), ret=1, args="5", path=["main", *LOOP, "libc:epoll_wait"])
    main.call("recvfrom", 5_000, ret=64, args=f"{fd}", path=["main", *LOOP, "handle", "libc:recv"])
    main.run(trace.random.randint(90_000, 130_000), ["main", *LOOP, "handle", "serve_request", "parse"])
    main.call("sendto", 9_000, ret=64, args=f"{fd}", path=["main", *LOOP, "handle", "libc:send"])
main.state("sleeping", call="epoll_wait", since=main.now, args="5", path=["main", *LOOP, "libc:epoll_wait"], at_stop=True)
other.state("sleeping", call="futex", since=11_000_000_000, args="0x7100,393,0", path=OTHER, at_stop=True)
trace.print()
