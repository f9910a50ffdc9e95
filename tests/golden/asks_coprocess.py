# SPDX-License-Identifier: GPL-2.0-only
"""A thread reads clients' datagrams and hands each to one of three workers through a pipe. A worker asks a program beside the server
for two to six rows, waits for each in a poll, and answers on the clients' socket itself. 1 request in 25 scans all names.
Answer: scan_names, by time. A worker waits for work at the pipe, although it sleeps more often in its polls."""
from synth import Thread, Trace

trace = Trace(seconds=6, seed=91)
trace.fd(4, "datagram")
trace.fd(5, "pipe")
trace.fd(6, "pipe")
for number in range(3):
    trace.fd(10 + number, "pipe")
    trace.fd(20 + number, "pipe")
receiver = Thread(trace, 100, "receiver", 0)
workers = [Thread(trace, 101 + number, "worker", 1 + number) for number in range(3)]
RECEIVE = ["main", "receive"]
WORK = ["start_worker", "answer_questions"]
for thread in [receiver] + workers:
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
while receiver.now < trace.end_ns - 100_000_000:
    receiver.sleep("poll", trace.random.randint(2_000_000, 6_000_000), ret=1, args="0x7000,1", path=RECEIVE + ["libc:poll"])
    receiver.call("recvfrom", 4_000, ret=60, args="4", path=RECEIVE)
    number = min(range(3), key=lambda one: workers[one].now)
    worker = workers[number]
    receiver.call("write", 6_000, ret=8, args="6", path=RECEIVE)
    if worker.now > receiver.now - 10_000:
        continue
    worker.sleep("read", receiver.now - worker.now - 1000, ret=8, args="5", path=WORK + ["libc:read"], waker=receiver)
    worker.run(trace.random.randint(90_000, 130_000), WORK + ["parse"])
    for _ in range(trace.random.randint(2, 6)):
        worker.call("write", 9_000, ret=38, args=f"{10 + number}", path=WORK + ["ask_row"])
        worker.sleep("poll", trace.random.randint(40_000, 90_000), ret=1, args=f"{0x9000 + number * 256:#x},1",
                     path=WORK + ["ask_row", "libc:poll"])
        worker.call("read", 2_000, ret=25, args=f"{20 + number}", path=WORK + ["ask_row"])
    if trace.random.random() < 0.04:
        worker.run(trace.random.randint(3_000_000, 5_000_000), WORK + ["scan_names"])
    worker.call("sendto", 9_000, ret=51, args="4", path=WORK + ["send_answer"])
for worker in workers:
    worker.stuck("read", args="5")
trace.print()
