#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What `scope metrics --baseline` puts first when a healthy server has to contend for what it needs.

Usage: contention.py [SERVER...]      SERVER: redis, mariadb, postgres, pool; default: all
Environment: SEEDS (5), SECONDS_EACH (length of a capture, 4), KINDS ("cpu disk lock memory"), LEVELS ("1 2 3"),
  OUT (build/contention), SCOPE (the program), REALTIME (1: all of it runs by SCHED_RR, so that other programs of the host do
  not contend, too)
Each server runs on one CPU, its load on another one: requests that read ten rows, and for the disk ones that write. For each
seed there is a capture of a quiet time of both, and one of each kind of contention at each level:
  cpu     1, 2 or 4 programs compute on the server's CPU
  disk    2, 4 or 8 programs write to the server's file system and sync
  lock    a client keeps a lock (a table's, the pool's, or all of redis) for 10 ms, 10, 30 or 60 times a second
  memory  1, 2 or 4 programs want 64 MiB each in the server's control group, whose limit is half of what the server uses;
          pages go to a swap file, from which the server can read 1,000 times a second
Right is the group that serves clients, first of all groups, with a share of WANTED, first of its shares that grew. Then 25 parts of 2 s of a quiet time of each server are
compared with the rest of it: of 100 at most 2 may have a sure change. What is complete in OUT is not run again. Prints a table; exit 1 if an answer
is wrong.
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent.parent
OUT = Path(os.environ.get("OUT", TOP / "build" / "contention"))
SCOPE = os.environ.get("SCOPE", str(TOP / "build" / "user" / "scope"))
SECONDS = float(os.environ.get("SECONDS_EACH") or 4)
SEEDS = int(os.environ.get("SEEDS") or 5)
KINDS = os.environ.get("KINDS", "cpu disk lock memory").split()
LEVELS = [int(level) for level in os.environ.get("LEVELS", "1 2 3").split()]
REALTIME = os.environ.get("REALTIME", "1") == "1"
RR_SLICE = Path("/proc/sys/kernel/sched_rr_timeslice_ms")
ALIKE, PARTS = 2, 25  # of a quiet time of each server: seconds of a part, and parts
SERVER_CPU, LOAD_CPU = 0, os.cpu_count() - 1
HOGS = {1: 1, 2: 2, 3: 4}
MEMORY_LEFT = 0.5
WRITERS = {1: 2, 2: 4, 3: 8}
HOLDS_PER_S = {1: 10, 2: 30, 3: 60}
HOLD_S = 0.01
KEYS = 40000  # of about a KiB each
MEMORY_GROUP = Path("/sys/fs/cgroup/memory/scope-contention")
DISK_GROUP = Path("/sys/fs/cgroup/blkio/scope-contention")
SWAP_READS_PER_S = 1000
# Shares of time that name the cause. A thread that waits for a page sleeps for a device.
WANTED = {
    "cpu": {"run_queue"},
    "disk": {"io_wait", "uninterruptible", "file_time"},
    # A lock of redis' only thread is a sleep of that; PostgreSQL waits for locks in epoll_wait.
    "lock": {"futex_wait_time", "work_wait"},
    "memory": {"fault_wait_time", "io_wait", "uninterruptible", "swapin_time", "page_wait_time", "group_reclaim_time"},
}
# The threads that serve clients.
GROUPS = {
    "redis": {"redis-server"},
    "mariadb": {"mariadbd (polls, for clients)", "mariadbd"},
    "postgres": {"postgres (polls, for clients)", "postgres"},
    "pool": {"pool (reads, for clients)", "pool (reads from clients)"},
}


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A server with its load, in a directory of its own."""

    name = ""
    connections = 8

    def __init__(self, work, seed):
        self.work, self.seed, self.port = work, seed, 24000 + os.getpid() % 5000
        self.draw = random.Random(seed)
        self.rate = self.draw.randint(250, 350)
        self.running, self.loads = [], 0
        self.server = None

    def run(self, command, cpu=None, log="log", group=False, **options):
        """Starts a program in the background, on one CPU if that is given; group: in the server's control group."""
        def settle():
            if REALTIME and not (group and cpu == LOAD_CPU):
                os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})
            if group and "memory" in KINDS:
                (MEMORY_GROUP / "cgroup.procs").write_text(str(os.getpid()))
                if cpu == SERVER_CPU:
                    (DISK_GROUP / "cgroup.procs").write_text(str(os.getpid()))
        with open(self.work / log, "ab") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, preexec_fn=settle,
                                       **options)
        self.running.append(process)
        return process

    def stop(self, process, how=signal.SIGTERM):
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.running.remove(process)

    def stop_all(self):
        for process in reversed(list(self.running)):
            self.stop(process, signal.SIGKILL if process is not self.server else signal.SIGTERM)

    def clients(self, writes):
        """One writes: of several, one syncs for all, and the others wait for that one instead of the disk."""
        return 1 if writes else self.connections

    def listen(self):
        wait_for(f"{self.name} listens", lambda: answers(self.port))


