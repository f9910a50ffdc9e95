# SPDX-License-Identifier: GPL-2.0-only
"""Bottlenecks that are planted in a server, at a place and of a kind that the seed chooses: does scope waits find them?

Usage: knots.py SCOPE DIRECTORY SEEDS
       knots.py --print SEED     the trace of one such server, for other tests
Eight workers serve clients; each request goes through five places one after the other: three threads that compute, one that
writes to a disk, and a lock of the workers' own. Of each seed one place takes ten times as long as the others (it is the
bottleneck), then two at once, then none. Compared are: the group and the function; the share, at least 0.9 times
that of the window in which the place was busy and somebody waited for it; and what is predicted for a place twice as fast, with what the same server
does when it really is so, within 10 points.
"""
import heapq
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
from synth import Thread, Trace  # noqa: E402

WORKERS = 8
PLACES = ["cpu", "cpu", "cpu", "disk", "lock"]
SHORT_NS, LONG_NS = 100_000, 1_000_000
NEARLY = 0.7  # of the window: beside another a bottleneck is reported from 0.67 on
LOOP = ["start_worker", "work"]


class Server:
    """order: the places in the order that requests go through them. takes_ns: of each place."""

    def __init__(self, seed, takes_ns, pause_ns, seconds):
        self.trace = Trace(seconds=seconds, seed=seed)
        self.random = self.trace.random
        self.takes_ns, self.pause_ns = takes_ns, pause_ns
        self.order = list(range(len(PLACES)))
        random.Random(seed).shuffle(self.order)
        self.busy_ns = [0] * len(PLACES)
        self.requests = 0
        self.free, self.holder = 0, None
        self.held = []  # of the lock: [begin, end, since when another worker waits]
        for number in range(WORKERS):
            self.trace.fd(7 + number, "accepted")
        for number in range(2 * len(PLACES)):
            self.trace.fd(20 + number, "pipe")
        self.trace.fd(40, "file")
        self.workers = [Thread(self.trace, 101 + i, f"worker{i}", i) for i in range(WORKERS)]
        self.stages = [None if kind == "lock" else Thread(self.trace, 110 + i, f"stage{'abcde'[i]}", WORKERS + i)
                       for i, kind in enumerate(PLACES)]
        for thread in self.workers + [stage for stage in self.stages if stage]:
            thread.state("runnable", flags=" on_cpu")
            thread.begin()

    def about(self, ns):
        return self.random.randint(int(0.8 * ns), int(1.2 * ns))

    def pass_lock(self, place, worker):
        """A lock is a bottleneck while others wait for it; what a stage does, one worker waits for at least."""
        for turn in self.held[-2 * WORKERS:]:
            if turn[1] > worker.now:
                turn[2] = min(turn[2], max(turn[0], worker.now))
        if self.free > worker.now + 2000:
            worker.sleep("futex", self.free - worker.now - 1000, args="0x7f00,0x80,2", waker=self.holder,
                         path=LOOP + ["enter", "libc:pthread_mutex_lock"])
        begin = worker.now
        worker.run(self.about(self.takes_ns[place]), LOOP + [f"place_{place}"])
        self.held.append([begin, worker.now, worker.now])
        worker.call("futex", 2_000, ret=1, args="0x7f00,0x81,1", path=LOOP + ["leave"])
        self.free, self.holder = worker.now, worker

    def pass_stage(self, place, worker):
        stage, start = self.stages[place], f"start_{place}"
        asked = worker.now + 2000
        if asked - stage.now > 2000:
            stage.sleep("read", asked - stage.now - 1000, ret=1, args=str(20 + place), waker=worker,
                        path=[start, "next_job", "libc:read"])
        worker.call("write", 5_000, ret=1, args=str(20 + place), path=LOOP + ["ask"])
        begin = stage.now
        if PLACES[place] == "disk":
            stage.sleep("fdatasync", self.about(self.takes_ns[place]), args="40",
                        path=[start, f"place_{place}", "libc:fdatasync"])
        else:
            stage.run(self.about(self.takes_ns[place]), [start, f"place_{place}"])
        self.busy_ns[place] += stage.now - begin
        answered = max(stage.now, worker.now + 3000)
        stage.call("write", answered + 2000 - stage.now, ret=1, args=str(30 + place), path=[start, "answer"])
        worker.sleep("read", answered - worker.now - 1000, ret=1, args=str(30 + place), waker=stage,
                     path=LOOP + ["ask", "libc:read"])

    def serve(self):
        """Who comes first is served first, everywhere."""
        queue = []
        for number, worker in enumerate(self.workers):
            heapq.heappush(queue, (0, number, -1))
        while True:
            now, number, at = heapq.heappop(queue)
            worker = self.workers[number]
            if now > self.trace.end_ns - 50_000_000:
                break
            if at < 0:
                worker.sleep("recvfrom", self.about(self.pause_ns), ret=64, args=str(7 + number),
                             path=LOOP + ["read_request", "libc:recv"])
            elif at < len(PLACES):
                place = self.order[at]
                (self.pass_lock if PLACES[place] == "lock" else self.pass_stage)(place, worker)
            else:
                worker.call("sendto", 10_000, ret=64, args=str(7 + number), path=LOOP + ["reply"])
                self.requests += 1
                at = -2
            heapq.heappush(queue, (worker.now, number, at + 1))
        for number, worker in enumerate(self.workers):
            worker.stuck("recvfrom", args=str(7 + number))
        for place, stage in enumerate(self.stages):
            if stage:
                stage.stuck("read", args=str(20 + place))
        self.busy_ns[PLACES.index("lock")] = sum(end - since for _, end, since in self.held)
        return self


