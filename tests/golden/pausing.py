# SPDX-License-Identifier: GPL-2.0-only
"""A server one of whose clients pauses for 20 ms between a request that keeps something and the one that
gives it back, beside clients some of whose requests want it."""


def serve(trace, holder, others, take, answer, wait):
    """take(thread, ns): a request comes after so long; wait(thread, ns): it waits for the holder."""
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
