# SPDX-License-Identifier: GPL-2.0-only
"""Four workers that serve clients. In each request one of four locks is taken, each of another kind: a mutex, a PI mutex,
a reader-writer lock, and a condition variable that a helper signals. Of 20 requests at each of these one waits for
4 ms while the helper runs in refill, the others for 1 ms while it runs in copy. At the end two threads
that have a lock each wait for the other one's, for 30 s.
Answer: DEADLOCK of left and right; four futexes, waited for as long (p50 1.0 ms, p99 4.0 ms), by their kinds; the three
locks are held by helper, in copy and in refill: of 23 ms 19 and 4.
Waits."""
from synth import Thread, Trace

LOOP = ["start_worker", "work"]
START = 70_000_000_000
KINDS = [  # (arguments, function that waits, what the library calls it)
    ("0x7000,0x80,2", "take_mutex", "libc:pthread_mutex_lock"),
    ("0x7100,0x86,0", "take_pi", "libc:pthread_mutex_lock"),
    ("0x7208,0x189,3", "take_rw", "libc:pthread_rwlock_rdlock"),
    ("0x7328,0x189,0", "await_item", "libc:pthread_cond_wait"),
]
ROUNDS = 200

trace = Trace(seconds=3, seed=71)
trace.head = [line for line in trace.head if not line.startswith(("meta begin", "meta end"))]
trace.end_ns = START + 3_000_000_000
trace.meta("begin_ns", str(START))
trace.meta("end_ns", str(trace.end_ns))
workers = [Thread(trace, 101 + i, f"worker{i}", i, now=START) for i in range(4)]
helper = Thread(trace, 110, "helper", 4, now=START)
stuck = [Thread(trace, 120, "left", 5, now=START), Thread(trace, 121, "right", 6, now=START)]
for number in range(4):
    trace.fd(7 + number, "accepted")
for thread in workers + [helper]:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
# pthread_mutex_t: taken with waiters, once, by the other one.
trace.head.append("memory 120 0x8100 02000000010000007900000001000000")
trace.head.append("memory 121 0x8000 02000000010000007800000001000000")

for turn in range(ROUNDS):
    for number, worker in enumerate(workers):
        args, function, library = KINDS[number]
        slow = turn % 20 == 7
        while worker.now < helper.now:
            worker.sleep("recvfrom", 100_000, ret=64, args=f"{7 + number}", path=LOOP + ["libc:recv"])
            worker.run(20_000, LOOP + ["parse"])
            worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
        worker.sleep("recvfrom", 100_000, ret=64, args=f"{7 + number}", path=LOOP + ["libc:recv"])
        begin = worker.now + 1000
        # The helper takes it as the worker comes for it, and gives it back.
        helper.sleep("nanosleep", begin - helper.now - 4000, path=["start_helper", "libc:nanosleep"])
        helper.run(4_000_000 if slow else 1_000_000, ["start_helper", "refill" if slow else "copy"])
        helper.call("futex", 2_000, ret=1, args=args.split(",")[0] + ",0x81,1", path=["start_helper"])
        worker.sleep("futex", helper.now - begin, args=args, waker=helper, path=LOOP + [function, library])
        worker.call("sendto", 10_000, ret=64, args=f"{7 + number}", path=LOOP + ["reply"])
for number, worker in enumerate(workers):
    worker.stuck("recvfrom", args=f"{7 + number}")
helper.stuck("nanosleep")
for at_stop in (False, True):
    for thread, other, path in ((stuck[0], "0x8100", "lock_right"), (stuck[1], "0x8000", "lock_left")):
        thread.state("sleeping", call="futex", since=START - 30_000_000_000, args=f"{other},0x80,2",
                     path=["start_pair", path, "libc:pthread_mutex_lock"], at_stop=at_stop)
trace.print()
