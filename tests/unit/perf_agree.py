#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Samples of perf record --call-graph dwarf as lines for scope dump --reverse, and two lists of stacks compared.

Usage: perf_agree.py text PERF.DATA            prints the lines
       perf_agree.py addresses PERF.DATA       of perf record -g: for tests/bench/symbols.c
       perf_agree.py compare PERF OURS LEAST   both as perf script prints them; exit 1 below LEAST percent,
                                               3 where perf found hardly any frames
"""
import re
import struct
import sys

# Of perf's registers (arch/x86/include/uapi/asm/perf_regs.h), in the order of DWARF, pc last.
ORDER = [0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8]
SKIPPED = [(16, 8), (0, 8)]  # fields of a sample before the thread: bit, bytes


def records(data):
    attr_size, attr_at, _, data_at, data_bytes = struct.unpack_from("<5Q", data, 16)
    sample_type, = struct.unpack_from("<Q", data, attr_at + 24)
    mask, = struct.unpack_from("<Q", data, attr_at + 80)
    at = data_at
    while at < data_at + data_bytes:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, data[at + 8:at + size], sample_type, mask
        at += size


def sample(body, kinds, mask):
    at = 0
    for bit, size in SKIPPED:
        at += size if kinds >> bit & 1 else 0
    _, tid, time = struct.unpack_from("<IIQ", body, at)
    at += 16
    for bit in (3, 6, 9, 7, 8):
        at += 8 if kinds >> bit & 1 else 0
    if kinds >> 5 & 1:
        at += 8 + 8 * struct.unpack_from("<Q", body, at)[0]
    abi, = struct.unpack_from("<Q", body, at)
    at += 8
    if not abi:
        return None
    numbers = [bit for bit in range(64) if mask >> bit & 1]
    values = dict(zip(numbers, struct.unpack_from("<%dQ" % len(numbers), body, at)))
    at += 8 * len(numbers)
    size, = struct.unpack_from("<Q", body, at)
    used = struct.unpack_from("<Q", body, at + 8 + size)[0] if size else 0
    return tid, time, [values[r] for r in ORDER], body[at + 8:at + 8 + used]


def text(path):
    with open(path, "rb") as file:
        data = file.read()
    maps, events = [], []
    for kind, body, kinds, mask in records(data):
        if kind == 10:  # MMAP2
            pid, _, start, size, offset = struct.unpack_from("<IIQQQ", body)
            protection, = struct.unpack_from("<I", body, 56)
            name = body[64:body.index(0, 64)].decode()
            if protection & 4 and pid != 0xffffffff:
                maps.append('map %d %#x %#x %#x x %s -' % (pid, start, start + size, offset, name))
        elif kind == 9 and kinds >> 12 & 3 == 3:
            found = sample(body, kinds, mask)
            if found:
                events.append(found)
    print("meta source perf\nmeta stacks copy\nmeta sample_ns 1000000")
    print("\n".join(maps))
    for tid, time, regs, stack in sorted(events, key=lambda event: event[1]):
        print("%d 0 sample %d regs=%s data=%s" % (time, tid, ",".join(map(hex, regs)), stack.hex()))


def addresses(path):
    with open(path, "rb") as file:
        data = file.read()
    for kind, body, kinds, _ in records(data):
        if kind == 10:
            pid, _, start, size, offset = struct.unpack_from("<IIQQQ", body)
            if struct.unpack_from("<I", body, 56)[0] & 4 and pid != 0xffffffff:
                print("M %d %x %x %x %s" % (pid, start, size, offset,
                                            body[64:body.index(0, 64)].decode()))
        elif kind == 9 and kinds >> 5 & 1:
            at = sum(size for bit, size in SKIPPED if kinds >> bit & 1)
            pid, = struct.unpack_from("<I", body, at)
            at += 16 + 8 * sum(kinds >> bit & 1 for bit in (3, 6, 9, 7, 8))
            count, = struct.unpack_from("<Q", body, at)
            for ip in struct.unpack_from("<%dQ" % count, body, at + 8):
                if ip < 1 << 63:  # else a mark: what follows is of the user
                    print("A %d %x" % (pid, ip))


def plain(name):
    """Both have several names for some functions: scope leaves out what marks parts and versions."""
    name = re.sub(r"(\+0x[0-9a-f]+|@.*|\.(part|isra|constprop|cold|lto_priv)\b.*)$", "", name.strip())
    return re.sub(r"^(__GI_)?_*", "", name)


def stacks(path):
    """Names by time, innermost first. Both print the same head lines."""
    found, now = {}, None
    with open(path) as file:
        for line in file:
            head = re.match(r"\S.* (\d+\.\d+): ", line)
            frame = re.match(r"\s+[0-9a-f]+ (.*?)(?: \([^()]*\))?$", line)
            if head:
                now = found.setdefault(head[1], [])
            elif frame and now is not None:
                now.append(plain(frame[1]))
    return found


def compare(theirs, ours, least):
    perf, scope = stacks(theirs), stacks(ours)
    same = total = beyond = 0
    worst = None
    for time in sorted(set(perf) & set(scope)):
        a, b = perf[time], scope[time]
        equal = sum(x == y for x, y in zip(a, b))
        total += len(a)
        same += equal
        beyond += max(0, len(b) - len(a))
        if equal < len(a) and worst is None:
            worst = time, a, b
    share = 100 * same / total if total else 0
    print("%d samples of both, %d of perf, %d frames of perf, %.2f %% alike; %d more of scope alone"
          % (len(set(perf) & set(scope)), len(perf), total, share, beyond))
    if worst:
        print("the first that differs, at %s:\n  perf  %s\n  scope %s" % worst)
    if total < 3 * len(perf):
        return 3
    return share < least or len(set(perf) & set(scope)) < 0.98 * len(perf) or total < 500


if sys.argv[1] == "text":
    text(sys.argv[2])
elif sys.argv[1] == "addresses":
    addresses(sys.argv[2])
else:
    sys.exit(compare(sys.argv[2], sys.argv[3], float(sys.argv[4])))
