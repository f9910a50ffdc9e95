# SPDX-License-Identifier: GPL-2.0-only
"""A server one of whose clients pauses for 20 ms between a request that keeps something and the one that
gives it back, beside clients some of whose requests want it."""
from synth import Thread


def serve(trace, holder, others, take, answer, wait):
    """take(thread, ns): a request comes after ns; wait(thread, ns): it waits for the holder."""
    held = []  # from when, until when
    while holder.now < trace.end_ns - 80_000_000:
        take(holder, trace.random.randint(2_000_000, 4_000_000))
        answer(holder)
        begin = holder.now
        take(holder, 20_000_000)
        held.append((begin, holder.now + 40_000))
        answer(holder)
    for thread in others:
        while thread.now < trace.end_ns - 80_000_000:
            take(thread, trace.random.randint(500_000, 1_500_000))
            until = [end for begin, end in held if begin < thread.now < end - 3_000_000]
            if until and trace.random.random() < 0.06:
                wait(thread, until[0] - thread.now - 1000)
            answer(thread)


def serve_rows(trace, rare=lambda thread: None):
    """Threads that serve a connection each by poll and read. 5 of 100 requests of the others wait for a
    row that the first one's client changed, on a condition variable. rare(thread): what some requests do
    besides."""
    holder, *others = threads = [Thread(trace, 100 + i, "server", i) for i in range(3)]
    for number, thread in enumerate(threads):
        trace.fd(7 + number, "accepted")
        thread.fd = 7 + number
        thread.state("runnable", flags=" on_cpu")
        thread.begin()

    def take(thread, ns):
        thread.sleep("poll", ns, ret=1, args="0x7ffc0010,1,28800",
                     path=["serve", "read_packet", "wait_packet", "libc:poll"])
        thread.call("recvfrom", 5_000, ret=64, args=f"{thread.fd}", path=["serve", "read_packet"])

    def answer(thread):
        thread.run(trace.random.randint(80_000, 120_000), ["serve", "execute"])
        rare(thread)
        thread.call("sendto", 10_000, ret=64, args=f"{thread.fd}", path=["serve", "answer"])

    def wait(thread, ns):
        thread.sleep("futex", ns, args="0x7e00,0x89,0", waker=holder,
                     path=["serve", "execute", "wait_row", "libc:pthread_cond_wait"])

    serve(trace, holder, others, take, answer, wait)
    for thread in threads:
        thread.stuck("poll", args="0x7ffc0010,1,28800")
