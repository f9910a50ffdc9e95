# SPDX-License-Identifier: GPL-2.0-only
"""Workers that read requests by calls, and read files by io_uring: read_blocks submits, and waits in io_uring_enter for what it asked.
That is no work, as in uring_turns: it is in the middle of a request. One request in 30 reads 40 times, in load_index.
Answer: load_index, and not read_blocks, which all call."""
from synth import Thread, Trace

LOOP = ["start_worker", "serve"]

trace = Trace(seconds=4, seed=223)
trace.fd(30, "unknown")
for number in range(3):
    trace.fd(7 + number, "accepted")
    worker = Thread(trace, 101 + number, f"worker{number}", number)
    worker.state("runnable", flags=" on_cpu")
    worker.begin()
    while worker.now < trace.end_ns - 100_000_000:
        worker.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        worker.run(trace.random.randint(90_000, 110_000), LOOP + ["parse"])
        handler, reads = ("load_index", 40) if trace.random.random() < 1 / 30 else ("show_row", 1)
        for _ in range(reads):
            worker.sleep("io_uring_enter", trace.random.randint(100_000, 200_000), ret=1, args="30",
                         path=LOOP + [handler, "read_blocks", "libc:syscall"])
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
    worker.stuck("recvfrom", args=f"{7 + number}")
trace.print()
