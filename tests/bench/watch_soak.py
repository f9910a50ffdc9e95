# SPDX-License-Identifier: GPL-2.0-only
"""Runs a watch of a server that becomes slow at known times; compares its messages and their times, and measures its
cost.

Usage: watch_soak.py run FOLDER      of watch_soak.sh; SIGINT ends it, and what was until then is compared
       watch_soak.py evaluate FOLDER      once more, of what a run left
Environment: see watch_soak.sh. In FOLDER: schedule, ledger (WAY BEGIN END FUNCTION), said (what the watch says), executed (what --exec
got) and samples, a line each second. Times are seconds since 1970."""
import bisect
import calendar
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

FUNCTION = {
    "slow_wait": "render_slowly", "slow_cpu": "sort_badly", "slow_calls": "look_up_again", "hang_cond": "await_answer",
    "hang_pipe": "read_reply", "hang_flock": "open_journal", "spin": "count_for_ever", "starve": "[outside the program]",
}
PERCENT = {"slow_wait": (20, 100), "slow_cpu": (2, 4), "slow_calls": (20, 100)}
LENGTH = (10, 60)  # of an incident, s
WARM = 30  # before the first one, and after the last one
GAP_MAX = 1800
AGAIN = 130  # until the same way: it is the same incident while the recorder holds it
EVENTS_PER_REQUEST = 8
SAMPLE = ("time", "rss_kb", "pss_kb", "own_ticks", "child_ticks", "run_ns", "queue_ns", "load", "events")


def schedule_of(seed, seconds, count):
    """Rows (begin, length, way, percent), in seconds from the begin of the run."""
    chance = random.Random(seed)
    lengths = [chance.uniform(*LENGTH) for _ in range(count)]
    free = seconds - 2 * WARM
    if sum(lengths) > free / 2:
        lengths = [LENGTH[0] + (length - LENGTH[0]) * 0.3 for length in lengths]
    weights = [chance.expovariate(1) for _ in range(count)]
    rest = max(0, free - sum(lengths))
    gaps = [min(GAP_MAX, rest * weight / sum(weights)) for weight in weights]
    bag, rows, ended, at = [], [], {}, WARM
    for gap, length in zip(gaps, lengths):
        at += gap
        if not bag:
            bag = chance.sample(sorted(FUNCTION), len(FUNCTION))
        way = next((way for way in bag if at - ended.get(way, -AGAIN) >= AGAIN), bag[0])
        bag.remove(way)
        rows.append((at, length, way, chance.randint(*PERCENT.get(way, (100, 100)))))
        at += length
        ended[way] = at
    return rows


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def stat_of(pid):
    return read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def with_children(pid):
    found, left = [], [pid]
    while left:
        found.append(left.pop())
        left += [int(child) for child in read(f"/proc/{found[-1]}/task/{found[-1]}/children").split()]
    return found


def kb_of(text, name):
    match = re.search(rf"^{name}:\s+(\d+) kB", text, re.M)
    return int(match[1]) if match else 0