class Words(Server):
    """Servers that speak the protocol of redis."""

    def respload(self, mix, rate, connections, setup=""):
        (self.work / "setup").write_text(setup)
        (self.work / "mix").write_text(mix)
        self.loads += 1
        log = f"load.{self.loads}"
        process = self.run([sys.executable, str(HERE.parent / "respload.py"), str(self.port), str(self.work / "setup"),
                            str(self.work / "mix"), str(connections), str(rate), "600", str(self.seed)], LOAD_CPU, log)
        wait_for("the load runs", lambda: b"warm" in (self.work / log).read_bytes())
        return process

    def fill(self):
        if self.name == "redis":
            rows = "".join(f"SET key:{i} {'x' * 1000}\n" for i in range(KEYS))
            self.stop(self.respload("100\tPING\n", 1, 1, rows))

    def load(self, writes):
        read = "MGET" + 10 * f" key:{{{KEYS}}}" if self.name == "redis" else f"GET key:{{{KEYS}}}"
        return self.respload(f"100\tSET key:{{{KEYS}}} {{500-1000}}\n" if writes else f"100\t{read}\n", self.rate,
                             self.clients(writes))

    def hold(self, level):
        return self.respload(f"100\tDEBUG SLEEP {HOLD_S}\n", HOLDS_PER_S[level], 1)


class Redis(Words):
    name = "redis"

    def start(self):
        self.server = self.run(["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "yes",
                                "--appendfsync", "always", "--dir", str(self.work), "--enable-debug-command", "yes",
                                "--auto-aof-rewrite-percentage", "0"], SERVER_CPU, group=True)
        self.listen()


class Pool(Words):
    name = "pool"

    def start(self):
        self.server = self.run([str(OUT / "pool"), str(self.port), str(self.work), "64"], SERVER_CPU, group=True)
        self.listen()


class Database(Server):
    hold_text = ""

    def fill(self):
        pass

    def sysbench(self, threads, rate, **settings):
        self.loads += 1
        log = f"load.{self.loads}"
        driver, *options = self.driver()
        process = self.run(["sysbench", f"--db-driver={driver}", *options, f"--threads={threads}", f"--rate={rate}",
                            "--time=600", "--events=0", f"--rand-seed={self.seed}", "--report-interval=1",
                            str(HERE / "mix.lua"), "run"], LOAD_CPU, log,
                           env=dict(os.environ, ROWS=str(KEYS), **settings))
        wait_for("the load runs", lambda: b"[ 1s" in (self.work / log).read_bytes())
        return process

    def load(self, writes):
        return self.sysbench(self.clients(writes), self.rate, WRITES="1" if writes else "")

    def hold(self, level):
        return self.sysbench(1, HOLDS_PER_S[level], HOLD=self.hold_text)


