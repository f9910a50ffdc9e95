# SPDX-License-Identifier: GPL-2.0-only
"""Prints a profile of a server with known figures.

Usage: make_profile.py SHAPE [PROGRAM_US]     SHAPE: one of SHAPES below; PROGRAM_US: see there (default 150)

Requests have 64 bytes or, one in five, 700 to 1,400; answers have sizes by Zipf's law, up to 16 KB. One request in three also
reads 4,096 bytes of a file. Outside of calls a request takes PROGRAM_US to 4/3 of it on a CPU.
"""
import json
import sys

REQUESTS = 1200
ASKED = [[64, 64, 960], [700, 1400, 240]]


def zipf(most):
    """As in P(size > x) = (x / 100)^-1.2, in rows of powers of two."""
    rows, low = [], 100
    while low < most:
        high = min(2 * low, most)
        rows.append([low, high - 1, round(1e6 * ((low / 100) ** -1.2 - (high / 100) ** -1.2))])
        low = high
    return rows


ANSWERED = zipf(16384)


def distribution(rows):
    n = sum(row[2] for row in rows)
    return {"n": n, "mean": sum((row[0] + row[1]) / 2 * row[2] for row in rows) / n, "rows": rows}


def step(call, on, rows, before_ns, units):
    return {"syscall": call, "on": on, "picked": 0, "error": None, "freq": 1.0,
            "times": distribution([[1, 1, units]]),
            "para_dist": {"count": distribution(rows) if rows else None},
            "slept_ns": None, "before_ns": before_ns, "run_ns": 5000}


def path(steps, units, requests, program_us):
    low, high = program_us * 1000, program_us * 4000 // 3
    program = distribution([[low, high, units]])
    return {"kind": None, "units": units, "requests": requests, "cpu_ns": program, "program_ns": program,
            "after_ns": 0, "steps": [step(*one, units) for one in steps]}


def paths(reads, writes, program_us):
    """One request in three reads a file."""
    before, after = program_us * 500, program_us * 500
    one = [reads, ("pread64", "file", [[4096, 4096, 1]], before), writes(after)]
    other = [reads, writes(2 * before)]
    return [(other, REQUESTS * 2 // 3), (one, REQUESTS // 3)]


def make_stage(name, role, idle_call, threads, work, **more):
    stage = {"name": name, "role": role, "idle_call": idle_call, "func": {"functionality": []}, "threads": threads,
             "processes": 1, "accepts": False, "units": sum(one["units"] for one in work),
             "requests": sum(one["requests"] for one in work), "per_s": 0, "from": None, "from_share": 0, "wait_ns": None,
             "busy": 0, "cpu_ns": None, "queue_ns": None, "latency_ns": None,
             "locks": {"freq": None, "slept_ns": None}, "syscall_characteristics": [], "paths": work, "left_out": 0}
    return {**stage, **more}


def read(on="client", call="read"):
    return (call, on, ASKED, 0)


def write(on="client", call="write"):
    return lambda before: (call, on, ANSWERED, before)


def whole(program_us, on="client", calls=("read", "write")):
    """All of a request in one thread."""
    return [path(steps, units, units, program_us)
            for steps, units in paths(read(on, calls[0]), write(on, calls[1]), program_us)]


def pool(program_us):
    """A loop that reads, and workers that answer."""
    reads = [path([read()], REQUESTS, REQUESTS, program_us // 5)]
    work = [path(steps[1:], units, 0, program_us) for steps, units in paths(read(), write(), program_us)]
    return [make_stage("loop", "network", "epoll", 1, reads, accepts=True),
            make_stage("worker", "worker", "futex", 3, work, **{"from": 0, "from_share": 1.0})]


# skeleton, model, stages, processes, connections, requests of each
SHAPES = {
    "event_loop": lambda us: ("event_loop", "epoll", [
        make_stage("loop", "network", "epoll", 1, whole(us), accepts=True)], 1, 8, 0),
    "event_loops": lambda us: ("event_loop", "epoll", [
        make_stage("accepts", "accept", "accept", 1, [], accepts=True),
        make_stage("loop", "network", "epoll", 2, whole(us, calls=("recvfrom", "sendto")))], 1, 8, 0),
    "poll": lambda us: ("event_loop", "poll", [
        make_stage("loop", "network", "poll", 1, whole(us), accepts=True)], 1, 8, 0),
    "thread_per_connection": lambda us: ("thread_per_connection", "blocking", [
        make_stage("accepts", "accept", "accept", 1, [], accepts=True),
        make_stage("client", "network", "read", 6, whole(us, calls=("recvfrom", "sendto")))], 1, 6, 0),
    "pool": lambda us: ("event_loop", "epoll", pool(us), 1, 8, 0),
    "connection_queue": lambda us: ("connection_queue", "blocking", [
        make_stage("accepts", "accept", "accept", 1, [], accepts=True),
        make_stage("pool", "network", "futex", 3, whole(us))], 1, 3, 40),
    "prefork": lambda us: ("prefork", "blocking", [
        make_stage("child", "network", "accept", 3, whole(us), processes=3, accepts=True)], 3, 3, 40),
    "datagrams": lambda us: ("datagrams", "blocking", [
        make_stage("server", "network", "read", 2, whole(us, "datagram", ("recvfrom", "sendto")))], 1, 4, 0),
}


def make(shape, program_us):
    skeleton, model, stages, processes, connections, each = SHAPES[shape](program_us)
    network = [one for one in stages if one["role"] == "network"][0]
    accepts = [one for one in stages if one["role"] == "accept"]
    return {
        "schema": 1, "scope": "made for a test", "command": "model --profile", "window_ns": 1e9, "requests": REQUESTS,
        "reqs_per_sec": REQUESTS, "processes": processes, "threads": sum(one["threads"] for one in stages),
        "listeners": 1,
        "connections": {"seen": connections, "accepted": REQUESTS // each if each else 0, "conns": connections,
                        "most": connections, "requests": each or REQUESTS / connections},
        "network_model_characteristics": {
            "skeleton": skeleton, "model": model, "protocol": "datagram" if skeleton == "datagrams" else "stream",
            "accept_dispatch": False, "network_dispatch": bool(accepts),
            "work_dispatch": any(one["role"] == "worker" for one in stages),
            "network_epoll": model == "epoll", "nonblocking": False, "blocking": model == "blocking",
            "accept_thread_pool_size": 0 if skeleton == "datagrams" else accepts[0]["threads"] if accepts else network["threads"],
            "network_thread_pool_size": network["threads"]},
        "lacks": [], "thread_characteristics": stages,
    }


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in SHAPES:
        sys.exit(f"usage: make_profile.py {'|'.join(SHAPES)} [PROGRAM_US]")
    json.dump(make(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 150), sys.stdout, indent=1)
