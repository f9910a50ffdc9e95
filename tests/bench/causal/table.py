#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Table of what Scope and Coz predict for a place made faster by half, against what it really gains.

Usage: table.py DIR      as tests/bench/causal/run.sh leaves it

A prediction is half the slope of the program's speedup over that of the place, its interval half the
slope's. The real gain is (p0 - p50) / p0 of the periods of runs in turns, the mean of the pairs; its
interval is Student's. An error is prediction less real gain. Overhead is what the program without any
speedup takes longer under the tool.
"""
import json
import pathlib
import statistics
import sys

STUDENT_975 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]


def mean_95(values):
    """Mean and half the width of its 95 % interval; None of a single one."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return mean, None
    t = STUDENT_975[len(values) - 2] if len(values) <= 16 else 1.96
    return mean, t * statistics.stdev(values) / len(values) ** 0.5


def text(pair):
    mean, half = pair
    return f"{100 * mean:+.1f} ± {100 * half:.1f} %" if half is not None else f"{100 * mean:+.1f} %"


def read_runs(directory):
    real, wall = {}, {}
    for line in (directory / "runs").read_text().splitlines():
        word = line.split()
        if word[0] == "real":
            program, visits, ns, visits_50, ns_50 = word[1], *map(int, word[3:])
            real.setdefault(program, []).append((ns / visits, ns_50 / visits_50))
        elif word[0] == "wall":
            _, program, seed, tool, ns = word
            wall.setdefault((program, tool), []).append(int(ns) / 1e9)
    return real, wall


def predictions(directory, program, tool):
    """Of each seed: (prediction, low, high, period without speedup)."""
    found = []
    suffix = "scope" if tool == "scope" else "coz.json"
    for path in sorted(directory.glob(f"{program}.*.{suffix}")):
        sites = [site for site in json.loads(path.read_text())["sites"] if site["period"]]
        for site in sites[:1]:
            fit = site["period"]
            low, high = fit["slope_95"]
            base = [level["period_ns"] for level in site["levels"] if level["value"] == 0]
            found.append((fit["slope"] / 2, low / 2, high / 2, base[0] if base else None))
    return found


def seen(directory, program, tool):
    """Did any run find the place? Coz makes experiments at a line without samples, too."""
    if tool == "scope":
        return True
    profiles = [path.read_text() for path in directory.glob(f"{program}.*.coz")]
    return any(int(part.split()[0]) for text in profiles for part in text.split("selected-samples=")[1:])


def row(directory, program, tool, periods, wall):
    gains = [(zero - half) / zero for zero, half in periods]
    real = statistics.mean(gains)
    found = predictions(directory, program, tool)
    runs = len(wall.get((program, tool), []))
    start = f"| {program} | {tool} | {text(mean_95(gains))} |"
    if not found or not seen(directory, program, tool):
        return f"{start} not seen in {runs} runs | – | – | – | – |", []
    errors = [prediction - real for prediction, _, _, _ in found]
    held = sum(low <= real <= high for _, low, high, _ in found)
    undisturbed = statistics.mean(zero for zero, _ in periods)
    overhead = [base / undisturbed - 1 for _, _, _, base in found if base]
    return (f"{start} {text(mean_95([prediction for prediction, _, _, _ in found]))} |"
            f" {text(mean_95(errors))} | {held} of {len(found)} |"
            f" {text(mean_95(overhead)) if overhead else '–'} |"
            f" {statistics.mean(wall[program, tool]):.1f} s |"), [abs(error) for error in errors]


def main():
    directory = pathlib.Path(sys.argv[1])
    real, wall = read_runs(directory)
    pairs = []
    print("| program | tool | real gain | predicted | error | interval holds it | overhead | time |")
    print("|---|---|---|---|---|---|---|---|")
    for program, periods in real.items():
        errors = {}
        for tool in ("scope", "coz"):
            line, errors[tool] = row(directory, program, tool, periods, wall)
            print(line)
        if errors["scope"] and errors["coz"]:
            pairs += list(zip(errors["scope"], errors["coz"]))
    if pairs:
        print(f"\nerror of Scope less that of Coz, absolute, {len(pairs)} pairs: "
              f"{text(mean_95([scope - coz for scope, coz in pairs]))}")


main()
