# SPDX-License-Identifier: GPL-2.0-only
"""Workers that serve clients, and a stage with a lock and a pipe that they all ask in each request."""
from synth import Thread, Trace

LOCK = "0x7f00,0x80,2"
LOOP = ["start_worker", "work"]
WORKERS = 4


def serve(seed, stage_ns, own_ns, pause_ns, seconds=3):
    """Each worker waits for its client for pause_ns, works for own_ns, takes the lock, asks the stage, which
    computes for stage_ns, and answers. All alike, but for some chance."""
    trace = Trace(seconds=seconds, seed=seed)
    for number in range(WORKERS):
        trace.fd(7 + number, "accepted")
    trace.fd(20, "pipe")
    trace.fd(21, "pipe")
    workers = [Thread(trace, 101 + i, f"worker{i}", i) for i in range(WORKERS)]
    stage = Thread(trace, 110, "stage", WORKERS)
    for thread in workers + [stage]:
        thread.state("runnable", flags=" on_cpu")
        thread.begin()
    free, holder = 0, None

    def about(ns):
        return trace.random.randint(int(0.9 * ns), int(1.1 * ns))

    def arrive(worker, number):
        worker.sleep("recvfrom", about(pause_ns), ret=64, args=f"{7 + number}",
                     path=LOOP + ["read_request", "libc:recv"])
        worker.run(about(own_ns), LOOP + ["parse"])

    for number, worker in enumerate(workers):
        arrive(worker, number)
    while True:
        number = min(range(WORKERS), key=lambda i: workers[i].now)
        worker = workers[number]
        if worker.now > trace.end_ns - 50_000_000:
            break
        if free > worker.now + 2000:
            worker.sleep("futex", free - worker.now - 1000, args=LOCK, waker=holder,
                         path=LOOP + ["ask_stage", "libc:pthread_mutex_lock"])
        asked = worker.now + 2000
        if asked - stage.now > 2000:
            stage.sleep("read", asked - stage.now - 1000, ret=1, args="20", waker=worker,
                        path=["start_stage", "next_job", "libc:read"])
        worker.call("write", 5_000, ret=1, args="21", path=LOOP + ["ask_stage", "libc:write"])
        stage.run(about(stage_ns), ["start_stage", "stage_compute"])
        answered = max(stage.now, worker.now + 3000)
        stage.call("write", answered + 2000 - stage.now, ret=1, args="21", path=["start_stage", "answer"])
        worker.sleep("read", answered - worker.now - 1000, ret=1, args="20", waker=stage,
                     path=LOOP + ["ask_stage", "libc:read"])
        worker.call("futex", 2_000, ret=1, args="0x7f00,0x81", path=LOOP + ["ask_stage"])
        free, holder = worker.now, worker
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
        arrive(worker, number)
    for number, worker in enumerate(workers):
        worker.stuck("recvfrom", args=f"{7 + number}")
    stage.stuck("read", args="20")
    return trace
