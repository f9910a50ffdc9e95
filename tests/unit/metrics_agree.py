# SPDX-License-Identifier: GPL-2.0-only
"""Checks that scope metrics prints the same values as JSON, OpenMetrics and CSV.

Usage: metrics_agree.py METRICS.json METRICS.openmetrics METRICS.csv
"""
import collections
import csv
import json
import re
import sys


def main():
    document = json.load(open(sys.argv[1]))
    unit = {metric["name"]: metric["unit"] for metric in document["metrics"]}
    wanted = {(one["name"], name): value for one in document["series"] for name, value in one["totals"].items()}
    assert wanted and any(wanted.values())
    for one in document["series"]:
        for name, values in one["values"].items():
            assert len(values) == document["steps"] and sum(values) == one["totals"][name], name
    lines = open(sys.argv[2]).read().splitlines()
    assert lines[-1] == "# EOF"
    found = {}
    for line in lines[:-1]:
        match = re.fullmatch(r'scope_(\w+?)_total\{group="([^"]*)"\} ([0-9.]+)', line)
        if not match:
            assert re.match(r"# (TYPE|UNIT|HELP) scope_|scope_lost_events_total \d+$", line), line
            continue
        name = match[1].removesuffix("_seconds")
        seconds, _, rest = match[3].partition(".")
        found[match[2], name] = int(seconds) * 10 ** 9 + int(rest) if unit[name] == "ns" else int(match[3])
    assert found == wanted
    sums = collections.Counter()
    for row in csv.DictReader(open(sys.argv[3])):
        sums[row["group"], row["metric"]] += int(row["value"])
        assert row["unit"] == unit[row["metric"]]
    assert sums == wanted


if __name__ == "__main__":
    main()
