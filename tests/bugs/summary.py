# SPDX-License-Identifier: GPL-2.0-only
"""Reads what the bench's runs left and prints the table of answers with its totals.

Usage: summary.py DIR CASE...
       summary.py --check RUN      of one run's directory: exit 1 unless its answer is right
       summary.py --healthy DIR    counts the alarms of the healthy runs in it, and prints each

Of each case the middle run counts for the table's columns, the worst one is beside it; totals are
over all runs. `expect` names functions: `a|b` either will do, `a+b` two bugs that must both be named,
`-outside` a cause outside the program, which the verdict has to say. Exit 1 also if a first screen lacks something that
tests/unit/first_screen.py expects of it."""
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit"))
import first_screen  # noqa: E402

ROW = re.compile(r"^  (\d+) +(\S.*?) +(\S+) +(\d+) % +(slow peer|slow disk|slow pipe|asks a peer)?")
DETAIL = re.compile(r"^  (\d+)  (\S.*)$")
CALLER = re.compile(r"^     no symbol   called by (.+)$")
SCOPE = re.compile(r"(\d+) of ([\d,]+) program functions \(([\d.]+) %\)")
GONE = re.compile(r"^  (/.*?): (?:cannot be read|the file on disk has build-id) ", re.M)
VERDICT = re.compile(r"^  (HANG|SPIN|FREEZES|SLOWDOWN (?:in|out)side|OUTSIDE THE PROGRAM|NOTHING [A-Z ]+?)[. ]")


def is_named(text, expected):
    """Whether a function is one of these; runtimes put signatures and files around names."""
    return any(re.search(rf"(^|[ .:#*~^]){re.escape(name)}($|[ (:.$])", text) for name in expected)


class Run:
    def __init__(self, path):
        with open(os.path.join(path, "facts")) as file:
            self.facts = dict(line.rstrip("\n").split("\t", 1) for line in file)
        self.signed = self.rank_in(os.path.join(path, "by-signatures.txt"))
        self.both = self.rank_in(os.path.join(path, "by-both.txt"))
        with open(os.path.join(path, "report.txt")) as file:
            text = file.read()
        self.path, self.gone = path, GONE.findall(text)
        self.lacks = self.screen_lacks()
        self.read(text)
        self.rank, self.gap = self.judge()

    def screen_lacks(self):
        """What the first screen lacks, in words; None: it was not made."""
        screen, report = (os.path.join(self.path, name) for name in ("trace.screen", "trace.json"))
        if not os.path.exists(report):
            return None
        with open(screen, encoding="utf-8") as text, open(report, encoding="utf-8") as facts:
            return list(first_screen.missing(text.read(), json.load(facts)))

    def rank_in(self, path):
        """The rank in a report made by signatures; False: none were learned."""
        if not os.path.exists(path):
            return False
        with open(path) as file:
            self.read(file.read())
        return self.judge()[0]

    def read(self, text):
        self.rows = []  # (function, percent of the excess)
        self.blamed = 0  # rows that are no peer or disk
        self.callers = {}  # row number: where a function has no symbol, the caller that has one
        self.verdict = "no verdict"
        table = False  # a sentence of the verdict may begin a line with a number too
        for line in text.split("\n"):
            table = line.startswith("  #  function") or (table and line != "")
            found = VERDICT.match(line)
            if found and self.verdict == "no verdict":
                self.verdict = found.group(1)
            found = ROW.match(line) if table else None
            # The next table would begin with a number as well.
            if found and int(found.group(1)) == len(self.rows) + 1:
                self.rows.append((found.group(2), int(found.group(4))))
                self.blamed += not found.group(5)
            found = None if table else DETAIL.match(line)
            if found and int(found.group(1)) <= len(self.rows):
                detail = int(found.group(1)) - 1
                # The table may have had no room for all of it.
                self.rows[detail] = (found.group(2), self.rows[detail][1])
            found = CALLER.match(line)
            if found:
                self.callers[detail] = found.group(1)
        found = SCOPE.search(text)
        self.scope = float(found.group(3)) if found else 0.0

    def names(self, row, expected):
        """Whether a row names one of these."""
        return any(is_named(text, expected) for text in (self.rows[row][0], self.callers.get(row, "")))

    def judge(self):
        """Rank of the bug (None: not named) and the share it leads by, in percent of the excess."""
        expect = self.facts["expect"]
        if expect == "-":
            return None, None
        if expect == "-outside":
            return (1 if re.search("outside|OUTSIDE", self.verdict) else None), None
        places = []
        for bug in expect.split("+"):
            names = bug.split("|")
            places.append(next((i for i in range(len(self.rows)) if self.names(i, names)), None))
        if None in places:
            return None, None
        rank = max(places) + 1 - (len(places) - 1)
        others = [row[1] for i, row in enumerate(self.rows) if i not in places]
        return rank, min(self.rows[place][1] for place in places) - max(others, default=0)

    def alarm(self):
        """Of a healthy run: whether a function is blamed. It is true, and no alarm, that the time went
        outside: to a peer that has to answer, or, on a busy host, to waiting for a CPU."""
        return self.blamed > 0


