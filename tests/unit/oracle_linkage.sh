#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Compare linkage trees with those of SciPy and fastcluster.
#
# Usage: tests/unit/oracle_linkage.sh [TEST_LINKAGE]    default: build/san/tests/test_linkage
# PYTHON names the interpreter; without it the system's, which sees the distribution's packages.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
filter=${1:-$root/build/san/tests/test_linkage}

if [ ! -x "$filter" ]; then
	echo "oracle_linkage: $filter is not there; run 'make SAN=1 tests' first" >&2
	exit 1
fi
for python in "${PYTHON:-}" /usr/bin/python3 python3; do
	[ -n "$python" ] || continue
	"$python" -c 'import numpy, scipy, fastcluster' 2>/dev/null || continue
	exec "$python" "$root/tests/unit/oracle_linkage.py" "$filter"
done
echo "SKIP oracle_linkage: no SciPy or fastcluster; run 'scripts/setup.sh test'"
exit 77
