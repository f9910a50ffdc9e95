# SPDX-License-Identifier: GPL-2.0-only
"""Each tenth request grows a buffer, and its worker has to make room for the limit of its control group: 20 ms.
Answer: outside the program, memory, although grow_buffer has all of the excess."""
from synth import Thread, Trace

LOOP = ["start_worker", "work"]
WORKERS = 4

trace = Trace(seconds=6, seed=81)
trace.meta("control_group", "/small")
for number in range(WORKERS):
    trace.fd(7 + number, "accepted")
for number in range(WORKERS):
    worker = Thread(trace, 101 + number, f"worker{number}", number)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    count = 0
    while worker.now < trace.end_ns - 100_000_000:
        worker.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        worker.run(trace.random.randint(90_000, 110_000), LOOP + ["parse"])
        count += 1
        if count % 10 == 0:
            trace.add(worker.now, number, f"stall {worker.tid} 1")
            worker.run(trace.random.randint(19_000_000, 21_000_000), LOOP + ["grow_buffer"])
            trace.add(worker.now, number, f"stall {worker.tid} 1 end")
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
    worker.stuck("recvfrom", args=f"{7 + number}")
trace.print()
