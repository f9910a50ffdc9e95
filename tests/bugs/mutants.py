#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes functions of healthy servers slow, chosen at random, and counts how often the report names them.

Usage: mutants.py [-n RUNS] [-s SEED] [-k KIND,...] [-o DIR] [SERVER...]
  -n  runs of each server (1), each with another function, and the next kind
  -s  seed of the choice (1)
  -k  kinds: cpu, sleep, calls, peer, lock, freeze, spin, hang (default: all but spin and hang, which
      may stop a thread that serves nobody)
  -o  directory that keeps traces and reports (build/mutants)
  SERVER  a healthy row of bugs.tsv in C or C++ (default: those whose functions can be changed)
Environment: SECONDS_EACH (15), SCOPE (the program)

A function is chosen among those of the executable that samples hit while the server was under load, whatever it does. mutant.c
makes it slow for 2 to 15 ms, about 16 times a second (freeze: 1.8 s, each 5 s; spin and hang: once). A function that is called less
than 30 times in 1.5 s is not counted, and another is taken. Right is a function of mutant.c. Prints a line for each run and the count.
Exit status: 0 all runs ended with a report, whatever it says; 1 not all; 2 wrong use.
"""
import argparse
import bisect
import collections
import json
import mmap
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

import capstone

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SCOPE = os.environ.get("SCOPE", f"{ROOT}/build/user/scope")
SECONDS = int(os.environ.get("SECONDS_EACH", "15"))
LIBRARY = f"{ROOT}/build/servers/libmutant.so"
# Length of a slow call and mean time between two, us; 0: drawn.
KINDS = {"cpu": (0, 60_000), "sleep": (0, 60_000), "calls": (0, 60_000), "peer": (8_000, 60_000), "lock": (6_000, 150_000),
         "freeze": (1_800_000, 5_000_000), "spin": (1, 0), "hang": (1, 0)}
ONCE = ("spin", "hang")
LENGTHS = (2_000, 4_000, 8_000, 15_000)
SERVERS = """none none-lighttpd none-pool none-prefork none-perconn none-dispatch none-redis none-nginx none-apache none-tinyproxy
 none-civetweb none-pen none-nutcracker none-stunnel4 none-varnish none-slapd none-kamailio none-freeradius none-inspircd
 none-pgbouncer none-mini-httpd none-rinetd none-vsftpd none-ngircd none-dictd none-privoxy none-dnsdist none-pdns""".split()
TRIES = 12     # functions of a server until one can be changed and is called
HIT_SHARE = 0.004  # of the stacks, of a function that may be chosen
JUMP_BYTES = 5


def rows():
    with open(f"{HERE}/bugs.tsv", encoding="utf-8") as table:
        return [line.rstrip("\n").split("\t") for line in table if line.strip() and not line.startswith("#")]


def load_of(name):
    """The case whose load is sent to the healthy server."""
    own = next(row for row in rows() if row[0] == name)
    return next((row[0] for row in rows() if row[1] == own[1] and row[6] == own[6] and row[3] not in ("none", "hang")), name)


class Server:
    """A healthy server under load, while the block lasts."""

    def __init__(self, name, seed, environment):
        self.name, self.seed = name, seed
        self.environment = dict(os.environ, DURATION=str(SECONDS + 60), TRIGGER=load_of(name), **environment)

    def __enter__(self):
        said = subprocess.run([f"{HERE}/start.sh", self.name, str(self.seed)], env=self.environment, capture_output=True,
                              text=True, check=False)
        if said.returncode:
            raise RuntimeError(f"{self.name} did not start: {said.stderr.strip()[-200:]}")
        self.said = dict(re.findall(r"^(\w+)='?([^'\n]*)'?$", said.stdout, re.M))
        self.pid = int(self.said["SERVER_PID"])
        return self

    def __exit__(self, *_):
        subprocess.run([f"{HERE}/stop.sh", self.said["SERVER_PID"], self.said["LOAD_PID"]], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.said["WORK_DIR"], ignore_errors=True)

    def report(self, seconds, folder):
        with open(f"{folder}/log", "w", encoding="utf-8") as log:
            subprocess.run([SCOPE, "report", "-p", str(self.pid), "-d", str(seconds), "--source", "perf", "--save",
                            f"{folder}/trace", "-o", f"{folder}/report.txt"], stdout=log, stderr=log, check=False)


def functions_of(program):
    """(begin, end) of the program's functions, by its unwind table: stripped programs have that as well."""
    said = subprocess.run(["readelf", "--debug-dump=frames", program], capture_output=True, text=True, check=False).stdout
    found = {(int(begin, 16), int(end, 16)) for begin, end in re.findall(r"pc=([0-9a-f]+)\.\.([0-9a-f]+)", said)}
    return sorted(one for one in found if one[0])


