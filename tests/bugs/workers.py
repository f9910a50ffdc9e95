#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ask Scope about workers that get jobs from a queue in Redis (workers/), of which some are slow, or one hangs: processes without clients.

Usage: workers.py [-a] [-d SECONDS] [-s SHARE] [-o DIR] [WORKER[/KIND]...]      default: all of all, 10 s each, build/workers

WORKER is python (four threads), python1 (one), ruby (four), php (one) or java (four). KIND is a function of languages/, or none: a healthy
worker. Prints a line for each: whether the function is first, or for none whether nothing is abnormal, the verdict, and the functions named.
Slow ones are 3 % of 200 jobs/s, or SHARE, and those that take longer and longer all of them; a worker in which one hangs is attached to
afterwards. With -a, traces of an earlier run are analysed again.
Exit status: 0 however many are first. Needs root, perf events or the module, redis-server and the languages (a missing one is left out).
"""
import os
import random
import shutil
import subprocess
import sys
import time

from languages import Languages
from planted import HERE, connected

FOLDER = f"{HERE}/workers"
PYTHON = "/usr/bin/python3"
RATE = 200
# The language whose functions it runs, and the program.
WORKERS = {"python": ("python", PYTHON), "python1": ("python", PYTHON), "ruby": ("ruby", "ruby"), "php": ("php", "php"), "java": ("java", "javac")}


class Workers(Languages):
    """The workers of workers/."""
    name = "workers"
    servers = list(WORKERS)

    def missing(self, server):
        for tool in ("redis-server", WORKERS[server][1]):
            if not shutil.which(tool):
                return f"there is no {tool}"
        return ""

    def kinds_of(self, server):
        return super().kinds_of(WORKERS[server][0])

    def command(self, server, port, peer, folder):
        os.environ["PEER"], os.environ["FOLDER"] = peer, folder
        os.environ["SERVE"] = f"{port} {peer} {folder}"
        if server in ("python", "python1"):
            os.environ["SERVE"] += " 1" if server == "python1" else " 4"
            return [PYTHON, f"{FOLDER}/worker.py"]
        if server == "ruby":
            return ["ruby", f"{FOLDER}/worker.rb"]
        if server == "php":
            return ["php", f"{FOLDER}/worker.php", str(port)]
        if not os.path.exists(f"{self.out}/Worker.class"):
            subprocess.run(["javac", "-d", self.out, f"{HERE}/languages/Serve.java", f"{FOLDER}/Worker.java"], check=True)
        return ["java", "-cp", self.out, "Worker", str(port), peer, folder]

    def start(self, server, port, peer, folder):
        """It waits for the broker, which the load begins."""
        with open(f"{folder}/log", "ab") as log:
            return subprocess.Popen(self.command(server, port, peer, folder), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                    start_new_session=True, cwd=folder)

    def load(self, server, port, kind):
        subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""],
                         stdout=subprocess.DEVNULL, cwd="/")
        for _ in range(200):
            try:
                broker = connected(port)
                break
            except OSError:
                time.sleep(0.02)
        else:
            raise SystemExit(f"{self.name}: redis-server does not start at port {port}")
        chance = random.Random(1)
        share = 1 if kind in self.growing else self.share
        hangs_at = time.monotonic() + 1 if kind in self.hangs else float("inf")
        while True:
            job = kind if kind not in ("none", *self.hangs) and chance.random() < share else " "
            if time.monotonic() > hangs_at:
                job, hangs_at = kind, float("inf")
            broker.sendall(f"*3\r\n$5\r\nRPUSH\r\n$4\r\njobs\r\n${len(job)}\r\n{job}\r\n".encode())
            broker.recv(64)
            time.sleep(chance.expovariate(RATE))


if __name__ == "__main__":
    sys.exit(Workers().main())
