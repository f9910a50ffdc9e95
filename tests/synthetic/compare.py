# SPDX-License-Identifier: GPL-2.0-only
"""Compares the profile of a synthetic server with the one that it was made from.

Usage: compare.py MADE_FROM MEASURED REQUESTS

It compares how connections are served; threads and processes of each stage; that all REQUESTS were seen, and their
rate; the share of requests with each call; the sizes of calls (the distance of Kolmogorov and Smirnov, 0.02); the time on a CPU of
a request in all stages, outside of calls (10 %) and, where both were measured, with calls (10 %). Times are means of what is between the 10th and
the 90th percentile: a busy host makes few requests much longer, not most of them. Prints a line; exit status 1: they differ.
"""
import json
import sys

KS_MAX = 0.02
CPU_MAX = 0.1
SHARE_MAX = 0.02
# A worker that finds the next request in its queue takes it without a call: both are one unit, the more often the faster the machine is.
SHARE_MAX_WORKER = 0.05
NETWORK = ["skeleton", "model", "protocol", "accept_dispatch", "network_dispatch", "work_dispatch", "network_epoll", "blocking",
           "accept_thread_pool_size", "network_thread_pool_size"]


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def mean_within(dist, low=0.1, high=0.9):
    """Returns the mean of the numbers between these quantiles."""
    first, last, seen, total, weight = low * dist["n"], high * dist["n"], 0, 0.0, 0.0
    for lowest, highest, count in sorted(dist["rows"]):
        part = max(0, min(seen + count, last) - max(seen, first))
        if part:
            begin, end = (max(seen, first) - seen) / count, (min(seen + count, last) - seen) / count
            total += part * (lowest + (highest - lowest) * (begin + end) / 2)
        weight += part
        seen += count
    return total / weight


def up_to(dist, x):
    return sum(count * min(1, max(0, (x - low + 1) / (high - low + 1))) for low, high, count in dist["rows"]) / dist["n"]


def distance(one, other):
    points = {x for dist in (one, other) for low, high, _ in dist["rows"] for x in (low - 1, low, high)}
    return max(abs(up_to(one, x) - up_to(other, x)) for x in points)


def joined(dists):
    rows = [row for dist in dists for row in dist["rows"]]
    return {"n": sum(row[2] for row in rows), "rows": rows}


def scaled(dist, units):
    """The same numbers, counted as that number of units."""
    return {"n": units, "rows": [[low, high, count * units / dist["n"]] for low, high, count in dist["rows"]]}


def stages_of(profile, role):
    return [stage for stage in profile["thread_characteristics"] if stage["role"] == role and stage["threads"] and stage["name"] != "?"]


def works(path):
    """The end of a connection, and a worker that finds nothing to do, are no work. Nor is the accept of a connection alone."""
    calls = [step for step in path["steps"] if step["on"] in ("client", "datagram", "file")
             and (not step["para_dist"]["count"] or step["para_dist"]["count"]["mean"] > 0) and step["syscall"] != "close"]
    return bool(calls)


def facts(profile, role):
    """Of all stages of a role: units that work, sizes by call and kind of descriptor, and times of these units."""
    units, sizes, calls, program, cpu = 0, {}, {}, [], []
    for stage in stages_of(profile, role):
        for path in filter(works, stage["paths"]):
            units += path["units"]
            program.append(scaled(path["program_ns"], path["units"]))
            cpu.append(scaled(path["cpu_ns"], path["units"]))
            for step in path["steps"]:
                if step["on"] not in ("client", "datagram", "file") or not step["para_dist"]["count"]:
                    continue
                if step["para_dist"]["count"]["mean"] == 0:
                    continue
                key = (step["syscall"], step["on"])
                sizes.setdefault(key, []).append(scaled(step["para_dist"]["count"], step["freq"] * path["units"]))
                calls[key] = calls.get(key, 0) + step["freq"] * path["units"]
    return units, {key: joined(dists) for key, dists in sizes.items()}, calls, program, cpu


def compare(made, found, requests):
    problems, said = [], []
    for name in NETWORK:
        one, other = made["network_model_characteristics"][name], (found["network_model_characteristics"] or {}).get(name)
        if one != other:
            problems.append(f"{name} is {other}, not {one}")
    if made["processes"] != found["processes"]:
        problems.append(f"{found['processes']} processes, not {made['processes']}")
    if found["requests"] != requests:
        problems.append(f"{found['requests']} requests, not {requests}")
    if abs(found["reqs_per_sec"] * found["window_ns"] / 1e9 / requests - 1) > 0.001:
        problems.append(f"{found['reqs_per_sec']} requests a second of {requests} in {found['window_ns']} ns")
    for role in ("accept", "network", "worker"):
        threads = [sum(stage["threads"] for stage in stages_of(one, role)) for one in (made, found)]
        if threads[0] != threads[1]:
            problems.append(f"{threads[1]} threads of {role}, not {threads[0]}")
    measured = made["scope"] != "made for a test"
    sums = {}
    for role in ("network", "worker"):
        (n1, sizes1, calls1, program1, cpu1), (n2, sizes2, calls2, program2, cpu2) = facts(made, role), facts(found, role)
        if not n1 and not n2:
            continue
        if not n1 or not n2:
            problems.append(f"{role}: {n2} units that work, not {n1}")
            continue
        for key in sorted(set(sizes1) | set(sizes2)):
            name = f"{key[0]} on {key[1]}"
            if key not in sizes1 or key not in sizes2:
                problems.append(f"{name} is in one of them only")
                continue
            ks, share = distance(sizes1[key], sizes2[key]), calls2[key] / n2 - calls1[key] / n1
            said.append(f"{name} KS {ks:.4f}")
            if ks > KS_MAX:
                problems.append(f"sizes of {name} differ by {ks:.4f}")
            if abs(share) > (SHARE_MAX_WORKER if role == "worker" else SHARE_MAX):
                problems.append(f"{calls2[key] / n2:.3f} {name} for each, not {calls1[key] / n1:.3f}")
        for name, one, other in [("program", program1, program2)] + ([("CPU", cpu1, cpu2)] if measured else []):
            for at, (dists, units) in enumerate(((one, n1), (other, n2))):
                sums.setdefault(name, [0, 0])[at] += mean_within(joined(dists)) * units
    for name, (one, other) in sums.items():
        times = [one / facts(made, "network")[0], other / facts(found, "network")[0]]
        said.append(f"{name} {times[0] / 1e3:.1f} → {times[1] / 1e3:.1f} µs")
        if abs(times[1] / times[0] - 1) > CPU_MAX:
            problems.append(f"{name} of a request is {times[1]:.0f} ns, not {times[0]:.0f}")
    return problems, said


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: compare.py MADE_FROM MEASURED REQUESTS")
    wrong, right = compare(load(sys.argv[1]), load(sys.argv[2]), int(sys.argv[3]))
    print(", ".join(right))
    if wrong:
        sys.exit("; ".join(wrong))
