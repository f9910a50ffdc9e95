# SPDX-License-Identifier: GPL-2.0-only
"""A server in Python: its stacks are those of the interpreter alone, and snapshots every 10 ms, of a thread that runs or
sleeps, have the functions of the program."""
import bisect

from synth import Thread, Trace

EVAL = ["Py_BytesMain", "_PyEval_EvalFrameDefault"]
BASE = 1 << 60
PERIOD_NS = 10_000_000
APP = ["<module>", "serve_forever", "handle"]


class Interpreted:
    """A thread, and which functions of Python it is in."""
    BEGIN = 0x1000  # address of the native functions

    def __init__(self, seed, seconds, file, preempted, body):
        self.file, self.preempted, self.body = file, preempted, body or file
        self.trace = Trace(seconds=seconds, seed=seed)
        for number, (name, module) in enumerate(self.native()):
            address = self.BEGIN + 0x100 * number
            self.trace.head.append(f"sym 0 {address:#x} 0x100 {name} {module} program")
            self.trace.functions[name] = address + 0x10
        self.trace.fd(5, "epoll")
        self.trace.fd(7, "accepted")
        self.names, self.stays, self.dues = {}, [], [5_000_000]
        while self.dues[-1] < self.trace.end_ns:
            self.dues.append(self.dues[-1] + PERIOD_NS + self.trace.random.randint(-20, 20) * 100_000)
        self.thread = Thread(self.trace, 100, "python3", 0)
        self.thread.state("runnable", flags=" on_cpu")
        self.thread.begin()

    @staticmethod
    def native():
        """Functions of native stacks, and their modules."""
        return [(name, "python3.11") for name in EVAL]

    @staticmethod
    def stack_of(path, asleep):
        """The native stack in these functions."""
        del path, asleep
        return EVAL

    def symbol(self, name):
        return f"py::{name}:{self.body if name == '<module>' else self.file}"

    def frames(self, path):
        """Addresses as in a trace: a caller's is after the call."""
        for name in path:
            if name not in self.names:
                self.names[name] = BASE + 16 * len(self.names)
                self.trace.head.append(f"sym 0 {self.names[name]:#x} 0x10 {self.symbol(name)} [jit] program")
        return ",".join(hex(self.names[name] + (number > 0)) for number, name in enumerate(reversed(path)))

    def in_function(self, functions, do, *words, **named):
        thread = do.__self__
        begin = thread.now
        do(*words, **named)
        self.stays.append((begin, thread.now, functions, thread.tid))

    def run_preempted(self, ns):
        """Leaves the CPU to the process that takes snapshots, for each of them."""
        thread, end = self.thread, self.thread.now + int(ns)
        while (due := self.dues[bisect.bisect(self.dues, thread.now + 100_000)]) < end:
            thread.run(due - 50_000 - thread.now, self.stack_of([], False))
            thread.wait_for_cpu(200_000)
            end += 200_000
        thread.run(end - thread.now, self.stack_of([], False))

    def run(self, ns, path):
        begin = self.thread.now
        if self.preempted:
            self.run_preempted(ns)
        else:
            self.thread.run(ns, self.stack_of(path, False))
        self.stays.append((begin, self.thread.now, path, self.thread.tid))

    def sleep(self, call, ns, path, **named):
        self.in_function(path, self.thread.sleep, call, ns, path=self.stack_of(path, True), **named)

    def print(self):
        """Snapshots fall where they fall; the time between them varies, so that they are in step with nothing."""
        for begin, end, path, tid in self.stays:
            for due in self.dues[bisect.bisect(self.dues, begin):bisect.bisect_left(self.dues, end)]:
                self.trace.add(due, 8191, f"snapshot {tid} {self.frames(path)} unwound since={PERIOD_NS}")
        self.trace.print()


MATCH = "sre_ucs1_match"


class Matching(Interpreted):
    """Its native stacks say when it matches a pattern, in search."""
    @staticmethod
    def native():
        return [(name, "python3.11") for name in EVAL + [MATCH]]

    @staticmethod
    def stack_of(path, asleep):
        return EVAL + [MATCH] if path and path[-1] == "search" and not asleep else EVAL


def search(server):
    """What half of the slow requests do."""
    if server.trace.random.random() < 0.5:
        server.run(4_000_000, APP + ["search"])


def serve(seed, slow, seconds=12, hang=None, file="/srv/app.py", preempted=False, body=None, kind=Interpreted):
    """slow: what one request in 20 does as well. hang: in which function it stops in the middle of the trace.
    file: of all functions. preempted: by each snapshot. body: the file of the script, if it is another one."""
    server = kind(seed, seconds, file, preempted, body)
    thread, random = server.thread, server.trace.random
    while thread.now < server.trace.end_ns - 60_000_000:
        server.sleep("epoll_wait", random.randint(200_000, 3_000_000), APP[:2], ret=1, args="5")
        thread.call("read", 5_000, ret=64, args="7", path=server.stack_of(APP, True))
        server.run(random.randint(1_000_000, 1_400_000), APP + ["parse"])
        if random.random() < 0.05:
            slow(server)
        if hang and thread.now > server.trace.end_ns / 2:
            begin = thread.now
            thread.stuck("futex", args="0x7f00,128")
            server.stays.append((begin, server.trace.end_ns, APP + [hang], 100))
            break
        server.run(random.randint(200_000, 300_000), APP + ["reply"])
        thread.call("write", 10_000, ret=64, args="7", path=server.stack_of(APP, True))
    else:
        thread.stuck("epoll_wait", args="5")
    server.print()
