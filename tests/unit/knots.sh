#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Bottlenecks planted by seed (a CPU, a disk, a lock; one, two at once, none) are found, and no others; see knots.py.
#
# Usage: tests/unit/knots.sh [SEEDS]     2 seeds usually; 20 take some minutes
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tests/unit/knots.py "${SCOPE:-build/san/scope}" "$work" "${1:-2}"
