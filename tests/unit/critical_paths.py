# SPDX-License-Identifier: GPL-2.0-only
"""Compares critical paths of requests with those that follow from the trace's CTF export alone, as babeltrace2 prints it.

Usage: critical_paths.py PATHS.json CTF.text REQUESTS THREADS
PATHS.json: of scope waits --slowest REQUESTS. CTF.text: of babeltrace2 --clock-cycles --no-delta. THREADS: at least as many are on them. Of the other program's text only switches and wakings are used: a thread runs, is in
the run queue, or sleeps, and a sleep that a thread ended is that thread's time (Giraldeau and Dagenais, "Wait Analysis of
Distributed Systems Using Kernel Tracing", TPDS 2016). Parts that differ are 2 % of a path at most. Prints the largest difference.
"""
import bisect
import json
import re
import sys

LINE = re.compile(r"\[(\d+)\] (sched_\w+): \{ cpu_id = \d+ \}, \{ pid = \d+, tid = (\d+) \}, \{ (.*) \}")
KINDS = {"runs": "run", "no-cpu": "queue", "no-cpu-own": "queue", "outside": "sleep", "other-process": "sleep"}


class History:
    """Of each thread its stretches off the CPU: [begin, end, kind, tid of the waker or 0]."""

    def __init__(self, lines):
        self.off, self.open = {}, {}
        for line in lines:
            found = LINE.match(line)
            if not found:
                continue
            now = int(found[1])
            fields = dict(re.findall(r"(\w+) = (\w+)", found[4]))
            if found[2] == "sched_switch":
                self.leave(int(fields["prev_tid"]), now, "sleep" if int(fields["prev_state"]) else "queue")
                self.end(int(fields["next_tid"]), now)
            elif found[2] == "sched_waking":
                self.wake(int(fields["tid"]), now, int(found[3]))

    def leave(self, tid, now, kind):
        self.open[tid] = [now, None, kind, 0]

    def end(self, tid, now):
        stretch = self.open.pop(tid, None)
        if stretch and stretch[0] < now:
            self.off.setdefault(tid, []).append([stretch[0], now, stretch[2], stretch[3]])

    def wake(self, tid, now, waker):
        stretch = self.open.get(tid)
        if stretch and stretch[2] == "sleep":
            stretch[3] = waker
            self.end(tid, now)
            self.leave(tid, now, "queue")

    def path(self, tid, begin, end, asleep=()):
        """Parts (begin, end, tid, kind) of what the thread did between two times, the latest first."""
        off = self.off.get(tid, [])
        at = bisect.bisect_left(off, [end]) - 1
        while at >= 0 and off[at][1] > begin:
            first, last, kind, waker = off[at]
            first, last = max(first, begin), min(last, end)
            yield last, end, tid, "run"
            if kind == "sleep" and waker and waker not in asleep and waker != tid:
                yield from self.path(waker, first, last, asleep + (tid,))
            else:
                yield first, last, tid, kind
            end = first
            at -= 1
        yield begin, end, tid, "run"


def lengths(parts, begin, end):
    """The thread and state of each moment, as cut points."""
    cuts = sorted({begin, end, *(part[0] for part in parts), *(part[1] for part in parts)})
    state = {}
    for first, last, tid, kind in parts:
        for cut in cuts[bisect.bisect_left(cuts, first):bisect.bisect_left(cuts, last)]:
            state[cut] = (tid, kind)
    return cuts, state


def at_of(cuts, state, moment):
    return state.get(cuts[bisect.bisect_right(cuts, moment) - 1])


def difference(ours, theirs, begin, end):
    """Part of the time for which the two do not name the same thread in the same state."""
    of_ours, of_theirs = lengths(ours, begin, end), lengths(theirs, begin, end)
    cuts = sorted(set(of_ours[0]) | set(of_theirs[0]))
    wrong = sum(later - cut for cut, later in zip(cuts, cuts[1:]) if at_of(*of_ours, cut) != at_of(*of_theirs, cut))
    return wrong / (end - begin)


def main():
    paths = json.load(open(sys.argv[1]))["paths"]
    with open(sys.argv[2]) as text:
        history = History(text)
    assert len(paths) == int(sys.argv[3]), f"{len(paths)} paths"
    most, threads = 0, set()
    for path in paths:
        assert path["left_out_ns"] == 0, path
        begin, end = path["begin_ns"], path["end_ns"]
        ours = [(part["begin_ns"], part["end_ns"], part["thread"]["tid"], KINDS.get(part["end"], part["end"]))
                for part in path["parts"]]
        theirs = [part for part in history.path(path["thread"]["tid"], begin, end) if part[0] < part[1]]
        threads |= {part[2] for part in ours}
        wrong = difference(ours, theirs, begin, end)
        assert wrong <= 0.02, (f"{100 * wrong:.1f} %", path["thread"], ours, theirs[::-1])
        most = max(most, wrong)
    print(f"{len(paths)} paths over {len(threads)} threads; at most {100 * most:.2f} % of one differ")
    assert len(threads) >= int(sys.argv[4]), threads


main()