def base_of(pid, program):
    """Where the program is loaded; 0 if it has fixed addresses."""
    with open(program, "rb") as file:
        if struct.unpack_from("<H", file.read(18), 16)[0] != 3:  # ET_DYN
            return 0
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        return min(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program))


def profile(name, folder):
    """The program, and (begin, end) of the functions that were on enough stacks."""
    kept = f"{folder}/{name}.functions"
    if not os.path.exists(kept):
        work = f"{folder}/{name}.profile"
        os.makedirs(work, exist_ok=True)
        with Server(name, 7, {}) as server:
            program = os.readlink(f"/proc/{server.pid}/exe")
            base = base_of(server.pid, program)
            time.sleep(2)
            server.report(8, work)
        text = subprocess.run([SCOPE, "export", "script", f"{work}/trace"], capture_output=True, text=True, check=False).stdout
        functions, hits, stacks = functions_of(program), collections.Counter(), 0
        begins = [begin for begin, _ in functions]
        for block in re.split(r"\n(?!\t)", text):
            inside = set()
            for address in re.findall(rf"^\t *([0-9a-f]+) .*\({re.escape(program)}\)$", block, re.M):
                at = int(address, 16) - base - 1
                index = bisect.bisect(begins, at) - 1
                if index >= 0 and at < functions[index][1]:
                    inside.add(functions[index])
            hits.update(inside)
            stacks += bool(inside)
        chosen = sorted(one for one, count in hits.items() if count >= max(3, stacks * HIT_SHARE))
        with open(kept, "w", encoding="utf-8") as file:
            json.dump([program, chosen], file)
        shutil.rmtree(work)
    with open(kept, encoding="utf-8") as file:
        program, chosen = json.load(file)
    return program, [tuple(one) for one in chosen]


def code_of(program, begin, end):
    with open(program, "rb") as file:
        data = file.read()
    offset, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    for index in range(count):
        kind, _, place, address, _, size = struct.unpack_from("<IIQQQQ", data, offset + 56 * index)
        if kind == 1 and address <= begin < address + size:  # PT_LOAD
            return data[place + begin - address:place + end - address]
    return b""


def movable(program, begin, end):
    """Bytes of the first instructions, if these can be run elsewhere and no jump leads into them; else 0."""
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    moved = 0
    for one in decoder.disasm(code_of(program, begin, end), begin):
        if moved < JUMP_BYTES:
            if any(one.group(group) for group in (capstone.CS_GRP_JUMP, capstone.CS_GRP_CALL, capstone.CS_GRP_RET)) or "rip" in one.op_str:
                return 0
            moved += one.size
        elif one.group(capstone.CS_GRP_JUMP):
            to = re.fullmatch(r"0x([0-9a-f]+)", one.op_str)
            if to and begin < int(to[1], 16) < begin + moved:
                return 0
    return moved if JUMP_BYTES <= moved <= end - begin - 8 else 0


