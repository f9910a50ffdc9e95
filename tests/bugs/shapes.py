#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers of ten shapes with bugs of eighteen kinds, and about each shape without one.

Usage: shapes.py [-d SECONDS] [-s SEED] [-o DIR] [SHAPE/BUG...]

Prints a line for each: whether the function is first, the verdict, and the functions that the report names; then how many. The seed
chooses in which function of a request a bug is, and the order. Traces stay in DIR. Exit status: 0 however many are first; 2 one
could not be run. Needs root, and perf events or the module.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCOPE = os.environ.get("SCOPE", f"{TOP}/build/user/scope")
SHAPES = ["epoll", "poll", "thread_each", "accept_each", "queue", "back", "pipeline", "prefork", "datagrams", "epoll_each"]
CALLERS = "bug_{} meet_bug do_get do_put stage_one stage_two serve_request"
BUGS = {
    "none": "",
    "cpu": "bug_cpu",
    "lock_run": "bug_lock_run",
    "lock_sleep": "bug_lock_sleep",
    "rwlock": "bug_rwlock",
    "semaphore": "bug_semaphore",
    "calls": "bug_calls",
    "bytes": "bug_bytes",
    "sync": "bug_sync",
    "sleep": "bug_sleep",
    "child": "bug_child",
    "memory": "bug_memory",
    "poll": "bug_poll",
    "ask": "peer_slow bug_ask",
    "checkpoint": "checkpoint",
    "stall": "bug_stall",
    "stall_sleep": "bug_stall_sleep",
    "hang": CALLERS.format("hang"),
    "spin": CALLERS.format("spin"),
}
ONE_THREAD = {"epoll", "poll", "datagrams"}
NEED_THREADS = {"lock_run", "lock_sleep", "rwlock", "semaphore"}


def makes_sense(shape, bug):
    """A lock that nobody else wants is no bug; processes share none."""
    return not (shape in ONE_THREAD | {"prefork"} and bug in NEED_THREADS or (shape, bug) == ("prefork", "checkpoint"))


def report(pid, seconds, trace):
    command = [SCOPE, "report", "-p", str(pid), "-d", str(seconds), "--save", trace, "--format", "json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ran.stdout:
        raise OSError(f"{' '.join(command)}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def ask(program, shape, bug, options, number):
    place = random.Random(f"{options.seed} {shape} {bug}").randrange(4)
    words = [program, shape, bug, str(place), str(options.port + number)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        pid = int(running.stdout.readline())
        try:
            time.sleep(1)
            trace = os.path.join(options.output, f"{shape}-{bug}.trace")
            answer = report(pid, options.seconds, trace)
        finally:
            os.kill(pid, 9)
    named = [one["function"]["name"] for one in answer["findings"] if one["function"]]
    expected = BUGS[bug].split()
    right = answer["verdict"] == "nothing" if bug == "none" else named[:1] != [] and named[0] in expected
    print("ok " if right else "not", f"{shape:11} {bug:11} {answer['headline']:17}", *named[:4], flush=True)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-d", dest="seconds", type=int, default=6)
    parser.add_argument("-s", dest="seed", type=int, default=1)
    parser.add_argument("-o", dest="output", default=f"{TOP}/build/shapes")
    parser.add_argument("-p", dest="port", type=int, default=21000)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    program = os.path.join(options.output, "shapes")
    sources = [f"{TOP}/tests/bugs/shapes{part}.c" for part in ("", "_bugs", "_serve")]
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-Wextra", "-pthread", "-o", program, *sources], check=True)
    cases = [tuple(case.split("/")) for case in options.cases]
    if not cases:
        cases = [(shape, bug) for bug in BUGS for shape in SHAPES if makes_sense(shape, bug)]
        random.Random(options.seed).shuffle(cases)
    failed, right = 0, {True: 0, False: 0}
    for number, (shape, bug) in enumerate(cases):
        try:
            right[bug == "none"] += ask(program, shape, bug, options, number)
        except (OSError, ValueError) as error:
            print("# not run:", shape, bug, error, flush=True)
            failed = 1
    healthy = sum(bug == "none" for _, bug in cases)
    print(f"{right[False]} of {len(cases) - healthy} bugs first, nothing abnormal in {right[True]} of {healthy} healthy servers")
    return 2 * failed


sys.exit(main())
