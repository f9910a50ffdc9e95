# SPDX-License-Identifier: GPL-2.0-only
"""Compare two traces of the same time, as text: the actions of the threads must be the same.

Usage: compare_sources.py KMOD.txt PERF.txt      as `scope dump` prints them
Looked at is the time that both cover, half a second at both ends left out. Calls (thread, number,
result), sleeps (thread, state) and wakings (woken, waker, context) of each thread must be the same
in the same order, in 999 of 1000 places: an event that the probe of one source saw just before that of the other
started is no difference. Times of returns must agree within 5 ms in 99 of 100 cases: both read one clock, but
one after the other, and an interrupt may come between. Exit status 1 where something differs.
"""
import difflib
import sys

MARGIN_NS = 500_000_000
TIME_NS = 5_000_000


def read(path):
    meta, events, lost = {}, [], 0
    for line in open(path, errors="replace"):
        word = line.split()
        if word[:1] == ["meta"]:
            meta[word[1]] = word[2] if len(word) > 2 else ""
        elif len(word) > 2 and word[0].isdigit():
            lost += word[2] == "lost"
            events.append(word)
    return meta, events, lost


def value(word, key):
    return next((item[len(key) + 1:] for item in word if item.startswith(key + "=")), None)


def stories(events, begin, end):
    """Returns the events and their times, by thread and kind."""
    told = {}

    def tell(kind, tid, what, time):
        if begin <= time < end:
            told.setdefault((kind, tid), []).append((what, time))

    for word in events:
        time, kind = int(word[0]), word[2]
        if kind in ("syscall", "exit"):
            tell("calls", word[3], (word[4], value(word, "ret")), time)
        elif kind == "switch":
            if word[3] != "0" and word[5] not in ("runnable",):
                tell("sleeps", word[3], word[5], time)
        elif kind == "waking":
            tell("wakings", word[3], (word[5], word[-1]), time)
    return told


def main():
    (meta_a, events_a, lost_a), (meta_b, events_b, lost_b) = map(read, sys.argv[1:3])
    begin = max(int(meta_a["begin_ns"]), int(meta_b["begin_ns"])) + MARGIN_NS
    end = min(int(meta_a["end_ns"]), int(meta_b["end_ns"])) - MARGIN_NS
    a, b = stories(events_a, begin, end), stories(events_b, begin, end)
    counts = {kind: [0, 0, 0] for kind in ("calls", "sleeps", "wakings")}
    apart = []
    for key in sorted(set(a) | set(b)):
        first, second = a.get(key, []), b.get(key, [])
        matcher = difflib.SequenceMatcher(None, [w for w, _ in first], [w for w, _ in second], False)
        same = 0
        for i, j, size in matcher.get_matching_blocks():
            same += size
            if key[0] == "calls":
                apart += [abs(first[i + n][1] - second[j + n][1]) for n in range(size)]
        count = counts[key[0]]
        count[0] += len(first)
        count[1] += len(second)
        count[2] += same
    bad = lost_a + lost_b
    if bad:
        print(f"events were lost: {lost_a} times by the first, {lost_b} by the second")
    for kind, (first, second, same) in counts.items():
        print(f"{kind}: {first} and {second}, {same} the same")
        if not same or same < 0.999 * max(first, second):
            bad += 1
    apart.sort()
    late = sum(ns > TIME_NS for ns in apart)
    print(f"returns: {apart[len(apart) // 2]} ns apart in the median, "
          f"{apart[len(apart) * 99 // 100]} at 99 %")
    if late > 0.01 * len(apart):
        bad += 1
    return 1 if bad else 0


sys.exit(main())