def middle(values):
    return statistics.median_low(values)


def shown(rank):
    return "–" if rank is None else str(rank)


def load(out, case):
    runs = {False: [], True: []}
    for name in sorted(os.listdir(out)):
        if name.rpartition(".")[0] in (case, case + "-twin"):
            if os.path.exists(os.path.join(out, name, "facts")):
                run = Run(os.path.join(out, name))
                runs[run.facts["twin"] == "yes"].append(run)
    return runs[False], runs[True]


def print_gone(runs):
    """Those reported on without the very files that they were taken of: their stacks cannot be unwound."""
    gone = [run for run in runs if run.gone]
    if gone:
        print(f"\n{len(gone)} of {len(runs)} runs say nothing: files that their traces were taken of are gone, or "
              "were built again. Put those back (the end of each report has their build-ids), or leave the runs out:")
    for run in gone:
        print(f"{os.path.basename(run.path)}: {', '.join(run.gone)}")


def print_screens(runs):
    """What first screens lack; returns whether none lacks anything."""
    made = [run for run in runs if run.lacks is not None]
    good = sum(not run.lacks for run in made)
    print(f"\nFirst screens: {good} of {len(made)} have 15 lines of 80 columns and all that a reader needs"
          + (f" ({len(runs) - len(made)} were not made)." if len(made) < len(runs) else "."))
    for run in made:
        for what in run.lacks:
            print(f"{os.path.basename(run.path)}: its first screen lacks {what}")
    return good == len(made)


def print_case(case, runs, twins):
    ranks = [run.rank for run in runs]
    gaps = [run.gap for run in runs if run.gap is not None]
    print(f"| `{case}` | {runs[0].facts['kind']} | `{runs[0].facts['expect'].replace('|', ' or ')}` "
          f"| {', '.join(map(shown, ranks))} "
          f"| {', '.join(shown(run.signed) for run in runs if run.signed is not False) or 'not run'} "
          f"| {', '.join(shown(run.both) for run in runs if run.both is not False) or 'not run'} "
          f"| {f'{middle(gaps)} %' if gaps else '–'} | {middle([len(run.rows) for run in runs])} "
          f"| {middle([run.scope for run in runs]):.2f} "
          f"| {middle([float(run.facts['seconds']) for run in runs]):.1f} "
          f"| {sum(run.alarm() for run in twins)} of {len(twins)} |")


