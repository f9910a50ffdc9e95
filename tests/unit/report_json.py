# SPDX-License-Identifier: GPL-2.0-only
"""Compares reports as JSON with the same as text, and their fields with the document.

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
seen, held = set(), set()
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


def details(text):
    """Of each finding that the text describes in full its lines, by label; what has no label goes on a line."""
    found = []
    for line in text.split("\n"):
        label = re.match(r" {5}(.{12})(\S.*)", line)
        if re.match(r"  \d+  \S+$", line):
            found.append({})
        elif label and found and label[1].strip():
            found[-1][label[1].strip()] = label[2]
        elif label and found and found[-1]:
            found[-1][list(found[-1])[-1]] += " " + label[2]
    return found


def call_words(calls):
    """The first calls of a path, as many as the text always prints."""
    words = {None: "running", "queue": "without a CPU", "task": "waiting in no thread", "between": "running between"}
    return [words.get(c["call"], c["call"]) for c in calls[:4]]


def described(finding):
    """What the lines of a finding have to say, as far as JSON has it in other words."""
    path = list(finding["call_path"])
    while len(path) > 1 and path[-1] == "_start":
        path.pop()
    if finding["below"]:
        path.insert(0, finding["below"]["name"])
    lines = {"call path": path}
    if finding["most_in"]:
        lines["most of it"] = finding["most_in"]["path"]
    if finding.get("calls_times"):
        lines["calls"] = [finding["syscall"], f"{finding['calls_times']:.0f} times"]
    if finding.get("outside"):
        lines["outside"] = [finding["syscall"], f"look at the {finding['waits_for']} first"]
    if "waiters" in finding:
        lines["who waits"] = [finding["waiters"]["group"], finding["waiters"]["sleeps_in"],
                              f"(tid {finding['waiters']['thread']['tid']})"]
    if finding.get("sleeps_in"):
        lines["who"] = [finding["thread"]["name"], finding["sleeps_in"]]
    if finding.get("rounds"):
        lines["rounds"] = [finding["rounds"]["words"]]
    if finding.get("owner"):
        lines["owner"] = ["itself" if finding["owner"]["itself"] else f"(tid {finding['owner']['thread']['tid']})"]
        lines["owner"] += ["deadlock"] if finding["deadlock"] and not finding["owner"]["itself"] else []
    if finding.get("kernel_stack") or finding.get("kernel_stack_why"):
        lines["kernel"] = (finding["kernel_stack"] or [])[3::-1] or [finding["kernel_stack_why"]]
    if finding["example"]:
        lines["syscalls"] = call_words(finding["example"]["slow"]["path"])
        if finding["example"]["usual"] is not None:
            lines["baseline" if finding["example"]["baseline"] else "normal"] = call_words(finding["example"]["usual"]["path"])
    if finding["recursion"]:
        circle = finding["recursion"][0]
        lines["call path"] = path + ["again by " + " → ".join(circle["by"]) if circle["by"] else "calls itself"]
    return lines


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
    stated = [(f["function"]["name"], f["function"]["module"], round(100 * f["share"]))
            for f in report["findings"]]
    if "  #  function" not in text:
        rows = []
    if rows != stated:
        wrong(name, f"the text names {rows}, the JSON {stated}")
    if re.sub(r"\s+", " ", text.split("\n\n")[1]).strip() != report["answer"]:
        wrong(name, f"the answer is '{report['answer']}', not as the text says")
    of_text = details(text.split("\n  #  function", 1)[-1]) if report["findings"] else []
    if len(of_text) != min(3, len(report["findings"])):
        wrong(name, f"the text describes {len(of_text)} findings")
    for lines, finding in zip(of_text, report["findings"]):
        mine = described(finding)
        for label in sorted(set(mine) | set(lines) & {"most of it", "calls", "outside", "who waits", "rounds", "owner",
                                                      "kernel", "syscalls", "normal", "baseline"}):
            held.add(label)
            missing = [word for word in mine.get(label, ["?"]) if word not in lines.get(label, "")]
            if missing and not (label == "call path" and not finding["call_path"]):
                wrong(name, f"{label}: the text has '{lines.get(label)}', the JSON {missing}")
    for sentence, field in (("was spent inside the kernel, in calls", "kernel"), ("Background work is not", "background")):
        if (sentence in text) != (report[field] is not None):
            wrong(name, f"{field} is {report[field]}, not as the text says")
        elif report[field]:
            held.add(field)
    threads = re.search(r"(?:HANG|SPIN) inside the program. (\d+) thread", text)
    if int(threads[1] if threads else 0) != report["stuck_threads"]:
        wrong(name, f"{report['stuck_threads']} threads are stuck, not as the text says")
    if (re.search(r"SLOWDOWN outside|OUTSIDE THE PROGRAM", text) is not None) != report["outside"]:
        wrong(name, f"outside is {report['outside']}, not as the text says")
    near = [f["function"]["name"] for f in report["near"]]
    if [n for n in near if n not in text] or bool(near) != ("Nearest to a finding" in text):
        wrong(name, f"near are {near}, not as the text says")
    since = re.search(r"It began ([0-9.]+) s into the window", text)
    stated = report["since_ns"] and f"{(report['since_ns'] - report['trace']['begin_ns']) / 1e9:.1f}"
    if (since[1] if since else None) != stated:
        wrong(name, f"it began {stated} s into the window, not as the text says")
    grows = "longer and longer: " in " ".join(report["answer"].split())
    if grows != (report["growth"] is not None):
        wrong(name, f"growth is {report['growth']}, not as the answer says")
    lost = [int(count.replace(",", "") if count[0].isdigit() else 0)
            for count in re.findall(r"^     lost  +(\S+) events? while", text, re.M)]
    stated = [f["lost"] for f in report["findings"][:len(lost)]]
    if lost != stated or (report["trace"]["lost"] and report["findings"] and not lost):
        wrong(name, f"the text reports {lost} lost while findings showed, the JSON {stated}")
    basis, rule = report["basis"], report["basis"]["rule"]
    stated = re.search(r"basis: (\S+) requests?, \S+ rounds? of background work, (\S+) kinds? of like ones; slow: above z "
                     r"([0-9.]+) and (\d+) times the median of the kind; a finding needs (\d+) % of busy time, (\d+) slow "
                     r"ones, .* odds ×(\d+) and a share ×([0-9.]+) \(or odds ×(\d+)\)", " ".join(text.split()))
    mine = (basis["populations"], f"{rule['z']:.1f}", f"{rule['median_times']:.0f}",
            f"{100 * rule['excess_share']:.0f}", rule["units_min"], f"{rule['odds_min']:.0f}",
            f"{rule['times_min']:.1f}", f"{rule['odds_alone']:.0f}")
    if not stated or tuple(map(str, mine)) != stated.groups()[1:]:
        wrong(name, f"the rule is {mine}, not as the text says")
    compared = re.search(r"Compared with the (time before|baseline), which has (\d+) of these kinds, and \S+ requests "
                         r"and rounds in ([0-9.]+) s", " ".join(text.split()))
    stated = basis["baseline"] and ("time before" if basis["baseline"]["before"] else "baseline",
                                  str(basis["baseline"]["populations"]), f"{basis['baseline']['seconds']:.1f}")
    if (compared.groups() if compared else None) != stated:
        wrong(name, f"the baseline is {stated}, not as the text says")
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
# Its holder fell asleep before the request began.
by_clock = json.loads((folder / "lock_by_clock.json").read_text())["findings"][0]["example"]["slow"]["scene"]["threads"][1]
if by_clock["name"] != "keeper" or {span[3] for span in by_clock["spans"] if span[0] == "asleep"} != {"clock_nanosleep"}:
    wrong("lock_by_clock", f"its holder sleeps in {by_clock}")
if seen != set(verdicts.values()):
    wrong("verdicts", f"only {seen} were seen")
lacking = {"call path", "most of it", "calls", "outside", "who waits", "who", "rounds", "owner", "kernel", "syscalls",
           "normal", "background"} - held
if lacking:
    wrong("details", f"no report had {lacking}")
sys.exit(bad)
