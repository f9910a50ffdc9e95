# SPDX-License-Identifier: GPL-2.0-only
"""explore_series.py SEED FOUND LEDGER WINDOW SAID: prints a line on one exploration: what it found, how long its longest
round took (SAID: its lines of progress, each after the time), and how far its figures are from those of the program's own
ledger (explore_work.c), of the requests in the first round.
explore_series.py RESULTS: counts such lines. Exit status: 0 if they are as explore_series_live.sh says; else 1."""
import json
import statistics
import struct
import sys

# Which stages are in each stretch between two calls: two of them are between reading and writing the file.
STRETCHES = {
    "recvfrom(client) → pread64(file)": (0,), "pread64(file) → pwrite64(file)": (1, 3),
    "pwrite64(file) → pread64(file)": (2,), "pwrite64(file) → sendto(client)": (4,),
}


def requests(ledger, begin_ns, end_ns):
    """Latencies and stages of the requests in the window, in ns."""
    with open(ledger, "rb") as file:
        for times in struct.iter_unpack("7Q", file.read()):
            if begin_ns <= times[0] and times[-1] and times[-1] <= end_ns:
                yield times[-1] - times[0], [b - a for a, b in zip(times, times[1:6])]


def longest_round(said):
    """In seconds."""
    with open(said, encoding="utf-8") as file:
        times = [float(line.split()[0]) for line in file if " begin" in line or ": round " in line]
    return max((b - a for a, b in zip(times, times[1:])), default=0.0)


def one(seed, found, ledger, window, said):
    with open(found, encoding="utf-8") as file:
        report = json.load(file)
    with open(window, encoding="utf-8") as file:
        begin_ns, end_ns = (int(line.split()[2]) for line in sorted(file))
    seen = list(requests(ledger, begin_ns, end_ns))
    wall = [latency for latency, _stages in seen]
    cv = statistics.pstdev(wall) / statistics.mean(wall)
    exploration = report["exploration"]
    kind, tree = exploration["kinds"][0], exploration["trees"][0] if exploration["trees"] else None
    edges = {edge["edge"]: edge["share"] for edge in report["variance"][0]["edges"]}
    worst = 0.0
    for name, stages in STRETCHES.items():
        part = [sum(times[stage] for stage in stages) for _latency, times in seen]
        mean, all_mean = statistics.mean(part), statistics.mean(wall)
        share = sum((a - mean) * (b - all_mean) for a, b in zip(part, wall)) / len(wall) / statistics.pvariance(wall)
        worst = max(worst, abs(share - edges.get(name, 0)))
    print(f"seed {seed}: {tree['function'] if tree else None} {tree['end'] if tree else '-'}; "
          f"{100 * exploration['functions_probed'] / max(exploration['functions'], 1):.1f} % of functions; "
          f"CV {100 * kind['wall_cv']:.2f} % truth {100 * cv:.2f} % off {100 * abs(kind['wall_cv'] / cv - 1):.2f} %; "
          f"share off {100 * worst:.2f} points; sum of shares {sum(edges.values()):.4f}; "
          f"overhead {100 * exploration['overhead']:.1f} % of {100 * exploration['budget']:.1f} %; "
          f"{exploration['rounds']} rounds, the longest {longest_round(said):.2f} s; "
          f"buffers looked at every {1000 * exploration['looks_apart_s']:.0f} ms at most; {len(seen)} requests of {kind['requests']}", flush=True)


def number_after(line, word):
    return float(line.split(word)[1].split()[0])


def count(results):
    with open(results, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = sum(": check_7 " in line for line in lines)
    few = sum(number_after(line, "; ") <= 34 for line in lines)
    within = sum(number_after(line, "overhead ") <= number_after(line.split("overhead")[1], " of ") for line in lines)
    near_cv = sum(number_after(line, "% off ") <= 2 for line in lines)
    near_share = sum(number_after(line, "share off ") <= 5 for line in lines)
    longest = max(number_after(line, "the longest ") for line in lines)
    apart = max(number_after(line, "looked at every ") for line in lines)
    print(f"of {len(lines)}: found {found}, at most 34 % of functions {few}, within the budget {within}, "
          f"CV within 2 % {near_cv}, shares within 5 points {near_share}; "
          f"the longest round {longest:.2f} s; buffers looked at every {apart:.0f} ms at most")
    return not (found >= 0.95 * len(lines) and few == within == len(lines))


if __name__ == "__main__":
    sys.exit(count(sys.argv[1]) if len(sys.argv) == 2 else one(*sys.argv[1:]))
