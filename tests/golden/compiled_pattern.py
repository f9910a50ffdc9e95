# SPDX-License-Identifier: GPL-2.0-only
"""A server that matches what is asked for with a pattern that a library has compiled to machine code, as PCRE2 does. That code has no
name. 1 request in 25 is matched for 4 ms longer.
Answer: match_rules, which calls the library, and not the code that the library made."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=76)
trace.file(1, 0x400000, "/usr/sbin/server", ["start_loop", "parse", "check_rules", "match_rules", "answer"], package=True)
trace.file(2, 0x7f0000001000, "/usr/lib/x86_64-linux-gnu/libpcre2-8.so.0.11.2", ["pcre2_match_8"])
trace.map(0x7f0000100000, 0x7f0000110000, "-", "-")
trace.functions["pattern"] = 0x7f0000100810
trace.fd(5, "epoll")
trace.fd(7, "accepted")
loop = Thread(trace, 100, "server", 0)
loop.state("runnable", flags=" on_cpu")
loop.begin()
while loop.now < trace.end_ns - 60_000_000:
    loop.sleep("epoll_wait", trace.random.randint(500_000, 1_500_000), ret=1, args="5", path=["start_loop", "libc:epoll_wait"])
    loop.call("read", 5_000, ret=64, args="7", path=["start_loop", "libc:read"])
    loop.run(trace.random.randint(150_000, 250_000), ["start_loop", "parse"])
    loop.run(trace.random.randint(30_000, 50_000), ["start_loop", "check_rules", "match_rules"])
    if trace.random.random() < 0.04:
        loop.run(trace.random.randint(3_900_000, 4_300_000), ["start_loop", "check_rules", "match_rules", "pcre2_match_8", "pattern"])
    loop.call("write", 8_000, ret=500, args="7", path=["start_loop", "answer", "libc:write"])
trace.print()
