# SPDX-License-Identifier: GPL-2.0-only
"""Twenty workers, each with a client of its own, do the same things for requests of very different sizes. One of them
takes three times as long for each; another one's client asks three times as often.
Answer: the slow one is out of line, and is slower; then the busy one, which gets more work.
Model."""
from pool import LOOP
from synth import Thread, Trace

trace = Trace(seconds=4, seed=77)
workers = [Thread(trace, 100 + i, f"worker-{i}", i) for i in range(20)]
for number, thread in enumerate(workers):
    slow = 3 if number == 13 else 1
    pause = 2_000_000 if number == 4 else 18_000_000
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 60_000_000:
        thread.sleep("recvfrom", int(pause * trace.random.uniform(0.8, 1.2)), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        thread.run(int(slow * 1_000_000 * trace.random.lognormvariate(0, 1)), LOOP + ["serve", "make_page"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
trace.print()