class Mariadb(Database):
    name = "mariadb"
    hold_text = f"LOCK TABLES stock WRITE; SELECT SLEEP({HOLD_S}); UNLOCK TABLES"

    def driver(self):
        return ["mysql", "--mysql-host=127.0.0.1", f"--mysql-port={self.port}", "--mysql-user=root", "--mysql-db=shop"]

    def start(self):
        data = self.work / "data"
        shutil.chown(self.work, "nobody", "nogroup")
        as_nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        subprocess.run(as_nobody + ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
                                    "--skip-name-resolve", "--auth-root-authentication-method=normal",
                                    "--innodb-log-file-size=8M"], check=True, capture_output=True)
        self.server = self.run(as_nobody + ["/usr/sbin/mariadbd", "--no-defaults", f"--datadir={data}",
                                            "--bind-address=127.0.0.1", f"--port={self.port}",
                                            f"--socket={data}/socket", "--skip-name-resolve",
                                            "--innodb-log-file-size=32M", "--innodb-buffer-pool-size=96M"], SERVER_CPU,
                               group=True)
        self.listen()
        subprocess.run(["mariadb", "--no-defaults", "-h", "127.0.0.1", "-P", str(self.port), "-u", "root"], check=True,
                       input=f"""CREATE DATABASE shop; USE shop;
                       CREATE TABLE stock (id INT PRIMARY KEY, n INT, body VARCHAR(1000));
                       INSERT INTO stock SELECT seq, 1, REPEAT('x', 1000) FROM seq_1_to_{KEYS};
                       SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0; SET GLOBAL innodb_max_dirty_pages_pct = 0;
                       """.encode())


class Postgres(Database):
    name = "postgres"
    hold_text = f"BEGIN; LOCK TABLE stock IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep({HOLD_S}); COMMIT"

    def driver(self):
        return ["pgsql", "--pgsql-host=127.0.0.1", f"--pgsql-port={self.port}", "--pgsql-user=shop",
                "--pgsql-db=postgres"]

    def start(self):
        binaries = Path("/usr/lib/postgresql/15/bin")
        shutil.chown(self.work, "nobody", "nogroup")
        as_nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        subprocess.run(as_nobody + [str(binaries / "initdb"), "-D", str(self.work / "data"), "-U", "shop", "-A",
                                    "trust", "-N"], check=True, capture_output=True)
        self.server = self.run(as_nobody + [str(binaries / "postgres"), "-D", str(self.work / "data"), "-h",
                                            "127.0.0.1", "-p", str(self.port), "-k", str(self.work), "-c",
                                            "shared_buffers=96MB"], SERVER_CPU, group=True)
        wait_for("postgres is ready", lambda: not subprocess.run(
            [str(binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)], check=False).returncode)
        subprocess.run([str(binaries / "psql"), "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "shop", "-d",
                        "postgres"], check=True, input=f"""
                       CREATE TABLE stock (id INT PRIMARY KEY, n INT, body TEXT) WITH (fillfactor = 50);
                       INSERT INTO stock SELECT i, 1, repeat('x', 1000) FROM generate_series(1, {KEYS}) i;
                       VACUUM ANALYZE stock;""".encode())


SERVERS = {server.name: server for server in (Redis, Mariadb, Postgres, Pool)}


class Memory:
    """Programs that want memory in the server's control group, whose limit has little room for them."""

    def __init__(self, server, level):
        self.server, swap = server, OUT / "swap"
        used = sum(resident_bytes(pid) for pid in family(server.server.pid))
        if not swap.exists():
            subprocess.run(["fallocate", "-l", "1G", str(swap)], check=True)
            swap.chmod(0o600)
            subprocess.run(["mkswap", str(swap)], check=True, capture_output=True)
        if str(swap) not in Path("/proc/swaps").read_text():
            subprocess.run(["swapon", str(swap)], check=True)
        limit_reads(swap.parent, SWAP_READS_PER_S)
        # Who finds no page waits for one, and is not killed.
        (MEMORY_GROUP / "memory.oom_control").write_text("1")
        wait_for("the limit is met", lambda: limit_memory(int(used * MEMORY_LEFT)))
        self.hogs = server.run([str(OUT / "contend"), "memory", str(HOGS[level]), "64"], LOAD_CPU, group=True)

    def end(self):
        limit_memory(-1)
        limit_reads(OUT, 0)
        self.server.stop(self.hogs)


