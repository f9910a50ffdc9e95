#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Get the libraries of the report's page from the npm registry, for the next build to put into the program.
#
# Usage: scripts/page-libraries.sh
# Their versions and checksums are in user/report/html/package-lock.json. They are kept in build/page/. None of their scripts are
# run here. Exit status: 0 they are installed; 1 they cannot be downloaded; 77 there is no npm. Without them pages are plain.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
page=${BUILD:-$root/build}/page
locked=$root/user/report/html

! cmp -s "$locked/package-lock.json" "$page/done" || exit 0
command -v npm > /dev/null || { echo "page-libraries.sh: there is no npm (apt-get install npm): pages stay plain"; exit 77; }
mkdir -p "$page"
cp "$locked/package.json" "$locked/package-lock.json" "$page/"
# npm checks what it gets against the lock.
if ! (cd "$page" && npm ci --ignore-scripts --no-audit --no-fund) > "$page/log" 2>&1; then
	tail -n 5 "$page/log" >&2
	echo "page-libraries.sh: npm did not get the libraries, see $page/log: pages stay plain" >&2
	exit 1
fi
cp "$locked/package-lock.json" "$page/done"
