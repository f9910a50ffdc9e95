# SPDX-License-Identifier: GPL-2.0-only
"""Measures how fast other tools read the same events: prints lines "name value unit".

Usage: readers.py BIN_DIRECTORY       BIN_DIRECTORY: build/user

One trace of an invented server goes to babeltrace2 as CTF, one that perf recorded of dd on this machine
comes from `perf script` by import, and one that trace-cmd recorded of dd in a guest (KERNEL, default 6.1)
from what `trace-cmd report` prints. Times are CPU time, the best of three; where a tool cannot be used
here, a comment says why.
"""

import os
import re
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


def to_script(report, output):
    """Lines of `trace-cmd report` as perf script prints them."""
    systems = {"sys_enter": "raw_syscalls", "sys_exit": "raw_syscalls",
               "sched_switch": "sched", "sched_waking": "sched"}
    line_of = re.compile(r"\s*(.+)-(\d+)\s+\[(\d+)\].*?(\d+\.\d+):\s+(\w+):\s+(.*)")
    for line in report:
        found = line_of.match(line)
        if found and found[5] in systems:
            comm, tid, cpu, time, event, fields = found.groups()
            output.write(f"{comm} {tid} [{cpu}] {time}: {systems[event]}:{event}: {fields}\n")


def tracecmd(directory, work):
    scope, data = os.path.join(directory, "scope"), os.path.join(work, "guest", "trace.dat")
    text, trace = os.path.join(work, "tracecmd"), os.path.join(work, "guest-dd")
    events = " ".join("-e " + event for event in (
        "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "sched:sched_switch", "sched:sched_waking"))
    # In memory: what the recorder itself writes is in the trace, too.
    record = ("mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true; cd /dev/shm; "
              f"trace-cmd record -q --compression none -b 32768 {events} -F -c -o trace.dat "
              "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none; cp trace.dat $VM_OUT/")
    os.mkdir(os.path.join(work, "guest"))
    if run(["tests/vm/run.sh", "-k", os.environ.get("KERNEL", "6.1"), "-t", "300",
            "-o", os.path.join(work, "guest"), "--", "bash", "-euc", record]) is None:
        return
    # -N: as the kernel's formats say, without trace-cmd's own way of printing some events.
    report = ["trace-cmd", "report", "-i", data, "-N", "-t"]
    with subprocess.Popen(report, stdout=subprocess.PIPE, text=True, errors="replace") as lines:
        with open(text, "w", encoding="utf-8") as output:
            to_script(lines.stdout, output)
    if run([scope, "import", text, "--comm", "dd", "-o", trace]) is None:
        return
    count, _ = decode(directory, trace)
    tell("readers_tracecmd_report", count, best([scope, "dump", trace]), best(report))


def main():
    with tempfile.TemporaryDirectory() as work:
        babeltrace(sys.argv[1], work)
        perf(sys.argv[1], work)
        tracecmd(sys.argv[1], work)


main()
