# SPDX-License-Identifier: GPL-2.0-only
"""Writes synthetic traces in the text form of `scope dump`: threads that serve requests, with
samples and stacks as the module would take them. Every golden trace is a short program on it."""
import gc
import random

# A trace is a list of lines until it is printed: nothing of it is garbage before.
gc.disable()

SAMPLE_NS = 1_000_000
STACK_MIN_NS = 100_000
KERNEL_TEXT = 0xffffffff81000000


class Trace:
    def __init__(self, seconds, seed=1, stack_min_ns=STACK_MIN_NS):
        """stack_min_ns: None for no stacks and no samples, 0 for a stack at every call."""
        self.stack_min_ns = stack_min_ns
        self.lines = []  # (time, order, text)
        self.head = []
        self.end_ns = int(seconds * 1e9)
        self.random = random.Random(seed)
        self.functions = {}
        self.chains = {}
        self.kernel_functions = {}
        self.next_address = 0x1000
        self.meta("kernel", "6.1.0")
        self.meta("source", "text")
        self.meta("command", "server")
        self.meta("pid", "100")
        self.meta("begin_ns", "0")
        self.meta("end_ns", str(self.end_ns))
        self.sample_ns = [(0, SAMPLE_NS)]  # (from time, period)
        self.meta("sample_ns", str(SAMPLE_NS))

    def begin_at(self, time):
        """The trace begins then, so that what threads do can have begun long before."""
        self.head = [line for line in self.head if not line.startswith(("meta begin", "meta end"))]
        self.meta("begin_ns", str(time))
        self.end_ns += time
        self.meta("end_ns", str(self.end_ns))

    def sample_from(self, time, ns):
        """Samples come so far apart from then on, which is later than any said before."""
        self.sample_ns.append((time, ns))
        self.meta(f"sample_ns.{time}", str(ns))

    def sample_behind(self, time):
        """When the first sample after that time is due."""
        period = next(ns for begin, ns in reversed(self.sample_ns) if begin <= time)
        return time - time % period + period

    def meta(self, key, value):
        self.head.append(f"meta {key} {value}")

    def function(self, name, library=False):
        """Address inside a function of that name; declared on first use."""
        if name not in self.functions:
            module = "libc.so.6" if library else "server"
            kind = "library" if library else "program"
            self.head.append(f"sym 0 {self.next_address:#x} 0x100 {name} {module} {kind}")
            self.functions[name] = self.next_address + 0x10
            self.next_address += 0x100
        return self.functions[name]

    def library_function(self, name, module):
        """A function of the program that is in a library of its own."""
        self.function(name)
        self.head[-1] = self.head[-1].replace(" server program", f" {module} program")

    def chain(self, path):
        """Outermost first, as people say it; innermost first, as stacks are stored. Names that
        begin with libc: are library functions."""
        key = tuple(path)
        if key not in self.chains:
            self.chains[key] = ",".join(hex(self.function(name.removeprefix("libc:"), name.startswith("libc:")))
                                        for name in reversed(path))
        return self.chains[key]

    def kernel(self, name):
        """Words after a sample that hit that function of the kernel."""
        if name not in self.kernel_functions:
            start = KERNEL_TEXT + 0x100 * len(self.kernel_functions)
            self.head.append(f"sym 0 {start:#x} 0x100 {name} [kernel] library")
            self.kernel_functions[name] = start + 0x10
        return f" kernel_ip={self.kernel_functions[name]:#x} kernel"

    def fd(self, number, kind, tgid=100, name="-"):
        word = name.replace(" ", "\\x20")
        self.head.append(f"fd {tgid} {number} {kind} {word}")

    def map(self, start, end, path, build_id, tgid=100, package=False):
        """package: the file was built from the same source package as the program."""
        self.head.append(f"map {tgid} {start:#x} {end:#x} 0x0 x {path} {build_id}" + (" package" if package else ""))

    def file(self, number, start, path, functions, package=False, messages=()):
        """A file mapped there, which the capture read, with these functions; messages: those whose name is in messages."""
        self.map(start, start + 0x1000, path, f"5e12e12e12e{number}", package=package)
        self.head.append(f"file {number} read 0 {len(functions)} {len(functions)} {path} 5e12e12e12e{number} -")
        for place, name in enumerate(functions):
            offset = 0x10 + 0x100 * place
            self.functions[name] = start + offset
            # A caller's address is after the call, so the call itself is looked up.
            for at in (offset - 1, offset):
                self.head.append(f"code {number} {at:#x} {0x100 * place:#x} 0x100 {name} 0 function named"
                                 f"{' message' if name in messages else ''}")

    def stack(self, thread, ns, path):
        """After a call that took ns."""
        if path and self.stack_min_ns is not None and ns >= self.stack_min_ns:
            self.add(thread.now, thread.cpu, f"stack {thread.tid} {self.chain(path)}")

    def add(self, time, cpu, text):
        time = int(time)
        self.lines.append((time, len(self.lines), f"{time} {cpu} {text}"))

    def print(self):
        self.lines.sort()
        print("\n".join(self.head))
        print("\n".join(text for _, _, text in self.lines))


