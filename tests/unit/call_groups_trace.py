# SPDX-License-Identifier: GPL-2.0-only
"""Prints the trace of a program whose threads have other roles than their names suggest.

Usage: call_groups_trace.py roles|names|pool|many SEED
roles: 64 threads of one name in four roles of 28, 18, 12 and 6; the last two call the same functions, with weights swapped.
names: 32 threads of as many names, all in one role. pool: 8 threads of one name that serve clients, each its own; two of
them serve slow ones. many: 5,000 threads of 2,500 names in two roles."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "golden"))
from synth import Thread, Trace  # noqa: E402

kind, seed = sys.argv[1], int(sys.argv[2])
SIZES = [28, 18, 12, 6]
trace = Trace(seconds=2, seed=seed, stack_min_ns=1_000_000)


def live(thread, rounds, role):
    """Works now and then, in one function or another."""
    thread.state("runnable", flags=" on_cpu")
    thread.begin()
    for _ in range(rounds):
        thread.sleep("clock_nanosleep", 10_000_000 * trace.random.uniform(0.8, 1.2), args="1", path=["start", "loop"])
        for _ in range(4):
            most = trace.random.random() < 0.75
            step = {0: "parse", 1: "flush", 2: "pack" if most else "unpack", 3: "unpack" if most else "pack"}[role]
            thread.run(3_000_000 * trace.random.lognormvariate(0, 0.2), ["start", "loop", step])
    thread.stuck("clock_nanosleep", args="1")


if kind == "roles":
    roles = [role for role, size in enumerate(SIZES) for _ in range(size)]
    trace.random.shuffle(roles)
    for number, role in enumerate(roles):
        live(Thread(trace, 100 + number, f"worker-{number}", number), 40, role)
elif kind == "names":
    for number in range(32):
        name = "".join(trace.random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))
        live(Thread(trace, 100 + number, name, number), 40, 2)
elif kind == "pool":
    for number in range(8):
        thread = Thread(trace, 100 + number, f"conn-{number}", number)
        trace.fd(7 + number, "accepted")
        thread.state("runnable", flags=" on_cpu")
        thread.begin()
        for _ in range(40):
            thread.sleep("recvfrom", 20_000_000 * trace.random.uniform(0.8, 1.2), ret=64, args=f"{7 + number}",
                         path=["start", "serve"])
            thread.run(4_000_000, ["start", "serve", "slow" if number < 2 else "quick"])
            thread.call("sendto", 10_000, ret=64, args=f"{7 + number}")
        thread.stuck("recvfrom", args=f"{7 + number}")
else:
    for number in range(5000):
        name = f"{chr(97 + number % 25)}{chr(97 + number // 25 % 25)}{chr(97 + number // 625 % 4)}-x"
        live(Thread(trace, 100 + number, name, number % 64), 3, number % 2)
trace.print()
