#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The first screen of a report has at most 15 lines of 80 columns, and the facts that a reader needs first: the problem, its place and time, its
size, the function and the reason, normal and slow requests, confidence, and the commands that are in the JSON, too.

Usage: tests/unit/first_screen.py NAME.screen...     each beside NAME.json of the same report
"""
import json
import re
import sys

VERDICTS = r"(SLOWDOWN (in|outside of)|HANG in|SPIN in|FREEZES in|BOTTLENECK in|UNEVEN THREADS in|NOTHING [A-Z ]+(in|of))"


def plain(text):
    return " ".join(text.split())


def labelled(lines):
    """The lines with a label, by it, further lines without one added to it."""
    found, label = {}, None
    for line in lines:
        match = re.match(r"  ([A-Z][a-z]+) +(.*)$", line)
        if match and len(line) > 14 and line[13] == " ":
            label = match.group(1)
            found[label] = [line[14:]]
        elif label and line.startswith(" " * 14):
            found[label].append(line[14:])
        else:
            label = None
    return found


def missing(screen, report):
    """What the screen lacks, in words."""
    lines = screen.rstrip("\n").split("\n")
    labels = labelled(lines)
    if len(lines) > 15 or max(map(len, lines)) > 80:
        yield "15 lines of 80 columns: %d lines, the longest of %d" % (len(lines), max(map(len, lines)))
    if len(lines) < 2:
        return
    if not re.match(VERDICTS + r" \S.*\(pid \S+\)", lines[0]) or not re.search(r" [0-9.]+ s$", lines[0]):
        yield "the verdict, the process and the time: %r" % lines[0]
    if not re.search(r"source .*(lost|nothing lost)$", lines[1]):
        yield "the source and what was lost: %r" % lines[1]
    if plain(report["answer"]) not in plain(screen):
        yield "the answer: %r" % report["answer"]
    commands = [line.split("  # ")[0].strip() for line in labels.get("Next", [])]
    if not commands or [c for c in commands if c not in [n["command"] for n in report["next"]] and not c.endswith(" -v")]:
        yield "commands to type next: %r" % commands
    if not report["findings"]:
        near, basis = report["near"], report["basis"]
        all_ns = sum(group["in_requests"]["wall_ns"] for group in report["groups"] if group["in_requests"])
        extra = basis["excess_ns"] / all_ns if all_ns else 0
        slow = basis["slow_requests"] if basis["requests"] else basis["slow_units"]
        if report["verdict"] == "nothing" and not basis["baseline"] and slow >= 5 and extra >= 0.3 and \
                not (near and near[0]["share"] >= 0.5 and near[0]["fails"] in ("odds", "times", "floor")) and \
                "Nearest" not in labels and "Whether" not in plain(screen):
            yield "what came nearest to a finding: %s" % near
        return
    first = report["findings"][0]
    short = re.sub(r"^[^(\[<: ]*/", "", first["shown"] or "")  # of Go, without the path of its package
    where = labels.get("Where", [""])[0]
    # The first parts of a long name may be left out.
    if first["function"] and not where.startswith((first["shown"][:20], short[:20])) and \
            not first["shown"].endswith(where.split(" in ")[0]):
        yield "the function: %r" % labels.get("Where")
    if not re.search(r"[0-9]", labels.get("Extent", [""])[0]):
        yield "how bad it is"
    if not labels.get("Confidence", [""])[0].startswith(first["confidence"]):
        yield "the confidence: %r" % labels.get("Confidence")
    if report["names_first"] and first.get("example"):
        if "Slow" not in labels:
            yield "a slow one"
        if first["example"]["usual"] and "Normal" not in labels and "Baseline" not in labels:
            yield "a normal one"
    if any(f["function"] != first["function"] for f in report["findings"]) and "Also" not in labels and len(lines) < 15:
        yield "the other findings"


def main(paths):
    bad = False
    for path in paths:
        with open(path, encoding="utf-8") as screen, open(re.sub(r"screen$", "json", path), encoding="utf-8") as report:
            for what in missing(screen.read(), json.load(report)):
                print("not ok first screen: %s lacks %s" % (path.rsplit("/")[-1], what))
                bad = True
    print("" if bad else "ok first screen: %d have what a reader needs" % len(paths))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