class Thread:
    """One thread on a CPU of its own, so that nothing but its own story moves it."""

    def __init__(self, trace, tid, comm, cpu, now=0, tgid=100):
        self.trace, self.tid, self.comm, self.cpu, self.now = trace, tid, comm, cpu, now
        self.tgid = tgid
        self.sampled = now - now % SAMPLE_NS

    def state(self, state, call=None, since=0, args="", path=None, at_stop=False, flags=""):
        # The first state of a thread is written as the window begins, the last as it ends.
        time = self.trace.end_ns - 1000 + self.cpu if at_stop else self.now
        call = f" nr={call}" if call else ""
        args = f" args={args}" if args else ""
        flags += " at_stop" if at_stop else ""
        self.trace.add(time, self.cpu, f"state {self.tid} tgid={self.tgid} state={state}{call} "
                       f"since={since} run=0 comm={self.comm}{args}{flags}")
        if path:
            self.trace.add(time, self.cpu, f"stack {self.tid} {self.trace.chain(path)}")

    def begin(self):
        """The thread gets the CPU for the first time."""
        self.trace.add(self.now, self.cpu, f"switch 0 {self.tid} sleeping")

    def run(self, ns, path, kernel=None):
        """Computes for ns inside path, in that function of the kernel; samples fall where they fall."""
        inside = self.trace.kernel(kernel) if kernel else ""
        end = self.now + int(ns)
        while self.trace.sample_behind(self.sampled) <= end:
            self.sampled = self.trace.sample_behind(self.sampled)
            if self.sampled > self.now and self.trace.stack_min_ns is not None:
                self.trace.add(self.sampled, self.cpu,
                               f"sample {self.tid} {self.trace.chain(path)}{inside}")
        self.now = end

    def call(self, name, ns, ret=0, args="", path=None):
        """A call that does not sleep."""
        enter = self.now
        self.run(ns, path or ["main"])
        args = f" args={args}" if args else ""
        self.trace.add(self.now, self.cpu,
                       f"syscall {self.tid} {name} enter={enter} ret={ret}{args}")
        if not self.trace.stack_min_ns:
            self.trace.stack(self, ns, path)

    def sleep(self, name, ns, ret=0, args="", path=None, waker=None, queue_ns=2000, begins=None):
        """A call that sleeps for ns, is woken by an interrupt or by another thread, and waits for a
        CPU for queue_ns. begins: an event after its enter."""
        enter = self.now
        args = f" args={args}" if args else ""
        self.now += 1000
        self.trace.add(self.now, self.cpu, f"enter {self.tid} {name} enter={enter}{args}")
        if begins:
            self.trace.add(self.now, self.cpu, begins)
        self.trace.add(self.now, self.cpu, f"switch {self.tid} 0 sleeping")
        self.now += int(ns)
        if waker:
            self.trace.add(self.now, waker.cpu, f"waking {self.tid} from {waker.tid} task")
        else:
            self.trace.add(self.now, self.cpu, f"waking {self.tid} from - hardirq")
        self.now += int(queue_ns)
        self.trace.add(self.now, self.cpu, f"switch 0 {self.tid} sleeping")
        self.now += 1000
        self.trace.add(self.now, self.cpu, f"exit {self.tid} {name} ret={ret}")
        self.trace.stack(self, ns, path)
        self.sampled = max(self.sampled, self.now - self.now % SAMPLE_NS)

    def wait_for_cpu(self, ns, other=0, said=True):
        """
        Preempted, by a thread of that number if there is one, and on the CPU again after ns. said: False: as perf events
        have it that do not say it was preempted, but that it could go on.
        """
        self.trace.add(self.now, self.cpu, f"switch {self.tid} 0 runnable" + (" preempted" if said else "") + (f" other={other}" if other else ""))
        self.now += int(ns)
        self.trace.add(self.now, self.cpu, f"switch 0 {self.tid} sleeping")
        self.sampled = max(self.sampled, self.now - self.now % SAMPLE_NS)

    def fork(self, tid, comm, cpu):
        """A new thread, on its CPU 5 us later."""
        self.trace.add(self.now, self.cpu, f"fork {tid} parent={self.tid} tgid={self.tgid} "
                       f"comm={comm}")
        child = Thread(self.trace, tid, comm, cpu, self.now + 5_000, self.tgid)
        child.begin()
        return child

    def exit(self):
        self.trace.add(self.now, self.cpu, f"thread_exit {self.tid} tgid={self.tgid}")
        self.trace.add(self.now, self.cpu, f"switch {self.tid} 0 dead")

    def stuck(self, name, args=""):
        """Enters a call and never comes back."""
        self.trace.add(self.now + 1000, self.cpu,
                       f"enter {self.tid} {name} enter={self.now}" + (f" args={args}" if args else ""))
        self.trace.add(self.now + 1000, self.cpu, f"switch {self.tid} 0 sleeping")
