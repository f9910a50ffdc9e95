# SPDX-License-Identifier: GPL-2.0-only
"""Reads what others.sh recorded and prints where perf puts the bug's function.

Usage: others.py DIR BUGS.TSV CASE..."""
import collections
import os
import re
import sys

FRAME = re.compile(r"^\s+[0-9a-f]+ (\S+?)(?:\+0x[0-9a-f]+)? \((.*)\)$")


def stacks(path, module):
    """Stacks of perf script, each as its program functions, innermost first."""
    stack = []
    with open(path, errors="replace") as file:
        for line in list(file) + ["\n"]:
            found = FRAME.match(line)
            if found and os.path.basename(found.group(2)) == module:
                stack.append(found.group(1))
            elif not line.strip():
                yield stack
                stack = []


def rank(path, module, bugs, inclusive):
    """Place of the last of the bugs among the program's functions; None: it is not among them."""
    count = collections.Counter()
    for stack in stacks(path, module):
        count.update(set(stack) if inclusive else stack[:1])
    order = [name for name, _ in sorted(count.items(), key=lambda row: (-row[1], row[0]))]
    places = [min((order.index(name) + 1 for name in bug.split("|") if name in order), default=None)
              for bug in bugs.split("+")]
    return None if None in places else max(places) - (len(places) - 1)


def main(out, table, cases):
    rows = {}
    with open(table) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                row = line.rstrip("\n").split("\t")
                rows[row[0]] = row
    print("| case | the bug | perf, own samples | perf, at or below | perf, sleeps at or below | strace -c |")
    print("|---|---|---|---|---|---|")
    totals = [[], [], []]
    for case in cases:
        expect, module = rows[case][4], rows[case][5]
        if expect == "-outside" or not os.path.exists(os.path.join(out, case, "sleep.txt")):
            continue
        ranks = [rank(os.path.join(out, case, "run.txt"), module, expect, False),
                 rank(os.path.join(out, case, "run.txt"), module, expect, True),
                 rank(os.path.join(out, case, "sleep.txt"), module, expect, True)]
        for total, value in zip(totals, ranks):
            total.append(value)
        cells = " | ".join("–" if value is None else str(value) for value in ranks)
        print(f"| `{case}` | `{expect.replace('|', ' or ')}` | {cells} | no functions |")
    if totals[0]:
        print()
        for name, total in zip(("own samples", "at or below", "sleeps"), totals):
            print(f"perf, {name}: first {sum(value == 1 for value in total)}, first five "
                  f"{sum(value is not None and value <= 5 for value in total)} of {len(total)}.")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
