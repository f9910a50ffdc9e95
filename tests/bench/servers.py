# SPDX-License-Identifier: GPL-2.0-only
"""Computes the cost of tracers for a server from the windows that servers.sh measured: prints lines "name value unit".

Standard input: SERVER ROUND TRACER REQUESTS_PER_S P99_US, the last "-" where there is none. Printed are the
means without a tracer, and for each tracer the mean over the rounds of its ratio to the windows without
in the same round, with the ends of Student's 95 % interval."""
import statistics
import sys

STUDENT_975 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]


def ratio_lines(name, ratios):
    mean = statistics.mean(ratios)
    yield f"{name} {mean:.3f} ratio"
    if len(ratios) > 1:
        t = STUDENT_975[len(ratios) - 2] if len(ratios) <= 16 else 1.96
        half = t * statistics.stdev(ratios) / len(ratios) ** 0.5
        yield f"{name}_low {mean - half:.3f} ratio"
        yield f"{name}_high {mean + half:.3f} ratio"


def main():
    windows = {}
    for line in sys.stdin:
        server, turn, tracer, rate, p99 = line.split()
        for measure, value in (("throughput", rate), ("p99", p99)):
            if value != "-":
                windows.setdefault((server, measure), {}).setdefault(tracer, {}).setdefault(
                    int(turn), []).append(float(value))
    for (server, measure), tracers in windows.items():
        without = {turn: statistics.mean(values) for turn, values in tracers.pop("none").items()}
        unit = "requests/s" if measure == "throughput" else "us"
        print(f"server_{server}_none_{measure} {statistics.mean(without.values()):.0f} {unit}")
        for tracer, turns in tracers.items():
            ratios = [value / without[turn] for turn, values in turns.items() for value in values]
            print("\n".join(ratio_lines(f"server_{server}_{tracer}_{measure}", ratios)))


main()
