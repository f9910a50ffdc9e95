# SPDX-License-Identifier: GPL-2.0-only
"""Holds reports as JSON against the same as text, and their fields against the document.

Usage: report_json.py DOCUMENT FOLDER      of FOLDER each NAME.report beside its NAME.json
"""
import json
import pathlib
import re
import sys

document, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
named = set(re.findall(r"`([^`]+)`", document))
verdicts = {"NOTHING ABNORMAL": "nothing", "HANG": "hang", "SPIN": "spin", "SLOWDOWN": "slowdown", "FREEZES": "freezes",
            "OUTSIDE THE PROGRAM": "outside", "NOTHING CAN BE SAID": "unknown"}
seen = set()
bad = 0


def fields(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from fields(inner)


def wrong(name, text):
    global bad
    bad = 1
    print(f"not ok {name}: {text}")


for path in sorted(folder.glob("*.json")):
    name = path.stem
    text = path.with_suffix(".report").read_text()
    report = json.loads(path.read_text())
    seen.add(report["verdict"])
    rows = []
    for line in text.split("\n  #  function", 1)[-1].split("\n")[1:]:
        row = re.match(r"  \d+ +(\S+) +(\S+) +(\d+) %", line)
        if not row:
            break
        rows.append((row[1], row[2], int(row[3])))
    told = [(f["function"]["name"], f["function"]["module"], round(100 * f["share"]))
            for f in report["findings"]]
    if "  #  function" not in text:
        rows = []
    if rows != told:
        wrong(name, f"the text names {rows}, the JSON {told}")
    near = [f["function"]["name"] for f in report["near"]]
    if [n for n in near if n not in text] or bool(near) != ("Nearest to a finding" in text):
        wrong(name, f"near are {near}, not as the text says")
    since = re.search(r"It began ([0-9.]+) s into the window", text)
    told = report["since_ns"] and f"{(report['since_ns'] - report['trace']['begin_ns']) / 1e9:.1f}"
    if (since[1] if since else None) != told:
        wrong(name, f"it began {told} s into the window, not as the text says")
    lost = [int(count.replace(",", "") if count[0].isdigit() else 0)
            for count in re.findall(r"^     lost  +(\S+) events? while", text, re.M)]
    told = [f["lost"] for f in report["findings"][:len(lost)]]
    if lost != told or (report["trace"]["lost"] and report["findings"] and not lost):
        wrong(name, f"the text tells of {lost} lost while findings showed, the JSON of {told}")
    basis, rule = report["basis"], report["basis"]["rule"]
    told = re.search(r"basis: (\S+) requests, \S+ units, populations: (\d+); abnormal above z ([0-9.]+) and (\d+) "
                     r"times the median; a finding needs (\d+) % of busy time, (\d+) units, .* odds ×(\d+) and "
                     r"share ×([0-9.]+) \(or odds ×(\d+)\)", " ".join(text.split()))
    mine = (basis["populations"], f"{rule['z']:.1f}", f"{rule['median_times']:.0f}",
            f"{100 * rule['excess_share']:.0f}", rule["units_min"], f"{rule['odds_min']:.0f}",
            f"{rule['times_min']:.1f}", f"{rule['odds_alone']:.0f}")
    if not told or tuple(map(str, mine)) != told.groups()[1:]:
        wrong(name, f"the rule is {mine}, not as the text says")
    compared = re.search(r"Held against the (time before|baseline): (\d+) of \d+ populations; it has \S+ units in "
                         r"([0-9.]+) s", " ".join(text.split()))
    told = basis["baseline"] and ("time before" if basis["baseline"]["before"] else "baseline",
                                  str(basis["baseline"]["populations"]), f"{basis['baseline']['seconds']:.1f}")
    if (compared.groups() if compared else None) != told:
        wrong(name, f"the baseline is {told}, not as the text says")
    head = next(v for k, v in verdicts.items() if f"  {k}" in text)
    if report["verdict"] != head:
        wrong(name, f"verdict {report['verdict']}, the text's is {head}")
    for group in report["groups"]:
        parts = (group["run_ns"] + group["queue_ns"] + group["unexplained_ns"] +
                 sum(group["blocked_ns"].values()))
        if abs(parts - group["wall_ns"]) > 1e-6 * group["wall_ns"]:
            wrong(name, f"times of {group['name']} sum to {parts}, not {group['wall_ns']}")
    strips, flame = report["pictures"]["strips"], report["pictures"]["flame"]
    slow = sum(thread["slow"] for thread in strips["threads"])
    if slow != basis["slow_units"] or len(strips["slow"]) + strips["slow_left_out"] != basis["slow_units"]:
        wrong(name, f"strips have {slow} slow units, the basis {basis['slow_units']}")
    if strips["requests"] and not 0 <= basis["requests"] - sum(p[0] for p in strips["points"]) <= report["trace"]["threads"]:
        wrong(name, f"curves have {sum(p[0] for p in strips['points'])} requests of {basis['requests']}")
    open_ones = basis["slow_requests"] - sum(p[1] for p in strips["points"])
    if strips["requests"] and not 0 <= open_ones <= (report["trace"]["threads"] if name in ("hang", "spin") else 0):
        wrong(name, f"curves have {sum(p[1] for p in strips['points'])} slow requests of {basis['slow_requests']}")
    for number, node in enumerate(flame["nodes"]):
        below = [sum(values) for values in zip(*(n[3:] for n in flame["nodes"] if n[0] == number))]
        if any(child > own + len(flame["nodes"]) for child, own in zip(below, node[3:])):
            wrong(name, f"what node {number} calls takes {below}, itself {node[3:]}")
    for example in filter(None, (f["example"] for f in report["findings"])):
        for unit in filter(None, (example["slow"], example["usual"])):
            scene = unit["scene"]
            for thread in scene["threads"]:
                edges = [edge for span in thread["spans"] for edge in span[1:3]]
                if edges[0] != 0 or abs(edges[-1] - unit["wall_ns"]) > 1 or edges[1:-1:2] != edges[2::2]:
                    wrong(name, f"spans of {thread['name']} leave time out: {edges}")
            asleep = sum(span[2] - span[1] for span in scene["threads"][0]["spans"] if span[0] == "asleep")
            if abs(asleep - unit["blocked_ns"]) > 0.02 * unit["wall_ns"]:
                wrong(name, f"a picture shows {asleep} ns asleep, of {unit['blocked_ns']}")
    for key in sorted(set(fields(report)) - named):
        wrong(name, f"docs do not name the field {key}")
lock = json.loads((folder / "lock.json").read_text())["findings"][0]
scene = lock["example"]["slow"]["scene"]
holder = scene["threads"][1]["name"] if len(scene["threads"]) > 1 else None
if holder != lock["waiters"]["thread"]["name"] or [wake[1:] for wake in scene["wakes"]] != [[1, 0]]:
    wrong("lock", f"no arrow from the holder of the lock: {holder}, {scene['wakes']}")
if seen != set(verdicts.values()):
    wrong("verdicts", f"only {seen} were seen")
sys.exit(bad)
