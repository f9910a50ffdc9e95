#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test whether the tests of the analysis' constants can fail.

Usage: scripts/mutate-constants.py [-j N] [PATTERN]     PATTERN: a regular expression of files (default: all)

docs/methods.md has a table of constants, with the tests that fail if one has another value. In a copy of the tree this
script makes each constant a little smaller and then a little larger (whole numbers up to 50 by 1, all others by a
fifth), and runs the unit tests of its row, without sanitizers. Prints a line for each change that all of its tests
pass, and how many changes there were. Ends if a test does not pass without a change. Takes some seconds of a CPU for each.
Exit status: 0 some test fails for each change; 1 some change passes, or a test fails without one.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^\| `([^`]*)` \| ([0-9.]+) \| `([^`]*)` \|.*\| ([^|]*) \|$', re.M)


def changes(value):
    """Two values near this one, as text."""
    number = float(value)
    if '.' not in value and number <= 50:
        return [str(int(number) - 1), str(int(number) + 1)] if number else ['1']
    nearby = [number * 0.8, number * 1.25]
    return [f'{one:.6g}' if '.' in value else str(round(one)) for one in nearby]


def rows(pattern):
    table = (ROOT / 'docs/methods.md').read_text().split('<!-- constants -->')[1].split('<!-- /constants -->')[0]
    for name, value, file, tests in ROW.findall(table):
        names = re.findall(r'tests/unit/(test_[a-z_0-9]+)\.c', tests)
        if names and re.search(pattern, file):
            yield name, value, file, names


def passes(tree, tests, jobs):
    """True if the tests can be built and all of them pass."""
    for test in tests:
        target = f'build/user/tests/{test}'
        made = subprocess.run(['make', '-s', f'-j{jobs}', target], cwd=tree, capture_output=True, check=False)
        try:
            ran = made.returncode == 0 and subprocess.run([tree / target], cwd=tree, capture_output=True, check=False,
                                                          timeout=120).returncode == 0
        except subprocess.TimeoutExpired:
            ran = False
        if not ran:
            return False
    return True


def main():
    arguments = sys.argv[1:]
    jobs = '2'
    if arguments[:1] == ['-j']:
        jobs, arguments = arguments[1], arguments[2:]
    pattern = arguments[0] if arguments else '.'
    done = passed = 0
    sound = set()
    with tempfile.TemporaryDirectory(prefix='scope-mutate.') as work:
        tree = pathlib.Path(work)
        for name in ('Makefile', 'user', 'include', 'kmod', 'scripts', 'tests', 'build/user', 'build/gen'):
            if not (ROOT / name).exists():
                continue
            copy = (lambda *a: shutil.copytree(*a, symlinks=True)) if (ROOT / name).is_dir() else shutil.copy2
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            copy(ROOT / name, tree / name)
        for name, value, file, tests in rows(pattern):
            if not sound.issuperset(tests) and not passes(tree, tests, jobs):
                print(f'{file}: {name}: without a change one of these does not pass or cannot be built: {" ".join(tests)}')
                return 1
            sound.update(tests)
            whole = (tree / file).read_text()
            line = re.compile(rf'^(#define {name}[ \t]+|\t+\.{name} = ){re.escape(value)}(?=[uf, \t\n])', re.M)
            for other in changes(value):
                (tree / file).write_text(line.sub(lambda found, to=other: found.group(1) + to, whole, count=1))
                done += 1
                if passes(tree, tests, jobs):
                    passed += 1
                    print(f'{file}: {name} {value} may be {other}: {" ".join(tests)} passes', flush=True)
            (tree / file).write_text(whole)
    print(f'{done} changes, {passed} of them passed')
    return int(passed > 0 or done == 0)


if __name__ == '__main__':
    sys.exit(main())