def print_trace(server, out):
    for line in server.trace.head + [text for _, _, text in sorted(server.trace.lines)]:
        print(line, file=out)


def found_in(server, scope, name):
    """What scope waits says of it."""
    for ending in (".text", ".trace"):
        if os.path.exists(name + ending):
            os.unlink(name + ending)
    with open(name + ".text", "w") as out:
        print_trace(server, out)
    subprocess.run([scope, "dump", "--reverse", name + ".text", "-o", name + ".trace"], check=True)
    said = subprocess.run([scope, "waits", "-i", name + ".trace", "--format", "json"], check=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)


def check(server, document, planted):
    """planted: places. Returns what is wrong, or None."""
    window = document["window_ns"]
    found = {one["function"]: one for one in document["bottlenecks"]}
    # One of two is a bottleneck if it is waited for nearly always; a lock now and then is not.
    due = [place for place in planted if server.busy_ns[place] >= NEARLY * window]
    if not {f"place_{place}" for place in due} <= set(found) <= {f"place_{place}" for place in planted}:
        return f"found {sorted(map(str, found))}"
    if len(due) < min(len(planted), 1):
        return "nothing is waited for nearly always"
    for place in planted:
        if f"place_{place}" not in found:
            continue
        one = found[f"place_{place}"]
        group = "worker" if PLACES[place] == "lock" else f"stage{'abcde'[place]}"
        busy = server.busy_ns[place] / window
        if one["group"] != group or one["in"] != ("disk" if PLACES[place] == "disk" else "runs"):
            return f"{one}"
        if not 0.9 * busy <= one["share"] <= 1.02 * busy + 0.02:
            return f"share {one['share']:.3f}, busy {busy:.3f}"
    return None


def main():
    if sys.argv[1] == "--print":
        seed = int(sys.argv[2])
        takes = [LONG_NS if place == seed % len(PLACES) else SHORT_NS for place in range(len(PLACES))]
        print_trace(Server(seed, takes, 100_000, 1).serve(), sys.stdout)
        return 0
    scope, directory, seeds = os.path.realpath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    name, bad = os.path.join(directory, "knot"), 0
    for seed in range(1, seeds + 1):
        chance = random.Random(1000 + seed)
        one, other = chance.sample(range(len(PLACES)), 2)
        for planted in ([one], [one, other], []):
            takes = [LONG_NS if place in planted else SHORT_NS for place in range(len(PLACES))]
            # Where nothing is planted workers have something else to do half of the time.
            server = Server(seed, takes, 100_000 if planted else 1_500_000, 1).serve()
            document = found_in(server, scope, name)
            wrong = check(server, document, planted)
            if not wrong and len(planted) == 1:
                takes[one] //= 2
                faster = Server(seed, takes, 100_000, 1).serve()
                gain, said = faster.requests / server.requests - 1, document["bottlenecks"][0]["gain"]
                if abs(gain - said) > 0.1:
                    wrong = f"twice as fast gains {gain:.2f}, predicted {said:.2f}"
            if wrong:
                bad += 1
                print(f"seed {seed}, {[f'{PLACES[i]} {i}' for i in planted] or 'balanced'}: {wrong}")
    print(f"{3 * seeds - bad} of {3 * seeds} right")
    return bad > 0


sys.exit(main())