def print_totals(what, runs, twins):
    named = [run.rank for run in runs]
    first = sum(rank == 1 for rank in named)
    five = sum(rank is not None and rank <= 5 for rank in named)
    reciprocal = sum(1 / rank for rank in named if rank) / len(named)
    scope = statistics.mean(run.scope for run in runs)
    loads = [float(run.facts["load"]) for run in runs + twins]
    alarms = sum(run.alarm() for run in twins)
    signed = [run.signed for run in runs if run.signed is not False]
    print(f"\n{what}: {len(runs)} runs, first place {first} ({100 * first / len(runs):.0f} %), first five {five} "
          f"({100 * five / len(runs):.0f} %), mean reciprocal rank {reciprocal:.2f}, "
          f"search scope {scope:.2f} %.")
    if signed:
        print(f"By signatures alone, {len(signed)} runs: first place {sum(rank == 1 for rank in signed)}, "
              f"first five {sum(rank is not None and rank <= 5 for rank in signed)}.")
    both = [run.both for run in runs if run.both is not False]
    if both:
        print(f"By stacks and signatures, {len(both)} runs: first place {sum(rank == 1 for rank in both)}, "
              f"first five {sum(rank is not None and rank <= 5 for rank in both)}.")
    if twins:
        print(f"Healthy twins: {alarms} false alarms in {len(twins)} runs "
              f"({100 * alarms / len(twins):.1f} %).")
    print(f"Load averages during the runs: {min(loads):.1f} to {max(loads):.1f}.")


def main(out, cases):
    totals = {"Open cases": ([], []), "Sealed cases": ([], []),
              "Cases of public histories": ([], []), "Formerly sealed cases of public histories": ([], [])}
    print("| case | kind | the bug | rank, each run | by signatures | by both | leads by | listed | scope % | seconds "
          "| alarms, healthy |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for case in cases:
        runs, twins = load(out, case)
        if not runs:
            continue
        print_case(case, runs, twins)
        total = totals["Sealed cases" if case.startswith("sealed-") else
                       "Formerly sealed cases of public histories" if re.match(r"blind\d?-", case) else
                       "Cases of public histories" if case.startswith("history-") else "Open cases"]
        total[0].extend(runs)
        total[1].extend(twins)
    for what, (runs, twins) in totals.items():
        if runs:
            print_totals(what, runs, twins)
    every_run = [run for pair in totals.values() for side in pair for run in side]
    print_gone(every_run)
    return print_screens(every_run)


def check(path):
    run = Run(path)
    named = ", ".join(row[0] for row in run.rows) or "nothing"
    print(f"verdict: {run.verdict}; named: {named}; right: {run.facts['expect']}")
    for what in run.lacks or []:
        print(f"its first screen lacks {what}")
    if run.lacks:
        return False
    if run.facts["kind"] == "none":
        return not run.alarm()
    return run.rank is not None and run.rank <= 5


def healthy(out):
    servers = {}  # name: [runs, alarms, runs by verdict]
    told, all_runs = [], []
    for name in sorted(os.listdir(out)):
        if not os.path.exists(os.path.join(out, name, "facts")):
            continue
        run = Run(os.path.join(out, name))
        all_runs.append(run)
        counts = servers.setdefault(run.facts["server"], [0, 0, {}])
        counts[0] += 1
        counts[1] += run.alarm()
        counts[2][run.verdict] = counts[2].get(run.verdict, 0) + 1
        if run.alarm():
            told.append(f"{name} ({run.facts['server']}, seed {run.facts['seed']}): {run.verdict}: "
                        + ", ".join(f"{row[0]} {row[1]} %" for row in run.rows))
    print("| server | runs | alarms | verdicts |\n|---|---|---|---|")
    for server, (runs, alarms, verdicts) in sorted(servers.items()):
        print(f"| `{server}` | {runs} | {alarms} "
              f"| {', '.join(f'{count} {what}' for what, count in sorted(verdicts.items()))} |")
    runs, alarms = (sum(counts[i] for counts in servers.values()) for i in (0, 1))
    if runs:
        print(f"\n{runs} healthy runs: {alarms} false alarms ({100 * alarms / runs:.1f} %).")
    for line in told:
        print(line)
    print_gone(all_runs)
    return print_screens(all_runs)


if __name__ == "__main__":
    if sys.argv[1] == "--healthy":
        sys.exit(not healthy(sys.argv[2]))
    if sys.argv[1] == "--check":
        sys.exit(not check(sys.argv[2]))
    sys.exit(not main(sys.argv[1], sys.argv[2:]))