def events_of(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return int(re.search(r"^scope_watch_events (\d+)", answer.read().decode(), re.M)[1])
    except (OSError, TypeError):
        return 0


def sample(watch, server, port, turn):
    stat = stat_of(watch)
    run = queue = 0
    try:
        tasks = os.listdir(f"/proc/{server}/task")
    except OSError:
        tasks = []
    for task in tasks:
        fields = read(f"/proc/{server}/task/{task}/schedstat").split()
        if fields:
            run, queue = run + int(fields[0]), queue + int(fields[1])
    pss = sum(kb_of(read(f"/proc/{pid}/smaps_rollup"), "Pss") for pid in with_children(watch))
    return (f"{time.time():.3f}", kb_of(read(f"/proc/{watch}/status"), "VmRSS"), pss, int(stat[11]) + int(stat[12]),
            int(stat[13]) + int(stat[14]), run, queue, read("/proc/loadavg").split()[0],
            events_of(port) if turn % 10 == 0 else 0)


class Run:
    """The server, the watch, and what is noted of both."""

    def __init__(self, folder):
        self.folder, self.stop, self.port = folder, False, 0
        self.files = {name: open(f"{folder}/{name}", "w", encoding="utf-8") for name in ("said", "ledger", "samples", "schedule")}

    def note(self, name, *fields):
        print(*fields, sep="\t", file=self.files[name], flush=True)

    def listen(self):
        for line in self.watch.stderr:
            self.note("said", f"{time.time():.3f}", line.rstrip())
            match = re.search(r"listening on port (\d+)", line)
            if match:
                self.port = int(match[1])

    def begin(self, environment):
        rate = max(CLIENTS, int(environment["EVENTS"]) // EVENTS_PER_REQUEST)
        self.work = subprocess.Popen(["nice", "-n", environment["NICE"], environment["WORK"], "soak", str(rate), environment["CPU"]], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.server = int(self.work.stdout.readline().split()[1])
        program = f"{self.folder}/program"
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
printf '%s\\t%s\\t%s\\t%s\\t%s\\t%s\\n' "$(date +%s.%N)" "$SCOPE_KIND" "$SCOPE_FUNCTION" "$SCOPE_BEGAN" "$SCOPE_SENTENCE" "$SCOPE_TRACE" \\
    >> "{self.folder}/executed"
""")
        os.chmod(program, 0o755)
        self.watch = subprocess.Popen(
            [environment["SCOPE"], "watch", "-p", str(self.server), "--source", environment["SOURCE"], "--outside", "--min-interval",
             "1", "--keep", "1000", "--listen", "0", "--exec", program, "-o", f"{self.folder}/w.trace",
             *environment["WATCH"].split()], stderr=subprocess.PIPE, text=True, start_new_session=True)
        threading.Thread(target=self.listen, daemon=True).start()

    def until(self, end):
        """Samples until then. False: it is to end, or the watch has ended."""
        while not self.stop and self.watch.poll() is None and time.time() < end:
            self.turn += 1
            self.note("samples", *sample(self.watch.pid, self.server, self.port, self.turn))
            time.sleep(max(0, min(end - time.time(), 1)))
        return not self.stop and self.watch.poll() is None

    def ask(self, word):
        self.work.stdin.write(word + "\n")
        self.work.stdin.flush()
        return float(self.work.stdout.readline().split()[1])

    def play(self, seconds, rows):
        begin, self.turn = time.time(), -1
        for at, length, way, percent in rows:
            if not self.until(begin + at):
                return
            began = self.ask(f"{way} {percent}")
            self.until(time.time() + length)
            self.note("ledger", way, f"{began:.3f}", f"{self.ask('calm'):.3f}", FUNCTION[way], percent)
            if self.stop:
                return
        self.until(begin + seconds)

    def end(self):
        self.watch.send_signal(signal.SIGINT)
        try:
            self.watch.wait(100)
        except subprocess.TimeoutExpired:
            self.watch.kill()
        self.work.stdin.close()
        self.work.wait()


CLIENTS = 6


def run(folder):
    environment = os.environ
    seconds, count, seed = (int(environment[name]) for name in ("SOAK_S", "INCIDENTS", "SEED"))
    rows = schedule_of(seed, seconds, count)
    soak = Run(folder)
    for row in rows:
        soak.note("schedule", *row)
    signal.signal(signal.SIGINT, lambda *_: setattr(soak, "stop", True))
    signal.signal(signal.SIGTERM, lambda *_: setattr(soak, "stop", True))
    soak.begin(environment)
    try:
        soak.play(seconds, rows)
    finally:
        soak.end()


def utc(text):
    date, _, ms = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(date, "%Y-%m-%dT%H:%M:%S")) + float("0." + (ms or "0"))


def rows_of(folder, name):
    return [line.split("\t") for line in read(f"{folder}/{name}").splitlines()]


def incidents_of(folder):
    """What was executed: a dictionary each. said: when it was announced, executed: when the program was executed."""
    executed = {(row[3], row[4]): row for row in rows_of(folder, "executed") if len(row) >= 5}
    found = []
    for row in rows_of(folder, "said"):
        match = re.search(r" incident: (.*); since (\S+), ", row[1]) if len(row) > 1 else None
        if not match:
            continue
        program = executed.get((match[2], match[1]))
        found.append({"said": float(row[0]), "sentence": match[1], "began": utc(match[2]), "executed": float(program[0]) if program else None,
                      "kind": program[1] if program else "?", "function": program[2] if program else match[1].split(" ")[0]})
    return found


def planted_of(folder):
    return [{"way": row[0], "begin": float(row[1]), "end": float(row[2]), "function": row[3], "percent": row[4], "caught": None}
            for row in rows_of(folder, "ledger")]


def match(planted, incidents):
    """Gives each planted one its incident. The others get what they are: beside a planted one, or alone."""
    for incident in incidents:
        inner = re.search(r", mostly in (\S+):", incident["sentence"])
        named = (incident["function"], inner[1] if inner else "")
        right = [plant for plant in planted if plant["function"] in named and not plant["caught"] and
                 plant["begin"] - 1 <= incident["said"] <= plant["end"] + 60]
        if right:
            right[0]["caught"] = incident
            incident["is"] = "planted"
            continue
        near = any(plant["begin"] - 1 <= incident["began"] <= plant["end"] + 2 for plant in planted)
        incident["is"] = "beside" if near else "alone"


class Samples:
    def __init__(self, folder):
        self.row = [dict(zip(SAMPLE, map(float, row))) for row in rows_of(folder, "samples") if len(row) == len(SAMPLE)]
        self.times = [row["time"] for row in self.row]

    def at(self, when):
        return self.row[max(0, min(len(self.row) - 1, bisect.bisect(self.times, when) - 1))]

    def queue_share(self, begin, end):
        """The time in which the server's threads waited for a CPU, of that in which they ran or waited for one."""
        first, last = self.at(begin - 1), self.at(end + 1)
        run, queue = last["run_ns"] - first["run_ns"], last["queue_ns"] - first["queue_ns"]
        return queue / (run + queue) if run + queue > 0 else 0


def print_costs(samples):
    hz = os.sysconf("SC_CLK_TCK")
    first, last = samples.at(samples.times[0] + 15), samples.row[-1]
    seconds = last["time"] - first["time"]
    events = [row for row in samples.row if row["events"]]
    begin, end = samples.times[0], samples.times[-1]
    part = (end - begin) / 10
    print(f"watch_soak_seconds {end - begin:.0f} s")
    if len(events) > 1:
        print(f"watch_soak_events {(events[-1]['events'] - events[0]['events']) / (events[-1]['time'] - events[0]['time']):.0f} events/s")
    print(f"watch_soak_cpu_share {(last['own_ticks'] - first['own_ticks']) / hz / seconds * 100:.2f} %")
    print(f"watch_soak_children_cpu_share {(last['child_ticks'] - first['child_ticks']) / hz / seconds * 100:.2f} %")
    for name, low, high in (("second_tenth", 1, 2), ("middle", 4.5, 5.5), ("last_tenth", 9, 10)):
        values = [row["rss_kb"] for row in samples.row if low * part <= row["time"] - begin <= high * part]
        if values:
            print(f"watch_soak_memory_{name} {statistics.median(values) / 1024:.1f} MB")
    print(f"watch_soak_memory_most {max(row['rss_kb'] for row in samples.row) / 1024:.1f} MB")
    print(f"watch_soak_memory_with_children_most {max(row['pss_kb'] for row in samples.row) / 1024:.1f} MB")
    print(f"watch_soak_server_queue_share {samples.queue_share(begin, end) * 100:.1f} %")
    print(f"watch_soak_load {statistics.mean(row['load'] for row in samples.row):.1f} processes")


def print_spread(name, values, unit):
    if values:
        print(f"{name}_median {statistics.median(values):.2f} {unit}")
        print(f"{name}_most {max(values):.2f} {unit}")


def print_found(planted, incidents, samples):
    caught = [plant for plant in planted if plant["caught"]]
    begin_error = [abs(plant["caught"]["began"] - plant["begin"]) for plant in caught]
    said = [plant["caught"]["said"] - plant["begin"] for plant in caught]
    alone = [incident for incident in incidents if incident["is"] == "alone"]
    short = [incident for incident in alone if incident["kind"] == "outside" and
             samples.queue_share(incident["began"], incident["said"]) >= QUEUE_SHARE]
    print(f"watch_soak_planted {len(planted)} incidents")
    print(f"watch_soak_caught {len(caught)} incidents")
    print(f"watch_soak_begin_within_1_s {sum(error <= 1 for error in begin_error)} incidents")
    print(f"watch_soak_said_within_10_s {sum(delay <= 10 for delay in said)} incidents")
    print_spread("watch_soak_begin_error", begin_error, "s")
    print_spread("watch_soak_said_after", said, "s")
    print_spread("watch_soak_program_after", [plant["caught"]["executed"] - plant["begin"] for plant in caught if plant["caught"]["executed"]], "s")
    print(f"watch_soak_false {len(alone) - len(short)} incidents")
    print(f"watch_soak_host_short_of_cpu {len(short)} incidents")
    print(f"watch_soak_beside_planted {sum(incident['is'] == 'beside' for incident in incidents)} incidents")


QUEUE_SHARE = 0.2  # of the server's time, above which it was short of CPU


def print_table(planted, incidents, samples):
    """For people, on standard error."""
    rows = [(plant["begin"], "planted", plant) for plant in planted] + [(incident["said"], incident["is"], incident) for incident in incidents]
    for when, what, it in sorted(rows, key=lambda row: row[0]):
        clock = time.strftime("%H:%M:%S", time.gmtime(when))
        if what != "planted" or "way" not in it:
            if what != "planted":
                share = samples.queue_share(it["began"], it["said"])
                print(f"{clock}   {what}: {it['kind']} {it['sentence']}; began {it['began'] - it['said']:.1f} s, queue {share * 100:.0f} %",
                      file=sys.stderr)
            continue
        caught = it["caught"]
        result = f"said after {caught['said'] - it['begin']:.1f} s, begin {caught['began'] - it['begin']:+.2f} s: {caught['sentence']}" \
            if caught else "MISSED"
        print(f"{clock} {it['way']} {it['percent']} % {it['end'] - it['begin']:.0f} s, queue "
              f"{samples.queue_share(it['begin'], it['end']) * 100:.0f} %: {result}", file=sys.stderr)


def evaluate(folder):
    samples = Samples(folder)
    if not samples.row:
        sys.exit(f"{folder} has no sample: " + read(f"{folder}/said"))
    planted, incidents = planted_of(folder), incidents_of(folder)
    match(planted, incidents)
    print_found(planted, incidents, samples)
    print_costs(samples)
    print_table(planted, incidents, samples)


if sys.argv[1] == "run":
    run(sys.argv[2])
evaluate(sys.argv[2])
