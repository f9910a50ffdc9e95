# SPDX-License-Identifier: GPL-2.0-only
"""How fast other tools read the same events: lines "name value unit".

Usage: readers.py BIN_DIRECTORY       BIN_DIRECTORY: build/user

One trace of an invented server goes to babeltrace2 as CTF, and one that perf recorded of dd on this
machine comes from `perf script` by import. Times are CPU time, the best of three; where a tool cannot
be used here, a comment says why. trace-cmd reads what trace-cmd has recorded, and that takes a kernel
that lets ftrace be switched on.
"""

import os
import resource
import subprocess
import sys
import tempfile

EVENTS = 500000
ROUNDS = 3


def run(command, output=subprocess.DEVNULL):
    """CPU seconds of the command; None: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        print(f"# {' '.join(command[:3])}: {done.stderr.decode(errors='replace').strip()[:200]}")
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def best(command):
    times = [run(command) for _ in range(ROUNDS)]
    return None if None in times else min(times)


def decode(directory, trace):
    """Seconds in which all events of a trace are read, without the start of a program."""
    program = os.path.join(directory, "bench", "decode")
    done = subprocess.run([program, trace], stdout=subprocess.PIPE, text=True, check=True)
    events, seconds = done.stdout.split()
    return int(events), float(seconds)


def tell(name, events, own, other):
    if own and other:
        print(f"{name}_events_per_s {events / other:.0f} events/s")
        print(f"{name}_speed {other / own:.1f} times", flush=True)


def babeltrace(directory, work):
    scope, trace = os.path.join(directory, "scope"), os.path.join(work, "server")
    run([os.path.join(directory, "bench", "server_trace"), "-n", str(EVENTS), "-s", "1", "-o", trace])
    run([scope, "export", "ctf", trace, "-o", os.path.join(work, "ctf")])
    events, seconds = decode(directory, trace)
    print(f"readers_scope_events_per_s {events / seconds:.0f} events/s")
    ctf = os.path.join(work, "ctf")
    tell("readers_babeltrace2", events, seconds,
         best(["babeltrace2", ctf, "-o", "dummy"]))
    text = best([scope, "dump", trace])
    print(f"readers_scope_text_events_per_s {events / text:.0f} events/s")
    tell("readers_babeltrace2_text", events, text, best(["babeltrace2", ctf]))


def perf(directory, work):
    scope, data = os.path.join(directory, "scope"), os.path.join(work, "perf.data")
    text, trace = os.path.join(work, "text"), os.path.join(work, "dd")
    record = ["perf", "record", "-q", "-m", "8M", "-e",
              "raw_syscalls:*,sched:sched_switch,sched:sched_waking", "-o", data, "dd",
              "if=/dev/zero", "of=/dev/null", "bs=1", "count=50000"]
    script = ["perf", "script", "-i", data, "-F", "comm,pid,tid,cpu,time,event,trace"]
    if run(record) is None:
        return
    with open(text, "wb") as output:
        if run(script, output) is None:
            return
    if run([scope, "import", text, "--comm", "dd", "-o", trace]) is None:
        return
    events, _ = decode(directory, trace)
    own = best([scope, "dump", trace])
    tell("readers_perf_script", events, own, best(script))


def main():
    with tempfile.TemporaryDirectory() as work:
        babeltrace(sys.argv[1], work)
        perf(sys.argv[1], work)


main()
