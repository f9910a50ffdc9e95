# SPDX-License-Identifier: GPL-2.0-only
"""Reads what others.sh recorded and prints where perf and Coz put the bug's function.

Usage: others.py DIR BUGS.TSV CASE..."""
import bisect
import collections
import json
import os
import re
import sys

from summary import is_named

FRAME = re.compile(r"^\s+[0-9a-f]+ (.+?)(?:\+0x[0-9a-f]+)? \((/.*|\[.*\])\)$")
COMPILED = re.compile(r"perf-\d+\.map$")  # at run time


def stacks(path, module):
    """Stacks of perf script, each as its program functions, innermost first."""
    stack = []
    with open(path, errors="replace") as file:
        for line in list(file) + ["\n"]:
            found = FRAME.match(line)
            if found and (os.path.basename(found.group(2)) == module or COMPILED.search(found.group(2))):
                stack.append(found.group(1))
            elif not line.strip():
                yield stack
                stack = []


def place(weights, bugs):
    """Place of the last of the bugs among functions by weight, heaviest first; None: it is not among them."""
    order = [name for name, _ in sorted(weights.items(), key=lambda row: (-row[1], row[0]))]
    places = [next((at + 1 for at, name in enumerate(order) if is_named(name, bug.split("|"))), None)
              for bug in bugs.split("+")]
    return None if None in places else max(places) - (len(places) - 1)


def by_samples(path, module, inclusive):
    """How many stacks of perf script end in each function; or pass it, if inclusive."""
    count = collections.Counter()
    for stack in stacks(path, module):
        count.update(set(stack) if inclusive else stack[:1])
    return count


def by_coz(directory):
    """What each function's best line gains a program, by Coz: of lines that 5 experiments and more chose."""
    path = os.path.join(directory, "coz.json")
    if not os.path.exists(path):
        return {}
    starts = collections.defaultdict(list)
    with open(os.path.join(directory, "functions.txt")) as file:
        for line in file:
            words = line.split()
            if len(words) == 4 and words[1] in "tT":
                source, _, number = words[3].rpartition(":")
                starts[source].append((int(number), words[2]))
    gains = {}
    with open(path) as file:
        sites = json.load(file)["sites"]
    for site in sites:
        source, _, number = site["site"].rpartition(":")
        functions = sorted(starts[source])
        at = bisect.bisect(functions, (int(number), "~")) - 1
        if site["period"] and at >= 0:
            name = functions[at][1]
            gains[name] = max(gains.get(name, -1), site["period"]["slope"])
    return gains


def main(out, table, cases):
    rows = {}
    with open(table) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                row = line.rstrip("\n").split("\t")
                rows[row[0]] = row
    print("| case | the bug | perf, own samples | perf, at or below | perf, sleeps at or below | Coz |")
    print("|---|---|---|---|---|---|")
    totals = [[], [], [], []]
    for case in cases:
        expect, module = rows[case][4], rows[case][5]
        directory = os.path.join(out, case)
        if expect == "-outside" or not os.path.exists(os.path.join(directory, "done")):
            continue
        run, sleep = os.path.join(directory, "run.txt"), os.path.join(directory, "sleep.txt")
        weights = [by_samples(run, module, False), by_samples(run, module, True),
                   by_samples(sleep, module, True)]
        ranks = [place(weight, expect) for weight in weights]
        # Where it was not run, nothing is counted.
        coz = os.path.exists(os.path.join(directory, "functions.txt"))
        if coz:
            ranks.append(place(by_coz(directory), expect))
        for total, value in zip(totals, ranks):
            total.append(value)
        cells = ["–" if value is None else str(value) for value in ranks] + ([] if coz else [""])
        print(f"| `{case}` | `{expect.replace('|', ' or ')}` | {' | '.join(cells)} |")
    print()
    for name, total in zip(("perf, own samples", "perf, at or below", "perf, sleeps", "Coz"), totals):
        if total:
            print(f"{name}: first {sum(value == 1 for value in total)}, first five "
                  f"{sum(value is not None and value <= 5 for value in total)} of {len(total)}.")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
