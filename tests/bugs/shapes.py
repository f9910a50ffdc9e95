#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about servers of ten shapes with bugs of 97 kinds, and about each shape without one under loads of 19 kinds.

Usage: shapes.py [-d SECONDS] [-s SEED] [-o DIR] [-a] [SHAPE/KIND...]      a pattern is fine: queue/*

Prints a line for each: whether the function is first, the verdict, and the functions that the report names; then how many. The seed
chooses in which function of a request a bug is, and the order. Traces stay in DIR, and -a analyses them again. Exit status: 0 however many are first; 2 one
could not be run. Needs root, and perf events or the module. Environment: SCOPE, the program; CC, the compiler and its options, as "gcc -static".
"""
import argparse
import fnmatch
import json
import os
import random
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCOPE = os.environ.get("SCOPE", f"{TOP}/build/user/scope")
COMPILER = os.environ.get("CC", "gcc").split()
SHAPES = ["epoll", "poll", "thread_each", "accept_each", "queue", "back", "pipeline", "prefork", "datagrams", "epoll_each"]
CALLERS = "bug_{} meet_bug do_get do_put stage_one stage_two serve_request"
BUGS = {
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
    "grows": "bug_grows",
    "cold": "bug_cold",
    "retry": "bug_retry",
    "order": "bug_order hold_second",
    "herd": "bug_herd look_for_work wait_in_crowd",
    "fork": "bug_fork",
    "free": "bug_free",
    "collide": "bug_collide",
    "regex": "bug_regex",
    "scandir": "bug_scandir",
    "leaked": "bug_leaked",
    "worker": "bug_worker",
    "trim": "bug_trim",
    "unsignalled": "bug_unsignalled",
    "log": "bug_log ship_lines",
    "flock": "bug_flock",
    "copy": "bug_copy",
    "spinlock": "bug_spinlock",
    "deadlock": CALLERS.format("deadlock"),
    "silent": CALLERS.format("silent"),
    "asks_again": CALLERS.format("asks_again"),
}
SLOW = {
    "sorts": "bug_sorts compare_slowly",
    "recurses": "bug_recurses count_ways",
    "helper": "bug_helper",
    "filter": "bug_filter begin_filter",
    "jumps": "bug_jumps go_down",
    "threads": "bug_threads do_part",
    "signals": "bug_signals on_signal",
} | {name: f"bug_{name}" for name in [
    "appends", "formats", "maps", "protects", "random", "renames", "truncates", "datagram", "timer", "plugin", "shell",
    "rereads", "scans", "compares", "interprets", "splices"]}
HANGS = ["kept_flock", "kept_fcntl", "no_post", "semop", "upgrade", "twice", "owner_gone", "event", "full_pipe", "child_stays", "connect",
         "no_answer", "no_reader", "join", "fork_locked", "barrier", "condition", "condition_again", "pause", "signal", "message",
         "terminal", "yield", "naps", "try", "poll_nothing", "accept", "inner_loop", "select", "fifo", "futex", "spinlock_kept",
         "error_path", "pool_leaks", "two_files"]
BUGS |= SLOW | {name: CALLERS.format(name) for name in HANGS}
HEALTHY = ["none", "reports", "sizes", "bimodal", "misses", "warm_up", "writes", "keys", "rotation", "buffer", "cron", "compaction", "gc",
           "bursts", "come_go", "few", "slow_readers", "noisy", "idle_clients"]
ONE_THREAD = {"epoll", "poll", "datagrams"}
NEED_THREADS = {"lock_run", "lock_sleep", "rwlock", "semaphore", "spinlock", "deadlock"}


def makes_sense(shape, bug):
    """A lock that nobody else wants is no bug; processes share none. A client that reads slowly stops a loop."""
    if bug in NEED_THREADS:
        return shape not in ONE_THREAD | {"prefork"}
    if bug in {"flock", "worker"}:
        return shape not in ONE_THREAD | ({"thread_each"} if bug == "worker" else set())
    if bug == "slow_readers":
        return shape in {"thread_each", "accept_each", "queue", "pipeline", "prefork"}
    return (shape, bug) not in {("prefork", "checkpoint"), ("datagrams", "idle_clients"), ("datagrams", "come_go"), ("datagrams", "keys")}


def analyse(words):
    command = [SCOPE, "report", *words, "--format", "json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ran.stdout:
        raise OSError(f"{' '.join(command)}: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def capture(program, words, options, trace):
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True) as running:
        pid = int(running.stdout.readline())
        try:
            time.sleep(1)
            return analyse(["-p", str(pid), "-d", str(options.seconds), "--save", trace])
        finally:
            os.kill(pid, 9)


def ask(program, shape, bug, options, number):
    place = random.Random(f"{options.seed} {shape} {bug}").randrange(4)
    trace = os.path.join(options.output, f"{shape}-{bug}.trace")
    if options.again:
        answer = analyse(["-i", trace])
    else:
        answer = capture(program, [shape, bug, str(place), str(options.port + number)], options, trace)
    findings = [one for one in answer["findings"] if one["function"]]
    named = [one["function"]["name"] for one in findings]
    if bug in HEALTHY:
        right = answer["verdict"] in ("nothing", "outside", "unknown")
    else:
        right = named[:1] != [] and named[0] in BUGS[bug].split()
    confidence = findings[0]["confidence"] if findings else ""
    print("ok " if right else "not", f"{shape:11} {bug:12} {answer['headline']:17} {confidence:6}", *named[:4], flush=True)
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-d", dest="seconds", type=int, default=6)
    parser.add_argument("-s", dest="seed", type=int, default=1)
    parser.add_argument("-o", dest="output", default=f"{TOP}/build/shapes")
    parser.add_argument("-p", dest="port", type=int, default=21000)
    parser.add_argument("-a", dest="again", action="store_true", help="analyse the traces that are in DIR, instead of new runs")
    parser.add_argument("cases", nargs="*", metavar="SHAPE/KIND", help="or a pattern: queue/*; default: all")
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    program = os.path.join(options.output, "shapes")
    sources = [f"{TOP}/tests/bugs/shapes{part}.c" for part in ("", "_bugs", "_more", "_slow", "_hangs", "_healthy", "_serve")]
    subprocess.run([*COMPILER, "-O1", "-g", "-Wall", "-Wextra", "-pthread", "-o", program, *sources], check=True)
    cases = [(shape, bug) for bug in [*BUGS, *HEALTHY] for shape in SHAPES if makes_sense(shape, bug)]
    if options.cases:
        cases = [case for case in cases if any(fnmatch.fnmatch("/".join(case), pattern) for pattern in options.cases)]
    random.Random(options.seed).shuffle(cases)
    failed, right = 0, {True: 0, False: 0}
    for number, (shape, bug) in enumerate(cases):
        try:
            right[bug in HEALTHY] += ask(program, shape, bug, options, number)
        except (OSError, ValueError) as error:
            print("# not run:", shape, bug, error, flush=True)
            failed = 1
    healthy = sum(bug in HEALTHY for _, bug in cases)
    print(f"{right[False]} of {len(cases) - healthy} bugs first, no alarm in {right[True]} of {healthy} healthy servers")
    return 2 * failed


sys.exit(main())
