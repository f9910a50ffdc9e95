# SPDX-License-Identifier: GPL-2.0-only
"""Compares the picture of a trace's metrics with the same metrics as JSON: each line has the position of its values.

Usage: metrics_svg.py SVG JSON
"""
import json
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
LEFT, RIGHT, TOP, BOTTOM, WIDTH, HEIGHT = 90, 20, 30, 25, 860, 180
STATES = ("run", "run_queue", "io_wait", "uninterruptible", "interruptible", "unknown")

picture = tree.parse(sys.argv[1]).getroot()
metrics = json.load(open(sys.argv[2]))
lines = metrics["series"][:8]
unit = {one["name"]: one["unit"] for one in metrics["metrics"]}
steps, step_ns = metrics["steps"], metrics["step_ns"]
window_ns = metrics["end_ns"] - metrics["begin_ns"]


def value(line, name, step):
    """As people compare it; None: not known."""
    if name.startswith("latency_"):
        return line.get("latency", {}).get(name[8:], [None] * steps)[step]
    if name not in line["totals"]:
        return None
    got = line["values"].get(name, [0] * steps)[step]
    passed_ns = min(step_ns, window_ns - step * step_ns)
    if unit[name] != "ns":
        return got / passed_ns * 1e9
    there = passed_ns if line.get("host") else sum(line["values"].get(state, [0] * steps)[step] for state in STATES)
    return got / there if there else None


def drawn(path):
    """For each step the y of the line, or None."""
    found, y = [None] * steps, None
    for command, numbers in re.findall(r"([MVH])([-\d. ]+)", path):
        numbers = [float(one) for one in numbers.split()]
        if command == "H":
            middle = (x + numbers[0]) / 2 - LEFT
            found[min(steps - 1, int(middle / (WIDTH - LEFT - RIGHT) * window_ns / step_ns))] = y
        y = numbers[-1] if command != "H" else y
        x = numbers[0] if command != "V" else x
    return found


bad, points = [], 0
plots = [group for group in picture.iter(SVG + "g")]
for plot in plots:
    name = plot.find(SVG + "text").text
    paths = [path.get("d") for path in plot.iter(SVG + "path")]
    want = [[value(line, name, step) for step in range(steps)] for line in lines]
    most = max(one for line in want for one in line if one is not None)
    if len(paths) != len(lines):
        bad.append(f"{name}: {len(paths)} lines of {len(lines)}")
    for path, line, row in zip(paths, lines, want):
        for step, (y, one) in enumerate(zip(drawn(path), row)):
            points += 1
            if (y is None) != (one is None) or (one is not None and abs(HEIGHT - BOTTOM - one / most * (HEIGHT - TOP - BOTTOM) - y) > 0.1):
                bad.append(f"{name} of {line['name']} in step {step} is drawn at {y}, value {one} of {most}")
if not plots:
    bad.append("no plot")
print("\n".join(bad[:10]) or f"{len(plots)} plots, {points} points")
sys.exit(bool(bad))
