# SPDX-License-Identifier: GPL-2.0-only
"""Workers that ask one backend by datagrams, for one or two rows in each request; load_orders asks for 40, one after the other,
in 4 requests of 100. A row takes as long as ever. What comes from the backend begins no request, and is not its client's size.
Answer: load_orders, and not query_row, which all call."""
from synth import Thread, Trace

LOOP = ["start_worker", "serve"]

trace = Trace(seconds=4, seed=37)
for number in range(3):
    trace.fd(7 + number, "accepted")
    trace.fd(20 + number, "datagram")
for number in range(3):
    worker = Thread(trace, 101 + number, f"worker{number}", number)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    while worker.now < trace.end_ns - 100_000_000:
        worker.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        worker.run(trace.random.randint(90_000, 110_000), LOOP + ["parse"])
        handler, rows = trace.random.choice([("show_user", 1), ("show_item", 2), ("load_orders", 2)])
        if trace.random.random() < 0.04:
            handler, rows = "load_orders", 40
        for _ in range(rows):
            worker.call("sendto", 9_000, ret=64, args=f"{20 + number}", path=LOOP + [handler, "query_row"])
            worker.sleep("recvfrom", trace.random.randint(150_000, 250_000), ret=64, args=f"{20 + number}",
                         path=LOOP + [handler, "query_row", "libc:recv"])
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
    worker.stuck("recvfrom", args=f"{7 + number}")
trace.print()
