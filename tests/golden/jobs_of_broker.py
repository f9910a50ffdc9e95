# SPDX-License-Identifier: GPL-2.0-only
"""Three threads ask a broker for jobs, each by a connection of its own, and wait 6 ms on average for one; each job asks a
database, for 0.2 to 0.3 ms. The process has no clients. 1 job in 25 has a large picture.
Answer: resize_picture, by time; nobody waits for a slow peer, since the broker has no job for the thread."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=91)
WORK = ["start_worker", "run_jobs"]
workers = [Thread(trace, 100 + i, "worker", i) for i in range(3)]
for i, thread in enumerate(workers):
    trace.fd(5 + i, "connected")
    trace.fd(10 + i, "connected")
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
for i, thread in enumerate(workers):
    while thread.now < trace.end_ns - 80_000_000:
        thread.call("sendto", 6_000, ret=40, args=5 + i, path=WORK + ["ask_for_job"])
        thread.sleep("recvfrom", int(trace.random.expovariate(1 / 6_000_000)) + 20_000, ret=64, args=5 + i,
                     path=WORK + ["ask_for_job", "libc:recv"])
        thread.run(trace.random.randint(90_000, 130_000), WORK + ["do_job", "decode_picture"])
        thread.call("sendto", 5_000, ret=90, args=10 + i, path=WORK + ["do_job", "find_owner"])
        thread.sleep("recvfrom", trace.random.randint(200_000, 300_000), ret=64, args=10 + i,
                     path=WORK + ["do_job", "find_owner", "libc:recv"])
        if trace.random.random() < 0.04:
            thread.run(trace.random.randint(3_000_000, 5_000_000), WORK + ["do_job", "resize_picture"])
        thread.call("write", 7_000, ret=900, args=1, path=WORK + ["do_job", "save_picture"])
    thread.stuck("recvfrom", args=5 + i)
trace.print()
