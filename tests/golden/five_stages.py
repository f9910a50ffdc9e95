# SPDX-License-Identifier: GPL-2.0-only
"""Three threads "stage" serve requests that go through five stages, each a call and eight functions. Stage 3 asks a
backend, and stage 4 takes longer the shorter the answer took. One function of stage 2, check_7, takes 5 ms more for one
request in ten. A thread "audit" serves short requests, and one in fifty reads a second file, which always takes 8 ms.
Answer: check_7 is slow. Requests of "stage" have one path, and a standard deviation of 5 ms x sqrt(0.1 x 0.9) of
4.26 ms, 35 %; the stretch between read(file) and read(backend) holds all of it, by check_7; the shares of stages 3 and 4
cancel. Requests of "audit" have two paths, both even, and what varies is between them; one is consistently slow, in the
stretch after its second read, by count_all.
Explore."""
from synth import Thread, Trace

trace = Trace(seconds=20, seed=26)
names = [[f"{stage}_{i}" for i in range(8)] for stage in ("parse", "check", "fetch", "merge", "render")]


def run(thread, stage, total_ns, extra_ns=0):
    """The time of a stage over its functions; the extra in its last one."""
    functions = names[stage]
    for i, name in enumerate(functions):
        thread.run(total_ns / len(functions) + (extra_ns if i == 7 else 0), ["main", "serve", name])


def take(thread, fd):
    """The next request, while there is time for one."""
    thread.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{fd}", path=["main", "libc:recv"])
    return thread.now < trace.end_ns - 60_000_000


def serve(thread, fd):
    while take(thread, fd):
        run(thread, 0, 800_000)
        thread.call("read", 20_000, ret=100, args="20", path=["main", "serve", "check_0"])
        run(thread, 1, 900_000, 5_000_000 if trace.random.random() < 0.1 else 0)
        asked = trace.random.randint(100_000, 900_000)
        thread.sleep("read", asked, ret=100, args="30", path=["main", "serve", "fetch_0", "libc:read"])
        run(thread, 2, 700_000)
        thread.call("write", 20_000, ret=100, args="20", path=["main", "serve", "merge_0"])
        run(thread, 3, 1_000_000 - asked)
        thread.call("sendto", 20_000, ret=64, args=f"{fd}", path=["main", "serve", "render_0"])
        run(thread, 4, 300_000)


def audit(thread, fd):
    while take(thread, fd):
        thread.call("read", 20_000, ret=100, args="20", path=["main", "audit", "next_row"])
        thread.run(500_000 + trace.random.randint(0, 8_000), ["main", "audit", "check_row"])
        if trace.random.random() < 0.02:
            thread.call("pread64", 20_000, ret=100, args="20", path=["main", "audit", "count_all"])
            thread.run(8_000_000 + trace.random.randint(0, 8_000), ["main", "audit", "count_all"])
        thread.call("sendto", 20_000, ret=64, args=f"{fd}", path=["main", "audit", "reply"])


trace.fd(20, "file")
trace.fd(30, "connected")
for number in range(4):
    one = Thread(trace, 100 + number, f"stage-{number}" if number < 3 else "audit", number)
    trace.fd(7 + number, "accepted")
    one.state("runnable", flags=" on_cpu")
    one.begin()
    (serve if number < 3 else audit)(one, 7 + number)
    one.stuck("read", args="20")
trace.print()
