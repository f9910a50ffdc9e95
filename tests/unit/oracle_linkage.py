# SPDX-License-Identifier: GPL-2.0-only
"""Compares the merges of test_linkage --merges with those of SciPy and fastcluster."""

import subprocess
import sys

import fastcluster
import numpy
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

TOLERANCE = 1e-12
METRIC = {"average": "cityblock", "ward": "euclidean"}    # of those that take points
ROUNDS = 60


def problems(random):
    """Yields (linkage, multiplicities, distances or points, tie-free).

    Distances are condensed, for complete and single linkage; points have a row for each point.
    """
    for _ in range(ROUNDS):
        # At most 22 points: 231 pairs can all differ in one byte. 0 is left to duplicates.
        m = int(random.integers(2, 23))
        ones = numpy.ones(m, dtype=int)
        distinct = 1.0 + random.permutation(254)[: m * (m - 1) // 2]
        yield "complete", ones, distinct, True
        yield "single", ones, distinct, True
        yield "complete", random.integers(1, 5, m), distinct, True
        yield "single", random.integers(1, 5, m), distinct, True

        m = int(random.integers(2, 120))
        ones = numpy.ones(m, dtype=int)
        real = random.random((m, int(random.integers(1, 9))))
        yield "ward", ones, real, True
        yield "ward", random.integers(1, 5, m), real, True
        tied = random.integers(1, 6, m * (m - 1) // 2).astype(float)
        yield "single", ones, tied, False
        yield "single", random.integers(1, 5, m), tied, False
        yield from averages(random)
    for m in (300, 1000):
        yield "ward", numpy.ones(m, dtype=int), random.random((m, 20)), True
        tied = random.integers(1, 255, m * (m - 1) // 2).astype(float)
        yield "single", numpy.ones(m, dtype=int), tied, False


def averages(random):
    """0/1 points of which no two pairs are as far apart, nor clusters on the way up."""
    while True:
        m = int(random.integers(2, 16))
        density = random.random(m)[:, None]
        points = (random.random((m, 2000)) < density).astype(float)
        distances = pdist(points, "cityblock")
        heights = hierarchy.linkage(distances, "average")[:, 2]
        if len(set(distances)) == len(distances) and numpy.all(numpy.diff(heights) > 1e-6):
            break
    yield "average", numpy.ones(m, dtype=int), points, True
    yield "average", random.integers(1, 5, m), points, True


def spread(multiplicity, linkage, given):
    """The condensed matrix in which each point occurs as often as its multiplicity says."""
    m = len(multiplicity)
    of = numpy.repeat(numpy.arange(m), multiplicity)
    if linkage in METRIC:
        return pdist(given[of], METRIC[linkage])
    square = numpy.zeros((m, m))
    square[numpy.triu_indices(m, 1)] = given
    square += square.T
    return square[numpy.ix_(of, of)][numpy.triu_indices(len(of), 1)]


def run_filter(path, cases):
    text = []
    for linkage, multiplicity, given, _ in cases:
        text.append(f"{linkage} {len(multiplicity)}")
        text.append(" ".join(map(str, multiplicity)))
        if linkage in METRIC:
            text.append(str(given.shape[1]))
        text.append(" ".join(f"{value:.17g}" for value in given.T.flat))
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
        linkage, multiplicity, given, _ = case
        rows = [list(map(float, next(lines).split())) for _ in range(len(multiplicity) - 1)]
        merges = numpy.array(rows)
        full = spread(multiplicity, linkage, given)
        for library in (hierarchy, fastcluster):
            what = compare(case, merges, library.linkage(full.copy(), linkage))
            if what:
                failed += 1
                print(f"FAIL problem {number} ({linkage}, {len(multiplicity)} points), "
                      f"{library.__name__}: {what}")
    print(f"oracle_linkage: {len(cases)} problems, 2 libraries, {failed} differences")
    return 1 if failed else 0


sys.exit(main())
