# SPDX-License-Identifier: GPL-2.0-only
"""Four threads of a runtime that schedules tasks, as Go's does. A thread without a task sleeps in a futex of its own until another
thread has one for it; one thread at a time polls. A request is a task: one thread reads it; of every three requests one
waits for a lock of the runtime's, and goes on in another thread, which answers."""
from synth import Thread, Trace

PARK = ["libc:find_runnable", "libc:futex_sleep"]
TASK = ["serve_connection"]


def serve(seed, check_ns, seconds=6):
    """check_ns(random): how long the check of a request runs that goes on in another thread."""
    trace = Trace(seconds=seconds, seed=seed)
    trace.fd(4, "epoll")
    for fd in range(10, 26):
        trace.fd(fd, "accepted")
    threads = [Thread(trace, 100 + number, "server", number) for number in range(4)]
    for thread in threads:
        thread.state("runnable", flags=" on_cpu")
        thread.begin()

    def unpark(thread, by):
        """It has slept since its last task until now, as another thread knows the time."""
        thread.sleep("futex", by.now - thread.now - 3_000, args=f"{0xc000 + thread.tid * 256:#x},0x80,0", path=PARK, waker=by)

    poller = threads[0]
    while poller.now < trace.end_ns - 100_000_000:
        poller.sleep("epoll_pwait", trace.random.randint(1_000_000, 4_000_000), ret=1, args="4",
                     path=["libc:find_runnable", "libc:netpoll"])
        fd = trace.random.randint(10, 25)
        poller.call("read", 4_000, ret=100, args=fd, path=TASK + ["libc:read"])
        poller.run(trace.random.randint(40_000, 60_000), TASK + ["parse"])
        others = sorted((one for one in threads if one is not poller), key=lambda one: one.now)
        if trace.random.random() < 1 / 3 and others[0].now < poller.now - 20_000:
            unpark(others[0], poller)
            others[0].run(check_ns(trace.random), TASK + ["check"])
            others[0].call("write", 8_000, ret=200, args=fd, path=TASK + ["answer", "libc:write"])
        else:
            poller.run(trace.random.randint(80_000, 120_000), TASK + ["check"])
            poller.call("write", 8_000, ret=200, args=fd, path=TASK + ["answer", "libc:write"])
        # Another thread polls from now on, and this one parks, whatever becomes of the task that it began.
        if trace.random.random() < 0.5 and others[1].now < poller.now - 20_000:
            unpark(others[1], poller)
            poller = others[1]
            poller.run(4_000, ["libc:find_runnable"])
    trace.print()
