# SPDX-License-Identifier: GPL-2.0-only
"""Workers that write each request to a disk."""
from synth import Thread, Trace

LOOP = ["start_worker", "work"]
WORKERS = 4


def serve(seed, queue_ns, device_ns, seconds=6, each=1, file=True, name="sdb1, mounted at /srv"):
    """Every each-th request waits for queue_ns in the queue of the disk, and then takes device_ns on it. file: it is known which one."""
    trace = Trace(seconds=seconds, seed=seed)
    if file:
        trace.fd(40, "file", name="/srv/data/log")
    trace.meta("device.8:17", name)
    for number in range(WORKERS):
        trace.fd(7 + number, "accepted")
    for number in range(WORKERS):
        worker = Thread(trace, 101 + number, f"worker{number}", number)
        worker.state("runnable", flags=" on_cpu")
        worker.begin()
        sector = 4096 * number
        count = 0
        while worker.now < trace.end_ns - 100_000_000:
            worker.sleep("recvfrom", trace.random.randint(1_000_000, 3_000_000), ret=64, args=f"{7 + number}",
                         path=LOOP + ["read_request", "libc:recv"])
            worker.run(trace.random.randint(90_000, 110_000), LOOP + ["parse"])
            count += 1
            if count % each == 0:
                queue, device = (int(ns * trace.random.uniform(0.9, 1.1)) for ns in (queue_ns, device_ns))
                issued = worker.now + 500 + queue
                place = f"{worker.tid} write dev=8,17 sector={sector} bytes=4096"
                trace.add(issued, number, f"block_issue {place} queued={queue} sync")
                trace.add(issued + device, number, f"block_done {place} latency={device} sync")
                sector += 8
                worker.sleep("fdatasync", queue + device, args="40", path=LOOP + ["write_log", "libc:fdatasync"])
            worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
        worker.stuck("recvfrom", args=f"{7 + number}")
    return trace
