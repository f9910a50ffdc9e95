# SPDX-License-Identifier: GPL-2.0-only
"""Prints the trace of four workers whose requests take 20 us for each KB that they send, give or take 2 %.

Usage: by_size_trace.py uniform|zipf SEED late|healthy
uniform: 4 to 34 KB, so that times spread over 600 us; zipf: 1 KB to 10 MB, most of them small, as by Zipf's law. late: 3 % of the requests, of any
size, take 200 us more, in check_links."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
from pool import LOOP  # noqa: E402
from synth import Thread, Trace  # noqa: E402

law, seed, late = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "late"
trace = Trace(seconds=6, seed=seed)


def size():
    """Bytes. Of the logarithms of the sizes most are small, with a tail to 10 MB."""
    if law == "uniform":
        return trace.random.randint(4 << 10, 34 << 10)
    return int(1024 * 10240 ** (trace.random.random() ** 3))


for number in range(4):
    thread = Thread(trace, 100 + number, f"worker-{number}", number)
    trace.fd(7 + number, "accepted")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    while thread.now < trace.end_ns - 300_000_000:
        bytes_sent = size()
        thread.sleep("recvfrom", trace.random.randint(300_000, 900_000), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        thread.run(int(20_000 * bytes_sent / 1024 * trace.random.lognormvariate(0, 0.02)), LOOP + ["serve", "make_page"])
        if late and trace.random.random() < 0.03:
            thread.run(200_000, LOOP + ["serve", "check_links"])
        thread.call("sendto", 10_000, ret=bytes_sent, args=f"{7 + number}", path=LOOP + ["serve", "reply"])
    thread.stuck("recvfrom", args=f"{7 + number}")
trace.print()
