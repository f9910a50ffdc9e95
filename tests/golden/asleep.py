# SPDX-License-Identifier: GPL-2.0-only
"""Workers that sleep while they have a lock."""
from synth import Thread, Trace

LOCK = "0x7f00,0x80,2"
LOOP = ["start_worker", "work"]
WORKERS = 4


def serve(seed, peer_ns, shared, seconds=3):
    """shared: each request comes on a connection of its worker's own, and asks a peer for peer_ns under the lock. Else the
    worker that has the lock accepts the next client, one each peer_ns, and serves it after it released the lock."""
    trace = Trace(seconds=seconds, seed=seed)
    for number in range(WORKERS):
        trace.fd(7 + number, "accepted")
        trace.fd(20 + number, "connected")
    workers = [Thread(trace, 101 + i, f"worker{i}", i) for i in range(WORKERS)]
    for worker in workers:
        worker.state("runnable", flags=" on_cpu")
        worker.begin()
    free, holder = 0, None

    def about(ns):
        return trace.random.randint(int(0.9 * ns), int(1.1 * ns))

    while True:
        number = min(range(WORKERS), key=lambda i: workers[i].now)
        worker = workers[number]
        if worker.now > trace.end_ns - 50_000_000:
            break
        if shared:
            worker.sleep("recvfrom", about(200_000), ret=64, args=f"{7 + number}",
                         path=LOOP + ["read_request", "libc:recv"])
            worker.run(about(50_000), LOOP + ["parse"])
        if free > worker.now + 2000:
            worker.sleep("futex", free - worker.now - 1000, args=LOCK, waker=holder,
                         path=LOOP + ["enter", "libc:pthread_mutex_lock"])
        worker.run(about(5_000), LOOP + ["enter"])
        if shared:
            worker.call("sendto", 10_000, ret=64, args=f"{20 + number}", path=LOOP + ["ask_peer", "libc:send"])
            worker.sleep("recvfrom", about(peer_ns), ret=64, args=f"{20 + number}",
                         path=LOOP + ["ask_peer", "libc:recv"])
        else:
            worker.sleep("accept4", about(peer_ns), ret=7 + number, args="30", path=LOOP + ["next_client", "libc:accept"])
        worker.call("futex", 2_000, ret=1, args="0x7f00,0x81", path=LOOP + ["leave"])
        free, holder = worker.now, worker
        if not shared:
            worker.call("recvfrom", 2_000, ret=64, args=f"{7 + number}", path=LOOP + ["read_request", "libc:recv"])
            worker.run(about(200_000), LOOP + ["parse"])
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
    for number, worker in enumerate(workers):
        worker.stuck("recvfrom", args=f"{7 + number}")
    return trace
