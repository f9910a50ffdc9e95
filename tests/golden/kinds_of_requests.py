# SPDX-License-Identifier: GPL-2.0-only
"""Four workers serve requests of three kinds by the same calls: GET / takes 0.1 ms, GET /search always 5 ms, POST /cart 0.4 ms.
In one of ten POST /cart check_stock takes 4 ms, which is less than any GET /search takes.
Answer: check_stock, in POST /cart. A search is no slow request.
Metrics.
Model.
Explore."""
from pool import LOOP
from synth import Thread, Trace

trace = Trace(seconds=6, seed=26)
trace.meta("requests", "http")
KINDS = ["GET /", "GET /search", "POST /cart"]
for number, text in enumerate(KINDS):
    trace.meta(f"request.{number + 1}", text)
for number in range(4):
    thread = Thread(trace, 100 + number, f"worker-{number}", number)
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 60_000_000:
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        kind = trace.random.choices(KINDS, [6, 2, 2])[0]
        trace.add(thread.now, thread.cpu, f"request {thread.tid} {KINDS.index(kind) + 1}")
        if kind == "GET /search":
            thread.run(trace.random.randint(4_700_000, 5_300_000), LOOP + ["serve", "search", "scan_index"])
        elif kind == "POST /cart":
            thread.run(trace.random.randint(360_000, 440_000), LOOP + ["serve", "add_to_cart"])
            if trace.random.random() < 0.1:
                thread.run(4_000_000, LOOP + ["serve", "add_to_cart", "check_stock"])
        else:
            thread.run(trace.random.randint(90_000, 110_000), LOOP + ["serve", "send_page"])
        thread.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
trace.print()