class Control:
    """struct control of mutant.c."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(4096))
        os.chmod(path, 0o666)  # servers change their user
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 4096)

    def enable(self):
        struct.pack_into("<I", self.memory, 0, 1)

    def count(self):
        """Calls, and slow ones."""
        return struct.unpack_from("<II", self.memory, 4)

    def next_in(self, seconds):
        """0: never again."""
        struct.pack_into("<Q", self.memory, 16, int((time.monotonic() + seconds) * 1e9) if seconds else 0)


def try_function(name, seed, kind, function, length, folder):
    """True if it could be changed, is called, and the server was traced."""
    program, begin, moved = function
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    control = Control(f"{folder}/control")
    mean = KINDS[kind][1]
    environment = {"LD_PRELOAD": LIBRARY,
                   "MUTANT": f"{program},{begin:x},{moved},{kind},{length},{mean},{folder}/control"}
    with Server(name, seed, environment) as server:
        control.enable()
        time.sleep(1.5)
        if control.count()[0] < (1 if kind in ONCE else 30):
            return False
        control.next_in(0.01 if kind in ONCE else mean * 3e-7)
        time.sleep(0.05 if kind in ONCE else 0.5)
        if kind in ONCE:
            control.next_in(0)
            time.sleep(3)
        server.report(SECONDS, folder)
        calls, slow = control.count()
    with open(f"{folder}/facts", "w", encoding="utf-8") as file:
        json.dump({"program": program, "function": f"{begin:x}", "kind": kind, "length_us": length, "calls": calls, "slow": slow}, file)
    return True


def judge(folder):
    """The rank of the changed function, 0: it is not named; the verdict; the first names. None: no report."""
    said = subprocess.run([SCOPE, "report", "-i", f"{folder}/trace", "--format", "json"], capture_output=True, text=True, check=False)
    try:
        report = json.loads(said.stdout)
    except ValueError:
        return None
    functions = [one["function"] or {} for one in report["findings"]]
    rank = next((rank for rank, one in enumerate(functions, 1) if one.get("module") == os.path.basename(LIBRARY)), 0)
    return rank, report["verdict"], [one.get("name") for one in functions[:3]]


def run(name, seed, kind, out):
    """As judge(); None: no function of the server could be changed, or no report came."""
    program, functions = profile(name, out)
    chance = random.Random(f"{name} {seed} {kind}")
    chance.shuffle(functions)
    length = KINDS[kind][0] or chance.choice(LENGTHS)
    folder = f"{out}/{name}-{kind}.{seed}"
    tried = 0
    for begin, end in functions:
        moved = movable(program, begin, end)
        if not moved:
            continue
        tried += 1
        if tried > TRIES:
            break
        try:
            if try_function(name, seed, kind, (program, begin, moved), length, folder):
                return judge(folder)
        except RuntimeError as problem:
            print(problem, file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=1)
    parser.add_argument("-s", type=int, default=1)
    parser.add_argument("-k", default=",".join(kind for kind in KINDS if kind not in ONCE))
    parser.add_argument("-o", default=f"{ROOT}/build/mutants")
    parser.add_argument("server", nargs="*", default=SERVERS)
    options = parser.parse_args()
    kinds = options.k.split(",")
    known = {row[0] for row in rows() if row[3] == "none"}
    for wrong in [one for one in kinds if one not in KINDS] + [one for one in options.server if one not in known]:
        parser.error(f"{wrong} is no kind and no healthy server of bugs.tsv")
    os.makedirs(os.path.dirname(LIBRARY), exist_ok=True)
    subprocess.run(["gcc", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", LIBRARY, f"{HERE}/mutant.c", "-lm"],
                   check=True)
    os.makedirs(options.o, exist_ok=True)
    first = runs = left = 0
    for turn in range(options.n):
        for index, name in enumerate(options.server):
            kind = kinds[(index + turn + options.s - 1) % len(kinds)]
            result = run(name, options.s + turn, kind, options.o)
            left += result is None
            runs += result is not None
            first += result is not None and result[0] == 1
            print(f"{name:16} {kind:7} " + (f"rank {result[0] or '-'}  {result[1]:9} {', '.join(str(one) for one in result[2])}" if result else
                                            "no function could be changed, or no report came"), flush=True)
    print(f"first {first} of {runs}, {left} left out")
    return 0 if runs else 1


if __name__ == "__main__":
    sys.exit(main())
