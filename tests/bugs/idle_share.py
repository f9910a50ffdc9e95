#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How much of the time of a healthy server's threads Scope takes for waits in a futex within requests.

Usage: idle_share.py TRACE...
Prints for each trace this share, in %, by `scope waits`, of all groups that pick up work by `scope report`, and of sleeps of any kind by `scope metrics`.
Exit status: 0 if the first two are below 1 % in each trace, else 1. Environment: SCOPE, the program.
"""
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCOPE = os.environ.get("SCOPE", f"{TOP}/build/user/scope")
MOST = 1.0


def ask(command, trace):
    ran = subprocess.run([SCOPE, command, "-i", trace, "--format", "json"], stdout=subprocess.PIPE, check=False)
    return json.loads(ran.stdout)


def shares(trace):
    groups = ask("report", trace)["groups"]
    wall_ns = sum(group["wall_ns"] for group in groups)
    waits_ns = sum(group["blocked_ns"]["futex"] for group in ask("waits", trace)["waits"])
    work_ns = sum(group["in_requests"]["blocked_ns"]["futex"] for group in groups if group["in_requests"])
    all_ns = sum(series["totals"].get("work_wait") or 0 for series in ask("metrics", trace)["series"])
    return [100 * ns / wall_ns for ns in (waits_ns, work_ns, all_ns)]


def main():
    worst = 0
    for trace in sys.argv[1:]:
        found = shares(trace)
        worst = max(worst, *found[:2])
        print(f"{trace}\twaits {found[0]:.2f} %\treport {found[1]:.2f} %\tmetrics {found[2]:.2f} %")
    return worst >= MOST


sys.exit(main())
