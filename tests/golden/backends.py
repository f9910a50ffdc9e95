# SPDX-License-Identifier: GPL-2.0-only
"""Workers that ask one backend in each request, over a pool of connections, and a cache beside it."""
from synth import Thread, Trace

LOOP = ["start_worker", "serve"]
WORKERS = 4


def serve(seed, backend_ns, seconds=6):
    """backend_ns(random): what the backend takes for an answer."""
    trace = Trace(seconds=seconds, seed=seed)
    for number in range(WORKERS):
        trace.fd(7 + number, "accepted")
        trace.fd(20 + number, "connected", name=f"socket:[{900 + number}] to 10.0.0.5:5432")
        trace.fd(30 + number, "connected", name=f"socket:[{950 + number}] to 10.0.0.9:11211")
    for number in range(WORKERS):
        worker = Thread(trace, 101 + number, f"worker{number}", number)
        worker.state("runnable", flags=" on_cpu")
        worker.begin()
        while worker.now < trace.end_ns - 100_000_000:
            worker.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{7 + number}",
                         path=LOOP + ["read_request", "libc:recv"])
            worker.run(trace.random.randint(90_000, 110_000), LOOP + ["parse"])
            for fd, ns, name in ((30 + number, trace.random.randint(150_000, 250_000), "ask_cache"),
                                 (20 + number, backend_ns(trace.random), "ask_backend")):
                worker.call("sendto", 9_000, ret=64, args=f"{fd}")
                worker.sleep("recvfrom", ns, ret=64, args=f"{fd}", path=LOOP + [name, "libc:recv"])
            worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
        worker.stuck("recvfrom", args=f"{7 + number}")
    trace.print()
