# SPDX-License-Identifier: GPL-2.0-only
"""Rewrites a trace in text form in a way that must not change what it means.

permute  the CPUs bear other numbers
shift    everything happens 1,000 s later
double   everything takes twice as long"""
import re
import sys

change = sys.argv[1]
TIMES = re.compile(r"\b(enter|since|run|latency|queued|cost)=(\d+)")
META = {"begin_ns", "end_ns"}


def time(value):
    value = int(value)
    if change == "shift":
        return value + 1_000_000_000_000
    return 2 * value if change == "double" else value


def field(match):
    key, value = match.group(1), int(match.group(2))
    if key in ("enter", "since"):
        # since=0 means "not known".
        return f"{key}={time(value) if value or key == 'enter' else 0}"
    return f"{key}={2 * value if change == 'double' else value}"


for line in sys.stdin:
    words = line.split()
    if words[0] == "meta":
        if words[1] in META:
            line = f"meta {words[1]} {time(words[2])}\n"
        elif words[1] == "sample_ns" and change == "double":
            line = f"meta sample_ns {2 * int(words[2])}\n"
    elif words[0].isdigit():
        cpu = int(words[1])
        rest = line.split(None, 2)[2]
        line = f"{time(words[0])} {31 - cpu if change == 'permute' else cpu} " + TIMES.sub(field, rest)
    sys.stdout.write(line)
