# SPDX-License-Identifier: GPL-2.0-only
"""Linkage here, in fastcluster and in SciPy on the same points: lines "name value unit".

Usage: linkage.py PROGRAM POINTS...       PROGRAM: build/user/bench/linkage

CPU times: here from the points to the tree; the libraries' without their matrix of distances, which is
made before the clock starts; the least of several rounds where points are few. Memory is the peak of the process, for the libraries less what it
was with nothing but the points and the modules loaded. Heights of single linkage must agree; those
of the others depend on how ties are broken.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy

LINKAGES = ("complete", "single", "average", "ward")
ROUNDS_OF = 20000     # points, as in linkage.c
SCIPY_MOST = 10000    # it copies its matrix of 8 bytes a distance twice


def condensed(points, ward):
    """Distances of 0/1 points by row of the upper triangle, without numbers in between."""
    m = len(points)
    values = points.astype(numpy.float32)
    sizes = values.sum(axis=1)
    distances = numpy.empty(m * (m - 1) // 2)
    at = 0
    for i in range(m - 1):
        row = sizes[i] + sizes[i + 1:] - 2 * (values[i + 1:] @ values[i])
        distances[at:at + len(row)] = numpy.sqrt(row) if ward else row
        at += len(row)
    return distances


def peak():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def in_library(library, method, path, bits):
    """Prints seconds, memory in KB and the sum of heights; in a process of its own."""
    if library == "fastcluster":
        import fastcluster as module
        extra = {"preserve_input": False}
    else:
        from scipy.cluster import hierarchy as module
        extra = {}
    points = numpy.fromfile(path, dtype=numpy.uint8).reshape(-1, bits)
    before = peak()
    took = []
    for _ in range(1 + ROUNDS_OF // len(points)):
        distances = condensed(points, method == "ward")
        begin = time.process_time()
        tree = module.linkage(distances, method, **extra)
        took.append(time.process_time() - begin)
        del distances
    print(min(took), peak() - before, float(tree[:, 2].sum()))


def run(*command):
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds, kilobytes, heights = done.stdout.split()
    return float(seconds), float(kilobytes), float(heights)


def measure(program, m, path):
    for method in LINKAGES:
        own = run(program, method, str(m), path)
        bits = os.path.getsize(path) // m
        print(f"linkage_{method}_{m}_seconds {own[0]:.4f} s")
        print(f"linkage_{method}_{m}_peak_kb {own[1]:.0f} KB")
        for library in ("fastcluster", "scipy"):
            if library == "scipy" and m > SCIPY_MOST:
                continue
            other = run(sys.executable, __file__, "--library", library, method, path, str(bits))
            if method == "single" and abs(other[2] / own[2] - 1) > 1e-9:
                sys.exit(f"{library}: {method} of {m} points differs: {other[2]}, here {own[2]}")
            print(f"linkage_{method}_{m}_{library}_seconds {other[0]:.4f} s")
            print(f"linkage_{method}_{m}_{library}_speed {other[0] / own[0]:.2f} times")
            print(f"linkage_{method}_{m}_{library}_memory {other[1] / own[1]:.1f} times", flush=True)


if sys.argv[1] == "--library":
    in_library(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
else:
    with tempfile.TemporaryDirectory() as directory:
        for number in sys.argv[2:]:
            measure(sys.argv[1], int(number), os.path.join(directory, "points"))
