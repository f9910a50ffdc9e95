# SPDX-License-Identifier: GPL-2.0-only
"""A program that schedules tasks in a thread, as Go does, and whose requests are tasks: one that waits is in no thread, and the thread
takes other requests until it can go on. The capture looks at tasks every 10 ms, and says how many wait in each place."""
from synth import Thread, Trace

SERVE = ["serve_connection"]
CONNECTIONS = range(10, 26)
LOOK_NS = 10_000_000


def serve(seed, wait_of, looks=True, seconds=8, lasting=(), peer=None, stack_of=None, short=(), timed=False, between=None):
    """wait_of(random): for how long a request waits, and the places where tasks are then; 0: it does not. lasting: rows of a place, the
    number of tasks that wait there to the end, and since when, ns; before 0: since before the window. peer: the two ends of a connection that the
    program opened. stack_of(trace, place): the addresses of a place; None: those of a goroutine. short: places in which up to that
    many tasks are at times. timed: wait_of gets the time as well. between(random): for how long the thread runs another task after an answer,
    and its path; 0: it does not."""
    trace = Trace(seconds=seconds, seed=seed)
    trace.fd(4, "epoll")
    for fd in CONNECTIONS:
        trace.fd(fd, "accepted")
    if peer:
        trace.fd(5, "connected", name="socket:[1] " + peer)
    thread = Thread(trace, 100, "server", 0)
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    waiting, waits = [], []
    free = list(CONNECTIONS)
    arrives = 1_000_000
    while thread.now < trace.end_ns - 200_000_000:
        due = min([arrives] + [one[0] for one in waiting])
        thread.sleep("epoll_pwait", max(due - thread.now, 20_000), ret=1, args="4",
                     path=["libc:find_runnable", "libc:netpoll"])
        if due == arrives:
            arrives = thread.now + trace.random.randint(500_000, 3_000_000)
            fd = free.pop(trace.random.randrange(len(free)))
            thread.call("read", 4_000, ret=100, args=fd, path=SERVE + ["libc:read"])
            thread.run(trace.random.randint(40_000, 60_000), SERVE + ["parse"])
            ns, places = wait_of(trace.random, thread.now) if timed else wait_of(trace.random)
            if ns:
                waiting.append((thread.now + ns, fd))
                waits.append((thread.now, thread.now + ns, places))
                continue
        else:
            waiting.sort()
            fd = waiting.pop(0)[1]
        thread.run(trace.random.randint(80_000, 120_000), SERVE + ["answer"])
        thread.call("write", 8_000, ret=200, args=fd, path=SERVE + ["answer", "libc:write"])
        free.append(fd)
        ns, path = between(trace.random) if between else (0, ())
        if ns:
            thread.run(ns, list(path))
    thread.stuck("epoll_pwait", args="4")
    if looks:
        look(trace, waits, lasting, stack_of or goroutine, short)
    trace.print()


def serve_locked(seed, lock, holder, asked=True, lasting=()):
    """Every 200 ms four requests wait in lock for 30 ms, in which holder runs: for a fifth request (asked), or for none."""
    trace = Trace(seconds=8, seed=seed)
    trace.fd(4, "epoll")
    for number in CONNECTIONS:
        trace.fd(number, "accepted")
    thread = Thread(trace, 100, "server", 0)
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    waits = []

    def take():
        """One more request, of a connection that has none."""
        thread.sleep("epoll_pwait", trace.random.randint(300_000, 2_000_000), ret=1, args="4",
                     path=["libc:find_runnable", "libc:netpoll"])
        fd = CONNECTIONS[take.count % len(CONNECTIONS)]
        take.count += 1
        thread.call("read", 4_000, ret=100, args=fd, path=SERVE + ["libc:read"])
        thread.run(trace.random.randint(40_000, 60_000), SERVE + ["parse"])
        return fd

    def answer(fd):
        thread.run(trace.random.randint(80_000, 120_000), SERVE + ["answer"])
        thread.call("write", 8_000, ret=200, args=fd, path=SERVE + ["answer", "libc:write"])

    take.count = 0
    due = 200_000_000
    while thread.now < trace.end_ns - 200_000_000:
        if thread.now < due:
            answer(take())
            continue
        due += 200_000_000
        waiting = [(take(), thread.now) for _ in range(4)]
        fifth = take()
        if not asked:
            answer(fifth)
        thread.run(trace.random.randint(28_000_000, 32_000_000), holder)
        if asked:
            answer(fifth)
        for client, since in waiting:
            thread.sleep("epoll_pwait", 20_000, ret=1, args="4", path=["libc:find_runnable", "libc:netpoll"])
            waits.append((since, thread.now, (lock,)))
            answer(client)
    thread.stuck("epoll_pwait", args="4")
    look(trace, waits, lasting)
    trace.print()


def goroutine(trace, place):
    return trace.chain(list(place) + ["libc:runtime.gopark"])


def look(trace, waits, lasting, stack_of=goroutine, short=()):
    """One flusher always sleeps, but for a moment now and then; and each connection that waits for a request has a task."""
    time = 5_000_000
    while time < trace.end_ns:
        places = {("flusher", "libc:time.Sleep"): int(trace.random.random() < 0.9)}
        asleep = [wait[2] for wait in waits if wait[0] <= time < wait[1]]
        if stack_of is goroutine:
            places[tuple(SERVE + ["libc:net.(*conn).Read"])] = len(CONNECTIONS) - len(asleep)
        else:
            places = {place: trace.random.randint(0, most) for place, most in short}
        for place in (place for places_of in asleep for place in places_of):
            places[place] = places.get(place, 0) + 1
        for place, count in places.items():
            if count:
                trace.add(time, 8191, f"tasks 100 {stack_of(trace, place)} unwound "
                                      f"since={LOOK_NS} count={count}")
        for place, count, from_ns in lasting:
            if from_ns <= time:
                waited = min((time - from_ns) // 1_000_000_000, 255)
                trace.add(time, 8191, f"tasks 100 {stack_of(trace, place)} unwound "
                                      f"since={LOOK_NS} count={count}" + (f" waited={waited}" if waited else ""))
        time += LOOK_NS + trace.random.randint(-20, 20) * 100_000
