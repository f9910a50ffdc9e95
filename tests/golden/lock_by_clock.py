# SPDX-License-Identifier: GPL-2.0-only
"""Workers that take requests from a message queue of the kernel, and answer by another. A thread beside them holds a lock most of the time,
and sleeps with it by a clock, as it does at the top of its loop. One request in 30 takes that lock.
Answer: keep_ticket."""
from synth import Thread, Trace

WORK, KEEP = ["start_worker", "serve"], ["start_keeper", "keep_tickets"]

trace = Trace(seconds=4, seed=239)
workers = [Thread(trace, 100 + number, "worker", number) for number in range(3)]
keeper = Thread(trace, 110, "keeper", 3)
for thread in [*workers, keeper]:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while min(worker.now for worker in workers) < trace.end_ns - 100_000_000:
    worker = min(workers, key=lambda one: one.now)
    worker.sleep("msgrcv", trace.random.randint(4_000_000, 12_000_000), ret=64, args="3", path=WORK + ["take", "libc:msgrcv"])
    worker.run(trace.random.randint(90_000, 130_000), WORK + ["parse"])
    if trace.random.random() < 1 / 30:
        begun = worker.now
        while keeper.now < begun + 8_000_000:
            keeper.sleep("clock_nanosleep", 10_000_000, args="0,0", path=KEEP + ["keep_ticket", "libc:usleep"])
            keeper.run(3_000, KEEP)
        keeper.call("futex", 3_000, ret=1, args="0x7000,1,1", path=KEEP + ["keep_ticket", "libc:unlock"])
        worker.sleep("futex", keeper.now - begun, args="0x7000,0,2", waker=keeper, path=WORK + ["take_ticket", "libc:lock"])
    worker.call("msgsnd", 6_000, args="4", path=WORK + ["give", "libc:msgsnd"])
while keeper.now < trace.end_ns - 100_000_000:
    keeper.sleep("clock_nanosleep", 10_000_000, args="0,0", path=KEEP + ["keep_ticket", "libc:usleep"])
for worker in workers:
    worker.stuck("msgrcv", args="3")
keeper.stuck("clock_nanosleep", args="0,0")
trace.print()
