# SPDX-License-Identifier: GPL-2.0-only
"""Two event loops that hang for the last two seconds, in which some events were lost on another CPU. At the
end the kernel says of the first that it has not run since, of the second that it has.
Answer: hangs in ask_helper, with high confidence, and in ask_peer, with low."""
from synth import Thread, Trace

trace = Trace(seconds=4)
trace.fd(5, "epoll")
trace.fd(7, "accepted")
trace.fd(9, "pipe")


def serve_and_stand(tid, cpu, function, ran=0):
    loop = Thread(trace, tid, f"server{cpu}", cpu)
    loop.state("runnable", flags=" on_cpu")
    loop.begin()
    while loop.now < trace.end_ns - 2_000_000_000:
        loop.sleep("epoll_wait", trace.random.randint(200_000, 800_000), ret=1, args="5")
        loop.call("read", 5_000, ret=64, args="7", path=["main", "event_loop", "read_request"])
        loop.run(trace.random.randint(80_000, 120_000), ["main", "event_loop", "handle", "parse"])
        loop.call("write", 10_000, ret=64, args="7")
    since = ran or loop.now
    loop.stuck("read", args="9")
    loop.state("sleeping", call="read", since=since, args="9,0,64,0,0,0", at_stop=True,
               path=["main", "event_loop", "handle", function, "libc:read"])


serve_and_stand(100, 0, "ask_helper")
serve_and_stand(101, 1, "ask_peer", ran=3_200_000_000)
trace.add(3_000_000_000, 2, "lost 30")
trace.print()