def limit_memory(most_bytes):
    """Returns false while the kernel finds no more pages that it can push out."""
    try:
        (MEMORY_GROUP / "memory.limit_in_bytes").write_text(str(most_bytes))
    except OSError:
        return False
    return True


def limit_reads(path, per_second):
    """Of the server, of the disk that path is on: as if that were a slow one. 0: no limit."""
    device = os.stat(path).st_dev
    (DISK_GROUP / "blkio.throttle.read_iops_device").write_text(
        f"{os.major(device)}:{os.minor(device)} {per_second}")


def family(pid):
    found = [pid]
    for one in found:
        for task in Path(f"/proc/{one}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def resident_bytes(pid):
    """Pages of its own, and its part of those that it shares."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def contend(server, kind, level):
    """Returns what ends it."""
    if kind == "cpu":
        hogs = server.run([str(OUT / "contend"), "cpu", str(HOGS[level]), str(SERVER_CPU)])
        return lambda: server.stop(hogs)
    if kind == "disk":
        hogs = server.run([str(OUT / "contend"), "disk", str(WRITERS[level]), str(server.work)], LOAD_CPU)
        return lambda: server.stop(hogs)
    if kind == "lock":
        holder = server.hold(level)
        return lambda: server.stop(holder)
    return Memory(server, level).end


def capture(server, path, seconds=SECONDS):
    """A trace, by perf events."""
    process = server.run([SCOPE, "record", "-q", "--source", "perf", "--memory", "--no-stacks", "--no-samples", "-p",
                          str(server.server.pid), "-d", str(seconds), "-o", str(path) + ".part"], LOAD_CPU, "record")
    if process.wait():
        raise RuntimeError(f"no capture: see {server.work}/record")
    server.running.remove(process)
    Path(str(path) + ".part").rename(path)


def io_pressure():
    """For how long some task waited for a disk, in seconds."""
    return int(Path("/proc/pressure/io").read_text().split("total=")[1].split()[0]) / 1e6


def wait_for_disk():
    """Waits until other programs leave the disk alone: a minute at most."""
    for _ in range(60):
        before = io_pressure()
        time.sleep(1)
        if io_pressure() - before < 0.15:
            return


def quiet_name(kind):
    return "quiet-writes" if kind == "disk" else "quiet-reads"


def run_part(server, out, cells, writes):
    """Captures the quiet time and the cells of one load."""
    if not cells:
        return
    load = server.load(writes)
    time.sleep(2)
    if writes:
        wait_for_disk()
    capture(server, out / quiet_name(cells[0][0]))
    for kind, level in cells:
        end = contend(server, kind, level)
        time.sleep(0.7)
        capture(server, out / f"{kind}{level}")
        end()
        time.sleep(0.5)
    server.stop(load)


def run_cells(name, seed, cells):
    """Captures each of the cells that is not there yet, and quiet times before them."""
    out = OUT / f"{name}.{seed}"
    missing = [cell for cell in cells if not (out / f"{cell[0]}{cell[1]}").exists()]
    if not missing:
        return
    work = out / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    server = SERVERS[name](work, seed)
    try:
        server.start()
        server.fill()
        run_part(server, out, [cell for cell in missing if cell[0] != "disk"], False)
        run_part(server, out, [cell for cell in missing if cell[0] == "disk"], True)
    finally:
        server.stop_all()
        shutil.rmtree(work, ignore_errors=True)


def changes_of(path, *options):
    text = subprocess.run([SCOPE, "metrics", "-i", str(path), "--step", "100ms", "--format", "json", *options], check=True,
                          capture_output=True).stdout
    return json.loads(text)["changes"]


def first_of(changes):
    """The first group, and the first of its shares that grew, beyond its interval."""
    group = changes["groups"][0]
    for metric in group["metrics"]:
        if metric["share"] and metric["score"] > 0 and (metric["low"] or 0) > 0:
            return group["name"], metric["metric"], metric["before"], metric["after"]
    return group["name"], "-", 0, 0


def judge(name, kind, level, seeds):
    right, said = 0, []
    for seed in seeds:
        out = OUT / f"{name}.{seed}"
        group, metric, before, after = first_of(changes_of(out / f"{kind}{level}", "--baseline", str(out / quiet_name(kind))))
        right += metric in WANTED[kind] and group in GROUPS[name]
        said.append(f"{group}: {metric} {100 * before:.1f} → {100 * after:.1f} %")
    return right, said


def alike(names):
    """Prints how many parts of quiet times have a sure change of a group of threads, against the rest."""
    pairs, found = 0, []
    for name in names:
        out = OUT / f"{name}.alike"
        if not (out / "trace").exists():
            work = out / "work"
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            server = SERVERS[name](work, 1)
            try:
                server.start()
                server.fill()
                server.load(False)
                time.sleep(3)
                capture(server, out / "trace", ALIKE * PARTS + 0.5)
            finally:
                server.stop_all()
                shutil.rmtree(work, ignore_errors=True)
        for part in range(PARTS):
            pairs += 1
            changes = changes_of(out / "trace", "--compare", f"{part * ALIKE}..{(part + 1) * ALIKE}")
            sure = [f"{group['name']}: {metric['metric']} {metric['before']:.4g} → {metric['after']:.4g}"
                    for group in changes["groups"] if not group["name"].startswith("host and control group")
                    for metric in group["metrics"] if metric["sure"]]
            if sure:
                found.append(f"{name} {part * ALIKE} s: {'; '.join(sure)}")
    print(f"alike\t{len(found)} of {pairs} have a sure change", *found, sep="\n")
    return len(found) > pairs // 50


def main(names):
    OUT.mkdir(parents=True, exist_ok=True)
    for program in ("contend", "pool"):
        subprocess.run(["gcc", "-O2", "-g", "-pthread", str(HERE / f"{program}.c"), "-o", str(OUT / program)],
                       check=True)
    if "memory" in KINDS:
        MEMORY_GROUP.mkdir(exist_ok=True)
        DISK_GROUP.mkdir(exist_ok=True)
    cells = [(kind, level) for kind in KINDS for level in LEVELS]
    seeds = range(1, SEEDS + 1)
    slice_ms = RR_SLICE.read_text()
    try:
        if REALTIME:
            RR_SLICE.write_text("4")
        for seed in seeds:
            for name in names:
                run_cells(name, seed, cells)
        differ = alike(names)
    finally:
        RR_SLICE.write_text(slice_ms)
        swap = OUT / "swap"
        if str(swap) in Path("/proc/swaps").read_text():
            subprocess.run(["swapoff", str(swap)], check=False)
        swap.unlink(missing_ok=True)
        for group in (MEMORY_GROUP, DISK_GROUP):
            if group.exists():
                group.rmdir()
    wrong = 0
    for name in names:
        for kind, level in cells:
            right, said = judge(name, kind, level, seeds)
            wrong += len(said) - right
            print(f"{name}\t{kind}\t{level}\t{right} of {len(said)}\t{'; '.join(said)}", flush=True)
    return 1 if wrong or differ else 0


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(SERVERS)
    if unknown:
        sys.exit(f"contention.py: unknown server {' '.join(unknown)}; known are: {' '.join(SERVERS)}")
    sys.exit(main(sys.argv[1:] or list(SERVERS)))
