# SPDX-License-Identifier: GPL-2.0-only
"""Four workers send pages of 4 to 34 KB, which they make at 20 us for each KB: times spread over 600 us. In 3 % of the
requests of any size check_links takes 200 us more.
Answer: check_links. A large page is no slow request.
Model.
Calls."""
from pool import LOOP
from synth import Thread, Trace

trace = Trace(seconds=10, seed=25)
for number in range(4):
    thread = Thread(trace, 100 + number, f"worker-{number}", number)
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 60_000_000:
        size = trace.random.randint(4 << 10, 34 << 10)
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        thread.run(int(20_000 * size / 1024 * trace.random.lognormvariate(0, 0.02)), LOOP + ["serve", "make_page"])
        if trace.random.random() < 0.03:
            thread.run(200_000, LOOP + ["serve", "check_links"])
        thread.call("sendto", 10_000, ret=size, args=f"{7 + number}", path=LOOP + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
trace.print()
