# SPDX-License-Identifier: GPL-2.0-only
"""Compares the merges of test_linkage --merges with those of SciPy and fastcluster."""

import subprocess
import sys

import fastcluster
import numpy
from scipy.cluster import hierarchy

TOLERANCE = 1e-12
ROUNDS = 60


def problems(random):
    """Yields (filter's linkage, multiplicities, condensed distances, tie-free)."""
    for _ in range(ROUNDS):
        # At most 22 points: 231 pairs can all differ in one byte. 0 is left to duplicates.
        m = int(random.integers(2, 23))
        ones = numpy.ones(m, dtype=int)
        distinct = 1.0 + random.permutation(255)[: m * (m - 1) // 2]
        yield "complete", ones, distinct, True
        yield "single", ones, distinct, True
        yield "complete", random.integers(1, 5, m), distinct, True
        yield "single", random.integers(1, 5, m), distinct, True

        m = int(random.integers(2, 120))
        ones = numpy.ones(m, dtype=int)
        real = random.random(m * (m - 1) // 2)
        yield "real", ones, real, True
        yield "real", random.integers(1, 5, m), real, True
        tied = random.integers(1, 6, m * (m - 1) // 2).astype(float)
        yield "single", ones, tied, False
        yield "single", random.integers(1, 5, m), tied, False
    for m in (300, 1000):
        yield "real", numpy.ones(m, dtype=int), random.random(m * (m - 1) // 2), True
        tied = random.integers(1, 256, m * (m - 1) // 2).astype(float)
        yield "single", numpy.ones(m, dtype=int), tied, False


def spread(multiplicity, distances):
    """The condensed matrix in which each point stands as often as its multiplicity says."""
    m = len(multiplicity)
    square = numpy.zeros((m, m))
    square[numpy.triu_indices(m, 1)] = distances
    square += square.T
    of = numpy.repeat(numpy.arange(m), multiplicity)
    return square[numpy.ix_(of, of)][numpy.triu_indices(len(of), 1)]


def run_filter(path, cases):
    text = []
    for name, multiplicity, distances, _ in cases:
        text.append(f"{name} {len(multiplicity)}")
        text.append(" ".join(map(str, multiplicity)))
        text.append(" ".join(f"{d:.17g}" for d in distances))
    done = subprocess.run([path, "--merges"], input="\n".join(text), text=True, check=True,
                          stdout=subprocess.PIPE)
    return iter(done.stdout.splitlines())


def compare(case, merges, reference):
    """What differs, or None."""
    _, multiplicity, _, tie_free = case
    extra = int(multiplicity.sum()) - len(multiplicity)
    if numpy.any(reference[:extra, 2] != 0):
        return "duplicates of a point do not merge at 0"
    reference = reference[extra:]
    if not numpy.allclose(merges[:, 2], reference[:, 2], rtol=TOLERANCE, atol=0):
        return f"heights differ by {numpy.abs(merges[:, 2] / reference[:, 2] - 1).max():.3g}"
    if tie_free and numpy.any(merges[:, 3] != reference[:, 3]):
        return "sizes differ"
    if tie_free and not extra and numpy.any(merges[:, :2] != reference[:, :2]):
        return "nodes differ"
    return None


def main():
    cases = list(problems(numpy.random.default_rng(1)))
    lines = run_filter(sys.argv[1], cases)
    failed = 0
    for number, case in enumerate(cases):
        name, multiplicity, distances, _ = case
        rows = [list(map(float, next(lines).split())) for _ in range(len(multiplicity) - 1)]
        merges = numpy.array(rows)
        method = "average" if name == "real" else name
        full = spread(multiplicity, distances)
        for library in (hierarchy, fastcluster):
            what = compare(case, merges, library.linkage(full.copy(), method))
            if what:
                failed += 1
                print(f"FAIL problem {number} ({name}, {len(multiplicity)} points), "
                      f"{library.__name__}: {what}")
    print(f"oracle_linkage: {len(cases)} problems, 2 libraries, {failed} differences")
    return 1 if failed else 0


sys.exit(main())
